# Writes version.cpp: commit, compiler, flags and CUDA of the build. Leaves an unchanged file alone.
set(parts bench impl datasets include schema cmake)
execute_process(COMMAND git -C ${SOURCE} ls-files CMakeLists.txt OUTPUT_VARIABLE tracked ERROR_QUIET)  # no other project's repository
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=normal -- ${parts} CMakeLists.txt OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT tracked OR NOT commit)  # the sources name themselves
  set(changes "")
  set(hashes "")
  list(TRANSFORM parts REPLACE "(.+)" "${SOURCE}/\\1/*" OUTPUT_VARIABLE patterns)
  file(GLOB_RECURSE files RELATIVE ${SOURCE} ${patterns})
  list(FILTER files EXCLUDE REGEX __pycache__)
  foreach(file ${files} CMakeLists.txt)
    file(SHA256 ${SOURCE}/${file} hash)
    string(APPEND hashes "${file} ${hash}\n")
  endforeach()
  string(SHA256 hash "${hashes}")
  string(SUBSTRING ${hash} 0 12 hash)
  set(commit nogit-${hash})
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
