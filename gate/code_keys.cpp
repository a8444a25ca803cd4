#include "gate/code_keys.h"

#include <fmt/format.h>

#include "base/rows.h"
#include "code/code_options.h"

namespace onceover::gate {

namespace {

void add_option(KeyReader& in, Check& check, std::string value) {
  check.code.options.push_back({std::string(in.key()), std::move(value)});
}

}  // namespace

void read_code(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "a file of C or C++, or a pattern of such", [&](const TomlValue& item, const std::string& text) {
    if (!add_new(check.code.paths, text)) in.fail_value(item, fmt::format("'{}' is there twice", text));
  });
}

void read_library(KeyReader& in, const TomlValue& value, Check& check) {
  if (auto text = in.text_of(value, "the name of a library, or its folder")) check.code.library = *text;
}

void read_checkout(KeyReader& in, const TomlValue& value, Check& check) {
  if (auto text = in.text_of(value, "a folder")) check.code.checkout = *text;
}

void read_values(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "values of a setting, \"k=2..4\"",
               [&](const TomlValue&, const std::string& text) { check.code.values.push_back(text); });
}

void read_function(KeyReader& in, const TomlValue& value, Check& check) {
  const auto text = in.text_of(value, "a name in C");
  if (!text) return;
  if (const auto fits = code::check_function(*text); !fits) in.fail_option(value, fits.error());
  check.code.function = *text;
}

void read_live_collective(KeyReader& in, const TomlValue& value, Check& check) {
  const auto text = in.text_of(value, "the name of one collective of MPI");
  if (!text) return;
  const auto names = mapped(live::live_collectives(), &live::LiveCollective::name);
  if (const auto place = in.name_of(value, *text, names, "collective of MPI"))
    check.code.collective = &live::live_collectives()[*place];
}

void read_code_value(KeyReader& in, const TomlValue& value, Check& check) {
  if (const std::int64_t* number = value.integer()) return add_option(in, check, std::to_string(*number));
  if (const auto text = in.text_of(value, "a text or a whole number")) add_option(in, check, *text);
}

void read_code_list(KeyReader& in, const TomlValue& value, Check& check) {
  in.each_text(value, "a path", [&](const TomlValue&, const std::string& text) { add_option(in, check, text); });
}

void read_code_flag(KeyReader& in, const TomlValue& value, Check& check) {
  const bool* flag = std::get_if<bool>(&value.content);
  if (flag == nullptr) return in.fail_value(value, fmt::format("expected true or false, found {}", value.kind()));
  if (*flag) add_option(in, check, "");
}

}  // namespace onceover::gate
