// How a body is dragged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace perturb::lbm {

// How a body has been moved: where it came to, in cells, and at which steps.
struct Motion {
  static constexpr double fastest = 0.2;               // cell/step: what its walls may carry
  static constexpr std::int64_t longest_pause = 1000;  // steps between two moves of one drag

  struct Place {
    std::int64_t step = -1;  // -1: none
    double x = 0, y = 0;
  };
  int i = 0, j = 0;                 // one of the body's cells
  double ux = 0, uy = 0;            // cell/step
  double force_x = 0, force_y = 0;  // what it took of the momentum of what it covered, and gave to what it uncovered
  std::int64_t until = 0;           // it stands still from this step on
  double x = 0, y = 0;              // how far it has come
  std::int64_t since = 0;           // steps from the move before the last to the last
  std::array<Place, 2> before;      // the last moves but this one, the older one first

  // A move by this many cells. The velocity is that since the older of the moves before; it lasts until the next one
  // should come, and half as long again.
  void move(std::int64_t step, int by_i, int by_j);
  // The momentum that the last move took out of the fluid, as a force in the steps since the move before it.
  void took(double momentum_x, double momentum_y);

  // As it is saved.
  static constexpr std::size_t saved_numbers = 15;
  std::vector<double> numbers() const;
  static Motion of(const std::vector<double>& numbers);  // saved_numbers of them, whole where they should be
};

}  // namespace perturb::lbm
