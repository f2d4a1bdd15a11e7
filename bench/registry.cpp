#include <algorithm>
#include <stdexcept>

#include "bench/implementation.hpp"

namespace km {
namespace {

std::vector<Implementation>& registry() {
  static std::vector<Implementation> all;  // inside a function: registrations run before main, in any order
  return all;
}

}  // namespace

std::string to_string(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

Work lloyd_work(const ProblemShape& shape, const Config&, int value_bytes) {
  const double n = static_cast<double>(shape.n), d = shape.d, k = shape.k;
  return {.bytes = n * d * value_bytes + n * 4, .flops = n * k * d * 3 + n * d};
}

const std::vector<Implementation>& implementations() {
  auto& all = registry();
  std::ranges::sort(all, {}, &Implementation::name);
  return all;
}

void register_implementation(Implementation implementation) {
  for (const auto& other : registry())
    if (other.name == implementation.name) throw std::logic_error("two files claim the name " + other.name);
  registry().push_back(std::move(implementation));
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
