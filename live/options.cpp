// From words to calls: collectives times operators times counts, each a call with everything that it needs.
//
// Example: with 4 ranks, --collective allreduce,bcast --count 1,p --both-operators makes six calls: allreduce with 1
// and 4 elements under either kind of operator, and bcast, which has no operator, with 1 and 4. With --root 0,p-1 there
// are two more of bcast. Collectives that take counts are called with each layout of them.
//
// Counts are formulas in p, such as p-1 or 2p, because that is where edge cases are: fewer elements than ranks, or not
// a multiple. Each comes once, in ascending order. A call whose buffers take more than 256 MiB on a rank is refused
// before any rank allocates one: O(p^2) for each call, whatever the count.

#include "live/options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "formats/schedule_file.h"
#include "live/element.h"
#include "live/judge.h"
#include "subjects/option_values.h"
#include "verifier/property.h"

namespace onceover::live {

namespace {

/// The limit for a rank's buffers, so that all ranks' results fit on one machine.
constexpr std::size_t most_bytes = std::size_t{256} << 20;

constexpr std::string_view examples = R"(Examples:
  # Every collective, with counts from 0 to 1000
  mpirun -n 7 verify-mpi
  # Which algorithm of the catalogue are these?
  mpirun -n 6 verify-mpi --collective allreduce,iallreduce --match
  # Reductions with an operator that does not commute
  mpirun -n 8 verify-mpi --collective reductions --non-commutative

Exit codes: 0 all required properties hold, 1 one is violated, or the library crashes
or hangs, 2 usage, 3 malformed input file, 5 internal error.)";

/// A collective, blocking or nonblocking.
struct Named {
  const LiveCollective* collective;
  bool nonblocking;
};

void add_group(std::string_view name, std::vector<Named>& list) {
  for (const bool nonblocking : {false, true})
    for (const LiveCollective& c : live_collectives())
      if (name == "all" || c.reduces() == (name == "reductions")) list.push_back({&c, nonblocking});
}

Result<std::vector<Named>> parse_collectives(const std::string& text) {
  std::vector<std::string> known{"all", "reductions", "movements"};
  for (const LiveCollective& c : live_collectives()) {
    known.push_back(std::string(c.name));
    known.push_back("i" + std::string(c.name));
  }
  std::vector<Named> list;
  for (const std::string_view name : split(text, ',')) {
    const std::size_t before = list.size();
    if (name == "all" || name == "reductions" || name == "movements") add_group(name, list);
    for (const LiveCollective& c : live_collectives()) {
      if (name == c.name) list.push_back({&c, false});
      if (name == "i" + std::string(c.name)) list.push_back({&c, true});
    }
    if (list.size() > before) continue;
    const std::vector<std::string_view> names(known.begin(), known.end());
    return usage_error(
        fmt::format("--collective: no '{}'{}; there are {}", name, suggestion(name, names), fmt::join(known, ", ")));
  }
  return list;
}

/// Is the call's longest buffer within the limit?
bool fits(const LiveCall& call) {
  const std::size_t most = most_bytes / ElementFormat(call.ranks).size();
  for (Rank r = 0; r < call.ranks; ++r)
    if (given(call, r) > most || wanted(call, r) > most) return false;
  return true;
}

Result<void> check_ids(std::string_view flag, const std::vector<std::string>& ids, const Presets& presets) {
  std::vector<std::string_view> known{exactly_once_property.id, order_preserving_property.id,
                                      bitwise_reproducible_property.id, deterministic_property.id};
  if (presets.has_unbuffered) known.push_back(unbuffered_property.id);
  for (const std::string& id : ids)
    if (!has(known, id))
      return usage_error(fmt::format("{}: '{}' is no property of running libraries{}; there are {}", flag, id,
                                     suggestion(id, known), fmt::join(known, ", ")));
  return {};
}

bool is_required(const Options& options, const LiveCall& call, const Property& property) {
  return asks_for(options.required, property) ||
         (is_required_by_default(call, property) && !asks_for(options.waived, property));
}

/// Refuses a property that no call can have, a waived one that no call requires, and a call of which nothing
/// would be required.
Result<void> check_properties(const Options& options) {
  auto any_call = [&](auto&& holds, const Property& p) {
    return std::any_of(options.calls.begin(), options.calls.end(), [&](const LiveCall& c) { return holds(c, p); });
  };
  for (const Property& p : properties()) {
    const bool is_waived = asks_for(options.waived, p), is_asked = asks_for(options.required, p);
    if (is_waived && is_asked) return usage_error(fmt::format("{}: either required or waived, not both", p.id));
    if (is_asked && p.subjects != Subjects::messages && !any_call(is_judged, p))
      return usage_error(fmt::format("--require {}: {} has no sums", p.id, options.calls.front().name()));
    if (is_waived && !any_call(is_required_by_default, p))
      return usage_error(fmt::format("--waive {}: it isn't required unless asked for", p.id));
  }
  for (const LiveCall& call : options.calls)
    if (std::none_of(properties().begin(), properties().end(),
                     [&](const Property& p) { return is_required(options, call, p); }))
      return usage_error(
          fmt::format("--waive {}: then nothing would be required of {}", fmt::join(options.waived, ","), call.name()));
  return {};
}

/// Which operators a collective is called with: do they commute? Collectives that only move data have none.
std::vector<bool> operators(const LiveCollective& collective, bool non_commutative, bool both) {
  if (!collective.reduces()) return {true};
  if (both) return {true, false};
  return {!non_commutative};
}

/// The roots that a collective is called with, in their order.
std::vector<Rank> roots_of(const LiveCollective& collective, const std::vector<Rank>& roots) {
  return collective.has_root() ? roots : std::vector<Rank>{0};
}

/// Is it called with MPI_IN_PLACE? `both`: with and without.
std::vector<bool> places(const LiveCollective& collective, bool in_place, bool both) {
  if (!collective.has_in_place) return {false};
  if (both && !in_place) return {false, true};
  return {in_place};
}

/// The counts that a collective is called with: if the user says none, also those whose vectors, or parts of them, are
/// just beyond 64 KiB and 1 MiB, from where on libraries send in other ways.
std::vector<int> counts_of(const LiveCollective& collective, std::vector<int> counts, Rank ranks, bool adds_long) {
  for (const std::size_t bytes : {std::size_t{1} << 16, std::size_t{1} << 20}) {
    const std::size_t parts = counts_whole_vector(collective) ? 1 : static_cast<std::size_t>(ranks);
    const auto count = static_cast<int>(bytes / ElementFormat(ranks).size() / parts + 1);
    if (adds_long) add_new(counts, count);
  }
  std::sort(counts.begin(), counts.end());
  return counts;
}

/// The roots if the user gives none.
std::string usual_roots(const Presets& presets, bool is_quick, Rank ranks) {
  constexpr Rank few = 8;
  if (is_quick) return "0";
  if (presets.all_roots && ranks <= few) return "all";
  return presets.all_roots ? fmt::format("0,{},{}", ranks / 2, ranks - 1) : fmt::format("0,{}", ranks - 1);
}

/// Parses a list of roots such as 0,p-1, or "all"; each comes once, in ascending order.
Result<std::vector<Rank>> parse_roots(const std::string& text, Rank ranks) {
  std::vector<Rank> list;
  for (Rank r = 0; text == "all" && r < ranks; ++r) list.push_back(r);
  if (text == "all") return list;
  for (const std::string_view piece : split(text, ',')) {
    const auto root = number_in(piece, ranks);
    if (!root || *root < 0 || *root >= ranks)
      return usage_error(fmt::format("--root: expected 0 to {}, found {}", ranks - 1, piece));
    list.push_back(static_cast<Rank>(*root));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

/// Parses a list of layouts, or "all".
Result<std::vector<Layout>> parse_layouts(const std::string& text) {
  const auto names = layout_names();
  std::vector<Layout> list;
  for (const std::string_view name : split(text, ',')) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() && text != "all")
      return usage_error(
          fmt::format("--layout: no '{}'{}; there are all, {}", name, suggestion(name, names), fmt::join(names, ", ")));
    for (std::size_t k = 0; k < names.size(); ++k)
      if (text == "all" || names[k] == name) list.push_back(static_cast<Layout>(k));
  }
  return list;
}

/// The layouts that a collective is called with: those asked for that it has, or the plainest.
std::vector<Layout> layouts(const LiveCollective& collective, const std::vector<Layout>& asked) {
  std::vector<Layout> list = layouts_of(collective);
  std::erase_if(list, [&](Layout layout) { return !has(asked, layout); });
  return list.empty() ? std::vector{Layout::even} : list;
}

/// Each layout with each count.
std::vector<std::pair<Layout, int>> shapes(const std::vector<Layout>& layouts, const std::vector<int>& counts) {
  std::vector<std::pair<Layout, int>> list;
  for (const Layout layout : layouts)
    for (const int count : counts) list.emplace_back(layout, count);
  return list;
}

/// Adds the option of a row to verify-mpi's.
void add_option(CLI::App& app, const Option<CallWords>& row, CallWords& said) {
  const std::string name = "--" + row.name;
  if (row.is_flag()) {
    app.add_flag_function(
        name, [&](std::int64_t) { row.read("", said); }, row.about);
    return;
  }
  app.add_option_function<std::string>(
         name, [&](const std::string& text) { row.read(text, said); }, row.about)
      ->type_name(row.value);
}

/// Reads the words of verify-mpi's command line.
Result<void> read_words(std::vector<std::string> words, CallWords& said, Options& options) {
  CLI::App app("Check what the collectives of this machine's MPI really compute.", "verify-mpi");
  app.footer(std::string(examples));
  for (const RankOption& option : rank_options()) {
    app.option_defaults()->group(option.heading);
    add_option(app, option.row, said);
  }
  app.option_defaults()->group("Output");
  app.add_flag("--json", options.json, "Print the result as JSON, with how each element was added up");
  app.add_flag("--preloaded", options.preloaded,
               "End with a usage error unless a library loaded before the MPI defines one of the collectives");
  app.add_option("--part", options.part)->group("");
  try {
    std::reverse(words.begin(), words.end());  // the order that CLI11 takes
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    options.help = app.help();
  } catch (const CLI::ParseError& e) {
    return usage_error(fmt::format("{}; see 'verify live --help'", e.what()));
  }
  return {};
}

std::vector<std::string> ids_in(const std::string& text) {
  if (text.empty()) return {};
  const auto ids = split(text, ',');
  return {ids.begin(), ids.end()};
}

/// What needs no parser.
void take_words(const CallWords& said, Options& options) {
  for (const auto& [name, text] : {std::pair("count", &Said::counts), std::pair("root", &Said::roots)})
    if (!said.value(name).empty()) options.said.*text = said.value(name);
  options.said.in_place = said.has("in-place");
  options.is_quick = said.has("quick");
  options.match = said.has("match");
  options.terms = said.has("terms");
  options.full = said.has("full");
  options.hosts = said.value("hosts");
  options.schedule = said.value("schedule");
  options.required = ids_in(said.value("require"));
  options.waived = ids_in(said.value("waive"));
}

Result<void> take_numbers(const CallWords& said, Options& options) {
  constexpr int most_repeats = 1000, most_hosts = 8000;
  if (said.has("repeat")) {
    const auto repeats = number_to(most_repeats, said.value("repeat"));
    if (!repeats) return usage_error(fmt::format("--repeat: expected 1 to {}", most_repeats));
    options.repeats = *repeats;
  }
  if (said.has("call-time-limit"))
    options.seconds = TRY(parse_seconds("--call-time-limit", said.value("call-time-limit")));
  const std::string& hosts = options.hosts;
  if (!hosts.empty() && hosts != "each" && hosts != "one" && !number_to(most_hosts, hosts))
    return usage_error(fmt::format("--hosts: expected each, one or ranks a host, found '{}'", hosts));
  return {};
}

}  // namespace

