// Reading gate files. A key is one row of one table: what it goes with and how its value is read.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

// toml++ 3.3 asserts that a key begins where one should, which is for the file to say: here that is an exception.
namespace onceover::gate {
struct NoKey {};
}  // namespace onceover::gate
#undef NDEBUG
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : throw ::onceover::gate::NoKey())
#define TOML_EXCEPTIONS 0
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wterminate"  // some of its functions are noexcept: there an assertion ends the program
#include <toml++/toml.h>
#pragma GCC diagnostic pop

#include "base/ascii.h"
#include "base/closest.h"
#include "gate/gate.h"
#include "schedules/catalogue.h"
#include "schedules/peer_schedule.h"
#include "schedules/types.h"
#include "subjects/rank_list.h"
#include "subjects/subject.h"

namespace onceover::gate {

namespace {

using Texts = std::vector<std::string>;

constexpr std::size_t most_bytes = std::size_t{4} << 20;

/// Where the lines of a text begin. Made in O(text).
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) {
    begins_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      begins_.push_back(at + 1);
  }

  /// The byte at which a line and column of toml++ stand; its columns count characters, not bytes. O(line), and
  /// O(line) in all for positions that are asked for from left to right.
  std::size_t offset_of(toml::source_position position) {
    if (position.line > begins_.size()) return text_.size();
    if (position.line != line_ || position.column < column_) {
      line_ = position.line;
      column_ = 1;
      at_ = begins_[line_ - 1];
    }
    auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
    for (; column_ < position.column && at_ < text_.size(); ++column_) {
      ++at_;
      while (at_ < text_.size() && is_continuation(text_[at_])) ++at_;
    }
    return std::min(at_, text_.size());
  }

  /// The line of a byte, from 1. O(log lines).
  std::size_t line_of(std::size_t offset) const {
    return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), offset) - begins_.begin());
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> begins_;
  // The position that was asked for last: most are asked for from left to right.
  toml::source_index line_ = 0;
  toml::source_index column_ = 1;
  std::size_t at_ = 0;
};

/// Does toml++ fail to find a key in the text?
bool lacks_key(std::string_view text) try {
  static_cast<void>(toml::parse(text));
  return false;
} catch (const NoKey&) {
  return true;
}

/// Where toml++ gave up for want of a key: the end of the shortest beginning of the text at which it does. It reads
/// from left to right, so every longer one does, too. O(text log text).
std::size_t missing_key(std::string_view text) {
  std::size_t fine = 0;
  std::size_t lacking = text.size();
  while (fine + 1 < lacking) {
    const std::size_t middle = fine + (lacking - fine) / 2;
    (lacks_key(text.substr(0, middle)) ? lacking : fine) = middle;
  }
  return lacking - 1;
}

std::string_view kind_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a text";
    case toml::node_type::integer:
      return "a whole number";
    case toml::node_type::floating_point:
      return "a number with a point";
    case toml::node_type::boolean:
      return "true or false";
    default:
      return "a date or time";
  }
}

std::string_view name_of(SubjectKind kind) {
  switch (kind) {
    case SubjectKind::algorithms:
      return "algo";
    case SubjectKind::file:
      return "file";
    case SubjectKind::command:
      return "exec";
    case SubjectKind::formula:
      return "peer";
  }
  return "";
}

class GateReader;

constexpr unsigned bit(SubjectKind kind) {
  return 1U << static_cast<unsigned>(kind);
}

constexpr unsigned with_algorithms = bit(SubjectKind::algorithms);
constexpr unsigned with_file = bit(SubjectKind::file);
constexpr unsigned with_command = bit(SubjectKind::command);
constexpr unsigned with_formula = bit(SubjectKind::formula);
constexpr unsigned with_shapes = with_algorithms | with_command;
constexpr unsigned with_ranks = with_shapes | with_formula;
constexpr unsigned with_any = with_ranks | with_file;

