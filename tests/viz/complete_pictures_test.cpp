// Every rank, step, block and amount of a schedule is in each picture of it, or the picture says that it is left out.
// What must be there is computed from the schedule alone, and looked for in the texts of the picture's shapes. A text
// that is taken away is missed, so the test can fail.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "network/contention.h"
#include "network/topology.h"
#include "plain_schedule.h"
#include "schedules/catalogue.h"
#include "verifier/verify.h"
#include "viz/legible.h"
#include "viz/messages.h"
#include "viz/view.h"

namespace complete_pictures_test {

using namespace onceover::viz;
using namespace onceover::support;

namespace {

using Shapes = std::vector<DrawnShape>;
using Words = std::multiset<std::string>;

/// A schedule, and the network that views show it on.
struct Model {
  SchedulePtr schedule;
  PlainSchedule plain;
  std::shared_ptr<const onceover::network::Network> network;

  Rank ranks() const { return plain.header.ranks; }
  int steps() const { return static_cast<int>(plain.steps.size()); }
};

Model model_of(SchedulePtr schedule) {
  auto network = onceover::network::make_topology({.name = "torus", .shape = schedule->header().sides()});
  REQUIRE(network);
  return {schedule, plain(*schedule), std::make_shared<const onceover::network::Network>(*std::move(network))};
}

/// What is written in a shape, in one line.
std::string words_in(const DrawnShape& shape) {
  std::string words;
  if (const auto* disc = std::get_if<Disc>(&shape.form)) words = disc->label;
  if (const auto* box = std::get_if<onceover::viz::Box>(&shape.form)) words = box->label;
  if (const auto* text = std::get_if<Text>(&shape.form)) words = text->words;
  std::replace(words.begin(), words.end(), '\n', ' ');
  words = std::regex_replace(words, std::regex("\u00a0"), " ");
  return std::regex_replace(words, std::regex("^ +| +$"), "");
}

/// The words of all shapes of one form, or of one role.
template <class Form>
Words words_of(const Shapes& shapes) {
  Words words;
  for (const DrawnShape& shape : shapes)
    if (std::holds_alternative<Form>(shape.form) && !words_in(shape).empty()) words.insert(words_in(shape));
  return words;
}

Words words_of(const Shapes& shapes, Role role) {
  Words words;
  for (const DrawnShape& shape : shapes)
    if (shape.role == role && !words_in(shape).empty()) words.insert(words_in(shape));
  return words;
}

std::string note_of(const Shapes& shapes) {
  std::string note;
  for (const DrawnShape& shape : shapes)
    if (shape.role == Role::note) note += words_in(shape) + " ";
  return note;
}

bool says(const Shapes& shapes, const std::string& pattern) {
  return std::regex_search(note_of(shapes), std::regex(pattern));
}

/// Does one rank stand for others that do alike, or do dots stand for what isn't drawn?
bool is_folded(const Shapes& shapes) {
  return says(shapes,
              "stands for|for how many each|the same backwards|Dots:|Dashed: a rank with|Dotted: steps|are each the "
              "one before");
}

/// Do titles say that several steps are alike, and one of them is drawn?
bool is_thinned(const Shapes& shapes) {
  return std::any_of(shapes.begin(), shapes.end(), [](const DrawnShape& shape) {
    return shape.role != Role::note && std::regex_search(words_in(shape), std::regex("^steps( |$)"));
  });
}

// Looking.

using Missing = std::vector<std::string>;

void look_for(const Words& wanted, const Words& there, std::string_view what, Missing& missing) {
  for (auto at = wanted.begin(); at != wanted.end(); at = wanted.upper_bound(*at))
    if (there.count(*at) < wanted.count(*at))
      missing.push_back(
          fmt::format("{} of {} {} '{}'", wanted.count(*at) - there.count(*at), wanted.count(*at), what, *at));
}

/// All ranks are in circles, so often each.
void look_for_ranks(const Model& model, const Shapes& shapes, std::size_t times, Missing& missing) {
  Words wanted;
  for (Rank r = 0; r < model.ranks(); ++r)
    for (std::size_t k = 0; k < times; ++k) wanted.insert(fmt::format("{}", r));
  look_for(wanted, words_of<Disc>(shapes), "circles", missing);
}

/// All steps have a title, alone or together; what is said of further steps counts, too. Returns how often titles
/// name steps.
std::size_t look_for_steps(const Model& model, const Shapes& shapes, Missing& missing) {
  static const std::regex steps("[Ss]teps? (\\d+)( to (\\d+))?");
  std::set<int> named;
  std::size_t titles = 0;
  std::string all;
  const auto read = [&](const std::string& words) {
    for (std::sregex_iterator at(words.begin(), words.end(), steps), end; at != end; ++at)
      for (int s = std::stoi((*at)[1]); s <= std::stoi((*at)[(*at)[3].matched ? 3 : 1]); ++s) named.insert(s);
  };
  for (const DrawnShape& shape : shapes) {
    if (shape.role == Role::note || shape.role == Role::key) continue;
    titles += std::regex_search(words_in(shape), steps) ? 1 : 0;
    all += words_in(shape) + " ";
  }
  read(all);
  read(note_of(shapes));
  const bool are_told = says(shapes, "Steps between these are left out|Dotted: steps");
  for (int s = 0; s < model.steps(); ++s)
    if (!named.contains(s) && !(are_told && titles > 0)) missing.push_back(fmt::format("step {}", s));
  return titles;
}

/// "1,2,5,6", "0-3" and "×4" are four blocks.
std::optional<std::size_t> blocks_in(const std::string& words) {
  std::smatch found;
  if (std::regex_match(words, found, std::regex("\u00d7(\\d+)"))) return std::stoul(found[1]);
  if (!std::regex_match(words, std::regex("\\d+(-\\d+)?(,\\d+(-\\d+)?)*"))) return std::nullopt;
  std::size_t count = 0;
  static const std::regex run("(\\d+)(-(\\d+))?");
  for (std::sregex_iterator at(words.begin(), words.end(), run), end; at != end; ++at)
    count += (*at)[3].matched ? std::stoul((*at)[3]) - std::stoul((*at)[1]) + 1 : 1;
  return count;
}

Words sizes_of_messages(const Model& model) {
  Words sizes;
  for (const auto& step : model.plain.steps)
    for (const PlainTransfer& t : step) sizes.insert(fmt::format("{}", t.blocks.size()));
  return sizes;
}

/// The numbers that stand alone: amounts on lines.
Words numbers_in(const Words& words) {
  Words numbers;
  for (const std::string& each : words)
    if (std::regex_match(each, std::regex("\\d+"))) numbers.insert(each);
  return numbers;
}

// What each view must have.

void look_at_steps(const Model& model, const Shapes& shapes, Missing& missing) {
  const std::size_t titles = look_for_steps(model, shapes, missing);
  if (is_folded(shapes)) return;
  look_for_ranks(model, shapes, titles, missing);
  if (is_thinned(shapes)) return;
  // On a torus an exchange is one line, with one number.
  const bool has_both_ways = model.plain.header.shape.size() > 1;
  Words wanted;
  for (const auto& step : model.plain.steps)
    for (const PlainTransfer& t : step) {
      const bool is_exchange = std::any_of(step.begin(), step.end(), [&](const PlainTransfer& other) {
        return other.src == t.dst && other.dst == t.src && other.op == t.op && other.blocks.size() == t.blocks.size();
      });
      if (!has_both_ways || !is_exchange || t.src < t.dst) wanted.insert(fmt::format("{}", t.blocks.size()));
    }
  look_for(wanted, numbers_in(words_of(shapes, Role::label)), "amounts", missing);
}

/// Is it one of "×4", or between those of "×1 to ×16"?
bool is_in_a_range(std::size_t size, const Words& labels) {
  static const std::regex range("\u00d7(\\d+)( to \u00d7(\\d+))?.*");
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    std::smatch found;
    return std::regex_match(label, found, range) && std::stoul(found[1]) <= size &&
           size <= std::stoul(found[found[3].matched ? 3 : 1]);
  });
}

