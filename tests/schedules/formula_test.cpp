#include "schedules/formula.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "schedules/peer_schedule.h"
#include "verifier/verify.h"

namespace formula_test {

using namespace onceover::programs;

namespace {

constexpr std::array<std::string_view, 3> names{"r", "s", "p"};

/// "value" or "column: message" of parsing, or "column! reason" of evaluating, with r = 5, s = 3, p = 8.
std::string outcome(const std::string& text) {
  const auto formula = Formula::parse("f", text, names);
  if (!formula) return std::to_string(formula.error().column) + ": " + formula.error().message;
  const std::array<std::int64_t, 3> values{5, 3, 8};
  const auto value = formula->evaluate(values);
  if (!value) return std::to_string(value.error().offset + 1) + "! " + value.error().reason;
  return std::to_string(*value);
}

Formula parsed(const std::string& text) {
  return *Formula::parse("f", text, names);
}

}  // namespace

TEST_CASE("decimals are only in formulas over fractions") {
  CHECK(outcome("1.5") == "2: expected an operator, found '.'; here numbers are whole, decimals are for limits");
  CHECK(Formula::parse("f", "ceil(1.25 * p)", names, Formula::Numbers::fractions));
  CHECK_FALSE(Formula::parse("f", "1.", names, Formula::Numbers::fractions));
  CHECK_FALSE(Formula::parse("f", "1.2.3", names, Formula::Numbers::fractions));
}

TEST_CASE("formulas have the values that their operators say") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"7", "7"},
      {" r ", "5"},
      {"r + s * p", "29"},
      {"(r + s) * p", "64"},
      {"r - s - 1", "1"},
      {"-r + 1", "-4"},
      {"- -r", "5"},
      {"-7 / 2", "-4"},
      {"-7 mod 2", "1"},
      {"-7 % 8", "1"},
      {"r xor 1", "4"},
      {"r xor 1 << s", "13"},
      {"r xor 1 == 4", "1"},
      {"1 << s + 1", "16"},
      {"256 >> s >> 1", "16"},
      {"-1 >> 1", "-1"},
      {"r < s", "0"},
      {"r >= 5 and s != 4", "1"},
      {"r > 5 or s <= 3 && p == 8", "1"},
      {"not r == 5", "0"},
      {"!0 + !7", "1"},
      {"even(r) ? 1 : 2", "2"},
      {"odd(-3)", "1"},
      {"even(r) ? 1 : odd(s) ? 2 : 3", "2"},
      {"r == 5 ? s == 3 ? 10 : 20 : 30", "10"},
      {"(r == 5 ? 1 : 2) + 1", "2"},
      {"r == 5 ? 1 : 2 + 1", "1"},
      {"rho(0)*1000000 + rho(1)*10000 + rho(2)*100 + rho(3)", "990295"},
      {"delta(3)", "5"},
      {"log2(1) + log2(8) * 10 + log2(9) * 100", "330"},
      {"pow2(0) + pow2(10)", "1025"},
      {"min(r, s) * 10 + max(r, s)", "35"},
      {"min(max(r, s), min(p, 100))", "5"},
      {"ceil(r / 2) * 10 + floor(r / 2)", "32"},
      {"ceil(-r / 2) * 10 + floor(-r / 2)", "-23"},
      {"ceil((-9223372036854775807 - 1) / 2)", "-4611686018427387904"},
      {"ceil(log2(1)) + ceil(log2(p)) * 10 + ceil(log2(p + 1)) * 100", "430"},
      {"floor(log2(p - 1))", "2"},
      {"ceil(floor(r / 2)) * 10 + floor(ceil(r / 2))", "23"},
      {"ceil(floor(7 / 2) / 2)", "2"},
      {"ceil(r)", "5"},
      {"ceil(ceil(r / 2) / 2) + ceil((ceil(r / 2)))", "5"},
      {"ceil(ceil(log2(r)) + floor(r / 2))", "5"},
      {"abs(-9223372036854775807)", "9223372036854775807"},
      {"s == 3 ? 1 : 1 / 0", "1"},
      {"s == 4 and 1 / 0 == 1", "0"},
      {"s == 3 or 1 / 0 == 1", "1"},
  };
  for (const auto& [text, value] : cases) {
    CAPTURE(text);
    CHECK(outcome(text) == value);
  }
}

