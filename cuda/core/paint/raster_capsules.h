// Draws capsules (sticks with round ends): anti-aliased, depth-tested and lit, the same on both backends.
//
// Each tile of the image first collects the capsules that may touch it, using lists for rows of tiles. Then every pixel
// goes through its tile's list, keeps the nearest few that cover it in order of depth, and composites them over the
// background. On the CPU each row of pixels goes through the list of its row of tiles, capsule by capsule. There are no
// atomics: a pixel's colour depends only on the capsules and their order.
//
//   CapsuleRaster raster(backend);
//   raster.paint(pixels, capsules, count, background);   // background: a functor (px, py) -> RGBA
#pragma once

#include "cuda/core/backend/field.h"
#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// In pixels from the lower left corner of the image; z points away from the camera, also in pixels.
struct Capsule {
  float x0, y0, z0, x1, y1, z1;
  float radius;       // not drawn if zero or less
  float left, right;  // columns it may be drawn in: an image may contain several views
  std::uint32_t color;
};

namespace detail {

constexpr int capsule_tile = 16;      // pixels per side
constexpr int capsules_of_tile = 60;  // a tile with more uses the list of its row

struct CapsuleRows {
  const Capsule* capsules;
  int count;
  int* lists;   // [rows][count]
  int* counts;  // [rows]
  PERTURB_HD void operator()(int, int row) const {
    const float low = static_cast<float>(row * capsule_tile), high = low + capsule_tile;
    int found = 0;
    for (int k = 0; k < count; ++k) {
      const Capsule& c = capsules[k];
      if (!(c.radius > 0.f)) continue;
      const float reach = c.radius + 1.f;
      const float bottom = c.y0 < c.y1 ? c.y0 : c.y1, top = c.y0 < c.y1 ? c.y1 : c.y0;
      if (bottom - reach <= high && top + reach >= low) lists[static_cast<std::size_t>(row) * count + found++] = k;
    }
    counts[row] = found;
  }
};

// The squared distance from (x, y) to the axis, and the parameter of the nearest point on it.
PERTURB_HD inline float capsule_distance2(const Capsule& c, float x, float y, float& along) {
  const float dx = c.x1 - c.x0, dy = c.y1 - c.y0, px = x - c.x0, py = y - c.y0;
  const float length2 = dx * dx + dy * dy;
  float s = length2 > 0.f ? (px * dx + py * dy) / length2 : 0.f;
  s = s < 0.f ? 0.f : s > 1.f ? 1.f : s;
  along = s;
  const float ex = px - s * dx, ey = py - s * dy;
  return ex * ex + ey * ey;
}

struct CapsuleTiles {
  const Capsule* capsules;
  int count;
  const int *row_lists, *row_counts;
  int* lists;   // [tiles][capsules_of_tile]
  int* counts;  // [tiles]
  int across;
  PERTURB_HD void operator()(int column, int row) const {
    const float half = 0.5f * capsule_tile;
    const float x = static_cast<float>(column * capsule_tile) + half, y = static_cast<float>(row * capsule_tile) + half;
    const std::size_t tile = static_cast<std::size_t>(row) * across + column;
    int found = 0;
    for (int k = 0; k < row_counts[row]; ++k) {
      const int index = row_lists[static_cast<std::size_t>(row) * count + k];
      const Capsule& c = capsules[index];
      if (c.right < x - half || c.left > x + half) continue;
      float along = 0;
      const float reach = c.radius + 1.f + 1.4143f * half;
      if (capsule_distance2(c, x, y, along) > reach * reach) continue;
      if (found < capsules_of_tile) lists[tile * capsules_of_tile + found] = index;
      ++found;
    }
    counts[tile] = found;
  }
};

// The layers of one pixel: the nearest few capsules in order of depth.
struct CapsuleLayers {
  static constexpr int max_layers = 4;  // number of layers that remain visible through each other's edges
  float depth[max_layers], cover[max_layers], red[max_layers], green[max_layers], blue[max_layers];
  int count = 0;

