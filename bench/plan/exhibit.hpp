// Exhibit files, papers/<key>/<exhibit>.toml: the sweeps to measure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/plan/sweep.hpp"

namespace km {

struct Exhibit {
  std::string key;  // he2021/table3
  std::string kind, number, title;
  std::vector<Sweep> sweeps;  // after the profile's replacements; empty if it reuses another exhibit's lines
  std::vector<std::string> reuse;
};

/// Reads papers/<key>/<exhibit>.toml. Throws UserError with file, line and accepted values.
Exhibit read_exhibit(const std::filesystem::path& file, const std::string& profile);
/// Returns the file of an exhibit's key, such as he2021/table3. Other texts are paths, below papers/ also those of home().
std::filesystem::path exhibit_file(const std::string& key_or_path);
/// Returns the exhibits that this one reuses. Throws UserError if one is missing or has no sweeps.
std::vector<Exhibit> reused(const Exhibit& exhibit, const std::string& profile);
/// Returns every exhibit file below home()/papers, or those of one paper.
std::vector<std::filesystem::path> exhibit_files(const std::string& paper = "");

}  // namespace km
