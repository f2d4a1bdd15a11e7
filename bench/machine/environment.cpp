#include "bench/machine/environment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>
#include <re2/re2.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/base/proc.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/nvml.hpp"
#include "bench/machine/version.hpp"
#include "bench/machine/wait_policy.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double memory_apart = 0.05;

/// FNV-1a, the last `digits` hex digits.
std::string hash(const std::string& text, int digits) {
  std::uint64_t state = 0xcbf29ce484222325;
  for (const unsigned char byte : text) state = (state ^ byte) * 0x100000001b3;
  return fmt::format("{:0{}x}", (state ^ state >> 32) & ((std::uint64_t(1) << 4 * digits) - 1), digits);
}

std::string host_name() {
  std::string name(256, '\0');
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.c_str() : "";
}

/// The processors that this process may use. Where OpenMP binds its threads, the mask of this one is a single place.
std::set<int> own_processors() {
  std::set<int> all;
  for (int place = 0; place < omp_get_num_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(omp_get_place_num_procs(place)));
    omp_get_place_proc_ids(place, ids.data());
    all.insert(ids.begin(), ids.end());
  }
  if (!all.empty()) return all;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(0, sizeof mask, &mask);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) all.insert(cpu);
  return all;
}

int physical_cores() {
  std::set<std::string> cores;
  for (const int cpu : own_processors()) {
    const fs::path topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology", cpu);
    cores.insert(first_line(topology / "physical_package_id") + "/" + first_line(topology / "core_id"));
  }
  return int(cores.size());
}

Json cpu() {
  std::string simd;
  std::istringstream flags(cpuinfo("flags"));
  for (std::string flag; flags >> flag;)
    if (flag == "avx2" || flag == "fma" || flag == "avx512f" || flag == "avx512vl" || flag == "sve") simd += (simd.empty() ? "" : " ") + flag;
  return {{"model", cpuinfo("model name")}, {"threads", omp_get_num_procs()},
          {"cores", physical_cores()},      {"simd", simd},
          {"mhz", cpuinfo("cpu MHz")},      {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")}};
}

Json caches() {
  Json list = Json::array();
  for (int index = 0;; ++index) {
    const fs::path cache = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}", index);
    if (!fs::exists(cache)) return list;
    list.push_back({{"level", first_line(cache / "level")},
                    {"type", first_line(cache / "type")},
                    {"size", first_line(cache / "size")},
                    {"shared_by", first_line(cache / "shared_cpu_list")}});
  }
}

std::string cache_sizes() {
  std::string text;
  for (const Json& cache : caches()) text += (text.empty() ? "" : " ") + cache["size"].get<std::string>();
  return text;
}

Json numa() {
  Json nodes = Json::object();
  for (int node = 0; fs::exists(fmt::format("/sys/devices/system/node/node{}", node)); ++node)
    nodes[fmt::format("node{}", node)] = first_line(fmt::format("/sys/devices/system/node/node{}/cpulist", node));
  return nodes;
}

Json gpu() {
  if (!device::available()) return nullptr;
  Json object = Json::object();
  for (const auto& [key, value] : device::describe()) object[key] = value;
  const nvml::Reading now = nvml::read(device::uuid());
  const auto driver = nvml::driver_version();
  const auto watts = [](std::optional<unsigned> milliwatts) { return milliwatts ? Json(*milliwatts * 1e-3) : Json(nullptr); };
  object["driver_version"] = driver ? Json(*driver) : Json(nullptr);
  object["sm_mhz"] = nvml::json(now.sm_mhz);
  object["max_sm_mhz"] = nvml::json(now.max_sm_mhz);
  object["mem_mhz"] = nvml::json(now.memory_mhz);
  object["max_mem_mhz"] = nvml::json(now.max_memory_mhz);
  object["power_w"] = watts(now.power_mw);
  object["power_limit_w"] = watts(now.power_limit_mw);
  object["temperature_c"] = nvml::json(now.temperature_c);
  return object;
}

Json openmp() {
  return {{"version", _OPENMP},
          {"max_threads", omp_get_max_threads()},
          {"proc_bind", variable("OMP_PROC_BIND")},
          {"places", variable("OMP_PLACES")},
          {"num_threads", variable("OMP_NUM_THREADS")},
          {"wait_policy", wait_policy()}};
}

Json warnings(const Json& record) {
  Json list = Json::array();
  if (const std::string busy = load_warning(); !busy.empty()) list.push_back(busy);
  const int threads = omp_get_num_procs();
  const std::string governor = record["cpu"]["governor"];
  if (!governor.empty() && governor != "performance") list.push_back("the CPU governor is '" + governor + "', not 'performance'");
  if (cpuinfo("flags").find("hypervisor") != std::string::npos) list.push_back("a virtual machine: neighbours may take time");
  if (omp_get_max_threads() != threads) list.push_back(fmt::format("OpenMP uses {} of {} threads", omp_get_max_threads(), threads));
  if (version::dirty()) list.push_back("built from uncommitted changes");
  if (version::build_type() != "Release") list.push_back("not a Release build: " + version::build_type());
  return list;
}

std::string slug(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  RE2::GlobalReplace(&text, "[^a-z0-9.]+", "-");
  RE2::GlobalReplace(&text, "^-|-$", "");
  return text;
}

/// "memory     23.5 GiB" for people.
std::string text_line(const std::string& key, const Json& value, int width = 24) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (key != "memory" && key != "memory_bytes") return fmt::format("{:<{}} {}\n", key, width, text);
  return fmt::format("{:<{}} {:.1f} GiB\n", "memory", width, std::strtod(text.c_str(), nullptr) / (1 << 30));
}

