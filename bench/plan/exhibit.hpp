// Exhibit files, papers/<key>/<exhibit>.toml, as far as measuring goes: their sweeps.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/plan/sweep.hpp"

namespace km {

struct Exhibit {
  std::string key;  // he2021/table3
  std::string kind, number, title;
  std::vector<Sweep> sweeps;  // after the profile's replacements; none where it reuses another exhibit's lines
  std::vector<std::string> reuse;
};

/// Read papers/<key>/<exhibit>.toml. Throws UserError naming file, line and what is accepted.
Exhibit read_exhibit(const std::filesystem::path& file, const std::string& profile);
/// The file of an exhibit given by its key, he2021/table3; what is no such key is taken for a path.
std::filesystem::path exhibit_file(const std::string& key_or_path);
/// The exhibits that this one reuses. Throws UserError for one that is not there or has nothing to measure.
std::vector<Exhibit> reused(const Exhibit& exhibit, const std::string& profile);
/// Every exhibit file below home()/papers, of one paper where given.
std::vector<std::filesystem::path> exhibit_files(const std::string& paper = "");

}  // namespace km
