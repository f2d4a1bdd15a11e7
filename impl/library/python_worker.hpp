// A Python library behind the contract: a child process that holds the points in shared memory and fits when told to.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace km {

/// KMBENCH_PYTHON, else the project's .venv, else python3.
std::string python();
/// Can that Python import the module, within half a minute? Asked once a module.
bool python_has(const std::string& module);

/// Anonymous memory that a child process maps too.
class SharedMemory {
 public:
  explicit SharedMemory(std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  std::byte* data() const { return data_; }
  int descriptor() const { return descriptor_; }

 private:
  std::size_t bytes_;
  int descriptor_;
  std::byte* data_;
};

/// A Python script that answers one line for each line it is sent. Dies with us.
class PythonWorker {
 public:
  /// `inherit` stays open in the child; `environment` adds NAME=value. Throws where it cannot start or does not say "ready".
  PythonWorker(const std::string& script, const std::vector<std::string>& args, int inherit, const std::vector<std::string>& environment);
  ~PythonWorker();
  PythonWorker(const PythonWorker&) = delete;
  PythonWorker& operator=(const PythonWorker&) = delete;
  /// Send a line, wait for the answer. Throws std::runtime_error with the child's words when it starts with "error".
  std::string ask(const std::string& line);

 private:
  std::string read_line();
  void stop();
  int to_ = -1, from_ = -1;
  int pid_ = -1;
};

}  // namespace km