bool holds_lines(const fs::path& folder) {
  std::error_code failed;
  return std::ranges::any_of(fs::directory_iterator(folder, failed), [&](const fs::directory_entry& entry) {
    return entry.path().extension() == ".jsonl" && entry.file_size(failed) > 0 && !failed;
  });
}

void refuse_another_machine(const fs::path& folder, const Json& record) {
  const auto refuse = [&](const std::string& why) {
    throw UserError("{} {}: choose another folder with --out, or count both as one machine with --same-machine", folder.string(), why);
  };
  if (const auto recorded = record.find("fingerprint"); recorded != record.end()) {
    if (const auto parts = differences(*recorded, fingerprint()); !parts.empty())
      refuse(fmt::format("holds results of another machine ({} differ{})", fmt::join(parts, ", "), parts.size() == 1 ? "s" : ""));
  } else if (holds_lines(folder)) {
    refuse("holds lines of a machine without a fingerprint");
  }
}

}  // namespace

Json fingerprint() {
  return {{"model", cpuinfo("model name")},
          {"caches", cache_sizes()},
          {"memory", memory::total_bytes()},
          {"gpu", device::available() ? Json(device::name()) : Json()},
          {"host", hash(first_line("/etc/machine-id") + "/" + host_name(), 8)},
          {"boot", hash(first_line("/proc/sys/kernel/random/boot_id"), 8)}};
}

std::string short_fingerprint(const Json& fingerprint) {
  Json lasting = fingerprint;
  for (const char* part : {"memory", "boot"}) lasting.erase(part);
  return hash(lasting.dump(), 4);
}

std::vector<std::string> differences(const Json& recorded, const Json& now) {
  const auto part = [](const Json& of, const char* name) { return of.is_object() ? of.value(name, Json()) : Json(); };
  const auto differs = [&](const std::string& name) {
    const Json before = part(recorded, name.c_str()), after = part(now, name.c_str());
    if (name != "memory" || !before.is_number() || !after.is_number()) return before != after;
    return std::abs(before.get<double>() - after.get<double>()) > memory_apart * after.get<double>();
  };
  const bool one_start = !differs("host") && !differs("boot") && !part(now, "boot").is_null();
  std::vector<std::string> found;
  for (const char* name : {"model", "caches", "memory", "gpu", "host"})
    if (!(one_start && name == std::string_view("memory")) && differs(name)) found.emplace_back(name);
  return found;
}