std::size_t sum_of(const Words& numbers) {
  std::size_t sum = 0;
  for (const std::string& each : numbers) sum += std::stoul(each);
  return sum;
}

void look_at_time(const Model& model, const Shapes& shapes, Missing& missing) {
  look_for_steps(model, shapes, missing);
  if (is_folded(shapes)) return;
  look_for_ranks(model, shapes, 1, missing);
  if (is_thinned(shapes)) return;
  Words there;
  for (const std::string& words : words_of(shapes, Role::label))
    if (const auto count = blocks_in(words)) there.insert(fmt::format("{}", *count));
  // Where lists have no room, a step says how many blocks its messages have.
  const Words all = sizes_of_messages(model);
  Words wanted = all;
  std::erase_if(wanted, [&](const std::string& size) {
    return there.count(size) < all.count(size) && is_in_a_range(std::stoul(size), words_of(shapes, Role::label));
  });
  // Where a rank's messages of a step share a label, it says how many blocks they have together.
  if (sum_of(there) != sum_of(all)) look_for(wanted, there, "lists of blocks", missing);
}

/// Of block 0: its moves have their steps at their lines, and their ranks are in circles.
void look_at_tree(const Model& model, const Shapes& shapes, Missing& missing) {
  if (is_folded(shapes) || says(shapes, "Only what leads to it is drawn")) return;
  Words steps, ranks;
  for (int s = 0; s < model.steps(); ++s)
    for (const PlainTransfer& t : model.plain.steps[static_cast<std::size_t>(s)])
      if (std::binary_search(t.blocks.begin(), t.blocks.end(), 0)) {
        steps.insert(fmt::format("{}", s));
        for (const Rank r : {t.src, t.dst})
          if (!ranks.contains(fmt::format("{}", r))) ranks.insert(fmt::format("{}", r));
      }
  look_for(steps, numbers_in(words_of<Text>(shapes)), "lines of step", missing);
  look_for(ranks, words_of<Disc>(shapes), "circles", missing);
}

