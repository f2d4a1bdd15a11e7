// A run of a spectral chain, for tests of the chain and of its judge.
#pragma once

#include "bench/device/device.hpp"
#include "bench/judge/chain.hpp"
#include "bench/run/truth.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"

namespace km {

/// A run of a chain on a generated set, with its record.
struct ChainRun {
  ChainRun(const std::string& set, std::int64_t n, int k, ParameterValues values, const std::string& solver = "cpu/spectral/lapack")
      : data(load_dataset<float>(request(set, n))), truth(generated_labels(request(set, n))), implementation(*find_implementation(solver)),
        config(config_of(implementation, std::move(values))), problem{{.n = n, .d = data.d, .k = k, .max_iters = 10}, data.points(), {}} {
    objection = implementation.description.unsupported(problem, config, 4);
    if (implementation.description.device == Device::gpu && !device::available()) objection = device::unavailable();
    if (!objection.empty()) return;
    Trace trace(true);
    labels = solved(*implementation.prepare<float>()(problem, config, trace), trace).labels;
    record = *noted_chain<float>();
    phases = trace.phases();
  }

  ChainJudgement judged() const { return judge_chain<float>(problem, config, record, labels); }
  double ari() const { return agreement_of(labels, truth).ari; }

  Dataset<float> data;
  std::vector<std::int32_t> truth;
  const Implementation& implementation;
  Config config;
  Problem<float> problem;
  std::string objection;
  Labels labels;
  ChainRecord<float> record;
  Trace::Series phases;
};

}  // namespace km