TEST_CASE("what has no value says why and where") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"1 / 0", "3! division needs a divisor above 0"},
      {"r mod (s - 3)", "3! mod needs a divisor above 0"},
      {"9223372036854775807 + 1", "21! the value does not fit in 64 bits"},
      {"1 << 63", "3! a shift is by 0 to 62 places"},
      {"4 << 62", "3! the value does not fit in 64 bits"},
      {"pow2(-1)", "1! a shift is by 0 to 62 places"},
      {"ceil(log2(0))", "6! log2 needs a number of at least 1"},
      {"ceil(1 / 0)", "8! division needs a divisor above 0"},
      {"log2(0)", "1! log2 needs a number of at least 1"},
      {"rho(61)", "1! rho and delta are for steps 0 to 60"},
      {"1 + (2 + 3 / 0) * 4", "12! division needs a divisor above 0"},
      {"1 / 0 ? 1 : 2", "3! division needs a divisor above 0"},
      {"-(-9223372036854775807 - 1)", "1! the value does not fit in 64 bits"},
      {"(-9223372036854775807 - 1) / 1 - 1", "32! the value does not fit in 64 bits"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    CHECK(outcome(text) == message);
  }
}

TEST_CASE("what is no formula says what was expected and found") {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "1: expected a number, a name, '-', 'not' or '(', found the end"},
      {"r +", "4: expected a number, a name, '-', 'not' or '(', found the end"},
      {"r s", "3: expected an operator, found 's'"},
      {"r + * s", "5: expected a number, a name, '-', 'not' or '(', found '*'"},
      {"(r", "3: expected ')', found the end"},
      {"r)", "2: ')' without a '(' before it"},
      {"r ? s", "6: expected ':' for the '?' before it, found the end"},
      {"r : s", "3: ':' without a '?' before it"},
      {"(r ? s)", "7: expected ':' for the '?' before it, found ')'"},
      {"ranc",
       "1: no variable or function 'ranc'; there are r, s, p, rho, delta, even, odd, log2, pow2, abs, min, max, floor, "
       "ceil"},
      {"rank + 1", "1: no variable or function 'rank'; it is called r"},
      {"r + log(p)", "5: no variable or function 'log'; it is called log2"},
      {"r + 2**s", "6: no operator '**'; write pow2(x) for 2^x"},
      {"evn(r)",
       "1: no variable or function 'evn'; did you mean 'even'?; there are r, s, p, rho, delta, even, odd, log2, "
       "pow2, abs, min, max, floor, ceil"},
      {"even r", "6: expected '(' after even, found 'r'"},
      {"min(r)", "6: fewer arguments than the 2 that the function takes"},
      {"even(r, s)", "7: more arguments than the 1 that the function takes"},
      {"r, s", "2: ',' outside a call"},
      {"(r, s)", "3: ',' outside a call"},
      {"0 < r < s", "7: comparisons do not chain; write a < b and b < c"},
      {"r ^ 2", "3: expected an operator, found '^'; write xor, or pow2(x) for 2^x"},
      {"r = 2", "3: expected an operator, found '='; write == to compare"},
      {"9223372036854775808", "1: expected a whole number below 2^63, found '9223372036854775808'"},
      {"ceil(r / 2 + 1)",
       "1: numbers are whole here: the / or log2 inside has already rounded down; write ceil(a / b), ceil(log2(x)), "
       "floor(a / b) or "
       "floor(log2(x))"},
      {"floor(2 * (r / 2))",
       "1: numbers are whole here: the / or log2 inside has already rounded down; write ceil(a / b), ceil(log2(x)), "
       "floor(a / b) or "
       "floor(log2(x))"},
      {"ceil(r / 2 / 2)",
       "1: numbers are whole here: the / or log2 inside has already rounded down; write ceil(a / b), ceil(log2(x)), "
       "floor(a / b) or "
       "floor(log2(x))"},
      {"ceil(log2(p / 2))",
       "1: numbers are whole here: the / or log2 inside has already rounded down; write ceil(a / b), ceil(log2(x)), "
       "floor(a / b) or "
       "floor(log2(x))"},
      {"2x", "1: expected a whole number below 2^63, found '2x'"},
      {"r $ s", "3: expected an operator, found '$'"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    CHECK(outcome(text) == message);
  }
  const std::string too_long(5000, '(');
  REQUIRE(outcome(too_long).find("4097: a formula has at most 4096 bytes") == 0);
}

