# Writes version.cpp: commit, compiler, flags and CUDA of the build. Leaves an unchanged file alone.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=normal -- bench impl datasets include schema cmake CMakeLists.txt
                OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT commit)
  set(commit unknown)
endif()
if(changes)
  set(dirty true)
else()
  set(dirty false)
endif()
string(REPLACE ";" " " FLAGS "${FLAGS}")
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
#include "bench/machine/version.hpp"
namespace km::version {
std::string number() { return "@VERSION@"; }
std::string commit() { return "@commit@"; }
bool dirty() { return @dirty@; }
std::string compiler() { return "@COMPILER@"; }
std::string flags() { return "@FLAGS@"; }
std::string build_type() { return "@TYPE@"; }
std::string cuda() { return "@CUDA@"; }
}
]])
