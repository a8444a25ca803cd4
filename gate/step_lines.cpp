#include "gate/step_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "base/json_source.h"

namespace onceover::gate {

namespace {

/// Finds where each list inside the list "steps" of the outermost object begins.
class StepFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit StepFinder(const JsonPlaces& places) : places_(places) {}

  const std::vector<std::size_t>& offsets() const { return offsets_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) in_steps_ = name == "steps";
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth_ == 2 && in_steps_) offsets_.push_back(places_.bracket());
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  const JsonPlaces& places_;
  int depth_ = 0;
  bool in_steps_ = false;
  std::vector<std::size_t> offsets_;
};

}  // namespace

std::vector<std::size_t> step_lines(std::string_view text) {
  JsonPlaces places(text);
  StepFinder finder(places);
  places.parse(finder);
  std::vector<std::size_t> lines;
  std::size_t line = 1;
  std::size_t at = 0;
  for (const std::size_t offset : finder.offsets()) {
    line += static_cast<std::size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                                text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
    at = offset;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace onceover::gate
