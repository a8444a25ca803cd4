#include "formats/plan_operations.h"

namespace onceover::formats {

PlanResult<const PlacedJson*> plan_field(const PlacedJson& object, std::string_view key, std::string_view what) {
  if (object.as<PlacedJson::Object>() == nullptr)
    return plan_fault(object, fmt::format("expected {}, an object; found {}", what, object.words()));
  const PlacedJson* value = object.find(key);
  if (value == nullptr) return plan_fault(object, fmt::format("the key \"{}\" of {} is missing", key, what));
  return value;
}

PlanResult<std::uint64_t> plan_number(const PlacedJson& value, std::string_view what, std::uint64_t least,
                                      std::uint64_t most) {
  const auto* number = value.as<std::uint64_t>();
  if (number == nullptr || *number < least || *number > most)
    return plan_fault(value, fmt::format("expected {} from {} to {}, found {}", what, least, most, value.words()));
  return *number;
}

PlanResult<std::int32_t> plan_count(const PlacedJson& object, std::string_view key, std::int32_t least,
                                    std::int32_t most) {
  const PlacedJson* value = TRY(plan_field(object, key, "this object"));
  return static_cast<std::int32_t>(
      TRY(plan_number(*value, key, static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most))));
}

PlanResult<std::string> plan_text(const PlacedJson& object, std::string_view key, std::string_view what) {
  const PlacedJson* value = TRY(plan_field(object, key, what));
  const auto* text = value->as<std::string>();
  if (text == nullptr)
    return plan_fault(*value, fmt::format("expected a text for \"{}\", found {}", key, value->words()));
  if (!is_plain(*text)) return plan_fault(*value, fmt::format("\"{}\" has characters that can't be printed", key));
  return *text;
}

PlanResult<bool> plan_truth(const PlacedJson& object, std::string_view key, bool otherwise) {
  const PlacedJson* value = object.find(key);
  if (value == nullptr) return otherwise;
  const bool* truth = value->as<bool>();
  if (truth == nullptr) return plan_fault(*value, fmt::format("expected true or false, found {}", value->words()));
  return *truth;
}

PlanResult<std::span<const PlacedJson>> plan_list(const PlacedJson& object, std::string_view key, std::size_t most,
                                                  bool is_optional) {
  if (is_optional && object.as<PlacedJson::Object>() != nullptr && object.find(key) == nullptr)
    return std::span<const PlacedJson>();
  const PlacedJson* value = TRY(plan_field(object, key, "this object"));
  const auto* list = value->as<PlacedJson::Array>();
  if (list == nullptr)
    return plan_fault(*value, fmt::format("expected a list for \"{}\", found {}", key, value->words()));
  if (list->size() > most)
    return plan_fault(*value,
                      fmt::format("\"{}\" has {} elements; the runtime has room for {}", key, list->size(), most));
  return std::span<const PlacedJson>(*list);
}

}  // namespace onceover::formats
