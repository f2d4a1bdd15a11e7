// The program that --external names (words separated by spaces), if it speaks the protocol of docs/adding.md, "A program of its own". Judged by
// the wider bound of both distance forms, in the points' precision; the grade shows its quality.
#include "bench/contract/plugin.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

template <class T>
class External : public OutOfProcess<T> {
 public:
  External(const Problem<T>& problem, const Config& config, Trace& trace) : OutOfProcess<T>(problem, config, trace, Command{external_program()}) {}
};

std::string unnamed(const ProblemShape&, const Config&, int) { return external_program().empty() ? "--external names no program" : ""; }

const Register<External> registration{{
    .summary = "the program that --external names, which speaks the protocol",
    .unsupported = unnamed,
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km
