// Motion of a dragged body.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perturb::lbm {

// How a body was moved: its positions, in cells, and the steps of the moves.
struct Motion {
  static constexpr double fastest = 0.2;               // cell/step: largest velocity of its walls
  static constexpr std::int64_t longest_pause = 1000;  // steps between two moves of one drag

  struct Place {
    std::int64_t step = -1;  // -1: none
    double x = 0, y = 0;
  };
  int i = 0, j = 0;                 // one of the body's cells
  double ux = 0, uy = 0;            // cell/step
  double force_x = 0, force_y = 0;  // momentum taken from covered cells and given to uncovered ones
  std::int64_t until = 0;           // it is at rest from this step on
  double x = 0, y = 0;              // distance moved so far
  std::int64_t since = 0;           // steps from the move before the last to the last
  std::array<Place, 2> before;      // the two moves before this one, the older first

  // A move by this many cells; the caller sets `i` and `j`. The velocity is that since the older of the two previous
  // moves. It lasts for one and a half times the expected interval to the next move.
  void move(std::int64_t step, double by_x, double by_y);
  // The momentum that the last move took out of the fluid, as a force over the steps since the previous move.
  void took(double momentum_x, double momentum_y);

  // Saved form.
  static constexpr std::size_t saved_numbers = 15;
  std::vector<double> numbers() const;
  static Motion of(const std::vector<double>& numbers);  // saved_numbers values, integers where required
};

}  // namespace perturb::lbm
