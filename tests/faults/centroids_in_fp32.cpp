// fp64 results, stored in fp32 on their way.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct CentroidsInFp32 : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  void finish() override {
    for (auto& value : this->out_.centroids) value = float(value);
  }
};

const Register<CentroidsInFp32, double> centroids_in_fp32{fault("hands fp64 centroids back through fp32")};

}  // namespace
}  // namespace km
