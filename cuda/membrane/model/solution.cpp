#include "cuda/membrane/model/solution.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cuda/core/backend/stop.h"
#include "cuda/core/simulation/format.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/theory.h"
#include "cuda/membrane/setup.h"

namespace perturb::membrane {

namespace {

// Whether two sets of parameters have the same matrices, and whether they have the same solution.
bool same_matrices(const Parameters& a, const Parameters& b) {
  for (int side = 0; side < 4; ++side)
    if (a.side_of(side) != b.side_of(side)) return false;
  return a.overlap == b.overlap && membrane_domain(a) == membrane_domain(b) &&
         a.integration_level == b.integration_level && a.basis == b.basis && a.nitsche == b.nitsche;
}
bool same_solver(const Parameters& a, const Parameters& b) {
  return a.preconditioner == b.preconditioner && a.tolerance == b.tolerance && a.max_iterations == b.max_iterations &&
         a.solver == b.solver;
}
// Whether the equations differ by their right-hand side at most.
bool same_system(const Parameters& a, const Parameters& b) {
  if ((a.in_time() || a.is_complex() || b.is_complex()) && a.damping != b.damping) return false;
  if (a.in_time() && a.time_step != b.time_step) return false;
  return same_matrices(a, b) && a.sigma == b.sigma && a.frequency == b.frequency && same_solver(a, b);
}
bool same_problem(const Parameters& a, const Parameters& b) { return same_system(a, b) && same_source(a, b); }

bool same_rim(const Parameters& a, const Parameters& b) {
  return a.rim == b.rim && a.corner_bottom_left == b.corner_bottom_left &&
         a.corner_bottom_right == b.corner_bottom_right && a.corner_top_left == b.corner_top_left &&
         a.corner_top_right == b.corner_top_right && a.rim_height == b.rim_height && a.rim_waves == b.rim_waves;
}

// The shift of the matrix K + shift·M that is solved.
struct Shift {
  double solved;          // offset from the mode at a resonance
  bool definite;          // whether the matrix is
  double preconditioned;  // the preconditioner must be definite in any case
};
Shift shift_of(const Parameters& p, bool is_resonant) {
  if (p.modal()) return {Modes::shift, true, Modes::shift};
  if (p.in_time()) {
    const double step = step_shift(p);
    return {step, step > 0, std::abs(step)};
  }
  const double shift = is_resonant ? p.shift() + detuning(p) : p.shift();
  const bool definite = shift > 0 || (shift == 0 && lowest_eigenvalue(p) > 0);
  return {shift, definite, definite ? shift : std::abs(shift)};
}

Message stopped_at(const Solved& solve, const Parameters& p) {
  return Message("The solver stopped after {} iterations at a residual of {} of the load; the tolerance is {}.",
                 solve.iterations, format_number(solve.residual, 3),
                 format_number(solve.tolerance > 0 ? solve.tolerance : p.tolerance, 3));
}

Message not_converged(const Solved& solve, const Parameters& p) {
  return stopped_at(solve, p) + "The last solution is kept." + solver_remedy(p);
}

// A trial of a change takes at most this many iterations: without a limit it could take minutes.
constexpr int max_of_trial = 2000;

}  // namespace

Message solver_remedy(const Parameters& p) {
  return p.solver == SolverChoice::iterative
             ? "Choose the solver \"Automatic\", raise the maximum iterations or the tolerance, or choose the "
               "multilevel preconditioner."
             : "Raise the maximum iterations or the tolerance, or choose the multilevel preconditioner.";
}

bool membrane_wants_spectrum(const Parameters& p) {
  return p.solver == SolverChoice::automatic && p.assembly == Assembly::when_needed &&
         (p.motion != Movement::steady || p.frequency > 0 || p.sweep != 0);
}

bool same_source(const Parameters& a, const Parameters& b) {
  if (a.load != b.load || a.source_strength != b.source_strength || !same_rim(a, b)) return false;
  if (a.load == Load::mode) return a.mode_x == b.mode_x && a.mode_y == b.mode_y && a.shift() == b.shift();
  if (a.load == Load::formula) return a.load_formula == b.load_formula;
  return a.source_x == b.source_x && a.source_y == b.source_y && a.source_width == b.source_width;
}

bool same_exact_solution(const Parameters& a, const Parameters& b) {
  for (int side = 0; side < 4; ++side)
    if (a.side_of(side) != b.side_of(side)) return false;
  return same_source(a, b) && a.domain == b.domain && a.sigma == b.sigma && a.frequency == b.frequency &&
         a.damping == b.damping && a.motion == b.motion;
}

Solution::Solution(Backend& backend, const Cover& cover, const Parameters& p)
    : backend_(backend),
      discretisation_(std::make_unique<Discretisation>(backend, cover, p)),
      motion_(backend),
      modes_(backend) {
  if (p.in_time()) discretisation_->enable_time_stepping();
  if (p.may_be_complex()) discretisation_->enable_quadrature();
}

void Solution::prepare_for(const Parameters& p) {
  if (!p.may_be_complex() || discretisation_->has_quadrature()) return;
  require_memory(backend_, Discretisation::quadrature_bytes(structure().unknowns), "A damped vibration needs", smaller);
  discretisation_->enable_quadrature();
}

void Solution::take_cover(const Cover& cover, const Parameters& p) {
  require_memory(backend_, Discretisation::bytes(cover, p.overlap, membrane_domain(p)), "This cover needs", smaller);
  auto made = std::make_unique<Discretisation>(backend_, cover, p);
  if (p.in_time()) made->enable_time_stepping();
  if (p.may_be_complex() || solved_.may_be_complex())
    made->enable_quadrature();  // the old solution is shown until the next solve
  made->guess_from(*discretisation_);
  discretisation_ = std::move(made);
  modes_.clear();
  shown_mode_ = 0;
  forget();
}

Kernel Solution::resolve_kernel(const std::string& id) const {
  if (!structure().uniform) return Kernel::rows;
  if (id == "rows") return Kernel::rows;
  // Also for "auto": `tensor` is ten to forty times as fast as `rows` at every degree, on both backends. The two differ
  // in rounding, so the choice does not depend on timings.
  return id == "cells" ? Kernel::cells : Kernel::tensor;
}

bool Solution::update(const Parameters& p, const std::string& kernel_id) {
  Discretisation& d = *discretisation_;
  const bool every_step = p.assembly == Assembly::every_step;
  const bool same_again = solved_once_ && !stale_ && same_problem(p, solved_);
  if (same_again && !last_.converged && p.motion == Movement::steady) record_solve(Solved(last_));
  if (same_again && !every_step) return false;
  const bool matrices = !solved_once_ || stale_ || every_step || !same_matrices(p, solved_);
  const bool same_load = solved_once_ && same_source(p, solved_) && !matrices;
  const Kernel kernel = resolve_kernel(kernel_id);
  d.set_basis(p.basis);
  if (solved_once_ && p.basis != solved_.basis) {
    // Coefficients of another basis.
    d.solution().fill_zero();
    d.velocity().fill_zero();
    d.quadrature().fill_zero();
  }
  const Form form = membrane_form(p, d.structure().highest_degree);
  // Not interruptible with coefficients of another basis: there would be no last solution to keep.
  std::optional<InterruptibleScope> here;
  here.emplace(backend_, !solved_once_ || p.basis == solved_.basis);
  stale_ = true;
  if (matrices) prepared_ = false;
  if (!same_matrices(p, solved_) || !same_solver(p, solved_)) d.solver().set_factors(false);
  // The iteration takes hundreds of steps for enriched patches, whose singular functions are nearly polynomials.
  if (p.may_factor() && membrane_domain(p).enriches()) d.solver().set_factors(true);
  if (matrices || !same_load) d.assemble(kernel, form, matrices, !same_load);
  if (same_again) {  // bit-identical input
    stale_ = false;
    return false;
  }
  const Shift shift = shift_of(p, membrane_is_resonant(p));
  const double coupling = p.is_complex() ? p.damping * p.frequency : 0;
  const SolveOptions options{p.preconditioner, p.tolerance, p.max_iterations, p.may_factor()};
  Solved solve;
  if (is_direct(p, shift.solved, coupling)) {
    here.reset();  // writes the solution itself, in a fraction of a millisecond
    if (p.motion == Movement::steady)
      solve = solve_directly(d.spectrum(), shift.solved, coupling, d.load().data(), d.solution().data(),
                             p.is_complex() ? d.quadrature().data() : nullptr);
  } else {
    prepare_iteration(p, form);
    if (p.is_complex())
      solve = d.solve_complex(shift.solved, coupling, options);
    else if (p.motion == Movement::steady)
      solve = d.solve(shift.solved, shift.definite, options);
  }
  if (p.modal()) {
    modes_.make_room(d);
    modes_.invalidate();
  }
  here.reset();
  stale_ = false;
  solved_ = p;
  solved_once_ = true;
  if (p.motion == Movement::steady) record_solve(solve);
  return true;
}

bool Solution::is_direct(const Parameters& p, double shift, double coupling) {
  const bool mirror_x = p.boundary_left == p.boundary_right, mirror_y = p.boundary_bottom == p.boundary_top;
  if (!membrane_wants_spectrum(p) || !Spectrum::fits(structure(), mirror_x, mirror_y)) return false;
  discretisation_->compute_spectrum(mirror_x, mirror_y);
  // Modes have a tolerance of their own.
  return discretisation_->spectrum().usable() &&
         (p.modal() || discretisation_->spectrum().residual(shift, coupling) <= p.tolerance);
}

void Solution::prepare_iteration(const Parameters& p, const Form& form) {
  const double shift = shift_of(p, membrane_is_resonant(p)).preconditioned;
  if (prepared_ && prepared_shift_ == shift && prepared_kind_ == p.preconditioner) return;
  prepared_ = false;
  discretisation_->solver().prepare(discretisation_->matrix(shift), form, p.preconditioner);
  prepared_ = true;
  prepared_shift_ = shift;
  prepared_kind_ = p.preconditioner;
}

void Solution::record_solve(const Solved& solve) {
  last_ = solve;
  has_solved_ = true;
  failed_steps_ = solve.converged ? 0 : failed_steps_ + 1;
  error_ = failed_steps_ > max_failed_steps ? not_converged(solve, solved_) : std::string();
  if (solve.converged) good_for_ = solved_;
}

bool Solution::move(double drive) {
  const bool direct = is_direct(solved_, step_shift(solved_), 0);
  if (!direct) prepare_iteration(solved_, membrane_form(solved_, structure().highest_degree));
  record_solve(motion_.step(*discretisation_, solved_, drive, direct));
  return last_.converged;
}

bool Solution::find_modes(int number) {
  if (modes_.settled() && shown_mode_ == number) return false;
  if (!modes_.settled()) {
    if (is_direct(solved_, Modes::shift, 0) && Modes::can_take(discretisation_->spectrum())) {
      record_solve(modes_.take(*discretisation_, solved_));
    } else {
      prepare_iteration(solved_, membrane_form(solved_, structure().highest_degree));
      record_solve(modes_.improve(*discretisation_, solved_));
    }
  }
  if (!last_.converged) return false;
  modes_.show(*discretisation_, number);
  shown_mode_ = number;
  return true;
}

void Solution::strike(const Strike& strike, const std::string& kernel) {
  prepared_ = false;
  const Form form = membrane_form(solved_, structure().highest_degree);
  const Solved solved = motion_.strike(*discretisation_, solved_, form, resolve_kernel(kernel), strike);
  if (!solved.converged)
    throw InputError(Message("Cannot strike the membrane.") + stopped_at(solved, solved_) + solver_remedy(solved_));
}

bool Solution::may_factor(const Structure& structure, const Parameters& p) {
  return p.may_factor() && Factorization::fits(structure, p.is_complex());
}

Message Solution::failure_with(const Cover& cover, const Parameters& p, const std::string& kernel) const {
  // A run whose solver has failed must stay open to every remedy.
  if (!solved_once_ || !last_.converged) return {};
  const bool other_cover = cover.leaves() != this->cover().leaves() || p.overlap != structure().overlap ||
                           !(membrane_domain(p) == structure().domain);
  if (!other_cover && same_system(p, solved_)) return {};
  Parameters tried = p;
  tried.max_iterations = std::min(p.max_iterations, max_of_trial);
  try {
    if (may_factor(other_cover ? Structure(cover, p.overlap, membrane_domain(p)) : structure(), p)) return {};
    if (2 * Discretisation::bytes(cover, p.overlap, membrane_domain(p)) > backend_.free_memory()) return {};
    Saved saved;
    save_to(saved);
    saved.cover = this->cover();
    Solution trial(backend_, this->cover(), solved_);
    trial.load_from(saved, solved_, kernel);
    if (other_cover) trial.take_cover(cover, tried);
    trial.prepare_for(tried);
    if (tried.motion == Movement::steady) {
      // From rest: near its solution any solver converges, but the next drag of the load would fail.
      trial.discretisation_->solution().fill_zero();
      if (trial.discretisation_->has_quadrature()) trial.discretisation_->quadrature().fill_zero();
    }
    trial.update(tried, kernel);
    if (tried.in_time()) trial.move(1);
    if (tried.modal()) trial.find_modes(tried.mode_number);
    const Solved& solved = trial.last_;
    if (solved.converged) return {};
    return Message(
        "The solver would not converge: after {} iterations the residual would be {} of the load, and the tolerance is "
        "{}.",
        solved.iterations, format_number(solved.residual, 3), format_number(tried.tolerance, 3));
  } catch (const Error&) {
    return {};  // not enough memory for a copy, or rejected for another reason
  }
}

void Solution::save_to(Saved& saved) const {
  const Structure& s = structure();
  const std::size_t patches = s.patches.size(), block_side = static_cast<std::size_t>(s.most_functions());
  // Concatenates the vectors; each patch has space for the highest degree.
  const auto padded = [&](const std::vector<double>& vectors) {
    const auto n = static_cast<std::size_t>(s.unknowns);
    std::vector<double> out(vectors.size() / n * patches * block_side);
    for (std::size_t v = 0; v < vectors.size() / n; ++v)
      for (std::size_t i = 0; i < patches; ++i)
        std::copy_n(vectors.begin() + static_cast<std::ptrdiff_t>(v * n) + s.patches[i].first, s.patches[i].functions(),
                    out.begin() + static_cast<std::ptrdiff_t>((v * patches + i) * block_side));
    return out;
  };
  saved.coefficients = padded(discretisation_->solution().download());
  if (discretisation_->moves()) saved.velocities = padded(discretisation_->velocity().download());
  saved.solved_for = last_.converged || solved_.motion != Movement::steady ? solved_ : good_for_;
  if (saved.solved_for.is_complex()) saved.quadrature = padded(discretisation_->quadrature().download());
  if (solved_.modal() && !modes_.values().empty()) {
    saved.modes = padded(modes_.download());
    saved.mode_values = modes_.values();
    saved.mode_residuals = modes_.residuals();
  }
  saved.factors = discretisation_->solver().factors();
  saved.is_solved = solved_once_;
  for (std::size_t i = 0; i < patches; ++i) {
    const Patch& p = s.patches[i];
    saved.centers.insert(saved.centers.end(), {p.x, p.y});
    saved.halves.push_back(p.half);
    saved.degrees.push_back(cover().leaves()[i].degree);  // a patch outside of the domain has none of its own
  }
}

void Solution::load_from(const Saved& saved, const Parameters& p, const std::string& kernel) {
  const Parameters& solved_parameters = saved.solved_for.may_be_complex() ? saved.solved_for : p;
  // The cover may differ from the setup's after manual refinement.
  std::unique_ptr<Discretisation> made;
  if (saved.cover.leaves() != cover().leaves()) {
    require_memory(backend_, Discretisation::bytes(saved.cover, p.overlap, membrane_domain(p)), "The saved cover needs",
                   smaller);
    made = std::make_unique<Discretisation>(backend_, saved.cover, p);
    if (p.in_time()) made->enable_time_stepping();
    if (solved_parameters.may_be_complex()) made->enable_quadrature();
  } else {
    prepare_for(solved_parameters);
  }
  // Saved patches are in the cover's order, or in that of another program: found by their position.
  const Structure& s = made ? made->structure() : structure();
  const std::size_t patches = saved.centers.size() / 2, block_side = saved.coefficients.size() / patches;
  const auto taken = [&](const std::vector<double>& padded) {
    const auto n = static_cast<std::size_t>(s.unknowns);
    const std::size_t vectors = padded.size() / (patches * block_side);
    std::vector<double> out(vectors * n);
    for (std::size_t k = 0; k < patches; ++k) {
      const int at = saved.cover.find(saved.centers[2 * k], saved.centers[2 * k + 1]);
      const Patch& patch = s.patches[static_cast<std::size_t>(at)];
      for (std::size_t v = 0; v < vectors; ++v)
        std::copy_n(padded.begin() + static_cast<std::ptrdiff_t>((v * patches + k) * block_side),
                    std::min(patch.functions(), static_cast<int>(block_side)),
                    out.begin() + static_cast<std::ptrdiff_t>(v * n) + patch.first);
    }
    return out;
  };
  const std::vector<double> solution = taken(saved.coefficients), velocity = taken(saved.velocities);
  std::vector<double> quadrature = taken(saved.quadrature);
  if (solved_parameters.may_be_complex()) quadrature.resize(solution.size());
  if (saved.modes.empty())
    modes_.clear();
  else
    modes_.take(taken(saved.modes), saved.mode_values, saved.mode_residuals);
  shown_mode_ = 0;

  // Nothing below throws.
  if (made) discretisation_ = std::move(made);
  Discretisation& d = *discretisation_;
  d.set_basis(saved.solved_for.basis);
  d.solution().upload(solution);
  if (p.in_time()) d.velocity().upload(velocity);
  if (!quadrature.empty()) d.quadrature().upload(quadrature);
  const Form form = membrane_form(saved.solved_for, d.structure().highest_degree);
  d.assemble(resolve_kernel(kernel), form, true, true);
  d.solver().set_factors(saved.factors);
  prepared_ = false;
  solved_ = good_for_ = saved.solved_for;
  solved_once_ = saved.is_solved;
  stale_ = false;
  last_ = {};
  has_solved_ = false;
  failed_steps_ = 0;
  error_ = {};
}

}  // namespace perturb::membrane
