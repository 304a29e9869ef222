// What is seen of a tank: its picture, and the value under the pointer.
#pragma once

#include <optional>
#include <string>

#include "cuda/core/camera.h"
#include "cuda/core/colormap.h"
#include "cuda/core/pixels.h"
#include "cuda/core/setup.h"
#include "cuda/wave/wave_grid.h"
#include "cuda/wave/wave_medium.h"
#include "cuda/wave/wave_paint.h"
#include "cuda/wave/wave_params.h"
#include "cuda/wave/wave_screen.h"
#include "cuda/wave/wave_source.h"
#include "cuda/wave/wave_surface.h"

namespace perturb {

// By its id; the first where none is given. Throws InputError.
WaveShown wave_shown_quantity(const std::string& id);

// The tank at one moment.
template <class Real>
struct WaveScene {
  Backend& backend;
  const WaveParameters& parameters;
  WaveGrid grid;
  const WaveSurface<Real>& surface;
  const WaveMedium<Real>& medium;
  const WaveSources& sources;
  const WaveScreen<Real>& screen;
  double time;
};

// Colours every pixel; queued.
template <class Real>
void wave_paint_scene(const WaveScene<Real>& scene, Pixels pixels, const Camera& camera, const ViewSettings& view,
                      const ColorTable& table);

// The shown quantity, in its unit, at a place in the domain (fractions); none in a wall. Waits for the device.
template <class Real>
std::optional<double> wave_value_at(const WaveScene<Real>& scene, double x, double y, WaveShown shown);

}  // namespace perturb
