// As a memory of answers that takes a start for another one where they hardly differ.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RemembersByRoundedStart : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

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

 private:
  std::vector<std::int64_t> first_digits() const {
    std::vector<std::int64_t> digits;
    for (const T value : this->p_.initial_centroids) digits.push_back(std::llround(double(value) * 1000));
    return digits;
  }
  static inline std::map<std::pair<std::vector<std::int64_t>, std::pair<std::int64_t, int>>, Solution<T>> answers_;
};

const Register<RemembersByRoundedStart> remembers_by_rounded_start{fault("answers what it has answered before to almost the same start")};

}  // namespace
}  // namespace km
