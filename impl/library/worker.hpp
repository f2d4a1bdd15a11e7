// A k-means in a process of its own: one JSON object a line to its standard input, one back from its standard output (docs/adding.md, "A
// program of its own"). It dies with us.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "impl/library/command.hpp"

namespace km {

class Worker {
 public:
  using Json = nlohmann::json;

  explicit Worker(Command command);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// A started worker that answered hello: one that was kept for this command, or a new one.
  static std::unique_ptr<Worker> get(const Command& command);
  /// Keep it for the next get where that is allowed (bench/reuse_scope.hpp) and it is well, else end it.
  static void put(std::unique_ptr<Worker> worker);

  /// Send a verb, wait for the answer. Throws std::runtime_error, in one line, where the answer is an error, no JSON object or none at all.
  Json ask(const std::string& verb, Json message);
  Json ask(const std::string& verb);
  const Json& hello() const { return *hello_; }

 private:
  Worker();  // delegated to: a constructor that throws then still ends what it started
  std::string read_line(const std::string& verb);
  [[noreturn]] void fail(const std::string& what);
  std::string ending();

  Command command_;
  int pid_ = -1, socket_ = -1;
  std::string unread_;
  bool well_ = true;
  std::unique_ptr<Json> hello_;
};

}  // namespace km
