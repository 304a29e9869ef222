#include "cuda/lbm/view/picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/tables.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

namespace {

template <class T>
ShownCell<T> shown_cell(const PaintInput& input, const Populations<T>& g, Shown shown) {
  return {lbm_velocity(input.flow, g), input.dye.view(), shown, lbm_wraps_x(input.flow), lbm_wraps_y(input.flow)};
}
GridPoint probe_cell(const ProbePlace& probe, int width, int height) {
  return {static_cast<float>(probe.x * width), static_cast<float>(probe.y * height)};
}
float full_arrow_speed(const PaintInput& input) { return static_cast<float>(std::max(input.arrow_speed, 1e-6)); }
float stream_step_of(const PaintInput& input) {
  return full_arrow_speed(input) * static_cast<float>(input.flow.height) / static_cast<float>(input.streamlines);
}

// Copies the shown values of cells; the rows of a block share the velocities that they need.
template <class T>
struct CopyShown {
  CopyCells<ShownCell<T>> copy;
  PERTURB_HD void operator()(int i, int j) const { copy(i, j); }
  void rows(int begin, int end, int width) const {
    const ShownRows<T> shown(copy.cells, copy.left, copy.left + width);
    for (int j = begin; j < end; ++j)
      for (int i = 0; i < width; ++i) copy.to(i, j) = shown(copy.left + i, copy.low + j);
  }
};

}  // namespace

void paint_scene(const PaintInput& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const int width = input.flow.width, height = input.flow.height;
  const Shown shown = shown_quantity(view.quantity);
  input.lattice.with_populations([&]<class T>(const Populations<T>& g) {
    Paint<T> body{};
    body.pixels = pixels;
    body.sampler =
        PixelSampler(camera.pixel_to_domain(pixels.width, pixels.height, width, height), width, height, view.smooth);
    body.cell = shown_cell(input, g, shown);
    body.outline = input.curve.outline;
    const auto [low, high] = shown_range(view, lbm_quantities()[static_cast<std::size_t>(shown)]);
    body.scale = table.scale(low, high);
    const bool drawn_over = !table.is_counted();
    body.arrows = input.arrows && drawn_over;
    body.probed = input.probe.has_value() && drawn_over;
    if (input.probe) body.probe = probe_cell(*input.probe, width, height);
    body.arrow_speed = full_arrow_speed(input);
    if (drawn_over) body.stream = input.stream_function;
    if (input.streamlines > 0) body.stream_step = stream_step_of(input);
    parallel_for(input.backend, "lbm.paint", Range2D{pixels.width, pixels.height}, body);
  });
}

bool describe_scene(const PaintInput& input, FieldImage& image, int width, int height, const Camera& camera,
                    const ViewSettings& view, const ColorTable& table) {
  if (table.is_counted() || input.backend.is_cuda()) return false;
  const StepParams& flow = input.flow;
  const Shown shown = shown_quantity(view.quantity);
  const PixelSampler sampler(camera.pixel_to_domain(width, height, flow.width, flow.height), flow.width, flow.height,
                             view.smooth);
  image.begin(sampler, width, height, flow.width, flow.height);
  if (!image.is_small()) return false;
  image.linear = view.smooth;
  const Range2D part{image.columns, image.rows};
  input.lattice.with_populations([&]<class T>(const Populations<T>& g) {
    const ShownCell<T> cell = shown_cell(input, g, shown);
    parallel_for(input.backend, "lbm.copy_shown", part,
                 CopyShown<T>{{cell, image.view_of(image.values), image.left, image.low}});
    if (input.arrows) {
      const int side = arrow_square(height), half = side / 2;
      image.arrow_side = side;
      for (int cy = half; cy - half < height; cy += side)
        for (int cx = half; cx - half < width; cx += side) {
          const Arrow arrow = arrow_of(cell.velocity, sampler, full_arrow_speed(input), side, cx, cy);
          image.arrows.insert(image.arrows.end(), {arrow.dx, arrow.dy, arrow.length, 0.f});
        }
    }
    const Walls& walls = cell.velocity.walls;
    if (walls.empty()) return;
    const View2D<float> cover = image.view_of(image.cover);
    if (is_drawn(input.curve.outline, sampler)) {
      image.cover_is = FieldImage::Cover::distance;
      parallel_for(input.backend, "lbm.copy_outline", part,
                   CopyCells<Distance>{{input.curve.outline}, cover, image.left, image.low});
    } else {
      image.cover_is = FieldImage::Cover::medium;
      parallel_for(input.backend, "lbm.copy_walls", part, CopyCells<MediumOf>{{walls}, cover, image.left, image.low});
    }
  });
  const auto [low, high] = shown_range(view, lbm_quantities()[static_cast<std::size_t>(shown)]);
  image.scale = table.scale(low, high);
  if (!input.stream_function.empty()) {
    const Range2D corners{image.columns + 1, image.rows + 1};
    image.stream.resize(static_cast<std::size_t>(corners.width) * static_cast<std::size_t>(corners.height));
    image.stream_step = stream_step_of(input);
    parallel_for(input.backend, "lbm.copy_stream", corners,
                 CopyCells<View2D<const float>>{input.stream_function,
                                                {image.stream.data(), corners.width, corners.height, corners.width},
                                                image.left,
                                                image.low});
  }
  if (input.probe) image.probe = probe_cell(*input.probe, flow.width, flow.height);
  image.mark_size = static_cast<float>(arrow_square(height)) / 26.f;
  return true;
}

std::optional<double> lbm_value_at(const PaintInput& input, int i, int j, Shown shown) {
  const StepParams& flow = input.flow;
  const auto is_wall = [&](int a, int b) {
    std::uint8_t boundary_links = 0;
    if (flow.painted) input.backend.copy_to_host(&boundary_links, flow.links.row(b) + a, 1);
    return boundary_links == all_links;
  };
  if (is_wall(i, j)) return std::nullopt;
  const Moments m = input.lattice.moments_at(flow, i, j);
  const auto near = [&](int a, int b) {
    a = lbm_wraps_x(flow) ? wrap(a, flow.width) : clamp_index(a, flow.width);
    b = lbm_wraps_y(flow) ? wrap(b, flow.height) : clamp_index(b, flow.height);
    return is_wall(a, b) ? Moments{0, 0, 0} : input.lattice.moments_at(flow, a, b);
  };
  switch (shown) {
    case Shown::speed:
      return std::hypot(m.ux, m.uy);
    case Shown::vorticity:
      return 0.5 * ((near(i + 1, j).uy - near(i - 1, j).uy) - (near(i, j + 1).ux - near(i, j - 1).ux));
    case Shown::density:
      return 1 + static_cast<double>(m.drho);
    case Shown::dye: {
      float dye = 0;
      if (!input.dye.empty()) input.backend.copy_to_host(&dye, input.dye.view().row(j) + i, sizeof dye);
      return dye;
    }
    case Shown::velocity_x:
      return m.ux;
    case Shown::velocity_y:
      return m.uy;
  }
  return std::nullopt;
}

}  // namespace perturb::lbm
