// What is read off a running library: elements, values, judgements and matches, without an MPI.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>

#include "live/judge.h"
#include "live/match.h"
#include "live/options.h"
#include "live/reference.h"
#include "live/sweep.h"
#include "schedules/catalogue.h"

namespace onceover::live {

namespace {

const LiveCollective& collective(CallKind kind) {
  for (const LiveCollective& c : live_collectives())
    if (c.kind == kind) return c;
  throw std::logic_error("no such collective");
}

/// An element in a buffer of its own.
class Element {
 public:
  explicit Element(const ElementFormat& format) : format_(&format), bytes_(format.size(), std::byte{0}) {}
  Element(const ElementFormat& format, Rank rank, std::uint32_t position = 0) : Element(format) {
    format.set_leaf(bytes_.data(), rank, position);
  }

  std::byte* data() { return bytes_.data(); }
  const std::byte* data() const { return bytes_.data(); }

  /// left joined with right, as an operator of MPI does it.
  friend Element operator+(const Element& left, Element right) {
    left.format_->join(left.data(), right.data());
    return right;
  }

 private:
  const ElementFormat* format_;
  std::vector<std::byte> bytes_;
};

/// A result of one element on each of several ranks.
class OneElement {
 public:
  OneElement(Rank ranks, CallKind kind = CallKind::allreduce) : format(ranks), values(ranks) {
    call.collective = &collective(kind);
    call.ranks = ranks;
  }

  Element leaf(Rank rank, std::uint32_t position = 0) const { return Element(format, rank, position); }

  CallOutcome outcome(const std::vector<Element>& by_rank) {
    CallOutcome outcome;
    for (const Element& e : by_rank) {
      outcome.cells.push_back({{values.add(format, e.data()), format.position(e.data())}});
      outcome.joins.push_back({1});
    }
    return outcome;
  }

  LiveReport judged(const std::vector<CallOutcome>& repeats) { return judge(call, values, repeats, {}); }

