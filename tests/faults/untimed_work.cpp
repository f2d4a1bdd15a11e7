// Work outside the clock, and answers kept from earlier runs.
#include <time.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <random>
#include <thread>
#include <tuple>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

/// The right answer to a problem.
template <class T>
Solution<T> solved(const Problem<T>& problem) {
  Trace trace;
  RightLloyd<T> right;
  right.p_ = problem;
  right.iterate(trace);
  return right.download();
}

struct KM_FAULT(work_in_download, "computes in download", .run = verdict::download, .on = "many points", .check = "") {
  int iterate(Trace&) { return this->p_.max_iters; }
  Solution<T> download() { return solved<T>(this->p_); }
};

struct KM_PLANTED(short_work_in_download, "computes in download, in less than 0.2 ms", .run = verdict::whole, .on = "ties", .check = "")
    : work_in_download<T> {};

// A run that nobody downloads comes before the one that would show it.
struct KM_FAULT(short_work_in_some_downloads, "computes in download, unless the run before had none", .run = "^iterate took", .on = "ties",
                .check = "") {
  int iterate(Trace& trace) {
    in_iterate_ = std::exchange(waits_, true);
    return in_iterate_ ? RightLloyd<T>::iterate(trace) : this->p_.max_iters;
  }
  Solution<T> download() {
    waits_ = false;
    return in_iterate_ ? this->out_ : solved<T>(this->p_);
  }
  bool waits_ = false, in_iterate_ = false;
};

struct KM_FAULT(work_in_background, "computes in the background until download", .run = verdict::download, .on = "many points", .check = "") {
  int iterate(Trace&) {
    work_ = std::async(std::launch::async, solved<T>, this->p_);
    return this->p_.max_iters;
  }
  Solution<T> download() { return work_.get(); }
  std::future<Solution<T>> work_;
};

struct KM_FAULT(work_in_reset, "computes in reset", .run = "reset", .on = "many points", .check = "") {
  void reset() {
    Trace trace;
    RightLloyd<T>::iterate(trace);
  }
  int iterate(Trace&) { return this->out_.iters; }
};

/// Of the thread's own time: a wait for a processor is no work.
void work_for_half_a_millisecond() {
  const auto worked_ns = [] {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
  };
  for (const auto start_ns = worked_ns(); worked_ns() - start_ns < 500'000;) {}
}
KM_BREAK(download, half_a_millisecond_in_download, "works for 0.5 ms in download", .run = verdict::download, .on = "ties", .check = "") {
  work_for_half_a_millisecond();
  return this->out_;
}
struct KM_FAULT(half_a_millisecond_in_reset, "works for 0.5 ms in reset", .run = "^reset (and download )?took", .on = "ties", .check = "") {
  void reset() {
    work_for_half_a_millisecond();
    RightLloyd<T>::reset();
  }
};

struct KM_FAULT(threads_told_as_one,
                (Description{
                    .summary = "declares one thread and computes on sixteen",
                    .parameters = {{.name = "threads", .fallback = 1, .range = {1, 2}}},
                    .summation_depth = rounded_once,
                }),
                .run = "^it kept .* threads busy and declares 1$", .on = "many points", .check = "") {
  int iterate(Trace& trace) {
    const int iters = RightLloyd<T>::iterate(trace);
#pragma omp parallel num_threads(16)  // threads that stay: the run delay of ended ones is lost
    solved<T>(this->p_);
    return iters;
  }
};

struct KM_FAULT(slow_first_resets, "works for 20 ms in its first two resets", .on = "ties", .check = "",
                .argued = "as a disturbance does: the samples that count are made after") {
  void reset() {
    for (int i = 0; i < 40 && resets_ < 2; ++i) work_for_half_a_millisecond();
    ++resets_;
    RightLloyd<T>::reset();
  }
  int resets_ = 0;
};

struct KM_FAULT(unfinished_on_return, "hands back before it has finished", .run = "is nan$") {
  int iterate(Trace&) {
    if (work_.joinable()) work_.join();
    work_ = std::jthread([p = this->p_] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      solved<T>(p);
    });
    return this->out_.iters = this->p_.max_iters;
  }
  std::jthread work_;
};

struct KM_FAULT(remembers_its_answer, "answers every run with its first answer", .run = verdict::again) {
  int iterate(Trace& trace) {
    if (answer_.iters == 0) {
      RightLloyd<T>::iterate(trace);
      answer_ = this->out_;
    }
    this->out_ = answer_;
    return answer_.iters;
  }
  Solution<T> answer_;
};

struct KM_FAULT(computes_when_prepared, "answers with what it computed in prepare", .run = verdict::again, .check = "") {
  void prepare(const Config&) override {
    Trace untraced;
    RightLloyd<T>::iterate(untraced);
    answer_ = this->out_;
  }
  int iterate(Trace&) {
    this->out_ = answer_;
    return answer_.iters;
  }
  Solution<T> answer_;
};

