#include "bench/gpu_state.hpp"

namespace km {

GpuState::GpuState() : start_(std::chrono::steady_clock::now()) {}
nlohmann::ordered_json GpuState::finish() const { return nullptr; }

}  // namespace km
