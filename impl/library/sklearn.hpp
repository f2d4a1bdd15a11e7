// Shared by scikit-learn's KMeans and oneDAL's replacement: fit() in a Python process with the points in shared memory. fit() ends with an assign,
// while the task ends with an update. Hence t iterations are fit(max_iter = t - 1); download computes the last means, untimed, in the library's
// favour.
#pragma once

#include "impl/library/out_of_process.hpp"

namespace km {

/// module: the Python module whose KMeans is fitted.
template <class T>
struct Fitted : OutOfProcess<T> {
  Fitted(const Problem<T>& problem, const Config& config, Trace& trace, const std::string& module, const std::string& algorithm);
  Solution<T> download();
};

extern template struct Fitted<float>;
extern template struct Fitted<double>;

/// Returns why a fit cannot solve this problem, or "". library: the module's name for users.
std::string unfit(const ProblemShape& p, const std::string& module, const std::string& library);

}  // namespace km
