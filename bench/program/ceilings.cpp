// kmbench ceilings: measure this machine's limits and keep them in the machine record.
#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/machine/ceilings.hpp"
#include "bench/machine/environment.hpp"
#include "bench/program/arguments.hpp"
#include "bench/program/commands.hpp"

namespace km {
namespace {

/// What the metric floor_share divides by: the faster of copy and read, and the plain arithmetic units.
nlohmann::ordered_json floor_of(const nlohmann::ordered_json& limits) {
  if (!limits.is_object()) return nullptr;
  const auto rate = [&](const char* name) { return limits[name].is_number() ? nlohmann::ordered_json(limits[name].get<double>() * 1e9) : nullptr; };
  const auto copy = rate("copy_gbs"), read = rate("read_gbs");
  return {{"bytes_per_s", copy.is_number() && read.is_number() ? std::max(copy, read) : copy},
          {"flops_per_s", {{"fp32", rate("fma_fp32_gflops")}, {"fp64", rate("fma_fp64_gflops")}}}};
}

}  // namespace

void add_ceilings(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("ceilings", "Measure this machine's own limits and write them into machine.json");
  auto out = std::make_shared<std::string>();
  auto machine = std::make_shared<std::string>();
  command->add_option("--out", *out, "Folder of machine.json (default results/<machine>)");
  command->add_option("--machine", *machine, "Name of this machine (default from GPU or CPU)");
  command->callback([=, &code] {
    if (!machine->empty()) check_name("--machine", *machine);
    const std::string id = machine->empty() ? machine_id() : *machine;
    const std::filesystem::path folder = out->empty() ? results_folder() / id : std::filesystem::path(*out);
    write_machine_record(folder.string(), id);
    nlohmann::ordered_json record;
    std::ifstream(folder / "machine.json") >> record;
    record["ceilings"] = {{"cpu", cpu_ceilings()}, {"gpu", gpu_ceilings()}};
    for (const char* device : {"cpu", "gpu"}) record["floor"][device] = floor_of(record["ceilings"][device]);
    write_whole(folder / "machine.json", record.dump(2) + "\n");
    for (const auto& [device, limits] : record["ceilings"].items())
      for (const auto& [name, value] : limits.items())
        fmt::print("{:<4} {:<22} {:>12.6g}\n", device, name, value.is_number() ? value.get<double>() : 0.0);
    code = 0;
  });
}

}  // namespace km
