# The keys of an exhibit that kmbench knows, from schema/exhibit.json to the arrays of bench/plan/exhibit.hpp.
set(schema ${PROJECT_SOURCE_DIR}/schema/exhibit.json)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
file(READ ${schema} text)

# "name" of every property below a path, each formatted by `line` with @name@ and @type@.
function(list_keys line out)
  string(JSON count LENGTH "${text}" ${ARGN})
  math(EXPR last "${count} - 1")
  foreach(at RANGE ${last})
    string(JSON name MEMBER "${text}" ${ARGN} ${at})
    string(JSON type ERROR_VARIABLE none GET "${text}" ${ARGN} ${name} type)
    string(REGEX REPLACE "[^a-z]+" " " type "${type}")
    string(STRIP "${type}" type)
    string(CONFIGURE "${line}" made @ONLY)
    string(APPEND made_all "${made}")
  endforeach()
  set(${out} "${made_all}" PARENT_SCOPE)
endfunction()

list_keys("    {\"@name@\", \"@type@\"},\n" sections properties)
list_keys("    \"@name@\",\n" axes $defs axes properties)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/exhibit_keys.cpp @ONLY CONTENT [=[
// From schema/exhibit.json.
#include "bench/plan/exhibit.hpp"

namespace km {
namespace {

constexpr Section sections[] = {
@sections@};
constexpr std::string_view axes[] = {
@axes@};

}  // namespace

const std::span<const Section> exhibit_sections = sections;
const std::span<const std::string_view> sweep_keys = axes;

}  // namespace km
]=])
