// Assigns once more after the last update, and says which centroids that used.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct LastAssignWithoutUpdate : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;
  void finish() override { this->assign(); }
};

const Register<LastAssignWithoutUpdate> last_assign_without_update{fault("ends with an assign that no update follows")};

}  // namespace
}  // namespace km