/// A key of a check. `fits`: the kinds of subjects that it goes with, as bits.
struct Key {
  std::string_view name;
  unsigned fits;
  void (GateReader::*read)(const toml::node& value, Check& check);
  bool is_default = true;  // may stand in [defaults]
};

class GateReader {
 public:
  GateReader(const std::string& name, const std::string& text) : gate_{name, text, {}}, lines_(text) {}

  Result<Gate> read() {
    if (gate_.text.size() > most_bytes)
      fail(0, fmt::format("a gate file has at most {} bytes", most_bytes));
    else
      parse();
    if (error_) return tl::unexpected(Failure{ExitCode::usage, error_->render()});
    return std::move(gate_);
  }

 private:
  friend struct Keys;

  void parse() try {
    if (const auto beyond = beyond_ascii(gate_.text))
      return fail(*beyond,
                  "letters beyond ASCII stand in texts, in quotes, and in comments only, and not behind a backslash");
    const toml::parse_result parsed = toml::parse(std::string_view(gate_.text));
    if (parsed) return read_file(parsed.table());
    fail(lines_.offset_of(parsed.error().source().begin), parsed.error().description());
  } catch (const NoKey&) {
    fail(missing_key(gate_.text), "expected a key: letters, digits, '_' and '-', or a text in quotes");
  }

  void read_file(const toml::table& file) {
    constexpr std::array<std::string_view, 2> parts{"check", "defaults"};
    for (auto&& [key, value] : file)
      if (std::find(parts.begin(), parts.end(), key.str()) == parts.end())
        return fail(offset(key), fmt::format("no key '{}' here{}; there are [defaults] and [[check]]", key.str(),
                                             suggestion(key.str(), parts)));
    const toml::node* defaults = file.get("defaults");
    if (defaults != nullptr && !defaults->is_table())
      return fail(offset(*defaults), fmt::format("expected a table, [defaults], found {}", kind_name(*defaults)));
    static const toml::table none;
    const toml::table& presets = defaults == nullptr ? none : *defaults->as_table();
    read_defaults(presets);
    const toml::node* checks = file.get("check");
    if (checks == nullptr)
      return fail(0, "there is no [[check]] in it; a check is a [[check]] with a name and a subject, such as algo");
    if (!checks->is_array_of_tables())
      return fail(offset(*checks), fmt::format("expected tables, [[check]], found {}", kind_name(*checks)));
    for (const toml::node& check : *checks->as_array()) {
      if (error_) return;
      read_check(*check.as_table(), presets);
    }
  }

  /// Reads them into a check that nobody uses, for what is wrong in them.
  void read_defaults(const toml::table& presets);
  void read_check(const toml::table& table, const toml::table& presets);
  void refuse_unknown(const toml::table& table, bool is_check);
  std::optional<SubjectKind> subject_of(const toml::table& table);
  void read_key(const Key& key, const toml::node& value, Check& check) {
    if (error_) return;
    check.at.emplace(key.name, offset(value));
    key_ = key.name;
    (this->*key.read)(value, check);
  }

  // What values may be.

  std::optional<std::string> text_of(const toml::node& value, std::string_view what = "a text") {
    const auto* text = value.as_string();
    if (text == nullptr || text->get().empty() || text->get().find('\0') != std::string::npos) {
      fail(offset(value), fmt::format("{}: expected {}, found {}", key_, what,
                                      text == nullptr       ? kind_name(value)
                                      : text->get().empty() ? "an empty text"
                                                            : "a text with a zero byte"));
      return std::nullopt;
    }
    return text->get();
  }

  /// Calls use(node, text) for a text or each of a list of texts, of which there is at least one.
  template <class Use>
  void each_text(const toml::node& value, std::string_view what, Use&& use, bool may_be_empty = false) {
    const toml::array* list = value.as_array();
    if (list == nullptr) {
      if (const auto text = text_of(value, fmt::format("{} or a list of such", what))) use(value, *text);
      return;
    }
    if (list->empty() && !may_be_empty) return fail(offset(value), fmt::format("{}: the list is empty", key_));
    for (const toml::node& item : *list) {
      if (error_) return;
      if (const auto text = text_of(item, what)) use(item, *text);
    }
  }

