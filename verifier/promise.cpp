// The rows of schedules' collectives follow from their contracts: who holds a block before says who gives, and who must
// hold it after says who gets. A block's owner is the rank whose part it is.
//
// Example: the contract of an allgather is "begins with the owner, ends with everyone". So nothing is summed, a result
// has a part from each rank, and an input is the same for all.

#include "verifier/promise.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <utility>

namespace onceover::verifier {

namespace {

constexpr PromiseRow row_of(const Contract& c) {
  return {.promised = static_cast<Promised>(c.collective),
          .name = c.name,
          .givers = c.begins == Holders::root ? Givers::root : Givers::everyone,
          .sums = c.begins == Holders::everyone,
          .only_root_gets = c.ends == Holders::root,
          .input_has_parts = c.ends == Holders::owner,
          .result_has_parts = c.begins == Holders::owner || c.begins == Holders::origin,
          .collective = c.collective};
}

constexpr std::array<PromiseRow, 13> rows{
    row_of(contracts[0]),
    row_of(contracts[1]),
    row_of(contracts[2]),
    row_of(contracts[3]),
    row_of(contracts[4]),
    row_of(contracts[5]),
    row_of(contracts[6]),
    row_of(contracts[7]),
    PromiseRow{.promised = Promised::scan, .name = "scan", .givers = Givers::up_to_rank},
    PromiseRow{.promised = Promised::exscan, .name = "exscan", .givers = Givers::below_rank},
    PromiseRow{.promised = Promised::permute, .name = "permute", .givers = Givers::listed, .sums = false},
    PromiseRow{.promised = Promised::barrier, .name = "barrier", .givers = Givers::nobody, .sums = false},
    PromiseRow{.promised = Promised::stated, .name = "stated", .givers = Givers::listed},
};

std::vector<std::int64_t> begins(std::span<const std::int64_t> counts) {
  std::vector<std::int64_t> all(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), all.begin(), std::int64_t{0});
  return all;
}

}  // namespace

std::span<const PromiseRow> promise_rows() {
  return rows;
}

const PromiseRow& promise_row(Promised promised) {
  const PromiseRow& row = rows[static_cast<std::size_t>(promised)];
  assert(row.promised == promised);
  return row;
}

const PromiseRow& promise_row(Collective collective) {
  const PromiseRow& row = rows[static_cast<std::size_t>(collective)];
  assert(row.collective == collective);
  return row;
}

PartSizes even_parts(const PromiseRow& row, std::int64_t count) {
  return {[count, has_parts = row.input_has_parts](Rank, Rank dst) {
    return BufferPart{has_parts ? dst * count : 0, count};
  }};
}

PartSizes parts_by_rank(const PromiseRow& row, std::vector<std::int64_t> counts) {
  return {[begin = begins(counts), counts, has_parts = row.input_has_parts](Rank src, Rank dst) {
    const auto part = static_cast<std::size_t>(has_parts ? dst : src);
    return BufferPart{has_parts ? begin[part] : 0, counts[part]};
  }};
}

PartSizes parts_by_pair(Rank ranks, std::vector<std::int64_t> counts) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<std::int64_t> begin;
  for (std::size_t src = 0; src < p; ++src) {
    const auto own = begins(std::span(counts).subspan(src * p, p));
    begin.insert(begin.end(), own.begin(), own.end());
  }
  return {[p, begin = std::move(begin), counts = std::move(counts)](Rank src, Rank dst) {
    const std::size_t pair = static_cast<std::size_t>(src) * p + static_cast<std::size_t>(dst);
    return BufferPart{begin[pair], counts[pair]};
  }};
}

std::size_t Owed::place_of(const Contribution& contribution) const {
  if (ranks.empty() || contribution.element != element) return ranks.size();
  const Rank first = ranks.front(), last = ranks.back(), rank = contribution.rank;
  if (rank < first || rank > last) return ranks.size();
  if (last - first + 1 == static_cast<Rank>(ranks.size())) return static_cast<std::size_t>(rank - first);
  const auto at = std::lower_bound(ranks.begin(), ranks.end(), rank);
  return *at == rank ? static_cast<std::size_t>(at - ranks.begin()) : ranks.size();
}

