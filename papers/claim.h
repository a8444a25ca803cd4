// Claim: a sentence of a paper, and how it is tried.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/namespaces.h"
#include "papers/evidence.h"

namespace onceover::papers {

/// Who says a sentence, and how it is meant.
enum class ClaimKind : std::uint8_t {
  statement,  // the text; it means what it says
  wording,    // the text's; a slip in a constant, an index, a rounding or a word, or it leaves open what it depends on:
              // what it means is clear, and holds
  measured,   // the text, which measured it in a simulator; tried in our model, which is different
  ours,       // we do; no text says it
};

/// A sentence of a paper in our words, and how it is tried. Its verdict is computed, not written down.
struct Claim {
  std::string id;                          // stable: "swing-theorem-a5"
  std::string paper;                       // its title and authors
  std::string place;                       // "section 3.2"
  std::string statement;                   // what the text says
  std::vector<Evidence> says;              // the statement, tried to the letter; it holds if all of these do
  std::vector<std::string> theorems = {};  // they prove it for all p, except counts in it
  std::string lemma = {};                  // use only obligations whose source names it; empty: all
  std::string words = {};  // the part of the lemma that is argued in words; whole theorems state it themselves
  std::vector<std::string> coq = {};  // theorems in proofs/coq/ that state this sentence: "SwingPaths.A5"
  bool coq_bounds = false;            // they bound every schedule as the sentence does, so its numbers are proved, too
  std::string correct = {};           // what holds instead, or a note
  std::vector<Evidence> corrected = {};  // how `correct` is tried
  ClaimKind kind = ClaimKind::statement;
  std::string file = {};  // the user's file, quoted for a shell; empty: the claim is ours
};

/// All our claims, by paper, in the order of its text. They are in papers/claims/.
const std::vector<Claim>& claims();

/// A file of claims that is built into the program, by embed_claims.cmake.
struct ClaimFile {
  std::string name;  // "papers/claims/swing.toml"
  std::string text;
};

/// One file for each paper.
std::span<const ClaimFile> claim_files();

/// Reads the text of a file of claims called `name`, ours or a user's. docs/claims-file.md lists the keys. A mistake is
/// a usage error with line and column.
Result<std::vector<Claim>> read_claims(const std::string& name, const std::string& text);

}  // namespace onceover::papers
