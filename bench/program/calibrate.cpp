// kmbench calibrate: finds the seconds behind the cost model of cpu/lloyd/auto and gpu/lloyd/auto, for this machine.
#include "bench/tune/calibrate.hpp"

#include <omp.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/base/error.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/environment.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/result.hpp"

namespace km::calibrate_command {

namespace fs = std::filesystem;

struct Flags {
  std::vector<std::string> lines;
  std::string budget = "60s", out;
  MachineFlags machine;
} flags;

/// Fits files of recorded lines, with the number of threads of the machine whose record lies beside the first.
CostModel recorded(const std::vector<std::string>& files) {
  const std::vector<Json> lines = read_lines(files);
  const Json record = read_machine_record(fs::path(files.front()).parent_path() / "machine.json");
  const Json threads = record.value("cpu", Json::object()).value("threads", Json());
  return fit_costs(lines, threads.is_number_integer() ? threads.get<int>() : omp_get_num_procs());
}

CostModel measured(Device device, double budget_s) {
  if (device == Device::gpu && !device::available()) return {};
  CalibrationOptions options{.device = device, .threads = omp_get_num_procs(), .budget_s = budget_s};
  if (device == Device::gpu) device::start(), options.most_points = 3e7, options.most_work = 3e11;
  else options.most_points *= options.threads, options.most_work *= options.threads;
  options.progress = [&](int problems, double seconds) {
    fmt::print(stderr, "{}: {} problems, {:.0f} of {:.0f} s\n", device == Device::cpu ? "cpu" : "gpu", problems, seconds, budget_s);
  };
  return calibrate(options);
}

/// The file of a device's rates. Throws UserError if there is no place for it.
fs::path file_of(Device device, const std::string& out) {
  const std::string machine = device == Device::cpu ? cpu_name() : device::available() ? device::name() : "";
  const fs::path file = out.empty() ? own_costs(device, machine) : fs::path(out) / fmt::format("{}.txt", device == Device::cpu ? "cpu" : "gpu");
  if (file.empty()) throw UserError("no cache folder: set XDG_CACHE_HOME or HOME, or name a folder with --out");
  return file;
}

/// Throws UserError if a device's rates could not be written in the end.
void check_out(Device device, const std::string& out) {
  const fs::path file = file_of(device, out);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  check_out_file("--out", file);
}

/// Stores what was found of one device; false if there is nothing.
bool store(const CostModel& all, Device device, const std::string& out) {
  const char* const name = device == Device::cpu ? "cpu" : "gpu";
  CostModel own;
  for (const auto& [key, rates] : all.rates)
    if (key.first.starts_with(name)) own.rates.emplace(key, rates);
  if (own.rates.empty()) return false;
  const fs::path file = file_of(device, out);
  own.write(file);
  for (const auto& [key, rates] : own.rates)
    fmt::print("{} {}: forecasts are off by a factor of {:.2f}\n", key.first, key.second, std::exp(rates.spread));
  fmt::print("kept in {}\n", file.string());
  return true;
}

/// Begins anew with the wait policy of the workers that measure: OpenMP reads it at the start of a program.
void take_wait_policy(const std::vector<std::string>& argv) {
  if (std::getenv("OMP_WAIT_POLICY") || std::getenv("GOMP_SPINCOUNT")) return;
  choose_wait_policy();
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execv("/proc/self/exe", words.data());  // if it fails, this process goes on
}

int run(const Flags& f, const Invocation& by) {
  take_wait_policy(by.argv);
  f.machine.select_device();
  const double budget_s = seconds_of_budget(f.budget);
  bool stored = false;
  if (f.lines.empty()) {
    for (const Device device : {Device::cpu, Device::gpu}) check_out(device, f.out);
    for (const Device device : {Device::cpu, Device::gpu}) stored = store(measured(device, budget_s), device, f.out) || stored;
  } else {
    for (const CostModel model = recorded(f.lines); const Device device : {Device::cpu, Device::gpu}) stored = store(model, device, f.out) || stored;
  }
  if (!stored) throw UserError("no implementation has eight runs with its default parameters: give a longer --budget, or files with more lines");
  return 0;
}

const RegisterCommand registration{
    28,
    {.name = "calibrate",
     .summary = "Measure this machine for the cost model by which cpu/lloyd/auto and gpu/lloyd/auto choose",
     .options = {{"lines", &flags.lines, "Fit these files of recorded lines, of one machine, instead of measuring"},
                 {"--budget", &flags.budget, "Time to measure the CPU, and again for a GPU: 60s, 2m, 1h (60s)"},
                 {"--out", &flags.out, "Folder for cpu.txt and gpu.txt (default: this machine's files in ~/.cache/kmbench)"},
                 {"--device", &flags.machine.device, "GPU to use (default 0)"}},
     .run = [](const Invocation& by) { return run(flags, by); }}};

}  // namespace km::calibrate_command