Owed PromisedResult::owed(std::int64_t element) const {
  const auto after = std::upper_bound(runs_.begin(), runs_.end(), element,
                                      [](std::int64_t e, const OwedRun& run) { return e < run.begin; });
  if (after == runs_.begin()) return {};
  const OwedRun& run = *(after - 1);
  const std::int64_t k = element - run.begin;
  return k < run.count ? Owed{run.first.ranks, run.first.element + k} : Owed{};
}

Promise::Promise(const PromiseRow& row, Rank ranks, Rank root, PartSizes sizes)
    : row_(&row), root_(root), sizes_(std::move(sizes)), all_(static_cast<std::size_t>(ranks)) {
  assert(row.givers != Givers::listed);
  std::iota(all_.begin(), all_.end(), 0);
}

Promise::Promise(Promised listed, Rank ranks)
    : row_(&promise_row(listed)), root_(0), all_(static_cast<std::size_t>(ranks)), listed_(all_.size()) {
  std::iota(all_.begin(), all_.end(), 0);
}

Promise Promise::permutation(std::vector<Rank> sources, std::int64_t count) {
  const auto ranks = static_cast<Rank>(sources.size());
  Promise promise(Promised::permute, ranks);
  for (Rank r = 0; r < ranks; ++r)
    if (const Rank source = sources[static_cast<std::size_t>(r)]; source != nobody)
      promise.list(r, {source}, 0, count, 0);
  return promise;
}

/// Appends a run to those that are listed for the rank, or lengthens the last one.
void Promise::list(Rank rank, std::vector<Rank> givers, std::int64_t begin, std::int64_t count, std::int64_t element) {
  if (givers.empty() || count == 0) return;
  auto& runs = listed_[static_cast<std::size_t>(rank)];
  if (!runs.empty()) {
    OwedRun& last = runs.back();
    const bool goes_on = last.begin + last.count == begin && last.first.element + last.count == element &&
                         std::equal(givers.begin(), givers.end(), last.first.ranks.begin(), last.first.ranks.end());
    if (goes_on) {
      last.count += count;
      return;
    }
  }
  lists_.push_back(std::move(givers));
  runs.push_back({begin, count, {lists_.back(), element}});
}

std::span<const Rank> Promise::givers_of(Rank rank) const {
  const std::span<const Rank> all = all_;
  switch (row_->givers) {
    case Givers::everyone: return all;
    case Givers::up_to_rank: return all.first(static_cast<std::size_t>(rank) + 1);
    case Givers::below_rank: return all.first(static_cast<std::size_t>(rank));
    case Givers::root: return one(root_);
    case Givers::listed:
    case Givers::nobody: break;
  }
  return {};
}

std::vector<std::int64_t> Promise::begins_of(Rank rank) const {
  if (sizes_.begins) return sizes_.begins(rank);
  std::vector<std::int64_t> counts;
  for (const Rank src : all_) counts.push_back(sizes_.sent(src, rank).count);
  return begins(counts);
}

PromisedResult Promise::result(Rank rank) const {
  if (row_->givers == Givers::listed) return PromisedResult(listed_[static_cast<std::size_t>(rank)]);
  const std::span<const Rank> givers = givers_of(rank);
  if (!gets(rank) || givers.empty()) return {};
  std::vector<OwedRun> runs;
  const auto add = [&](std::int64_t begin, std::span<const Rank> ranks) {
    const BufferPart sent = sizes_.sent(ranks.front(), rank);
    if (sent.count > 0) runs.push_back({begin, sent.count, {ranks, sent.begin}});
  };
  if (!row_->result_has_parts) {
    add(0, givers);
    return PromisedResult(std::move(runs));
  }
  const std::vector<std::int64_t> begin = begins_of(rank);
  for (const Rank src : givers) add(begin[static_cast<std::size_t>(src)], one(src));
  std::sort(runs.begin(), runs.end(), [](const OwedRun& a, const OwedRun& b) { return a.begin < b.begin; });
  return PromisedResult(std::move(runs));
}

SharedBegins Promise::in_place(Rank rank) const {
  if (row_->result_has_parts == row_->input_has_parts) return {};
  if (row_->input_has_parts) return {.result = sizes_.sent(row_->givers == Givers::root ? root_ : 0, rank).begin};
  return {.input = begins_of(row_->only_root_gets ? root_ : rank)[static_cast<std::size_t>(rank)]};
}

}  // namespace onceover::verifier
