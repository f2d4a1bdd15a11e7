// kmbench data: writes a data set's points to a file.

#include "bench/base/error.hpp"
#include "bench/data/dataset.hpp"
#include "bench/data/generators.hpp"
#include "bench/data/limits.hpp"
#include "bench/program/flags.hpp"

namespace km::data_command {

struct DataFlags {
  std::string name, out, n, d, k, precision = "fp32";
  std::vector<std::string> settings;
} flags;

DatasetRequest request_of(const DataFlags& f) {
  DatasetRequest request{.name = f.name};
  if (!f.n.empty()) request.n = whole_number("--n", f.n, 1, 1'000'000'000'000'000);
  if (!f.d.empty()) request.d = int(whole_number("--d", f.d, 1, most_dimensions));
  if (!f.k.empty()) request.k = int(whole_number("--k", f.k, 1, 100'000'000));
  for (const auto& text : f.settings) {
    const auto [name, number] = assignment("--data-set", text);
    const auto value = number_of(parse_scalar(number));
    if (!value) throw UserError("--data-set '{}' is not name=number", text);
    if (!request.settings.emplace(name, *value).second) throw UserError("--data-set {} is given twice", name);
  }
  return request;
}

template <class T>
void write_data(const DatasetRequest& request, const std::string& out) {
  if (const auto hash = out.ends_with(".npy") ? make_npy<T>(request, out) : std::nullopt) {
    const auto [n, d] = dataset_shape(request);
    fmt::print("{}: {} x {}, hash {}\n", out, n, d, *hash);
    return;
  }
  const auto dataset = load_dataset<T>(request);
  if (out.ends_with(".csv")) write_csv<T>(out, dataset.points(), dataset.n, dataset.d);
  else write_npy<T>(out, dataset.points(), dataset.n, dataset.d);
  fmt::print("{}: {} x {}, hash {}\n", out, dataset.n, dataset.d, dataset.hash);
}

int run(const Invocation&) {
  const auto request = request_of(flags);
  if (const auto ending = std::filesystem::path(flags.out).extension(); ending != ".npy" && ending != ".csv")
    throw UserError("--out {}: written are .npy and .csv", flags.out);
  check_out_file("--out", flags.out);
  generates_on_device() = true;
  if (flags.precision == "fp32") write_data<float>(request, flags.out);
  else write_data<double>(request, flags.out);
  return 0;
}

const RegisterCommand registration{7,
                                   {.name = "data",
                                    .summary = "Write a data set as .npy or .csv",
                                    .options = {{"name", &flags.name, "Data set: see kmbench list datasets", {}, true},
                                                {"--out", &flags.out, "File to write, .npy or .csv", {}, true},
                                                {"--n", &flags.n, "Points (default: the data set's)"},
                                                {"--d,--nd", &flags.d, "Dimensions (default: the data set's)"},
                                                {"--k,--kc", &flags.k, "Groups, for generators that place some"},
                                                {"--precision", &flags.precision, "Of the points (default fp32)", {"fp32", "fp64"}},
                                                {"--data-set", &flags.settings, "Generator settings: sigma2=0.1 (repeatable)"}},
                                    .run = run,
                                    .completes = {"$datasets"},
                                    .examples = {"kmbench data blobs --n 1000 --d 2 --k 5 --out points.npy"}}};

}  // namespace km::data_command
