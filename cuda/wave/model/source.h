// Hard sources: parts of the surface that follow a given motion in time, independent of the waves.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
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
// A train of `waves` waves is counted from its own begin: with s = frequency·(t - begun),
//   u = amplitude · sin(2π·s + phase) · window(s)   while s < waves,
// where the window grows and falls smoothly in the first and last period (half of a single one). The cells are free
// afterwards.
struct Source {
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // position at time `start`, fractions of the domain
  double frequency = 0;                   // 1/time
  double amplitude = 0;                   // height
  double phase = 0;                       // radians
  double radius = 0;                      // length
  double velocity_x = 0, velocity_y = 0;  // length/time; it reverses at a side, and passes through a periodic one
  double start = 0;                       // time from which it has moved and oscillated in this way
  double waves = 0;                       // of a train; 0: continuous
  double begun = 0;                       // time from which the ramp or the train counts; at most `start`
  bool is_line = false;
  int id = 0;  // as an object (core/simulation/object.h)

  bool operator==(const Source&) const = default;
};

// Number of values of a saved source, in the order of the members above. States of earlier versions have the first 11.
constexpr int source_columns = 15, early_source_columns = 11;
std::vector<double> sources_to_table(std::span<const Source> sources);
std::vector<Source> sources_from_table(std::span<const double> table, int columns = source_columns);

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
// Whether it was a train, which has ended at this time.
bool has_ended(const Source& source, double time);

// The kind of action that creates such a source, and its numbers at this time: the present position and velocity.
std::string source_kind(const Source& source);
std::map<std::string, double> source_numbers(const Source& source, const Grid& tank, double time);

// The cells and height that the source sets at `time`, for kernels. At least the cell at its centre, for any radius.
template <class Real>
HardSource<Real> hard_source_of(const Source& source, const Grid& tank, double time) {
  const SourcePlace at = source_place(source, tank, time);
  constexpr double min_radius = 0.75;  // cells; the half diagonal of a cell is 0.707
  const double radius = source.radius / tank.cell_size;
  return {exact_cells(at.x0 * tank.width, tank.width),
          exact_cells(at.y0 * tank.height, tank.height),
          exact_cells(at.x1 * tank.width, tank.width),
          exact_cells(at.y1 * tank.height, tank.height),
          static_cast<float>(radius > min_radius ? radius : min_radius),
          static_cast<Real>(source_height(source, time))};
}

// Values of the sources in the steps of a pass: each source, and its copies round sides that repeat.
template <class Real>
struct HeldCells {
  using Steps = std::array<HardSource<Real>, max_wave_steps_per_pass>;
  std::vector<Steps> list;  // of two that hold a cell the first decides

  bool needs_more_room() const { return list.size() > max_wave_sources; }
  // As many of them as there is room for.
  void add_to(HardSources<Real>& hard_sources) const {
    hard_sources.count = static_cast<int>(std::min<std::size_t>(list.size(), max_wave_sources));
    for (int s = 0; s < hard_sources.count; ++s)
      std::copy(list[static_cast<std::size_t>(s)].begin(), list[static_cast<std::size_t>(s)].end(),
                hard_sources.hard_sources[s]);
  }
};

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

  // Number of sources that move the surface at this time: those other than trains that have ended.
  std::size_t active(double time) const;
  bool has_trains() const;

  // Adds the source that an action of the kind oscillator or line-source describes, at this time. Throws InputError if
  // there are too many, if an oscillator is outside the tank, or if steps and grid cannot carry its waves.
  void add(const Action& action, int id, double time, const Parameters& parameters);
  // Changes the numbers that the action gives, of the source with this id. A new frequency leaves the height at this
  // time as it is: it changes the phase, unless that is given too. A given number of waves starts a train. Throws
  // InputError as `add` does, with nothing changed.
  void change(const Action& action, int id, const Grid& tank, double time, const Parameters& parameters);
  // Whether there was one.
  bool remove(int id);
  // Removes the source nearest to a position (fractions of the domain). Throws InputError if none is within `reach`
  // (length) of it.
  void remove_nearest(double x, double y, double reach, const Grid& tank, double time);
  void clear() { list_.clear(); }

  // Whether sides repeat, so that there may be more copies than a pass has room for.
  bool may_need_more_room(const Grid& tank) const { return !list_.empty() && (tank.periodic_x || tank.periodic_y); }
  // Their values in a pass of `steps` steps; `time_of(k)`: the time of its k-th new level. No train may end within
  // the pass.
  template <class Real, class TimeOf>
  HeldCells<Real> held(const Grid& tank, int steps, const TimeOf& time_of) const {
    HeldCells<Real> held;
    for (const Source& source : list_) {
      if (has_ended(source, time_of(0))) continue;
      typename HeldCells<Real>::Steps own{};
      float left = far, right = -far, low = far, high = -far;  // of all steps
      for (int k = 0; k < steps; ++k) {
        const HardSource<Real> at = own[static_cast<std::size_t>(k)] = hard_source_of<Real>(source, tank, time_of(k));
        left = std::min({left, at.x0 - at.radius, at.x1 - at.radius});
        right = std::max({right, at.x0 + at.radius, at.x1 + at.radius});
        low = std::min({low, at.y0 - at.radius, at.y1 - at.radius});
        high = std::max({high, at.y0 + at.radius, at.y1 + at.radius});
      }
      const Copies copies = tank.repeating().copies_of(left, right, low, high);
      for (int b = copies.low; b <= copies.high; ++b)
        for (int a = copies.left; a <= copies.right; ++a) {
          typename HeldCells<Real>::Steps copy = own;
          const auto x = static_cast<float>(a * tank.width), y = static_cast<float>(b * tank.height);
          for (HardSource<Real>& at : copy) {
            at.x0 += x;
            at.x1 += x;
            at.y0 += y;
            at.y1 += y;
          }
          held.list.push_back(copy);
        }
    }
    return held;
  }

  // Saves "sources" [count, source_columns], if there are any.
  void save_to(State& state) const;
  void load(std::vector<Source> sources) { list_ = std::move(sources); }
  void visit_members(MemberCopier& copy) { copy(list_); }

 private:
  static constexpr float far = 1e9f;
  std::vector<Source> list_;
};

}  // namespace perturb::wave
