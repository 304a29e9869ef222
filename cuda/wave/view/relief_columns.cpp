#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cuda/core/backend/cpu_backend.h"
#include "cuda/wave/view/relief.h"

namespace perturb::wave {

namespace {

constexpr int together = 16;  // columns that are written together: a cache line of the image
constexpr int at_once = 128;  // samples

// Draws a column in blocks of up to `at_once` samples. Each stage below processes the whole block before the next stage
// starts. Only the visibility test (scan) is sequential; the other stages are plain loops that the compiler vectorises.
// Index 0 of the arrays is the last sample before the block. The operations on a sample are those of Relief::look and
// color in the same order, so the result is bit-identical.
template <class Real>
class ReliefColumn {
 public:
  explicit ReliefColumn(const Relief<Real>& relief)
      : relief_(relief),
        shows_(static_cast<std::size_t>(relief.pixels.height)),
        plain_(shows_.size()),
        back_(shows_.size()),
        pairs_(shows_.size()) {}

  // Draws pixel column px into column[0], column[together], ...
  void draw(int px, std::uint32_t* column) {
    line_ = relief_.line_of(px);
    column_ = column;
    top_ = 0;
    if (line_.samples > 0) begin();
    for (int k = 1; k < line_.samples && top_ < relief_.pixels.height; k += at_once) {
      count_ = std::min(at_once, line_.samples - k);
      place(k);
      rise();
      scan();
      shine();
      paint();
      row_[0] = row_[count_];
      wall_[0] = wall_[count_];
      shading_[0] = shading_[count_];
    }
    fill(std::numeric_limits<float>::max(), outside_color());
  }

 private:
  using OfRelief = Relief<Real>;
  struct Cells {
    Real v0, v1, v2, v3;
  };
  struct Shading {
    float value, light, glint, mark;
  };
  struct Pair {
    Shading before, here;  // in the layout of shading_
  };
  using Floats = float[at_once + 1];
  using Whole = int[at_once + 1];

  // Draws the first sample and the front below it (Relief::draw).
  void begin() {
    const typename OfRelief::Place first = relief_.look(line_.from, relief_.distance_of(line_, 0));
    if (line_.has_front) {
      fill(relief_.floor_row(line_), outside_color());
      fill(first.row, first.wall ? OfRelief::wall_side() : OfRelief::front_side());
    } else {
      fill(first.row, relief_.color(first, first, 0.f));
    }
    row_[0] = first.row;
    wall_[0] = first.wall ? 1 : 0;
    shading_[0] = {first.value, first.light, first.glint, first.mark};
  }
  void fill(float end, std::uint32_t packed) {
    for (; top_ < relief_.pixels.height && static_cast<float>(top_) + 0.5f <= end; ++top_)
      column_[together * top_] = packed;
  }

  // Computes the positions and cells of the samples from `first` on.
  void place(int first) {
    const int width = relief_.u.width, height = relief_.u.height, stride = relief_.u.stride;
    for (int k = 1; k <= count_; ++k) t_[k] = line_.first + static_cast<float>(first + k - 1) * relief_.stride;
    if (first + count_ == line_.samples) t_[count_] = line_.last;
    for (int k = 1; k <= count_; ++k) {
      x_[k] = line_.from.x + t_[k] * relief_.ahead.x;
      y_[k] = line_.from.y + t_[k] * relief_.ahead.y;
      const float x = x_[k] - 0.5f, y = y_[k] - 0.5f, fx = std::floor(x), fy = std::floor(y);
      a_[k] = x - fx;
      b_[k] = y - fy;
      const int i = static_cast<int>(fx), j = static_cast<int>(fy);
      cell_[k] = j * stride + i;
      within_[k] = (i >= 1 ? 1 : 0) & (j >= 1 ? 1 : 0) & (i < width - 2 ? 1 : 0) & (j < height - 2 ? 1 : 0);
    }
    // A line enters and leaves the inner cells once.
    inner_begin_ = 1;
    while (inner_begin_ <= count_ && !within_[inner_begin_]) ++inner_begin_;
    inner_end_ = inner_begin_;
    while (inner_end_ <= count_ && within_[inner_end_]) ++inner_end_;
  }
  template <class Each>
  void at_rim(const Each& each) {
    for (int k = 1; k < inner_begin_; ++k) each(k, Patch({x_[k], y_[k]}, relief_.u.width, relief_.u.height));
    for (int k = inner_end_; k <= count_; ++k) each(k, Patch({x_[k], y_[k]}, relief_.u.width, relief_.u.height));
  }
  using Patch = typename OfRelief::Patch;

