#include "base/placed_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/json_source.h"

namespace onceover::base {

namespace {

/// A handler of nlohmann's events. `open_` holds the brackets that are open, the innermost last.
class Builder {
 public:
  Builder(std::string_view name, std::string_view text, std::size_t most_nested)
      : name_(name), places_(text), most_nested_(most_nested) {}

  tl::expected<PlacedJson, SourceError> read() {
    if (!places_.parse(*this)) return tl::unexpected(*std::move(error_));
    return *std::move(result_);
  }

  bool null() { return add({places_.word(), PlacedJson::Other{"null"}}); }
  bool boolean(bool value) { return add({places_.word(), value}); }
  bool number_integer(std::int64_t) { return add({places_.number(), PlacedJson::Other{places_.number_text()}}); }
  bool number_unsigned(std::uint64_t value) { return add({places_.number(), value}); }
  bool number_float(double, const std::string&) { return number_integer(0); }
  bool string(std::string& value) { return add({places_.string(), std::move(value)}); }
  bool binary(nlohmann::json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open({places_.bracket(), PlacedJson::Object{}}); }
  bool start_array(std::size_t) { return open({places_.bracket(), PlacedJson::Array{}}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& key) {
    if (open_.back().value.find(key) != nullptr)
      return fail(places_.string(), fmt::format("the key \"{}\" occurs twice in this object", key));
    open_.back().key = std::move(key);
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& e) {
    return fail(places_.here(), "not JSON: " + json_complaint(e));
  }

 private:
  struct Open {
    PlacedJson value;
    std::string key = {};  // of the member that is read next
  };

  bool fail(std::size_t offset, std::string_view message) {
    if (!error_) error_ = source_error(name_, places_.text(), offset, message);
    return false;
  }

  bool add(PlacedJson value) {
    if (open_.empty()) {
      result_ = std::move(value);
    } else if (auto* array = open_.back().value.as<PlacedJson::Array>()) {
      array->push_back(std::move(value));
    } else {
      open_.back().value.as<PlacedJson::Object>()->emplace_back(std::move(open_.back().key), std::move(value));
    }
    return true;
  }

  bool open(PlacedJson value) {
    if (open_.size() == most_nested_) return fail(places_.bracket(), "brackets are nested too deep");
    open_.push_back({std::move(value)});
    return true;
  }

  bool close() {
    PlacedJson value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  std::string_view name_;
  JsonPlaces places_;
  std::size_t most_nested_;
  std::vector<Open> open_;
  std::optional<PlacedJson> result_;
  std::optional<SourceError> error_;
};

}  // namespace

const PlacedJson* PlacedJson::find(std::string_view key) const {
  const auto* object = as<Object>();
  if (object == nullptr) return nullptr;
  const auto member = std::find_if(object->begin(), object->end(), [&](const auto& m) { return m.first == key; });
  return member == object->end() ? nullptr : &member->second;
}

std::string PlacedJson::words() const {
  constexpr std::size_t longest = 60;
  if (const auto* other = as<Other>()) return other->words.substr(0, longest);
  if (const auto* truth = as<bool>()) return *truth ? "true" : "false";
  if (const auto* count = as<std::uint64_t>()) return std::to_string(*count);
  if (const auto* text = as<std::string>()) return fmt::format("\"{}\"", text->substr(0, longest));
  return as<Array>() ? "a list" : "an object";
}

tl::expected<PlacedJson, SourceError> read_placed_json(std::string_view name, std::string_view text,
                                                       std::size_t most_nested) {
  return Builder(name, text, most_nested).read();
}

}  // namespace onceover::base
