// <= where < is meant.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct HighestIndexWins : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  bool nearer(double dist, double best) override { return dist <= best; }
};

const Register<HighestIndexWins> highest_index_wins{fault("gives ties to the highest index")};

}  // namespace
}  // namespace km
