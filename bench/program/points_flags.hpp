// The points of fit and advise: a file, standard input or a data set by name, with some of its columns.
#pragma once

#include <filesystem>
#include <string>

#include "bench/program/flags.hpp"

namespace km {

struct PointsFlags {
  std::string points, columns, skip_columns;

  Options options();
};

/// Returns the columns to keep, from 0, ascending. keep, skip: lists such as "1,3-5" (from 1) or "width,height"; empty keep: all, empty skip: none.
/// names: of the header, or empty. Throws UserError for an unknown column, or if none is left.
std::vector<int> chosen_columns(const std::string& keep, const std::string& skip, const std::vector<std::string>& names, int columns);

/// A folder in the temporary folder; removed with its owner. Empty until path() is asked for.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path();

 private:
  std::filesystem::path path_;
};

/// Names the points in `problem`, and the file's own precision unless one is asked for. What must be copied first (standard input, chosen columns)
/// lies in `scratch`. Throws UserError.
void name_points(const PointsFlags& flags, ProblemFlags& problem, ScratchFolder& scratch);

}  // namespace km
