// A k-means in a process of its own: one JSON object a line to its standard input, one back from its standard output (docs/adding.md, "A
// program of its own"). It dies with us.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace km {

/// What to run: words of the command, and NAME=value beside our environment.
struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment = {};
  auto operator<=>(const Command&) const = default;
};

/// The command of a script beside this file, in python().
Command python_command(const std::string& script, std::vector<std::string> args = {}, std::vector<std::string> environment = {});

class Worker {
 public:
  using Json = nlohmann::json;

  explicit Worker(Command command);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// A started worker that answered hello: one that was kept for this command, or a new one.
  static std::unique_ptr<Worker> get(const Command& command);
  /// Keep it for the next get where that is allowed (bench/keeping.hpp) and it is well, else end it.
  static void put(std::unique_ptr<Worker> worker);

  /// Send a verb, wait for the answer. Throws std::runtime_error, in one line, where the answer is an error, no JSON object or none at all.
  Json ask(const std::string& verb, Json message = Json::object());
  const Json& hello() const { return hello_; }

 private:
  Worker() = default;  // delegated to: a constructor that throws then still ends what it started
  std::string read_line(const std::string& verb);
  [[noreturn]] void fail(const std::string& what);
  std::string ending();

  Command command_;
  int pid_ = -1, socket_ = -1;
  std::string unread_;
  bool well_ = true;
  Json hello_;
};

}  // namespace km
