// Ends a program that was compiled with -march=native for another processor, in one line, before one of its instructions is illegal. This file alone is
// compiled for any x86-64 (CMakeLists.txt) and calls no inline function, since the linker may take another file's copy of it.
#include <unistd.h>

#include <cstring>

#include "bench/machine/processor.hpp"

namespace km {
namespace {

void say(const char* text) {
  if (::write(STDERR_FILENO, text, std::strlen(text)) < 0) ::_exit(2);
}

/// Runs before every other initializer of the program.
__attribute__((constructor(101))) void refuse_another_processor() {
  __builtin_cpu_init();
  const struct {
    unsigned feature;
    int here;
    const char* name;
  } features[] = {{feature_avx, __builtin_cpu_supports("avx"), " avx"},
                  {feature_avx2, __builtin_cpu_supports("avx2"), " avx2"},
                  {feature_fma, __builtin_cpu_supports("fma"), " fma"},
                  {feature_bmi2, __builtin_cpu_supports("bmi2"), " bmi2"},
                  {feature_avx512f, __builtin_cpu_supports("avx512f"), " avx512f"},
                  {feature_avx512bw, __builtin_cpu_supports("avx512bw"), " avx512bw"},
                  {feature_avx512dq, __builtin_cpu_supports("avx512dq"), " avx512dq"},
                  {feature_avx512vl, __builtin_cpu_supports("avx512vl"), " avx512vl"},
                  {feature_avx512vbmi, __builtin_cpu_supports("avx512vbmi"), " avx512vbmi"},
                  {feature_avx512vnni, __builtin_cpu_supports("avx512vnni"), " avx512vnni"}};
  bool runs = true;
  for (const auto& one : features)
    if ((compiled_features & one.feature) && !one.here) {
      if (runs) say("kmbench: compiled for another processor (-march=native); this one lacks");
      say(one.name);
      runs = false;
    }
  if (runs) return;
  say(": build it here, or with -DKM_NATIVE=OFF\n");
  ::_exit(2);
}

}  // namespace
}  // namespace km
