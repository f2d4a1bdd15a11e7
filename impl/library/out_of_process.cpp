#include "impl/library/out_of_process.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "bench/library.hpp"
#include "bench/statistics.hpp"
#include "impl/library/worker.hpp"

namespace km {

template <class T>
OutOfProcess<T>::OutOfProcess(const Problem<T>& problem, const Config& config, Trace& trace, const Command& command, std::string_view precision)
    : p_(problem), points_(p_.n, p_.d), initial_(p_.k, p_.d), assigned_(p_.k, p_.d), centroids_(p_.k, p_.d), labels_(p_.n, 0),
      worker_(Worker::get(command)) {
  if (said("precision") != precision)
    throw std::runtime_error("the program computes in '" + said("precision") + "', and is judged by '" + std::string(precision) + "'");
  note_library({said("name"), said("version")});
  copy_points();
  Worker::Json parameters = Worker::Json::object();
  for (const auto& [name, value] : config.values()) std::visit([&, &key = name](const auto& v) { parameters[key] = v; }, value);
  worker_->ask("prepare", {{"points", points_.path()},
                           {"initial", initial_.path()},
                           {"assigned", assigned_.path()},
                           {"centroids", centroids_.path()},
                           {"labels", labels_.path()},
                           {"iterations", p_.max_iters},
                           {"tolerance", p_.tolerance < 0 ? Worker::Json() : Worker::Json(p_.tolerance)},
                           {"parameters", parameters}});
  if (trace.active()) trace.add("empty_call", empty_call_s());
}

template <class T>
OutOfProcess<T>::~OutOfProcess() {
  Worker::put(std::move(worker_));
}

template <class T>
void OutOfProcess<T>::reset() {
  std::ranges::copy(p_.initial_centroids, initial_.values().begin());
  std::ranges::fill(labels_.values(), no_label - 1);
  for (const auto& cells : {assigned_.values(), centroids_.values()}) std::ranges::fill(cells, std::numeric_limits<T>::quiet_NaN());
  iters_ = 0;
  worker_->ask("reset");
}

template <class T>
int OutOfProcess<T>::iterate(Trace& trace) {
  const auto answer = worker_->ask("iterate");
  if (!answer.contains("iterations") || !answer["iterations"].is_number_integer())
    throw std::runtime_error("the program did not say how many iterations it made");
  iters_ = answer["iterations"].template get<int>();
  for (int iter = 0; trace.active() && iter < iters_ && iter < p_.max_iters; ++iter) {
    trace.begin_iteration();
    if (answer.contains("seconds") && answer["seconds"].is_number()) trace.add("inside", answer["seconds"].template get<double>() / iters_);
  }
  return iters_;
}

template <class T>
Solution<T> OutOfProcess<T>::download() {
  worker_->ask("download");
  const auto copy = [](const auto& array) { return std::vector(array.values().begin(), array.values().end()); };
  return {.labels = copy(labels_), .assigned_centroids = copy(assigned_), .centroids = copy(centroids_), .iters = iters_};
}

/// A string of the hello message, or "".
template <class T>
std::string OutOfProcess<T>::said(const char* key) const {
  const auto at = worker_->hello().find(key);
  return at != worker_->hello().end() && at->is_string() ? at->template get<std::string>() : "";
}

template <class T>
void OutOfProcess<T>::copy_points() {
  const T* const from = p_.points.data();
  T* const to = points_.values().data();
#pragma omp parallel for
  for (std::int64_t i = 0; i < p_.n; ++i) std::copy_n(from + i * p_.d, p_.d, to + i * p_.d);
}

/// Median seconds of 15 empty questions.
template <class T>
double OutOfProcess<T>::empty_call_s() {
  std::vector<double> seconds(15);
  for (double& s : seconds) {
    const auto start = std::chrono::steady_clock::now();
    worker_->ask("empty");
    s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  return median(std::move(seconds));
}

template class OutOfProcess<float>;
template class OutOfProcess<double>;

}  // namespace km
