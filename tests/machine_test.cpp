// A busy machine, from made-up contents of /proc/loadavg. Its fingerprint, another machine's folder, the folder of a user's results. Limits of control
// groups. The processors' energy from made-up RAPL counters: sums over packages, overflow of a counter, missing counters.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "bench/base/home.hpp"
#include "bench/machine/energy.hpp"
#include "bench/machine/environment.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/run/energy.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

/// The warning if /proc/loadavg has these contents one after the other; the last one stays.
std::string said(int threads, std::vector<std::string> loadavgs) {
  std::size_t looks = 0;
  return load_warning(threads, [&] { return loadavgs[std::min(looks++, loadavgs.size() - 1)]; });
}

const std::string loaded = "7.50 3.10 1.20 5/312 4711", ended = "7.50 3.10 1.20 1/312 4711", quiet = "0.20 3.10 1.20 5/312 4711";

TEST(WaitPolicy, ThreadsSpinOnlyWhereTheUserSaysSo) {
  struct Given {
    const char *count, *policy;
    bool spin;
  };
  for (const auto& [count, policy, spin] : {Given{nullptr, nullptr, false}, Given{nullptr, "PASSIVE", false}, Given{nullptr, "active", true},
                                            Given{"0", nullptr, false}, Given{"0", "active", false}, Given{"300000", "passive", true}}) {
    for (const auto& [name, value] : {std::pair{"GOMP_SPINCOUNT", count}, std::pair{"OMP_WAIT_POLICY", policy}})
      value ? ::setenv(name, value, 1) : ::unsetenv(name);
    EXPECT_EQ(threads_spin(), spin) << wait_policy();
  }
}

TEST(LoadWarning, IsForALoadOfThreeTenthsOfTheThreadsInThreeLooksOfFive) {
  EXPECT_EQ(said(4, {loaded}), "the machine is not quiet: load 7.50 on 4 threads");
  EXPECT_EQ(said(4, {ended}), "") << "a build that has just ended makes no machine busy";
  EXPECT_EQ(said(4, {quiet}), "");
  EXPECT_EQ(said(4, {""}), "") << "nothing can be read";
  EXPECT_EQ(said(25, {loaded}), "") << "0.3 of 25 threads is 7.5";
  EXPECT_NE(said(24, {loaded}), "");
  EXPECT_EQ(said(4, {loaded, loaded, loaded, ended}), "") << "the first one is for the mean, two of the five see others";
  EXPECT_NE(said(4, {loaded, loaded, loaded, loaded, ended}), "");
}

class ControlGroups : public Files {
 protected:
  void group(const std::string& path, const std::string& limit, int used, int of_files) {
    fs::create_directories(folder_ / path);
    std::ofstream(folder_ / path / "memory.max") << limit << "\n";
    std::ofstream(folder_ / path / "memory.current") << used << "\n";
    std::ofstream(folder_ / path / "memory.stat") << "anon 7\ninactive_file " << of_files - 1 << "\nactive_file 1\n";
  }
  std::int64_t left(const std::string& own) const { return memory::left_in_groups(write("groups", own + "\n"), folder_.string()); }
};

TEST_F(ControlGroups, HoldAllLimitsUpToTheMount) {
  EXPECT_EQ(left("0::/slice/job"), std::numeric_limits<std::int64_t>::max());
  group("slice/job", "max", 100, 1);
  group("slice", "1000", 700, 150);
  EXPECT_EQ(left("0::/slice/job"), 450);
  group("slice/job", "300", 100, 50);
  EXPECT_EQ(left("0::/slice/job"), 250);
  EXPECT_EQ(left("0::/slice/other"), 450);
  group("", "200", 190, 1);
  EXPECT_EQ(left("0::/slice/job"), 11);
  EXPECT_EQ(left("0::/"), 11);
}

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

using Json = nlohmann::ordered_json;
using Parts = std::vector<std::string>;

const Json here = {{"model", "a"}, {"caches", "32K 1M"}, {"memory", 8'000'000}, {"gpu", nullptr}, {"host", "00000001"}, {"boot", "00000001"}};

