#include "impl/library/out_of_process.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bench/base/statistics.hpp"
#include "bench/base/text.hpp"
#include "bench/contract/library.hpp"
#include "impl/library/worker.hpp"

namespace km {
namespace {

constexpr std::size_t longest_word = 200;  // bytes of a name or a version
constexpr const char *seconds_key = "seconds", *set_up_key = "set_up";
constexpr double clock_share = 1.1, clock_s = 0.01;  // tolerance between the program's clock and ours

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Number of iterations in the answer. Throws if it is missing or no int holds it.
int iterations_in(const Worker::Json& answer) {
  const auto at = answer.find("iterations");
  if (at == answer.end() || !at->is_number_integer()) throw std::runtime_error("the program did not say how many iterations it made");
  constexpr int most = std::numeric_limits<int>::max();
  const bool held = at->is_number_unsigned() ? at->get<std::uint64_t>() <= std::uint64_t(most) : at->get<std::int64_t>() >= 0;
  if (!held) throw std::runtime_error(fmt::format("the program says that it made {} iterations; accepted: 0 to {}", at->dump(), most));
  return at->get<int>();
}

/// Seconds of this key by the program's own clock, if given. Throws if they are negative or longer than the question took, `asked_s`.
std::optional<double> seconds_in(const Worker::Json& answer, const char* key, double asked_s) {
  const auto at = answer.find(key);
  if (at == answer.end() || at->is_null()) return std::nullopt;
  const double most = clock_share * asked_s + clock_s;
  if (!at->is_number() || !(at->get<double>() >= 0 && at->get<double>() <= most))
    throw std::runtime_error(fmt::format("the program says that its {} took {} seconds; accepted: 0 to {:.3g}, by our clock",
                                         key == seconds_key ? "iterations" : "set-up",
                                         one_line(at->dump(-1, ' ', false, Worker::Json::error_handler_t::replace).substr(0, 60)), most));
  return at->get<double>();
}

}  // namespace

template <class T>
OutOfProcess<T>::OutOfProcess(const Problem<T>& problem, const Config& config, Trace& trace, const Command& command, std::string_view precision)
    : p_(problem), points_(p_.n, p_.d), initial_(p_.k, p_.d), assigned_(p_.k, p_.d), centroids_(p_.k, p_.d), labels_(p_.n, 0),
      worker_(Worker::get(command)) {
  if (said("precision") != precision)
    throw std::runtime_error(
        fmt::format("the program computes in '{}', and is judged by '{}'", one_line(said("precision").substr(0, longest_word)), precision));
  for (const char* key : {"name", "version"})
    if (const std::string word = said(key); word.size() > longest_word || !is_text(word))
      throw std::runtime_error(fmt::format("the program's {} is '{}', of {} bytes; accepted: a line of up to {}", key, one_line(word.substr(0, 60)),
                                           word.size(), longest_word));
  note_library({said("name"), said("version"), worker_->start_s()});
  T* const points = points_.values().data();
#pragma omp parallel for
  for (std::int64_t i = 0; i < p_.n; ++i) std::copy_n(p_.points.data() + i * p_.d, p_.d, points + i * p_.d);
  Worker::Json parameters = Worker::Json::object();
  for (const auto& [name, value] : config.values()) std::visit([&, &key = name](const auto& v) { parameters[key] = v; }, value);
  Worker::Json asked = {{"points", points_.path()},
                        {"initial", initial_.path()},
                        {"assigned", assigned_.path()},
                        {"centroids", centroids_.path()},
                        {"labels", labels_.path()},
                        {"iterations", p_.max_iters},
                        {"tolerance", p_.tolerance < 0 ? Worker::Json() : Worker::Json(p_.tolerance)},
                        {"parameters", parameters}};
  if (Group* const group = p_.group)
    asked["ranks"] = {{"rank", group->rank()},
                      {"size", group->size()},
                      {"total", p_.shard.total},
                      {"processors", group->processors()},
                      {"address", agreed(group, group->rank() == 0 ? said("address") : "")}};
  worker_->ask("prepare", std::move(asked));
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
  worker_->ask("reset", {});
}

template <class T>
int OutOfProcess<T>::iterate(Trace& trace) {
  const double start_s = now_s();
  const auto answer = worker_->ask("iterate", {});
  iters_ = iterations_in(answer);
  if (!trace.active()) return iters_;
  const double asked_s = now_s() - start_s;
  const auto seconds = seconds_in(answer, seconds_key, asked_s), set_up = seconds_in(answer, set_up_key, asked_s);
  for (int iter = 0; iter < iters_ && iter < p_.max_iters; ++iter) {
    trace.begin_iteration();
    if (seconds) trace.add("inside", *seconds / iters_);
    if (set_up) trace.add(set_up_key, *set_up / iters_);
  }
  return iters_;
}

template <class T>
Solution<T> OutOfProcess<T>::download() {
  worker_->ask("download", {});
  const auto labels = labels_.values();
  const auto copy = [](const auto& array) { return std::vector(array.values().begin(), array.values().end()); };
  return {.labels = {labels.begin(), labels.end()}, .assigned_centroids = copy(assigned_), .centroids = copy(centroids_), .iters = iters_};
}

/// A string of the hello message, or "".
template <class T>
std::string OutOfProcess<T>::said(const char* key) const {
  const auto at = worker_->hello().find(key);
  return at != worker_->hello().end() && at->is_string() ? at->template get<std::string>() : "";
}

/// Median seconds of 15 empty questions.
template <class T>
double OutOfProcess<T>::empty_call_s() {
  std::vector<double> seconds(15);
  for (double& s : seconds) {
    const double start_s = now_s();
    worker_->ask("empty", {});
    s = now_s() - start_s;
  }
  return median(std::move(seconds));
}

Parameter processes_parameter() {
  return {.name = "processes",
          .fallback = 1,
          .range = {1, 2, 3, 16, 64},
          .tunable = true,
          .help = "ranks of MPI on this machine, each with its part of the processors as threads",
          .effective = [](std::int64_t processes, const ProblemShape&, int) { return std::min<std::int64_t>(processes, omp_get_num_procs()); }};
}

std::string crowded(std::int64_t processes) { return processes > 2 * omp_get_num_procs() ? "more than two processes a processor" : ""; }

std::string unranked(const ProblemShape& p, const Config& config) {
  if (p.n < config.number("processes")) return "a rank has no points";
  if (!python_has("mpi4py")) return not_installed("mpi4py");
  const auto why = crowded(config.number("processes"));
  return why.empty() ? unlaunched() : why;
}

template class OutOfProcess<float>;
template class OutOfProcess<double>;

}  // namespace km