  std::optional<std::int64_t> number_of(const toml::node& value, std::int64_t least, std::int64_t most) {
    const auto* number = value.as_integer();
    if (number != nullptr && number->get() >= least && number->get() <= most) return number->get();
    fail(offset(value), fmt::format("{}: expected a whole number from {} to {}, found {}", key_, least, most,
                                    number == nullptr ? std::string(kind_name(value)) : std::to_string(number->get())));
    return std::nullopt;
  }

  void add_once(const toml::node& value, Texts& texts, const std::string& text) {
    if (std::find(texts.begin(), texts.end(), text) != texts.end())
      return fail(offset(value), fmt::format("{}: '{}' is there twice", key_, text));
    texts.push_back(text);
  }

  void check_name(const toml::node& value, const std::string& text, const std::vector<std::string_view>& known,
                  std::string_view noun) {
    if (std::find(known.begin(), known.end(), text) == known.end())
      fail(offset(value), fmt::format("{}: no {} '{}'{}", key_, noun, text, suggestion(text, known)));
  }

  // The keys.

  void read_name(const toml::node& value, Check& check) {
    const auto text = text_of(value);
    if (!text) return;
    check.name = *text;
    const bool is_plain = std::all_of(text->begin(), text->end(), [](char c) {
      return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '/';
    });
    if (!is_plain) return fail(offset(value), "name: expected a text without '/' and control characters");
    if (!names_.insert(*text).second)
      fail(offset(value), fmt::format("name: there is another check '{}' above", *text));
  }

  void read_algo(const toml::node& value, Check& check) {
    std::vector<std::string_view> known{"all"};
    for (const Algorithm& row : catalogue()) known.push_back(row.name);
    each_text(value, "the name of an algorithm", [&](const toml::node& item, const std::string& text) {
      check_name(item, text, known, "algorithm");
      add_once(item, check.algorithms, text);
    });
    if (check.algorithms.size() > 1 &&
        std::find(check.algorithms.begin(), check.algorithms.end(), "all") != check.algorithms.end())
      fail(offset(value), "algo: \"all\" stands alone");
  }

  void read_file(const toml::node& value, Check& check) {
    if (const auto text = text_of(value)) check.file = *text;
  }

  void read_exec(const toml::node& value, Check& check) {
    if (const auto text = text_of(value)) check.command = *text;
  }

  /// A formula whose mistakes are shown where they are in this file.
  void check_formula(const toml::node& value, const std::string& text, std::span<const std::string_view> variables) {
    const auto formula = Formula::parse(key_, text, variables);
    if (!formula) fail_within(value, text, formula.error());
  }

  void read_peer(const toml::node& value, Check& check) {
    const auto text = text_of(value);
    if (!text) return;
    check.peer = *text;
    check_formula(value, *text, peer_variables());
  }

  void read_steps(const toml::node& value, Check& check) {
    const auto text = text_of(value);
    if (!text) return;
    check.steps = *text;
    check_formula(value, *text, steps_variables());
  }

  void read_p(const toml::node& value, Check& check) {
    if (value.is_integer()) {
      const auto ranks = number_of(value, 1, max_ranks);
      if (ranks) check.ranks = std::to_string(*ranks);
      return;
    }
    const auto text = text_of(value, "a list such as \"2..64\", or a number");
    if (!text) return;
    check.ranks = *text;
    if (const auto list = parse_rank_list(*text); !list) fail_option(value, list.error());
  }

  void read_torus(const toml::node& value, Check& check) {
    each_text(value, "the sides of a torus, \"4x4\"", [&](const toml::node& item, const std::string& text) {
      if (const auto shape = parse_torus(text); !shape) return fail_option(item, shape.error());
      add_once(item, check.tori, text);
    });
  }

