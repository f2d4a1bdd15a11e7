// The machine record: what a reader has to know of the machine and the build to believe a time.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace km {

/// Everything `kmbench env` shows: cpu, caches, numa, memory, gpu, build, libraries, openmp, state, warnings.
nlohmann::ordered_json environment();

/// A sentence where others are computing on this machine; else empty.
std::string load_warning();
/// The same of a machine with so many threads, whose /proc/loadavg is asked for at every look.
std::string load_warning(int threads, const std::function<std::string()>& loadavg);

/// A short name for this machine, for results/<machine>: the GPU's, else the CPU's and its number of threads, and four hex digits of the
/// fingerprint. No host name.
std::string machine_id();

/// Replace a file by `text`, or leave it as it was and throw UserError: never half a file, not on a full disk either.
void write_whole(const std::filesystem::path& path, const std::string& text);

/// What a machine.json holds; {} where there is no such file. Throws UserError for one that holds no JSON object.
nlohmann::ordered_json read_machine_record(const std::filesystem::path& file);

/// Write environment() to <folder>/machine.json. What is there of ceilings and of a price stays: where it cannot be read, all of it, and UserError
/// is thrown. Throws UserError too for a folder with the fingerprint of another machine, or with lines and none, unless told that it is the same.
void write_machine_record(const std::filesystem::path& folder, const std::string& id, bool same_machine);

/// The record as text for people.
std::string environment_text(const nlohmann::ordered_json& record);

}  // namespace km