std::string load_warning() {
  return load_warning(omp_get_num_procs(), [] { return first_line("/proc/loadavg"); });
}

std::string load_warning(int threads, const std::function<std::string()>& loadavg) {
  double load = 0;
  std::istringstream(loadavg()) >> load;
  if (load <= 0.3 * threads) return "";
  int busy = 0;  // the load is a mean over a minute: confirm with the running threads
  for (int look = 0; look < 5; ++look) {
    busy += running_threads(loadavg()) > 1;  // this thread is one
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return busy >= 3 ? fmt::format("the machine is not quiet: load {:.2f} on {} threads", load, threads) : "";
}

Json environment() {
  utsname system{};
  ::uname(&system);
  Json record = {{"id", machine_id()}, {"fingerprint", fingerprint()},          {"cpu", cpu()}, {"caches", caches()},
                 {"numa", numa()},     {"memory_bytes", memory::total_bytes()}, {"gpu", gpu()}};
  if (!device::available()) record["gpu_missing"] = device::unavailable();
  record["system"] = fmt::format("{} {}", system.sysname, system.release);
  record["build"] = {{"commit", version::commit()},     {"dirty", version::dirty()}, {"type", version::build_type()},
                     {"compiler", version::compiler()}, {"cuda", version::cuda()},   {"implementation_flags", version::flags()}};
  record["libraries"] = {{"fmt", FMT_VERSION},
                         {"nlohmann_json",
                          fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
                         {"cli11", CLI11_VERSION}};
  record["openmp"] = openmp();
  record["load"] = first_line("/proc/loadavg");
  record["warnings"] = warnings(record);
  return record;
}

std::string machine_id() {
  std::string name;
  if (device::available()) {
    name = slug(device::name());
    if (name.starts_with("nvidia-")) name.erase(0, 7);
  } else {
    std::string model = cpuinfo("model name");
    RE2::GlobalReplace(&model, R"(\(R\)|\(TM\)| CPU| Processor|@ )", "");
    name = slug(model) + fmt::format("-{}t", omp_get_num_procs());
  }
  return name + "-" + short_fingerprint(fingerprint());
}

Json read_machine_record(const fs::path& file) {
  std::error_code failed;
  const fs::file_status status = fs::status(file, failed);
  if (status.type() == fs::file_type::none) throw UserError("{}: {}", file.string(), failed.message());
  if (!fs::exists(status)) return Json::object();
  Json record = fs::is_regular_file(status) ? Json::parse(std::ifstream(file), nullptr, false) : Json();  // to open a pipe would wait
  if (!record.is_object()) throw UserError("{}: not a JSON object; repair it, or delete it with its ceilings and price", file.string());
  return record;
}

void write_machine_record(const fs::path& folder, const std::string& id, bool same_machine) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw UserError("{}: no folder can be made there: {}", folder.string(), failed.message());
  const fs::path path = folder / "machine.json";
  const Json old = read_machine_record(path);
  if (!same_machine) refuse_another_machine(folder, old);
  Json record = environment();
  record["id"] = id;
  for (const char* kept : {"ceilings", "floor", "price"})
    if (old.contains(kept)) record[kept] = old[kept];
  write_whole(path, record.dump(2) + "\n");
}

std::string environment_text(const Json& record) {
  std::string text;
  for (const auto& [key, value] : record.items()) {
    if (key == "warnings") continue;
    if (value.is_object()) {
      text += key + "\n";
      for (const auto& [inner, content] : value.items()) text += "  " + text_line(inner, content, 22);
    } else if (key == "caches") {
      for (const Json& cache : value)
        text += text_line(key, fmt::format("L{} {} {}, of processors {}", cache.value("level", ""), cache.value("type", ""), cache.value("size", ""),
                                           cache.value("shared_by", "")));
    } else {
      text += text_line(key, value);
    }
  }
  for (const auto& warning : record["warnings"]) text += "warning: " + warning.get<std::string>() + "\n";
  return text;
}

}  // namespace km
