#include "bench/program/flags.hpp"

#include <fmt/ranges.h>
#include <re2/re2.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <ranges>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/contract/plugin.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/csv.hpp"
#include "bench/data/limits.hpp"
#include "bench/device/device.hpp"
#include "bench/machine/environment.hpp"
#include "bench/run/points.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view sklearn_init = "k-means++";

std::vector<std::string_view> init_words() {
  std::vector<std::string_view> words(std::begin(init_methods), std::end(init_methods));
  words.push_back(sklearn_init);
  return words;
}

/// An init may hold ':' and ',' in its path.
std::vector<Scalar> values_of(const std::string& flag, const std::string& name, const std::string& text, bool lists) {
  if (name == "init") return {text};
  if (lists) return values_of_list(flag, text);
  if (text.find_first_of(",:") != text.npos) throw UserError("{} '{}': one value; a list is for kmbench run", flag, text);
  return {name == "dataset" ? Scalar(text) : parse_scalar(text)};
}

Option name_option(std::string& machine) { return {"--machine", &machine, "Name of this machine (default from GPU or CPU)"}; }

/// Returns the given name, which has to fit a folder, else this machine's own.
std::string id_of(const std::string& machine) {
  if (machine.empty()) return machine_id();
  if (!RE2::FullMatch(machine, "[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}"))
    throw UserError("--machine '{}': up to 100 letters, digits, '-', '_' and '.', and not '.' first", machine);
  return machine;
}

/// The ending of the file that begins with these bytes.
std::string ending_of(std::string_view begin) {
  if (begin.starts_with("\x93NUMPY")) return ".npy";
  if (begin.starts_with("PK")) return ".npz";
  return begin.starts_with("\3757zXZ") ? ".npy.xz" : ".csv";
}

fs::path copy_of_input(const fs::path& folder) {
  if (::isatty(STDIN_FILENO)) throw UserError("-: standard input is a terminal; pipe a file into it");
  std::string buffer(std::size_t{1} << 20, '\0');
  fs::path path;
  std::ofstream out;
  for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), stdin)) > 0;) {
    if (path.empty()) out.open(path = folder / ("stdin" + ending_of({buffer.data(), got})), std::ios::binary);
    if (!out.write(buffer.data(), std::streamsize(got))) throw UserError("cannot write {}", path.string());
  }
  if (std::ferror(stdin)) throw UserError("-: cannot read standard input: {}", std::generic_category().message(errno));
  if (path.empty()) throw UserError("-: standard input is empty");
  if (!out.flush()) throw UserError("cannot write {}", path.string());
  return path;
}

/// Marks the columns of one list.
std::vector<bool> listed(std::string_view flag, const std::string& list, const std::vector<std::string>& names, int columns) {
  std::vector<bool> marked(std::size_t(columns), list.empty());
  if (list.empty()) return marked;
  for (const auto part : list | std::views::split(',')) {
    const std::string item(part.begin(), part.end());
    int first = 0, last = 0;
    if (std::ranges::count(names, item) > 1) throw UserError("{} '{}': several columns have that name; give the number of one", flag, one_line(item));
    if (const auto named = std::ranges::find(names, item); !item.empty() && named != names.end()) first = last = int(named - names.begin()) + 1;
    else if (RE2::FullMatch(item, R"((\d+))", &first)) last = first;
    else if (RE2::FullMatch(item, R"((\d+)-(\d+))", &first, &last) && last > 0 && last < first)
      throw UserError("{} '{}' runs backwards; a range is {}-{}", flag, item, last, first);
    if (first < 1 || last < first || last > columns)
      throw UserError("{} '{}': no such column; there are 1 to {}{}", flag, one_line(item), columns,
                      names.empty() ? "" : one_line(fmt::format(": {}", fmt::join(names, ", ")).substr(0, 300)));
    if (std::find(marked.begin() + first - 1, marked.begin() + last, true) != marked.begin() + last)
      throw UserError("{} '{}': column {} is named twice", flag, list, first);
    std::fill(marked.begin() + first - 1, marked.begin() + last, true);
  }
  return marked;
}

