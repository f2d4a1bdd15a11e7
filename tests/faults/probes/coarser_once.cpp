// Right in every run; in the second timed one by the expansion in the precision of T, which far from the origin gives other labels.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CoarserOnce : RightLloyd<T> {
  CoarserOnce(const Problem<T>& problem, const Config& config, Trace& trace)
      : RightLloyd<T>(problem, config, trace), run_(int(config.number("run"))) {}

  int iterate(Trace& trace) {
    ++runs_;
    return RightLloyd<T>::iterate(trace);
  }
  double distance(std::int64_t i, int c) const override {
    if (runs_ != run_) return RightLloyd<T>::distance(i, c);
    T cross = 0, norm = 0;
    for (int j = 0; j < this->p_.d; ++j) {
      const T centroid = T(this->centroid(c, j));
      cross += T(this->x(i, j)) * centroid;
      norm += centroid * centroid;
    }
    return double(norm - 2 * cross);
  }

 private:
  int run_, runs_ = 0;
};

const Register<CoarserOnce> coarser_once{
    {.summary = "rounds more in one run",
     .parameters = {{.name = "run", .fallback = 0, .range = {0, 100}, .help = "which, from 1, warm-up runs included"}},
     .distance = Distance::expansion,
     .summation_depth = rounded_once}};

}  // namespace
}  // namespace km