TEST_CASE("over whole numbers floor and ceil have the values that they have over fractions") {
  const std::vector<std::string_view> variables{"a", "b"};
  const auto up = Formula::parse("f", "ceil(a / b)", variables), down = Formula::parse("f", "floor(a / b)", variables);
  const auto log_up = Formula::parse("f", "ceil(log2(b))", variables);
  REQUIRE((up && down && log_up));
  for (std::int64_t a = -40; a <= 40; ++a)
    for (std::int64_t b = 1; b <= 20; ++b) {
      const std::array<std::int64_t, 2> values{a, b};
      const std::int64_t ceiling = *up->evaluate(values), floor = *down->evaluate(values);
      REQUIRE((ceiling * b >= a && (ceiling - 1) * b < a));
      REQUIRE((floor * b <= a && (floor + 1) * b > a));
      const std::int64_t exponent = *log_up->evaluate(values);
      REQUIRE(((std::int64_t{1} << exponent) >= b && (exponent == 0 || (std::int64_t{1} << (exponent - 1)) < b)));
    }
}

TEST_CASE("a long word of a formula is told by its beginning") {
  for (const char letter : {'x', '9', '1'}) {
    const auto formula = Formula::parse("--peer", std::string(5000, letter) + "(", peer_variables());
    REQUIRE_FALSE(formula);
    CHECK(formula.error().message.size() < 400);
  }
}

TEST_CASE("formulas nest as deep as they are long") {
  const std::string deep = std::string(2000, '(') + "r" + std::string(2000, ')');
  REQUIRE(outcome(deep) == "5");
  REQUIRE(outcome(std::string(4000, '-') + "r") == "5");
  std::string choices;
  for (int k = 0; k < 500; ++k) choices += "0 ? 1 : ";
  REQUIRE(outcome(choices + "r") == "5");
}

namespace {

std::string random_expression(std::mt19937& random, int depth) {
  static const std::array leaves{"r", "s", "p", "0", "1", "2", "7", "61", "9223372036854775807"};
  static const std::array binary{"+", "-", "*", "/", "mod", "xor", "<<", ">>", "==", "<", ">=", "and", "or"};
  static const std::array unary{"rho", "delta", "even", "odd", "log2", "pow2", "abs", "-", "not "};
  if (depth == 0 || random() % 4 == 0) return leaves[random() % leaves.size()];
  const auto operand = [&] { return std::string("(").append(random_expression(random, depth - 1)).append(")"); };
  switch (random() % 4) {
    case 0: return unary[random() % unary.size()] + operand();
    case 1: return operand() + "?" + operand() + ":" + operand();
    case 2: return std::string(random() % 2 == 0 ? "min" : "max") + "(" + operand() + "," + operand() + ")";
    default: return operand() + " " + binary[random() % binary.size()] + " " + operand();
  }
}

}  // namespace