  ElementFormat format;
  Values values;
  LiveCall call;
};

const PropertyResult& property(const LiveReport& report, std::string_view id) {
  for (const PropertyResult& p : report.properties)
    if (p.id == id) return p;
  throw std::logic_error("no such property");
}

/// What a library would leave that runs a schedule on a vector, cut into equal parts, the longer ones first.
CallOutcome run_like(const Schedule& schedule, const LiveCall& call, const ElementFormat& format, Values& values) {
  const Header& h = schedule.header();
  std::vector<std::vector<Element>> held;  // by rank, then by element
  for (Rank r = 0; r < h.ranks; ++r) {
    held.emplace_back();
    for (int e = 0; e < call.count; ++e) held.back().emplace_back(format, r, static_cast<std::uint32_t>(e));
  }
  CallOutcome outcome;
  outcome.joins.assign(static_cast<std::size_t>(h.ranks),
                       std::vector<std::uint32_t>(static_cast<std::size_t>(call.count)));
  auto block_of = [&](int e) {
    int begin = 0;
    for (Block b = 0;; ++b) {
      begin += call.count / h.blocks + (b < call.count % h.blocks ? 1 : 0);
      if (e < begin) return b;
    }
  };
  for (int step = 0; step < schedule.steps(); ++step) {
    const auto before = held;
    std::vector<Transfer> transfers;
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      for (int e = 0; e < call.count; ++e) {
        if (!t.blocks.contains(block_of(e))) continue;
        const auto src = static_cast<std::size_t>(t.src), dst = static_cast<std::size_t>(t.dst),
                   k = static_cast<std::size_t>(e);
        if (t.op == Op::copy) {
          held[dst][k] = before[src][k];
          continue;
        }
        held[dst][k] = before[src][k] + held[dst][k];
        ++outcome.joins[dst][k];
      }
  }
  for (const auto& row : held) {
    outcome.cells.emplace_back();
    for (const Element& e : row)
      outcome.cells.back().push_back({values.add(format, e.data()), format.position(e.data())});
  }
  return outcome;
}

}  // namespace

TEST_CASE("an element keeps the sides of sums") {
  const ElementFormat format(4);
  Values values(4);
  const Element sum = (Element(format, 2) + Element(format, 0)) + (Element(format, 3) + Element(format, 1));
  CHECK(values.text(values.add(format, sum.data())) == "((2+0)+(3+1))");
  const Element other = (Element(format, 1) + Element(format, 3)) + (Element(format, 0) + Element(format, 2));
  const std::size_t a = values.add(format, sum.data()), b = values.add(format, other.data());
  CHECK(a != b);
  CHECK(values[a].term == values[b].term);
}

TEST_CASE("an element has room for twice its ranks, and counts beyond") {
  const ElementFormat format(2);
  Element sum = Element(format, 0);
  for (int k = 0; k < 3; ++k) sum = sum + Element(format, 1);
  REQUIRE(format.content(sum.data()) == Content::term);
  sum = sum + Element(format, 1);
  REQUIRE(format.content(sum.data()) == Content::counts);
  CHECK(format.counts(sum.data()) == std::vector<std::uint32_t>{1, 4});
  sum = sum + sum;
  CHECK(format.counts(sum.data()) == std::vector<std::uint32_t>{2, 8});
}

TEST_CASE("an element tells when it is none") {
  const ElementFormat format(3);
  Element cleared(format);
  CHECK(format.content(cleared.data()) == Content::nothing);
  CHECK(format.content((cleared + Element(format, 1)).data()) == Content::garbled);
  for (std::size_t byte = 0; byte < format.size(); ++byte) {
    Element other(format, 1);
    other.data()[byte] ^= std::byte{0x11};
    INFO("byte " << byte);
    CHECK(format.content(other.data()) == Content::garbled);
  }
  Element cut(format, 1);  // its end was not sent
  std::fill_n(cut.data() + format.size() - 4, 4, std::byte{0});
  CHECK(format.content(cut.data()) == Content::garbled);
  Element shifted(format, 1, 4);  // its head is that of the next
  std::copy_n(Element(format, 1, 5).data(), 16, shifted.data());
  CHECK(format.content(shifted.data()) == Content::garbled);
  CHECK(format.content((Element(format, 0, 4) + Element(format, 1, 5)).data()) == Content::mismatch);
}

TEST_CASE("what stood there in an earlier call is no element of this one") {
  ElementFormat format(2);
  const Element before(format, 0);
  CHECK(format.content(before.data()) == Content::term);
  format.next_call();
  CHECK(format.content(before.data()) == Content::garbled);
  CHECK(format.content((before + Element(format, 1)).data()) == Content::garbled);
  CHECK(format.content((Element(format, 0) + Element(format, 1)).data()) == Content::term);
}

TEST_CASE("a sum that is right passes") {
  OneElement one(3);
  const Element sum = one.leaf(0) + (one.leaf(1) + one.leaf(2));
  const auto outcome = one.outcome({sum, sum, sum});
  const LiveReport report = one.judged({outcome, outcome});
  CHECK(report.verdict == Verdict::pass);
  for (const PropertyResult& p : report.properties) CHECK(p.verdict == Verdict::pass);
}

TEST_CASE("a contribution that is lost, or counts twice, is named") {
  OneElement one(3);
  const Element sum = one.leaf(0) + (one.leaf(1) + one.leaf(2));
  const LiveReport lost = one.judged({one.outcome({sum, one.leaf(0) + one.leaf(1), sum})});
  CHECK(lost.verdict == Verdict::fail);
  const PropertyResult& missing = property(lost, "exactly-once");
  CHECK(missing.counterexample->kind() == Counterexample::Missing::kind);
  CHECK(missing.counterexample->rank == 1);
  CHECK(missing.counterexample->facts().contributor == 2);
  CHECK(describe(*missing.counterexample) ==
        std::vector<std::string>{"rank 1 ends with (0+1) in element 0 of its result: rank 2's contribution is missing",
                                 "expected the sum of element 0 of ranks 0..2"});
  const LiveReport twice = one.judged({one.outcome({sum, sum, sum + one.leaf(1)})});
  const PropertyResult& duplicate = property(twice, "exactly-once");
  CHECK(duplicate.counterexample->kind() == Counterexample::Duplicate::kind);
  CHECK(duplicate.counterexample->facts().contributor == 1);
  CHECK(duplicate.counterexample->facts().times == 2);
}

TEST_CASE("an element of another position is wrong, whatever its sum") {
  OneElement one(2);
  const Element sum = one.leaf(0, 1) + one.leaf(1, 1);
  CHECK(property(one.judged({one.outcome({sum, sum})}), "exactly-once").verdict == Verdict::fail);
}

TEST_CASE("ranks with different sums are named, and sides of sums make no difference") {
  OneElement one(4);
  const Element a = (one.leaf(0) + one.leaf(1)) + (one.leaf(2) + one.leaf(3));
  const Element swapped = (one.leaf(3) + one.leaf(2)) + (one.leaf(0) + one.leaf(1));
  const Element b = (one.leaf(0) + one.leaf(3)) + (one.leaf(1) + one.leaf(2));
  CHECK(one.judged({one.outcome({a, swapped, a, a})}).verdict == Verdict::pass);
  const LiveReport report = one.judged({one.outcome({a, a, b, b})});
  CHECK(report.verdict == Verdict::fail);
  CHECK(property(report, "exactly-once").verdict == Verdict::pass);
  CHECK(property(report, "bitwise-reproducible").counterexample->facts().other_rank == 2);
}

TEST_CASE("the order is required of operators that don't commute, sides included") {
  OneElement one(3, CallKind::reduce);
  auto judged = [&](const Element& sum, bool commutative) {
    one.call.commutative = commutative;
    CallOutcome outcome = one.outcome({sum});
    outcome.cells.resize(3);
    return one.judged({outcome});
  };
  const Element in_order = (one.leaf(0) + one.leaf(1)) + one.leaf(2);
  const Element other_side = one.leaf(2) + (one.leaf(0) + one.leaf(1));
  const Element with_gap = (one.leaf(0) + one.leaf(2)) + one.leaf(1);
  CHECK(judged(in_order, false).verdict == Verdict::pass);
  CHECK(judged(other_side, false).verdict == Verdict::fail);
  CHECK(property(judged(other_side, true), "order-preserving").verdict == Verdict::pass);
  const LiveReport gap = judged(with_gap, true);
  CHECK(gap.verdict == Verdict::pass);
  CHECK(property(gap, "order-preserving").verdict == Verdict::fail);
  CHECK(property(gap, "order-preserving").counterexample->facts().shown ==
        std::vector<std::string>{"rank 0", "rank 2"});
}

TEST_CASE("what is no sum is in no order, whatever the operator") {
  OneElement one(2, CallKind::reduce);
  CallOutcome outcome = one.outcome({Element(one.format)});
  outcome.cells.resize(2);
  const PropertyResult found = property(one.judged({outcome}), "order-preserving");
  CHECK(found.verdict == Verdict::fail);
  CHECK(describe(*found.counterexample) ==
        std::vector<std::string>{"rank 0 ends with nothing in element 0 of its result",
                                 "it can't be read as a sum, so it has no order"});
}

TEST_CASE("a row of a sweep says nothing of sums that weren't judged") {
  const SweepRow judged{
      .choice = {"allreduce", "ring", {}}, .ranks = 4, .command = "", .is_ordered = false, .is_deterministic = true};
  auto json = [](const SweepRow& row) { return sweep_json({.library = "mpich", .program = ""}, {{row}})["rows"][0]; };
  CHECK(json(judged)["order_preserving"] == false);
  CHECK(json(judged)["deterministic"] == true);
  for (const auto end : {SweepRow::End::crashed, SweepRow::End::hung, SweepRow::End::refused}) {
    SweepRow row = judged;
    row.end = end;
    CHECK(json(row)["order_preserving"].is_null());
    CHECK(json(row)["deterministic"].is_null());
  }
  CHECK(json({.choice = {"bcast", "binomial", {}}, .ranks = 4, .command = ""})["order_preserving"].is_null());
}

TEST_CASE("another sum in a later call is not deterministic") {
  OneElement one(3, CallKind::scan);
  const std::vector<Element> first{one.leaf(0), one.leaf(0) + one.leaf(1), (one.leaf(0) + one.leaf(1)) + one.leaf(2)};
  std::vector<Element> second = first;
  second[2] = one.leaf(0) + (one.leaf(1) + one.leaf(2));
  const auto a = one.outcome(first), b = one.outcome(second);
  CHECK(property(one.judged({a, a}), "deterministic").verdict == Verdict::pass);
  CHECK(property(one.judged({a}), "deterministic").verdict == Verdict::unknown);
  const LiveReport report = one.judged({a, b});
  CHECK(property(report, "deterministic").verdict == Verdict::fail);
  CHECK(report.verdict == Verdict::pass);
}

TEST_CASE("elements that a simulator lost make no verdict, and hide no wrong one") {
  Values values(2);
  const std::size_t lost = values.add(Content::unjudged, {}, {});
  const std::size_t right = values.add(Content::term, {ElementFormat::joined, 0, 1}, {1, 1});
  const std::size_t wrong = values.add(Content::term, {0}, {1, 0});
  const LiveCall call{.collective = &collective(CallKind::allreduce), .ranks = 2};
  const auto verdict = [&](std::size_t first, std::size_t second) {
    const CallOutcome outcome{.cells = {{{first, 0}}, {{second, 0}}}, .joins = {{1}, {1}}};
    return judge(call, values, std::span(&outcome, 1), {}).verdict;
  };
  CHECK(verdict(right, right) == Verdict::pass);
  CHECK(verdict(lost, right) == Verdict::unknown);
  CHECK(verdict(lost, lost) == Verdict::unknown);
  CHECK(verdict(lost, wrong) == Verdict::fail);
}

TEST_CASE("what is due follows MPI") {
  LiveCall call{.collective = &collective(CallKind::reduce_scatter), .ranks = 3, .count = 5};
  CHECK(due(call, 0).size() == 2);
  CHECK(due(call, 2).size() == 1);
  CHECK(due(call, 2)[0].position == 4);
  call.collective = &collective(CallKind::exscan);
  CHECK(due(call, 0).empty());
  CHECK(due(call, 2)[0].end == 2);
  call.collective = &collective(CallKind::alltoallv);
  CHECK(due(call, 1).size() == 15);
  CHECK(due(call, 1)[2].position == 7);
  for (const LiveCollective& c : live_collectives())
    for (const Layout layout : layouts_of(c)) {
      call = {.collective = &c, .ranks = 4, .count = 0, .layout = layout};
      for (Rank r = 0; r < 4; ++r) CHECK(due(call, r).empty());
    }
}

namespace {

/// Do two parts that have elements share one?
bool overlap(const PlacedParts& placing) {
  for (std::size_t a = 0; a < placing.parts.size(); ++a)
    for (std::size_t b = a + 1; b < placing.parts.size(); ++b) {
      const Part &x = placing.parts[a], &y = placing.parts[b];
      if (x.count > 0 && y.count > 0 && x.begin < y.begin + y.count && y.begin < x.begin + x.count) return true;
    }
  return false;
}

bool is_inside(const PlacedParts& placing) {
  return std::all_of(placing.parts.begin(), placing.parts.end(), [&](const Part& part) {
    return part.begin >= 0 && part.count >= 0 && part.begin + part.count <= placing.length;
  });
}

}  // namespace

TEST_CASE("what one rank sends another gets, in each layout, and no element twice") {
  for (const LiveCollective& c : live_collectives())
    for (const Layout layout : layouts_of(c))
      for (const Rank p : {1, 2, 3, 4, 7, 8})
        for (const bool in_place : {false, true}) {
          const LiveCall call{.collective = &c,
                              .in_place = in_place && c.has_in_place,
                              .ranks = p,
                              .root = c.has_root() ? p - 1 : 0,
                              .count = 3,
                              .layout = layout};
          INFO(c.name << ", layout " << layout_names()[static_cast<std::size_t>(layout)] << ", p = " << p);
          for (Rank r = 0; r < p; ++r) {
            const auto held = held_before(call, r);
            const std::vector<Due> dues = due(call, r);
            REQUIRE(dues.size() == wanted(call, r));
            REQUIRE(held.size() >= dues.size());
            for (std::size_t k = 0; k < dues.size(); ++k) {
              CHECK((is_gap(dues[k]) || dues[k].position < given(call, dues[k].first)));
              if (is_gap(dues[k])) CHECK(held[k] == dues[k].position);
              CHECK(dues[k].position < positions_of(call));
            }
            if (c.reduces()) continue;
            const PlacedParts to = sent(call, r), from = received(call, r);
            CHECK((is_inside(to) && is_inside(from)));
            CHECK(!overlap(from));
            if (c.kind == CallKind::scatterv) CHECK(!overlap(to));
            for (Rank s = 0; s < p; ++s)
              CHECK(to.parts[static_cast<std::size_t>(s)].count ==
                    received(call, s).parts[static_cast<std::size_t>(r)].count);
          }
        }
}

TEST_CASE("scattered parts are unlike: no two pairs, no order of the ranks, gaps, and what is sent twice") {
  for (const Rank p : {2, 3, 5, 8}) {
    const LiveCall call{
        .collective = &collective(CallKind::alltoallv), .ranks = p, .count = 3, .layout = Layout::scattered};
    bool is_shared = false;
    for (Rank r = 0; r < p; ++r) {
      const PlacedParts to = sent(call, r), from = received(call, r);
      is_shared = is_shared || overlap(to);
      CHECK(from.parts.front().begin > from.parts.back().begin);
      const std::vector<Due> dues = due(call, r);
      CHECK(std::any_of(dues.begin(), dues.end(), is_gap));
      for (std::size_t a = 0; a < from.parts.size(); ++a) {
        CHECK((static_cast<Rank>(a) == r || to.parts[a].count != from.parts[a].count));
        for (std::size_t b = 0; b < a; ++b) CHECK(to.parts[a].count != to.parts[b].count);
      }
    }
    CHECK(is_shared);
  }
}

TEST_CASE("what runs like a row is matched with it") {
  for (const char* name : {"recursive-doubling", "ring", "rabenseifner"})
    for (const Rank p : {2, 3, 4, 5, 6, 7, 8}) {
      const ElementFormat format(p);
      Values values(p);
      const LiveCall call{.collective = &collective(CallKind::allreduce), .ranks = p, .count = 3 * p + 1};
      const auto schedule = find_algorithm(name)->make(on_line(Collective::allreduce, p));
      Matcher matcher(p);
      const Matched matched = matcher.match(call, values, run_like(*schedule, call, format, values));
      INFO(name << " p = " << p);
      REQUIRE(matched.same);
      CHECK(matched.json["matches"][0]["joins"] == "same");
      if (p > 2) CHECK(matched.json["matches"][0]["algorithm"] == name);
      CHECK(matcher.compare_with(*schedule, call, values, run_like(*schedule, call, format, values)).same);
    }
}

TEST_CASE("where a vector is too short to tell a part of an algorithm, this is said, and no difference made up") {
  OneElement one(7, CallKind::reduce_scatter);
  Element sum = one.leaf(0);
  for (const Rank r : {1, 2, 3, 4, 5, 6}) sum = sum + one.leaf(r);
  // What rabenseifner leaves of the block, as an allreduce whose parts are kept.
  const auto row = find_algorithm("rabenseifner");
  Request request = on_line(Collective::allreduce, 7);
  request.settings = {{"order", "far"}, {"remainder", "fold-neighbours"}};
  LiveCall like = one.call;
  like.collective = &collective(CallKind::allreduce);
  CallOutcome outcome = run_like(*row->make(request), like, one.format, one.values);
  for (Rank r = 1; r < 7; ++r) outcome.cells[static_cast<std::size_t>(r)].clear();
  const Matched matched = Matcher(7).match(one.call, one.values, outcome);
  REQUIRE_FALSE(matched.same);
  CHECK(matched.json["nearest"]["agreeing"] == 1);
  CHECK(matched.json["nearest"]["results"] == 1);
  CHECK_FALSE(matched.json["nearest"].contains("first_difference"));
  REQUIRE(matched.text.size() == 2);
  CHECK(matched.text[0].find("no match; nearest: ") == 0);
  CHECK(matched.text[1].find("count 1 is too few to tell: they would be in ") == 0);
}

TEST_CASE("what runs like no row is told from the nearest") {
  OneElement one(4);
  const Element sum = (one.leaf(0) + one.leaf(2)) + one.leaf(1) + one.leaf(3);
  const auto outcome = one.outcome({sum, sum, sum, sum});
  Matcher matcher(4);
  const Matched matched = matcher.match(one.call, one.values, outcome);
  CHECK_FALSE(matched.same);
  CHECK(matched.json["nearest"]["first_difference"]["library"] == "3+(1+(0+2))");
}

}  // namespace onceover::live

