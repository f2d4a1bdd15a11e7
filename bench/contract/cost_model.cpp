#include "bench/contract/cost_model.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <thread>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/base/proc.hpp"
#include "bench/base/write_whole.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

const char* word(Precision precision) { return precision == Precision::fp32 ? "fp32" : "fp64"; }

bool usable(const Rates& rates) {
  const auto fits = [](double value) { return std::isfinite(value) && value >= 0; };
  return fits(rates.spread) && std::ranges::all_of(rates.seconds, fits) && std::ranges::any_of(rates.seconds, [](double s) { return s > 0; });
}

/// The spread of rates that were found with another precision or processor.
double of_another(double spread) { return 2 * spread + std::numbers::ln2; }

/// Recorded rates of an H200, or of the CPU whose number of threads has the smallest ratio to this one's.
fs::path default_costs(Device device) {
  try {
    const fs::path folder = home() / "tuning" / "costs";
    if (device == Device::gpu) return folder / "gpu.txt";
    const std::map<int, const char*> files{{2, "cpu_2.txt"}, {16, "cpu_16.txt"}, {64, "cpu_64.txt"}};
    const auto ratio = [](const auto& file) { return std::abs(std::log(double(file.first) / std::max(1u, std::thread::hardware_concurrency()))); };
    return folder / std::ranges::min_element(files, {}, ratio)->second;
  } catch (const UserError&) {
    return {};  // a plugin's host may run anywhere
  }
}

}  // namespace

std::string cpu_name() { return cpuinfo("model name") + " " + std::to_string(std::thread::hardware_concurrency()) + " threads"; }

fs::path own_costs(Device device, std::string name) {
  const fs::path cache = variable("XDG_CACHE_HOME"), folder = cache.is_absolute() ? cache : fs::path(variable("HOME")) / ".cache";
  if (!folder.is_absolute()) return {};
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
  return folder / "kmbench" / ((device == Device::cpu ? "costs_cpu_" : "costs_gpu_") + name + ".txt");
}

CostModel CostModel::read(const fs::path& file) {
  CostModel model;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Key key;
    Rates rates;
    if (!(words >> key.first >> key.second >> rates.spread)) continue;
    for (double seconds; words >> seconds;) rates.seconds.push_back(seconds);
    if (words.eof() && usable(rates)) model.rates.insert_or_assign(key, rates);
  }
  return model;
}

CostModel CostModel::of(Device device, const std::string& name) {
  CostModel model = read(own_costs(device, name)), defaults = read(default_costs(device));
  if (device == Device::cpu)  // processors differ more than GPUs
    for (auto& [key, rates] : defaults.rates) rates.spread = of_another(rates.spread);
  std::erase_if(model.rates, [&](const auto& own) {  // from when the costs had other terms
    const auto known = defaults.rates.find(own.first);
    return known != defaults.rates.end() && known->second.seconds.size() != own.second.seconds.size();
  });
  model.rates.merge(defaults.rates);
  return model;
}

void CostModel::write(const fs::path& file) const {
  std::error_code error;
  if (file.has_parent_path()) fs::create_directories(file.parent_path(), error);
  write_whole(file, [&](std::ostream& out) {
    out << "# Implementation, precision, spread of log(measured / predicted), seconds of one of each term of its cost. kmbench calibrate writes "
           "it.\n";
    out.precision(6);
    for (const auto& [key, one] : rates) {
      out << key.first << ' ' << key.second << ' ' << one.spread;
      for (const double seconds : one.seconds) out << ' ' << seconds;
      out << '\n';
    }
  });
}

std::optional<Forecast> CostModel::forecast(const Implementation& implementation, const ProblemShape& shape, const Config& config,
                                            Precision precision) const {
  if (!implementation.description.cost) return std::nullopt;
  const Precision other = precision == Precision::fp32 ? Precision::fp64 : Precision::fp32;
  const std::vector<double> terms = implementation.description.cost(shape, config, precision == Precision::fp32 ? 4 : 8);
  for (const Precision known : {precision, other}) {
    const auto found = rates.find({implementation.name, word(known)});
    if (found == rates.end() || found->second.seconds.size() != terms.size()) continue;
    Forecast forecast{.spread = found->second.spread};
    for (std::size_t term = 0; term < terms.size(); ++term) forecast.seconds += terms[term] * found->second.seconds[term];
    if (known != precision) forecast.spread = of_another(forecast.spread);
    if (forecast.seconds > 0) return forecast;
  }
  return std::nullopt;
}

}  // namespace km
