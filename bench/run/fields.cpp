#include "bench/run/fields.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/plan/schema.hpp"

namespace km {
namespace {

/// The node with its reference and its alternative, null, written out.
Json plain(Json node) {
  if (const auto reference = node.find("$ref"); reference != node.end()) {
    Json made = plain(line_schema().at(Json::json_pointer(reference->get<std::string>().substr(1))));
    made.update(node);
    return made;
  }
  if (node.contains("anyOf")) {
    Json made = plain(node["anyOf"][0]);
    made["type"] = {made["type"], "null"};
    return made;
  }
  if (node.contains("enum")) node["type"] = {"string", node["enum"].back().is_null() ? "null" : "string"};
  if (node.contains("items")) node["items"] = plain(node["items"]);
  return node;
}

Field field_of(const std::string& name, const Json& declared) {
  const Json node = plain(declared), &type = node["type"];
  const bool several = type.is_array();
  return {.name = name,
          .known = declared.value("known", ""),
          .type = several ? type[0] : type,
          .nullable = several && type.back() == "null",
          .counted = node.value("items", node).contains("minimum")};
}

/// The latest `since` of a property, or of one inside.
int latest(const Json& node) {
  int number = node.value("since", 1);
  if (const auto inside = node.find("properties"); inside != node.end())
    for (const Json& inner : *inside) number = std::max(number, latest(inner));
  return number;
}

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
template <class T>
Json json_of(const std::vector<T>& values) {
  return values.empty() ? Json() : Json(values);
}
Json json_of(const std::shared_ptr<const Json>& value) { return value ? *value : Json(); }

}  // namespace

Json Field::empty() const {
  if (nullable) return nullptr;
  return type == "object" ? Json::object() : type == "array" ? Json::array() : type == "string" ? Json("") : Json(0);
}

bool Field::fits(const Json& value) const {
  if (value.is_null()) return nullable;
  if (type == "integer") return value.is_number_integer();
  return value.type_name() == type;
}

const std::vector<Field>& line_fields() {
  static const auto all = [] {
    std::vector<Field> fields;
    for (const auto& [name, node] : line_schema()["properties"].items()) fields.push_back(field_of(name, node));
    return fields;
  }();
  return all;
}

int line_version() {
  static const int number = latest(line_schema());
  return number;
}

void write_fields(Json& line, const LineFields& values, bool right) {
  each_field(values, [&](const char* name, const auto& value) {
    const Field& field = *std::ranges::find(line_fields(), name, &Field::name);
    const Json written = json_of(value);
    const bool none = written.is_null() || (!field.counted && written.is_number_float() && !std::isfinite(written.get<double>()));
    if (!none && (right || field.known == "judged")) line[name] = written;
  });
}

}  // namespace km
