// The machine record: the facts about machine and build that make a time credible, and what distinguishes machines of one name.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace km {

/// All that `kmbench env` shows: cpu, caches, numa, memory, gpu, build, libraries, openmp, state, warnings.
nlohmann::ordered_json environment();

/// Returns a sentence if other processes use this machine's processors, else "".
std::string load_warning();
/// The same for a machine with `threads` threads. Calls loadavg() for the text of /proc/loadavg.
std::string load_warning(int threads, const std::function<std::string()>& loadavg);

/// Short name of this machine, for results/<machine>: the GPU's, else the CPU's with its threads, and four digits of the fingerprint. No host name.
std::string machine_id();

/// Reads a machine.json; {} if there is none. Throws UserError if it holds no JSON object.
nlohmann::ordered_json read_machine_record(const std::filesystem::path& file);

/// Writes environment() to <folder>/machine.json and keeps its ceilings and price. Throws UserError, without writing, if the old file cannot be
/// read. Throws UserError too if the folder belongs to another machine, or has lines and no fingerprint, unless same_machine.
void write_machine_record(const std::filesystem::path& folder, const std::string& id, bool same_machine);

/// Formats the record for people.
std::string environment_text(const nlohmann::ordered_json& record);

/// Returns {model, caches, memory, gpu, host, boot} of this machine. `host`: a hash of machine id and host name; `boot`: of the kernel's boot id.
nlohmann::ordered_json fingerprint();

/// Four hex digits of the constant parts of a fingerprint: all but memory and boot.
std::string short_fingerprint(const nlohmann::ordered_json& fingerprint);

/// Returns the parts in which two fingerprints differ; memory by more than 5 %. Memory may grow since one boot, as virtual machines do.
std::vector<std::string> differences(const nlohmann::ordered_json& recorded, const nlohmann::ordered_json& now);

}  // namespace km
