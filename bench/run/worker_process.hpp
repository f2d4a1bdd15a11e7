// A worker process as its parent sees it: its start, its pipes, its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/base/descriptor.hpp"

namespace km {

/// A running worker. Owns the process and both pipes.
class WorkerProcess {
 public:
  /// args: this program's. launcher: the words before them; empty: none. Throws if no process can be started.
  WorkerProcess(const std::vector<std::string>& args, const std::vector<std::string>& launcher);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&&) = delete;

  /// A launcher's ranks are processes of their own, and end when it does.
  bool launched() const { return launched_; }
  int orders() const { return orders_.id(); }            // a socket, because writing to a dead worker raises no signal there
  int events() const { return events_.id(); }            // a pipe
  const std::string& secret() const { return secret_; }  // precedes each of its lines; other writers to the pipe do not know it

  /// Sends as much of the text as the worker takes at once, and removes it. Removes all if nobody will read it.
  void send(std::string& text) const;
  /// Ends the worker. A launcher gets the time to end its ranks, unless `at_once`.
  void stop(bool at_once) const;
  bool has_ended();
  /// Waits for its end, and ends its children. Stops it as soon as `impatient`. Returns false if it was stopped.
  bool reap(const std::function<bool()>& impatient);

  /// How it died. Call it after its end.
  std::string cause_of_death() const;
  /// Resident memory without pages of mapped files, which the kernel can reclaim.
  double resident_bytes() const;

 private:
  pid_t pid_ = -1;
  Descriptor orders_, events_;
  int status_ = 0;
  std::string secret_;
  bool launched_, ended_ = false, reaped_ = false;
};

constexpr std::chrono::seconds patience(3);  // with a worker that should end

}  // namespace km
