// JSON values read from text and written as text.
//
// nlohmann's parser reports events. The open containers form a stack; a finished value goes into the container on top.
// For {"a": [1, 2]} the events are: an object begins, the key a, an array begins, 1, 2, the array ends and becomes the
// value of a, the object ends and is the result. A text nested more than 1000 deep is refused, because values are
// destroyed by recursion.
//
// Writing walks down the value. It leaves texts and fractions to nlohmann, whose rules for escapes, UTF-8 and digits
// all our files follow.
//
// Both take time linear in the text or value, except that an object with k keys takes O(k^2) to read: its keys are
// searched from the first on.
#include "base/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace onceover::base {

namespace {

using Library = nlohmann::ordered_json;

constexpr std::size_t deepest_json = 1000;

/// Builds a value from nlohmann's events. The open containers are a stack.
class JsonBuilder {
 public:
  using number_integer_t = Library::number_integer_t;
  using number_unsigned_t = Library::number_unsigned_t;
  using number_float_t = Library::number_float_t;
  using string_t = Library::string_t;
  using binary_t = Library::binary_t;

  Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(number_integer_t value) { return add(value); }
  bool number_unsigned(number_unsigned_t value) { return add(value); }
  bool number_float(number_float_t value, const string_t&) { return add(value); }
  bool string(string_t& value) { return add(std::move(value)); }
  bool binary(binary_t&) { return false; }
  bool key(string_t& name) {
    open_.back().key = std::move(name);
    return true;
  }
  bool start_object(std::size_t) { return begin(Json::object()); }
  bool start_array(std::size_t) { return begin(Json::array()); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

 private:
  struct Open {
    Json value;
    std::string key = {};
  };

  /// False beyond a depth that none of our files has: values are destroyed by recursion.
  bool begin(Json container) {
    open_.push_back({std::move(container)});
    return open_.size() <= deepest_json;
  }

  bool end() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  bool add(Json value) {
    if (open_.empty())
      root_ = std::move(value);
    else if (Open& in = open_.back(); in.value.is_object())
      in.value[in.key] = std::move(value);
    else
      in.value.push_back(std::move(value));
    return true;
  }

  Json root_;
  std::vector<Open> open_;
};

std::string leaf(const Library& value) {
  return value.dump(-1, ' ', false, Library::error_handler_t::replace);
}

bool is_member(const Json& json) {
  return json.is_array() && json.size() == 2 && json[0].is_text();
}

/// Appends the text of a value to `out`.
class JsonWriter {
 public:
  JsonWriter(std::string& out, int indent) : out_(out), indent_(indent) {}

  void write(const Json& value, int level) {
    if (const auto* elements = value.elements()) {
      write_list("[]", *elements, level, [&](const Json& element) { write(element, level + 1); });
    } else if (const auto* members = value.members()) {
      write_list("{}", *members, level, [&](const auto& member) {
        out_ += leaf(member.first);
        out_ += indent_ < 0 ? ":" : ": ";
        write(member.second, level + 1);
      });
    } else {
      out_ += value.leaf_text();
    }
  }

 private:
  void write_list(std::string_view brackets, const auto& list, int level, auto write_one) {
    out_ += brackets.front();
    for (const auto& one : list) {
      if (&one != &list.front()) out_ += ',';
      break_line(level + 1);
      write_one(one);
    }
    if (!list.empty()) break_line(level);
    out_ += brackets.back();
  }

  void break_line(int level) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * level), ' ');
  }

  std::string& out_;
  int indent_;
};

}  // namespace

Json::Json(std::initializer_list<Json> list) {
  if (!std::all_of(list.begin(), list.end(), is_member)) {
    value_ = Array(list);
    return;
  }
  value_ = Object();
  for (const Json& member : list) (*this)[*member[0].text()] = member[1];
}

Json Json::array(std::initializer_list<Json> list) {
  Json json;
  json.value_ = Array(list);
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object();
  return json;
}

std::optional<Json> Json::parse(std::string_view text) {
  JsonBuilder builder;
  if (!Library::sax_parse(text.begin(), text.end(), &builder)) return std::nullopt;
  return builder.take();
}

std::string Json::leaf_text() const {
  if (const std::string* text = this->text()) return leaf(*text);
  if (const bool* flag = std::get_if<bool>(&value_)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value_)) return std::to_string(*number);
  if (const auto* number = std::get_if<std::uint64_t>(&value_)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value_)) return leaf(*number);
  return "null";
}

std::string Json::dump(int indent) const {
  std::string text;
  JsonWriter(text, indent).write(*this, 0);
  return text;
}

const Json::Array& Json::nothing() {
  static const Array none;
  return none;
}

const Json* Json::find(std::string_view key) const {
  const Object* all = members();
  if (!all) return nullptr;
  const auto at = std::find_if(all->begin(), all->end(), [&](const auto& member) { return member.first == key; });
  return at == all->end() ? nullptr : &at->second;
}

const Json& Json::operator[](std::string_view key) const {
  static const Json null;
  const Json* there = find(key);
  return there ? *there : null;
}

Json& Json::operator[](std::string_view key) {
  if (const Json* there = find(key)) return const_cast<Json&>(*there);
  if (is_null()) value_ = Object();
  return std::get<Object>(value_).emplace_back(key, nullptr).second;
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : std::get<Object>(other.value_)) (*this)[key] = value;
}

void Json::push_back(Json element) {
  if (is_null()) value_ = Array();
  std::get<Array>(value_).push_back(std::move(element));
}

std::size_t Json::size() const {
  if (const Array* all = elements()) return all->size();
  if (const Object* all = members()) return all->size();
  return 0;
}

Json result_json(const Json& members) {
  Json json{{"schema_version", 1}, {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}}};
  json.update(members);
  return json;
}

}  // namespace onceover::base
