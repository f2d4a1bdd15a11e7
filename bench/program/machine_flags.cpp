#include "bench/program/machine_flags.hpp"

#include <fmt/format.h>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/environment.hpp"
#include "bench/program/arguments.hpp"

namespace km {
namespace {

Option name_option(std::string& machine) { return {"--machine", &machine, "Name of this machine (default from GPU or CPU)"}; }

std::string id_of(const std::string& machine) {
  if (machine.empty()) return machine_id();
  check_name("--machine", machine);
  return machine;
}

}  // namespace

Options MachineFlags::options() {
  return {name_option(machine),
          {"--device", &device, "GPU to use (default 0)"},
          {"--memory", &memory, "GiB that a worker may take (default: what is available)"}};
}

void MachineFlags::select_device() const {
  if (device.empty()) return;
  try {
    device::select(int(whole_number("--device", device, 0, 1023)));
  } catch (const device::Error& error) {
    throw UserError(fmt::format("--device {}: {}", device, error.what()));
  }
}

std::string MachineFlags::id() const { return id_of(machine); }

RunOptions MachineFlags::run_options(const Invocation& by) const {
  RunOptions options{.timeout_s = timeout.empty() ? 0 : number("--timeout", timeout, 0.1, 1e7),
                     .memory_bytes = memory.empty() ? 0 : number("--memory", memory, 0.01, 1e6) * (1 << 30),
                     .argv = by.argv};
  options.machine = id();
  return options;
}

Option same_machine_option(bool& same) { return {"--same-machine", &same, "Write to a folder that another machine wrote to: both count as one"}; }

Options RecordFlags::options() {
  return {name_option(machine), {"--out", &out, "Folder of machine.json (default ~/.local/share/kmbench/results/<machine>)"}};
}

std::string RecordFlags::id() const { return id_of(machine); }
std::filesystem::path RecordFlags::folder() const { return out.empty() ? own_results_folder() / id() : std::filesystem::path(out); }

Options TunedFlags::options() {
  return {{"--tuned", &tuned, "Parameters that are not given get the values that kmbench tune found, where it found some"},
          {"--tuning", &tuning, "Folder of the tuned values (default ~/.local/share/kmbench/tuning, else the recorded ones)"}};
}

std::optional<TunedValues> TunedFlags::values(const std::string& machine) const {
  if (!tuning.empty() && !tuned) throw UserError("--tuning DIR says where --tuned looks; give --tuned as well");
  if (!tuned) return std::nullopt;
  if (!tuning.empty()) return TunedValues(tuning, machine);
  try {
    if (const auto own = own_tuning_folder(); std::filesystem::exists(own / (machine + ".json"))) return TunedValues(own, machine);
  } catch (const UserError&) {  // no user folder
  }
  return TunedValues(tuning_folder(), machine);
}

}  // namespace km
