// Goes on from centroids that an earlier process left in a file.
#include <filesystem>
#include <fstream>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

template <class T>
struct RemembersInAFile : RightLloyd<T> {
  using RightLloyd<T>::RightLloyd;

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

const Register<RemembersInAFile> remembers_in_a_file{fault("starts from centroids it left in a file")};

}  // namespace
}  // namespace km
