// A description is read in two passes: first `let`, whose names the formulas of all other keys may use, then the rest,
// by tables of keys. A layout is a description of its own that only has buffers and tables; those that the user's has
// under the same name replace them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "base/result.h"
#include "base/sentences.h"
#include "base/toml.h"
#include "gpu/judge.h"
#include "gpu/launch/description.h"
#include "gpu/launch/item_reader.h"

namespace onceover::gpu {

namespace {

constexpr std::int64_t most_calls = 1000;
constexpr std::int64_t most_size = std::int64_t{1} << 40;

/// Reads values of one file, with formulas in them. After a mistake, everything is nothing.
class DescriptionReader {
 public:
  explicit DescriptionReader(const DescriptionText& file) : file_(file), in_(file.name, file.text) {}

  KeyReader& keys() { return in_; }
  const DescriptionText& file() const { return file_; }
  const std::vector<std::string>& names() const { return names_; }
  void add_name(std::string name) { names_.push_back(std::move(name)); }

  /// Formulas of what is the same in each call, and of what may differ.
  ItemReader of_rank() const { return with({"r"}); }
  ItemReader of_call() const { return with({"r", "k"}); }
  ItemReader of_size() const { return with({}); }

  PlacedText placed(const TomlValue& value, const std::string& text) const {
    const bool is_exact = file_.text.compare(value.offset + 1, text.size(), text) == 0;
    return {text, value.offset + (is_exact ? 1 : 0), is_exact};
  }

  /// A formula as a text, or a whole number.
  std::optional<PlacedFormula> formula(const TomlValue& value, const ItemReader& reader) {
    if (const std::int64_t* number = value.integer())
      return taken(reader.formula({kept(std::to_string(*number)), value.offset, false}));
    const auto text = in_.text_of(value, "a whole number or a formula in quotes");
    return text ? taken(reader.formula(placed(value, kept(*text)))) : std::nullopt;
  }

  std::optional<Item> item(const TomlValue& value, const ItemReader& reader) {
    if (const std::int64_t* number = value.integer())
      return taken(reader.item({kept(std::to_string(*number)), value.offset, false}));
    const auto text = in_.text_of(value, "a whole number or a text, such as \"in@q for q in 0..p\"");
    return text ? taken(reader.item(placed(value, kept(*text)))) : std::nullopt;
  }

  template <class T>
  std::optional<T> taken(tl::expected<T, SourceError> result) {
    if (result) return *std::move(result);
    if (!error_ && !in_.error()) error_ = std::move(result).error();
    return std::nullopt;
  }

  std::optional<SourceError> error() const { return in_.error() ? in_.error() : error_; }

 private:
  ItemReader with(std::initializer_list<const char*> more) const {
    std::vector<std::string> names = names_;
    names.insert(names.end(), more.begin(), more.end());
    return {file_, std::move(names)};
  }

  const std::string& kept(std::string text) { return *texts_.insert(std::move(text)).first; }

