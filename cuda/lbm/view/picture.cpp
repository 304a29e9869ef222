#include "cuda/lbm/view/picture.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/lbm/kernels/tables.h"
#include "cuda/lbm/model/scheme.h"

namespace perturb::lbm {

void paint_scene(const PaintInput& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table) {
  const int width = input.flow.width, height = input.flow.height;
  const Shown shown = shown_quantity(view.quantity);
  input.lattice.with_populations([&]<class T>(const Populations<T>& g) {
    Paint<T> body{};
    body.pixels = pixels;
    body.sampler =
        PixelSampler(camera.pixel_to_domain(pixels.width, pixels.height, width, height), width, height, view.smooth);
    body.cell = {lbm_velocity(input.flow, g), input.dye.view(), shown, lbm_wraps_x(input.flow),
                 lbm_wraps_y(input.flow)};
    body.outline = input.curve.outline;
    const auto [low, high] = shown_range(view, lbm_quantities()[static_cast<std::size_t>(shown)]);
    body.scale = table.scale(low, high);
    const bool drawn_over = !table.is_counted();
    body.arrows = input.arrows && drawn_over;
    body.probed = input.probe.has_value() && drawn_over;
    if (input.probe)
      body.probe = {static_cast<float>(input.probe->x * width), static_cast<float>(input.probe->y * height)};
    body.arrow_speed = static_cast<float>(std::max(input.arrow_speed, 1e-6));
    if (drawn_over) body.stream = input.stream_function;
    if (input.streamlines > 0)
      body.stream_step = body.arrow_speed * static_cast<float>(height) / static_cast<float>(input.streamlines);
    parallel_for(input.backend, "lbm.paint", Range2D{pixels.width, pixels.height}, body);
  });
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
