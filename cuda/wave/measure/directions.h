// Measured wave directions in the running field, at positions given by rays, for comparison with Snell's law.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/diagnostics.h"
#include "cuda/wave/measure/theory.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/medium.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Two time levels give a wave u = Re(Z), Z ~ exp(i k r), of one frequency with its phase:
//   Im Z = (u(t) cos(w dt) - u(t - dt))/sin(w dt).
// Around a position r0, with a guess g of its wave vector and a Gaussian weight W of width s = half a wavelength,
//   S = Σ W Z exp(-i g (r - r0)),   D = Σ W (r - r0)/s² Z exp(-i g (r - r0)),   k = g + Im(D/S),
// independent of the guess: for Gaussian weights D = i (k - g) S. Waves in other directions, such as reflections from
// an edge, are weighted down by exp(-|k' - g|² s²/2).
struct Probe {
  double x = 0, y = 0;    // r0, cells
  double kx = 0, ky = 0;  // g, 1/cell
};

// For the rays found: their directions, and those measured at the same positions. Radians from the x axis.
struct DirectionReading {
  std::vector<Ray> rays;
  std::vector<RayPoint> before, behind;  // as in the rays, but with the measured wave vectors
  bool has_arrived = false;              // the waves have arrived
};

template <class Real>
class Directions {
 public:
  static constexpr int max_rays = 9;

  Directions(Backend& backend, int width, int height);

  // Finds the rays, again if the speed map, the source or the parameters have changed. Returns whether there are any,
  // which requires one line source at rest, a speed map and no wall. On CUDA it then waits for the map.
  bool prepare(const Medium<Real>& medium, const Sources& sources, const Grid& tank, const Parameters& parameters);
  // Queues the copy of the numbers to the host. To be called after prepare. `changed`: time of the last change that the
  // waves must follow.
  void start(View2D<const Real> u, View2D<const Real> u_previous, double time, double changed);
  bool has_arrived() { return readback_.ready(); }
  void wait() { readback_.wait(); }
  DirectionReading take() const;

 private:
  void upload_probes(double wavelength);

  Backend& backend_;
  int width_, height_;
  Array<double> tables_, sums_;
  Array<std::int32_t> windows_;
  AsyncReadback readback_;

  // The inputs from which the rays were found.
  struct Key {
    std::int64_t medium = -1;
    Source source;
    Grid tank;
    double speed = 0, time_step = 0, sponge = 0;
    Boundary left{}, right{}, bottom{}, top{};
  };
  static bool same(const Key& a, const Key& b);
  bool known_ = false;
  Key key_;
  std::vector<Ray> rays_;
  std::vector<Probe> probes_;
  std::vector<double> widths_;  // s by probe, cells
  DirectionReading started_;
  std::vector<Probe> started_probes_;
  std::vector<double> started_widths_;
};

extern template class Directions<float>;
extern template class Directions<double>;

// Adds the directions behind the change of speed as a curve, with those of the rays for comparison, and as numbers;
// lengths in units of `cell_size`.
void add_directions(const DirectionReading& reading, double cell_size, Diagnostics& diagnostics);

}  // namespace perturb::wave
