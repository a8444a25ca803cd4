#include "cli/suggested_formulas.h"

#include <catch2/catch.hpp>

#include "namespaces.h"
#include "subjects/option_values.h"

namespace suggested_formulas_test {

using namespace onceover::cli;

namespace {

std::vector<std::string> suggested(const std::string& peer, Rank most_ranks = 32) {
  std::vector<Rank> even;
  for (Rank p = 2; p <= most_ranks; p += 2) even.push_back(p);
  std::vector<std::string> texts;
  for (const PeerRule& rule : nearby_rules({*parse_peer(peer)}, Collective::reduce_scatter, even, {.threads = 1}, 3))
    texts.push_back(rule.peer.text());
  return texts;
}

}  // namespace

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

}  // namespace suggested_formulas_test
