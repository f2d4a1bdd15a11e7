// Ends a program that was compiled with -march=native for another processor, in one line, before one of its instructions is illegal. This file alone is
// compiled for any x86-64 (CMakeLists.txt) and calls no inline function, since the linker may take another file's copy of it.
#include <unistd.h>

#include <cstring>

namespace km {

extern const char* const compiled_features[];  // compiled_features.cpp

namespace {

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) ::_exit(2);
}

/// Runs before every other initializer of the program.
__attribute__((constructor(101))) void refuse_another_processor() {
  __builtin_cpu_init();
  const struct {
    const char* name;
    int here;
  } features[] = {{"avx", __builtin_cpu_supports("avx")},
                  {"avx2", __builtin_cpu_supports("avx2")},
                  {"fma", __builtin_cpu_supports("fma")},
                  {"bmi2", __builtin_cpu_supports("bmi2")},
                  {"avx512f", __builtin_cpu_supports("avx512f")},
                  {"avx512bw", __builtin_cpu_supports("avx512bw")},
                  {"avx512dq", __builtin_cpu_supports("avx512dq")},
                  {"avx512vl", __builtin_cpu_supports("avx512vl")},
                  {"avx512vbmi", __builtin_cpu_supports("avx512vbmi")},
                  {"avx512vnni", __builtin_cpu_supports("avx512vnni")}};
  bool runs = true;
  for (const char* const* compiled = compiled_features; *compiled; ++compiled)
    for (const auto& one : features) {
      if (one.here || std::strcmp(one.name, *compiled) != 0) continue;
      say(runs ? "kmbench: compiled for another processor (-march=native); this one lacks " : " ");
      say(one.name);
      runs = false;
    }
  if (runs) return;
  say(": build it here, or with -DKM_NATIVE=OFF\n");
  ::_exit(2);
}

}  // namespace
}  // namespace km
