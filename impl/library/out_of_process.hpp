// The four verbs of the contract, sent to an external program (docs/adding.md, "A program of its own"). The harness times the question "iterate".
// Of several ranks, each has a program; `ranks` of prepare tells it the others and rank 0's `address` of hello.
// Phases: empty_call, in prepare, is the cost of a question; inside is the program's own clock; set_up is its part beside the iterations.
#pragma once

#include <memory>

#include "bench/contract/implementation.hpp"
#include "impl/library/python.hpp"
#include "impl/library/shared_array.hpp"

namespace km {

class Worker;

/// Compiled once for float and double (out_of_process.cpp).
template <class T>
class OutOfProcess {
 public:
  /// precision: the arithmetic that the program must declare, because the judge relies on it: "input" (the points' own) or "tf32".
  OutOfProcess(const Problem<T>& problem, const Config& config, Trace& trace, const Command& command, std::string_view precision = "input");
  ~OutOfProcess();
  OutOfProcess(const OutOfProcess&) = delete;
  OutOfProcess& operator=(const OutOfProcess&) = delete;

  void reset();
  int iterate(Trace& trace);
  Solution<T> download();

 protected:
  const Problem<T> p_;

 private:
  std::string said(const char* key) const;
  double empty_call_s();

  SharedArray<T> points_, initial_, assigned_, centroids_;
  SharedArray<std::int32_t> labels_;
  std::unique_ptr<Worker> worker_;
  int iters_ = 0;
};

/// The parameter `processes` of a library over MPI.
Parameter processes_parameter();
/// Why so many processes are too many here, or "".
std::string crowded(std::int64_t processes);
/// Why no such ranks can share the points, or "".
std::string unranked(const ProblemShape& p, const Config& config);

/// The solver of the program that `command` starts; it is told whether other ranks take part. tf32: it declares that arithmetic.
template <Command (*command)(const Config&, bool ranks), bool tf32 = false>
struct Program {
  template <class T>
  struct Solver : OutOfProcess<T> {
    Solver(const Problem<T>& problem, const Config& config, Trace& trace)
        : OutOfProcess<T>(problem, config, trace, command(config, problem.group != nullptr), tf32 ? "tf32" : "input") {}
  };
};

extern template class OutOfProcess<float>;
extern template class OutOfProcess<double>;

}  // namespace km