/// Columns are numbered from 0, as many as there are ranks.
void look_at_vectors(const Model& model, const Shapes& shapes, Missing& missing) {
  look_for_steps(model, shapes, missing);
  if (is_folded(shapes)) return;
  Words columns;
  for (Rank r = 0; r < model.ranks(); ++r) columns.insert(fmt::format("{}", r));
  const Words texts = numbers_in(words_of<Text>(shapes));
  const bool has_all = std::includes(texts.begin(), texts.end(), columns.begin(), columns.end());
  if (!has_all) look_for_ranks(model, shapes, 1, missing);
}

/// How many contributions each rank holds of each block before the first step, and after each.
std::vector<Words> held(const Model& model) {
  const auto blocks = static_cast<std::size_t>(model.plain.header.all_blocks());
  std::vector<std::vector<int>> now(static_cast<std::size_t>(model.ranks()), std::vector<int>(blocks, 1));
  std::vector<Words> all;
  const auto note = [&] {
    Words& words = all.emplace_back();
    for (const auto& row : now)
      for (const int count : row) words.insert(fmt::format("{}", count));
  };
  note();
  for (const auto& step : model.plain.steps) {
    const auto before = now;
    for (const PlainTransfer& t : step)
      for (const Block b : t.blocks) {
        const auto block = static_cast<std::size_t>(b);
        int& there = now[static_cast<std::size_t>(t.dst)][block];
        const int sent = before[static_cast<std::size_t>(t.src)][block];
        there = t.op == Op::copy ? sent : there + sent;
      }
    note();
  }
  return all;
}

