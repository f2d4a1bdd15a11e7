// k-means from C++: kmbench::fit(points, n, d, {.k = 8}). Starts `kmbench fit`, which computes and judges, and reads its answer. One header, C++20, Linux.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef KMBENCH_PROGRAM  // find_package(kmbench) names the installed one
#define KMBENCH_PROGRAM "kmbench"
#endif

namespace kmbench {

struct FitOptions {
  int k = 8, n_init = 10;
  double tolerance = 0;  // stop when at most this share of the points changed label
  std::int64_t seed = 1;
  std::string init = "k-means++", implementation = "auto";
};

template <class T>
struct Fitted {
  std::vector<std::int32_t> labels;  // n
  std::vector<T> centroids;          // k x d
  std::string report;                // fit.json
};

namespace detail {

/// A new folder, removed in the end.
struct Folder {
  Folder() : path((std::filesystem::temp_directory_path() / "kmbench-XXXXXX").string()) {
    if (!::mkdtemp(path.data())) throw std::runtime_error("kmbench: no folder for the points in " + path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string path;
};

/// NEP 1, version 1.0: magic, length of the header, a dictionary padded to 64 bytes.
template <class T>
void write_npy(const std::string& file, const T* values, std::int64_t n, int d) {
  std::string header =
      "{'descr': '<f" + std::to_string(sizeof(T)) + "', 'fortran_order': False, 'shape': (" + std::to_string(n) + ", " + std::to_string(d) + "), }";
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  const char length[] = {char(header.size() & 255), char(header.size() >> 8)};
  std::ofstream out(file, std::ios::binary);
  out.write("\x93NUMPY\x01\x00", 8).write(length, 2) << header;
  out.write(reinterpret_cast<const char*>(values), std::streamsize(n) * d * std::streamsize(sizeof(T)));
  if (!out.flush()) throw std::runtime_error("kmbench: cannot write " + file);
}

/// The values of a file that kmbench wrote.
template <class T>
std::vector<T> read_npy(const std::string& file, std::size_t count) {
  std::vector<T> values(count);
  std::ifstream in(file, std::ios::binary);
  in.seekg(-std::streamoff(count * sizeof(T)), std::ios::end);
  if (!in.read(reinterpret_cast<char*>(values.data()), std::streamsize(count * sizeof(T)))) throw std::runtime_error("kmbench: cannot read " + file);
  return values;
}

inline std::string text_of(const std::string& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Runs the words, with its messages in a file; returns the exit code.
inline int run(std::vector<std::string> words, const std::string& messages) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, 2, messages.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &files, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  int status = 0;
  if (failed) throw std::runtime_error("kmbench: cannot start " + words[0] + ": KMBENCH_PROGRAM names the program");
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace detail

/// Clusters n x d points, row-major, of float or double. Throws std::invalid_argument for points or options that kmbench refuses, std::runtime_error
/// where no start has a right result.
template <class T>
Fitted<T> fit(const T* points, std::int64_t n, int d, const FitOptions& options = {}) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  const detail::Folder folder;
  const std::string answer = folder.path + "/answer", file = folder.path + "/points.npy", messages = folder.path + "/messages";
  detail::write_npy(file, points, n, d);
  char tolerance[32];
  *std::to_chars(tolerance, tolerance + sizeof tolerance - 1, options.tolerance).ptr = '\0';
  const char* named = std::getenv("KMBENCH_PROGRAM");
  const int code = detail::run({named ? named : KMBENCH_PROGRAM, "fit", file, "--out", answer, "--k", std::to_string(options.k), "--n-init",
                                std::to_string(options.n_init), "--tolerance", tolerance, "--seed", std::to_string(options.seed), "--init",
                                options.init, "--implementation", options.implementation, "--precision", sizeof(T) == 4 ? "fp32" : "fp64"},
                               messages);
  if (code == 2) throw std::invalid_argument(detail::text_of(messages));
  if (code != 0) throw std::runtime_error(detail::text_of(messages));
  return {detail::read_npy<std::int32_t>(answer + "/labels.npy", std::size_t(n)),
          detail::read_npy<T>(answer + "/centroids.npy", std::size_t(options.k) * std::size_t(d)), detail::text_of(answer + "/fit.json")};
}

}  // namespace kmbench
