// kmbench ceilings: measures this machine's limits and records them.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bench/base/write_whole.hpp"
#include "bench/ceilings/ceilings.hpp"
#include "bench/machine/environment.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/result.hpp"

namespace km::ceilings_command {

/// The denominators of the metric floor_share: the faster of copy and read, and the plain arithmetic units.
nlohmann::ordered_json floor_of(const nlohmann::ordered_json& limits) {
  if (!limits.is_object()) return nullptr;
  const auto rate = [&](const char* name) { return limits[name].is_number() ? nlohmann::ordered_json(limits[name].get<double>() * 1e9) : nullptr; };
  const auto copy = rate("copy_gbs"), read = rate("read_gbs");
  return {{"bytes_per_s", copy.is_number() && read.is_number() ? std::max(copy, read) : copy},
          {"flops_per_s", {{"fp32", rate("fma_fp32_gflops")}, {"fp64", rate("fma_fp64_gflops")}}}};
}

RecordFlags flags;
bool same_machine = false;

int run(const Invocation&) {
  const auto file = flags.folder() / "machine.json";
  const Descriptor lock = lock_folder(flags.folder(), "kmbench ceilings");
  write_machine_record(flags.folder(), flags.id(), same_machine);
  auto record = read_machine_record(file);
  if (const std::string warning = load_warning(); !warning.empty()) fmt::print(stderr, "warning: {}\n", warning);
  record["ceilings"] = {{"cpu", cpu_ceilings()}, {"gpu", gpu_ceilings()}};
  record["floor"] = {{"cpu", floor_of(record["ceilings"]["cpu"])}, {"gpu", floor_of(record["ceilings"]["gpu"])}};
  write_whole(file, record.dump(2) + "\n");
  for (const auto& [device, limits] : record["ceilings"].items())
    for (const auto& [name, value] : limits.items())
      fmt::print("{:<4} {:<22} {:>12}\n", device, name, value.is_number() ? fmt::format("{:.6g}", value.get<double>()) : "not measured");
  fmt::print("kept in {}\n", file.string());
  return 0;
}

const RegisterCommand registration{9,
                                   {.name = "ceilings",
                                    .summary = "Measure this machine's own limits and write them into machine.json",
                                    .options = join_options(flags.options(), Options{same_machine_option(same_machine)}),
                                    .run = run}};

}  // namespace km::ceilings_command
