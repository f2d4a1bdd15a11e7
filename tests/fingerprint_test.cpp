// The fingerprint of a machine, the refusal of another machine's folder, and the folder of a user's results.
#include "bench/machine/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/base/home.hpp"
#include "bench/machine/environment.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

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

class MachineRecord : public Files {
 protected:
  std::string complaint(bool same_machine = false) {
    return complaint_of([&] { write_machine_record(folder_, "here", same_machine); });
  }
};

TEST_F(MachineRecord, AFolderOfAnotherMachineIsRefused) {
  EXPECT_EQ(complaint(), "no complaint");
  EXPECT_EQ(complaint(), "no complaint") << "a second time";
  Json record = read_machine_record(folder_ / "machine.json");
  record["fingerprint"]["host"] = "elsewhere";
  write("machine.json", record.dump());
  expect_has(complaint(), {"another machine (host differs)", "--out", "--same-machine"});
  EXPECT_EQ(read_machine_record(folder_ / "machine.json"), record) << "nothing is written";
  EXPECT_EQ(complaint(true), "no complaint");
  EXPECT_EQ(complaint(), "no complaint") << "from then on it is the same one";
}

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
