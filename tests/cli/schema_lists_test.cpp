// Lists in docs/schema/ that repeat a table of the program. scripts/approve writes them anew, as it does what is
// printed.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/rows.h"
#include "schedules/catalogue.h"
#include "subjects/input_kind.h"
#include "subjects/measures.h"
#include "verifier/property.h"

namespace schema_lists_test {

using namespace onceover::subjects;
using onceover::verifier::Property;
using Value = nlohmann::ordered_json;

namespace {

/// The ids of the properties for which `is_listed` says yes.
Value ids_if(bool (*is_listed)(const Property&)) {
  Value ids = Value::array();
  for (const Property& property : onceover::verifier::properties())
    if (is_listed(property)) ids.push_back(property.id);
  return ids;
}

bool is_of_runs(const Property& property) {
  return property.subjects != onceover::verifier::Subjects::libraries;
}

bool has_no_bound(const Property& property) {
  return !property.bound;
}

/// Is it required of some subject by default? Of code these two are.
bool may_be_waived(const Property& property) {
  return property.required_by_default || property.id == onceover::verifier::bitwise_reproducible_property.id ||
         property.id == onceover::verifier::order_preserving_property.id;
}

Value all_and(const std::vector<std::string_view>& names) {
  Value list = Value::array({"all"});
  for (const std::string_view name : names) list.push_back(name);
  return list;
}

/// What a baseline has of each unit, beside the collective.
Value with_metrics(const Value& collective) {
  Value keys{{"collective", collective}};
  for (const Metric& metric : metrics()) {
    std::string meaning(metric.meaning);
    meaning[0] = static_cast<char>(std::toupper(meaning[0]));
    keys[std::string(metric.name)] = {{"description", meaning},
                                      {"allOf", Value::array({{{"$ref", "#/definitions/number"}}})}};
  }
  return keys;
}

/// The schema of that name as `change` leaves it is the one that is there.
void check_schema(const std::string& name, void (*change)(Value&)) {
  const std::string path = fmt::format("{}/docs/schema/{}.schema.json", ONCEOVER_SOURCE, name);
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  Value schema = Value::parse(text);
  change(schema);
  const std::string now = schema.dump(2) + "\n";
  CAPTURE(name);
  if (std::getenv("ONCEOVER_APPROVE") != nullptr)
    std::ofstream(path) << now;
  else
    CHECK(now == text);
}

}  // namespace

TEST_CASE("approved: schemas list the algorithms, properties, formats and metrics that there are") {
  check_schema("run", [](Value& schema) {
    schema["/definitions/property/properties/id/enum"_json_pointer] = ids_if(is_of_runs);
  });
  check_schema("gate-file", [](Value& schema) {
    const auto algorithms =
        onceover::base::mapped(onceover::schedules::catalogue(), &onceover::schedules::Algorithm::name);
    schema["/definitions/algo/anyOf/0/enum"_json_pointer] = all_and(algorithms);
    schema["/definitions/algo/anyOf/1/items/enum"_json_pointer] = algorithms;
    schema["/definitions/property/enum"_json_pointer] = ids_if(has_no_bound);
    schema["/definitions/default-property/enum"_json_pointer] = ids_if(may_be_waived);
    const std::string judged =
        fmt::format("schedule files or programs ({}), as seen from this file's folder", program_kind_names("or"));
    schema["/definitions/file/description"_json_pointer] = "The subject, one of " + judged;
    schema["/definitions/files/description"_json_pointer] =
        fmt::format("The subject: {}: a path, a pattern such as plans/**/*.json, or a list of these", judged);
    schema["/definitions/limit/description"_json_pointer] =
        fmt::format("Limits on metrics, such as \"steps <= 2*ceil(log2(p))\"; see docs/gate.md. Metrics: {}",
                    fmt::join(onceover::base::mapped(metrics(), &Metric::name), ", "));
  });
  check_schema("baseline", [](Value& schema) {
    Value& keys = schema["/properties/units/additionalProperties/properties"_json_pointer];
    keys = with_metrics(keys["collective"]);
  });
}

}  // namespace schema_lists_test
