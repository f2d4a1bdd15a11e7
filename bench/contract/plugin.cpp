#include "bench/contract/plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "bench/base/ask.hpp"
#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/contract/implementation.hpp"
#include "include/kmbench/plugin.h"

namespace km {
namespace {

std::vector<std::string> external_words;

/// Without points and centroids.
kmbench_problem plain(const ProblemShape& p, int value_bytes) {
  return {.n = p.n, .d = p.d, .k = p.k, .max_iters = p.max_iters, .value_bytes = value_bytes, .tolerance = p.tolerance};
}

[[noreturn]] void fail(const kmbench_implementation& theirs, const char* verb) {
  const char* const why = theirs.error ? theirs.error() : nullptr;
  throw std::runtime_error(fmt::format("{} of plugin/{} failed{}{}", verb, theirs.name, why ? ": " : "", why ? why : ""));
}

template <class T>
class Plugged final : public AnySolver<T> {
 public:
  Plugged(const kmbench_implementation& theirs, const Problem<T>& problem) : theirs_(theirs), shape_(problem) {
    kmbench_problem given = plain(problem, sizeof(T));
    given.points = problem.points.data();
    given.initial_centroids = problem.initial_centroids.data();
    state_ = theirs_.prepare(&given);
    if (!state_) fail(theirs_, "prepare");
  }
  ~Plugged() override { theirs_.forget(state_); }
  Plugged(Plugged&&) = delete;

  void reset() override { iters_ = 0; }
  int iterate(Trace&) override {
    iters_ = theirs_.iterate(state_);
    if (iters_ < 0) fail(theirs_, "iterate");
    return iters_;
  }
  Solution<T> download() override {
    auto out = Solution<T>::poisoned(shape_);
    const kmbench_solution to{.labels = out.labels.data(), .assigned_centroids = out.assigned_centroids.data(), .centroids = out.centroids.data()};
    if (theirs_.download(state_, &to) != 0) fail(theirs_, "download");
    out.iters = iters_;
    return out;
  }

 private:
  const kmbench_implementation& theirs_;
  ProblemShape shape_;
  void* state_ = nullptr;
  int iters_ = 0;
};

/// Returns what is wrong with an entry, or "".
std::string complaint(const kmbench_implementation& theirs) {
  if (theirs.abi != KMBENCH_PLUGIN_ABI) return fmt::format("its ABI is {}; this kmbench has {}", theirs.abi, KMBENCH_PLUGIN_ABI);
  const std::string_view name = theirs.name ? theirs.name : "";
  const auto fits = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '/'; };
  if (name.empty() || name.size() > 100 || !std::ranges::all_of(name, fits)) return "a name is not 1 to 100 letters, digits, '_', '-' and '/'";
  if (theirs.value_bytes != 4 && theirs.value_bytes != 8 && theirs.value_bytes != 12)
    return fmt::format("value_bytes of {} is {}: 4, 8, or 12 for both", name, theirs.value_bytes);
  if (!theirs.prepare || !theirs.iterate || !theirs.download || !theirs.forget) return fmt::format("{} lacks a function", name);
  if (find_implementation(fmt::format("plugin/{}", name))) return fmt::format("there is a plugin/{} already", name);
  return "";
}

void add(const kmbench_implementation& theirs) {
  Implementation made{.name = fmt::format("plugin/{}", theirs.name), .description = {.summary = theirs.summary ? theirs.summary : "from a plugin"}};
  if (theirs.expansion) made.description.distance = Distance::expansion;
  made.description.unsupported = [&theirs](const ProblemShape& p, const Config&, int value_bytes) -> std::string {
    const kmbench_problem asked = plain(p, value_bytes);
    const char* const why = theirs.unsupported ? theirs.unsupported(&asked) : nullptr;
    return why ? why : "";
  };
  if (theirs.value_bytes & 4)
    made.fp32 = [&theirs](const Problem<float>& p, const Config&, Trace&) { return std::make_unique<Plugged<float>>(theirs, p); };
  if (theirs.value_bytes & 8)
    made.fp64 = [&theirs](const Problem<double>& p, const Config&, Trace&) { return std::make_unique<Plugged<double>>(theirs, p); };
  register_implementation(std::move(made));
}

void load(const std::string& path) {
  if (!std::filesystem::exists(path)) throw UserError(fmt::format("--plugin: there is no file {}", path));
  void* const library = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);  // loaded until the program ends
  if (!library) throw UserError(fmt::format("--plugin: {}", dlerror()));
  const auto entry = reinterpret_cast<const kmbench_implementation* (*)(std::int32_t)>(dlsym(library, "kmbench_plugin"));
  if (!entry) throw UserError(fmt::format("--plugin: {} exports no kmbench_plugin (include/kmbench/plugin.h)", path));
  std::int32_t index = 0;
  while (const auto* const theirs = entry(index)) {
    if (const auto what = complaint(*theirs); !what.empty()) throw UserError(fmt::format("--plugin: {}: {}", path, what));
    add(*theirs);
    ++index;
  }
  if (index == 0) throw UserError(fmt::format("--plugin: {} offers no implementation", path));
}

/// True if execvp() finds a program of this name.
bool is_program(const std::string& name) {
  namespace fs = std::filesystem;
  const auto runs = [](const fs::path& file) {
    std::error_code error;
    return fs::is_regular_file(file, error) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != name.npos) return runs(name);
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (runs(fs::path(folder.empty() ? "." : folder) / name)) return true;
  return false;
}

}  // namespace

void load_plugin(const std::string& path) {
  try {
    answer_of_child([&] {  // it may die of being loaded
      try {
        load(path);
      } catch (const UserError&) {}
      return std::string();
    });
  } catch (const std::runtime_error& error) {
    throw UserError(fmt::format("--plugin: {}: asked what it offers, {}", path, error.what()));
  }
  load(path);
}

void name_external_program(const std::string& command) {
  external_words = words_of(command);
  if (external_words.empty()) return;
  if (external_words[0] == "python3") external_words[0] = python();
  if (!is_program(external_words[0])) throw UserError("--external: no such program: {}", external_words[0]);
}

const std::vector<std::string>& external_program() { return external_words; }

}  // namespace km
