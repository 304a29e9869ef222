// The sponge: damping along absorbing sides, for waves at oblique incidence. It grows with the depth to the power of
// 2.5. With a lower power, a sponge of five wavelengths reflects waves where it begins; with a higher one, a sponge of
// a single wavelength damps too little.
#pragma once

#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// Reflection coefficient (ratio of heights) of sponge and side, for a wave of this frequency at normal incidence on an
// absorbing side. Solves the scheme for this frequency, cell by cell from the side inwards. A sponge that is strong but
// short compared with the wavelength reflects, as any sudden damping does. 0 if the grid carries no such wave.
double sponge_reflection(const Parameters& parameters, double frequency);

// Stored by column and by row, as factors of a step's weights (model/step_params.h). Away from the corners, the damping
// k and the sponge's damping add up.
template <class Real>
class Sponge {
 public:
  Sponge(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // Computes the factors for these parameters. Throws Error, with nothing changed, if memory runs out.
  void prepare(const Parameters& parameters);
  // Adds nothing if no side has a sponge.
  void add_to(StepParams<Real>& params) const;
  bool is_active() const { return any_; }
  // The largest sponge_reflection of the waves of these sources, in open water. Waves behind a moving source are
  // longer.
  double reflection(const Parameters& parameters, const Sources& sources) const;

  void visit_members(MemberCopier& copy) { copy(x_, y_, x_values_, y_values_, any_); }

 private:
  std::vector<Real> factors(const Parameters& parameters, int count, Boundary low, Boundary high) const;

  Backend& backend_;
  int width_, height_;
  Array<Real> x_, y_;  // by column and row
  std::vector<Real> x_values_, y_values_;
  bool any_ = false;
  // The last result of reflection, and its inputs.
  mutable std::vector<double> reflected_of_;
  mutable double reflected_ = 0;
};

extern template class Sponge<float>;
extern template class Sponge<double>;

}  // namespace perturb::wave
