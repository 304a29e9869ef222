#include "cuda/fibers/kernels/stepper.h"

#include <vector>

#include "cuda/core/loops/parallel_for.h"
#include "cuda/fibers/model/contact.h"

namespace perturb::fibers {

namespace {

constexpr std::size_t stage_vectors = 8;  // of three numbers per fiber

}  // namespace

Stages::Stages(Backend& backend, int fibers) {
  for (Array<double>* array : {&x, &t, &v2, &w2, &v3, &w3, &v4, &w4})
    *array = Array<double>(backend, 3 * static_cast<std::size_t>(fibers), "stages of a step");
  contact = std::make_unique<ContactSearch>(backend, fibers);
}
std::size_t Stages::bytes(int fibers) {
  return static_cast<std::size_t>(fibers) * 3 * sizeof(double) * stage_vectors + ContactSearch::bytes(fibers);
}

bool Stepper::step(const Forcing& now, FiberState& state, Forces& forces) {
  if (now.parameters.scheme != Scheme::runge_kutta)
    multistep(now.parameters, state);
  else if (!runge_kutta(now, state, forces))
    return false;
  if (now.parameters.contact) push_apart(now.parameters, state);
  return true;
}

void Stepper::multistep(const Parameters& p, FiberState& s) {
  parallel_for(backend_, "fibers.step", Range1D{s.fibers},
               Multistep{p.scheme, !s.has_previous, p.time_step, s.x.data(), s.t.data(), s.x_previous.data(),
                         s.t_previous.data(), s.v.data(), s.w.data(), s.v_previous.data(), s.w_previous.data()});
  s.has_previous = true;
}

// The searches run on the backend, the pushes on the host: each depends on the one before, and they are few.
void Stepper::push_apart(const Parameters& p, FiberState& s) {
  Poses poses{s.x.data(), s.t.data(), p.box};
  poses.half_length = s.lengths.device();
  const std::vector<double> x = s.x.download(), t = s.t.download();
  std::vector<double> new_x = x, new_t = t;
  bool moved = false;
  const auto find = [&](double reach) {
    if (moved) {
      s.x.upload(new_x);
      s.t.upload(new_t);
    }
    moved = true;
    return stages_.contact->closer_than(reach, poses);
  };
  const Contacts contacts = push_fibers_apart(new_x.data(), new_t.data(), static_cast<std::size_t>(s.fibers),
                                              4 * p.slenderness, fiber_d(p.slenderness), p.box, s.lengths.host(), find);
  if (contacts.pairs == 0) return;
  // The previous step is shifted too: otherwise a two-step scheme would treat the push as a velocity and continue it.
  std::vector<double> x_previous = s.x_previous.download(), t_previous = s.t_previous.download();
  for (std::size_t k = 0; k < x.size(); ++k) {
    x_previous[k] += new_x[k] - x[k];
    t_previous[k] += new_t[k] - t[k];
  }
  for (std::size_t k = 0; k < x.size(); k += 3)
    if (new_t[k] != t[k] || new_t[k + 1] != t[k + 1] || new_t[k + 2] != t[k + 2]) normalise(&t_previous[k]);
  s.x.upload(new_x);
  s.t.upload(new_t);
  s.x_previous.upload(x_previous);
  s.t_previous.upload(t_previous);
}

bool Stepper::runge_kutta(const Forcing& now, FiberState& s, Forces& forces) {
  Stages& g = stages_;
  const double dt = now.parameters.time_step;
  const auto stage = [&](const Array<double>& v, const Array<double>& w, double h, Array<double>& to_v,
                         Array<double>& to_w) {
    parallel_for(backend_, "fibers.stage", Range1D{s.fibers},
                 Stage{s.x.data(), s.t.data(), v.data(), w.data(), h, g.x.data(), g.t.data()});
    return forces.find_at(now, g.x.data(), g.t.data(), to_v.data(), to_w.data(), s.a.data());
  };
  if (!stage(s.v, s.w, dt / 2, g.v2, g.w2) || !stage(g.v2, g.w2, dt / 2, g.v3, g.w3) ||
      !stage(g.v3, g.w3, dt, g.v4, g.w4))
    return false;
  parallel_for(backend_, "fibers.step", Range1D{s.fibers},
               RungeKutta{s.x.data(), s.t.data(), s.x_previous.data(), s.t_previous.data(), s.v.data(), s.w.data(),
                          g.v2.data(), g.w2.data(), g.v3.data(), g.w3.data(), g.v4.data(), g.w4.data(), dt});
  s.has_previous = false;
  return true;
}

}  // namespace perturb::fibers
