// Flags that several commands share, and the checks of their texts and numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/plan/sweep.hpp"
#include "bench/program/command.hpp"
#include "bench/run/run.hpp"
#include "bench/tune/store.hpp"

namespace km {

/// Throws UserError for an argument that is empty, not text, or implausibly long.
void check_arguments(const std::vector<std::string>& arguments);

/// Parses an integer from low to high. Throws UserError naming the flag.
std::int64_t whole_number(std::string_view flag, const std::string& text, std::int64_t low, std::int64_t high);

/// The same for any number; NaN is out of range.
double number(std::string_view flag, const std::string& text, double low, double high);

/// Splits "name=value". Throws UserError if either part is missing.
std::pair<std::string, std::string> assignment(std::string_view flag, const std::string& text);

/// Throws UserError if this file could not be written in the end: a folder has its name, or its folder does not exist.
void check_out_file(std::string_view flag, const std::filesystem::path& file);

constexpr std::string_view random_init = "Initial centroids, by method or a .npy of k x d; k-means++ is greedy-kmeans++ (default random)";

/// Flags of one problem, or of a sweep over problems: points, shape, start and stop.
struct ProblemFlags {
  bool lists = false;  // a flag may hold several values
  std::string dataset, data, n, d, k, precision, max_iters, tolerance, init, seed;
  std::vector<std::string> settings;  // of the generator

  /// Of commands that measure.
  Options options();
  /// All flags but those of the points, of commands that run to convergence and need k. init: help of --init, with its default.
  Options shape_options(std::string_view init);
  /// Returns a sweep without the implementation. Throws UserError for values that are missing or duplicate, or lists where one value is needed.
  Sweep sweep() const;

 private:
  struct Helps {
    std::string_view precision, iterations, tolerance, init;
  };
  Options shape_options(const Helps& helps);
};

/// Adds "packages=1,10" as <prefix>packages. Throws UserError for a name that is given twice.
void add_settings(Sweep& sweep, const std::string& flag, const std::string& prefix, const std::vector<std::string>& settings, bool lists);

/// Loads the points of a case, to report faults of a file before anything runs. Throws as load_dataset does.
void check_points(const Case& c);

/// Also makes the start. Throws UserError for points that no implementation can cluster.
void check_start(const Case& c);

/// Throws UserError if --external names a program that no implementation runs.
void check_external(bool used);

/// Parses "60s", "2m", "1h" or "60" (seconds). Throws UserError.
double seconds_of_budget(const std::string& text);

/// Parses "1,2,4" or "1:64:x2". Throws UserError for an empty value.
std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text);

/// Flags of the machine: name, GPU, limits of a worker. Each getter throws UserError for a value out of range.
struct MachineFlags {
  std::string machine, device, memory, timeout;

  /// --machine, --device and --memory. Commands describe --timeout themselves.
  Options options();

  /// Selects the named GPU, if any. Throws UserError if it does not exist.
  void select_device() const;
  std::string id() const;  // the given name, else this machine's own
  /// Returns the options that these flags and the command line determine.
  RunOptions run_options(const Invocation& by) const;
};

/// --same-machine, for commands that append to a results folder.
Option same_machine_option(bool& same);

/// --machine and --out, for commands that write machine.json.
struct RecordFlags {
  std::string machine, out;

  Options options();
  std::string id() const;
  std::filesystem::path folder() const;
};

/// --tuned and --tuning.
struct TunedFlags {
  bool tuned = false;
  std::string tuning;

  Options options();
  /// Returns the machine's tuned values, if requested. Throws UserError for a folder without --tuned.
  std::optional<TunedValues> values(const std::string& machine) const;
};

/// The points of fit and advise: a file, standard input or a data set by name, with some of its columns.
struct PointsFlags {
  std::string points, columns, skip_columns;

  Options options();
};

/// Returns the columns to keep, from 0, ascending. keep, skip: lists such as "1,3-5" (from 1) or "width,height"; empty keep: all, empty skip: none.
/// names: of the header, or empty. Throws UserError for an unknown column, or if none is left.
std::vector<int> chosen_columns(const std::string& keep, const std::string& skip, const std::vector<std::string>& names, int columns);

/// A folder that is removed with its owner: this new one, else one in the temporary folder, made when path() is asked for. Throws UserError.
class ScratchFolder {
 public:
  ScratchFolder() = default;
  explicit ScratchFolder(std::filesystem::path path);
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&&) = delete;
  const std::filesystem::path& path();

 private:
  std::filesystem::path path_;
};

/// Names the points in `problem`, and the file's own precision unless one is asked for. What must be copied first (standard input, chosen columns)
/// lies in `scratch`. Throws UserError.
void name_points(const PointsFlags& flags, ProblemFlags& problem, ScratchFolder& scratch);

}  // namespace km