TEST_CASE("ten thousand random formulas are parsed, and have a value or a reason why not") {
  std::mt19937 random(9);
  int valued = 0;
  int undefined = 0;
  for (int k = 0; k < 10000; ++k) {
    const std::string text = random_expression(random, 5);
    if (text.size() > 4096) continue;
    CAPTURE(text);
    const auto formula = Formula::parse("f", text, names);
    REQUIRE(formula);
    const std::array<std::int64_t, 3> values{static_cast<std::int64_t>(random() % 64), 3, 64};
    (formula->evaluate(values) ? valued : undefined) += 1;
  }
  REQUIRE(valued > 3000);
  REQUIRE(undefined > 1000);
}

namespace {

PeerSchedule peers(const std::string& text, Rank p, Collective collective = Collective::allreduce) {
  const auto rule = PeerRule{*Formula::parse("--peer", text, peer_variables())};
  auto made = make_peer_schedule(rule, collective, p);
  REQUIRE(made);
  return *made;
}

const char* const swing = "even(r) ? r + rho(s) : r - rho(s)";

}  // namespace

TEST_CASE("swing's formula makes a right schedule for every p, with the last rank apart where p is odd") {
  for (Rank p = 1; p <= 100; ++p)
    for (const Collective c : {Collective::allreduce, Collective::reduce_scatter, Collective::allgather}) {
      const PeerSchedule made = peers(swing, p, c);
      CAPTURE(p, name(c));
      REQUIRE(verify(*made.schedule).verdict == Verdict::pass);
      REQUIRE(made.last_rank_apart == (p % 2 == 1 && p > 1));
      REQUIRE_FALSE(made.unpaired);
    }
}

TEST_CASE("recursive doubling's formula is right for powers of two, delta's from p = 4 on for none") {
  for (const Rank p : {2, 4, 8, 16, 32, 64}) {
    REQUIRE(verify(*peers("r xor pow2(s)", p).schedule).verdict == Verdict::pass);
    const PeerSchedule wrong = peers("even(r) ? r + delta(s) : r - delta(s)", p);
    REQUIRE(verify(*wrong.schedule).verdict == (p == 2 ? Verdict::pass : Verdict::fail));
  }
}

TEST_CASE("peers need not be pairs: what covers all ranks is right, and it is said that they aren't") {
  for (const Rank p : {3, 4, 7, 12}) {
    const PeerSchedule made = peers("r + pow2(s)", p);
    REQUIRE(verify(*made.schedule).verdict == Verdict::pass);
    REQUIRE(made.unpaired.has_value());
    REQUIRE_FALSE(made.last_rank_apart);
  }
}

TEST_CASE("ranks that do the same share patterns, whose transfers are those of each rank by itself") {
  using Sends = std::map<std::pair<Rank, Rank>, std::set<Block>>;
  const auto sends = [](const Schedule& schedule, int step) {
    Sends all;
    std::vector<Transfer> transfers;
    schedule.transfers(step, transfers);
    for (const Transfer& t : transfers)
      t.blocks.for_each_block({0, schedule.header().blocks}, [&](Block b) { all[{t.src, t.dst}].insert(b); });
    return all;
  };
  for (const std::string text : {"r + pow2(s)", "r - 3 * pow2(s)", swing, "even(r) ? r + 1 : r + 3"})
    for (Rank p = 2; p <= 17; ++p) {
      CAPTURE(text, p);
      PeerRule rule{*Formula::parse("--peer", text, peer_variables()), std::nullopt, OddRanks::apart};
      const auto shared = make_peer_schedule(rule, Collective::reduce_scatter, p);
      const PeerTable table = *PeerTable::of(rule, p);
      PatternedSchedule::Builder plan;
      std::vector<std::vector<std::set<Block>>> reached(static_cast<std::size_t>(table.steps()) + 1,
                                                        std::vector<std::set<Block>>(static_cast<std::size_t>(p)));
      const auto at = [&](int s, Rank r) -> std::set<Block>& {
        return reached[static_cast<std::size_t>(s)][static_cast<std::size_t>(r)];
      };
      for (Rank r = 0; r < table.running(); ++r) at(table.steps(), r) = {r};
      for (int s = table.steps() - 1; s >= 0; --s) {
        Sends due;
        for (Rank r = 0; r < table.running(); ++r) {
          at(s, r) = at(s + 1, r);
          for (const Block b : at(s + 1, table(r, s)))
            if (at(s + 1, r).count(b) == 0) due[{r, table(r, s)}].insert(b);
          at(s, r).insert(at(s + 1, table(r, s)).begin(), at(s + 1, table(r, s)).end());
        }
        Sends found = sends(*shared->schedule, s);
        if (table.last_rank_apart())
          std::erase_if(found,
                        [&](const auto& each) { return each.first.first == p - 1 || each.first.second == p - 1; });
        REQUIRE(found == due);
      }
    }
}