Json with(std::initializer_list<std::pair<const char*, Json>> changes) {
  Json changed = here;
  for (const auto& [part, value] : changes) changed[part] = value;
  return changed;
}

TEST(Fingerprint, NamesThePartsThatDiffer) {
  EXPECT_EQ(differences(here, here), Parts());
  EXPECT_EQ(differences(here, with({{"host", "00000002"}})), Parts({"host"}));
  EXPECT_EQ(differences(here, with({{"host", "00000002"}, {"gpu", "H100"}, {"memory", 1}})), Parts({"memory", "gpu", "host"}));
  EXPECT_EQ(differences(Json(), here), Parts({"model", "caches", "memory", "host"}));
}

TEST(Fingerprint, MemoryMayChangeALittleAndWithinOneStartALot) {
  EXPECT_EQ(differences(here, with({{"memory", 8'100'000}, {"boot", "00000002"}})), Parts());
  EXPECT_EQ(differences(here, with({{"memory", 16'000'000}})), Parts()) << "a virtual machine that grew";
  EXPECT_EQ(differences(here, with({{"memory", 16'000'000}, {"boot", "00000002"}})), Parts({"memory"}));
}

TEST(Fingerprint, ItsShortFormOutlastsMemoryAndAStart) {
  EXPECT_EQ(short_fingerprint(here), short_fingerprint(with({{"memory", 1}, {"boot", "00000002"}})));
  EXPECT_NE(short_fingerprint(here), short_fingerprint(with({{"host", "00000002"}})));
  EXPECT_EQ(short_fingerprint(here).size(), 4u);
  EXPECT_TRUE(machine_id().ends_with("-" + short_fingerprint(fingerprint()))) << machine_id();
}

TEST(EnvironmentText, HasMemoryInGiBAndCachesInWords) {
  const Json cache = {{"level", "2"}, {"type", "Unified"}, {"size", "1024K"}, {"shared_by", "0-1"}};
  const Json record = {{"caches", Json::array({cache})},
                       {"memory_bytes", 25'276'502'016},
                       {"gpu", {{"memory_bytes", "1073741824"}}},
                       {"load", "0.5"},
                       {"warnings", Json::array({"busy"})}};
  EXPECT_EQ(environment_text(record),
            "caches                   L2 Unified 1024K, of processors 0-1\n"
            "memory                   23.5 GiB\n"
            "gpu\n"
            "  memory                 1.0 GiB\n"
            "load                     0.5\n"
            "warning: busy\n");
}

class MachineRecord : public Files {
 protected:
  std::string complaint(bool same_machine = false) {
    return complaint_of([&] { write_machine_record(folder_, "here", same_machine); });
  }
};

TEST_F(MachineRecord, LinesWithoutAFingerprintAreRefused) {
  write("machine.json", R"({"id": "here", "price": {"cpu": 1}})");
  EXPECT_EQ(complaint(), "no complaint") << "a price alone is of no machine";
  write("machine.json", R"({"id": "here"})");
  write("adhoc.jsonl", "{}\n");
  expect_has(complaint(), {"without a fingerprint", "--same-machine"});
}

TEST(OwnResults, AreOutsideTheTree) {
  const std::map<std::string, std::string> before = [] {
    std::map<std::string, std::string> set;
    for (const char* name : {"KMBENCH_RESULTS", "XDG_DATA_HOME", "HOME"})
      if (const char* value = std::getenv(name)) set[name] = value;
    return set;
  }();
  for (const char* name : {"KMBENCH_RESULTS", "XDG_DATA_HOME", "HOME"}) ::unsetenv(name);
  expect_has(complaint_of([] { own_results_folder(); }), {"HOME is not set", "--out"});
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(own_results_folder(), "/home/me/.local/share/kmbench/results");
  ::setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(own_results_folder(), "/data/kmbench/results");
  ::setenv("KMBENCH_RESULTS", "/mine", 1);
  EXPECT_EQ(own_results_folder(), "/mine");
  for (const char* name : {"KMBENCH_RESULTS", "XDG_DATA_HOME", "HOME"}) ::unsetenv(name);
  for (const auto& [name, value] : before) ::setenv(name.c_str(), value.c_str(), 1);
}

}  // namespace
}  // namespace km
