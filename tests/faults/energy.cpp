// What an implementation may do only while its energy is measured: runs from one start follow each other without a download. A made-up counter steps
// in every run.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/machine/energy.hpp"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

const std::string only_metered = "^(energy runs took|in the energy runs it reported)";

template <class T>
struct Metered : RightLloyd<T> {
  ~Metered() override {
    if (metered_) powercap() = "/sys/class/powercap";
  }
  void prepare(const Config&) override {
    zone_ = fs::temp_directory_path() / ("kmbench-energy-" + std::to_string(::getpid())) / "intel-rapl:0";
    fs::create_directories(zone_);
    std::ofstream(zone_ / "name") << "package-0\n";
    std::ofstream(zone_ / "max_energy_range_uj") << "1000000000000\n";
    step();
    powercap() = zone_.parent_path();
    metered_ = true;
  }
  int iterate(Trace& trace) {
    step();
    std::vector<T> start(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
    const bool metered = start == start_ && !trace.active();
    start_ = std::move(start);
    return metered ? lies(trace) : RightLloyd<T>::iterate(trace);
  }
  Solution<T> download() {
    start_.clear();
    return this->out_;
  }
  virtual int lies(Trace& trace) = 0;

  void step() { std::ofstream(zone_ / "energy_uj") << 1'000'000 * ++steps_ << "\n"; }
  static inline int steps_ = 0;
  fs::path zone_;
  std::vector<T> start_;  // of the run before, if no download followed it
  bool metered_ = false;
};

#define KM_METERED(name, says, ...)  \
  KM_PLANT(name, says, __VA_ARGS__)  \
  template <class T>                 \
  struct name : Metered<T> {         \
    int lies(Trace& trace) override; \
  };                                 \
  template <class T>                 \
  int name<T>::lies([[maybe_unused]] Trace& trace)

KM_METERED(idles_while_metered, "answers with its last result while its energy is measured", .run = only_metered + "|0 iterations where exactly",
           .on = "metered", .check = "") {
  return this->out_.iters;
}

KM_METERED(one_iteration_while_metered, "makes one iteration of ten while its energy is measured", .run = only_metered + "|" + verdict::link,
           .on = "metered", .check = "") {
  return this->lie(trace);
}

KM_METERED(tells_more_while_metered, "tells twice its iterations while its energy is measured",
           .run = "^in the energy runs it reported 20 iterations", .on = "metered", .check = "") {
  return 2 * RightLloyd<T>::iterate(trace);
}

KM_METERED(wrong_while_metered, "takes the first centroid for all points while its energy is measured", .run = verdict::label + "|" + verdict::mean,
           .on = "metered", .check = "") {
  RightLloyd<T>::iterate(trace);
  std::ranges::fill(this->out_.labels, 0);
  return this->out_.iters;
}

KM_METERED(eight_of_ten_while_metered, "makes eight iterations of ten while its energy is measured", .run = verdict::link, .on = "metered",
           .check = "") {
  return this->lie(trace, 8);
}

KM_METERED(other_points_while_metered, "changes a point while its energy is measured", .run = verdict::writes, .on = "metered", .check = "") {
  const_cast<T&>(this->p_.points[0]) += 1;
  return RightLloyd<T>::iterate(trace);
}

}  // namespace
}  // namespace km
