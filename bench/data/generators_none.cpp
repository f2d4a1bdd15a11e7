// Build without CUDA: generators work on the host.
#include "bench/data/generators_device.hpp"

namespace km {

template <class T>
bool make_on_device(const Generator&, const Recipe&, std::int64_t, std::span<T>) {
  return false;
}

template bool make_on_device(const Generator&, const Recipe&, std::int64_t, std::span<float>);
template bool make_on_device(const Generator&, const Recipe&, std::int64_t, std::span<double>);

}  // namespace km
