// Theory drawn into the tank (Diagnostics::marks): wavelengths of sources, fringes on the screen, rays, and the nodal
// lines of standing modes.
#pragma once

#include <optional>
#include <vector>

#include "cuda/core/simulation/marks.h"
#include "cuda/wave/measure/directions.h"
#include "cuda/wave/measure/screen.h"
#include "cuda/wave/measure/theory.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// The distance between crests, c/f, next to each source at rest in water of even speed; at most one for each frequency.
// Ahead of and behind a moving source: (c - v)/f and (c + v)/f.
void mark_wavelengths(const Sources& sources, const Grid& tank, const Parameters& parameters, double time,
                      Marks& marks);

// The inner bright fringes of theory behind the screen and the measured ones in front of it. With at least two openings
// that oscillate together, those of theory have their order, and the first one its direction from the middle of the
// openings.
void mark_fringes(const ScreenReading& reading, const Comparison& comparison, double cell_size, Marks& marks);
// Behind a single opening: theory's directions to the first dark places on the screen, from the middle of the opening.
void mark_dark_places(const ScreenReading& reading, const Comparison& comparison, double cell_size, Marks& marks);
// The order of a fringe at `row` (cells): the difference of its distances from the outer two openings, in wavelengths,
// per pair of neighbouring openings. Empty if it is no whole number to within a quarter, as for the secondary fringes
// of three slits, or if the waves in the openings differ in phase by more than a twentieth of a period.
std::optional<int> fringe_order(const std::vector<Aperture>& apertures, double distance, double wavelength, double row);

// Rays by Snell's law, with the normals and angles of the ray that is bent most, and their focus. The focus of the
// measured directions, where waves have arrived.
void mark_rays(const DirectionReading& reading, const Grid& tank, double wavelength, Marks& marks);

// A standing mode that was added to the calm tank.
struct AddedMode {
  int m = 0, n = 0;
  double amplitude = 0, start = 0;  // its time
  bool operator==(const AddedMode&) const = default;
};
// The nodal lines of the sum of these modes, in fractions of the domain. Empty if their frequencies differ: the lines
// would move.
std::vector<std::vector<CurvePoint>> nodal_lines_of(const std::vector<AddedMode>& modes, const Parameters& parameters,
                                                    int width, int height);

}  // namespace perturb::wave