/// Writes the chosen columns of a file as .npy.
template <class T>
fs::path columns_of_file(const fs::path& file, const PointsFlags& flags, const fs::path& folder) {
  const DatasetShape shape = file_shape(file);
  const bool text = is_text_table(file);
  const auto columns = chosen_columns(flags.columns, flags.skip_columns, text ? csv_names(file) : std::vector<std::string>{}, shape.d);
  const auto d = std::ssize(columns);
  const fs::path made = folder / (table_stem(file) + ".npy");
  auto values = text ? read_csv<T>(file, shape.n, columns) : read_file<T>(file, shape.n);
  for (std::int64_t i = 0; !text && i < shape.n; ++i)  // in place: a value moves towards the front
    for (std::int64_t j = 0; j < d; ++j) values[std::size_t(i * d + j)] = values[std::size_t(i * shape.d + columns[std::size_t(j)])];
  write_npy<T>(made, {values.get(), std::size_t(shape.n * d)}, shape.n, int(d));
  return made;
}

}  // namespace

void check_arguments(const std::vector<std::string>& arguments) {
  constexpr std::size_t most_bytes = 4096;
  for (const auto& argument : arguments) {
    if (argument.empty()) throw UserError("an argument is empty: leave out a flag that has no value");
    if (argument.size() > most_bytes) throw UserError("an argument of {} bytes; accepted: up to {}", argument.size(), most_bytes);
    if (!is_text(argument)) throw UserError("argument '{}': not UTF-8, or with control characters", argument);
    if (argument.starts_with("--") && argument.ends_with('=') && argument.find('=') + 1 == argument.size())
      throw UserError("{} has no value", argument.substr(0, argument.size() - 1));
  }
}

std::int64_t whole_number(std::string_view flag, const std::string& text, std::int64_t low, std::int64_t high) {
  const auto value = parse_scalar(text);
  const auto* whole = std::get_if<std::int64_t>(&value);
  if (!whole || *whole < low || *whole > high) throw UserError("{} must be a whole number from {} to {}, not '{}'", flag, low, high, text);
  return *whole;
}

double number(std::string_view flag, const std::string& text, double low, double high) {
  const auto value = number_of(parse_scalar(text));
  if (!value || *value < low || *value > high) throw UserError("{} must be a number from {} to {}, not '{}'", flag, low, high, text);
  return *value;
}

std::pair<std::string, std::string> assignment(std::string_view flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == text.npos || equals == 0 || equals + 1 == text.size()) throw UserError("{} '{}' is not name=value", flag, text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

void check_out_file(std::string_view flag, const fs::path& file) {
  const auto refuse = [&](std::string_view why) { return UserError("{} {}: {}", flag, file.string(), why); };
  std::error_code error;
  const bool there = fs::exists(file, error);
  if (error) throw refuse(error.message());
  if (there && !fs::is_regular_file(file, error) && !fs::is_character_file(file, error)) throw refuse("not a regular file");
  const auto folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error)) throw refuse(fmt::format("no folder {}", folder.string()));
  if (::access(there ? file.c_str() : folder.c_str(), W_OK) != 0) throw refuse("not to be written to");
}

Options ProblemFlags::options() {
  return join_options({{"--dataset", &dataset, "Points: a data set by name"},
                       {"--data", &data, "Points: a .npy, .npz, .npy.xz, .csv, .tsv or .txt file"}},
                      shape_options(Helps{.precision = "Of points and centroids (default fp32)",
                                          .iterations = "Iterations of a run; with --tolerance, at most (default 10; 1000 with --tolerance)",
                                          .tolerance = "Stop when at most this share of the points changed label (default: after --iterations)",
                                          .init = random_init}));
}

Options ProblemFlags::shape_options(std::string_view init_help) {
  return shape_options(Helps{.precision = "Of points and centroids (default: the file's own; fp32 for a generator)",
                             .iterations = "Iterations of a run, at most (default 1000)",
                             .tolerance = "Stop when at most this share of the points changed label (default 0)",
                             .init = init_help});
}