  const DescriptionText& file_;
  KeyReader in_;
  std::optional<SourceError> error_;
  std::vector<std::string> names_{"p", "n"};
  std::set<std::string> texts_;
};

/// What rows of tables of keys read into.
template <class T>
struct Into {
  DescriptionReader& reader;
  T& to;
};

/// Reads the keys of a table by their rows, in the order of the rows.
template <class T, std::size_t N>
void read_table(DescriptionReader& reader, const TomlValue& value, std::string_view where,
                const std::array<Key<Into<T>>, N>& rows, T& to) {
  const TomlTable* table = value.table();
  if (table == nullptr) return reader.keys().fail(value, fmt::format("expected {}, found {}", where, value.kind()));
  std::array<std::string_view, N> known;
  std::transform(rows.begin(), rows.end(), known.begin(), [](const auto& row) { return row.name; });
  reader.keys().refuse_unknown(*table, known, where);
  Into<T> into{reader, to};
  for (const auto& row : rows)
    if (const TomlValue* found = table->find(row.name); found != nullptr && !reader.error())
      reader.keys().read(row, *found, into);
}

std::vector<const TomlEntry*> in_order(const TomlTable& table) {
  std::vector<const TomlEntry*> entries;
  for (const TomlEntry& entry : table.entries) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
  return entries;
}

bool is_name(std::string_view text) {
  auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !text.empty() && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// Refuses a name that formulas can't have.
bool check_name(DescriptionReader& reader, const TomlEntry& entry) {
  if (is_name(entry.key) && entry.key != "mc") return true;
  reader.keys().fail(entry.offset,
                     fmt::format("'{}' can't be a name: letters, digits and '_' can, and not 'mc'", entry.key));
  return false;
}

std::optional<bool> truth(KeyReader& in, const TomlValue& value) {
  if (const bool* is = std::get_if<bool>(&value.content)) return *is;
  in.fail_value(value, fmt::format("expected true or false, found {}", value.kind()));
  return std::nullopt;
}

// Contents.

std::vector<const TomlValue*> items_of(const TomlValue& value) {
  std::vector<const TomlValue*> items;
  if (const TomlList* list = value.list())
    for (const TomlValue& item : *list) items.push_back(&item);
  else
    items.push_back(&value);
  return items;
}

/// One item, a list of items that follow one another, or a table from offsets to items.
std::optional<ContentText> read_content(DescriptionReader& reader, const TomlValue& value, const ItemReader& items) {
  ContentText content{.items = {}, .rest = {}, .file = &reader.file(), .offset = value.offset};
  if (value.table() == nullptr) {
    for (const TomlValue* each : items_of(value)) {
      auto item = reader.item(*each, items);
      if (!item) return std::nullopt;
      content.items.push_back({std::nullopt, *std::move(item)});
    }
    return content;
  }
  for (const TomlEntry* entry : in_order(*value.table())) {
    if (entry->key == "rest") {
      const auto byte = reader.keys().number_of(entry->value, 0, 255);
      if (!byte) return std::nullopt;
      content.rest = static_cast<std::uint8_t>(*byte);
      continue;
    }
    const bool is_quoted = reader.file().text[entry->offset] == '"';
    for (const TomlValue* each : items_of(entry->value)) {
      auto item = reader.item(*each, items);
      if (!item) return std::nullopt;
      auto at = reader.taken(items.with(item->loops).formula({entry->key, entry->offset + (is_quoted ? 1 : 0), true}));
      if (!at) return std::nullopt;
      content.items.push_back({*std::move(at), *std::move(item)});
    }
  }
  return content;
}

// Buffers.

constexpr std::array<std::string_view, 4> roles{"input", "output", "in-place", "memory"};

void read_type(KeyReader& in, const TomlValue& value, Into<BufferText>& into) {
  static constexpr std::array<std::string_view, 14> types{"s8",  "u8",  "s16",  "u16",  "s32", "u32",  "s64",
                                                          "u64", "f16", "bf16", "e4m3", "f32", "e5m2", "f64"};
  const auto text = in.text_of(value);
  if (!text) return;
  if (const auto type = element_type(*text)) {
    into.to.type = *type;
    return;
  }
  in.fail_value(value,
                fmt::format("no type '{}'{}; there are {}", *text, suggestion(*text, types), fmt::join(types, ", ")));
}

void read_count(KeyReader&, const TomlValue& value, Into<BufferText>& into) {
  into.to.count = into.reader.formula(value, into.reader.of_rank());
}

void read_role(KeyReader& in, const TomlValue& value, Into<BufferText>& into) {
  if (const auto text = in.text_of(value))
    if (const auto role = in.name_of(value, *text, roles, "role")) into.to.role = static_cast<BufferRole>(*role);
}

void read_fill(KeyReader& in, const TomlValue& value, Into<BufferText>& into) {
  if (const double* number = std::get_if<double>(&value.content)) {
    into.to.fill = ScalarText{.type = into.to.type, .value = *number};
    return;
  }
  const auto item = into.reader.item(value, into.reader.of_rank());
  if (!item) return;
  const auto* scalar = std::get_if<ScalarText>(&item->value);
  if (scalar == nullptr || scalar->type || !item->loops.empty())
    return in.fail_value(value, "expected a number, which each element holds before the first call");
  into.to.fill = *scalar;
}

void read_constant(KeyReader& in, const TomlValue& value, Into<BufferText>& into) {
  if (const auto is = truth(in, value)) into.to.is_constant = *is;
}

void read_turns(KeyReader& in, const TomlValue& value, Into<BufferText>& into) {
  if (const auto turns = in.number_of(value, 1, 16)) into.to.turns = static_cast<std::uint32_t>(*turns);
}

void read_initial(KeyReader&, const TomlValue& value, Into<BufferText>& into) {
  into.to.initial = read_content(into.reader, value, into.reader.of_rank());
}

void read_each_call(KeyReader&, const TomlValue& value, Into<BufferText>& into) {
  into.to.each_call = read_content(into.reader, value, into.reader.of_call());
}

constexpr std::array<Key<Into<BufferText>>, 8> buffer_keys{{{"type", 0, read_type},
                                                            {"count", 0, read_count},
                                                            {"role", 0, read_role},
                                                            {"fill", 0, read_fill},
                                                            {"constant", 0, read_constant},
                                                            {"turns", 0, read_turns},
                                                            {"initial", 0, read_initial},
                                                            {"each_call", 0, read_each_call}}};

void check_buffer(DescriptionReader& reader, const BufferText& buffer, const TomlValue& value) {
  auto fail = [&](std::string_view what) {
    reader.keys().fail(value, fmt::format("buffer {}: {}", buffer.name, what));
  };
  if (value.table()->find("type") == nullptr) fail("say its type: type = \"f32\"");
  if (value.table()->find("role") == nullptr) fail("say its role: input, output, in-place, or memory");
  if (!buffer.count && !reader.error()) fail("say how many elements it has: count = \"n\"");
  const bool is_memory = buffer.role == BufferRole::memory;
  if (!is_memory && (buffer.fill || buffer.is_constant || buffer.initial || buffer.each_call))
    fail("only memory has fill, constant, initial and each_call; an input gets new values before each call");
  if (buffer.is_constant && buffer.each_call) fail("what is constant isn't written before each call");
}

void read_buffers(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (value.table() == nullptr) return in.fail_value(value, "expected tables: [buffer.NAME]");
  for (const TomlEntry* entry : in_order(*value.table())) {
    if (into.reader.error() || !check_name(into.reader, *entry)) return;
    BufferText buffer{.name = entry->key, .file = &into.reader.file(), .offset = entry->offset, .count = {}};
    read_table(into.reader, entry->value, "a buffer", buffer_keys, buffer);
    if (into.reader.error()) return;
    check_buffer(into.reader, buffer, entry->value);
    into.to.buffers.push_back(std::move(buffer));
  }
}

void read_tables(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (value.table() == nullptr) return in.fail_value(value, "expected NAME = \"in@q for q in 0..p\"");
  for (const TomlEntry* entry : in_order(*value.table())) {
    if (into.reader.error() || !check_name(into.reader, *entry)) return;
    auto content = read_content(into.reader, entry->value, into.reader.of_rank());
    if (!content) return;
    into.to.tables.push_back({entry->key, &into.reader.file(), entry->offset, *std::move(content)});
  }
}

// Kernels.

std::optional<ExtentText> read_extent(DescriptionReader& reader, const TomlValue& value) {
  ExtentText extent{.sides = {}, .offset = value.offset};
  const auto sides = items_of(value);
  if (sides.empty() || sides.size() > 3) {
    reader.keys().fail_value(value, "expected one to three numbers");
    return std::nullopt;
  }
  for (const TomlValue* side : sides) {
    auto formula = reader.formula(*side, reader.of_call());
    if (!formula) return std::nullopt;
    extent.sides.push_back(*std::move(formula));
  }
  return extent;
}

void read_entry(KeyReader& in, const TomlValue& value, Into<KernelText>& into) {
  if (auto text = in.text_of(value)) into.to.entry = *std::move(text);
  into.to.entry_offset = value.offset;
}

template <auto field>
void read_extent_key(KeyReader&, const TomlValue& value, Into<KernelText>& into) {
  if (auto extent = read_extent(into.reader, value)) into.to.*field = *std::move(extent);
}

template <auto field>
void read_formula_key(KeyReader&, const TomlValue& value, Into<KernelText>& into) {
  into.to.*field = into.reader.formula(value, into.reader.of_call());
}

void read_stream(KeyReader& in, const TomlValue& value, Into<KernelText>& into) {
  if (const auto stream = in.number_of(value, 0, 15)) into.to.stream = static_cast<int>(*stream);
}

std::optional<std::size_t> position_in(std::string_view key) {
  std::size_t position = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), position);
  const bool is_plain = error == std::errc() && end == key.data() + key.size() && std::to_string(position) == key;
  return is_plain && position < 256 ? std::optional(position) : std::nullopt;
}

void read_arguments(KeyReader& in, const TomlValue& value, Into<KernelText>& into) {
  const bool is_list = value.list() != nullptr;
  if (value.table() == nullptr && !is_list)
    return in.fail_value(value, "expected a table by position, 0 = \"in@r\", or a list");
  auto add = [&](std::size_t position, std::size_t offset, const TomlValue& content_value) {
    auto content = read_content(into.reader, content_value, into.reader.of_call());
    if (content) into.to.arguments.push_back({position, offset, *std::move(content), content_value.table() != nullptr});
    return content.has_value();
  };
  if (is_list) {
    for (std::size_t k = 0; k < value.list()->size(); ++k)
      if (!add(k, (*value.list())[k].offset, (*value.list())[k])) return;
    return;
  }
  for (const TomlEntry* entry : in_order(*value.table())) {
    const auto position = position_in(entry->key);
    if (!position)
      return in.fail(entry->offset,
                     fmt::format("expected the position of an argument, from 0, found '{}'", entry->key));
    if (!add(*position, entry->offset, entry->value)) return;
  }
}

constexpr std::array<Key<Into<KernelText>>, 8> kernel_keys{{{"entry", 0, read_entry},
                                                            {"grid", 0, read_extent_key<&KernelText::grid>},
                                                            {"block", 0, read_extent_key<&KernelText::block>},
                                                            {"cluster", 0, read_extent_key<&KernelText::cluster>},
                                                            {"shared", 0, read_formula_key<&KernelText::shared>},
                                                            {"only", 0, read_formula_key<&KernelText::only>},
                                                            {"stream", 0, read_stream},
                                                            {"arguments", 0, read_arguments}}};

void check_kernel(DescriptionReader& reader, const KernelText& kernel, std::size_t offset) {
  auto fail = [&](std::string_view what) { reader.keys().fail(offset, what); };
  if (kernel.entry.empty()) fail("say which kernel runs: entry = \"NAME\"");
  if (kernel.grid.sides.empty()) fail("say how many blocks run: grid = 2");
  if (kernel.block.sides.empty()) fail("say how many threads a block has: block = 64");
}

void read_kernels(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (!value.is_list_of_tables()) return in.fail_value(value, "expected tables: [[kernel]]");
  for (const TomlValue& each : *value.list()) {
    KernelText kernel;
    kernel.offset = each.offset;
    read_table(into.reader, each, "a kernel", kernel_keys, kernel);
    if (into.reader.error()) return;
    check_kernel(into.reader, kernel, each.offset);
    into.to.kernels.push_back(std::move(kernel));
  }
}

/// Keys of a kernel may stand at the top if there is only one.
template <std::size_t row>
void read_only_kernel(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (into.to.kernels.empty())
    into.to.kernels.push_back({.entry = {}, .grid = {}, .block = {}, .offset = value.offset});
  Into<KernelText> kernel{into.reader, into.to.kernels.front()};
  kernel_keys[row].read(in, value, kernel);
}

// What the launch is about.

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Numbers: 4, "2..8", or a list of such; ascending, each once.
std::optional<std::vector<std::int64_t>> numbers(KeyReader& in, const TomlValue& value, std::int64_t least,
                                                 std::int64_t most) {
  std::set<std::int64_t> found;
  auto fail = [&](const TomlValue& at, std::string_view what) {
    in.fail_value(
        at, fmt::format("expected numbers from {} to {}, such as 4, \"2..8\" or [2, 4], found {}", least, most, what));
    return std::nullopt;
  };
  for (const TomlValue* each : items_of(value)) {
    const std::string* text = each->text();
    const std::size_t dots = text == nullptr ? 0 : text->find("..");
    std::optional<std::int64_t> first, last;
    if (each->integer() != nullptr) {
      first = last = *each->integer();
    } else if (text != nullptr && dots != std::string::npos) {
      first = number_in(std::string_view(*text).substr(0, dots));
      last = number_in(std::string_view(*text).substr(dots + 2));
    } else if (text != nullptr) {
      first = last = number_in(*text);
    }
    if (!first || !last || *first > *last || *first < least || *last > most || *last - *first > 4096)
      return fail(*each, text != nullptr              ? fmt::format("'{}'", *text)
                         : each->integer() != nullptr ? std::to_string(*each->integer())
                                                      : std::string(each->kind()));
    for (std::int64_t k = *first; k <= *last; ++k) found.insert(k);
  }
  if (found.empty()) return fail(value, "none");
  return std::vector<std::int64_t>(found.begin(), found.end());
}

template <auto field>
void read_program(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (auto text = in.text_of(value)) into.to.*field = *std::move(text);
  into.to.program_offset = value.offset;
}

void read_ranks(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  const auto found = numbers(in, value, 1, most_launch_ranks);
  if (found)
    for (const std::int64_t p : *found) into.to.ranks.push_back(static_cast<Rank>(p));
}

void read_sizes(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  const auto found = numbers(in, value, 0, most_size);
  if (found) into.to.sizes = *found;
  into.to.has_sizes = true;
}

template <auto field, std::int64_t least, std::int64_t most>
void read_number(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (const auto number = in.number_of(value, least, most)) into.to.*field = static_cast<std::uint32_t>(*number);
}

void read_let(KeyReader&, const TomlValue&, Into<Description>&) {}  // read before all others

void read_lets(DescriptionReader& reader, const TomlValue& value, Description& to) {
  if (value.table() == nullptr) return reader.keys().fail(value, "let: expected NAME = \"FORMULA\"");
  for (const TomlEntry* entry : in_order(*value.table())) {
    static constexpr std::array<std::string_view, 6> taken{"p", "n", "r", "k", "mc", "q"};
    const auto& names = reader.names();
    if (!check_name(reader, *entry)) return;
    if (std::find(taken.begin(), taken.end(), entry->key) != taken.end() ||
        std::find(names.begin(), names.end(), entry->key) != names.end())
      return reader.keys().fail(entry->offset, fmt::format("'{}' has a meaning already", entry->key));
    auto formula = reader.formula(entry->value, reader.of_size());
    if (!formula) return;
    to.lets.push_back({entry->key, *std::move(formula)});
    reader.add_name(entry->key);
  }
}

void read_expect(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  if (value.table() == nullptr) return in.fail_value(value, "expected BUFFER = \"allreduce(in)\"");
  for (const TomlEntry* entry : in_order(*value.table())) {
    ExpectText expect{.output = entry->key, .offset = entry->offset, .text = {}, .text_offset = 0, .input = {}};
    const TomlTable* rule = entry->value.table();
    const TomlValue* text = rule == nullptr ? &entry->value : rule->find("rule");
    if (rule != nullptr) {
      static constexpr std::array<std::string_view, 2> known{"of", "rule"};
      in.refuse_unknown(*rule, known, "a rule");
      const TomlValue* of = rule->find("of");
      if (of == nullptr || text == nullptr)
        return in.fail(entry->value, "a rule says both: { of = \"in\", rule = \"out[r] = sum(in[q] for all q)\" }");
      const auto input = in.text_of(*of);
      if (!input) return;
      expect.input = *input;
    }
    const auto what = in.text_of(*text, "a text, such as \"allreduce(in)\"");
    if (!what) return;
    expect.text = *what;
    const PlacedText placed = into.reader.placed(*text, expect.text);
    expect.text_offset = placed.offset;
    into.to.expects.push_back(std::move(expect));
  }
}

template <auto field>
void read_grant(KeyReader& in, const TomlValue& value, Into<Grants>& into) {
  if (const auto is = truth(in, value)) into.to.*field = *is;
}

constexpr std::array<Key<Into<Grants>>, 4> grant_keys{{{"kernel_boundary", 0, read_grant<&Grants::kernel_boundary>},
                                                       {"lockstep", 0, read_grant<&Grants::lockstep>},
                                                       {"weak_stores_seen", 0, read_grant<&Grants::weak_stores_seen>},
                                                       {"whole_vectors", 0, read_grant<&Grants::whole_vectors>}}};

void read_grants(KeyReader&, const TomlValue& value, Into<Description>& into) {
  read_table(into.reader, value, "grants", grant_keys, into.to.grants);
}

template <auto field>
void read_texts(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  std::vector<std::string_view> known;
  for (const GpuProperty& row : gpu_properties()) known.push_back(row.property->id);
  in.each_text(value, "a property", [&](const TomlValue& item, const std::string& text) {
    if (in.name_of(item, text, known, "property")) (into.to.*field).push_back(text);
  });
}

void read_layout(KeyReader& in, const TomlValue& value, Into<Description>& into) {
  const auto text = in.text_of(value);
  if (!text) return;
  std::vector<std::string_view> known;
  for (const LaunchLayout& layout : launch_layouts()) known.push_back(layout.name);
  const auto row = in.name_of(value, *text, known, "layout");
  if (!row) return;
  const LaunchLayout& layout = launch_layouts()[*row];
  into.to.layout_file = std::make_shared<const DescriptionText>(
      DescriptionText{fmt::format("layout {}", layout.name), std::string(layout.text)});
}

constexpr std::array<Key<Into<Description>>, 24> launch_keys{
    {{"ptx", 0, read_program<&Description::ptx>},
     {"source", 0, read_program<&Description::source>},
     {"ranks", 0, read_ranks},
     {"n", 0, read_sizes},
     {"calls", 0, read_number<&Description::calls, 1, most_calls>},
     {"seeds", 0, read_number<&Description::seeds, 0, 100000>},
     {"resident", 0, read_number<&Description::resident_blocks, 1, 1 << 20>},
     {"let", 0, read_let},
     {"layout", 0, read_layout},
     {"buffer", 0, read_buffers},
     {"table", 0, read_tables},
     {"kernel", 0, read_kernels},
     {"entry", 0, read_only_kernel<0>},
     {"grid", 0, read_only_kernel<1>},
     {"block", 0, read_only_kernel<2>},
     {"cluster", 0, read_only_kernel<3>},
     {"shared", 0, read_only_kernel<4>},
     {"only", 0, read_only_kernel<5>},
     {"stream", 0, read_only_kernel<6>},
     {"arguments", 0, read_only_kernel<7>},
     {"expect", 0, read_expect},
     {"grants", 0, read_grants},
     {"require", 0, read_texts<&Description::required>},
     {"waive", 0, read_texts<&Description::waived>}}};

void read_all(DescriptionReader& reader, const TomlTable& table, Description& to) {
  if (const TomlValue* let = table.find("let")) read_lets(reader, *let, to);
  if (reader.error()) return;
  read_table(reader, TomlValue{table, 0, 1}, "a launch", launch_keys, to);
}

/// Adds the buffers and tables of a layout, except for those that there are.
tl::expected<void, SourceError> add_layout(Description& to) {
  const DescriptionText& file = *to.layout_file;
  const TomlTable table = TRY(read_toml(file.name, file.text, "a layout"));
  DescriptionReader reader(file);
  for (const LetText& let : to.lets) reader.add_name(let.name);
  Description layout;
  read_table(reader, TomlValue{table, 0, 1}, "a layout", launch_keys, layout);
  if (reader.error()) return tl::unexpected(*reader.error());
  auto is_there = [&](const std::string& name) {
    auto has = [&](const auto& list) {
      return std::any_of(list.begin(), list.end(), [&](const auto& row) { return row.name == name; });
    };
    return has(to.buffers) || has(to.tables);
  };
  for (BufferText& buffer : layout.buffers)
    if (!is_there(buffer.name)) to.buffers.push_back(std::move(buffer));
  for (TableText& row : layout.tables)
    if (!is_there(row.name)) to.tables.push_back(std::move(row));
  return {};
}

/// What must be said, and may not be said twice.
void check(DescriptionReader& reader, const TomlTable& table, const DescriptionOverrides& overrides, Description& to) {
  auto fail = [&](std::size_t offset, std::string_view what) { reader.keys().fail(offset, what); };
  if (!overrides.ranks.empty()) to.ranks = overrides.ranks;
  if (!overrides.sizes.empty() && !to.has_sizes) fail(0, "there is no n, so no other sizes can be asked for");
  if (!overrides.sizes.empty()) to.sizes = overrides.sizes;
  if (!overrides.has_program && to.ptx.empty() == to.source.empty())
    fail(to.program_offset, "say which program it is about: either ptx = \"FILE.ptx\" or source = \"FILE.cu\"");
  if (to.ranks.empty()) fail(0, "say for how many ranks it is: ranks = \"2..8\"");
  const bool has_many = table.find("kernel") != nullptr;
  for (const auto& row : kernel_keys)
    if (const TomlValue* value = table.find(row.name); has_many && value != nullptr)
      fail(value->offset, fmt::format("{} belongs into a [[kernel]], since there are such", row.name));
  if (to.kernels.empty()) fail(0, "say which kernel runs: entry = \"NAME\"");
  if (!has_many && !to.kernels.empty()) check_kernel(reader, to.kernels.front(), to.kernels.front().offset);
  std::set<std::string> names;
  for (const BufferText& buffer : to.buffers) names.insert(buffer.name);
  for (const TableText& row : to.tables)
    if (!names.insert(row.name).second && row.file == to.file.get())
      fail(row.offset, fmt::format("'{}' is a buffer already", row.name));
  const bool has_output = std::any_of(to.buffers.begin(), to.buffers.end(), [](const BufferText& b) {
    return b.role == BufferRole::output || b.role == BufferRole::in_place;
  });
  if (!has_output) fail(0, "no buffer is an output: nothing would be judged");
  if (to.sizes.empty()) to.sizes.push_back(0);
}

/// `ptx = "..` or `source = '..`.
bool begins_program_key(std::string_view line) {
  for (const std::string_view key : {"ptx", "source"}) {
    if (!line.starts_with(key)) continue;
    const std::size_t equals = line.find_first_not_of(" \t", key.size());
    if (equals == std::string_view::npos || line[equals] != '=') continue;
    const std::size_t value = line.find_first_not_of(" \t", equals + 1);
    if (value != std::string_view::npos && (line[value] == '"' || line[value] == '\'')) return true;
  }
  return false;
}

/// Every output is expected to hold something.
void check_expects(DescriptionReader& reader, const Description& to) {
  for (const BufferText& buffer : to.buffers) {
    const bool is_output = buffer.role == BufferRole::output || buffer.role == BufferRole::in_place;
    const bool is_expected = std::any_of(to.expects.begin(), to.expects.end(),
                                         [&](const ExpectText& expect) { return expect.output == buffer.name; });
    if (is_output && !is_expected && buffer.file == to.file.get())
      reader.keys().fail(buffer.offset, fmt::format("say what '{0}' must hold after a call: [expect] {0} = "
                                                    "\"allreduce(in)\"",
                                                    buffer.name));
  }
  for (const ExpectText& expect : to.expects) {
    std::vector<std::string_view> outputs;
    for (const BufferText& buffer : to.buffers)
      if (buffer.role == BufferRole::output || buffer.role == BufferRole::in_place) outputs.push_back(buffer.name);
    if (std::find(outputs.begin(), outputs.end(), expect.output) == outputs.end())
      reader.keys().fail(expect.offset,
                         fmt::format("no output '{}'{}", expect.output, suggestion(expect.output, outputs)));
  }
}

}  // namespace

