// The sponge: damping along absorbing sides, for waves that come in at a slant. It grows with the depth into it to the
// power of 2.5: less smooth, a sponge of five wavelengths throws waves back where it begins; smoother, one of a single
// wavelength has too little of it.
#pragma once

#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/state_copy.h"
#include "cuda/wave/model/source.h"
#include "cuda/wave/model/step_params.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {

// The share of its height with which a wave of this frequency that runs straight at an absorbing side comes back from
// the sponge and the side: the scheme solved for this one frequency, cell by cell from the side inwards. A sponge that
// is strong for a wave it is short for turns it back, as any sudden damping does. 0 where the grid carries no such
// wave.
double sponge_reflection(const Parameters& parameters, double frequency);

// Held by column and by row, as factors of a step's weights (model/step_params.h), such that away from the corners the
// damping k and the sponge's add up.
template <class Real>
class Sponge {
 public:
  Sponge(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // As these parameters have it. Throws Error when memory runs out, with nothing changed.
  void prepare(const Parameters& parameters);
  // Nothing is added where no side has a sponge.
  void add_to(StepParams<Real>& params) const;
  bool is_active() const { return any_; }
  // The largest share (sponge_reflection) among the waves of these sources, in open water. Those behind a source that
  // moves are longer.
  double reflection(const Parameters& parameters, const Sources& sources) const;

  void visit_members(MemberCopier& copy) { copy(x_, y_, x_values_, y_values_, any_); }

 private:
  std::vector<Real> factors(const Parameters& parameters, int count, Boundary low, Boundary high) const;

  Backend& backend_;
  int width_, height_;
  Array<Real> x_, y_;  // by column and row
  std::vector<Real> x_values_, y_values_;
  bool any_ = false;
  // The last answer of reflection, and what it is of.
  mutable std::vector<double> reflected_of_;
  mutable double reflected_ = 0;
};

extern template class Sponge<float>;
extern template class Sponge<double>;

}  // namespace perturb::wave
