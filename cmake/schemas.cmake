# From schema/ to schemas.cpp, which holds the documents, and to line_fields.hpp: a struct with a member for every number, series of numbers and object that
# a run adds to its line.
foreach(name line exhibit)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/schema/${name}.json)
  file(READ ${PROJECT_SOURCE_DIR}/schema/${name}.json ${name})
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/schemas.cpp @ONLY CONTENT [=[
// From schema/.
#include <nlohmann/json.hpp>

#include "bench/plan/schema.hpp"

namespace km {

using Json = nlohmann::ordered_json;

const Json& line_schema() {
  static const Json parsed = Json::parse(R"json(@line@)json");
  return parsed;
}

const Json& exhibit_schema() {
  static const Json parsed = Json::parse(R"json(@exhibit@)json");
  return parsed;
}

}  // namespace km
]=])

set(type_optional_time std::optional<double>)
set(type_optional_number std::optional<double>)
set(type_optional_count std::optional<std::int64_t>)
set(type_seconds std::vector<double>)
set(type_counts std::vector<std::int64_t>)
set(type_object std::shared_ptr<const\ nlohmann::ordered_json>)

string(JSON count LENGTH "${line}" properties)
math(EXPR last "${count} - 1")
foreach(at RANGE ${last})
  string(JSON name MEMBER "${line}" properties ${at})
  string(JSON known ERROR_VARIABLE none GET "${line}" properties ${name} known)
  string(JSON ref ERROR_VARIABLE none GET "${line}" properties ${name} $ref)
  if(NOT ref)
    string(JSON ref ERROR_VARIABLE none GET "${line}" properties ${name} anyOf 0 $ref)
  endif()
  string(REPLACE "#/$defs/" "type_" type "${ref}")
  string(JSON first ERROR_VARIABLE none GET "${line}" properties ${name} type 0)
  if(first STREQUAL object)
    set(type type_object)
  endif()
  if(DEFINED ${type} AND NOT known STREQUAL "before")
    string(APPEND members "  ${${type}} ${name};\n")
    string(APPEND visits "  visit(\"${name}\", fields.${name});\n")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/schema/line_fields.hpp @ONLY CONTENT [=[
// From schema/line.json.
#pragma once
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

namespace km {

struct LineFields {
@members@};

/// Calls visit(name, value) for each.
template <class Visit>
void each_field(const LineFields& fields, const Visit& visit) {
@visits@}

}  // namespace km
]=])
