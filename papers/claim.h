// What the papers claim, and what is so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "papers/evidence.h"

namespace onceover::papers {

/// A text that claims are from.
enum class Paper : std::uint8_t { swing, generalized, bucket, pat, report };

std::string_view title(Paper paper);

/// Whose a sentence is, and how it is meant.
enum class ClaimKind : std::uint8_t {
  statement,  // the text's; it means what it says
  wording,    // the text's; a slip in a constant, an index, a rounding or a word, or it leaves open what it depends on:
              // what is meant is clear, and holds
  measured,   // the text's, of what it measured in a simulator; tried in our model, which is another
  ours,       // ours; no text says it
};

/// A sentence of a paper in our words, with ways to find out. The verdict is found, not written down.
struct Claim {
  std::string_view id;  // stable: "swing-theorem-a5"
  Paper paper;
  std::string_view place;                       // "section 3.2"
  std::string_view statement;                   // what the text says
  std::vector<Evidence> says;                   // the statement, tried to the letter; it holds if all of these do
  std::vector<std::string_view> theorems = {};  // that prove it for all p; of counts in it, only the rest
  std::string_view lemma = {};             // only the theorems' obligations whose source names it; empty: all of them
  std::string_view words = {};             // what of the lemma is argued in words; of whole theorems these say it
  std::vector<std::string_view> coq = {};  // theorems in proofs/coq/ that are this sentence: "Swing.cover"
  std::string_view correct = {};           // what is so, where the statement doesn't hold; or what else is to be known
  std::vector<Evidence> corrected = {};    // that, tried
  ClaimKind kind = ClaimKind::statement;
};

/// All claims, by paper, in the order of its text.
const std::vector<Claim>& claims();

const Claim* find_claim(std::string_view id);

// Those of each paper, in files of their own.
std::vector<Claim> swing_claims();
std::vector<Claim> generalized_claims();
std::vector<Claim> bucket_claims();
std::vector<Claim> pat_claims();
std::vector<Claim> report_claims();

}  // namespace onceover::papers
