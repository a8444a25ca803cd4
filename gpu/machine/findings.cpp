#include <algorithm>
#include <array>

#include "gpu/machine/machine.h"

namespace onceover::gpu {
namespace {

std::string sentence_of(const Conflict& conflict) {
  switch (conflict.kind) {
    case FindingKind::narrow_scope: return "two strong accesses whose scopes don't include each other";
    case FindingKind::mixed_sizes: return "two strong accesses that overlap only partly";
    case FindingKind::unordered_writes: return "two strong writes that nothing orders: either may come last";
    case FindingKind::non_coherent_read: return "a non-coherent read of what was written while its kernel runs";
    default: break;
  }
  if (conflict.earlier.writes() && conflict.later.writes()) return "two writes that nothing orders";
  return conflict.earlier.writes() ? "a read that nothing orders after the write"
                                   : "a write that nothing orders after the read";
}

}  // namespace

AccessSite GpuMachine::site_of(const AccessRecord& record) const {
  AccessSite site;
  site.rank = seats_.rank_of(record.thread);
  site.call = record.call;
  site.is_stream = seats_.is_stream(record.thread);
  if (site.is_stream) {
    site.action = record.writes() ? "the stream writes it before a call" : "the stream reads it after the call";
    return site;
  }
  const AccessSite of_code = site_of_code(record.site);
  site.function = of_code.function;
  site.instruction = of_code.instruction;
  site.action = text_at(site);
  place_thread(site, record.thread);
  return site;
}

/// The function and the instruction of a site.
AccessSite GpuMachine::site_of_code(std::uint32_t number) const {
  const auto after =
      std::upper_bound(code_.functions.begin(), code_.functions.end(), number,
                       [](std::uint32_t wanted, const CodeFunction& function) { return wanted < function.first_site; });
  const CodeFunction& function = *(after - 1);
  AccessSite site;
  site.function = static_cast<std::int32_t>(function.function);
  site.instruction = static_cast<std::int32_t>(number - function.first_site);
  return site;
}

AccessSite GpuMachine::site_of(const ThreadContext& thread) const {
  AccessSite site;
  site.rank = seats_.rank_of(thread.id);
  place_thread(site, thread.id);
  const auto& block = blocks_[seats_.seat_of(thread.id)];
  if (block != nullptr) site.call = block->kernel->call;
  site.function = static_cast<std::int32_t>(thread.function->function);
  site.instruction = static_cast<std::int32_t>(thread.function->code[thread.pc].source);
  site.action = text_at(site);
  return site;
}

void GpuMachine::place_thread(AccessSite& site, std::uint32_t thread) const {
  const std::uint32_t seat = seats_.seat_of(thread);
  const auto& first = first_seats_[static_cast<std::size_t>(seats_.rank_of(thread))];
  const auto after = std::upper_bound(first.begin(), first.end(), seat);
  site.block = seat - *(after - 1);
  site.thread = thread % threads_per_seat_;
  site.warp = site.thread / 32;
}

std::string GpuMachine::text_at(const AccessSite& site) const {
  const ptx::Function& function = launch_.module->functions[static_cast<std::size_t>(site.function)];
  if (function.instructions.empty()) return "the end of the function";
  return launch_.module->text_of(function.instructions[static_cast<std::size_t>(site.instruction)]);
}

std::string GpuMachine::name_of(const Region& region) {
  return region.name() + " of rank " + std::to_string(region.rank());
}

void GpuMachine::add_note(std::string note) {
  if (std::find(outcome_.notes.begin(), outcome_.notes.end(), note) == outcome_.notes.end())
    outcome_.notes.push_back(std::move(note));
}

/// Something that accesses and their values don't decide.
void GpuMachine::order_matters(const char* why) {
  if (tries_all() && outcome_.order_matters.empty()) outcome_.order_matters = why;
}

GpuFinding GpuMachine::finding_of(FindingKind kind, std::string sentence) {
  GpuFinding finding{};
  finding.kind = kind;
  finding.sentence = std::move(sentence);
  return finding;
}

void GpuMachine::fail(const ThreadContext& thread, FindingKind kind, std::string sentence) {
  GpuFinding finding = finding_of(kind, std::move(sentence));
  finding.first = site_of(thread);
  outcome_.findings.push_back(std::move(finding));
  throw Ended();
}

void GpuMachine::fail_at(const ThreadContext& thread, FindingKind kind, const Region& region, std::uint64_t offset,
                         std::string sentence) {
  GpuFinding finding = finding_of(kind, std::move(sentence));
  finding.first = site_of(thread);
  finding.memory = name_of(region);
  finding.offset = offset;
  outcome_.findings.push_back(std::move(finding));
  throw Ended();
}

/// Of races that are harmless and of others, only so many are kept.
void GpuMachine::report(const Conflict& conflict, const Region& region, std::uint64_t offset) {
  const bool same_value = conflict.same_value;
  const auto key =
      std::tuple{conflict.kind, std::int64_t{conflict.earlier.site}, std::int64_t{conflict.later.site}, same_value};
  const auto known = known_.find(key);
  if (known != known_.end()) {
    if (known->second < outcome_.findings.size()) ++outcome_.findings[known->second].times;
    return;
  }
  std::size_t& kept = same_value ? harmless_kept_ : races_kept_;
  if (kept == options_.most_findings) {
    known_[key] = SIZE_MAX;
    ++(same_value ? outcome_.harmless_left_out : outcome_.findings_left_out);
    return;
  }
  ++kept;
  known_[key] = outcome_.findings.size();
  GpuFinding finding = finding_of(conflict.kind, sentence_of(conflict));
  finding.first = site_of(conflict.earlier);
  finding.second = site_of(conflict.later);
  finding.memory = name_of(region);
  finding.offset = offset;
  finding.same_value = same_value;
  outcome_.findings.push_back(std::move(finding));
}

std::string_view name(FindingKind kind) {
  static constexpr std::array names{"race",
                                    "scope too narrow",
                                    "mixed sizes",
                                    "unordered strong writes",
                                    "non-coherent read",
                                    "out of bounds",
                                    "wild address",
                                    "misaligned",
                                    "unwritten value",
                                    "write of constant memory",
                                    "deadlock",
                                    "trap",
                                    "divergent barrier",
                                    "unsupported",
                                    "too long"};
  return names[static_cast<std::size_t>(kind)];
}

LinePlace source_line(const ptx::Module& module, const AccessSite& site) {
  if (site.function < 0) return {};
  const ptx::Function& function = module.functions[static_cast<std::size_t>(site.function)];
  if (function.instructions.empty()) return {module.name, function.line, 0, function.line};
  const ptx::PtxInstruction& instruction = function.instructions[static_cast<std::size_t>(site.instruction)];
  if (instruction.location < 0) return {module.name, instruction.line, instruction.column, instruction.line};
  const ptx::Location& location = module.locations[static_cast<std::size_t>(instruction.location)];
  const bool has_file = location.file < module.files.size();
  return {has_file ? module.files[location.file] : module.name, location.line, location.column, instruction.line};
}

PlacesRun places_run(const ptx::Module& module, const std::vector<std::uint8_t>& ran) {
  PlacesRun places;
  auto first = ran.begin();
  for (std::size_t k = 0; k < module.functions.size() && first != ran.end(); ++k) {
    const auto end = first + static_cast<std::ptrdiff_t>(module.functions[k].instructions.size());
    const bool is_used = std::find(first, end, 1) != end;
    for (auto at = first; is_used && at != end; ++at) {
      AccessSite site;
      site.function = static_cast<std::int32_t>(k);
      site.instruction = static_cast<std::int32_t>(at - first);
      const LinePlace place = source_line(module, site);
      bool& has_run = places[{place.file, place.line, place.ptx_line}];
      has_run = has_run || *at != 0;
    }
    first = end + 1;
  }
  return places;
}

std::string place_of(const ptx::Module& module, const AccessSite& site) {
  if (site.function < 0) return "";
  const ptx::Function& function = module.functions[static_cast<std::size_t>(site.function)];
  if (function.instructions.empty()) return module.name + ":" + std::to_string(function.line);
  const ptx::PtxInstruction& instruction = function.instructions[static_cast<std::size_t>(site.instruction)];
  const auto text = [&](const ptx::Location& location) {
    const std::string& file = location.file < module.files.size() ? module.files[location.file] : module.name;
    return file + ":" + std::to_string(location.line);
  };
  if (instruction.location < 0) return module.name + ":" + std::to_string(instruction.line);
  const ptx::Location* location = &module.locations[static_cast<std::size_t>(instruction.location)];
  std::string place = text(*location);
  for (int depth = 0; location->inlined_at >= 0 && depth < 16; ++depth) {
    location = &module.locations[static_cast<std::size_t>(location->inlined_at)];
    place += (depth == 0 ? " (inlined at " : ", ") + text(*location);
    if (location->inlined_at < 0 || depth == 15) place += ")";
  }
  return place;
}

}  // namespace onceover::gpu
