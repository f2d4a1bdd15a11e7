#include "bench/data/limits.hpp"

#include <fmt/format.h>

#include "bench/base/error.hpp"
#include "bench/machine/memory.hpp"

namespace km {

void check_memory(const std::string& what, std::int64_t n, int d, std::size_t value_bytes, const std::string& advice) {
  const double need = double(n) * d * double(value_bytes), have = double(memory::available_bytes());
  if (have > 0 && need > have)
    throw UserError(
        fmt::format("{}: {} x {} values take {:.3g} GiB, {:.3g} GiB of memory are free{}", what, n, d, need / (1 << 30), have / (1 << 30), advice));
}

}  // namespace km
