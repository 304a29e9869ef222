// Theory drawn over the membrane (Diagnostics::marks).
#pragma once

#include <span>
#include <vector>

#include "cuda/core/simulation/diagnostics.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/parameters.h"

namespace perturb::membrane {

// The nodal lines of the exact solution: of a mode, of the known solution, or of the response to the load at a
// frequency above zero; without a frequency the point of the greatest deflection. Nothing where no line is at rest:
// with damping, or for a membrane that moves freely.
class TheoryMarks {
 public:
  // `mode`: the number of the computed mode that is shown, from 1; 0: none. `samples`: the computed displacement at
  // ((i + 1/2)/width, (j + 1/2)/height). Modes of one frequency may be added in any proportion, so it is measured
  // there.
  void add(const Parameters& solved, int mode, std::span<const double> samples, GridSize size,
           Diagnostics& diagnostics);

 private:
  Parameters found_for_;
  bool is_found_ = false;
  std::vector<TheoryMark> of_response_;
};

// The modes with the same frequency as that of number `mode`, from 1.
std::vector<Mode> modes_of_frequency(const Parameters& parameters, int mode);

}  // namespace perturb::membrane
