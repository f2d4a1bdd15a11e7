#include <omp.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bench/contract/implementation.hpp"

namespace km {
namespace {

std::vector<Implementation>& registry(Task task) {
  static std::array<std::vector<Implementation>, 2> all;  // a function's static: registrations run before main, in any order
  return all[std::size_t(task)];
}

template <class V>
const V& declared(const std::map<std::string, Value, std::less<>>& values, std::string_view name, const char* kind) {
  const auto at = values.find(name);
  if (at == values.end()) throw std::logic_error("no parameter '" + std::string(name) + "' was declared");
  if (const V* value = std::get_if<V>(&at->second)) return *value;
  throw std::logic_error("parameter '" + std::string(name) + "' is not a " + kind);
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Parameter threads_parameter() {
  const auto within_hardware = [](std::int64_t threads, const ProblemShape&, int) -> std::int64_t {
    const std::int64_t all = omp_get_num_procs();
    return threads == 0 ? all : std::min(threads, all);
  };
  return {.name = "threads",
          .fallback = 0,
          .range = {0, 1, 3, 16, 256},
          .tunable = true,
          .help = "0: all hardware threads",
          .effective = within_hardware};
}

std::int64_t Config::number(std::string_view name) const { return declared<std::int64_t>(values_, name, "number"); }
const std::string& Config::word(std::string_view name) const { return declared<std::string>(values_, name, "word"); }

Work lloyd_work(const ProblemShape& shape, const Config&, int value_bytes) {
  const double n = static_cast<double>(shape.n), d = shape.d, k = shape.k;
  return {.bytes = n * d * value_bytes + n * 4, .flops = n * k * d * 3 + n * d};
}

const std::vector<Implementation>& implementations(Task task) {
  auto& all = registry(task);
  std::ranges::sort(all, {}, &Implementation::name);
  return all;
}

const Implementation* find_implementation(std::string_view name) {
  for (const Task task : {Task::kmeans, Task::spectral})
    for (const auto& implementation : implementations(task))
      if (implementation.name == name) return &implementation;
  return nullptr;
}

void register_implementation(Implementation implementation) {
  auto& all = registry(implementation.description.task);
  for (const auto& other : all)
    if (other.name == implementation.name) throw std::logic_error("two files claim the name " + other.name);
  all.push_back(std::move(implementation));
}

std::string name_from_path(std::string_view path) {
  for (const std::string_view folder : {"impl/", "tests/"}) {
    const auto at = path.rfind(folder);
    if (at == path.npos) continue;
    path.remove_prefix(at + folder.size());
    return std::string(path.substr(0, path.rfind('.')));
  }
  throw std::logic_error("an implementation outside impl/: " + std::string(path));
}

}  // namespace km
