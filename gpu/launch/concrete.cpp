// Buffers of the launch are numbered by the description's buffer, then its turn, then the rank; tables follow, by
// table, then by rank.

#include "gpu/launch/concrete.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/result.h"
#include "base/sentences.h"
#include "gpu/launch/content_bytes.h"
#include "gpu/launch/expectation.h"

namespace onceover::gpu {

namespace {

constexpr std::uint64_t most_buffer_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t most_threads_of_block = 1024;

template <class T>
using Checked = tl::expected<T, SourceError>;

class LaunchMaker {
 public:
  LaunchMaker(const Description& description, std::shared_ptr<const ptx::Module> module, Rank p, std::int64_t n)
      : description_(description), p_(p) {
    made_.launch.module = std::move(module);
    made_.launch.ranks = p;
    made_.size = n;
    variables_.set("p", p);
    variables_.set("n", n);
  }

  Checked<ConcreteLaunch> make() {
    for (const LetText& let : description_.lets) variables_.set(let.name, TRY(let.formula.value(variables_)));
    for (std::size_t b = 0; b < description_.buffers.size(); ++b) TRY(add_buffer(b));
    TRY(add_tables());
    TRY(add_initial());
    for (const ExpectText& expect : description_.expects)
      made_.expected.push_back(TRY(expected_of(expect, description_, counts_, variables_, p_)));
    for (std::uint32_t k = 0; k < description_.calls; ++k) TRY(add_call(k));
    return std::move(made_);
  }

 private:
  const ptx::Module& module() const { return *made_.launch.module; }

  Variables of(Rank rank) const {
    Variables variables = variables_;
    variables.set("r", rank);
    return variables;
  }

  Variables of(Rank rank, std::uint32_t call) const {
    Variables variables = of(rank);
    variables.set("k", call);
    return variables;
  }

  // Memory.

  Checked<void> add_buffer(std::size_t b) {
    const BufferText& text = description_.buffers[b];
    auto& counts = counts_.emplace_back();
    for (Rank r = 0; r < p_; ++r) {
      const std::int64_t count = TRY(text.count->value(of(r)));
      const std::uint64_t size = size_of(text.type);
      if (count < 0 || static_cast<std::uint64_t>(count) > most_buffer_bytes / size)
        return text.file->error(text.count->offset, fmt::format("'{}' of rank {} would have {} elements, for p = {}",
                                                                text.name, r, count, p_));
      counts.push_back(count);
      bytes_ += static_cast<std::uint64_t>(count) * size * text.turns;
    }
    if (bytes_ > most_buffer_bytes)
      return text.file->error(text.offset, fmt::format("the buffers of {} would have more than 4 GiB",
                                                       counted(static_cast<std::uint64_t>(p_), "rank")));
    made_.turns.push_back(text.turns);
    auto& first = made_.first_of.emplace_back();
    for (Rank r = 0; r < p_; ++r) first.push_back(made_.launch.buffers.size() + static_cast<std::size_t>(r));
    for (std::uint32_t turn = 0; turn < text.turns; ++turn)
      for (Rank r = 0; r < p_; ++r) {
        const auto count = static_cast<std::uint64_t>(counts[static_cast<std::size_t>(r)]);
        made_.launch.buffers.push_back({.name = text.turns == 1 ? text.name : fmt::format("{}[{}]", text.name, turn),
                                        .rank = r,
                                        .bytes = count * size_of(text.type),
                                        .type = text.type,
                                        .is_constant = text.is_constant});
        made_.places.push_back({b, r, turn});
        made_.launch.is_zeroed.push_back(false);
        TRY(fill(text, made_.launch.buffers.size() - 1, count));
      }
    return {};
  }

