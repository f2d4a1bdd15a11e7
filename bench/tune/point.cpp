#include "bench/tune/point.hpp"

#include <chrono>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>

#include "bench/device/device.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/result.hpp"

namespace km {

std::pair<Json, bool> measured(const Case& c, const Provenance& by) {
  Json line = skeleton(c, by.argv, by.machine);
  Measurement m;
  std::unique_ptr<Session> session;
  try {
    session = prepare(c, m);
    while (int(m.samples_s.size()) < c.repetitions && m.judgement.verdict.empty()) session->repeat(m);
    if (m.judgement.verdict.empty()) session->finish(m);
    add_measurement(line, c, m);
    return {readable(line), !m.process_changed && m.judgement.verdict.empty()};
  } catch (const CannotRun& error) {
    line["skip"] = error.what();
    return {line, true};
  } catch (const device::Error& error) {
    line["failure"] = error.what();
    if (error.sticky) (void)session.release();  // the lost context has freed its device memory
  } catch (const std::bad_alloc&) {
    line["failure"] = "out of memory";
  } catch (const std::exception& error) {
    line["failure"] = error.what();
  } catch (...) {
    line["failure"] = "it threw what is no std::exception";
  }
  return {line, false};
}

Json line_of(const Case& c, const std::string& answer, const std::string& why, const Provenance& by) {
  Json line = Json::parse(answer, nullptr, false);
  if (line.is_object() && line.value("case", "") == c.id()) return readable(line);
  line = skeleton(c, by.argv, by.machine);
  line["failure"] = why.empty() ? "the worker said of it what is no result line" : why;
  return line;
}

double patience_s(const Case& c) { return 60 + 50 * c.forecast_s() + double(c.n) * c.d * 1e-7; }

double steady_now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace km
