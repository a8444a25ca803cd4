// Which reduce-scatter loads a network least, of those that look alike from every rank? Searched to the end.
//
// If a group of permutations takes every rank to every other one, each by one of them, and a schedule to itself, then
// rank 0's peers say all: a schedule with one message a rank and step is a word of letters, one for each step. It sends
// every block once if the products of the letters' subsequences, in order, are all elements of the group. Among 2^L
// ranks in L steps, each product then comes once: a rank sends half of the blocks in the first step, and so on.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/rational.h"
#include "network/network.h"
#include "schedules/schedule.h"

namespace onceover::optimum {

using Word = std::vector<int>;

/// A row: a set of letters, each of which gives every rank a peer.
struct LetterSet {
  std::string_view name;
  std::string_view about;       // what a letter f means
  Word (*letters)(Rank ranks);  // all of them, each once
  Rank (*peer)(Rank rank, int letter, Rank ranks);
};

/// All rows, in the order of messages.
std::span<const LetterSet> letter_sets();

struct LeastWords {
  Rational load;            // the sum over all steps of the blocks on the step's hottest link
  std::vector<Word> words;  // those with that load, in the order in which they were found, up to most_words_kept
  std::uint64_t count;      // of all of them
  std::uint64_t tried;      // beginnings of words
};

inline constexpr std::size_t most_words_kept = 1000;

/// The words with the least load, of all words of log2(ranks) letters that are reduce-scatters. The ranks are a power
/// of two, at least 2, which the network joins by minimal routing. An error if there are more than `budget` beginnings
/// to try, or the loads can't be counted. Throws `Stopped` if all work is to stop. A beginning costs O(ranks).
tl::expected<LeastWords, std::string> least_words(const LetterSet& set, const Network& network, std::uint64_t budget);

/// The reduce-scatter of a word.
SchedulePtr schedule_of(const LetterSet& set, const Word& word, Rank ranks);

}  // namespace onceover::optimum
