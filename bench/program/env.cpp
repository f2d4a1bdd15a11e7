// kmbench env: shows this machine and build, and records the machine's price, which cannot be measured.

#include <nlohmann/json.hpp>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/machine/environment.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/result.hpp"

namespace km::env_command {

struct Flags {
  RecordFlags record;
  std::vector<std::string> prices;
  bool json = false, home = false;
} flags;

void write_prices(const RecordFlags& flags, const std::vector<std::string>& prices) {
  const auto file = flags.folder() / "machine.json";
  if (read_machine_record(file).empty()) throw UserError("no {}: kmbench run and kmbench ceilings record a machine", file.string());
  const Descriptor lock = lock_folder(flags.folder(), "kmbench");
  auto record = read_machine_record(file);
  if (!record["price"].is_object()) record["price"] = nlohmann::ordered_json::object();
  for (const auto& text : prices) {
    const auto [device, dollars] = assignment("--price", text);
    if (device != "cpu" && device != "gpu") throw UserError("--price '{}': of cpu or gpu, as in gpu=2.50", text);
    record["price"][device] = number("--price " + device, dollars, 1e-6, 1e6);
  }
  write_whole(file, record.dump(2) + "\n");
  for (const auto& [device, dollars] : record["price"].items()) fmt::print("{}: price.{} {} USD/h\n", file.string(), device, dollars.dump());
}

int env(const Flags& f) {
  if (!f.prices.empty()) {
    write_prices(f.record, f.prices);
    return 0;
  }
  if (!f.record.machine.empty() || !f.record.out.empty())
    throw UserError("--machine and --out say whose price is written down; give --price as well");
  if (f.home) {
    fmt::print("{}\n", home().string());
    return 0;
  }
  const auto record = environment();
  fmt::print("{}", f.json ? record.dump(2) + "\n" : environment_text(record));
  return 0;
}

const RegisterCommand registration{
    2,
    {.name = "env",
     .summary = "The machine and the build, with warnings",
     .options = join_options(
         {{"--json", &flags.json, "As JSON"},
          {"--home", &flags.home, "Instead: the folder with kmbench's papers, data sets, recorded results, examples and plugin header"},
          {"--price", &flags.prices, "Instead: write into machine.json what its device costs, in dollars an hour: gpu=2.50 (repeatable)"}},
         flags.record.options()),
     .run = [](const Invocation&) { return env(flags); },
     .examples = {"kmbench env", "kmbench env --price gpu=2.50"}}};

}  // namespace km::env_command