std::string_view name(BufferRole role) {
  return roles[static_cast<std::size_t>(role)];
}

void Variables::set(std::string_view name, std::int64_t value) {
  for (auto& [known, held] : values_)
    if (known == name) {
      held = value;
      return;
    }
  values_.emplace_back(name, value);
}

std::optional<std::int64_t> Variables::find(std::string_view name) const {
  for (const auto& [known, value] : values_)
    if (known == name) return value;
  return std::nullopt;
}

tl::expected<std::int64_t, SourceError> PlacedFormula::value(const Variables& variables) const {
  std::vector<std::int64_t> values;
  values.reserve(names.size());
  for (const std::string& name : names) values.push_back(variables.find(name).value_or(0));
  const auto found = formula.evaluate(values);
  if (found) return *found;
  std::string known;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (formula.mentions(static_cast<int>(k))) known += fmt::format(" {} = {}", names[k], values[k]);
  return file->error(offset + found.error().offset,
                     fmt::format("no value for{}: {}", known.empty() ? " this" : known, found.error().reason));
}

tl::expected<Description, SourceError> read_description(std::string name, std::string text,
                                                        const DescriptionOverrides& overrides) {
  Description description;
  description.file = std::make_shared<const DescriptionText>(DescriptionText{std::move(name), std::move(text)});
  const DescriptionText& file = *description.file;
  const TomlTable table = TRY(read_toml(file.name, file.text, "a launch"));
  DescriptionReader reader(file);
  read_all(reader, table, description);
  if (!reader.error() && description.layout_file) TRY(add_layout(description));
  if (!reader.error()) check(reader, table, overrides, description);
  if (!reader.error()) check_expects(reader, description);
  if (const auto error = reader.error()) return tl::unexpected(*error);
  return description;
}

bool looks_like_description(std::string_view text) {
  constexpr std::array tables{"[buffer.", "[table]", "[table.", "[[kernel]]", "[arguments", "[expect]"};
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with('{') || line.starts_with('<')) return false;
    if (begins_program_key(line)) return true;
    if (line.starts_with('['))
      return std::any_of(tables.begin(), tables.end(), [&](const char* table) { return line.starts_with(table); });
  }
  return false;
}

}  // namespace onceover::gpu
