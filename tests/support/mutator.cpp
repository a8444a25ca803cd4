#include "mutator.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace onceover::support {

namespace {

using Step = std::vector<PlainTransfer>;

/// The schedule that is changed, and one of its transfers, drawn at random, with its step.
class Site {
 public:
  Site(PlainSchedule& changed, std::mt19937& random) : plain(changed), random_(random) {
    std::vector<std::size_t> busy;
    for (std::size_t s = 0; s < plain.steps.size(); ++s)
      if (!plain.steps[s].empty()) busy.push_back(s);
    at_step = busy[below(busy.size())];
    at = below(step().size());
  }

  std::size_t below(std::size_t n) { return random_() % n; }
  Rank any_rank() { return static_cast<Rank>(below(static_cast<std::size_t>(plain.header.ranks))); }
  Block any_block() { return static_cast<Block>(below(static_cast<std::size_t>(plain.header.all_blocks()))); }
  Block any_promised_block() { return static_cast<Block>(below(static_cast<std::size_t>(plain.header.blocks))); }
  std::size_t any_step() { return below(plain.steps.size()); }

  Step& step() { return plain.steps[at_step]; }
  PlainTransfer& transfer() { return step()[at]; }

  /// Takes a block of the transfer away, if asked, and puts another in, if asked.
  void change_blocks(bool drops, bool adds) {
    if (!transfer().into.empty()) return change_landings(drops, adds);
    std::set<Block> blocks(transfer().blocks.begin(), transfer().blocks.end());
    if (drops && !blocks.empty()) blocks.erase(*std::next(blocks.begin(), static_cast<int>(below(blocks.size()))));
    if (adds) blocks.insert(any_block());
    // A transfer without blocks is none: no file says it.
    if (!blocks.empty()) transfer().blocks.assign(blocks.begin(), blocks.end());
  }

  /// The same for blocks that land elsewhere: no two may land in one.
  void change_landings(bool drops, bool adds) {
    std::map<Block, Block> from;  // by landing
    for (std::size_t k = 0; k < transfer().blocks.size(); ++k) from[transfer().into[k]] = transfer().blocks[k];
    if (drops) from.erase(std::next(from.begin(), static_cast<int>(below(from.size()))));
    if (adds) from[any_block()] = any_block();
    if (!from.empty()) set_landings(from);
  }

  void set_landings(const std::map<Block, Block>& from) {
    transfer().blocks.clear();
    transfer().into.clear();
    for (const auto& [into, block] : from) {
      transfer().blocks.push_back(block);
      transfer().into.push_back(into);
    }
  }

  PlainSchedule& plain;
  std::size_t at_step = 0;
  std::size_t at = 0;

