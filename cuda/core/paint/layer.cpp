#include "cuda/core/paint/layer.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

// The indices that a quantity was painted with.
struct LayerValues {
  View2D<const std::uint32_t> pixels;

  // The neighbour's value; `here` if it has none.
  PERTURB_HD float near(int px, int py, float here) const {
    if (px < 0 || py < 0 || px >= pixels.width || py >= pixels.height) return here;
    const std::uint32_t color = pixels(px, py);
    return is_counted(color) ? static_cast<float>(counted_value(color)) : here;
  }
};

// Draws a pixel on a line by its distance from it: the difference from the line's value divided by the slope.
struct DrawContourLines {
  Pixels pixels;
  LayerValues numbers;
  float step;        // difference between lines
  float last;        // index of the last line
  float line_width;  // in pixels
  float min_slope;   // in indices per pixel: flatter areas have no lines, because rounding alone would draw them

  PERTURB_HD void operator()(int px, int py) const {
    const std::uint32_t color = numbers.pixels(px, py);
    if (!is_counted(color)) return;
    const auto here = static_cast<float>(counted_value(color));
    const float left = numbers.near(px - 1, py, here), right = numbers.near(px + 1, py, here),
                below = numbers.near(px, py - 1, here), above = numbers.near(px, py + 1, here);
    // The steeper side: at a jump the line is drawn along the jump.
    const float sx = steeper(here - left, right - here), sy = steeper(here - below, above - here);
    const float slope = sqrtf(sx * sx + sy * sy);
    if (!(slope > min_slope)) return;
    float line = floorf(here / step + 0.5f);
    line = line < 1.f ? 1.f : line > last ? last : line;
    const float distance = fabsf(here - line * step) / slope;
    float ink = 0.5f * line_width + 0.5f - distance;
    // Lines closer than twice their width would merge into grey.
    const float apart = step / slope;
    if (apart < 2.f * line_width && !is_jump(left, here, right, below, above)) ink = 0.f;
    if (ink <= 0.f) return;
    const Color c = color_of(pixels(px, py));
    const float bright = 0.299f * c.r + 0.587f * c.g + 0.114f * c.b;
    pixels(px, py) = mix_colors(pixels(px, py), bright > 110.f ? Color{16.f, 18.f, 22.f} : Color{244.f, 246.f, 250.f},
                                0.85f * (ink < 1.f ? ink : 1.f));
  }

 private:
  PERTURB_HD static float steeper(float a, float b) { return fabsf(a) > fabsf(b) ? a : b; }
  // Flat on one side and steep on the other: an edge.
  PERTURB_HD bool is_jump(float left, float here, float right, float below, float above) const {
    const float flat = 0.05f * step;
    return (fabsf(here - left) < flat) != (fabsf(right - here) < flat) ||
           (fabsf(here - below) < flat) != (fabsf(above - here) < flat);
  }
};

struct BlendColors {
  Pixels pixels;
  LayerValues numbers;
  ColorScale scale;  // of indices
  float nothing;     // fraction of the range at which the quantity is zero: 0, or a half if the quantity is signed

  PERTURB_HD void operator()(int px, int py) const {
    const std::uint32_t color = numbers.pixels(px, py);
    if (!is_counted(color)) return;
    const float value = (static_cast<float>(counted_value(color)) + 0.5f) / static_cast<float>(counted_values);
    const float max_distance = nothing > 0.5f ? nothing : 1.f - nothing;
    float share = fabsf(value - nothing) / max_distance;
    share = 0.95f * (share < 1.f ? share : 1.f);
    if (share < 0.02f) return;
    pixels(px, py) = mix_colors(pixels(px, py), color_of(scale(value)), share);
  }
};

}  // namespace

