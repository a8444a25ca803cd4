// Two edge-disjoint Hamiltonian cycles of a torus, for the rings along them.

#include <numeric>

#include "proofs/theorem.h"

namespace onceover::proofs {

namespace {

/// c >= 2, c | r and gcd(r, c-1) = 1 for a torus r x c.
bool has_cycles(Rank r, Rank c) {
  return c >= 2 && r % c == 0 && std::gcd(r, c - 1) == 1;
}

bool has_cycles_or_turned(const std::vector<Rank>& shape) {
  return shape.size() == 2 && (has_cycles(shape[0], shape[1]) || has_cycles(shape[1], shape[0]));
}

}  // namespace

Theorem hamiltonian_pair_theorem() {
  return {
      .id = "hamiltonian-pair",
      .title = "Two edge-disjoint Hamiltonian cycles of an r x c torus",
      .source = "Swing paper, section 2.3.1; the construction of Bae and Bose",
      .assumes =
          "c >= 2 divides r, and gcd(r, c-1) = 1. For i = x1 c + x0 the cycles visit the cells h1(i) = (x1, (x0 - x1) "
          "mod c) and h2(i) = ((x1 (c-1) + x0) mod r, x1 mod c), as (row, column). In a c x r torus rows and columns "
          "change places. A side of 2 has two links, one that begins at each of its places.",
      .concludes =
          "Both are Hamiltonian cycles, and they share no edge. So the ring along each of them, in either direction, "
          "is a correct reduce-scatter.",
      .argument =
          "h1 goes along a row and on to the next row (h1-edges), meets each cell once (h1-once) and closes "
          "(h1-closes). h2 goes along a column (h2-edges). Take two cells of h2 in the same column and row. They have "
          "the same x0, since c divides r, and their x1 differ by c t, where k = r/c divides t (c-1). So t = 0 "
          "(h2-once, by Bezout; h2-apart). h2 ends at row r(c-1) = 0, column c-1, beside its beginning. In row y, h1 "
          "uses the edges that begin at the columns x0 - y mod c, x0 = 0 .. c-2, and h2 the one at -(y+1). In column "
          "x1, h2 uses the edges that begin at the rows x0 - x1 mod c, x0 = 0 .. c-2, and h1 those at -(x1+1). A "
          "common edge would make x0 + 1 a multiple of c (edge-disjoint). From sides of 3 on, the edges that begin at "
          "different places also join different places (edges-differ).",
      .solver_part =
          "The steps of each cycle are links, and cells in the same row and column are one cell (h1-*, h2-*). A common "
          "edge would need a multiple of c where there is none (edge-disjoint), and links join different places for "
          "sides of at least 3 (edges-differ)",
      .words_part =
          "The numbers of Bezout for h2-once; that all edges are those listed; that h2 closes; the other direction; "
          "the turned torus",
      .uses = {"ring"},
      .rows = {"hamiltonian-ring"},
      .covers = has_cycles_or_turned,
      .domain = "r x c and c x r with c >= 2, c | r and gcd(r, c-1) = 1",
      .obligations = {
          {.name = "h1-edges",
           .statement = "neighbouring cells of h1 differ by one place in one coordinate",
           .source = "section 2.3.1",
           .variables = "r c x0 x1 y0 y1 b b2 m m2",
           .hypotheses =
               {"c >= 2", "r >= 2", "0 <= x1 and x1 < r", "0 <= x0 and x0 < c", "b == x0 - x1 + m", "0 <= b and b < c",
                "b2 == y0 - y1 + m2", "0 <= b2 and b2 < c",
                "x0 < c - 1 and y0 == x0 + 1 and y1 == x1 or x0 == c - 1 and x1 < r - 1 and y0 == 0 and y1 == x1 + 1",
                "m2 == m or m2 - m == c or m2 - m == -c or m2 - m >= 2*c or m2 - m <= -2*c"},
           .goal = "y1 == x1 and (b2 == b + 1 or b == c - 1 and b2 == 0) or y1 == x1 + 1 and b2 == b",
           .mutant = {"b2 == y0 - y1 + m2", "b2 == y0 + y1 + m2"}},
          {.name = "h1-once",
           .statement = "two cells of h1 in the same row and column are the same cell",
           .source = "section 2.3.1",
           .variables = "c x0 x1 y0 m",
           .hypotheses = {"c >= 1", "0 <= x0 and x0 < c", "0 <= y0 and y0 < c", "x0 - x1 == y0 - x1 + m",
                          "m == 0 or m >= c or m <= -c"},
           .goal = "x0 == y0",
           .mutant = {"0 <= x0 and x0 < c", "0 <= x0 and x0 <= c"}},
          {.name = "h1-closes",
           .statement = "the last cell of h1 is in the column of the first one, because c divides r",
           .source = "section 2.3.1",
           .variables = "r c b m n",
           .hypotheses = {"c >= 2", "r >= 2", "b == c - 1 - (r - 1) + m", "0 <= b and b < c", "n == c - r + m",
                          "n == 0 or n >= c or n <= -c"},
           .goal = "b == 0",
           .mutant = {"n == c - r + m", "n == c - r - m"}},
          {.name = "h2-edges",
           .statement = "h2 goes down a column, then to the next column in the same row",
           .source = "section 2.3.1",
           .variables = "c x0 x1 a a2",
           .hypotheses = {"c >= 2", "0 <= x0 and x0 < c", "a == x1*(c - 1) + x0",
                          "a2 == (x0 < c - 1 ? x1*(c - 1) + x0 + 1 : (x1 + 1)*(c - 1))"},
           .goal = "a2 == (x0 < c - 1 ? a + 1 : a)",
           .mutant = {"a == x1*(c - 1) + x0", "a == x1*(c - 1) - x0"}},
          {.name = "h2-once",
           .statement = "if k = r/c divides (c-1) t, it divides t, since c-1 and k have no common factor",
           .source = "section 2.3.1",
           .variables = "c k t j u v",
           .hypotheses = {"(c - 1)*t == k*j", "u*(c - 1) + v*k == 1"},
           .goal = "t == k*(u*j + v*t)",
           .mutant = {"u*(c - 1) + v*k == 1", "u*(c - 1) + v*k == 2"},
           .coq =
               "intros c k t j u v H1 H2. replace t with (t * (u * (c - 1) + v * k)) at 1 by (rewrite H2; ring). "
               "replace (t * (u * (c - 1) + v * k)) with (u * ((c - 1) * t) + v * k * t) by ring. rewrite H1. ring."},
          {.name = "h2-apart",
           .statement = "a multiple of k that is less than k in size is 0, so two cells of h2 in the same row and "
                        "column are the same cell",
           .source = "section 2.3.1",
           .variables = "k t w",
           .hypotheses = {"k >= 1", "t == k*w", "-k < t and t < k"},
           .goal = "t == 0",
           .mutant = {"-k < t and t < k", "-k < t and t <= k"},
           .coq = "intros k t w K T R. assert (w = 0) by nia. subst w. lia."},
          {.name = "edges-differ",
           .statement = "on a side of 3 or more places, two places on is not the same place, so the links from place "
                        "to place all differ",
           .source = "not in the paper",
           .variables = "n m",
           .hypotheses = {"n >= 3", "m == 0 or m >= n or m <= -n"},
           .goal = "m != 2",
           .mutant = {"n >= 3", "n >= 2"}},
          {.name = "edge-disjoint",
           .statement =
               "an edge of both cycles would need x0 + 1 to be a multiple of c, which it is not for x0 = 0 .. c-2",
           .source = "section 2.3.1",
           .variables = "c x0 e",
           .hypotheses = {"c >= 2", "0 <= x0 and x0 <= c - 2", "e == x0 + 1"},
           .goal = "not (e == 0 or e >= c or e <= -c)",
           .mutant = {"0 <= x0 and x0 <= c - 2", "0 <= x0 and x0 <= c - 1"}},
      }};
}

}  // namespace onceover::proofs
