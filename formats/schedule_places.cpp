#include "formats/schedule_places.h"

#include <nlohmann/json.hpp>

#include "base/json_source.h"

namespace onceover::formats {

namespace {

/// Finds the lists inside the list "steps" of the outermost object, and the objects in them.
class PlaceFinder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit PlaceFinder(const JsonPlaces& places) : places_(places) {}

  std::vector<StepPlace> steps;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& name) override {
    if (depth_ == 1) in_steps_ = name == "steps";
    return true;
  }
  bool start_array(std::size_t) override {
    if (in_steps_ && depth_ == 2) steps.push_back({{places_.bracket(), 0}, {}});
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    if (in_steps_ && depth_ == 2) steps.back().step.end = places_.bracket() + 1;
    return true;
  }
  bool start_object(std::size_t) override {
    if (in_steps_ && depth_ == 3) steps.back().transfers.push_back({places_.bracket(), 0});
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    if (in_steps_ && depth_ == 3) steps.back().transfers.back().end = places_.bracket() + 1;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  const JsonPlaces& places_;
  int depth_ = 0;
  bool in_steps_ = false;
};

}  // namespace

std::vector<StepPlace> step_places(std::string_view text) {
  JsonPlaces places(text);
  PlaceFinder finder(places);
  places.parse(finder);
  return std::move(finder.steps);
}

}  // namespace onceover::formats