  // Computes the heights and the rows that they reach.
  void rise() {
    for (int k = 1; k <= count_; ++k) {
      wall_[k] = 0;
      factor_[k] = 1.f;
    }
    if (!relief_.medium.empty()) {
      const int width = relief_.u.width, height = relief_.u.height, stride = relief_.medium.stride;
      const Real* const medium = relief_.medium.data;
      for (int k = 1; k <= count_; ++k) {
        const Real m =
            medium[clamp_index(static_cast<int>(y_[k]), height) * stride + clamp_index(static_cast<int>(x_[k]), width)];
        wall_[k] = is_wall(m) ? 1 : 0;
        factor_[k] = std::abs(static_cast<float>(m));
      }
    }
    at_rim([&](int k, const Patch& patch) {
      const GridPoint slope = patch.slope(relief_.u);
      value_[k] = patch.height(relief_.u);
      slope_x_[k] = slope.x;
      slope_y_[k] = slope.y;
    });
    blend();
    const float highest = relief_.highest, wall_top = relief_.wall_top, per_value = relief_.rise;
    for (int k = 1; k <= count_; ++k) {
      float z = wall_[k] ? wall_top : per_value * value_[k];
      z = z > highest ? highest : !(z >= -highest) ? -highest : z;
      row_[k] = relief_.row + t_[k] * relief_.row_along + z * relief_.row_up;
    }
  }

  // Determines which samples are visible, and in which pixels.
  void scan() {
    const int height = relief_.pixels.height;
    first_row_ = top_;
    int shown = 0;
    for (int k = 1; k <= count_; ++k) {
      const float row = row_[k];
      lit_[k] = row > static_cast<float>(top_) && !wall_[k] ? 1 : 0;
      if (!(row > static_cast<float>(top_) + 0.5f)) continue;
      const bool even = wall_[k] || wall_[k - 1];
      const std::uint32_t plain = !wall_[k] ? 0 : wall_[k - 1] ? OfRelief::wall_top_color() : OfRelief::wall_side();
      const float span = row - row_[k - 1], per_row = span > 0.f && !even ? 1.f / span : 0.f;
      for (; top_ < height && static_cast<float>(top_) + 0.5f <= row; ++top_, ++shown) {
        shows_[shown] = k;
        plain_[shown] = plain;
        back_[shown] = (row - static_cast<float>(top_) - 0.5f) * per_row;
      }
    }
  }

  // Computes heights and slopes of inner samples (Patch). Four neighbours in a row are adjacent in memory and are
  // loaded together; single loads would take most of the time.
  void blend() {
    const std::ptrdiff_t stride = relief_.u.stride;
    for (int k = inner_begin_; k < inner_end_; ++k) {
      const Real* const corner = relief_.u.data + cell_[k] - stride - 1;
      for (int row = 0; row < 4; ++row) std::memcpy(&cells_[row][k], corner + row * stride, sizeof(Cells));
    }
    const auto across = [](Real to, Real from, Real to_next, Real from_next, float a) {
      return Patch::mix(static_cast<float>(to - from), static_cast<float>(to_next - from_next), a);
    };
    const auto mix_cells = [](Real from, Real to, float a) {
      return Patch::mix(static_cast<float>(from), static_cast<float>(to), a);
    };
    for (int k = inner_begin_; k < inner_end_; ++k) {
      const Cells &r0 = cells_[0][k], &r1 = cells_[1][k], &r2 = cells_[2][k], &r3 = cells_[3][k];
      const float a = a_[k], b = b_[k];
      value_[k] = Patch::mix(mix_cells(r1.v1, r1.v2, a), mix_cells(r2.v1, r2.v2, a), b);
      slope_x_[k] = 0.5f * Patch::mix(across(r1.v2, r1.v0, r1.v3, r1.v1, a), across(r2.v2, r2.v0, r2.v3, r2.v1, a), b);
      slope_y_[k] = 0.5f * Patch::mix(across(r2.v1, r0.v1, r2.v2, r0.v2, a), across(r3.v1, r1.v1, r3.v2, r1.v2, a), b);
    }
  }

