// Why several cards cannot run, in one sentence; and the description of those that sum in integers.
#include <cstdlib>
#include <string_view>

#include "impl/gpu/many/cards.cuh"

namespace km::many {

std::string cards_missing(const Config& config) {
  if (std::string reason = too_few_cards(config); !reason.empty()) return reason;
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (cards_of(config) > 1 && blocking && std::string_view(blocking) == "1") return "CUDA_LAUNCH_BLOCKING=1: a launch would wait for the other cards";
  return "";
}

namespace {

std::string refusal(const ProblemShape& p, KernelFor kernel_for, const Config& config) {
  if (p.d > register_tiles::most_dimensions) return "more than 16 dimensions: points exceed a thread's registers";
  if (p.k > most_clusters) return "more than 256 clusters: a label has 8 bits";
  const Kernel kernel = kernel_for(p.d, p.k);
  if (kernel.bytes(p.k, kernel.rows(p.k), kernel.threads / 32, 1) > register_tiles::shared_limit())
    return "centroids and sums of all clusters exceed a block's shared memory";
  if (std::string reason = cards_missing(config); !reason.empty()) return reason;
  if (p.n / cards_of(config) >= std::int64_t(1) << 36) return "more than 2^36 points a card: a block's tiles have 31 bits";
  return "";
}

}  // namespace

Description description(std::string_view summary, KernelFor fp32, KernelFor fp64, std::string (*missing)(const Config&), bool shards) {
  return {.summary = summary,
          .device = Device::gpu,
          .parameters = {gpus_parameter()},
          .unsupported =
              [=](const ProblemShape& p, const Config& config, int value_bytes) {
                const std::string reason = refusal(p, value_bytes == 4 ? fp32 : fp64, config);
                return reason.empty() ? missing(config) : reason;
              },
          .fixed_point = true,
          .shards = shards};
}

}  // namespace km::many
