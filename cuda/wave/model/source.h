// Hard sources: parts of the surface that follow a given motion in time, independent of the waves.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/model/grid.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// An oscillator (a disc; both ends of the segment coincide) or a line source (a segment): the surface on it is
//   u = amplitude · sin(2π·frequency·t + phase) · ramp,
// where the ramp grows from 0 to 1 in the first period, so that it does not start abruptly. `t` is the tank's time, so
// that the relative phases of sources of one frequency do not depend on when they were placed.
struct Source {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // position at time `start`, fractions of the domain
  double frequency = 0;                   // 1/time
  double amplitude = 0;                   // height
  double phase = 0;                       // radians
  double radius = 0;                      // length
  double velocity_x = 0, velocity_y = 0;  // length/time; it reverses at a side, and passes through a periodic one
  double start = 0;                       // time at which it was placed

  bool operator==(const Source&) const = default;
};

// Number of values of a saved source, in the order of the members above.
constexpr int source_columns = 11;
std::vector<double> sources_to_table(std::span<const Source> sources);
std::vector<Source> sources_from_table(std::span<const double> table);

// Wavelengths per cell of waves with this frequency that travel along an axis where the speed is `factor` times c, by
// the scheme: sin(w dt/2) = C sin(k dx/2). From 1/2 on (two cells per wavelength) the grid carries no waves.
double waves_in_a_cell(double frequency, const Parameters& parameters, double factor);
// The frequency from which on this is so in open water, 1/time. At most half a period per step.
double highest_carried_frequency(const Parameters& parameters);

struct SourcePlace {
  double x0, y0, x1, y1;  // fractions of the domain
};
SourcePlace source_place(const Source& source, const Grid& tank, double time);
double source_height(const Source& source, double time);

// The cells and height that the source sets at `time`, for kernels. At least the cell at its centre, for any radius.
template <class Real>
HardSource<Real> hard_source_of(const Source& source, const Grid& tank, double time) {
  const SourcePlace at = source_place(source, tank, time);
  constexpr double min_radius = 0.75;  // cells; the half diagonal of a cell is 0.707
  const double radius = source.radius / tank.cell_size;
  return {static_cast<float>(at.x0 * tank.width),
          static_cast<float>(at.y0 * tank.height),
          static_cast<float>(at.x1 * tank.width),
          static_cast<float>(at.y1 * tank.height),
          static_cast<float>(radius > min_radius ? radius : min_radius),
          static_cast<Real>(source_height(source, time))};
}

// All sources of a tank, at most max_wave_sources.
class Sources {
 public:
  bool empty() const { return list_.empty(); }
  std::size_t count() const { return list_.size(); }
  // Speed of the fastest source, length/time.
  double fastest() const;
  // 1/time; 0 if none oscillates.
  double highest_frequency() const;
  // Wavelengths per cell of the shortest waves that the sources send along an axis, where the speed is `factor` times
  // c. Waves ahead of a moving source are shorter.
  double shortest_waves(const Parameters& parameters, double factor) const;
  // Throws InputError if, after the change of the parameter `id`, steps and grid could no longer carry all waves.
  void require_carried(const std::string& id, const Parameters& changed, const Parameters& now) const;
  const Source& operator[](std::size_t k) const { return list_[k]; }

  // Adds the source that an action of the kind oscillator or line-source describes, at this time. Throws InputError if
  // there are too many, if an oscillator is outside the tank, or if steps and grid cannot carry its waves.
  void add(const Action& action, double time, const Parameters& parameters);
  // Removes the source nearest to a position (fractions of the domain). Throws InputError if none is within `reach`
  // (length) of it.
  void remove_nearest(double x, double y, double reach, const Grid& tank, double time);
  void clear() { list_.clear(); }

  // Adds the hard sources of a pass of `steps` steps; `time_of(k)`: the time of its k-th new level.
  template <class Real, class TimeOf>
  void add_to(HardSources<Real>& hard_sources, const Grid& tank, int steps, const TimeOf& time_of) const {
    hard_sources.count = static_cast<int>(list_.size());
    for (int s = 0; s < hard_sources.count; ++s)
      for (int k = 0; k < steps; ++k)
        hard_sources.hard_sources[s][k] = hard_source_of<Real>(list_[static_cast<std::size_t>(s)], tank, time_of(k));
  }

  // Saves "sources" [count, source_columns], if there are any.
  void save_to(State& state) const;
  void load(std::vector<Source> sources) { list_ = std::move(sources); }
  void visit_members(MemberCopier& copy) { copy(list_); }

 private:
  std::vector<Source> list_;
};

}  // namespace perturb::wave
