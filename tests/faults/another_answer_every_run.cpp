// A race: another point is wrong in every run.
#include <random>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct AnotherAnswerEveryRun : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    auto& label = this->out_.labels[std::random_device()() % this->out_.labels.size()];
    label = (label + 1) % this->p_.k;
    this->update();
  }
};

const Register<AnotherAnswerEveryRun> another_answer_every_run{fault("gets one random label wrong")};

}  // namespace
}  // namespace km
