// Memory without end: 4 GiB, so that a test of it harms nobody, and then the right answer.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct TakesAllMemory : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

  int iterate(Trace& trace) {
    for (int block = 0; block < 64; ++block) blocks_.emplace_back(std::size_t(64) << 20, char(1));
    return RightLloyd<T>::iterate(trace);
  }

 private:
  std::vector<std::vector<char>> blocks_;
};

const Register<TakesAllMemory> takes_all_memory{fault("takes 4 GiB")};

}  // namespace
}  // namespace km
