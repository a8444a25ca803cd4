// A format is recognised by its beginning: the first words of a text, the first element of XML, or the keys of the
// outermost object of JSON, of which one or all must be there. An object with a "format" is a schedule file, and one
// with "gpus" a plan of MSCCL++; neither is looked at further.
//
// Example: {"version": "2.10", "pg_config": {..}, "entries": [..]} has the keys of PyTorch's flight recorder.
//
// O(first MiB of the text).

#include "formats/foreign_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace onceover::formats {

namespace {

constexpr std::string_view blank_letters = " \t\r\n";
constexpr std::size_t most_looked_at = 1 << 20;

std::string_view past_blanks(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text.substr(std::min(text.find_first_not_of(blank_letters), text.size()));
}

/// The string that begins at a quote, and past its end; nothing if it doesn't end.
std::optional<std::string_view> string_at(std::string_view text, std::size_t quote) {
  for (std::size_t end = quote + 1; end < text.size(); ++end) {
    if (text[end] == '\\')
      ++end;
    else if (text[end] == '"')
      return text.substr(quote + 1, end - quote - 1);
  }
  return std::nullopt;
}

/// The keys of the outermost object; none if the text is no object. Of a text that is no JSON some that look like keys.
std::vector<std::string_view> outermost_keys(std::string_view text) {
  text = past_blanks(text).substr(0, most_looked_at);
  std::vector<std::string_view> keys;
  if (!text.starts_with('{')) return keys;
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '{' || text[at] == '[') ++depth;
    if (text[at] == '}' || text[at] == ']') --depth;
    if (text[at] != '"') continue;
    const auto string = string_at(text, at);
    if (!string) break;
    at += string->size() + 1;
    if (depth == 1 && past_blanks(text.substr(at + 1)).starts_with(':')) keys.push_back(*string);
    if (keys.size() == 1 && keys.front() == "format") break;
  }
  return keys;
}

bool has_key(const std::vector<std::string_view>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Is it a schedule file, or a plan of MSCCL++?
bool is_our_object(const std::vector<std::string_view>& keys) {
  return has_key(keys, "format") || has_key(keys, "gpus");
}

/// Does the outermost object, which isn't ours, have all these keys?
template <class... Keys>
bool has_keys(std::string_view text, Keys... wanted) {
  const auto keys = outermost_keys(text);
  return !is_our_object(keys) && (has_key(keys, wanted) && ...);
}

/// The name of the first element of XML; empty if there is none.
std::string_view first_element(std::string_view text) {
  for (text = past_blanks(text); text.starts_with("<?") || text.starts_with("<!");) {
    const std::string_view end = text.starts_with("<!--") ? "-->" : ">";
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos) return "";
    text = past_blanks(text.substr(at + end.size()));
  }
  if (!text.starts_with('<')) return "";
  text.remove_prefix(1);
  return text.substr(0, text.find_first_of(" \t\r\n/>"));
}

/// Is it whole JSON that holds anything, or the beginning of such?
bool is_some_json(const Beginning& file) {
  const bool has_any = past_blanks(file.text).starts_with('[') || !outermost_keys(file.text).empty();
  return has_any && (!file.is_all || nlohmann::json::accept(file.text));
}

/// Is it whole XML, or the beginning of such?
bool is_some_xml(const Beginning& file) {
  const std::size_t last = file.text.find_last_not_of(blank_letters);
  const bool is_cut = file.is_all && (last == std::string_view::npos || file.text[last] != '>');
  return !is_cut && !first_element(file.text).empty();
}

/// Has the file, which doesn't begin like ours, a key of schedules, or the name of a format that it isn't whole in?
bool has_signs_of_ours(const Beginning& file) {
  const auto keys = outermost_keys(file.text);
  for (const std::string_view key : {"steps", "ranks", "blocks", "collective"})
    if (has_key(keys, key)) return true;
  if (file.name.ends_with(".json")) return !is_some_json(file);
  return file.name.ends_with(".xml") && !is_some_xml(file);
}

/// Is the first word of the text one of these?
template <class... Words>
bool begins_with_word(std::string_view text, Words... words) {
  text = past_blanks(text);
  const std::string_view first = text.substr(0, text.find_first_of(" \t\r\n{"));
  return ((first == words) || ...);
}