TEST_CASE("verify-mpi: times are written as elsewhere") {
  CHECK(onceover::live::read_options({"--call-time-limit", "2m"}, 4)->seconds == 120);
  CHECK(onceover::live::read_options({}, 4)->seconds == 60);
  for (const std::string text : {"2", "0s", "1500ms", "25h"})
    CHECK_FALSE(onceover::live::read_options({"--call-time-limit", text}, 4).has_value());
}

TEST_CASE("verify-mpi: an option is taken out of the words wherever it is, joined or not") {
  using onceover::live::take_option;
  std::vector<std::string> words{"--json", "--p", "7", "--hosts=4", "--p-like", "--count", "1"};
  CHECK(take_option(words, "--p", "4") == "7");
  CHECK(take_option(words, "--hosts", "each") == "4");
  CHECK(take_option(words, "--hosts", "each") == "each");
  CHECK(words == std::vector<std::string>{"--json", "--p-like", "--count", "1"});
  std::vector<std::string> last{"--p"};  // its value is missing, which the reader of options reports
  CHECK(take_option(last, "--p", "4") == "4");
  CHECK(last.size() == 1);
}

TEST_CASE("verify-mpi: numbers of ranks are whole and within their range") {
  using onceover::live::number_to;
  CHECK(number_to(8, "8") == 8);
  for (const char* text : {"", "0", "9", "-1", "3x", "1.5", "99999999999"}) CHECK_FALSE(number_to(8, text).has_value());
}
