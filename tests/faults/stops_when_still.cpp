// Another stop rule than the task's: the centroids' movement, not the labels.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct StopsWhenStill : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  std::int64_t assign() override {
    const std::int64_t changed = RightLloyd<T>::assign();
    return still_ && this->iter_ > 1 ? 0 : changed;
  }
  void update() override {
    RightLloyd<T>::update();
    double shift = 0;
    for (std::size_t cell = 0; cell < this->out_.centroids.size(); ++cell)
      shift = std::max(shift, std::abs(double(this->out_.centroids[cell]) - double(this->out_.assigned_centroids[cell])));
    still_ = shift < 0.05;
  }

 private:
  bool still_ = false;
};

const Register<StopsWhenStill> stops_when_still{fault("stops when centroids move less than 0.05")};

}  // namespace
}  // namespace km
