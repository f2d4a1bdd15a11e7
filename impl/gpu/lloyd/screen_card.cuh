// The work of an iteration of screened.cuh on one device: its points, images of all centroids, sums of its points by cluster. Labels, centroids and
// the loop are the caller's.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "impl/gpu/lloyd/moved_sums.cuh"
#include "impl/gpu/lloyd/screen_margin.cuh"
#include "impl/gpu/registration.hpp"

namespace km::screen {

/// Sums of points: k x d, and k counts.
struct Totals {
  const moved_sums::Sum* sums;
  const int* counts;
};

/// Its kernels are compiled once for float and double (screen_card.cu). Everything happens on one stream.
template <class T>
class Card {
 public:
  /// problem: this device's points, perhaps none. margin_scale: scales the proven margin; below 1 labels are not proven. Phase: transfer.
  static std::unique_ptr<Card> make(const Problem<T>& problem, const Config& config, const Unit& unit, float margin_scale, Trace& trace,
                                    cudaStream_t stream);
  virtual ~Card() = default;

  // ---- prepare: the layout must know all devices' points ----
  virtual std::vector<double> sums_of_columns() const = 0;
  /// |value|.
  virtual std::vector<double> greatest_of_columns() const = 0;
  /// Moves the centre, and returns the greatest |value - centre| of points and initial centroids.
  virtual double furthest_from(std::span<const double> centre) = 0;
  /// scale: the origin's; greatest: |value| of columns, of all n points. Returns the greatest |x|² in the frame's units.
  virtual float lay_out(double scale, std::span<const double> greatest, std::int64_t n) = 0;
  /// longest: the greatest |x|² of all points.
  virtual void finish_layout(float longest) = 0;
  /// An iteration from the initial centroids, so that all kernels are loaded. labels: none.
  virtual void warm_up(std::int32_t* labels, unsigned long long* changed, T* next) = 0;

  // ---- a run ----
  virtual void begin() = 0;
  /// Adds the number of changed labels to `changed`.
  virtual void assign(const T* assigned, std::int32_t* labels, unsigned long long* changed) = 0;
  /// Brings the sums of this device's points up to date.
  virtual void sum(const std::int32_t* labels) = 0;
  virtual Totals totals() const = 0;
  /// Means of sums, k x d, and images of them. An empty cluster keeps its centroid.
  virtual void average(const Totals& totals, const T* assigned, T* next) = 0;
  /// Counters of the last iteration. Waits.
  virtual void report(Trace& trace) const = 0;
};

/// Why none can run a problem whose points `devices` share, or "".
std::string too_large(const ProblemShape& p, int value_bytes, int devices = 1);

/// `begin` and `grid`.
std::vector<Parameter> parameters();

}  // namespace km::screen
