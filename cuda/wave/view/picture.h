// Rendering of a tank, and the value under the pointer.
#pragma once

#include <optional>
#include <string>

#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/medium.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/surface.h"
#include "cuda/wave/parameters.h"
#include "cuda/wave/view/paint.h"

namespace perturb::wave {

// Returns the quantity with this id, or the first one if the id is empty. Throws InputError.
Shown shown_quantity(const std::string& id);

// Buffers of view/relief.h.
struct ReliefBuffers {
  Field<float> crests, u, medium;
};

// The tank at one time.
template <class Real>
struct PaintInput {
  Backend& backend;
  const Parameters& parameters;
  Grid grid;
  const Surface<Real>& surface;
  const Medium<Real>& medium;
  const Sources& sources;
  const Screen<Real>& screen;
  double time;
  ReliefBuffers& relief;
};

// Writes the marks of sources and of the screen, in cells; returns their number, at most max_wave_sources + 1.
template <class Real>
int marks_of(const PaintInput<Real>& input, Mark* marks);

// Draws the surface in 3-D, for that quantity; queued. `low` and `high`: the ends of the colour range, which also
// determine the vertical exaggeration.
template <class Real>
void paint_relief(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, double low, double high,
                  const ColorTable& table);

// Colours every pixel; queued.
template <class Real>
void paint_scene(const PaintInput<Real>& input, Pixels pixels, const Camera& camera, const ViewSettings& view,
                 const ColorTable& table);

// Describes the same image (FieldImageSource); false for the surface in 3-D.
template <class Real>
bool describe_scene(const PaintInput<Real>& input, FieldImage& image, int width, int height, const Camera& camera,
                    const ViewSettings& view, const ColorTable& table);

// The shown quantity, in its unit, at a position in the domain (fractions); empty in a wall. Waits for the device.
template <class Real>
std::optional<double> wave_value_at(const PaintInput<Real>& input, double x, double y, Shown shown);

}  // namespace perturb::wave
