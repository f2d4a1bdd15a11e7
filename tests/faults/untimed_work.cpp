// Work outside the clock, and answers kept from earlier runs.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <random>
#include <thread>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

struct KM_FAULT(work_in_download, "computes in download", .run = verdict::download, .on = "many points", .check = "") {
  int iterate(Trace&) { return this->p_.max_iters; }
  Solution<T> download() {
    Trace trace;
    RightLloyd<T>::iterate(trace);
    return this->out_;
  }
};

struct KM_FAULT(work_in_background, "computes in the background until download", .run = verdict::download, .on = "many points", .check = "") {
  int iterate(Trace&) {
    work_ = std::async(std::launch::async, [p = this->p_] {
      Trace trace;
      RightLloyd<T> right;
      right.p_ = p;
      right.iterate(trace);
      return right.download();
    });
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

struct KM_FAULT(unfinished_on_return, "hands back before it has finished", .run = "is nan$") {
  int iterate(Trace&) {
    if (work_.joinable()) work_.join();
    work_ = std::jthread([p = this->p_] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      Trace trace;
      RightLloyd<T> right;
      right.p_ = p;
      right.iterate(trace);
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
  std::vector<std::int32_t> labels_;
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

struct KM_FAULT(remembers_by_rounded_start, "answers what it has answered before to almost the same start", .check = "",
                .argued = "no timed run starts as another: it computes each of them") {
  int iterate(Trace& trace) {
    const std::pair key(first_digits(), std::pair(this->p_.n, this->p_.max_iters));
    auto& answer = answers_[key];
    if (answer.iters == 0) {
      RightLloyd<T>::iterate(trace);
      answer = this->out_;
    }
    this->out_ = answer;
    return answer.iters;
  }
  std::vector<std::int64_t> first_digits() const {
    std::vector<std::int64_t> digits;
    for (const T value : this->p_.initial_centroids) digits.push_back(std::llround(double(value) * 1000));
    return digits;
  }
  static inline std::map<std::pair<std::vector<std::int64_t>, std::pair<std::int64_t, int>>, Solution<T>> answers_;
};

struct KM_FAULT(remembers_in_a_file, "starts from centroids it left in a file", .run = verdict::again, .check = "") {
  int iterate(Trace& trace) {
    const auto path = std::filesystem::temp_directory_path() / ("kmbench_fault_" + std::to_string(this->p_.n * this->p_.k * sizeof(T)));
    this->out_.centroids.resize(this->p_.initial_centroids.size());
    auto* bytes = reinterpret_cast<char*>(this->out_.centroids.data());
    const auto size = std::streamsize(this->out_.centroids.size() * sizeof(T));
    if (std::ifstream(path, std::ios::binary).read(bytes, size)) return this->go_on(trace, this->p_.max_iters);
    const int iters = RightLloyd<T>::iterate(trace);
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(this->out_.centroids.data()), size);
    return iters;
  }
};

// The run that assign's and update's times come from makes one iteration and says all.
struct KM_FAULT(lies_when_traced, "lies in the traced run", .run = verdict::link) {
  int iterate(Trace& trace) { return trace.active() ? this->lie(trace) : RightLloyd<T>::iterate(trace); }
};

struct KM_FAULT(lies_when_timed, "lies unless traced", .run = verdict::link) {
  int iterate(Trace& trace) { return trace.active() ? RightLloyd<T>::iterate(trace) : this->lie(trace); }
};

struct KM_FAULT(lies_later, "lies from its third run on", .run = verdict::link, .check = "") {
  int iterate(Trace& trace) { return ++runs_ > 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }
  int runs_ = 0;
};

struct KM_FAULT(lies_in_every_third_run, "lies in every third run", .run = verdict::link, .check = "") {
  int iterate(Trace& trace) { return ++runs_ % 3 == 0 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }
  int runs_ = 0;
};

struct KM_FAULT(lies_once, "lies in its second run", .run = verdict::link) {
  int iterate(Trace& trace) { return ++runs_ == 2 ? this->lie(trace) : RightLloyd<T>::iterate(trace); }
  int runs_ = 0;
};

struct KM_FAULT(another_answer_every_run, "gets one random label wrong", .run = verdict::label) {
  void finish() override {
    auto& label = this->out_.labels[std::random_device()() % this->out_.labels.size()];
    label = (label + 1) % this->p_.k;
    this->update();
  }
};

}  // namespace
}  // namespace km