  void read_lanes(const toml::node& value, Check& check) {
    if (value.is_integer()) {
      if (number_of(value, 1, 1)) check.lanes = "1";
      return;
    }
    const auto text = text_of(value, "1 or \"all\"");
    if (!text) return;
    if (*text != "1" && *text != "all")
      return fail(offset(value), fmt::format("lanes: expected 1 or \"all\", found '{}'", *text));
    check.lanes = *text;
  }

  void read_collective(const toml::node& value, Check& check) {
    std::vector<std::string_view> known{"all"};
    for (const Contract& c : contracts) known.push_back(c.name);
    each_text(value, "the name of a collective", [&](const toml::node& item, const std::string& text) {
      check_name(item, text, known, "collective");
      add_once(item, check.collectives, text);
    });
    if (check.collectives.size() > 1 &&
        std::find(check.collectives.begin(), check.collectives.end(), "all") != check.collectives.end())
      fail(offset(value), "collective: \"all\" stands alone");
  }

  void read_version(const toml::node& value, Check& check) {
    const toml::table* table = value.as_table();
    if (table == nullptr || table->empty())
      return fail(offset(value), fmt::format("set: expected a table such as {{ order = \"near\" }}, found {}",
                                             table == nullptr ? kind_name(value) : "an empty one"));
    Texts version;
    for (auto&& [name, setting] : *table) {
      if (setting.is_integer())
        version.push_back(fmt::format("{}={}", name.str(), setting.as_integer()->get()));
      else if (const auto text = text_of(setting, "a text or a whole number"))
        version.push_back(fmt::format("{}={}", name.str(), *text));
    }
    if (std::find(check.settings.begin(), check.settings.end(), version) != check.settings.end())
      return fail(offset(value), "set: this is there twice");
    check.settings.push_back(std::move(version));
  }

  void read_set(const toml::node& value, Check& check) {
    const toml::array* list = value.as_array();
    if (list == nullptr) return read_version(value, check);
    if (list->empty()) return fail(offset(value), "set: the list is empty");
    for (const toml::node& version : *list) read_version(version, check);
  }

  void read_require(const toml::node& value, Check& check) {
    std::vector<std::string_view> known;
    for (const Property& p : properties()) known.push_back(p.id);
    each_text(
        value, "the id of a property",
        [&](const toml::node& item, const std::string& text) {
          check_name(item, text, known, "property");
          if (text == ports_property.id)
            return fail(offset(item), "require: ports are a limit: limits = [\"max_sends_per_rank_step <= 2\"]");
          if (text == staging_property.id)
            return fail(offset(item), "require: staging is a limit: limits = [\"staging <= ceil(log2(p))\"]");
          add_once(item, check.required, text);
        },
        true);
  }

  void read_limits(const toml::node& value, Check& check) {
    each_text(
        value, "a limit such as \"steps <= p\"",
        [&](const toml::node& item, const std::string& text) {
          auto limit = Limit::parse(text);
          if (!limit) return fail_within(item, text, limit.error());
          for (const Limit& other : check.limits)
            if (other.text() == text) return fail(offset(item), fmt::format("limits: '{}' is there twice", text));
          check.at.emplace(text, offset(item));
          check.limits.push_back(std::move(*limit));
        },
        true);
  }

  void read_topology(const toml::node& value, Check& check) {
    if (const auto text = text_of(value)) check.network.topology = *text;
  }

  void read_map(const toml::node& value, Check& check) {
    if (const auto text = text_of(value)) check.network.map = *text;
  }

  void read_routing(const toml::node& value, Check& check) {
    const auto text = text_of(value);
    if (!text) return;
    check_name(value, *text, {"minimal", "ecmp", "dimension-order"}, "routing");
    check.network.routing = *text;
  }

  void read_ports(const toml::node& value, Check& check) {
    if (const auto ports = number_of(value, 1, 1024)) check.network.ports = std::to_string(*ports);
  }