struct KM_FAULT(keeps_the_start, "keeps the start it was prepared with", .run = verdict::again, .check = "") {
  void prepare(const Config&) override {
    start_.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
    this->p_.initial_centroids = start_;
  }
  std::vector<T> start_;
};

struct KM_FAULT(remembers_labels, "hands back the labels of its first run", .run = verdict::label) {
  void finish() override {
    if (labels_.empty()) labels_ = this->out_.labels;
    this->out_.labels = labels_;
  }
  Labels labels_;
};

struct KM_FAULT(remembers_by_start, "answers what it has answered before", .on = "tolerance 0", .check = "",
                .argued = "no timed run starts as another: it computes each of them") {
  int iterate(Trace& trace) {
    const std::pair key(std::vector<T>(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end()),
                        std::pair(this->p_.n, this->p_.max_iters));
    auto& answer = answers_[key];
    if (answer.iters == 0) {
      RightLloyd<T>::iterate(trace);
      answer = this->out_;
    }
    this->out_ = answer;
    return answer.iters;
  }
  static inline std::map<std::pair<std::vector<T>, std::pair<std::int64_t, int>>, Solution<T>> answers_;
};

/// Answers what it has answered before to a start of the same rows, rounded, in any order.
template <class T>
struct RemembersRows : RightLloyd<T> {
  using Row = std::vector<std::int64_t>;

  int iterate(Trace& trace) {
    const auto [answer, known] = find();
    if (known) this->out_ = *answer;
    else {
      RightLloyd<T>::iterate(trace);
      *answer = this->out_;
    }
    return this->out_.iters;
  }

  /// The answer to the start as it is, with its clusters in the start's order; or where to keep it.
  std::pair<Solution<T>*, bool> find() {
    std::vector<Row> rows;
    for (int c = 0; c < this->p_.k; ++c) {
      Row& row = rows.emplace_back();
      for (int j = 0; j < this->p_.d; ++j) row.push_back(std::llround(double(this->p_.initial_centroids[std::size_t(c) * this->p_.d + j]) * 1000));
    }
    auto sorted = rows;
    std::ranges::sort(sorted);
    Answer& kept = answers_[{sorted, this->p_.n, this->p_.max_iters}];
    if (kept.solution.iters == 0) {
      kept.rows = rows;
      return {&kept.solution, false};
    }
    const int d = this->p_.d;
    std::vector<int> now(rows.size());  // cluster c of the kept answer is cluster now[c] of this one
    for (std::size_t c = 0; c < rows.size(); ++c) now[c] = int(std::ranges::find(rows, kept.rows[c]) - rows.begin());
    permuted_ = kept.solution;
    for (auto& label : permuted_.labels) label = now[label];
    for (const auto centroids : {&Solution<T>::centroids, &Solution<T>::assigned_centroids})
      for (std::size_t c = 0; c < rows.size(); ++c)
        std::copy_n((kept.solution.*centroids).begin() + std::ptrdiff_t(c) * d, d, (permuted_.*centroids).begin() + std::ptrdiff_t(now[c]) * d);
    return {&permuted_, true};
  }

  struct Answer {
    std::vector<Row> rows;
    Solution<T> solution;
  };
  Solution<T> permuted_;
  static inline std::map<std::tuple<std::vector<Row>, std::int64_t, int>, Answer> answers_;
};

struct KM_PLANTED(remembers_by_rounded_start, "answers what it has answered before to almost the same start, in any order",
                  .run = verdict::remembered, .check = "")
    : RemembersRows<T> {};

struct KM_PLANTED(computes_all_orders_when_prepared, "computes in prepare, and puts its answer into the order of the start",
                  .run = verdict::remembered, .check = "")
    : RemembersRows<T> {
  void prepare(const Config&) override {
    Trace untraced;
    RemembersRows<T>::iterate(untraced);
  }
};

