#include "gpu/memory/device_memory.h"

#include <algorithm>
#include <cstring>

#include "base/rows.h"

namespace onceover::gpu {
namespace {

constexpr std::uint64_t first_multicast = std::uint64_t{1} << 15;

std::uint64_t next_multiple(std::uint64_t number, std::uint64_t multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

}  // namespace

DeviceMemory::DeviceMemory(const Launch& launch) : launch_(launch), pages_(static_cast<std::size_t>(launch.ranks)) {
  for (auto& pages : pages_) pages.resize(1);  // an address of zero leads nowhere
  for (const DeviceBuffer& buffer : launch.buffers)
    buffers_.push_back(place(buffer.name, buffer.rank, buffer.bytes, !buffer.is_constant, buffer.is_constant));
  lay_out_variables();
  for (Rank rank = 0; rank < launch.ranks; ++rank) {
    variables_.push_back(place("variables of the module", rank, variable_bytes_, true, false));
    set_initial_values(rank);
    workspaces_.push_back(place("the workspace of grids", rank, 64, true, false));
  }
}

Region* DeviceMemory::place(std::string name, Rank rank, std::uint64_t bytes, bool is_tracked, bool is_constant) {
  auto& pages = pages_[static_cast<std::size_t>(rank)];
  const std::uint64_t base = (static_cast<std::uint64_t>(rank) + 1) << 40 | pages.size() << page_bits;
  regions_.push_back(std::make_unique<Region>(std::move(name), rank, base, bytes, is_tracked, is_constant));
  const std::uint64_t of_buffer = next_multiple(bytes + 1, std::uint64_t{1} << page_bits) >> page_bits;
  pages.resize(pages.size() + 2 * of_buffer, regions_.back().get());
  return regions_.back().get();
}

void DeviceMemory::lay_out_variables() {
  for (const ptx::PtxVariable& variable : launch_.module->variables) {
    if (variable.space == ptx::StateSpace::shared) {
      variable_offsets_.push_back(0);
      continue;
    }
    variable_bytes_ = next_multiple(variable_bytes_, std::max<std::uint32_t>(variable.alignment, 16));
    variable_offsets_.push_back(variable_bytes_);
    variable_bytes_ += variable.bytes;
  }
}

void DeviceMemory::set_initial_values(Rank rank) {
  Region& region = variables(rank);
  for (std::size_t index = 0; index < launch_.module->variables.size(); ++index) {
    const ptx::PtxVariable& variable = launch_.module->variables[index];
    if (variable.space == ptx::StateSpace::shared) continue;
    std::uint8_t* bytes = region.bytes() + variable_offsets_[index];
    std::copy(variable.initial.begin(), variable.initial.end(), bytes);
    for (const ptx::PtxVariable::Reference& reference : variable.references) {
      const auto* target = row_with(launch_.module->variables, &ptx::PtxVariable::name, reference.variable);
      if (target == nullptr) continue;  // of a function: a call through it is reported where it would run
      const auto number = static_cast<std::size_t>(target - launch_.module->variables.data());
      const std::uint64_t value =
          address(RelocationTarget::global, number, rank) + static_cast<std::uint64_t>(reference.addend);
      std::memcpy(bytes + reference.at, &value, sizeof value);
    }
  }
}

std::uint64_t DeviceMemory::address(RelocationTarget target, std::size_t index, Rank rank) const {
  switch (target) {
    case RelocationTarget::buffer: return buffers_[index]->base();
    case RelocationTarget::multicast: return (first_multicast + index) << 40;
    case RelocationTarget::global: return variables_[static_cast<std::size_t>(rank)]->base() + variable_offsets_[index];
  }
  return 0;
}

const Multicast* DeviceMemory::multicast_at(std::uint64_t address, std::uint64_t& offset) const {
  const std::uint64_t index = (address >> 40) - first_multicast;
  if (index >= launch_.multicasts.size()) return nullptr;
  offset = address & offset_mask;
  return &launch_.multicasts[index];
}

}  // namespace onceover::gpu
