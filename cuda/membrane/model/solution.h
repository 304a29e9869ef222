// The solution of the membrane's equation, kept consistent with the parameters: changed parts are assembled and solved
// again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/model/saved.h"

namespace perturb::membrane {

class Solution {
 public:
  // Throws Error if there is not enough memory. There is no solution before the first update().
  Solution(Backend& backend, const Cover& cover, const Parameters& p);

  const Discretisation& discretisation() const { return *discretisation_; }
  Discretisation& discretisation() { return *discretisation_; }
  const Cover& cover() const { return discretisation_->cover(); }
  const Structure& structure() const { return discretisation_->structure(); }

  // The parameters of the solution, the result of its solve, and an error message with a remedy. If a solve does not
  // converge, the last solution is kept; after `max_failed_steps` such steps that is an error.
  const Parameters& parameters() const { return solved_; }
  const Solved& solve() const { return last_; }
  // Whether anything has been solved since the run started or was loaded.
  bool has_solved() const { return has_solved_; }
  const Message& error() const { return error_; }
  static constexpr int max_failed_steps = 60;
  // Whether there is a solution on this cover by this kernel.
  bool exists() const { return solved_once_; }

  // Allocates the memory for these parameters. Throws InputError if there is not enough.
  void prepare_for(const Parameters& p);
  // Updates the solution for the parameters with the kernel of this id; returns true if it solved again. If cancelled,
  // it keeps the last solution; the matrices are then assembled again before the next use.
  bool update(const Parameters& p, const std::string& kernel);
  // A step of a membrane that moves in time, after update(); `drive` is the factor of the load. Returns false if the
  // solver did not converge; the membrane then has not moved. Throws Stopped and then nothing has changed.
  bool move(double drive);
  // A step of the mode iteration, after update(), and the mode with this number as the solution; returns false if both
  // were up to date. Throws Stopped and then nothing has changed.
  bool find_modes(int number);
  const Modes& modes() const { return modes_; }
  int shown_mode() const { return shown_mode_; }  // 0: none yet
  // Strikes the membrane, after update(). Throws InputError if that fails; then nothing has changed.
  void strike(const Strike& strike, const std::string& kernel);
  // Whether the matrix is factored if the iteration fails, with these parameters on this cover.
  static bool may_factor(const Structure& structure, const Parameters& p);
  // Why the solver would not converge with other parameters or another cover, tried on a copy; empty: nothing, or
  // that is unknown.
  Message failure_with(const Cover& cover, const Parameters& p, const std::string& kernel) const;
  // Makes the next update() assemble and solve in any case.
  void forget() { solved_once_ = false; }
  // Changes the cover: creates everything for it and only then releases the old one. Throws InputError if there is not
  // enough memory.
  void take_cover(const Cover& cover, const Parameters& p);

  // The kernel that `id` selects on this cover.
  Kernel resolve_kernel(const std::string& id) const;

  void save_to(Saved& saved) const;
  // Takes a saved solution and assembles its matrices and load with that kernel, without solving again. Throws
  // InputError if there is not enough memory for its cover; then nothing has changed.
  void load_from(const Saved& saved, const Parameters& p, const std::string& kernel);

 private:
  // Whether a solution with this shift and coupling is direct: then the spectrum is computed.
  bool is_direct(const Parameters& p, double shift, double coupling);
  void prepare_iteration(const Parameters& p, const Form& form);
  // Records the result of a solve, or one more step with the last one.
  void record_solve(const Solved& solve);

  Backend& backend_;
  std::unique_ptr<Discretisation> discretisation_;
  Parameters solved_, good_for_;  // parameters of the last solve, and of the current solution
  int failed_steps_ = 0;
  // `stale_`: the last update was cancelled, so matrices and preconditioner may be incomplete.
  bool solved_once_ = false, stale_ = false;
  // The shift and the kind for which the preconditioner is prepared; not since the matrices have changed, or it was
  // prepared for another one.
  bool prepared_ = false;
  double prepared_shift_ = 0;
  Preconditioner prepared_kind_ = Preconditioner::none;
  Motion motion_;
  Modes modes_;
  int shown_mode_ = 0;
  Solved last_;
  bool has_solved_ = false;
  Message error_;
};

// Whether solutions for these parameters are direct if the cover is small enough: the matrices stay, but the right-hand
// side or the shift changes in many steps. A static load is solved once.
bool membrane_wants_spectrum(const Parameters& p);

// Remedy if the solver does not converge.
Message solver_remedy(const Parameters& p);

// Whether two sets of parameters have the same load, and whether they have the same exact solution.
bool same_source(const Parameters& a, const Parameters& b);
bool same_exact_solution(const Parameters& a, const Parameters& b);

}  // namespace perturb::membrane
