#include "bench/program/value_names.hpp"

#include <algorithm>
#include <utility>

namespace km {

namespace {

constexpr std::pair<std::string_view, std::string_view> known[] = {
    {"points", "FILE|NAME"},
    {"exhibits", "EXHIBIT"},
    {"files", "FILE"},
    {"lines", "FILE"},
    {"implementation", "NAME"},
    {"name", "NAME"},
    {"shell", "WORD"},
    {"what", "WORD"},
    {"--at-last", "INT"},
    {"--benchmark_filter", "REGEX"},
    {"--benchmark_format", "WORD"},
    {"--benchmark_out", "FILE"},
    {"--benchmark_out_format", "WORD"},
    {"--benchmark_repetitions", "INT"},
    {"--budget", "TIME"},
    {"--clusters", "INT"},
    {"--columns", "LIST"},
    {"--d", "INT"},
    {"--data", "FILE"},
    {"--data-set", "NAME=VALUE"},
    {"--dataset", "NAME"},
    {"--device", "INT"},
    {"--epsilon", "NUMBER"},
    {"--external", "COMMAND"},
    {"--filter", "REGEX"},
    {"--implementation", "NAME|REGEX"},
    {"--init", "WORD|FILE"},
    {"--iterations", "INT"},
    {"--judge-seed", "INT"},
    {"--k", "INT"},
    {"--kmeans", "NAME"},
    {"--laplacian", "WORD"},
    {"--launch", "COMMAND"},
    {"--machine", "NAME"},
    {"--memory", "NUMBER"},
    {"--n", "INT"},
    {"--n-init", "INT"},
    {"--neighbours", "INT"},
    {"--order-seed", "INT"},
    {"--out", "PATH"},
    {"--paper", "KEY"},
    {"--plugin", "FILE"},
    {"--precision", "WORD"},
    {"--price", "DEVICE=NUMBER"},
    {"--profile", "WORD"},
    {"--repetitions", "INT"},
    {"--representatives", "INT"},
    {"--rounds", "INT"},
    {"--search-seed", "INT"},
    {"--seed", "INT"},
    {"--set", "NAME=VALUE"},
    {"--sigma", "NUMBER"},
    {"--similarity", "WORD"},
    {"--skip-columns", "LIST"},
    {"--solver", "WORD"},
    {"--strategy", "WORD"},
    {"--timeout", "SECONDS"},
    {"--tolerance", "NUMBER"},
    {"--truth", "FILE"},
    {"--tuning", "DIR"},
    {"--warmup", "INT"},
    {"--weights", "WORD"},
};

}  // namespace

std::string_view value_name(const std::string& name) {
  const auto* const at = std::ranges::find(known, name, [](const auto& one) { return one.first; });
  return at == std::end(known) ? "VALUE" : at->second;
}

}  // namespace km
