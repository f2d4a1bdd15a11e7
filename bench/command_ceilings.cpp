// kmbench ceilings: measure this machine's limits and keep them in the machine record.
#include <fmt/format.h>

#include <fstream>

#include "bench/ceilings.hpp"
#include "bench/commands.hpp"
#include "bench/environment.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"

namespace km {

void add_ceilings(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("ceilings", "Measure this machine's own limits and write them into machine.json");
  auto out = std::make_shared<std::string>();
  auto machine = std::make_shared<std::string>();
  command->add_option("--out", *out, "Folder of machine.json (default results/<machine>)");
  command->add_option("--machine", *machine, "Name of this machine (default from GPU or CPU)");
  command->callback([=, &code] {
    const std::string id = machine->empty() ? machine_id() : *machine;
    const std::filesystem::path folder = out->empty() ? home() / "results" / id : std::filesystem::path(*out);
    write_machine_record(folder.string(), id);
    nlohmann::ordered_json record;
    std::ifstream(folder / "machine.json") >> record;
    record["ceilings"] = {{"cpu", cpu_ceilings()}, {"gpu", gpu_ceilings()}};
    if (!(std::ofstream(folder / "machine.json") << record.dump(2) << "\n")) throw UserError(fmt::format("cannot write {}", (folder / "machine.json").string()));
    for (const auto& [device, limits] : record["ceilings"].items())
      for (const auto& [name, value] : limits.items()) fmt::print("{:<4} {:<22} {:>12.6g}\n", device, name, value.is_number() ? value.get<double>() : 0.0);
    code = 0;
  });
}

}  // namespace km
