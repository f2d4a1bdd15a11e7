// The program that --external names (words separated by spaces). It speaks the protocol of docs/adding.md, "A program of its own". The judge uses
// the wider bound of both distance forms, in the points' precision.
#include "bench/contract/plugin.hpp"
#include "impl/library/out_of_process.hpp"

namespace km {
namespace {

Command command(const Config&, bool) { return Command{external_program()}; }

const Register<Program<command>::Solver> registration{{
    .summary = "the program that --external names, which speaks the protocol",
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string {
      return external_program().empty() ? "--external names no program" : "";
    },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km