  void read_budget(const toml::node& value, Check& check) {
    constexpr std::int64_t most = 1'000'000'000'000'000;
    if (const auto budget = number_of(value, 1, most)) check.budget = static_cast<std::uint64_t>(*budget);
  }

  void read_timeout(const toml::node& value, Check& check) {
    if (const auto seconds = number_of(value, 1, 86400)) check.timeout = static_cast<int>(*seconds);
  }

  void read_fifo(const toml::node& value, Check& check) {
    if (const auto depth = number_of(value, 0, 1'000'000)) check.fifo = static_cast<int>(*depth);
  }

  // Places and errors.

  std::size_t offset(const toml::node& value) { return lines_.offset_of(value.source().begin); }
  std::size_t offset(const toml::key& key) { return lines_.offset_of(key.source().begin); }

  void fail(std::size_t offset, std::string_view message) {
    if (!error_) error_ = source_error(gate_.name, gate_.text, offset, message);
  }

  /// An error about an option of the command line: the key has its name without the dashes.
  void fail_option(const toml::node& value, const Failure& failure) {
    std::string_view message = failure.message;
    if (message.starts_with("--")) message.remove_prefix(2);
    fail(offset(value), message);
  }

  /// An error in a text that stands in this file: where it is there if that is the same text, as in a plain string.
  void fail_within(const toml::node& value, const std::string& text, const SourceError& inner) {
    const std::size_t quote = offset(value);
    std::size_t line_begin = 0;
    for (std::size_t line = 1; line < inner.line; ++line) line_begin = text.find('\n', line_begin) + 1;
    const bool is_plain = gate_.text.compare(quote + 1, text.size(), text) == 0;
    fail(is_plain ? quote + line_begin + inner.column : quote, fmt::format("{}: {}", key_, inner.message));
  }

  Gate gate_;
  Lines lines_;  // of the text that the reader was given
  std::optional<SourceError> error_;
  std::string key_;
  std::set<std::string> names_;
};

/// The table of keys, in the order in which they are read and printed.
struct Keys {
  static constexpr std::array rows{
      Key{"name", with_any, &GateReader::read_name, false},
      Key{"algo", with_algorithms, &GateReader::read_algo, false},
      Key{"file", with_file, &GateReader::read_file, false},
      Key{"exec", with_command, &GateReader::read_exec, false},
      Key{"peer", with_formula, &GateReader::read_peer, false},
      Key{"steps", with_formula, &GateReader::read_steps},
      Key{"p", with_ranks, &GateReader::read_p},
      Key{"torus", with_shapes, &GateReader::read_torus},
      Key{"lanes", with_algorithms, &GateReader::read_lanes},
      Key{"collective", with_any, &GateReader::read_collective},
      Key{"set", with_algorithms, &GateReader::read_set},
      Key{"require", with_any, &GateReader::read_require},
      Key{"limits", with_any, &GateReader::read_limits},
      Key{"topology", with_any, &GateReader::read_topology},
      Key{"map", with_any, &GateReader::read_map},
      Key{"routing", with_any, &GateReader::read_routing},
      Key{"ports", with_any, &GateReader::read_ports},
      Key{"budget", with_any, &GateReader::read_budget},
      Key{"timeout", with_command, &GateReader::read_timeout},
      Key{"fifo", with_file, &GateReader::read_fifo},
  };

  static const Key* named(std::string_view name) {
    const auto* row = std::find_if(rows.begin(), rows.end(), [&](const Key& k) { return k.name == name; });
    return row == rows.end() ? nullptr : row;
  }
};

