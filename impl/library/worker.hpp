// A k-means in its own process: one JSON object per line through standard input and output (docs/adding.md, "A program of its own"). It dies with
// this process.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "impl/library/python.hpp"

namespace km {

class Worker {
 public:
  using Json = nlohmann::json;

  explicit Worker(Command command);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Returns a worker that answered hello: a kept one of this command, or a new one. Ends kept ones of other commands.
  static std::unique_ptr<Worker> get(const Command& command);
  /// Keeps a healthy worker of a lasting command, or of any inside a ReuseScope (bench/contract/reuse_scope.hpp). Ends all others.
  static void put(std::unique_ptr<Worker> worker);

  /// Sends a verb and waits for the answer. Throws std::runtime_error with one line if the answer is an error, no JSON object or missing.
  Json ask(const std::string& verb, Json message);
  const Json& hello() const { return *hello_; }
  /// Seconds from start to hello; 0 for a kept worker.
  double start_s() const { return start_s_; }

 private:
  Worker();  // delegated to, so that a throwing constructor still ends its process
  std::string read_line(const std::string& verb);
  [[noreturn]] void fail(const std::string& what);
  std::string ending();

  Command command_;
  int pid_ = -1, socket_ = -1;
  std::string unread_;
  bool well_ = true;
  double start_s_ = 0;
  std::unique_ptr<Json> hello_;
};

}  // namespace km
