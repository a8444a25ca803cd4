// Rows of tables and lists: what each has, the one with a name, and lists that have each item once.
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/namespaces.h"

namespace onceover::base {

/// What `of` makes of each item, in their order; `of` may be a field: mapped(rows, &Row::name).
template <class Items, class Of>
auto mapped(const Items& items, Of of) {
  std::vector<std::decay_t<std::invoke_result_t<Of&, decltype(*std::begin(items))>>> made;
  made.reserve(static_cast<std::size_t>(std::distance(std::begin(items), std::end(items))));
  for (auto&& item : items) made.push_back(std::invoke(of, item));
  return made;
}

/// Does the list have the item?
template <class Items, class Item>
bool has(const Items& items, const Item& item) {
  return std::find(std::begin(items), std::end(items), item) != std::end(items);
}

/// Adds the item, unless the list has it. Did it?
template <class Item>
bool add_new(std::vector<Item>& list, Item item) {
  if (has(list, item)) return false;
  list.push_back(std::move(item));
  return true;
}

/// The first row whose `field` is that; null where there is none. The rows must outlive the answer.
template <class Rows, class Field, class Value>
auto* row_with(Rows&& rows, Field field, const Value& value) {
  const auto row = std::find_if(std::begin(rows), std::end(rows),
                                [&](const auto& each) { return std::invoke(field, each) == value; });
  return row == std::end(rows) ? nullptr : &*row;
}

}  // namespace onceover::base