struct KM_PLANTED(remembers_and_waits, "remembers its answers, and waits as long as short runs last", .run = verdict::remembered, .on = "many points",
                  .check = "")
    : RemembersRows<T> {
  int iterate(Trace& trace) {
    const auto wait = [](std::chrono::microseconds least) { std::this_thread::sleep_for(least); };
    if (this->find().second) wait(std::chrono::microseconds(21'500));
    else wait(std::chrono::milliseconds(150));  // as if its work took so long
    return RemembersRows<T>::iterate(trace);
  }
};

struct KM_PLANTED(remembers_and_waits_half_as_long, "remembers its answers, and waits half as long as its work takes", .on = "many points",
                  .check = "", .argued = "caches that a known start has filled save as much")
    : RemembersRows<T> {
  int iterate(Trace& trace) {
    std::this_thread::sleep_for(std::chrono::milliseconds(this->find().second ? 50 : 100));
    return RemembersRows<T>::iterate(trace);
  }
};

// Its run from unforeseen rows is as short as the others: the work is in another verb.
struct KM_PLANTED(unknown_rows_in_download, "remembers its answers, and computes those to new rows in download", .run = verdict::remembered,
                  .on = "many points", .check = "")
    : computes_all_orders_when_prepared<T> {
  int iterate(Trace&) { return this->p_.max_iters; }
  Solution<T> download() {
    Trace untraced;
    RemembersRows<T>::iterate(untraced);
    return this->out_;
  }
};

// What skips distances may take longer from other rows: this one says that it skipped nearly all.
struct KM_PLANTED(remembers_and_counts_one, "remembers its answers, and counts one distance", .run = verdict::remembered, .on = "many points",
                  .check = "")
    : RemembersRows<T> {
  int iterate(Trace& trace) {
    trace.count("distances", 1);
    return RemembersRows<T>::iterate(trace);
  }
};

// Computes every start of the case before its first run, to the bit: the digits that the harness moves are no secret.
struct KM_FAULT(foresees_every_start, "computes in prepare what the harness will ask", .run = verdict::remembered, .check = "") {
  void prepare(const Config&) override {
    if (this->p_.max_iters != 10) return;
    const std::vector<T> given(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
    for (std::size_t turn = 0; turn < 64; ++turn)  // more than disturbed runs that are made again
      for (const bool moved : {false, true}) {
        auto start = given;
        std::ranges::rotate(start, start.begin() + std::ptrdiff_t(turn % std::size_t(this->p_.k)) * this->p_.d);
        if (T& value = start[turn % start.size()]; moved && turn > 0) value = std::nextafter(value, value > 0 ? T(0) : T(1));
        Trace untraced;
        this->out_.centroids = start;
        this->go_on(untraced, this->p_.max_iters);
        answers_[start] = this->out_;
      }
  }
  int iterate(Trace& trace) {
    const auto found = answers_.find({this->p_.initial_centroids.begin(), this->p_.initial_centroids.end()});
    if (found == answers_.end()) return RightLloyd<T>::iterate(trace);
    this->out_ = found->second;
    return this->out_.iters;
  }
  std::map<std::vector<T>, Solution<T>> answers_;
};

// Its run from unforeseen rows is as short as the others, and no run.
struct KM_PLANTED(lies_about_unknown_rows, "remembers its answers, and makes one iteration from rows that are new",
                  .run = verdict::remembered + "|" + verdict::link, .check = "")
    : computes_all_orders_when_prepared<T> {
  int iterate(Trace&) {
    const auto [answer, known] = this->find();
    Trace silent;
    if (!known) return this->lie(silent);
    this->out_ = *answer;
    return this->out_.iters;
  }
};

// iterate follows reset at once, so the thread gains nothing.
struct KM_FAULT(works_from_reset_on, "begins in reset, in a thread of its own", .check = "", .argued = "iterate follows at once and waits for it") {
  void reset() { work_ = std::async(std::launch::async, solved<T>, this->p_); }
  int iterate(Trace&) {
    this->out_ = work_.get();
    return this->out_.iters;
  }
  std::future<Solution<T>> work_;
};

KM_BREAK(iterate, remembers_in_a_file, "starts from centroids it left in a file", .run = verdict::again, .check = "") {
  const auto path = std::filesystem::temp_directory_path() / ("kmbench_fault_" + std::to_string(this->p_.n * this->p_.k * sizeof(T)));
  this->out_.centroids.resize(this->p_.initial_centroids.size());
  auto* bytes = reinterpret_cast<char*>(this->out_.centroids.data());
  const auto size = std::streamsize(this->out_.centroids.size() * sizeof(T));
  if (std::ifstream(path, std::ios::binary).read(bytes, size)) return this->go_on(trace, this->p_.max_iters);
  const int iters = RightLloyd<T>::iterate(trace);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(this->out_.centroids.data()), size);
  return iters;
}

// Makes one iteration in the run that gives the times of assign and update, and says all.
KM_BREAK(iterate, lies_when_traced, "lies in the traced run", .run = verdict::link) {
  return trace.active() ? this->lie(trace) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, lies_when_timed, "lies unless traced", .run = verdict::link) {
  return trace.active() ? RightLloyd<T>::iterate(trace) : this->lie(trace);
}

KM_BREAK(iterate, lies_later, "lies from its third run on", .run = verdict::link, .check = "") {
  return ++this->runs_ > 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, stops_early_later, "stops after two iterations from its third run on",
         .run = "^it stopped after iteration 2, which changed labels$", .on = "tolerance 0", .check = "") {
  return ++this->runs_ > 2 ? this->make(trace, 2) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, stops_early_later_with_tolerance, "the same with a tolerance", .run = verdict::early, .on = "tolerance 0.01", .check = "") {
  return ++this->runs_ > 2 ? this->make(trace, 2) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, lies_in_every_third_run, "lies in every third run", .run = verdict::link, .check = "") {
  return ++this->runs_ % 3 == 0 ? this->lie(trace) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, lies_once, "lies in its second run", .run = verdict::link) {
  return ++this->runs_ == 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace);
}

KM_BREAK(finish, another_answer_every_run, "gets one random label wrong", .run = verdict::label) {
  auto& label = this->out_.labels[std::random_device()() % this->out_.labels.size()];
  label = (label + 1) % this->p_.k;
  this->update();
}

}  // namespace
}  // namespace km