 private:
  std::mt19937& random_;
};

/// Does it matter who owns a block, and may a file say so?
bool names_owners(Collective collective) {
  const Contract& c = contract(collective);
  return c.begins == Holders::owner || (c.ends == Holders::owner && c.begins != Holders::origin);
}

std::vector<Rank> owners_of(const Header& h) {
  std::vector<Rank> owners;
  for (Block b = 0; b < h.blocks; ++b) owners.push_back(h.owner(b));
  return owners;
}

void drop(Site& site) {
  site.step().erase(site.step().begin() + static_cast<std::ptrdiff_t>(site.at));
}

void duplicate(Site& site) {
  site.step().push_back(PlainTransfer(site.transfer()));
}

void repeat(Site& site) {
  site.plain.steps[site.any_step()].push_back(PlainTransfer(site.transfer()));
}

void move(Site& site) {
  const PlainTransfer moved = site.transfer();
  drop(site);
  site.plain.steps[site.any_step()].push_back(moved);
}

void retarget(Site& site) {
  site.transfer().dst = site.any_rank();
}

void resource(Site& site) {
  site.transfer().src = site.any_rank();
}

void reverse(Site& site) {
  std::swap(site.transfer().src, site.transfer().dst);
}

void swap_op(Site& site) {
  site.transfer().op = site.transfer().op == Op::copy ? Op::reduce : Op::copy;
}

void change_block(Site& site) {
  site.change_blocks(true, true);
}

void drop_block(Site& site) {
  site.change_blocks(true, false);
}

void add_block(Site& site) {
  site.change_blocks(false, true);
}

void exchange_blocks(Site& site) {
  Step& other = site.plain.steps[site.any_step()];
  if (other.empty()) return;
  PlainTransfer& theirs = other[site.below(other.size())];
  std::swap(site.transfer().blocks, theirs.blocks);
  std::swap(site.transfer().into, theirs.into);
}

void swap_steps(Site& site) {
  std::swap(site.step(), site.plain.steps[site.any_step()]);
}

void drop_step(Site& site) {
  site.plain.steps.erase(site.plain.steps.begin() + static_cast<std::ptrdiff_t>(site.at_step));
}

void repeat_step(Site& site) {
  site.plain.steps.insert(site.plain.steps.begin() + static_cast<std::ptrdiff_t>(site.any_step()), Step(site.step()));
}

void merge_steps(Site& site) {
  if (site.at_step + 1 == site.plain.steps.size()) return;
  const Step next = site.plain.steps[site.at_step + 1];
  site.step().insert(site.step().end(), next.begin(), next.end());
  site.plain.steps.erase(site.plain.steps.begin() + static_cast<std::ptrdiff_t>(site.at_step) + 1);
}

void split_step(Site& site) {
  const auto middle = site.step().begin() + static_cast<std::ptrdiff_t>(site.at);
  const Step second(middle, site.step().end());
  site.step().erase(middle, site.step().end());
  site.plain.steps.insert(site.plain.steps.begin() + static_cast<std::ptrdiff_t>(site.at_step) + 1, second);
}

void change_root(Site& site) {
  if (is_rooted(site.plain.header.collective)) site.plain.header.root = site.any_rank();
}

void change_owner(Site& site) {
  Header& h = site.plain.header;
  if (!names_owners(h.collective)) return;
  std::vector<Rank> owners = owners_of(h);
  owners[static_cast<std::size_t>(site.any_promised_block())] = site.any_rank();
  if (owners != owners_of(h)) h.owners = owners;
}

void change_collective(Site& site) {
  // An alltoall has as many blocks as it has pairs of ranks, or a multiple of that.
  Header& h = site.plain.header;
  if (h.collective == Collective::alltoall) return;
  h.collective = contracts[site.below(contracts.size() - 1)].collective;
}

/// A block lands elsewhere, if the format has words for that.
void change_landing(Site& site) {
  if (site.plain.header.scratch == 0) return;
  PlainTransfer& t = site.transfer();
  if (t.into.empty()) t.into = t.blocks;
  std::map<Block, Block> from;
  for (std::size_t k = 0; k < t.blocks.size(); ++k) from[t.into[k]] = t.blocks[k];
  const auto moved = std::next(from.begin(), static_cast<int>(site.below(from.size())));
  const Block block = moved->second;
  from.erase(moved);
  from[site.any_block()] = block;
  site.set_landings(from);
}

/// The first scratch block is promised like the others.
void promise_scratch(Site& site) {
  Header& h = site.plain.header;
  if (h.scratch == 0 || h.collective == Collective::alltoall || !h.owners.empty()) return;
  ++h.blocks;
  --h.scratch;
}

struct Change {
  std::string_view name;
  void (*apply)(Site&);
};

constexpr Change changes[] = {
    {"transfer dropped", drop},
    {"transfer twice in its step", duplicate},
    {"transfer again in a step", repeat},
    {"transfer moved to a step", move},
    {"another receiver", retarget},
    {"another sender", resource},
    {"sender and receiver swapped", reverse},
    {"reduce and copy swapped", swap_op},
    {"block changed", change_block},
    {"block dropped", drop_block},
    {"block added", add_block},
    {"blocks of two transfers swapped", exchange_blocks},
    {"steps swapped", swap_steps},
    {"step dropped", drop_step},
    {"step repeated", repeat_step},
    {"step merged with the next", merge_steps},
    {"step split in two", split_step},
    {"another root", change_root},
    {"another owner of a block", change_owner},
    {"another collective", change_collective},
    {"a block lands elsewhere", change_landing},
    {"a scratch block promised", promise_scratch},
};

constexpr auto names = [] {
  std::array<std::string_view, std::size(changes)> all;
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = changes[k].name;
  return all;
}();

bool is_same(const PlainSchedule& a, const PlainSchedule& b) {
  return a.steps == b.steps && a.header.collective == b.header.collective && a.header.root == b.header.root &&
         a.header.owners == b.header.owners && a.header.blocks == b.header.blocks;
}

bool has_transfers(const PlainSchedule& plain) {
  return std::any_of(plain.steps.begin(), plain.steps.end(), [](const Step& step) { return !step.empty(); });
}

}  // namespace

std::span<const std::string_view> schedule_changes() {
  return names;
}

std::optional<PlainSchedule> Mutator::mutant_of(const PlainSchedule& original, std::size_t change) {
  constexpr int tries = 10;
  if (!has_transfers(original)) return std::nullopt;
  for (int k = 0; k < tries; ++k) {
    PlainSchedule mutant = original;
    Site site(mutant, random_);
    changes[change].apply(site);
    std::erase_if(mutant.header.names.phases,
                  [&](const Names::Phase& phase) { return phase.first >= std::ssize(mutant.steps); });
    if (!is_same(mutant, original)) return mutant;
  }
  return std::nullopt;
}

PlainSchedule Mutator::mutant_of(const PlainSchedule& original) {
  for (;;)
    if (auto mutant = mutant_of(original, random_() % names.size())) return *std::move(mutant);
}

}  // namespace onceover::support