/// Protocol buffers of Chakra: a length, then the field of the version, "0.0.4".
bool looks_like_chakra_trace(std::string_view text) {
  return text.size() > 4 && text[1] == '\n' && text[0] == text[2] + 2 && text[2] > 0 && text[2] < 16 &&
         text.substr(3, static_cast<std::size_t>(text[2])).find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Without the lines at the beginning that are comments.
std::string_view past_comments(std::string_view text, std::string_view mark) {
  for (text = past_blanks(text); text.starts_with(mark); text = past_blanks(text))
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  return text;
}

constexpr std::string_view no_advice = "";
using ForeignKind = ForeignFormat::Kind;

constexpr std::array foreign_rows{
    ForeignFormat{"a TE-CCL schedule", no_advice, ForeignKind::of_other_tools,
                  [](std::string_view text) { return has_keys(text, "7-Flows") || has_keys(text, "0-Collective"); }},
    ForeignFormat{"an SCCL algorithm", no_advice, ForeignKind::of_other_tools,
                  [](std::string_view text) { return has_keys(text, "sccl_type"); }},
    ForeignFormat{
        "a Chakra trace", no_advice, ForeignKind::of_other_tools,
        [](std::string_view text) { return has_keys(text, "version", "nodes") || has_keys(text, "schema", "nodes"); }},
    ForeignFormat{"a Chakra trace", no_advice, ForeignKind::of_other_tools, looks_like_chakra_trace},
    ForeignFormat{
        "a dump of PyTorch's flight recorder", no_advice, ForeignKind::of_other_tools,
        [](std::string_view text) { return has_keys(text, "version", "entries") || has_keys(text, "pg_config"); }},
    ForeignFormat{
        "a Python pickle, such as PyTorch's flight recorder writes", no_advice, ForeignKind::of_other_tools,
        [](std::string_view text) { return text.size() > 2 && text[0] == '\x80' && text[1] >= 2 && text[1] <= 5; }},
    ForeignFormat{"a ForestColl schedule", no_advice, ForeignKind::of_other_tools,
                  [](std::string_view text) { return first_element(text) == "trees"; }},
    ForeignFormat{"a graph file of NCCL", "give it to --ways", ForeignKind::network,
                  [](std::string_view text) { return first_element(text) == "graphs"; }},
    ForeignFormat{"a topology file of NCCL", "give it to --topology", ForeignKind::network,
                  [](std::string_view text) { return first_element(text) == "system"; }},
    ForeignFormat{"a network in GraphML", "give it to --topology", ForeignKind::network,
                  [](std::string_view text) { return first_element(text) == "graphml"; }},
    ForeignFormat{"a network in DOT", "give it to --topology", ForeignKind::network,
                  [](std::string_view text) { return begins_with_word(text, "graph", "digraph", "strict"); }},
    ForeignFormat{"a gate file", "write: verify gate FILE", ForeignKind::of_other_commands,
                  [](std::string_view text) { return begins_with_word(text, "[[check]]", "[defaults]"); }},
    ForeignFormat{"a file of claims", "write: verify claims --from FILE", ForeignKind::of_other_commands,
                  [](std::string_view text) { return begins_with_word(text, "[[claim]]"); }},
    ForeignFormat{"PTX", "write: verify gpu FILE --launch LAUNCH.toml", ForeignKind::of_other_commands,
                  [](std::string_view text) { return begins_with_word(past_comments(text, "//"), ".version"); }},
    ForeignFormat{"C", "write: verify code FILE", ForeignKind::of_other_commands,
                  [](std::string_view text) { return begins_with_word(text, "#include"); }},
    ForeignFormat{"a script", "let it print a schedule: verify --exec './FILE {p}' --p 2..8",
                  ForeignKind::of_other_commands,
                  [](std::string_view text) {
                    return text.starts_with("#!") || begins_with_word(text, "import", "from", "def");
                  }},
};

}  // namespace

std::string ForeignFormat::message() const {
  return fmt::format("this is {}, which I don't read{}{}", what, advice.empty() ? "" : " here; ", advice);
}

bool begins_with_element(std::string_view text, std::string_view name) {
  return first_element(text) == name;
}

bool has_key_of_ours(std::string_view text) {
  return is_our_object(outermost_keys(text));
}

bool may_be_damaged(const Beginning& file) {
  return foreign_format_of(file.text) == nullptr && has_signs_of_ours(file);
}

const ForeignFormat* foreign_format_of(std::string_view text) {
  const auto* row = std::find_if(foreign_rows.begin(), foreign_rows.end(),
                                 [&](const ForeignFormat& f) { return f.looks_like(text); });
  return row == foreign_rows.end() ? nullptr : row;
}

}  // namespace onceover::formats
