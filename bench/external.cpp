#include "bench/external.hpp"

#include <sstream>

namespace km {
namespace {

std::vector<std::string>& words() {
  static std::vector<std::string> all;
  return all;
}

}  // namespace

void name_external_program(const std::string& command) {
  words().clear();
  std::istringstream text(command);
  for (std::string word; text >> word;) words().push_back(word);
}

const std::vector<std::string>& external_program() { return words(); }

}  // namespace km