  Checked<void> fill(const BufferText& text, std::size_t buffer, std::uint64_t count) {
    if (!text.fill || count == 0) return {};
    auto bytes = TRY(fill_bytes(*text.fill, text, of(made_.launch.buffers[buffer].rank)));
    if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; }))
      made_.launch.is_zeroed[buffer] = true;
    else
      made_.launch.initial.push_back(
          {.target = RelocationTarget::buffer, .index = buffer, .content = {std::move(bytes), {}}, .times = count});
    return {};
  }

  Checked<void> add_tables() {
    first_table_ = made_.launch.buffers.size();
    // All tables have their numbers before the addresses in them are made, which may be those of tables.
    for (std::size_t t = 0; t < description_.tables.size(); ++t)
      for (Rank r = 0; r < p_; ++r) {
        made_.launch.buffers.push_back({.name = description_.tables[t].name,
                                        .rank = r,
                                        .bytes = 0,
                                        .type = ElementType::u64,
                                        .is_constant = true});
        made_.places.push_back({description_.buffers.size() + t, r, 0});
        made_.launch.is_zeroed.push_back(false);
      }
    for (std::size_t t = 0; t < description_.tables.size(); ++t)
      for (Rank r = 0; r < p_; ++r) {
        const TableText& text = description_.tables[t];
        const std::string what = fmt::format("table '{}'", text.name);
        Bytes bytes = TRY(whole_bytes(text.content, {.what = what}, of(r), resolver(std::nullopt)));
        const std::size_t buffer = first_table_ + t * static_cast<std::size_t>(p_) + static_cast<std::size_t>(r);
        made_.launch.buffers[buffer].bytes = bytes.bytes.size();
        made_.launch.initial.push_back(
            {.target = RelocationTarget::buffer, .index = buffer, .content = std::move(bytes)});
      }
    return {};
  }

  Checked<void> add_initial() {
    for (std::size_t b = 0; b < made_.first_of.size(); ++b) {
      const auto& content = description_.buffers[b].initial;
      if (!content) continue;
      for (std::uint32_t turn = 0; turn < made_.turns[b]; ++turn)
        for (Rank r = 0; r < p_; ++r) TRY(add_writes(*content, b, r, turn, of(r), std::nullopt, made_.launch.initial));
    }
    return {};
  }

  Checked<void> add_writes(const ContentText& content, std::size_t b, Rank r, std::uint32_t turn,
                           const Variables& variables, std::optional<std::uint32_t> call,
                           std::vector<MemoryWrite>& writes) const {
    const std::size_t buffer = made_.first_of[b][static_cast<std::size_t>(r)] + turn * static_cast<std::size_t>(p_);
    const std::string what = fmt::format("'{}' of rank {}", description_.buffers[b].name, r);
    const ContentShape shape{
        .bytes = made_.launch.buffers[buffer].bytes, .untyped = size_of(description_.buffers[b].type), .what = what};
    for (BytePiece& piece : TRY(pieces(content, shape, variables, resolver(call))))
      writes.push_back({.target = RelocationTarget::buffer,
                        .index = buffer,
                        .offset = piece.offset,
                        .content = std::move(piece.bytes)});
    return {};
  }

  // Addresses.

  Resolve resolver(std::optional<std::uint32_t> call) const {
    return [this, call](const AddressText& address, const Variables& variables) {
      return resolve(address, variables, call);
    };
  }

  Checked<Relocation> resolve(const AddressText& address, const Variables& variables,
                              std::optional<std::uint32_t> call) const {
    std::optional<std::int64_t> rank;
    if (address.on.rank) {
      rank = TRY(address.on.rank->value(variables));
      if (*rank < 0 || *rank >= p_)
        return address.on.rank->file->error(address.on.rank->offset,
                                            fmt::format("there is no rank {} of {}", *rank, p_));
    }
    Relocation found{.at = 0, .target = RelocationTarget::buffer, .index = 0};
    std::uint64_t bytes = 0;
    if (const auto b = buffer_named(address.name)) {
      TRY(resolve_buffer(address, *b, rank, variables, call, found, bytes));
    } else if (const auto t = table_named(address.name); t && rank) {
      found.index = first_table_ + *t * static_cast<std::size_t>(p_) + static_cast<std::size_t>(*rank);
      bytes = made_.launch.buffers[found.index].bytes;
      if (bytes == 0) bytes = most_buffer_bytes;  // a table that isn't made yet
    } else if (const auto g = global_named(address.name); g && rank) {
      found = {.at = 0, .target = RelocationTarget::global, .index = *g, .rank = static_cast<Rank>(*rank)};
      bytes = module().variables[*g].bytes;
    } else {
      return unknown(address);
    }
    if (address.addend) found.addend = TRY(address.addend->value(variables));
    if (found.addend < 0 || static_cast<std::uint64_t>(found.addend) > bytes)
      return address.file->error(address.addend->offset,
                                 fmt::format("byte {} isn't in '{}', which has {}", found.addend, address.name, bytes));
    return found;
  }

  Checked<void> resolve_buffer(const AddressText& address, std::size_t b, std::optional<std::int64_t> rank,
                               const Variables& variables, std::optional<std::uint32_t> call, Relocation& found,
                               std::uint64_t& bytes) const {
    const std::uint32_t turns = made_.turns[b];
    std::uint32_t turn = call.value_or(0) % turns;
    if (address.turn) {
      const std::int64_t value = TRY(address.turn->value(variables));
      if (value < 0) return address.file->error(address.turn->offset, fmt::format("turn {} is below 0", value));
      turn = static_cast<std::uint32_t>(value % turns);
    } else if (turns > 1 && !call) {
      return address.file->error(
          address.offset, fmt::format("'{0}' has {1} turns, and no call says which: {0}[0]", address.name, turns));
    }
    const std::size_t first = made_.first_of[b].front() + turn * static_cast<std::size_t>(p_);
    found.index = first + static_cast<std::size_t>(rank.value_or(0));
    bytes = made_.launch.buffers[found.index].bytes;
    if (rank) return {};
    found.target = RelocationTarget::multicast;
    Multicast multicast;
    for (std::size_t r = 0; r < static_cast<std::size_t>(p_); ++r) {
      multicast.buffers.push_back(first + r);
      if (made_.launch.buffers[first + r].bytes != bytes)
        return address.file->error(address.offset, fmt::format("'{}' isn't equally large on all ranks", address.name));
    }
    auto& all = made_.launch.multicasts;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const Multicast& m) { return m.buffers.front() == first; });
    found.index = static_cast<std::size_t>(known - all.begin());
    if (known == all.end()) all.push_back(std::move(multicast));
    return {};
  }

  tl::unexpected<SourceError> unknown(const AddressText& address) const {
    std::vector<std::string_view> known;
    for (const BufferText& text : description_.buffers) known.push_back(text.name);
    if (address.on.rank) {
      for (const TableText& text : description_.tables) known.push_back(text.name);
      for (const ptx::PtxVariable& variable : module().variables) known.push_back(variable.name);
    }
    return address.file->error(address.offset,
                               fmt::format("no {} '{}'{}; there are {}",
                                           address.on.rank ? "buffer, table or variable of the module" : "buffer",
                                           address.name, suggestion(address.name, known), fmt::join(known, ", ")));
  }

  template <class Rows>
  static std::optional<std::size_t> named(const Rows& rows, std::string_view name) {
    const auto at = std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
    return at == rows.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - rows.begin()));
  }

  std::optional<std::size_t> buffer_named(std::string_view name) const { return named(description_.buffers, name); }
  std::optional<std::size_t> table_named(std::string_view name) const { return named(description_.tables, name); }

  std::optional<std::size_t> global_named(std::string_view name) const {
    const auto g = named(module().variables, name);
    const bool is_global = g && (module().variables[*g].space == ptx::StateSpace::global ||
                                 module().variables[*g].space == ptx::StateSpace::constant);
    return is_global ? g : std::nullopt;
  }

  // Calls.

  Checked<void> add_call(std::uint32_t k) {
    Call call;
    for (Rank r = 0; r < p_; ++r) call.ranks.push_back(TRY(rank_call(r, k)));
    made_.launch.calls.push_back(std::move(call));
    return {};
  }

  Checked<RankCall> rank_call(Rank r, std::uint32_t k) {
    RankCall call;
    for (std::size_t b = 0; b < description_.buffers.size(); ++b) {
      const BufferText& text = description_.buffers[b];
      const std::size_t buffer = made_.buffer_of(b, r, k);
      if (text.each_call) TRY(add_writes(*text.each_call, b, r, k % made_.turns[b], of(r, k), k, call.writes));
      if (text.role == BufferRole::input || text.role == BufferRole::in_place) call.fills.push_back(buffer);
      if (text.role == BufferRole::output) call.poisons.push_back(buffer);
      if (text.role != BufferRole::memory) call.reads.push_back(buffer);
    }
    for (const KernelText& kernel : description_.kernels)
      if (!kernel.only || TRY(kernel.only->value(of(r, k))) != 0)
        call.kernels.push_back(TRY(kernel_run(kernel, of(r, k), k)));
    return call;
  }

  Checked<GridSize> extent(const ExtentText& text, const Variables& variables) const {
    std::uint32_t sides[3] = {1, 1, 1};
    for (std::size_t k = 0; k < text.sides.size(); ++k) {
      const std::int64_t side = TRY(text.sides[k].value(variables));
      if (side < 1 || side > 65535)
        return description_.file->error(text.offset, fmt::format("{} isn't a number of blocks or threads", side));
      sides[k] = static_cast<std::uint32_t>(side);
    }
    return GridSize{sides[0], sides[1], sides[2]};
  }

  /// Blocks and clusters must be as the kernel says.
  Checked<void> check_extents(const KernelText& text, const KernelRun& run, const ptx::Function& function) const {
    const std::size_t cluster_at = text.cluster ? text.cluster->offset : text.grid.offset;
    const auto differs = [](const GridSize& size, const ptx::Sides& wanted) {
      return size.x != wanted[0] || size.y != wanted[1] || size.z != wanted[2];
    };
    if (const auto& block = function.required_block; block && differs(run.block, *block))
      return description_.file->error(text.block.offset,
                                      fmt::format("a block of {}; '{}' is for blocks of {} threads (.reqntid)",
                                                  run.block.count(), function.name, fmt::join(*block, " x ")));
    if (const auto& cluster = function.required_cluster; cluster && differs(run.cluster, *cluster))
      return description_.file->error(
          cluster_at, fmt::format("clusters of {}; '{}' is for clusters of {} blocks (.reqnctapercluster)",
                                  run.cluster.count(), function.name, fmt::join(*cluster, " x ")));
    if (function.needs_cluster && !text.cluster)
      return description_.file->error(cluster_at, fmt::format("no 'cluster', which '{}' needs", function.name));
    if (const auto most = function.most_blocks_of_cluster; most && run.cluster.count() > *most)
      return description_.file->error(cluster_at, fmt::format("clusters of {}; '{}' has at most {} blocks in one",
                                                              run.cluster.count(), function.name, *most));
    if (function.counts_grid_in_clusters)
      return description_.file->error(
          text.grid.offset,
          fmt::format("'{}' counts its grid in clusters (.blocksareclusters), which isn't supported", function.name));
    return {};
  }

  Checked<KernelRun> kernel_run(const KernelText& text, const Variables& variables, std::uint32_t k) const {
    KernelRun run;
    run.entry = TRY(entry_of(text));
    run.grid = TRY(extent(text.grid, variables));
    run.block = TRY(extent(text.block, variables));
    run.stream = text.stream;
    if (text.cluster) run.cluster = TRY(extent(*text.cluster, variables));
    if (run.grid.x % run.cluster.x != 0 || run.grid.y % run.cluster.y != 0 || run.grid.z % run.cluster.z != 0)
      return description_.file->error(text.cluster->offset, fmt::format("clusters of {} don't fill a grid of {}",
                                                                        run.cluster.count(), run.grid.count()));
    const ptx::Function& function = module().functions[run.entry];
    const std::uint64_t most = function.most_threads.value_or(most_threads_of_block);
    if (run.block.count() > most)
      return description_.file->error(text.block.offset, fmt::format("a block of {} threads; '{}' has at most {}",
                                                                     run.block.count(), function.name, most));
    TRY(check_extents(text, run, function));
    if (text.shared) {
      const std::int64_t shared = TRY(text.shared->value(variables));
      if (shared < 0 || shared > (1 << 20))
        return description_.file->error(text.shared->offset, fmt::format("{} bytes of shared memory", shared));
      run.dynamic_shared_bytes = static_cast<std::uint32_t>(shared);
    }
    run.arguments = TRY(arguments(text, function, variables, k));
    return run;
  }

  /// The entry of that name, or the only one whose name has it as a part; {p} stands for the ranks.
  Checked<std::size_t> entry_of(const KernelText& text) const {
    std::string name = text.entry;
    if (const std::size_t at = name.find("{p}"); at != std::string::npos) name.replace(at, 3, std::to_string(p_));
    std::vector<std::string_view> known;
    std::vector<std::size_t> found;
    for (std::size_t f = 0; f < module().functions.size(); ++f) {
      const ptx::Function& function = module().functions[f];
      if (!function.is_entry) continue;
      if (function.name == name) return f;
      known.push_back(function.name);
      if (function.name.find(name) != std::string::npos) found.push_back(f);
    }
    if (found.size() == 1) return found.front();
    if (found.size() > 1)
      return description_.file->error(text.entry_offset,
                                      fmt::format("{} entries of {} have '{}' in their names: {}, {}{}", found.size(),
                                                  module().name, name, module().functions[found[0]].name,
                                                  module().functions[found[1]].name, found.size() > 2 ? ", .." : ""));
    return description_.file->error(text.entry_offset,
                                    fmt::format("no entry '{}' in {}{}; there are {}", name, module().name,
                                                suggestion(name, known), fmt::join(known, ", ")));
  }

  Checked<Bytes> arguments(const KernelText& text, const ptx::Function& function, const Variables& variables,
                           std::uint32_t k) const {
    Bytes all{std::vector<std::uint8_t>(function.parameter_bytes), {}};
    std::vector<bool> is_given(function.parameters.size());
    for (const ArgumentText& argument : text.arguments) {
      if (argument.position >= function.parameters.size())
        return description_.file->error(
            argument.offset, fmt::format("there is no argument {}: '{}' has {}", argument.position, function.name,
                                         counted(function.parameters.size(), "parameter")));
      const ptx::PtxVariable& parameter = function.parameters[argument.position];
      is_given[argument.position] = true;
      const std::string what = fmt::format("argument {}", argument.position);
      const ContentShape shape{.bytes = parameter.bytes,
                               .untyped = argument.is_struct ? std::nullopt : std::optional(parameter.bytes),
                               .what = what};
      Bytes bytes = TRY(whole_bytes(argument.content, shape, variables, resolver(k)));
      std::copy(bytes.bytes.begin(), bytes.bytes.end(),
                all.bytes.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
      for (Relocation& relocation : bytes.relocations) {
        relocation.at += parameter.offset;
        all.relocations.push_back(relocation);
      }
    }
    const auto missing = std::find(is_given.begin(), is_given.end(), false);
    if (missing != is_given.end())
      return description_.file->error(text.entry_offset,
                                      fmt::format("no argument {} for '{}', which has {}", missing - is_given.begin(),
                                                  function.name, counted(function.parameters.size(), "parameter")));
    return all;
  }

  const Description& description_;
  Rank p_;
  Variables variables_;
  mutable ConcreteLaunch made_;  // resolving an address may add a multicast
  std::vector<Counts> counts_;   // by description's buffer
  std::size_t first_table_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

std::size_t ConcreteLaunch::buffer_of(std::size_t text, Rank rank, std::uint32_t call) const {
  return first_of[text][static_cast<std::size_t>(rank)] +
         static_cast<std::size_t>(call % turns[text]) * static_cast<std::size_t>(launch.ranks);
}

tl::expected<ConcreteLaunch, SourceError> concrete(const Description& description,
                                                   std::shared_ptr<const ptx::Module> module, Rank p, std::int64_t n) {
  return LaunchMaker(description, std::move(module), p, n).make();
}

}  // namespace onceover::gpu
