// The theorems' schedules, written a second time as routes: they are those of the catalogue, and a schedule in which
// one transfer differs is found out.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "plain_schedule.h"
#include "proofs/routes/kernel.h"
#include "schedules/catalogue.h"

namespace routes_test {

using namespace onceover::proofs;
using namespace onceover::support;

namespace {

/// All settings of a row that have a choice; of numbers and groups some.
std::vector<Settings> settings_of(const Algorithm& row) {
  std::vector<Settings> all{{}};
  for (const Parameter& parameter : row.parameters) {
    std::vector<std::string> values(parameter.choices.begin(), parameter.choices.end());
    if (parameter.name == "group") values = {"cyclic", "xor", "2x3", "3x5", "5x3x2", "4x4", "7"};
    if (parameter.name == "placement") values = {"natural", "reversed"};
    if (parameter.name == "nodes") values = {"1", "2", "3"};
    if (parameter.name == "within")
      values = {"swing", "ring:order=even-odd", "rabenseifner:order=far", "binomial-tree"};
    if (parameter.name == "across") values = {"swing", "bruck", "rabenseifner", "chain", "recursive-doubling"};
    if (values.empty()) values = {std::string(parameter.preset), "1", "2", "8"};
    std::vector<Settings> more;
    for (const Settings& settings : all)
      for (const std::string& value : values) {
        more.push_back(settings);
        more.back()[std::string(parameter.name)] = value;
      }
    all = std::move(more);
  }
  all.push_back({});
  return all;
}

/// Lines and tori of up to `most` ranks.
std::vector<std::vector<Rank>> shapes_up_to(Rank most_on_line, Rank most) {
  std::vector<std::vector<Rank>> shapes;
  for (Rank p = 1; p <= most_on_line; ++p) shapes.push_back({p});
  for (Rank a = 1; a <= most; ++a)
    for (Rank b = 1; a * b <= most; ++b) {
      shapes.push_back({a, b});
      for (Rank c = 1; a * b * c <= most / 2 && a > 1; ++c) shapes.push_back({a, b, c});
    }
  shapes.push_back({2, 3, 2, 2});
  shapes.push_back({3, 2, 5, 2});
  return shapes;
}

struct Tried {
  SchedulePtr schedule;
  const KernelRow* row;  // null: none covers it
  std::optional<RoutedSchedule> expected;
};

Tried tried(const Algorithm& row, const Request& request) {
  const SchedulePtr schedule = row.make(request);
  const RowRun run{schedule->header(), request.settings};
  const KernelRow* kernel = kernel_row(run);
  if (kernel == nullptr) return {schedule, kernel, {}};
  return {schedule, kernel, kernel->function(run)};
}

void for_each_request(const Algorithm& row, Rank most_on_line, Rank most,
                      const std::function<void(const Request&)>& visit) {
  for (const auto& shape : shapes_up_to(most_on_line, most))
    for (const Collective collective : row.collectives)
      for (const bool all_lanes : {false, true})
        for (const Settings& settings : settings_of(row)) {
          const Request request{collective, shape, all_lanes, settings};
          if (!refusal(row, request)) visit(request);
        }
}

}  // namespace

TEST_CASE("wherever a theorem covers a row, the schedule of its function is the row's, transfer by transfer") {
  std::map<const KernelRow*, int> compared;
  for (const Algorithm& row : catalogue())
    for_each_request(row, 66, 36, [&](const Request& request) {
      const Tried here = tried(row, request);
      if (here.row == nullptr) return;
      CAPTURE(row.name, name(request.collective), shape_text(request.shape), request.all_lanes);
      const auto found = difference(*here.schedule, *here.expected);
      REQUIRE(found.value_or("") == "");
      ++compared[here.row];
    });
  for (const KernelRow& row : kernel_rows()) {
    CAPTURE(row.row, row.theorem->name);
    CHECK(compared[&row] >= 3);
  }
}

TEST_CASE("a theorem covers each run of a row, or the row's gaps say that none does") {
  std::set<const KernelGap*> met;
  for (const Algorithm& row : catalogue()) {
    if (row.as_printed) continue;
    for_each_request(row, 66, 36, [&](const Request& request) {
      CAPTURE(row.name, name(request.collective), shape_text(request.shape), request.all_lanes, request.settings);
      const SchedulePtr schedule = row.make(request);
      const RowRun run{schedule->header(), request.settings};
      const auto gaps = kernel_gaps();
      const auto gap = std::find_if(gaps.begin(), gaps.end(),
                                    [&](const KernelGap& each) { return each.row == row.name && each.has(run); });
      REQUIRE((kernel_row(run) == nullptr) == (gap != gaps.end()));
      if (gap != gaps.end()) met.insert(&*gap);
    });
  }
  CHECK(met.size() == kernel_gaps().size());
}

namespace {

void compare_blocks_on_circulant_graph(Rank least, Rank most, int step) {
  const Algorithm& row = *find_algorithm("circulant");
  for (Rank p = least; p <= most; p += step)
    for (const char* segments : {"3", "11", "14"}) {
      CAPTURE(p, segments);
      Request request = on_line(p % 2 == 0 ? Collective::broadcast : Collective::reduce, p);
      request.settings = {{"segments", segments}};
      const Tried here = tried(row, request);
      REQUIRE(here.row != nullptr);
      CHECK(difference(*here.schedule, *here.expected).value_or("") == "");
    }
}

}  // namespace

TEST_CASE("a search finds the same blocks for the ranks of a circulant graph as the theory's rule") {
  compare_blocks_on_circulant_graph(2, 300, 3);
}

TEST_CASE("a search finds the same blocks for the ranks of larger circulant graphs as the theory's rule", "[long]") {
  compare_blocks_on_circulant_graph(67, 1100, 1);
}

TEST_CASE("the moves of a theorem's schedule are those of the row, each once") {
  const Algorithm& row = *find_algorithm("swing");
  for (const Rank p : {1, 2, 5, 6}) {
    const Tried here = tried(row, on_line(Collective::allreduce, p));
    std::vector<std::set<std::tuple<Rank, Rank, Block, Op>>> actual, expected;
    for (const auto& step : plain(*here.schedule).steps) {
      actual.emplace_back();
      for (const PlainTransfer& t : step)
        for (const Block b : t.blocks) actual.back().emplace(t.src, t.dst, b, t.op);
    }
    expected.resize(actual.size());
    std::uint64_t moves = 0;
    visit_moves(*here.expected, [&](const BlockMove& m) {
      expected.at(static_cast<std::size_t>(m.step)).emplace(m.src, m.dst, m.block, m.op);
      ++moves;
    });
    CHECK(actual == expected);
    CHECK(moves == here.schedule->block_transfers());
  }
}

namespace {

/// All schedules that differ from this one in one place: a transfer elsewhere, of another block or kind, missing,
/// twice, or at another step; with scratch, one that lands in another block, too.
std::vector<PlainSchedule> changed_once(const PlainSchedule& schedule) {
  std::vector<PlainSchedule> all;
  const Header& h = schedule.header;
  for (std::size_t s = 0; s < schedule.steps.size(); ++s)
    for (std::size_t k = 0; k < schedule.steps[s].size(); ++k) {
      auto with = [&](auto&& change) {
        all.push_back(schedule);
        change(all.back(), all.back().steps[s][k]);
      };
      with([&](PlainSchedule&, PlainTransfer& t) { t.dst = (t.dst + 1) % h.ranks; });
      with([&](PlainSchedule&, PlainTransfer& t) { t.src = (t.src + 1) % h.ranks; });
      with([&](PlainSchedule&, PlainTransfer& t) { t.op = t.op == Op::reduce ? Op::copy : Op::reduce; });
      if (schedule.steps.size() > 1)
        with([&](PlainSchedule& all_of_it, PlainTransfer& t) {
          const PlainTransfer moved = t;
          auto& steps = all_of_it.steps;
          steps[s].erase(steps[s].begin() + static_cast<std::ptrdiff_t>(k));
          steps[(s + 1) % steps.size()].push_back(moved);
        });
      with([&](PlainSchedule& all_of_it, PlainTransfer& t) {
        const PlainTransfer again = t;
        all_of_it.steps[s].push_back(again);
      });
      with([&](PlainSchedule& all_of_it, PlainTransfer&) {
        all_of_it.steps[s].erase(all_of_it.steps[s].begin() + static_cast<std::ptrdiff_t>(k));
      });
      if (h.blocks > 1 && h.scratch == 0)
        with([&](PlainSchedule&, PlainTransfer& t) {
          t.blocks.back() = (t.blocks.back() + 1) % h.blocks;
          std::sort(t.blocks.begin(), t.blocks.end());
          t.blocks.erase(std::unique(t.blocks.begin(), t.blocks.end()), t.blocks.end());
        });
      for (const Block by : {Block{1}, h.blocks, h.blocks - 1}) {
        if (h.scratch == 0) break;
        with([&](PlainSchedule&, PlainTransfer& t) {
          if (t.into.empty()) t.into = t.blocks;
          t.blocks.back() = (t.blocks.back() + by) % h.all_blocks();
        });
        with([&](PlainSchedule&, PlainTransfer& t) {
          if (t.into.empty()) t.into = t.blocks;
          t.into.back() = (t.into.back() + by) % h.all_blocks();
          if (std::count(t.into.begin(), t.into.end(), t.into.back()) > 1) {
            t.into.pop_back();
            t.blocks.pop_back();
          }
        });
      }
    }
  return all;
}

}  // namespace

TEST_CASE("a schedule in which one transfer is changed is not the theorem's") {
  int changes = 0;
  for (const KernelRow& row : kernel_rows())
    for (const std::vector<Rank>& shape : {std::vector<Rank>{4}, {5}, {2, 3}, {2, 2}})
      for (const Collective collective : row.collectives) {
        const Algorithm& algorithm = *find_algorithm(row.row);
        Settings settings;
        if (row.theorem->name == "removed_steps_needed") settings = {{"removed-steps", "1"}};
        if (row.theorem->file == "Merged.v") settings = {{"merge", "yes"}};
        const Request request{collective, shape, algorithm.has_lanes && shape.size() == 2, settings};
        if (refusal(algorithm, request)) continue;
        const Tried here = tried(algorithm, request);
        if (here.row != &row) continue;
        CAPTURE(row.row, row.theorem->name, name(collective), shape_text(shape));
        const PlainSchedule right = plain(*here.schedule);
        REQUIRE(difference(*listed(right), *here.expected).value_or("") == "");
        for (const PlainSchedule& wrong : changed_once(right)) {
          if (wrong.steps == right.steps) continue;
          ++changes;
          REQUIRE(difference(*listed(wrong), *here.expected).has_value());
        }
      }
  CHECK(changes > 3000);
}

TEST_CASE("a difference says which transfer it is") {
  const Algorithm& row = *find_algorithm("swing");
  const Tried here = tried(row, on_line(Collective::reduce_scatter, 4));
  PlainSchedule changed = plain(*here.schedule);
  const PlainTransfer first = changed.steps[0][0];
  changed.steps[0].erase(changed.steps[0].begin());
  CHECK(*difference(*listed(changed), *here.expected) ==
        fmt::format("step 0: rank {} sends block {} to rank {}, to be added, in the theorem's schedule only", first.src,
                    first.blocks[0], first.dst));
  changed.steps[0].push_back(first);
  changed.steps[0].push_back(first);
  CHECK(
      *difference(*listed(changed), *here.expected) ==
      fmt::format("step 0: rank {} sends block {} to rank {}, to be added twice, which the theorem's schedule doesn't",
                  first.src, first.blocks[0], first.dst));
  PlainSchedule landing = plain(*here.schedule);
  landing.steps[0][0].into = landing.steps[0][0].blocks;
  std::swap(landing.steps[0][0].into.front(), landing.steps[0][0].into.back());
  CHECK(*difference(*listed(landing), *here.expected) ==
        fmt::format("step 0: rank {} sends to rank {} what the theorem's schedule doesn't", first.src, first.dst));
  PlainSchedule elsewhere = plain(*here.schedule);
  PlainTransfer& last = elsewhere.steps[1][0];
  REQUIRE(last.blocks.size() == 1);
  last.into = {(last.blocks[0] + 1) % 4};
  CHECK(*difference(*listed(elsewhere), *here.expected) ==
        fmt::format("step 1: rank {} sends to rank {} what the theorem's schedule doesn't", last.src, last.dst));
  const Tried other = tried(row, on_line(Collective::reduce_scatter, 5));
  CHECK(*difference(*here.schedule, *other.expected) ==
        "4 ranks, 4 blocks and 2 steps; in the theorem's schedule 5, 5 and 2");
}

TEST_CASE("a difference says where a block lands, and what stays on its rank") {
  const Tried here =
      tried(*find_algorithm("generalized"), {Collective::allreduce, {5}, false, {{"removed-steps", "1"}}});
  const PlainSchedule right = plain(*here.schedule);
  auto told = [&](const std::function<void(PlainSchedule&)>& change) {
    PlainSchedule changed = right;
    change(changed);
    return difference(*listed(changed), *here.expected).value_or("");
  };
  auto is_local = [](const PlainTransfer& t) { return t.src == t.dst && t.src == 2; };
  auto local_of = [&](PlainSchedule& s, std::size_t step) -> PlainTransfer& {
    return *std::find_if(s.steps[step].begin(), s.steps[step].end(), is_local);
  };
  CHECK(told([](PlainSchedule&) {}) == "");
  CHECK(told([&](PlainSchedule& s) { std::erase_if(s.steps[0], is_local); }) ==
        "step 0: rank 2 moves its block 1 into block 6, to be copied, in the theorem's schedule only");
  CHECK(told([&](PlainSchedule& s) { local_of(s, 0).into = {7}; }) ==
        "step 0: rank 2 moves its block 1 into block 7, to be copied, which the theorem's schedule doesn't");
  CHECK(told([&](PlainSchedule& s) { local_of(s, 3).op = Op::reduce; }) ==
        "step 3: rank 2 moves its block 6 into block 1, to be added, which the theorem's schedule doesn't");
  CHECK(told([&](PlainSchedule& s) { s.steps[3].push_back(local_of(s, 3)); }) ==
        "step 3: rank 2 moves its block 6 into block 1, to be copied twice, which the theorem's schedule doesn't");
  CHECK(told([&](PlainSchedule& s) { s.header.scratch = 6; }) == "6 scratch blocks, in the theorem's schedule 5");
}

TEST_CASE("a theorem covers the runs that it is about, and no others") {
  auto about = [](const Header& header, const Settings& settings = {}) -> std::string_view {
    const KernelRow* row = kernel_row({header, settings});
    return row == nullptr ? "" : row->theorem->name;
  };
  auto line = [](const char* row, Collective collective, Rank p, int lanes = 1) {
    return Header{.collective = collective, .ranks = p, .blocks = p, .shape = {p}, .lanes = lanes, .algorithm = row};
  };
  constexpr Collective allreduce = Collective::allreduce;
  CHECK(about(line("swing", allreduce, 7)) == "swing_once");
  CHECK(about(line("swing", allreduce, 7, 2)) == "swing_torus_once");
  CHECK(about(line("swing", allreduce, 6, 2), {{"merge", "yes"}}) == "merged_swing_once");
  CHECK(about(line("rabenseifner", allreduce, 7), {{"merge", "yes"}}) == "merged_rabenseifner_once");
  CHECK(about(line("recursive-doubling", allreduce, 12), {{"remainder", "spread"}}) == "spread_once");
  CHECK(about(line("recursive-doubling", allreduce, 14), {{"remainder", "spread"}}) == "");
  CHECK(about(line("swing", Collective::broadcast, 7)) == "swing_trees_all_once");
  CHECK(about(line("swing", Collective::alltoall, 7)) == "");
  CHECK(about(line("ring", allreduce, 6)) == "ring_once");
  CHECK(about(line("ring", allreduce, 6), {{"order", "even-odd"}}) == "ring_by_turns_once");
  CHECK(about(line("hierarchical", allreduce, 60000)) == "hierarchical_once");
  CHECK(about(line("hierarchical", allreduce, 65536)) == "");
  CHECK(about(line("bucket", allreduce, 6)) == "bucket_once");
  CHECK(about(line("bucket", allreduce, 6, 2)) == "bucket_lanes_once");
  CHECK(about(line("pat", Collective::allgather, 6), {{"aggregation", "2"}}) == "pat_once");
  CHECK(about(line("binomial-tree", Collective::reduce, 6)) == "knomial_trees_once");
  CHECK(about(line("binomial-tree", Collective::reduce, 6), {{"order", "far"}}) == "knomial_trees_once");
  CHECK(about(line("rabenseifner", allreduce, 6)) == "rabenseifner_once");
  CHECK(about(line("rabenseifner", allreduce, 6), {{"remainder", "fold-neighbours"}}) == "rabenseifner_beside_once");
  CHECK(about(line("rabenseifner", allreduce, 6), {{"remainder", "eliminate-3-2"}}) == "elimination_once");
  CHECK(about(line("rabenseifner", Collective::allgather, 8)) == "halving_torus_once");
  CHECK(about(line("rabenseifner", Collective::allgather, 6)) == "");
  CHECK(about(line("mirrored-recursive-doubling", allreduce, 6, 2)) == "rabenseifner_once");
  CHECK(about(line("recursive-doubling", allreduce, 8)) == "recursive_doubling_once");
  CHECK(about(line("recursive-doubling", Collective::allgather, 8)) == "halving_torus_once");
  CHECK(about(line("generalized", allreduce, 6)) == "folding_once");
  CHECK(about(line("generalized", allreduce, 6), {{"group", "2x3"}}) == "folding_group_once");
  CHECK(about(line("generalized", allreduce, 6), {{"removed-steps", "1"}}) == "removed_steps_needed");
  CHECK(about(line("generalized", allreduce, 6), {{"group", "2x3"}, {"removed-steps", "3"}}) == "removed_steps_needed");
  CHECK(about(line("generalized", Collective::allgather, 6), {{"removed-steps", "1"}}) == "");
  CHECK(about(line("generalized", allreduce, 6), {{"placement", "reversed"}}) == "");
  CHECK(about(line("", allreduce, 6)) == "");
  const Header nodes = line("hierarchical", Collective::broadcast, 12);
  const Settings binary{{"nodes", "3"}, {"within", "binomial-tree"}, {"across", "chain"}};
  const Settings ternary{{"nodes", "3"}, {"within", "binomial-tree:radix=3"}, {"across", "chain"}};
  CHECK(about(nodes, binary) == "hierarchical_trees_once");
  CHECK(about(nodes, ternary) == "");
  Header owned = line("swing", Collective::reduce_scatter, 2);
  owned.owners = {1, 0};
  CHECK(about(owned) == "");
  Header rooted = line("swing", Collective::broadcast, 2);
  rooted.root = 1;
  CHECK(about(rooted) == "swing_trees_all_once");
}

TEST_CASE("theorems of the kernel have names of their own, are in the list of the theory, and have rows") {
  std::ifstream in(std::filesystem::path(ONCEOVER_SOURCE) / "proofs/coq/theorems.txt");
  std::set<std::string> listed;
  for (std::string text; std::getline(in, text);) listed.insert(text);
  std::set<std::string_view> names;
  for (const KernelTheorem& t : kernel_theorems()) {
    CAPTURE(t.name);
    CHECK(names.insert(t.name).second);
    CHECK(listed.count(fmt::format("{}.{}", t.file.substr(0, t.file.find('.')), t.name)) == 1);
    CHECK((t.file == "Offsets.v" || std::any_of(kernel_rows().begin(), kernel_rows().end(),
                                                [&](const KernelRow& row) { return row.theorem->name == t.name; })));
  }
  for (const KernelRow& row : kernel_rows()) CHECK(find_algorithm(row.row) != nullptr);
}

// What is written twice finds faults only if it isn't one.
TEST_CASE("the routes share no code with the rows of the catalogue") {
  const std::set<std::string> allowed{"schedules/schedule.h", "schedules/types.h", "base/text.h", "base/stop.h",
                                      "base/parallel.h"};
  const std::regex include("#include \"([^\"]*)\"");
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(ONCEOVER_SOURCE) / "proofs/routes")) {
    std::ifstream in(file.path());
    for (std::string text; std::getline(in, text);)
      if (std::smatch found; std::regex_search(text, found, include)) {
        CAPTURE(file.path().filename().string(), found[1].str());
        CHECK((allowed.count(found[1]) == 1 || found[1].str().starts_with("proofs/routes/")));
      }
    ++files;
  }
  CHECK(files >= 7);
}

}  // namespace routes_test
