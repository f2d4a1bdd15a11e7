#include "bench/base/openblas.hpp"

#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <optional>

namespace km::openblas {
namespace {

constexpr const char *core_type = "OPENBLAS_CORETYPE", *thread_timeout = "OPENBLAS_THREAD_TIMEOUT";
constexpr const char* chosen_names = "KMBENCH_OPENBLAS";  // the names of what choose_for_workers set
constexpr const char* least_timeout = "4";                // 2^4 cycles; OpenBLAS spins 2^26 by default
constexpr int with_own_threads = 1;                       // as openblas_get_parallel says

template <class F>
F* symbol(void* library, const char* name) {
  return library ? reinterpret_cast<F*>(dlsym(library, name)) : nullptr;
}

std::string word_of(void* library, const char* name) {
  const auto ask = symbol<char*()>(library, name);
  const char* const text = ask ? ask() : nullptr;
  return text ? text : "";
}

std::string core_of(void* library) { return word_of(library, "openblas_get_corename"); }

int parallelism_of(void* library) {
  const auto ask = symbol<int()>(library, "openblas_get_parallel");
  return ask ? ask() : 0;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) { return std::ranges::find(words, word) != words.end(); }

/// Returns the core type that suits this processor better than `chosen`, in OPENBLAS_CORETYPE's words, or "".
std::string better_core([[maybe_unused]] std::string_view chosen) {
#ifdef __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  const bool at_most_avx = is_one_of(chosen, {"Katmai", "Coppermine", "Northwood",   "Prescott",  "Banias",     "Atom",         "Core2",
                                              "Penryn", "Dunnington", "Nehalem",     "Athlon",    "Opteron",    "Opteron_SSE3", "Barcelona",
                                              "Bobcat", "Nano",       "Sandybridge", "Bulldozer", "Piledriver", "Steamroller"});
  if (avx512 && (at_most_avx || chosen == "Haswell")) return "SkylakeX";
  if (avx2 && at_most_avx) return "Haswell";
#endif
  return "";
}

/// An environment variable, for its lifetime.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (before_) ::setenv(name_, before_->c_str(), 1);
    else ::unsetenv(name_);
  }
  Setting(Setting&&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

bool reloaded = false;  // with a better core type

void* opened(int how) {
  for (const char* file : {"libopenblas.so.0", "libopenblas.so"})
    if (void* const library = dlopen(file, RTLD_NOW | how)) return library;
  return nullptr;
}

}  // namespace

void* loaded() {
  void* const library = opened(RTLD_NOLOAD);
  if (library) dlclose(library);  // whoever loaded it keeps it
  return library;
}

void* load() {
  const Setting one_thread("OPENBLAS_NUM_THREADS", "1");
  void* const library = opened(RTLD_LOCAL);
  const std::string better = better_core(core_of(library));
  if (!library || better.empty() || std::getenv(core_type)) return library;
  dlclose(library);  // it chooses only while it is loaded; where it is linked too, it stays as it is
  const Setting core(core_type, better);
  void* const again = opened(RTLD_LOCAL);
  reloaded = core_of(again) == better;
  return again;
}

std::string version(void* library) {
  std::string text = word_of(library, "openblas_get_config");  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …"
  const std::string_view name = "OpenBLAS ";
  if (!text.starts_with(name)) return "";
  text = text.substr(name.size());
  text.resize(std::min(text.find(' '), text.size()));
  const std::string better = better_core(core_of(library));
  text += ", " + core_of(library);
  constexpr std::array words = {", serial", ", pthreads", ", OpenMP"};  // as openblas_get_parallel counts
  text += words[std::size_t(std::clamp(parallelism_of(library), 0, 2))];
  const char* const wanted = std::getenv(core_type);
  const bool ours = reloaded || (wanted && chosen_for_workers(core_type));
  if (!better.empty()) text += ", kernels of an older processor: this one could run " + better;
  else if (ours) text += ", core type set by kmbench";
  else if (wanted) text += ", core type set by OPENBLAS_CORETYPE";
  return text;
}

Threads::Threads(void* library, int count) {
  const auto get = symbol<int()>(library, "openblas_get_num_threads");
  const auto set = symbol<void(int)>(library, "openblas_set_num_threads");
  if (!get || !set || parallelism_of(library) != with_own_threads) return;  // one on OpenMP would set OpenMP's number
  set_ = set;
  before_ = get();
  set_(count > 0 ? count : omp_get_num_procs());
}

Threads::~Threads() {
  if (set_) set_(before_);
}

void choose_for_workers() {
  void* const library = loaded();
  if (!library) return;
  std::string names;
  const auto choose = [&](const char* name, const std::string& value) {
    if (value.empty() || std::getenv(name)) return;
    ::setenv(name, value.c_str(), 1);
    names += std::string(names.empty() ? "" : ",") + name;
  };
  choose(core_type, better_core(core_of(library)));
  if (parallelism_of(library) == with_own_threads) choose(thread_timeout, least_timeout);
  if (!names.empty()) ::setenv(chosen_names, names.c_str(), 1);
}

bool chosen_for_workers(std::string_view entry) {
  const char* const names = std::getenv(chosen_names);
  const auto name = entry.substr(0, entry.find('='));
  if (!names || !is_one_of(name, {core_type, thread_timeout})) return names && name == chosen_names;
  return std::string_view(names).find(name) != std::string_view::npos;
}

}  // namespace km::openblas