  // (x, y): the centre of the pixel. Of capsules at equal depth the first is in front.
  PERTURB_HD void add(const Capsule& c, float x, float y) {
    if (x < c.left || x > c.right) return;
    float along = 0;
    const float distance2 = capsule_distance2(c, x, y, along), reach = c.radius + 0.5f;
    if (distance2 >= reach * reach) return;
    const float distance = sqrtf(distance2);
    float share = reach - distance;
    share = share > 1.f ? 1.f : share;
    // The surface normal at this pixel, lit from the upper left in front.
    const float inverse = 1.f / c.radius;
    float nx = (x - (c.x0 + along * (c.x1 - c.x0))) * inverse, ny = (y - (c.y0 + along * (c.y1 - c.y0))) * inverse;
    const float out2 = nx * nx + ny * ny;
    if (out2 > 1.f) {
      const float shrink = 1.f / sqrtf(out2);
      nx *= shrink;
      ny *= shrink;
    }
    const float flat = 1.f - nx * nx - ny * ny, nz = flat > 0.f ? sqrtf(flat) : 0.f;
    const float z = c.z0 + along * (c.z1 - c.z0) - nz * c.radius;
    int at = count;
    while (at > 0 && depth[at - 1] > z) --at;
    if (at == max_layers) return;
    float light = -0.42f * nx + 0.50f * ny + 0.757f * nz;
    light = light < 0.f ? 0.f : light;
    const float shade = 0.38f + 0.72f * light, glint = light > 0.94f ? 260.f * (light - 0.94f) : 0.f;
    for (int k = count < max_layers ? count : max_layers - 1; k > at; --k) {
      depth[k] = depth[k - 1];
      cover[k] = cover[k - 1];
      red[k] = red[k - 1];
      green[k] = green[k - 1];
      blue[k] = blue[k - 1];
    }
    depth[at] = z;
    cover[at] = share;
    const Color color = color_of(c.color);
    red[at] = color.r * shade + glint;
    green[at] = color.g * shade + glint;
    blue[at] = color.b * shade + glint;
    if (count < max_layers) ++count;
  }

  PERTURB_HD std::uint32_t over(std::uint32_t ground) const {
    if (count == 0) return ground | 0xff000000u;
    const Color behind = color_of(ground);
    float r = 0, g = 0, b = 0, rest = 1;
    for (int k = 0; k < count; ++k) {
      const float weight = rest * cover[k];
      r += weight * (red[k] > 255.f ? 255.f : red[k]);
      g += weight * (green[k] > 255.f ? 255.f : green[k]);
      b += weight * (blue[k] > 255.f ? 255.f : blue[k]);
      rest *= 1.f - cover[k];
    }
    return pack_color({r + rest * behind.r, g + rest * behind.g, b + rest * behind.b});
  }
};

template <class Background>
struct CapsulePixels {
  Pixels pixels;
  const Capsule* capsules;
  int count;
  const int *row_lists, *row_counts;
  const int *lists, *counts;  // of tiles: only on the device
  int across;
  Background background;

  PERTURB_HD void operator()(int px, int py) const {
    CapsuleLayers layers;
    const float x = static_cast<float>(px) + 0.5f, y = static_cast<float>(py) + 0.5f;
    const int row = py / capsule_tile;
    const std::size_t tile = static_cast<std::size_t>(row) * across + px / capsule_tile;
    const bool whole_row = counts[tile] > capsules_of_tile;
    const int entries = whole_row ? row_counts[row] : counts[tile];
    const int* const list =
        whole_row ? row_lists + static_cast<std::size_t>(row) * count : lists + tile * capsules_of_tile;
    for (int e = 0; e < entries; ++e) layers.add(capsules[list[e]], x, y);
    pixels(px, py) = layers.over(background(px, py));
  }