Message layer_error(const SimulationInfo& info, const ViewSettings& view) {
  if (view.layer.quantity.empty()) return {};
  const Quantity& below = info.quantities[quantity_index(info, view.quantity)];
  const Quantity& over = info.quantities[quantity_index(info, view.layer.quantity)];
  if (can_rotate(info, view.quantity))
    return Message("Cannot draw a layer over \"{}\", because it has depth. Choose a flat quantity.",
                   Message(below.label));
  if (over.can_overlay) return {};
  const bool others =
      std::any_of(info.quantities.begin(), info.quantities.end(), [](const Quantity& q) { return q.can_overlay; });
  return Message(others ? "Cannot use \"{}\" as a layer. Choose a quantity that is a number at every point."
                        : "Cannot use \"{}\" as a layer. This simulation shows bodies, with no values between them.",
                 Message(over.label));
}

ShownRange layer_range(const LayerSettings& layer, const Quantity& quantity) {
  if (layer.minimum < layer.maximum) return {layer.minimum, layer.maximum};
  return {quantity.minimum, quantity.maximum};
}

Message describe_layer(const SimulationInfo& info, const ViewSettings& view, double factor, const std::string& unit) {
  if (view.layer.quantity.empty() || !layer_error(info, view).empty()) return {};
  const Quantity& quantity = info.quantities[quantity_index(info, view.layer.quantity)];
  const auto [low, high] = layer_range(view.layer, quantity);
  const Message label(quantity.label);
  if (!view.layer.as_lines)
    return Message("Over it: {}, {} to {}", label, format_number(low * factor, 3),
                   with_unit(format_number(high * factor, 3), unit));
  const double distance = (high - low) / (view.layer.lines + 1);
  return Message("Lines: {}, every {}", label, with_unit(format_number(distance * factor, 3), unit));
}

Message describe_layer(const SimulationInfo& info, const ViewSettings& view) {
  if (view.layer.quantity.empty()) return {};
  return describe_layer(info, view, 1, info.quantities[quantity_index(info, view.layer.quantity)].unit);
}

void LayerPainter::draw_over(Pixels pixels, Simulation& simulation, const Camera& camera, const ViewSettings& view) {
  const LayerSettings& layer = view.layer;
  const Quantity& quantity = simulation.info().quantities[quantity_index(simulation.info(), layer.quantity)];
  const auto [low, high] = layer_range(layer, quantity);
  const std::size_t size = static_cast<std::size_t>(pixels.width) * static_cast<std::size_t>(pixels.height);
  if (numbers_.size() != size) {
    numbers_ = {};
    numbers_ = Array<std::uint32_t>(backend_, size, "layer over the view");
  }
  if (!counted_) counted_ = std::make_unique<ColorTable>(backend_, counted_colormap());
  ViewSettings painted = view;
  painted.layer = {};
  painted.quantity = quantity.id;
  painted.colormap = counted_->id();
  painted.minimum = low;
  painted.maximum = high;
  painted.automatic = false;
  const Pixels numbers{numbers_.data(), pixels.width, pixels.height, pixels.width};
  simulation.paint(numbers, camera, painted, *counted_);
  const Range2D range{pixels.width, pixels.height};
  if (layer.as_lines) {
    const int lines = std::clamp(layer.lines, 1, LayerSettings::max_lines);
    const float step = static_cast<float>(counted_values) / static_cast<float>(lines + 1);
    const float line_width = std::max(1.5f, static_cast<float>(pixels.height) / 540.f);
    parallel_for(backend_, "layer.lines", range,
                 DrawContourLines{pixels, {numbers}, step, static_cast<float>(lines), line_width, 2.f});
    return;
  }
  if (!colors_ || colors_->id() != quantity.colormap)
    colors_ = std::make_unique<ColorTable>(backend_, find_colormap(quantity.colormap));
  const double nothing = quantity.is_signed ? std::clamp((0 - low) / (high - low), 0.0, 1.0) : 0.0;
  parallel_for(backend_, "layer.colors", range,
               BlendColors{pixels, {numbers}, colors_->scale(0, 1), static_cast<float>(nothing)});
}

void Simulation::paint_view(Pixels pixels, const Camera& camera, const ViewSettings& view, const ColorTable& table) {
  paint(pixels, camera, view, table);
  if (view.layer.quantity.empty() || !layer_error(info(), view).empty()) return;
  if (!layer_) layer_ = std::make_shared<LayerPainter>(backend_);
  layer_->draw_over(pixels, *this, camera, view);
}

}  // namespace perturb