bool CallWords::has(std::string_view option) const {
  return row_with(given, &Setting::name, option) != nullptr;
}

std::string CallWords::value(std::string_view option) const {
  const Setting* row = row_with(given, &Setting::name, option);
  return row == nullptr ? "" : row->value;
}

std::vector<std::string> CallWords::words() const {
  std::vector<std::string> words;
  for (const auto& [option, value] : given)
    words.push_back(fmt::format("--{}{}{}", option, value.empty() ? "" : "=", value));
  return words;
}

Option<CallWords> call_row(const std::string& name, const std::string& value, const std::string& about) {
  auto read = [name](const std::string& text, CallWords& target) -> Result<void> {
    target.given.push_back({name, text});
    return {};
  };
  auto print = [name](const CallWords& target) {
    std::vector<std::string> texts;
    for (const auto& [option, text] : target.given)
      if (option == name) texts.push_back(text);
    return texts;
  };
  return {name, value, about, 1, false, read, print};
}

const std::vector<Option<CallWords>>& call_rows() {
  static const std::vector rows{
      call_row("count", "LIST",
               "Elements of the vector: numbers, p, 2p, p-1, .. (default: 0,1,p-1,p,p+1,1000 and more than 64 KiB)"),
      call_row("root", "LIST", "The roots of collectives that have one: 0,p-1, or all (default: several)"),
      call_row("layout", "LIST",
               "Of collectives that take counts: even, uneven, scattered or one, several, or all (default: all)"),
      call_row("repeat", "K", "Make each call this many times (default: 2)"),
      call_row("non-commutative", "", "Only with an operator that does not commute"),
      call_row("both-operators", "", "Reductions with an operator that commutes, and one that doesn't"),
      call_row("in-place", "", "Only with MPI_IN_PLACE, where the collective has it (default: both ways)"),
  };
  return rows;
}