Options ProblemFlags::shape_options(const Helps& helps) {
  return {{"--n", &n,
           lists ? "Points to make, or the first of a file: 1000, 1e4,1e5 or 1e4:1e6:x10 (default: the data set's)"
                 : "Points to make, or the first of a file (default: the data set's)"},
          {"--d,--nd", &d, "Dimensions (default: the data set's)"},
          {"--k,--kc", &k, "Clusters", {}, !lists},
          {"--data-set", &settings, "Generator settings: sigma2=0.1 (repeatable)"},
          {"--precision", &precision, helps.precision, {"fp32", "fp64"}, false, lists},
          {"--iterations", &max_iters, helps.iterations},
          {"--tolerance", &tolerance, helps.tolerance},
          {"--init", &init, helps.init, init_words(), false, true},
          {"--seed", &seed, "Seed of the initial centroids (default 1)"}};
}

Sweep ProblemFlags::sweep() const {
  if (!dataset.empty() && !data.empty()) throw UserError("--dataset and --data exclude one another");
  if (dataset.empty() && data.empty()) throw UserError("name the points: --dataset NAME (see kmbench list datasets) or --data FILE.npy");
  if (k.empty()) throw UserError("name the number of clusters: --k");
  Sweep sweep;
  const auto add = [&](const std::string& flag, const std::string& name, const std::string& text) {
    if (!text.empty()) sweep.axes[name] = values_of(flag, name, text, lists);
  };
  add("--dataset", "dataset", dataset);
  if (!data.empty()) {
    std::error_code error;
    if (!fs::is_regular_file(data, error)) throw UserError("--data {}: no such file, or not a regular one", data);
    sweep.axes["dataset"] = {fs::absolute(data).string()};
  }
  add("--n", "n", n);
  add("--d", "d", d);
  add("--k", "k", k);
  add("--precision", "precision", precision);
  add("--iterations", "iterations", max_iters);
  add("--tolerance", "tolerance", tolerance);
  add("--init", "init", init == sklearn_init ? "greedy-kmeans++" : init);
  add("--seed", "init_seed", seed);
  add_settings(sweep, "--data-set", "data.", settings, lists);
  return sweep;
}

void add_settings(Sweep& sweep, const std::string& flag, const std::string& prefix, const std::vector<std::string>& settings, bool lists) {
  for (const auto& text : settings) {
    const auto [name, values] = assignment(flag, text);
    if (!sweep.axes.emplace(prefix + name, values_of(flag, prefix + name, values, lists)).second)
      throw UserError("{} {} is given twice{}", flag, name, lists ? fmt::format("; several values are {}=1,10", name) : "");
  }
}

void check_points(const Case& c) {
  if (c.precision == Precision::fp32) load_dataset<float>(c.dataset);
  else load_dataset<double>(c.dataset);
}

void check_start(const Case& c) {
  const auto check = [&]<class T>(T) { initial_centroids(load_points<T>(c.dataset)->set, c.k, c.init, c.init_seed); };
  try {
    if (c.precision == Precision::fp32) check(float());
    else check(double());
  } catch (const CannotRun& error) {
    throw UserError(error.what());
  }
}

void check_external(bool used) {
  if (!used && !external_program().empty()) throw UserError("--external has no meaning here: its program runs as --implementation library/external");
}

double seconds_of_budget(const std::string& text) {
  const double unit = text.ends_with('m') ? 60 : text.ends_with('h') ? 3600 : 1;
  const bool named = !text.empty() && std::string_view("smh").find(text.back()) != std::string_view::npos;
  try {
    return unit * number("--budget", text.substr(0, text.size() - named), 0.1, 1e6);
  } catch (const UserError&) {
    throw UserError("--budget '{}': seconds, minutes or hours are accepted, as in 60s, 2m or 1h", text);
  }
}

std::vector<Scalar> values_of_list(const std::string& flag, const std::string& text) {
  std::vector<Scalar> values;
  for (const auto part : text | std::views::split(',')) {
    if (part.empty()) throw UserError("{} '{}' holds an empty value", flag, text);
    for (auto& value : parse_range({part.begin(), part.end()})) values.push_back(std::move(value));
    if (values.size() > most_cases) throw UserError("{} '{}' holds more than {} values", flag, text, most_cases);
  }
  return values;
}

