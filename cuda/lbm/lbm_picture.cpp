#include "cuda/lbm/lbm_picture.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/parallel_for.h"
#include "cuda/core/shown.h"
#include "cuda/lbm/lbm_scheme.h"
#include "cuda/lbm/lbm_tables.h"

namespace perturb::lbm {

void paint_scene(const FlowScene& scene, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const int width = scene.flow.width, height = scene.flow.height;
  const Shown shown = shown_quantity(view.quantity);
  scene.lattice.with_populations([&]<class T>(const Populations<T>& g) {
    Paint<T> body{};
    body.pixels = pixels;
    body.sampler =
        PixelSampler(camera.pixel_to_domain(pixels.width, pixels.height, width, height), width, height, view.smooth);
    body.cell = {lbm_velocity(scene.flow, g), scene.dye.view(), shown, lbm_wraps_x(scene.flow),
                 lbm_wraps_y(scene.flow)};
    body.outline = scene.curve.outline;
    const auto [low, high] = shown_range(view, lbm_quantities()[static_cast<std::size_t>(shown)]);
    body.scale = table.scale(low, high);
    const bool drawn_over = !table.is_counted();
    body.arrows = scene.arrows && drawn_over;
    body.probed = scene.probe.has_value() && drawn_over;
    if (scene.probe)
      body.probe = {static_cast<float>(scene.probe->x * width), static_cast<float>(scene.probe->y * height)};
    body.arrow_speed = static_cast<float>(std::max(scene.arrow_speed, 1e-6));
    if (drawn_over) body.stream = scene.stream_function;
    if (scene.streamlines > 0)
      body.stream_step = body.arrow_speed * static_cast<float>(height) / static_cast<float>(scene.streamlines);
    parallel_for(scene.backend, "lbm.paint", Range2D{pixels.width, pixels.height}, body);
  });
}

std::optional<double> lbm_value_at(const FlowScene& scene, int i, int j, Shown shown) {
  const Pass& flow = scene.flow;
  const auto is_wall = [&](int a, int b) {
    std::uint8_t marks = 0;
    if (flow.painted) scene.backend.copy_to_host(&marks, flow.links.row(b) + a, 1);
    return marks == wall_mark;
  };
  if (is_wall(i, j)) return std::nullopt;
  const Moments m = scene.lattice.moments_at(flow, i, j);
  const auto near = [&](int a, int b) {
    a = lbm_wraps_x(flow) ? wrap(a, flow.width) : clamp_index(a, flow.width);
    b = lbm_wraps_y(flow) ? wrap(b, flow.height) : clamp_index(b, flow.height);
    return is_wall(a, b) ? Moments{0, 0, 0} : scene.lattice.moments_at(flow, a, b);
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
      if (!scene.dye.empty()) scene.backend.copy_to_host(&dye, scene.dye.view().row(j) + i, sizeof dye);
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