  // The CPU version: draws capsule after capsule over the pixels of a run that it may reach, in the same order.
  void row(int begin, int end, int py) const {
    constexpr int max_pixels = 256;
    CapsuleLayers layers[max_pixels];
    const float y = static_cast<float>(py) + 0.5f;
    const int row = py / capsule_tile;
    const int* const list = row_lists + static_cast<std::size_t>(row) * count;
    for (int first = begin; first < end; first += max_pixels) {
      const int last = end - first < max_pixels ? end : first + max_pixels;
      for (int k = 0; k < last - first; ++k) layers[k].count = 0;
      for (int e = 0; e < row_counts[row]; ++e) {
        const Capsule& c = capsules[list[e]];
        float from, to;
        if (!reaches(c, y, from, to)) continue;
        for (int px = from > static_cast<float>(first) ? static_cast<int>(from) : first;
             px < last && static_cast<float>(px) <= to; ++px)
          layers[px - first].add(c, static_cast<float>(px) + 0.5f, y);
      }
      for (int px = first; px < last; ++px) pixels(px, py) = layers[px - first].over(background(px, py));
    }
  }

 private:
  // Columns beyond which the capsule reaches no pixel of the row at y: those of the part of its axis that is close
  // enough, and half a pixel more than it covers.
  static bool reaches(const Capsule& c, float y, float& from, float& to) {
    const float reach = c.radius + 1.f, dx = c.x1 - c.x0, dy = c.y1 - c.y0;
    if ((dy > 0.f ? c.y0 : c.y1) > y + reach || (dy > 0.f ? c.y1 : c.y0) < y - reach) return false;
    float begin = 0.f, end = 1.f;
    if (dy != 0.f) {
      const float low = (y - reach - c.y0) / dy, high = (y + reach - c.y0) / dy;
      begin = dy > 0.f ? low : high;
      end = dy > 0.f ? high : low;
      begin = begin > 0.f ? begin : 0.f;
      end = end < 1.f ? end : 1.f;
    }
    const float a = c.x0 + begin * dx, b = c.x0 + end * dx;
    from = (a < b ? a : b) - reach - 0.5f;
    to = (a < b ? b : a) + reach;
    from = from > c.left - 1.f ? from : c.left - 1.f;
    to = to < c.right ? to : c.right;
    return from < 1e9f;
  }
};

}  // namespace detail

// Keeps its lists between frames.
class CapsuleRaster {
 public:
  explicit CapsuleRaster(Backend& backend) : backend_(&backend) {}

  // Colours every pixel; queued. Throws Error if there is no memory for the lists.
  template <class Background>
  void paint(Pixels pixels, const Capsule* capsules, int count, const Background& background) {
    const int across = (pixels.width + detail::capsule_tile - 1) / detail::capsule_tile;
    const int rows = (pixels.height + detail::capsule_tile - 1) / detail::capsule_tile;
    const std::size_t tiles = static_cast<std::size_t>(across) * rows;
    need(row_lists_, static_cast<std::size_t>(rows) * (count > 0 ? count : 1));
    need(row_counts_, rows);
    if (backend_->is_cuda()) {
      need(lists_, tiles * detail::capsules_of_tile);
      need(counts_, tiles);
    }
    parallel_for(*backend_, "capsules.rows", Range2D{1, rows},
                 detail::CapsuleRows{capsules, count, row_lists_.data(), row_counts_.data()});
    if (backend_->is_cuda())
      parallel_for(*backend_, "capsules.tiles", Range2D{across, rows},
                   detail::CapsuleTiles{capsules, count, row_lists_.data(), row_counts_.data(), lists_.data(),
                                        counts_.data(), across});
    parallel_for(*backend_, "capsules.pixels", Range2D{pixels.width, pixels.height},
                 detail::CapsulePixels<Background>{pixels, capsules, count, row_lists_.data(), row_counts_.data(),
                                                   lists_.data(), counts_.data(), across, background});
  }

 private:
  void need(Array<int>& list, std::size_t size) {
    if (list.size() >= size) return;
    backend_->synchronize();  // a frame in flight may still read the old one
    list = Array<int>(*backend_, size, "lists of capsules");
  }

  Backend* backend_;
  Array<int> row_lists_, row_counts_, lists_, counts_;
};

}  // namespace perturb
