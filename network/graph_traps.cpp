// What Boost's readers of graphs would misread, drop, or take too long for.

#include <fmt/format.h>

#include <cctype>

#include "network/graph_text.h"

namespace onceover::network {

namespace {

constexpr int deepest = 100;

/// In XML: elements nested deeper than in any network. Boost's reader is recursive on the depth.
std::optional<Trap> trap_in_xml(std::string_view text) {
  int depth = 0;
  auto after = [&](std::string_view end, std::size_t from) { return std::min(text.find(end, from), text.size()); };
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = after("-->", at + 4);
    } else if (rest.starts_with("<![CDATA[")) {
      at = after("]]>", at);
    } else if (rest.starts_with("<?")) {
      at = after("?>", at);
    } else if (rest.starts_with("<!")) {
      return Trap{at, "a document type is not read"};
    } else {
      std::size_t end = at + 1;
      while (end < text.size() && text[end] != '>')
        end = text[end] == '"' || text[end] == '\'' ? after(text.substr(end, 1), end + 1) + 1 : end + 1;
      if (rest.starts_with("</"))
        --depth;
      else if (end < text.size() && text[end - 1] != '/')
        ++depth;
      if (depth > deepest) return Trap{at, "nested deeper than 100"};
      at = end;
    }
    if (at >= text.size()) break;
  }
  return std::nullopt;
}

/// One past the end of a string or comment that begins at `at`; `at` if none begins there.
std::size_t past_quiet(std::string_view text, std::size_t at) {
  auto past = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("/*")) return past("*/", at + 2);
  if (rest.starts_with("//") || (rest[0] == '#' && (at == 0 || text[at - 1] == '\n'))) return past("\n", at);
  if (rest[0] != '"') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// In DOT: subgraphs, whose links multiply, and numbers followed by letters, which the reader splits in two.
std::optional<Trap> trap_in_dot(std::string_view text) {
  constexpr std::string_view digits = "0123456789.";
  bool is_open = false;
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = past_quiet(text, at); end != at) {
      at = end;
      continue;
    }
    if (text[at] == '{') {
      if (is_open) return Trap{at, "subgraphs are not read; write each link by itself"};
      is_open = true;
    }
    if (text[at] == '<') return Trap{at, "HTML-like strings are not read; use quotes"};
    const bool begins_number = digits.find(text[at]) != std::string_view::npos && (at == 0 || !is_word(text[at - 1]));
    if (!begins_number) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    at = std::min(text.find_first_not_of(digits, at), text.size());
    if (at < text.size() && (std::isalpha(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) {
      const std::size_t end = std::min(text.find_first_of(" \t\r\n,;]}=[-", at), text.size());
      return Trap{begin, fmt::format("letters follow this number; write all of it in quotes: \"{}\"",
                                     text.substr(begin, std::min<std::size_t>(end - begin, 40)))};
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

std::optional<Trap> find_trap(std::string_view text, bool is_xml) {
  return is_xml ? trap_in_xml(text) : trap_in_dot(text);
}

}  // namespace onceover::network