void look_at_matrix(const Model& model, const Shapes& shapes, Missing& missing) {
  look_for_steps(model, shapes, missing);
  const bool has_all = !says(shapes, "left out|mean of");
  const Words cells = words_of(shapes, Role::cell);
  if (!has_all || model.plain.header.collective != Collective::allreduce || cells.empty()) return;
  Words wanted;
  for (const Words& panel : held(model)) wanted.insert(panel.begin(), panel.end());
  look_for(wanted, cells, "cells", missing);
}

/// The sum of a rank has every contribution: a leaf each, or counted where they aren't drawn one by one.
void look_at_term(const Model& model, const Shapes& shapes, Missing& missing) {
  std::set<std::string> leaves;
  std::size_t counted = 0;
  for (const DrawnShape& shape : shapes) {
    if (shape.role == Role::note || shape.role == Role::key) continue;
    const std::string words = words_in(shape);
    std::smatch found;
    if (std::regex_match(words, std::regex("x\\d+"))) leaves.insert(words);
    if (std::regex_search(words, found, std::regex("(\\d+) more"))) counted += std::stoul(found[1]);
    if (std::regex_match(words, std::regex("\\d+"))) counted += std::stoul(words);
  }
  const Collective collective = model.plain.header.collective;
  const bool adds = collective == Collective::allreduce || collective == Collective::reduce_scatter ||
                    collective == Collective::reduce;
  const std::size_t all = adds ? static_cast<std::size_t>(model.ranks()) : 1;
  if (leaves.size() + counted != all)
    missing.push_back(fmt::format("{} leaves and {} counted of {}", leaves.size(), counted, all));
}

/// Every rank, and every load of a link.
void look_at_contention(const Model& model, const Shapes& shapes, Missing& missing) {
  look_for_ranks(model, shapes, 1, missing);
  if (says(shapes, "Where it has no room")) return;
  const auto loads = onceover::network::loads_of(*model.schedule, *model.network, Routing::minimal, 0, model.steps());
  REQUIRE(loads);
  Words wanted;
  for (Link l = 0; l < loads->links(); ++l)
    if (const auto load = static_cast<double>(loads->load(l)); load > 0 && load == std::floor(load))
      wanted.insert(fmt::format("{}", load));
  look_for(wanted, numbers_in(words_of(shapes, Role::label)), "loads", missing);
}

/// Every link is a row, and every step a column, unless a cell stands for several or names would touch.
void look_at_heat_map(const Model& model, const Shapes& shapes, Missing& missing) {
  const Words texts = words_of<Text>(shapes);
  if (model.ranks() > 8) return;
  Words wanted;
  for (Link l = 0; l < model.network->link_count(); ++l)
    wanted.insert(fmt::format("{} to {}", model.network->link(l).from, model.network->link(l).to));
  for (int s = 0; s < std::min(model.steps(), 10); ++s) wanted.insert(fmt::format("{}", s));
  look_for(wanted, texts, "names", missing);
}

void look_at_cut(const Model& model, const Shapes& shapes, Missing& missing) {
  look_for_ranks(model, shapes, 1, missing);
}

using Look = void (*)(const Model&, const Shapes&, Missing&);

/// By view; the pictures of what goes wrong have tests of their own.
const std::map<std::string_view, Look>& looks() {
  static const std::map<std::string_view, Look> all{
      {"steps", look_at_steps},      {"time", look_at_time}, {"tree", look_at_tree}, {"matrix", look_at_matrix},
      {"vectors", look_at_vectors},  {"term", look_at_term}, {"cut", look_at_cut},   {"contention", look_at_contention},
      {"heat-map", look_at_heat_map}};
  return all;
}

Missing missing_in(std::string_view view, const Model& model, const Shapes& shapes) {
  Missing missing;
  looks().at(view)(model, shapes, missing);
  return missing;
}