  // Computes the lighting.
  void shine() {
    for (int k = 1; k <= count_; ++k) {
      const Shine light = relief_.shine({slope_x_[k], slope_y_[k]}, factor_[k]);
      shading_[k] = {value_[k], lit_[k] ? light.light : 1.f, lit_[k] ? light.glint : 0.f, 0.f};
    }
    for (int m = 0; m < relief_.mark_count; ++m)
      if (comes_near(relief_.marks[m]))
        for (int k = 1; k <= count_; ++k)
          if (lit_[k])
            shading_[k].mark = std::max(shading_[k].mark, relief_.marks[m].share({x_[k], y_[k]}, relief_.pixel));
  }
  // Whether any of these samples can be in the mark's ring.
  bool comes_near(const Mark& mark) const {
    const float reach = mark.radius + 4.f * relief_.pixel;
    return std::max(x_[1], x_[count_]) >= std::min(mark.x0, mark.x1) - reach &&
           std::min(x_[1], x_[count_]) <= std::max(mark.x0, mark.x1) + reach &&
           std::max(y_[1], y_[count_]) >= std::min(mark.y0, mark.y1) - reach &&
           std::min(y_[1], y_[count_]) <= std::max(mark.y0, mark.y1) + reach;
  }

  // Draws the pixels that scan() found.
  void paint() {
    const int shown = top_ - first_row_;
    const ColorScale scale = relief_.scale;
    const bool tabled = !scale.colors.empty();
    const float low = scale.minimum, per_unit = scale.per_unit,
                end = static_cast<float>(tabled ? scale.colors.size - 1 : bits24_last);
    const std::uint32_t *const table = scale.colors.data, *const plain = plain_.data();
    const float* const back = back_.data();
    std::uint32_t* const out = column_ + together * first_row_;
    for (int q = 0; q < shown; ++q) std::memcpy(&pairs_[q], &shading_[shows_[q] - 1], sizeof(Pair));
    const Pair* const pairs = pairs_.data();
    PERTURB_INDEPENDENT_ITERATIONS
    for (int q = 0; q < shown; ++q) {
      const Shading &here = pairs[q].here, &before = pairs[q].before;
      const float b = back[q];
      // ColorScale's colour.
      const float t = (Patch::mix(here.value, before.value, b) - low) * per_unit;
      const float place = t >= 0.f ? t : 0.f;  // 0 for NaN too
      const int at = static_cast<int>(place < end ? place : end);
      const std::uint32_t found = tabled ? table[at] : static_cast<std::uint32_t>(at) | 0xFF000000u;
      const std::uint32_t colour = std::isnan(t) ? rgba(255, 0, 255) : found;
      const std::uint32_t water =
          OfRelief::water_color(colour, Patch::mix(here.light, before.light, b),
                                Patch::mix(here.glint, before.glint, b), Patch::mix(here.mark, before.mark, b));
      out[together * q] = plain[q] ? plain[q] : water;
    }
  }

  const OfRelief& relief_;
  typename OfRelief::Line line_;
  std::uint32_t* column_ = nullptr;
  int top_ = 0, first_row_ = 0;  // the first row not drawn yet, now and before scan()
  int count_ = 0, inner_begin_ = 0, inner_end_ = 0;
  Floats t_, x_, y_, a_, b_, row_, value_, factor_, slope_x_, slope_y_;
  Whole cell_, within_, wall_, lit_;
  Cells cells_[4][at_once + 1];  // by row of the sixteen cells around a sample
  Shading shading_[at_once + 1];
  // By pixel: the sample that it shows, a fixed colour (0: that of the water), and the fraction of the distance back to
  // the previous sample.
  std::vector<int> shows_;
  std::vector<std::uint32_t> plain_;
  std::vector<float> back_;
  std::vector<Pair> pairs_;
};

}  // namespace

template <class Real>
void relief_columns(Backend& backend, const Relief<Real>& relief) {
  CpuThreads& pool = static_cast<CpuBackend&>(backend).pool();
  const KernelTimer timer(backend, "wave.relief");
  const Pixels pixels = relief.pixels;
  const auto groups = [&](int begin, int end) {
    const Relief<Real> local = relief;
    ReliefColumn<Real> column(local);
    std::vector<std::uint32_t> drawn(static_cast<std::size_t>(together) * pixels.height);
    for (int group = begin; group < end; ++group) {
      // Drawn into a block of adjacent columns first: the image's rows are far apart in memory, usually at a distance
      // at which they evict each other from the cache.
      const int first = group * together, count = std::min(together, pixels.width - first);
      for (int c = 0; c < count; ++c) column.draw(first + c, drawn.data() + c);
      for (int py = 0; py < pixels.height; ++py)
        std::copy_n(drawn.data() + static_cast<std::ptrdiff_t>(together) * py, count, pixels.row(py) + first);
    }
  };
  pool.for_row_blocks((pixels.width + together - 1) / together, 1, RowBlock(groups));
}

template void relief_columns(Backend&, const Relief<float>&);
template void relief_columns(Backend&, const Relief<double>&);

}  // namespace perturb::wave
