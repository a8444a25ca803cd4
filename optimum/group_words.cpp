// Depth first, the letters that load the network least coming first. A beginning of s letters has 2^s products, or
// it is no beginning of a reduce-scatter. It is left as soon as its load, and the least that the steps that are left
// can add, is more than the best word has.
//
// Example: mirror pairs, 4 ranks on a ring. Letters 1, -1 load 1 block a block sent. 1, then -1: rank 0 reaches 1, then
// -1 and 1 - (-1) = 2: all. Load 2 * 1 + 1 * 1 = 3.

#include "optimum/group_words.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/stop.h"
#include "network/contention.h"
#include "schedules/listed_schedule.h"
#include "schedules/patterned_schedule.h"
#include "schedules/peer_paths.h"

namespace onceover::optimum {

namespace {

Rank turned(std::int64_t place, Rank ranks) {
  return static_cast<Rank>((place % ranks + ranks) % ranks);
}

Rank rotated(Rank r, int f, Rank ranks) {
  return turned(std::int64_t{r} + f, ranks);
}

Rank mirrored(Rank r, int f, Rank ranks) {
  return turned(r % 2 == 0 ? std::int64_t{r} + f : std::int64_t{r} - f, ranks);
}

/// 1, -1, 2, -2, .. ranks/2, but only every `step`-th distance.
Word both_ways(Rank ranks, int step) {
  Word letters;
  for (int f = 1; f <= ranks / 2; f += step) {
    letters.push_back(f);
    if (2 * f != ranks) letters.push_back(-f);
  }
  return letters;
}

Word all_letters(Rank ranks) {
  return both_ways(ranks, 1);
}

constexpr std::array letter_rows{
    LetterSet{"pairs", "even ranks r exchange with r + f, where f is odd",
              [](Rank ranks) { return both_ways(ranks, 2); }, mirrored},
    LetterSet{"mirror", "even ranks r send to r + f, odd ones to r - f", all_letters, mirrored},
    LetterSet{"cyclic", "rank r sends to r + f", all_letters, rotated},
    LetterSet{"xor", "rank r exchanges with r xor f",
              [](Rank ranks) {
                Word letters(static_cast<std::size_t>(ranks) - 1);
                std::iota(letters.begin(), letters.end(), 1);
                return letters;
              },
              [](Rank r, int f, Rank) { return static_cast<Rank>(r ^ f); }},
};

/// A letter, and the blocks on the hottest link if each rank sends one block.
struct Loaded {
  int letter;
  Rational load;
};

/// The letters by their loads.
tl::expected<std::vector<Loaded>, std::string> loaded_letters(const LetterSet& set, const Network& network) {
  const Rank p = network.ranks();
  for (const LinkData& link : network.links())
    if (link.bandwidth != network.link(0).bandwidth)
      return tl::unexpected<std::string>(
          "the links of the network differ in speed, so the hottest one is not the slowest");
  std::vector<Loaded> loaded;
  ListedSchedule::Builder steps;  // one for each letter
  const std::array block{Run{0, 0}};
  for (const int f : set.letters(p)) {
    loaded.push_back({f, 0});
    steps.begin_step();
    for (Rank r = 0; r < p; ++r) steps.add(r, set.peer(r, f, p), block, Op::reduce);
  }
  const ListedSchedule schedule({.collective = Collective::reduce_scatter, .ranks = p, .blocks = 1}, std::move(steps));
  const auto found = contention(schedule, network, {});
  if (!found) return tl::unexpected(found.error().text);
  for (const StepContention& step : found->steps) loaded[static_cast<std::size_t>(step.kind.step)].load = step.load;
  std::stable_sort(loaded.begin(), loaded.end(), [](const Loaded& a, const Loaded& b) { return a.load < b.load; });
  return loaded;
}

class WordSearch {
 public:
  WordSearch(const LetterSet& set, const std::vector<Loaded>& loaded, Rank ranks, std::uint64_t budget)
      : ranks_(ranks), budget_(budget), is_reached_(static_cast<std::size_t>(ranks), false), reached_{0} {
    is_reached_[0] = true;
    for (const Loaded& each : loaded) unit_ *= (each.load * unit_).denominator();
    for (const auto& [letter, load] : loaded) {
      letters_.push_back({letter, (load * unit_).whole().value(), {}});
      for (Rank r = 0; r < ranks; ++r) letters_.back().peers.push_back(set.peer(r, letter, ranks));
    }
  }

