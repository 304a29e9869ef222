// Paints discs with smooth edges, any number of them, at any zoom.
//
//   struct Source { ...; PERTURB_HD RasterDisc operator()(int i) const; };    // disc i in pixels
//   struct Ground { ...; PERTURB_HD std::uint32_t operator()(int px, int py) const; };   // the background
//   DiscRaster raster;
//   raster.paint(backend, "particles", pixels, count, Source{...}, radius_in_pixels, large, Ground{...});
//
// Discs are sorted into square tiles of the image by their centres; a tile is as wide as a disc, so that a pixel checks
// two by two tiles. Every pixel then sums the discs that cover it: no pixel is written twice, and because the sums are
// of integers, the image does not depend on the order in which threads run. It is the same on both backends: on the CPU
// each row of the image adds the discs that reach into it to its pixels, which computes the same sums in less time.
//
// A disc smaller than a pixel is painted one pixel wide and paler in proportion to its area, so that a million of them
// show their density. Where discs overlap, a pixel shows the mean of their colours by coverage.
//
// For files under cuda/ only, like reduce.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "cuda/core/loops/cell_bins.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// Centre and radius in pixels from the lower left corner of the image.
struct RasterDisc {
  float x = 0, y = 0, radius = 1;
  std::uint32_t color = 0;
  // Distance from the centre to the centres of pixels that it may cover: its edge is a ramp of one pixel.
  PERTURB_HD float reach() const { return (radius > 0.5f ? radius : 0.5f) + 0.5f; }
};

namespace detail {

struct RasterTiles {
  float side = 1, per_side = 1;
  int nx = 1, ny = 1;
  float margin = 1;  // discs this far outside the image may still touch it
  // The tile of a coordinate; those in the margin belong to the outermost tile.
  PERTURB_HD int along(float at, int count) const {
    const int tile = static_cast<int>(floorf(at * per_side));
    return tile < 0 ? 0 : tile >= count ? count - 1 : tile;
  }
};

template <class Source>
struct RasterTileOf {
  Source source;
  RasterTiles tiles;
  float width, height;
  float radius;  // larger discs are in the list `large`
  PERTURB_HD int operator()(int i) const {
    const RasterDisc d = source(i);
    // NaN fails every comparison and is left out.
    const bool near =
        d.x > -tiles.margin && d.y > -tiles.margin && d.x < width + tiles.margin && d.y < height + tiles.margin;
    if (!near || d.radius > radius * 1.001f) return -1;
    return tiles.along(d.y, tiles.ny) * tiles.nx + tiles.along(d.x, tiles.nx);
  }
};

template <class Source>
struct RasterGather {
  Source source;
  const int* entries;
  const int* total;  // null: all entries
  RasterDisc* to;
  PERTURB_HD void operator()(int k) const {
    if (total == nullptr || k < *total) to[k] = source(entries[k]);
  }
};

// Sums of coverage, and of colour weighted by coverage, in units of 2^-20 of a pixel.
struct RasterSum {
  std::uint64_t cover = 0, red = 0, green = 0, blue = 0;
  PERTURB_HD void add(const RasterDisc& d, float x, float y) {
    const float dx = x - d.x, dy = y - d.y, radius = d.radius > 0.5f ? d.radius : 0.5f;
    const float reach = radius + 0.5f, distance2 = dx * dx + dy * dy;
    if (!(distance2 < reach * reach)) return;
    const float distance = sqrtf(distance2);
    float share = reach - distance;
    if (share > 1.f) share = 1.f;
    // The ramp of one pixel around the edge covers π (R² + 1/12): small discs are scaled to their own area.
    if (d.radius < 4.f) share *= d.radius * d.radius / (radius * radius + 1.f / 12.f);
    const auto weight = static_cast<std::uint64_t>(share * 1048576.f);
    // Larger discs get a darker edge, to distinguish neighbours of one colour.
    const float rim = d.radius > 4.f ? (distance - (d.radius - 0.5f - 0.08f * d.radius)) : -1.f;
    const float shade = rim < 0.f ? 1.f : rim > 1.f ? 0.62f : 1.f - 0.38f * rim;
    const auto part = [&](int shift) {
      return static_cast<std::uint64_t>(static_cast<float>((d.color >> shift) & 255u) * shade + 0.5f) * weight;
    };
    cover += weight;
    red += part(0);
    green += part(8);
    blue += part(16);
  }
  PERTURB_HD std::uint32_t over(std::uint32_t ground) const {
    if (cover == 0) return ground | 0xff000000u;
    const std::uint64_t one = std::uint64_t{1} << 20;
    // Where no two discs overlap, a shift replaces the division: much faster, especially on the device.
    if (cover <= one) {
      const std::uint64_t rest = one - cover;
      const auto mix = [&](std::uint64_t sum, int shift) {
        return static_cast<std::uint32_t>((sum + rest * ((ground >> shift) & 255u) + one / 2) >> 20);
      };
      return rgba(mix(red, 0), mix(green, 8), mix(blue, 16));
    }
    const auto mean = [&](std::uint64_t sum) { return static_cast<std::uint32_t>((sum + cover / 2) / cover); };
    return rgba(mean(red), mean(green), mean(blue));
  }
};

template <class Ground>
struct RasterPaint {
  Pixels pixels;
  Ground ground;
  RasterTiles tiles;
  float reach;  // of a disc, as distance to pixel centres
  const int* starts;
  const RasterDisc* sorted;
  const RasterDisc* large;
  int large_count;
  PERTURB_HD void operator()(int px, int py) const {
    const float x = static_cast<float>(px) + 0.5f, y = static_cast<float>(py) + 0.5f;
    RasterSum sum;
    const int x0 = tiles.along(x - reach, tiles.nx), x1 = tiles.along(x + reach, tiles.nx);
    const int y0 = tiles.along(y - reach, tiles.ny), y1 = tiles.along(y + reach, tiles.ny);
    for (int j = y0; j <= y1; ++j)
      for (int k = starts[j * tiles.nx + x0]; k < starts[j * tiles.nx + x1 + 1]; ++k) sum.add(sorted[k], x, y);
    for (int k = 0; k < large_count; ++k) sum.add(large[k], x, y);
    pixels(px, py) = sum.over(ground(px, py));
  }

