#include <catch2/catch.hpp>
#include <numeric>

#include "namespaces.h"
#include "schedules/formula.h"
#include "subjects/option_values.h"
#include "subjects/peer_attempt.h"

namespace suggestion_test {

using namespace onceover::subjects;

namespace {

std::vector<std::string> suggested(const std::string& peer, Rank most_ranks = 32) {
  std::vector<Rank> even;
  for (Rank p = 2; p <= most_ranks; p += 2) even.push_back(p);
  std::vector<std::string> texts;
  for (const PeerRule& rule : suggestions({*parse_peer(peer)}, Collective::reduce_scatter, even, {.threads = 1}, 3))
    texts.push_back(rule.peer.text());
  return texts;
}

}  // namespace

TEST_CASE("a formula is written with the parentheses that it needs") {
  for (const std::string text :
       {"even(r) ? r + delta(s) : r - delta(s)", "r xor pow2(s)", "(r + 1) * 2 - (s - p)", "r - (s - (p - 1)) mod 3",
        "-(r + 1)", "not (r == 1) and s < 2 or p > 3", "ceil(p / 2)", "ceil(log2(p + 1))",
        "min(r, max(s, 2)) << (s >> 1)", "(r ? s : p) ? 1 : (2 ? 3 : r)"})
    CHECK(text_of(*parse_peer(text), peer_variables()) ==
          (text.ends_with(": (2 ? 3 : r)") ? "(r ? s : p) ? 1 : 2 ? 3 : r" : text));
}

TEST_CASE("a formula's neighbours differ from it in one part") {
  const auto near = neighbours(*parse_peer("r + s"), peer_variables());
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

TEST_CASE("a slip in a formula is found") {
  CHECK(suggested("even(r) ? r + delta(s) : r - rho(s)").front() == "even(r) ? r + rho(s) : r - rho(s)");
  CHECK(suggested("r + pow2(s) + 1").front() == "r + pow2(s)");
}

TEST_CASE("nothing is suggested that fails for one of the ranks") {
  for (const std::string& text : suggested("r + 2 * s + 1"))
    for (Rank p = 2; p <= 32; p += 2)
      CHECK(verify(*make_peer_schedule({*parse_peer(text)}, Collective::reduce_scatter, p)->schedule).verdict ==
            Verdict::pass);
}

}  // namespace suggestion_test
