// The order of measurements in panels and lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace perturb {

// Indices of the items of a list, grouped by meaning, each group in the order of the list.
template <class Item>
std::vector<std::size_t> order_by_meaning(const std::vector<Item>& list) {
  std::vector<std::size_t> order(list.size());
  for (std::size_t k = 0; k < list.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return list[a].meaning < list[b].meaning; });
  return order;
}

}  // namespace perturb
