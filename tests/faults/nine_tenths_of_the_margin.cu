// Labels by scores within nine tenths of the proven margin: what keys lost to indices is taken for a lead.
#include "impl/gpu/lloyd/register_tiles.cuh"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct NineTenthsOfTheMargin : register_tiles::RegisterTiles<T> {
  NineTenthsOfTheMargin(const Problem<T>& problem, const Config& config, Trace& trace)
      : register_tiles::RegisterTiles<T>(problem, config, trace, 0.9f) {}
};

Description nine_tenths() {
  Description made = fault_on_gpu("decides labels by nine tenths of the proven margin", {}, register_tiles::parameters());
  made.unsupported = register_tiles::too_large;
  return made;
}
const Register<NineTenthsOfTheMargin, float> nine_tenths_of_the_margin{nine_tenths()};

}  // namespace
}  // namespace km
