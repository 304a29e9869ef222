#include "app/kernels/puzzles/puzzle_cases.h"

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

namespace perturb {

namespace {

using puzzle::Dim;
using Values = std::vector<float>;

// Different in each case: a text cannot contain the numbers.
float courant2_of(float phase) { return 0.4f - 0.05f * phase; }
float damping_of(float phase) { return 0.9f - 0.05f * phase; }
float plus_of(float phase) { return 1.7f - 0.1f * phase; }  // rates of relaxation
float minus_of(float phase) { return 0.8f + 0.1f * phase; }

unsigned blocks_for(int cells, unsigned cells_of_block) {
  return (static_cast<unsigned>(cells) + cells_of_block - 1) / cells_of_block;
}

// A case whose blocks cover `covered` cells each.
PuzzleCase case_of(int width, int height, float phase, Dim block, Dim covered) {
  PuzzleCase one;
  one.width = width;
  one.height = height;
  one.block = block;
  one.grid = {blocks_for(width, covered.x), blocks_for(height, covered.y)};
  one.numbers = {{"width", width}, {"height", height}, {"courant2", courant2_of(phase)}};
  return one;
}

// Different in every cell, so that a value from another one is found.
Values waves(std::size_t cells, float phase) {
  Values values(cells);
  for (std::size_t n = 0; n < cells; ++n) {
    const auto x = static_cast<float>(n);
    values[n] = std::sin(0.37f * x + phase) + 0.5f * std::cos(0.011f * x * phase);
  }
  return values;
}

// Factors of damping.
Values factors(int count, float phase) {
  Values values = waves(static_cast<std::size_t>(count), phase);
  for (float& factor : values) factor = 0.8f + 0.1f * factor;
  return values;
}

std::size_t cells_of(const PuzzleCase& one) {
  return static_cast<std::size_t>(one.width) * static_cast<std::size_t>(one.height);
}

// ---- the references

// The value of a cell, zero outside of the tank.
float at(const Values& u, const PuzzleCase& one, int i, int j) {
  if (i < 0 || j < 0 || i >= one.width || j >= one.height) return 0;
  return u[static_cast<std::size_t>(j) * static_cast<std::size_t>(one.width) + static_cast<std::size_t>(i)];
}

// The step from the neighbours, summed in pairs.
float advanced(float courant2, float u, float before, float left, float right, float down, float up) {
  return 2 * u - before + courant2 * ((left + right) + (down + up) - 4 * u);
}

// A step without a force.
Values coasting_step(const PuzzleCase& /*one*/, const Values& now, const Values& before) {
  Values after;
  for (std::size_t n = 0; n < now.size(); ++n) after.push_back(2 * now[n] - before[n]);
  return after;
}

Values wave_step(const PuzzleCase& one, const Values& now, const Values& before) {
  const auto courant2 = static_cast<float>(one.numbers.at("courant2"));
  Values after;
  for (int j = 0; j < one.height; ++j)
    for (int i = 0; i < one.width; ++i)
      after.push_back(advanced(courant2, at(now, one, i, j), at(before, one, i, j), at(now, one, i - 1, j),
                               at(now, one, i + 1, j), at(now, one, i, j - 1), at(now, one, i, j + 1)));
  return after;
}

// u_t + c u_n = 0 at the sides, as the wave tank has it.
Values absorbing_step(const PuzzleCase& one, const Values& now, const Values& before) {
  const auto courant2 = static_cast<float>(one.numbers.at("courant2"));
  Values after;
  for (int j = 0; j < one.height; ++j)
    for (int i = 0; i < one.width; ++i) {
      const bool left = i == 0, right = i + 1 == one.width, down = j == 0, up = j + 1 == one.height;
      const float old = at(before, one, i, j);
      const float update = advanced(courant2, at(now, one, i, j), old, at(now, one, left ? i + 1 : i - 1, j),
                                    at(now, one, right ? i - 1 : i + 1, j), at(now, one, i, down ? j + 1 : j - 1),
                                    at(now, one, i, up ? j - 1 : j + 1));
      const int sides = (left || right ? 1 : 0) + (down || up ? 1 : 0);
      const float share = static_cast<float>(sides) * std::sqrt(courant2);
      after.push_back((update + share * old) / (1 + share));
    }
  return after;
}

// The collision of the D2Q9 lattice with two rates. Populations without their weights; their order:
//   6 2 5
//   3 0 1
//   7 4 8
constexpr std::size_t links = 9;
Values collided(const Values& now, std::size_t cells, float plus, float minus) {
  constexpr float weight[links] = {4 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 9.f, 1 / 36.f, 1 / 36.f, 1 / 36.f, 1 / 36.f};
  constexpr float ex[links] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[links] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  constexpr std::size_t opposite[links] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
  Values after(now.size());
  for (std::size_t n = 0; n < cells; ++n) {
    float density = 0, x = 0, y = 0, distance[links];
    for (std::size_t q = 0; q < links; ++q) {
      const float g = now[q * cells + n];
      density += g;
      x += ex[q] * g;
      y += ey[q] * g;
    }
    const float rho = 1 + density, ux = x / rho, uy = y / rho;
    for (std::size_t q = 0; q < links; ++q) {
      const float eu = ex[q] * ux + ey[q] * uy;
      const float equilibrium = weight[q] * (density + rho * (3 * eu + 4.5f * eu * eu - 1.5f * (ux * ux + uy * uy)));
      distance[q] = now[q * cells + n] - equilibrium;
    }
    for (std::size_t q = 0; q < links; ++q) {
      const float even = 0.5f * (distance[q] + distance[opposite[q]]),
                  odd = 0.5f * (distance[q] - distance[opposite[q]]);
      after[q * cells + n] = now[q * cells + n] - plus * even - minus * odd;
    }
  }
  return after;
}

// ---- the cases

PuzzleCase damped(PuzzleCase one, float phase, float damping) {
  const Values now = waves(cells_of(one), 1 + phase);
  Values after;
  for (const float u : now) after.push_back(damping * u);
  one.numbers["count"] = one.width;
  one.numbers["damping"] = damping;
  one.inputs["now"] = now;
  one.expected["after"] = after;
  return one;
}

PuzzleCase damped_by_column_and_row(PuzzleCase one, float phase) {
  const Values now = waves(cells_of(one), 1 + phase), columns = factors(one.width, 2 + phase),
               rows = factors(one.height, 3 + phase);
  Values after;
  for (int j = 0; j < one.height; ++j)
    for (int i = 0; i < one.width; ++i)
      after.push_back(at(now, one, i, j) * columns[static_cast<std::size_t>(i)] * rows[static_cast<std::size_t>(j)]);
  one.inputs = {{"now", now}, {"columns", columns}, {"rows", rows}};
  one.expected["after"] = after;
  one.columns["rows"] = 1;
  return one;
}

// Sums from the left end of each row to each of its cells.
std::vector<double> sums_of_rows(const PuzzleCase& one, const Values& now) {
  std::vector<double> sums;
  for (int j = 0; j < one.height; ++j) {
    double sum = 0;
    for (int i = 0; i < one.width; ++i) sums.push_back(sum += at(now, one, i, j));
  }
  return sums;
}

PuzzleCase levelled(PuzzleCase one, float phase) {
  const Values now = waves(cells_of(one), 1 + phase);
  const std::vector<double> sums = sums_of_rows(one, now);
  const auto width = static_cast<std::size_t>(one.width);
  Values after;
  for (std::size_t n = 0; n < now.size(); ++n)
    after.push_back(static_cast<float>(now[n] - sums[n / width * width + width - 1] / one.width));
  one.inputs["now"] = now;
  one.expected["after"] = after;
  return one;
}

PuzzleCase summed(PuzzleCase one, float phase) {
  Values now = waves(cells_of(one), 1 + phase);
  for (float& speed : now) speed *= 0.05f;  // the order of the sum matters less than the tolerance
  const std::vector<double> sums = sums_of_rows(one, now);
  one.expected["after"] = Values(sums.begin(), sums.end());
  one.inputs["now"] = std::move(now);
  return one;
}

PuzzleCase mirrored(PuzzleCase one, float phase) {
  const Values now = waves(cells_of(one), 1 + phase);
  Values after;
  for (int i = 0; i < one.width; ++i)
    for (int j = 0; j < one.height; ++j) after.push_back(at(now, one, i, j));
  one.inputs["now"] = now;
  one.expected["after"] = after;
  one.columns["after"] = one.height;
  return one;
}

using Step = Values (*)(const PuzzleCase& one, const Values& now, const Values& before);
PuzzleCase stepped(PuzzleCase one, float phase, Step step) {
  const Values now = waves(cells_of(one), 1 + phase), before = waves(cells_of(one), 2 + phase);
  one.inputs = {{"now", now}, {"before", before}};
  one.expected["after"] = step(one, now, before);
  return one;
}

// The last two of several steps.
PuzzleCase several_steps(PuzzleCase one, float phase, int steps) {
  Values before = waves(cells_of(one), 2 + phase), now = waves(cells_of(one), 1 + phase);
  one.inputs = {{"now", now}, {"before", before}};
  one.steps = steps;
  for (int k = 0; k < steps; ++k) {
    Values after = wave_step(one, now, before);
    before = std::exchange(now, std::move(after));
  }
  one.expected = {{"last", now}, {"second_last", before}};
  return one;
}

PuzzleCase relaxed(int cells, float phase) {
  PuzzleCase one = case_of(cells, 1, phase, {64}, {64});
  const float plus = plus_of(phase), minus = minus_of(phase);
  Values now = waves(static_cast<std::size_t>(cells) * links, 1 + phase);
  for (float& population : now) population *= 0.01f;
  one.numbers = {{"cells", cells}, {"plus", plus}, {"minus", minus}};
  one.expected["after"] = collided(now, static_cast<std::size_t>(cells), plus, minus);
  one.inputs["now"] = std::move(now);
  return one;
}

constexpr Dim row{64}, long_row{128}, square{16, 16}, wide{32, 8};

// With a block for each row, of one thread for each cell.
PuzzleCase case_of_rows(int width, int height, float phase) {
  const Dim threads{static_cast<unsigned>(width)};
  return case_of(width, height, phase, threads, threads);
}

PuzzleCase wave_case(int width, int height, float phase, Step step) {
  return stepped(case_of(width, height, phase, wide, wide), phase, step);
}

struct CaseMaker {
  const char* id;
  PuzzleCase (*make)(int width, int height, float phase);
  int sizes[3][2];  // the last one is for timing
};
constexpr CaseMaker makers[] = {
    {"map",
     [](int w, int h, float phase) { return damped(case_of_rows(w, h, phase), phase, damping_of(phase)); },
     {{64, 1}, {32, 1}, {1024, 1}}},
    {"zip",
     [](int w, int h, float phase) { return stepped(case_of_rows(w, h, phase), phase, coasting_step); },
     {{64, 1}, {32, 1}, {1024, 1}}},
    {"broadcast",
     [](int w, int h, float phase) { return damped_by_column_and_row(case_of_rows(w, h, phase), phase); },
     {{96, 24}, {20, 9}, {1024, 16384}}},
    {"reduction",
     [](int w, int h, float phase) { return levelled(case_of(w, h, phase, long_row, long_row), phase); },
     {{128, 6}, {100, 5}, {128, 65535}}},
    {"scan",
     [](int w, int h, float phase) { return summed(case_of(w, h, phase, long_row, long_row), phase); },
     {{128, 6}, {100, 5}, {128, 65535}}},
    {"index",
     [](int w, int h, float phase) { return damped(case_of(w, h, phase, row, row), phase, 0.5f); },
     {{256, 1}, {64, 1}, {1 << 24, 1}}},
    {"guard",
     [](int w, int h, float phase) { return damped(case_of(w, h, phase, row, row), phase, 0.5f); },
     {{250, 1}, {129, 1}, {(1 << 24) - 6, 1}}},
    {"stencil",
     [](int w, int h, float phase) { return wave_case(w, h, phase, wave_step); },
     {{96, 64}, {70, 30}, {4096, 4096}}},
    {"coalescing",
     [](int w, int h, float phase) { return damped(case_of(w, h, phase, square, square), phase, 0.5f); },
     {{64, 64}, {40, 40}, {4096, 4096}}},
    {"tile",
     [](int w, int h, float phase) { return mirrored(case_of(w, h, phase, square, square), phase); },
     {{64, 48}, {40, 24}, {4096, 4096}}},
    {"halo",
     [](int w, int h, float phase) { return wave_case(w, h, phase, wave_step); },
     {{96, 64}, {70, 30}, {4096, 4096}}},
    {"absorbing",
     [](int w, int h, float phase) { return wave_case(w, h, phase, absorbing_step); },
     {{96, 64}, {70, 30}, {4096, 4096}}},
    {"two-steps",
     [](int w, int h, float phase) {
       return several_steps(case_of(w, h, phase, {32, 16}, {28, 12}), phase, 2);
     },
     {{112, 60}, {70, 30}, {4096, 4096}}},
    {"relaxation", [](int w, int /*h*/, float phase) { return relaxed(w, phase); }, {{256, 1}, {150, 1}, {1 << 22, 1}}},
    {"four-steps",
     [](int w, int h, float phase) {
       return several_steps(case_of(w, h, phase, {32, 32}, {24, 24}), phase, 4);
     },
     {{96, 96}, {70, 50}, {4096, 4096}}},
};

}  // namespace

std::vector<PuzzleCase> puzzle_cases(const std::string& id) {
  for (const CaseMaker& maker : makers)
    if (maker.id == id)
      return {maker.make(maker.sizes[0][0], maker.sizes[0][1], 0), maker.make(maker.sizes[1][0], maker.sizes[1][1], 0)};
  return {};
}

PuzzleCase puzzle_case_of_text(const std::string& id, const std::string& text) {
  constexpr std::size_t phases = 1009, more_blocks = 8;
  const std::size_t hash = std::hash<std::string>()(text);
  const float phase = static_cast<float>(1 + hash % phases) * 0.005f;
  const int more = static_cast<int>(1 + hash / phases % more_blocks);
  for (const CaseMaker& maker : makers) {
    if (maker.id != id) continue;
    const auto& [width, height] = maker.sizes[0];
    const Dim blocks = maker.make(width, height, 0).grid;
    const int columns = width / static_cast<int>(blocks.x), rows = height / static_cast<int>(blocks.y);
    if (height == 1) return maker.make(width + more * columns, 1, phase);
    // With a block for each row: more rows, and shorter ones, which still fit into a block.
    if (static_cast<int>(blocks.y) == height) return maker.make(width - more, height + more, phase);
    // More blocks in a row than in the other cases; fewer rows of them, unless all fields are squares.
    const bool is_square = maker.sizes[1][0] == maker.sizes[1][1];
    return maker.make(width + (1 + more % 2) * columns, height + (is_square ? (1 + more % 2) * rows : -rows), phase);
  }
  return {};
}

PuzzleCase timed_puzzle_case(const std::string& id) {
  for (const CaseMaker& maker : makers)
    if (maker.id == id) return maker.make(maker.sizes[2][0], maker.sizes[2][1], 0);
  return {};
}

}  // namespace perturb