/// Looks at all pictures of a schedule; returns of each view how many there were.
void look_at_all(const SchedulePtr& schedule, double width, std::map<std::string_view, int>& seen) {
  const Model model = model_of(schedule);
  for (const auto& [name, look] : looks()) {
    const View& view = *find_view(name);
    const Drawing drawing{.draw = [&, &view = view](const DrawOptions& shown) { return draw(view, *schedule, shown); },
                          .heeds = view.heeds,
                          .steps = schedule->steps()};
    const DrawOptions options{
        .counts = name == "steps" || name == "contention", .network = model.network, .style = {.width = width}};
    const auto picture = legible(drawing, options);
    if (!picture) continue;
    CAPTURE(name, title_of(schedule->header()), width);
    CHECK(missing_in(name, model, picture->shapes()) == Missing{});
    ++seen[name];
  }
}

SchedulePtr catalogued(std::string_view algorithm, std::vector<Rank> shape) {
  const Algorithm& row = *find_algorithm(algorithm);
  const Request request{.collective = row.collectives.front(), .shape = std::move(shape)};
  return refusal(row, request) ? nullptr : row.make(request);
}

/// Is it right, and are its ranks numbers? What comes twice is drawn otherwise, and so are places in a grid.
bool is_plain(const Schedule& schedule) {
  return schedule.header().names.grid.size() < 2 && verify(schedule).verdict == Verdict::pass;
}

}  // namespace

TEST_CASE("every rank, step, block and amount of a schedule is in its pictures, or said to be left out") {
  std::map<std::string_view, int> seen;
  for (const auto& [algorithm, shape] :
       std::vector<std::pair<std::string_view, std::vector<Rank>>>{{"swing", {2}},
                                                                   {"swing", {8}},
                                                                   {"ring", {5}},
                                                                   {"ring", {32}},
                                                                   {"recursive-doubling", {8}},
                                                                   {"bruck", {7}},
                                                                   {"pat", {8}},
                                                                   {"binomial-tree", {16}},
                                                                   {"swing", {4, 4}}})
    look_at_all(catalogued(algorithm, shape), 3.3, seen);
  for (const auto& [name, look] : looks()) {
    CAPTURE(name);
    CHECK(seen[name] >= 5);
  }
}

TEST_CASE("a label or amount that a picture loses is missed, in every view that has one") {
  const Model model = model_of(catalogued("swing", {8}));
  for (const auto& [name, look] : looks()) {
    const DrawOptions options{.counts = name == "steps" || name == "contention", .network = model.network};
    const Drawing drawing{
        .draw = [&, name = name](const DrawOptions& shown) { return draw(*find_view(name), *model.schedule, shown); }};
    const Shapes shapes = legible(drawing, options)->shapes();
    CAPTURE(name);
    std::size_t missed = 0, taken = 0;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      const bool is_named = shapes[k].role == Role::rank || shapes[k].role == Role::label ||
                            shapes[k].role == Role::node || shapes[k].role == Role::cell;
      if (!is_named || words_in(shapes[k]).empty()) continue;
      Shapes fewer = shapes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      ++taken;
      missed += missing_in(name, model, fewer).empty() ? 0 : 1;
    }
    CHECK(missed > 0);
    if (name == "steps" || name == "contention") CHECK(missed == taken);
  }
}

TEST_CASE("every rank, step, block and amount of every row's schedules is in their pictures", "[long]") {
  std::map<std::string_view, int> seen;
  for (const double width : {3.3, 7.0})
    for (const Algorithm& row : catalogue())
      for (const std::vector<Rank>& shape :
           std::vector<std::vector<Rank>>{{2}, {3}, {4}, {7}, {8}, {11}, {2, 2}, {4, 4}, {3, 5}})
        if (const SchedulePtr schedule = catalogued(row.name, shape); schedule && is_plain(*schedule))
          look_at_all(schedule, width, seen);
  CHECK(seen.size() == looks().size());
}

}  // namespace complete_pictures_test
