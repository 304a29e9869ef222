// The sponge: damping along absorbing sides, for waves that come in at a slant. It grows with the depth into it to the
// power of 2.5: less smooth, a sponge of five wavelengths throws waves back where it begins; smoother, one of a single
// wavelength has too little of it.
#pragma once

#include <vector>

#include "cuda/core/field.h"
#include "cuda/core/moment.h"
#include "cuda/wave/wave_params.h"
#include "cuda/wave/wave_pass.h"

namespace perturb::wave {

// Held by column and by row, as factors of a step's weights (wave_pass.h), such that away from the corners the damping
// k and the sponge's add up.
template <class Real>
class Sponge {
 public:
  Sponge(Backend& backend, int width, int height) : backend_(backend), width_(width), height_(height) {}

  // As these parameters have it. Throws Error when memory runs out, with nothing changed.
  void prepare(const Parameters& parameters);
  // Nothing is added where no side has a sponge.
  void add_to(Pass<Real>& pass) const;

  void name_members(Copier& copy) { copy(x_, y_, x_values_, y_values_, any_); }

 private:
  std::vector<Real> factors(const Parameters& parameters, int count, Boundary low, Boundary high) const;

  Backend& backend_;
  int width_, height_;
  Array<Real> x_, y_;  // by column and row
  std::vector<Real> x_values_, y_values_;
  bool any_ = false;
};

extern template class Sponge<float>;
extern template class Sponge<double>;

}  // namespace perturb::wave