  tl::expected<LeastWords, std::string> run() {
    extend(0);
    if (tried_ > budget_)
      return tl::unexpected("more than " + std::to_string(budget_) +
                            " beginnings of words to try; raise --budget to go on");
    return LeastWords{Rational(best_) / unit_, std::move(words_), count_, tried_};
  }

 private:
  struct Letter {
    int letter;
    std::int64_t load;  // times the unit
    std::vector<Rank> peers;
  };

  /// Adds a letter to the word so far, which has this load.
  void extend(std::int64_t load) {
    const auto reached = static_cast<Rank>(reached_.size());
    if (reached == ranks_) return keep(load);
    const std::int64_t blocks = ranks_ / reached / 2;  // that a rank sends in this step
    for (const Letter& each : letters_) {
      const std::int64_t with = load + blocks * each.load;
      if (with + (blocks - 1) * letters_.front().load > best_) break;  // later letters load more
      if (++tried_ > budget_) return;
      if (tried_ % 4096 == 0) stop_point();
      if (!reach(each.peers)) continue;
      word_.push_back(each.letter);
      extend(with);
      word_.pop_back();
      forget(reached);
    }
  }

  /// Adds the peers of all ranks that are reached; or none, if one is reached twice.
  bool reach(const std::vector<Rank>& peers) {
    const std::size_t before = reached_.size();
    for (std::size_t i = 0; i < before; ++i) {
      const Rank next = peers[static_cast<std::size_t>(reached_[i])];
      if (is_reached_[static_cast<std::size_t>(next)]) {
        forget(static_cast<Rank>(before));
        return false;
      }
      is_reached_[static_cast<std::size_t>(next)] = true;
      reached_.push_back(next);
    }
    return true;
  }

  /// Back to the first so many.
  void forget(Rank count) {
    while (static_cast<Rank>(reached_.size()) > count) {
      is_reached_[static_cast<std::size_t>(reached_.back())] = false;
      reached_.pop_back();
    }
  }

  void keep(std::int64_t load) {
    if (load < best_) {
      best_ = load;
      words_.clear();
      count_ = 0;
    }
    if (count_++ < most_words_kept) words_.push_back(word_);
  }

  std::vector<Letter> letters_;
  Rational unit_ = 1;  // in which loads are whole numbers
  Rank ranks_;
  std::uint64_t budget_;
  std::vector<bool> is_reached_;
  std::vector<Rank> reached_;
  Word word_;
  std::int64_t best_ = INT64_MAX;
  std::vector<Word> words_;
  std::uint64_t count_ = 0;
  std::uint64_t tried_ = 0;
};

}  // namespace

std::span<const LetterSet> letter_sets() {
  return letter_rows;
}

tl::expected<LeastWords, std::string> least_words(const LetterSet& set, const Network& network, std::uint64_t budget) {
  const auto loaded = loaded_letters(set, network);
  if (!loaded) return tl::unexpected(loaded.error());
  return WordSearch(set, *loaded, network.ranks(), budget).run();
}

SchedulePtr schedule_of(const LetterSet& set, const Word& word, Rank ranks) {
  PatternedSchedule::Builder plan;
  add_reduce_scatter_along(plan, ranks, ranks, static_cast<int>(word.size()),
                           [&](Rank r, int step) { return set.peer(r, word[static_cast<std::size_t>(step)], ranks); });
  Header header{.collective = Collective::reduce_scatter, .ranks = ranks, .blocks = ranks, .shape = {ranks}};
  return std::make_shared<PatternedSchedule>(std::move(header), std::move(plan));
}

}  // namespace onceover::optimum
