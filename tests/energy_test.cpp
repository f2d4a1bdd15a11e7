// The processors' energy from made-up RAPL counters: sums over packages, overflow of a counter, missing counters.
#include "bench/machine/energy.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "bench/run/energy.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

class Powercap : public Files {
 protected:
  void zone(const std::string& zone, const std::string& name, long long microjoules) {
    fs::create_directories(folder_ / zone);
    std::ofstream(folder_ / zone / "name") << name << "\n";
    std::ofstream(folder_ / zone / "max_energy_range_uj") << 10'000'000 << "\n";
    std::ofstream(folder_ / zone / "energy_uj") << microjoules << "\n";
  }
};

TEST_F(Powercap, SumsThePackagesAndNothingBelowThem) {
  zone("intel-rapl:0", "package-0", 1'000'000);
  zone("intel-rapl:1", "package-1", 2'500'000);
  zone("intel-rapl:0:0", "core", 700'000);
  zone("intel-rapl:2", "psys", 9'000'000);
  EnergyMeter meter(false, folder_);
  EXPECT_EQ(meter.unreadable(), "");
  EXPECT_EQ(meter.source(), "RAPL, 2 packages");
  EXPECT_DOUBLE_EQ(meter.joules().value(), 3.5);
}

TEST_F(Powercap, GoesOnPastTheEndOfItsRange) {
  zone("intel-rapl:0", "package-0", 9'900'000);
  EnergyMeter meter(false, folder_);
  EXPECT_DOUBLE_EQ(meter.joules().value(), 9.9);
  zone("intel-rapl:0", "package-0", 100'000);
  EXPECT_DOUBLE_EQ(meter.joules().value(), 10.1);
}

TEST_F(Powercap, SaysWhyNothingCanBeRead) {
  EXPECT_EQ(EnergyMeter(false, folder_).unreadable(), "no RAPL counters in " + folder_.string());
  EXPECT_EQ(EnergyMeter(false, folder_).source(), "RAPL");
  zone("intel-rapl:0", "package-0", 1);
  fs::remove(folder_ / "intel-rapl:0" / "energy_uj");
  EnergyMeter meter(false, folder_);
  EXPECT_EQ(meter.unreadable(), (folder_ / "intel-rapl:0" / "energy_uj").string() + " may not be read by this user");
  const auto energy = energy_of(meter, [] { return 1; });
  EXPECT_TRUE(energy["joules"].is_null());
  EXPECT_EQ(energy["skipped"], meter.unreadable());
}

TEST_F(Powercap, CountsTheIterationsBetweenTwoSteps) {
  long long microjoules = 0;
  const auto run = [&] {  // three iterations, a hundredth of a joule
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    zone("intel-rapl:0", "package-0", microjoules += 10'000);
    return 3;
  };
  run();
  EnergyMeter meter(false, folder_);
  const auto energy = energy_of(meter, run, 0.02);
  ASSERT_TRUE(energy["skipped"].is_null());
  EXPECT_GE(energy["iterations"].get<int>(), 3);
  EXPECT_NEAR(energy["joules"].get<double>() / energy["iterations"].get<int>(), 0.01 / 3, 1e-9);
  EXPECT_GE(energy["window_s"].get<double>(), 0.02);
}

TEST_F(Powercap, OneLongRunIsEnough) {
  long long microjoules = 0;
  int runs = 0;
  const auto run = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    zone("intel-rapl:0", "package-0", microjoules += 1'000'000);
    ++runs;
    return 1;
  };
  zone("intel-rapl:0", "package-0", 0);
  EnergyMeter meter(false, folder_);
  const auto energy = energy_of(meter, run, 0.001);
  EXPECT_EQ(runs, 2) << "one to begin at a step, one to measure";
  EXPECT_DOUBLE_EQ(energy["joules"].get<double>(), 1.0);
  EXPECT_EQ(energy["iterations"], 1);
}

TEST(ExplainEnergy, RunsOfTheWindowAreAsLongAsTimedOnes) {
  EXPECT_EQ(explain_energy(1, 100, 0.01), "");
  EXPECT_EQ(explain_energy(1, 300, 0.01), "") << "no judge between them";
  EXPECT_EQ(explain_energy(1, 1e6, 1e-4), "");
  EXPECT_EQ(explain_energy(1, 1000, 0.01), "energy runs took 1 ms each, timed runs at least 10 ms");
}

}  // namespace
}  // namespace km
