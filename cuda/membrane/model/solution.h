// The solution of the membrane's equation, kept up with the parameters: what has changed is assembled and solved anew.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/model/modes.h"
#include "cuda/membrane/model/motion.h"
#include "cuda/membrane/state/saved.h"

namespace perturb::membrane {

class Solution {
 public:
  // Throws Error when memory is short. There is no solution before the first follow().
  Solution(Backend& backend, const Cover& cover, const Parameters& p);

  const Discretisation& discretisation() const { return *discretisation_; }
  Discretisation& discretisation() { return *discretisation_; }
  const Cover& cover() const { return discretisation_->cover(); }
  const Structure& structure() const { return discretisation_->structure(); }

  // What the solution belongs to, how its solve went, and what is wrong with it, in a sentence with a remedy. Where a
  // solve does not converge the last solution is kept; that is wrong once it has been so for `max_failed_steps` steps.
  const Parameters& parameters() const { return solved_; }
  const Solved& solve() const { return last_; }
  // Whether anything has been solved since the run began or was loaded.
  bool has_solved() const { return has_solved_; }
  const std::string& error() const { return error_; }
  static constexpr int max_failed_steps = 60;
  // Whether there is one on this cover and by this kernel.
  bool exists() const { return solved_once_; }

  // Takes the memory that these parameters ask for. Throws InputError when it is short.
  void prepare_for(const Parameters& p);
  // Makes the solution fit the parameters by the kernel with this id; true where it solved anew. Given up, it leaves
  // the last solution, and matrices that are made anew before they are used.
  bool update(const Parameters& p, const std::string& kernel);
  // A step of a membrane that moves in time, after follow(); `drive` is what the load is multiplied by. Whether it has
  // moved: it has not where the solve did not converge. Throws Stopped, and then nothing has moved.
  bool move(double drive);
  // A step towards the membrane's modes, after follow(), and the one with this number as the solution; false: both were
  // there. Throws Stopped, and then nothing has changed.
  bool find_modes(int number);
  const Modes& modes() const { return modes_; }
  int shown_mode() const { return shown_mode_; }  // 0: none yet
  // Strikes it, after follow(). Throws Error where that fails; then nothing has changed.
  void strike(const Strike& strike, const std::string& kernel);
  // The next follow() assembles and solves, whatever has changed.
  void forget() { solved_once_ = false; }
  // Another cover: everything is made anew, and only then is the old one given up. Throws InputError when memory is
  // short.
  void take_cover(const Cover& cover, const Parameters& p);

  // The kernel that `id` comes to on this cover.
  Kernel resolve_kernel(const std::string& id) const;

  void save_to(Saved& saved) const;
  // Takes a saved solution, and assembles its matrices and its load by that kernel, without solving again. Throws
  // InputError when memory is short for its cover; then nothing has changed.
  void load_from(const Saved& saved, const Parameters& p, const std::string& kernel);

 private:
  // A solve has been made; or, with the last one, a step more has passed.
  void record_solve(const Solved& solve);

  Backend& backend_;
  std::unique_ptr<Discretisation> discretisation_;
  Parameters solved_, good_for_;  // what was solved for last, and what the solution that there is belongs to
  int failed_steps_ = 0;
  // `stale_`: given up, so that matrices and preconditioner may be half made.
  bool solved_once_ = false, stale_ = false;
  double prepared_ = 0;      // the shift of the preconditioner
  bool unprepared_ = false;  // it was made for something else since
  Motion motion_;
  Modes modes_;
  int shown_mode_ = 0;
  Solved last_;
  bool has_solved_ = false;
  std::string error_;
};

// Whether two sets of parameters have the same load; and whether they ask for the same exact solution.
bool same_source(const Parameters& a, const Parameters& b);
bool same_exact_solution(const Parameters& a, const Parameters& b);

}  // namespace perturb::membrane