const std::vector<RankOption>& rank_options() {
  static const std::vector<RankOption> rows = [] {
    std::vector<RankOption> all{
        {"MPI", call_row("hosts", "each|one|N", "In SimGrid: which ranks share a host (default: each has its own)")},
        {"Calls", call_row("collective", "LIST",
                           "The collectives to call: allreduce,ireduce,.., or all, reductions, movements (default: "
                           "all)")}};
    for (const Option<CallWords>& row : call_rows()) all.push_back({"Calls", row});
    const auto add = [&](const char* heading, const char* name, const char* value, const char* about) {
      all.push_back({heading, call_row(name, value, about)});
    };
    add("Calls", "quick", "",
        "Leave out what isn't asked for: in place, operators that don't commute, other roots than 0, long vectors");
    add("Property", "require", "LIST",
        "Require properties besides the usual ones: order-preserving, deterministic, ..");
    add("Property", "waive", "LIST", "Don't require these properties, which are by default: bitwise-reproducible");
    add("Property", "schedule", "FILE", "Require the same order of additions as in this schedule file");
    add("Output", "match", "", "Name the algorithm of the catalogue that adds up in the same way");
    add("Output", "terms", "", "Print how each element was added up");
    add("Output", "full", "", "Print every property");
    add("Limits", "call-time-limit", "TIME",
        "Give up when a call takes longer than this: 20s, 5m (default: 60s; of a sweep 20s)");
    return all;
  }();
  return rows;
}