  // The CPU version: adds disc after disc to the pixels of a run that it may reach.
  void row(int begin, int end, int py) const {
    constexpr int max_pixels = 256;
    RasterSum sums[max_pixels];
    const float y = static_cast<float>(py) + 0.5f;
    const int y0 = tiles.along(y - reach, tiles.ny), y1 = tiles.along(y + reach, tiles.ny);
    for (int first = begin; first < end; first += max_pixels) {
      const int last = end - first < max_pixels ? end : first + max_pixels;
      for (int k = 0; k < last - first; ++k) sums[k] = {};
      const int x0 = tiles.along(static_cast<float>(first) + 0.5f - reach, tiles.nx);
      const int x1 = tiles.along(static_cast<float>(last) - 0.5f + reach, tiles.nx);
      for (int j = y0; j <= y1; ++j)
        for (int k = starts[j * tiles.nx + x0]; k < starts[j * tiles.nx + x1 + 1]; ++k)
          add(sorted[k], first, last, y, sums);
      for (int k = 0; k < large_count; ++k) add(large[k], first, last, y, sums);
      for (int px = first; px < last; ++px) pixels(px, py) = sums[px - first].over(ground(px, py));
    }
  }

 private:
  static void add(const RasterDisc& d, int first, int last, float y, RasterSum* sums) {
    const float disc_reach = d.reach(), dy = y - d.y;
    const float half2 = (disc_reach - dy) * (disc_reach + dy);
    // A little more than the chord, because each pixel tests again, with rounding, whether it is reached.
    if (half2 < -1e-6f * disc_reach * disc_reach) return;
    const float half = sqrtf(half2 > 0.f ? half2 : 0.f) + 0.01f + 5e-4f * disc_reach;
    const float from = d.x - half - 0.5f, to = d.x + half - 0.5f;
    // (NaN results in the whole run, whose pixels it does not reach.)
    const int begin =
        from > static_cast<float>(first) ? (from < static_cast<float>(last) ? static_cast<int>(from) : last) : first;
    const int end =
        to < static_cast<float>(last - 1) ? (to > static_cast<float>(first) ? static_cast<int>(to) + 1 : first) : last;
    for (int px = begin; px < end; ++px) sums[px - first].add(d, static_cast<float>(px) + 0.5f, y);
  }
};

}  // namespace detail

class DiscRaster {
 public:
  // Maximum number of bytes for this many discs and an image of this many pixels.
  static std::size_t bytes_of(std::size_t discs, std::size_t picture) {
    return CellBins::bytes_of(discs, picture) + discs * sizeof(RasterDisc);
  }

  // `radius`: of the largest disc, in pixels, except for the few that `large` lists. Memory is allocated when it is
  // first needed.
  template <class Source, class Ground>
  void paint(Backend& backend, const char* label, Pixels pixels, int count, const Source& source, float radius,
             View1D<const int> large, const Ground& ground) {
    detail::RasterTiles tiles;
    // Discs larger than `radius` by a thousandth are still in the tiles, and rounding must not lose a pixel at the
    // edge.
    const float reach = std::max(1.001f * radius, 0.5f) + 0.51f;
    // At most half as many tiles as pixels, for any zoom.
    tiles.side = std::max(2.f * reach, 2.f);
    tiles.per_side = 1.f / tiles.side;
    tiles.margin = reach;
    tiles.nx = static_cast<int>(std::ceil(static_cast<float>(pixels.width) * tiles.per_side)) + 1;
    tiles.ny = static_cast<int>(std::ceil(static_cast<float>(pixels.height) * tiles.per_side)) + 1;
    const auto needed = static_cast<std::size_t>(tiles.nx) * static_cast<std::size_t>(tiles.ny);
    if (bins_.max_items() < static_cast<std::size_t>(count) || bins_.max_cells() < needed) {
      bins_ = {};
      sorted_ = {};
      bins_ = CellBins(backend, static_cast<std::size_t>(count), needed, "discs by tile of the view");
      sorted_ = Array<RasterDisc>(backend, static_cast<std::size_t>(count), "discs in view");
    }
    bins_.build(label, count,
                detail::RasterTileOf<Source>{source, tiles, static_cast<float>(pixels.width),
                                             static_cast<float>(pixels.height), radius});
    const auto large_count = static_cast<int>(large.size);
    if (large_.size() < large.size) {
      backend.synchronize();  // a frame in flight may still read the old ones
      large_ = Array<RasterDisc>(backend, large.size, "large discs in view");
    }
    const auto gather = [&](int discs, const int* entries, const int* total, RasterDisc* to) {
      parallel_for(backend, label, Range1D{discs}, detail::RasterGather<Source>{source, entries, total, to});
    };
    const int* starts = bins_.starts().data;
    gather(count, bins_.entries().data, starts + bins_.max_cells(), sorted_.data());
    if (large_count > 0) gather(large_count, large.data, nullptr, large_.data());
    parallel_for(
        backend, label, Range2D{pixels.width, pixels.height},
        detail::RasterPaint<Ground>{pixels, ground, tiles, reach, starts, sorted_.data(), large_.data(), large_count});
  }

 private:
  CellBins bins_;
  Array<RasterDisc> sorted_, large_;
};

}  // namespace perturb
