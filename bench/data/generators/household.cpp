// Seven correlated columns of a house's meter: active and reactive power (kW), voltage (V), current (A), and the energy of three circuits (Wh per
// minute). A circuit is off, idle or on. The power is the sum of the circuits and a low or high rest. The current follows from power and voltage;
// the voltage drops with the power. Shares and levels are round numbers near those of the real set's first half year. Values are rounded as by its
// meter, so duplicates are frequent. Minutes are independent.
#include "bench/data/generators/household.hpp"

#include <cmath>

#include "bench/data/generators/groups.hpp"

namespace km {
namespace {

struct Circuit {
  double off, idle;      // shares of the time; otherwise the circuit is on
  double level, spread;  // Wh per minute when on
};

constexpr Circuit kitchen{.91, .04, 37, 4}, laundry{.68, .27, 36, 12}, heater{.65, .03, 17.5, .7};

double energy(const Circuit& circuit, double u, double z) {
  if (u < circuit.off) return 0;
  if (u < circuit.off + circuit.idle) return 1;
  return std::max(2.0, std::round(std::fma(z, circuit.spread, circuit.level)));
}

void minute(const double* u, const double* z, double* row) {
  const double one = energy(kitchen, u[0], z[0]), two = energy(laundry, u[1], z[1]), three = energy(heater, u[2], z[2]);
  const double rest = u[3] < .75 ? std::fma(z[3], .09, .32) : std::fma(z[3], .6, 1.75);
  const double active = std::fma(one + two + three, .06, std::max(rest, .08));
  const double reactive = std::abs(std::fma(z[4], .12, .11));
  const double volts = std::fma(z[5], 3.4, std::fma(active, -1.1, 241.0));
  const double amperes = 1000 * std::sqrt(std::fma(active, active, reactive * reactive)) / volts;
  const double values[] = {
      std::round(active * 500) / 500, std::round(reactive * 500) / 500, std::round(volts * 100) / 100, std::round(amperes * 5) / 5, one, two, three};
  std::copy_n(values, 7, row);
}

}  // namespace

template <class T>
void household(const Recipe& r, std::span<T> points) {
  const Random choices(r.seed, of_choices), values(r.seed, of_values);
  for_tiles(r.n, tile_size(7), [&, u = std::vector<double>(), z = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    u.resize(std::size_t(4 * count));
    z.resize(std::size_t(6 * count));
    choices.uniforms(4 * first, u);
    values.normals(6 * first, z);
    for (std::int64_t i = 0; i < count; ++i) {
      double row[7];
      minute(&u[std::size_t(4 * i)], &z[std::size_t(6 * i)], row);
      for (int j = 0; j < 7; ++j) points[std::size_t((first + i) * 7 + j)] = T(row[j]);
    }
  });
}

template void household(const Recipe&, std::span<float>);
template void household(const Recipe&, std::span<double>);

}  // namespace km
