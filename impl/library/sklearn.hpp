// What scikit-learn's KMeans and its stand-in from oneDAL share: fit() in a Python process that holds the points in shared memory.
// It ends with an assign where the task ends with an update: t iterations are fit(max_iter = t - 1), and the last means
// are taken in download, untimed, in the library's favour.
#pragma once

#include "bench/implementation.hpp"
#include "impl/library/out_of_process.hpp"
#include "impl/library/python.hpp"

namespace km {

/// `module` is the Python module whose KMeans is fitted.
template <class T>
class Fitted : public OutOfProcess<T> {
 public:
  Fitted(const Problem<T>& problem, const Config& config, Trace& trace, const std::string& module, const std::string& algorithm);
  Solution<T> download();
};

extern template class Fitted<float>;
extern template class Fitted<double>;

/// Why a fit cannot stand for this problem, or nothing.
std::string unfit(const ProblemShape& p);

}  // namespace km
