#include "bench/program/problem_flags.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "bench/base/error.hpp"
#include "bench/data/limits.hpp"
#include "bench/program/arguments.hpp"

namespace km {
namespace {

/// An init may hold ':' and ',' in its path.
std::vector<Scalar> values_of(const std::string& flag, const std::string& name, const std::string& text, bool lists) {
  if (name == "init") return {text};
  if (lists) return values_of_list(flag, text);
  if (text.find_first_of(",:") != text.npos) throw UserError(fmt::format("{} '{}': one value; a list is for kmbench run", flag, text));
  return {name == "dataset" ? Scalar(text) : parse_scalar(text)};
}

}  // namespace

Options ProblemFlags::options() {
  return join_options({{"--dataset", &dataset, "Points: a data set by name"},
                       {"--data", &data, "Points: a .npy, .npz, .npy.xz, .csv, .tsv or .txt file"}},
                      shape_options());
}

Options ProblemFlags::shape_options() {
  return {{"--n", &n, lists ? "Points to make, or the first of a file: 1000, 1e4,1e5 or 1e4:1e6:x10" : "Points to make, or the first of a file"},
          {"--d,--nd", &d, "Dimensions"},
          {"--k,--kc", &k, "Clusters"},
          {"--data-set", &settings, "Generator settings: sigma2=0.1 (repeatable)"},
          {"--precision", &precision, "fp32 or fp64"},
          {"--iterations", &max_iters, "Iterations of a run; with --tolerance, at most (default 10, or 1000)"},
          {"--tolerance", &tolerance, "Stop when at most this share of the points changed label"},
          {"--init", &init, "random, kmeans++, greedy-kmeans++, taylor2021 or a .npy of k x d"},
          {"--seed", &seed, "Seed of the initial centroids"}};
}

Sweep ProblemFlags::sweep() const {
  if (!dataset.empty() && !data.empty()) throw UserError("--dataset and --data exclude one another");
  if (dataset.empty() && data.empty()) throw UserError("name the points: --dataset NAME (see kmbench list datasets) or --data FILE.npy");
  if (k.empty()) throw UserError("name the number of clusters: --k");
  Sweep sweep;
  const auto add = [&](const std::string& flag, const std::string& name, const std::string& text) {
    if (!text.empty()) sweep.axes[name] = values_of(flag, name, text, lists);
  };
  add("--dataset", "dataset", dataset);
  if (!data.empty()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(data, error)) throw UserError(fmt::format("--data {}: no such file, or not a regular one", data));
    sweep.axes["dataset"] = {std::filesystem::absolute(data).string()};
  }
  add("--n", "n", n);
  add("--d", "d", d);
  add("--k", "k", k);
  add("--precision", "precision", precision);
  add("--iterations", "iterations", max_iters);
  add("--tolerance", "tolerance", tolerance);
  add("--init", "init", init);
  add("--seed", "init_seed", seed);
  add_settings(sweep, "--data-set", "data.", settings, lists);
  return sweep;
}

void add_settings(Sweep& sweep, const std::string& flag, const std::string& prefix, const std::vector<std::string>& settings, bool lists) {
  for (const auto& text : settings) {
    const auto [name, values] = assignment(flag, text);
    if (!sweep.axes.emplace(prefix + name, values_of(flag, prefix + name, values, lists)).second)
      throw UserError(fmt::format("{} {} is given twice{}", flag, name, lists ? fmt::format("; several values are {}=1,10", name) : ""));
  }
}

void check_points(const Case& c) {
  if (c.precision == Precision::fp32) load_dataset<float>(c.dataset);
  else load_dataset<double>(c.dataset);
}

double seconds_of_budget(const std::string& text) {
  const double unit = text.ends_with('m') ? 60 : text.ends_with('h') ? 3600 : 1;
  const bool named = !text.empty() && std::string_view("smh").find(text.back()) != std::string_view::npos;
  try {
    return unit * number("--budget", text.substr(0, text.size() - named), 0.1, 1e6);
  } catch (const UserError&) {
    throw UserError(fmt::format("--budget '{}': seconds, minutes or hours are accepted, as in 60s, 2m or 1h", text));
  }
}

std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text) {
  std::vector<Scalar> values;
  for (std::size_t from = 0; from <= text.size();) {
    const auto end = std::min(text.find(',', from), text.size());
    if (end == from) throw UserError(fmt::format("{} '{}' holds an empty value", flag, text));
    for (auto& value : parse_range(text.substr(from, end - from))) values.push_back(std::move(value));
    if (values.size() > most_cases) throw UserError(fmt::format("{} '{}' holds more than {} values", flag, text, most_cases));
    from = end + 1;
  }
  return values;
}

}  // namespace km