Options MachineFlags::options() {
  return {name_option(machine),
          {"--device", &device, "GPU to use (default 0)"},
          {"--memory", &memory, "GiB that a worker may take (default: what is available)"}};
}

void MachineFlags::select_device() const {
  if (device.empty()) return;
  const int index = int(whole_number("--device", device, 0, 1023));
  if (!device::available()) throw UserError("--device {}: {}", index, device::unavailable());
  if (index >= device::count()) throw UserError("--device {}: the GPUs are 0 to {}", index, device::count() - 1);
  device::select(index);
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
fs::path RecordFlags::folder() const { return out.empty() ? own_results_folder() / id() : fs::path(out); }

Options TunedFlags::options() {
  return {{"--tuned", &tuned, "Parameters that are not given get the values that kmbench tune found, where it found some"},
          {"--tuning", &tuning, "Folder of the tuned values (default ~/.local/share/kmbench/tuning, else the recorded ones)"}};
}

std::optional<TunedValues> TunedFlags::values(const std::string& machine) const {
  if (!tuning.empty() && !tuned) throw UserError("--tuning DIR says where --tuned looks; give --tuned as well");
  if (!tuned) return std::nullopt;
  std::error_code error;
  if (!tuning.empty() && !fs::is_directory(tuning, error)) throw UserError("--tuning {}: no such folder", tuning);
  if (!tuning.empty()) return TunedValues(tuning, machine);
  try {
    if (const auto own = own_tuning_folder(); fs::exists(own / (machine + ".json"), error)) return TunedValues(own, machine);
  } catch (const UserError&) {  // no user folder
  }
  return TunedValues(home() / "tuning", machine);
}

std::vector<int> chosen_columns(const std::string& keep, const std::string& skip, const std::vector<std::string>& names, int columns) {
  const auto kept = listed("--columns", keep, names, columns);
  const auto skipped = skip.empty() ? std::vector<bool>(std::size_t(columns)) : listed("--skip-columns", skip, names, columns);
  std::vector<int> chosen;
  for (int j = 0; j < columns; ++j)
    if (kept[std::size_t(j)] && !skipped[std::size_t(j)]) chosen.push_back(j);
  if (chosen.empty()) throw UserError("--skip-columns leaves no column");
  return chosen;
}

Options PointsFlags::options() {
  return {{"points", &points, "A .npy, .npz, .npy.xz, .csv, .tsv or .txt file of points, - for standard input, or a data set by name", {}, true},
          {"--columns", &columns, "Only these columns of a file: numbers from 1, ranges, names of a text file's header (1,3-5 or width,height)"},
          {"--skip-columns", &skip_columns, "All columns but these, such as a class"}};
}

ScratchFolder::ScratchFolder(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (!fs::create_directory(path_, error)) throw UserError("cannot write {}: {}", path_.string(), error.message());
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

const fs::path& ScratchFolder::path() {
  if (!path_.empty()) return path_;
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / "kmbench-XXXXXX").string();
  if (error || !::mkdtemp(name.data())) throw UserError("no folder for temporary files: set TMPDIR");
  return path_ = name;
}

void name_points(const PointsFlags& flags, ProblemFlags& problem, ScratchFolder& scratch) {
  const bool some = !flags.columns.empty() || !flags.skip_columns.empty();
  fs::path file = flags.points == "-" ? copy_of_input(scratch.path()) : fs::path(flags.points);
  std::error_code error;
  const bool by_name = !fs::exists(file, error);
  if (by_name && some) throw UserError("--columns choose from a file; {} is none", flags.points);
  try {
    const Entry entry = find_entry(by_name ? flags.points : fs::absolute(file).string());
    if (problem.precision.empty() && !entry.generator) problem.precision = own_value_bytes(entry.file) == 4 ? "fp32" : "fp64";
  } catch (const Missing&) {  // the plan says so
  }
  if (some)
    file = problem.precision == "fp32" ? columns_of_file<float>(file, flags, scratch.path()) : columns_of_file<double>(file, flags, scratch.path());
  (by_name ? problem.dataset : problem.data) = file.string();
}

}  // namespace km