TEST_CASE("a formula that all ranks share is small at 100,000 ranks, another is refused before it is built") {
  const auto made = [](const char* text, Rank p) {
    return make_peer_schedule({*Formula::parse("--peer", text, peer_variables())}, Collective::allreduce, p);
  };
  REQUIRE(made("r + pow2(s)", 1 << 17));
  REQUIRE(made(swing, 100'001));
  const auto large = made("r * 3 + s * s", 20'000);
  REQUIRE_FALSE(large);
  CHECK(large.error().is_too_large);
  CHECK_THAT(large.error().message, Catch::StartsWith("p = 20000 with 15 steps is too large for a formula: "));
  CHECK_FALSE(made("r / (s - 1)", 8).error().is_too_large);
}

TEST_CASE("a formula without a value for some rank, or with too many steps, is refused") {
  const auto rule = PeerRule{*Formula::parse("--peer", "r / (s - 1)", peer_variables())};
  const auto made = make_peer_schedule(rule, Collective::allreduce, 8);
  REQUIRE_FALSE(made);
  REQUIRE(made.error().message == "no value for r = 0, s = 0, p = 8: division needs a divisor above 0");
  PeerRule long_rule{*Formula::parse("--peer", "r + 1", peer_variables()),
                     *Formula::parse("--peer-steps", "p * p * p", steps_variables())};
  REQUIRE_FALSE(make_peer_schedule(long_rule, Collective::allreduce, 1000));
  long_rule.steps = *Formula::parse("--peer-steps", "p - 1", steps_variables());
  REQUIRE(verify(*make_peer_schedule(long_rule, Collective::allreduce, 9)->schedule).verdict == Verdict::pass);
}

TEST_CASE("a formula is written with the parentheses that it needs") {
  for (const std::string text :
       {"even(r) ? r + delta(s) : r - delta(s)", "r xor pow2(s)", "(r + 1) * 2 - (s - p)", "r - (s - (p - 1)) mod 3",
        "-(r + 1)", "not (r == 1) and s < 2 or p > 3", "ceil(p / 2)", "ceil(log2(p + 1))",
        "min(r, max(s, 2)) << (s >> 1)", "(r ? s : p) ? 1 : (2 ? 3 : r)"})
    CHECK(text_of(parsed(text), names) == (text.ends_with(": (2 ? 3 : r)") ? "(r ? s : p) ? 1 : 2 ? 3 : r" : text));
}

TEST_CASE("a formula's neighbours differ from it in one part") {
  const auto near = neighbours(parsed("r + s"), names);
  const auto has = [&](std::string_view text) {
    return std::any_of(near.begin(), near.end(), [&](const Formula& f) { return f.text() == text; });
  };
  CHECK(has("r - s"));
  CHECK(has("r + pow2(s)"));
  CHECK(has("r + rho(s + 1)"));
  CHECK(has("p + s"));
  CHECK(has("r"));
  CHECK(!has("p * s * 3"));
  CHECK(near.front().text().size() <= 7);
}

}  // namespace formula_test
