// Any program named by KMBENCH_EXTERNAL (words separated by spaces) that speaks the protocol of docs/adding.md, "A program of its own". Judged by
// the wider bound of both distance forms, in the points' precision; the grade shows its quality.
#include <cstdlib>
#include <sstream>

#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

std::vector<std::string> words() {
  const char* const command = std::getenv("KMBENCH_EXTERNAL");
  std::istringstream text(command ? command : "");
  std::vector<std::string> all;
  for (std::string word; text >> word;) all.push_back(word);
  return all;
}

template <class T>
class External : public OutOfProcess<T> {
 public:
  External(const Problem<T>& problem, const Config& config, Trace& trace) : OutOfProcess<T>(problem, config, trace, Command{words()}) {}
};

const Register<External> registration{{
    .summary = "the program that KMBENCH_EXTERNAL names, which speaks the protocol",
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string { return words().empty() ? "KMBENCH_EXTERNAL names no program" : ""; },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km