void GateReader::refuse_unknown(const toml::table& table, bool is_check) {
  std::vector<std::string_view> known;
  for (const Key& key : Keys::rows)
    if (is_check || key.is_default) known.push_back(key.name);
  for (auto&& [key, value] : table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      return fail(offset(key),
                  fmt::format("no key '{}' in {}{}; there are {}", key.str(), is_check ? "a check" : "[defaults]",
                              suggestion(key.str(), known), fmt::join(known, ", ")));
}

void GateReader::read_defaults(const toml::table& presets) {
  refuse_unknown(presets, false);
  Check unused;
  for (const Key& key : Keys::rows)
    if (const toml::node* value = presets.get(key.name)) read_key(key, *value, unused);
}

std::optional<SubjectKind> GateReader::subject_of(const toml::table& table) {
  std::optional<SubjectKind> found;
  for (const SubjectKind kind :
       {SubjectKind::algorithms, SubjectKind::file, SubjectKind::command, SubjectKind::formula}) {
    const toml::node* value = table.get(name_of(kind));
    if (value == nullptr) continue;
    if (found) {
      fail(offset(*value), fmt::format("a check has one subject: either {} or {}", name_of(*found), name_of(kind)));
      return std::nullopt;
    }
    found = kind;
  }
  if (!found) fail(offset(table), "a check needs a subject: algo, file, exec or peer");
  return found;
}

void GateReader::read_check(const toml::table& table, const toml::table& presets) {
  refuse_unknown(table, true);
  if (error_) return;
  if (table.get("name") == nullptr) return fail(offset(table), "a check needs a name");
  const auto kind = subject_of(table);
  if (!kind) return;
  Check check{.name = {}, .kind = *kind, .offset = offset(table)};
  check.line = lines_.line_of(check.offset);
  if (table.get("p") != nullptr && table.get("torus") != nullptr)
    return fail(offset(*table.get("torus")), "either p or torus, not both");
  // Ranges of its own replace those of the defaults, whichever they are.
  const bool has_range = table.get("p") != nullptr || table.get("torus") != nullptr;
  for (const Key& key : Keys::rows) {
    const toml::node* own = table.get(key.name);
    const bool fits = (key.fits & bit(*kind)) != 0;
    if (own != nullptr && !fits)
      return fail(offset(*own), fmt::format("{} does not go with {}", key.name, name_of(*kind)));
    const bool is_range = key.name == "p" || key.name == "torus";
    const bool is_preset = fits && !(is_range && has_range);
    const toml::node* value = own != nullptr ? own : is_preset ? presets.get(key.name) : nullptr;
    if (value != nullptr) read_key(key, *value, check);
  }
  if (error_) return;
  if (check.is_foreign() && (check.collectives.size() > 1 || check.collectives == Texts{"all"}))
    return fail(table.get("collective") != nullptr ? check.at["collective"] : check.offset,
                fmt::format("collective: {} is of one collective; say here of which", name_of(*kind)));
  if (!check.ranks.empty() && !check.tori.empty())
    return fail(check.offset, "the defaults have both p and torus; say here which of them it is");
  if (*kind != SubjectKind::file && check.ranks.empty() && check.tori.empty())
    return fail(check.offset, fmt::format("{} needs numbers of ranks: p = \"2..64\"{}", name_of(*kind),
                                          *kind == SubjectKind::formula ? "" : ", or torus = [\"4x4\"]"));
  gate_.checks.push_back(std::move(check));
}

}  // namespace

bool Check::mentions(Metric::Source source) const {
  return std::any_of(limits.begin(), limits.end(), [&](const Limit& limit) { return limit.mentions(source); });
}

namespace {

std::size_t offset_of(const Check& check, std::string_view key) {
  const auto place = check.at.find(key);
  return place == check.at.end() ? check.offset : place->second;
}

}  // namespace

std::size_t Gate::line_of(const Check& check, std::string_view key) const {
  return Lines(text).line_of(offset_of(check, key));
}

tl::unexpected<Failure> Gate::error(const Check& check, std::string_view key, std::string_view message) const {
  if (message.starts_with("--")) message.remove_prefix(2);
  return tl::unexpected(Failure{ExitCode::usage, source_error(name, text, offset_of(check, key), message).render()});
}

Result<Gate> read_gate(const std::string& name, const std::string& text) {
  return GateReader(name, text).read();
}

}  // namespace onceover::gate
