#include "bench/run/case_run.hpp"

#include <nlohmann/json.hpp>

#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"
#include "bench/run/result.hpp"

namespace km {

void CaseRun::repeat() {
  if (ended()) return;
  if (case_.judge_seed) repeat_judge_seed(*case_.judge_seed);
  try {
    return measure();
  } catch (const CannotRun& error) {
    skip_ = error.what();
  } catch (const device::Error& error) {
    failure_ = error.what();
    if (error.sticky) (void)session_.release();  // the lost context has freed its device memory
  } catch (const std::bad_alloc&) {
    failure_ = "out of memory";
  } catch (const std::exception& error) {
    failure_ = error.what();
    if (failure_.empty()) failure_ = "it threw an exception without a message";
  } catch (...) {
    failure_ = "it threw what is no std::exception";
  }
  session_.reset();
}

void CaseRun::measure() {
  if (!session_) session_ = prepare(case_, measurement_);
  if (!options_.answers.empty()) return solve();
  session_->repeat(measurement_);
  const bool right = measurement_.judgement.verdict.empty();
  if (right && int(measurement_.samples_s.size()) < case_.repetitions) return;
  if (right && options_.energy) session_->measure_energy(measurement_);
  if (measurement_.judgement.verdict.empty()) session_->finish(measurement_);
  if (options_.save_solutions && !case_.exhibit.empty()) {
    const auto stem = options_.out / case_.exhibit;
    std::filesystem::create_directories(stem.parent_path());
    session_->save(stem);
  }
  session_.reset();
}

void CaseRun::solve() {
  session_->solve(measurement_);
  if (measurement_.judgement.verdict.empty()) {
    const auto folder = options_.answers / case_.id();
    std::filesystem::create_directories(folder);
    session_->write_answer(folder);
  }
  session_.reset();
}

std::string CaseRun::reason() const { return !skip_.empty() ? skip_ : !failure_.empty() ? failure_ : measurement_.judgement.verdict; }

Json CaseRun::line() const {
  Json line = skeleton(case_, options_.argv, options_.machine);
  if (!skip_.empty()) line["skip"] = skip_;
  else if (!failure_.empty()) line["failure"] = failure_;
  else add_measurement(line, case_, measurement_);
  return readable(std::move(line));  // before JSON turns NaN into null
}

}  // namespace km
