#include "cuda/core/simulation/marks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>

#include "cuda/core/backend/check.h"

namespace perturb {

void Marks::bar(CurvePoint from, CurvePoint to, double cross, Message label, bool measured) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (!(length > 0)) return;
  const double x = -(to.y - from.y) / length * cross, y = (to.x - from.x) / length * cross;
  // One stroke, so that the label is at its last point.
  line({{from.x - x, from.y - y}, {from.x + x, from.y + y}, from, to, {to.x + x, to.y + y}, {to.x - x, to.y - y}},
       std::move(label), measured);
}

double zero_line_position(int index, int cells) {
  constexpr double inside = 1e-3;
  return std::clamp(static_cast<double>(index) / cells, inside, 1 - inside);
}

std::vector<std::vector<CurvePoint>> zero_lines(const std::function<double(double x, double y)>& function, int cells) {
  std::vector<double> values;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i)
      values.push_back(function(zero_line_position(i, cells), zero_line_position(j, cells)));
  return zero_lines(values, cells);
}

std::vector<std::vector<CurvePoint>> zero_lines(std::span<const double> values, int cells) {
  const auto side = static_cast<std::size_t>(cells) + 1;
  PERTURB_ASSERT(values.size() == side * side);
  const auto position = [&](std::size_t i) { return zero_line_position(static_cast<int>(i), cells); };

  // A crossing of the line with an edge of the grid: 2 (j side + i), plus 1 for the edge upwards from the corner.
  struct Link {
    std::int64_t ends[2];
    bool used = false;
  };
  std::map<std::int64_t, CurvePoint> at;
  std::multimap<std::int64_t, std::size_t> links_at;
  std::vector<Link> links;
  const auto value_at = [&](std::size_t i, std::size_t j) { return values[j * side + i]; };
  // The crossing on the edge from (i, j) to (k, l), -1: none.
  const auto crossing = [&](std::size_t i, std::size_t j, std::size_t k, std::size_t l) -> std::int64_t {
    const double a = value_at(i, j), b = value_at(k, l);
    if (!((a > 0 && b <= 0) || (a <= 0 && b > 0))) return -1;
    const std::int64_t id = 2 * static_cast<std::int64_t>(j * side + i) + (l > j ? 1 : 0);
    const double t = a / (a - b);
    at[id] = {position(i) + t * (position(k) - position(i)), position(j) + t * (position(l) - position(j))};
    return id;
  };
  const auto link = [&](std::int64_t a, std::int64_t b) {
    links_at.emplace(a, links.size());
    links_at.emplace(b, links.size());
    links.push_back({{a, b}});
  };
  for (std::size_t j = 0; j + 1 < side; ++j)
    for (std::size_t i = 0; i + 1 < side; ++i) {
      const std::int64_t bottom = crossing(i, j, i + 1, j), top = crossing(i, j + 1, i + 1, j + 1),
                         left = crossing(i, j, i, j + 1), right = crossing(i + 1, j, i + 1, j + 1);
      std::vector<std::int64_t> found;
      for (const std::int64_t one : {bottom, right, top, left})
        if (one >= 0) found.push_back(one);
      if (found.size() == 2) link(found[0], found[1]);
      if (found.size() != 4) continue;
      // A saddle: the value in the middle decides which corners are connected.
      const double middle = value_at(i, j) + value_at(i + 1, j) + value_at(i, j + 1) + value_at(i + 1, j + 1);
      if ((middle > 0) == (value_at(i, j) > 0)) {
        link(bottom, right);
        link(top, left);
      } else {
        link(bottom, left);
        link(top, right);
      }
    }

  std::vector<std::vector<CurvePoint>> lines;
  const auto follow = [&](std::size_t first, int from) {
    std::vector<CurvePoint> line = {at[links[first].ends[from]]};
    std::size_t now = first;
    std::int64_t end = links[first].ends[from];
    for (bool more = true; more;) {
      links[now].used = true;
      end = links[now].ends[0] == end ? links[now].ends[1] : links[now].ends[0];
      line.push_back(at[end]);
      more = false;
      const auto [begin, stop] = links_at.equal_range(end);
      for (auto next = begin; next != stop && !more; ++next)
        if (!links[next->second].used) {
          now = next->second;
          more = true;
        }
    }
    lines.push_back(std::move(line));
  };
  // Open lines from their ends, then the closed ones.
  for (std::size_t k = 0; k < links.size(); ++k)
    for (const int end : {0, 1})
      if (!links[k].used && links_at.count(links[k].ends[end]) == 1) follow(k, end);
  for (std::size_t k = 0; k < links.size(); ++k)
    if (!links[k].used) follow(k, 0);
  return lines;
}

}  // namespace perturb