std::optional<std::int64_t> number_in(std::string_view text, Rank ranks) {
  const auto number = [](std::string_view digits) { return parse_whole<std::int64_t>(digits, 0, 1 << 30); };
  const std::size_t p = text.find('p');
  if (p == std::string_view::npos) return number(text);
  const auto factor = p == 0 ? std::optional<std::int64_t>(1) : number(text.substr(0, p));
  const std::string_view rest = text.substr(p + 1);
  if (!factor) return std::nullopt;
  if (rest.empty()) return *factor * ranks;
  const auto term = number(rest.substr(1));
  if (!term || (rest[0] != '+' && rest[0] != '-')) return std::nullopt;
  return *factor * ranks + (rest[0] == '+' ? *term : -*term);
}

Result<std::vector<int>> parse_counts(const std::string& text, Rank ranks) {
  std::vector<int> list;
  for (const std::string_view piece : split(text, ',')) {
    const auto count = number_in(piece, ranks);
    if (!count || *count < 0 || *count > 1 << 24)
      return usage_error(
          fmt::format("--count: expected numbers of elements such as 0,1,p-1,p,1000, found '{}'", piece));
    list.push_back(static_cast<int>(*count));
  }
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

std::string take_option(std::vector<std::string>& words, const std::string& option, std::string preset) {
  for (auto word = words.begin(); word != words.end(); ++word) {
    const bool is_joined = word->starts_with(option + "=");
    if (!is_joined && (*word != option || word + 1 == words.end())) continue;
    preset = is_joined ? word->substr(option.size() + 1) : *(word + 1);
    words.erase(word, word + (is_joined ? 1 : 2));
    break;
  }
  return preset;
}

std::optional<int> number_to(int most, const std::string& text) {
  return parse_whole<int>(text, 1, most);
}

int repeats_of(const Options& options, const LiveCall& call) {
  constexpr int long_count = 1000;
  return options.said.counts || call.count <= long_count ? options.repeats : 1;
}

bool counts_whole_vector(const LiveCollective& collective) {
  const verifier::PromiseRow& row = promise_row(collective.promised);
  const bool moves_parts = !row.sums && (row.input_has_parts || row.result_has_parts);
  return !moves_parts && collective.kind != CallKind::reduce_scatter_block;
}

Result<Options> read_options(std::vector<std::string> words, Rank ranks, const Presets& presets) {
  Options options;
  CallWords said;
  TRY(read_words(std::move(words), said, options));
  if (!options.help.empty()) return options;
  take_words(said, options);
  const std::string counts = said.value("count"), roots = said.value("root"), layouts_asked = said.value("layout");
  const bool is_plain = options.is_quick || said.has("non-commutative");
  const bool both = said.has("both-operators") || (presets.both_operators && !is_plain);
  const auto root_list = TRY(parse_roots(roots.empty() ? usual_roots(presets, options.is_quick, ranks) : roots, ranks));
  TRY(take_numbers(said, options));
  TRY(check_ids("--require", options.required, presets));
  TRY(check_ids("--waive", options.waived, presets));
  const auto named = TRY(parse_collectives(said.has("collective") ? said.value("collective") : "all"));
  const auto list = TRY(parse_counts(counts.empty() ? std::string(usual_counts) : counts, ranks));
  const bool adds_long = presets.long_messages && counts.empty() && !options.is_quick;
  // The parts of a schedule are even.
  const bool has_layouts = !layouts_asked.empty() && options.schedule.empty();
  const auto layout_list = TRY(parse_layouts(has_layouts ? layouts_asked : options.schedule.empty() ? "all" : "even"));
  for (const Named& each : named)
    for (const bool commutative : operators(*each.collective, said.has("non-commutative"), both))
      for (const bool is_in_place :
           places(*each.collective, options.said.in_place, presets.in_place && !options.is_quick))
        for (const auto& [layout, count] :
             shapes(layouts(*each.collective, layout_list), counts_of(*each.collective, list, ranks, adds_long)))
          for (const Rank root : roots_of(*each.collective, root_list)) {
            LiveCall call{.collective = each.collective,
                          .nonblocking = each.nonblocking,
                          .in_place = is_in_place,
                          .commutative = commutative,
                          .ranks = ranks,
                          .root = root,
                          .count = count,
                          .layout = layout};
            if (!fits(call))
              return usage_error(fmt::format("--count: {} of {} elements takes more than {} MiB on a rank", call.name(),
                                             count, most_bytes >> 20));
            options.calls.push_back(call);
          }
  TRY(check_properties(options));
  return options;
}

Result<SchedulePtr> schedule_for(const Options& options) {
  if (options.schedule.empty()) return SchedulePtr();
  const auto text = TRY(read_file(options.schedule));
  const auto schedule = read_schedule(options.schedule, text);
  if (!schedule) return tl::unexpected(malformed(schedule.error()));
  const Header& header = (*schedule)->header();
  for (const LiveCall& call : options.calls) {
    if (!call.collective->reduces() || call.collective->collective() != header.collective || call.ranks != header.ranks)
      return usage_error(fmt::format("--schedule: {} is about {} of {} ranks, not about {} of {}", options.schedule,
                                     name(header.collective), header.ranks, call.name(), call.ranks));
    if (call.collective->has_root() && call.root != header.root)
      return usage_error(
          fmt::format("--schedule: the root of {} is {}, not {}", options.schedule, header.root, call.root));
  }
  return *schedule;
}

}  // namespace onceover::live
