// The paper's sweeps, growth of time with the number of discs, and divergence by rounding.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cuda/core/backend/field.h"
#include "cuda/core/simulation/setup.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/state.h"
#include "cuda/particles/model/grid.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

namespace perturb::particles {

std::vector<Study> particles_studies();

// The largest of the paper's numbers of discs that a study takes: as many as the user's --size has discs; on a
// processor the last ones take minutes and are measured on request only (--long, --size). Throws InputError for a size
// below the smallest.
int max_discs_of_studies(bool cuda, const Setup& scene);
// The paper's numbers of discs above `most`, for the note of a table that does not have them.
std::string particles_left_out(int most);

// The paper's sweeps, for its numbers of discs up to `most`.
StudyResult sweeps_study(Backend& backend, int most, const StudyProgress& progress);

// The paper's figures about parts of a step, for its numbers of discs up to `most`.
StudyResult figures_study(Backend& backend, int most, const StudyProgress& progress);

// First step at which no disc is equal, for variants and backends with the same start: the paper's figure 7.
StudyResult divergence_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// Note of a claim if some steps of full divergence are beyond the `most` that were taken: how many, and the value used
// for them; else empty.
std::string never_diverged(const std::vector<double>& steps, int most);

// Finding about a gain that the paper gives as a range, "2 to 3 times": agreement of the measured gain with its middle.
// A test of the upper end alone would hold without any gain.
void add_gain_finding(std::vector<Finding>& findings, const std::string& what, const std::string& of, const char* place,
                      const std::vector<double>& quick, const std::vector<double>& slow);

// The exponent b of y = a x^b by least squares of logarithms, and half the width of its 95 % interval. Infinite for
// fewer than three points.
struct Power {
  double exponent = 0, half_width = 0;
};
Power power_of(const std::vector<CurvePoint>& points);

// "Grows as N squared": whether 2 is within the 95 % interval of the exponent (or within `smallest_effect` of it), over
// N = 8000 to 32 000 on every machine. Not measured with fewer discs, or if the interval is wider than one power to
// either side, which would not tell N squared from N.
void add_square_finding(std::vector<Finding>& findings, const std::string& what, const char* place,
                        std::vector<CurvePoint> points);

// The paper's figure 19: time of a step of all pairs, and of its loops over discs, against the threads per block of
// these loops, in groups of the given number of steps; and whether the blocks of either kind of
// loop change a step by less than its repeats differ. CUDA only: elsewhere all of them are equal.
StudyTable disc_blocks(Backend& backend, int count, int steps, StudyPlot& plot, std::vector<Finding>& findings);
// The block size that the paper used in figure 19 ("C2") and in figure 20 ("C1").
int paper_block(const char* figure, const char* kernels);

// The N at which two curves of time against N cross, the second being shorter at first: by straight lines between the
// logarithms of the points on either side. 0: before the first point; infinite: after the last.
double crossing(const std::vector<CurvePoint>& longer_first, const std::vector<CurvePoint>& longer_later);

// Candidates on straight paths in the step after this FP64 state of equal discs: collisions of two discs, and of a disc
// with a wall.
struct Candidates {
  double pairs = 0, walls = 0;
};
Candidates particles_candidates(Backend& backend, const Setup& setup, const State& state);

// The host's part of that step as the paper wrote it: its candidates ordered by the C library's qsort, then filtered.
// The simulation orders them by std::sort, with the same result. Discs without a partner have -1 or less.
struct QsortFilter {
  double seconds = 0;
  std::vector<int> best;  // [disc]: the partner with which it settles
};
QsortFilter qsort_and_filter(Backend& backend, const Setup& setup, const State& state);

// "The speed-up initially grows linearly up to some N and then tapers off" (section 7.2): from gains over the CPU in
// repeats, by number of discs, the growth per doubling of N, and the first N after which it is nearer to none than to
// linear growth. Empty for fewer than three numbers of discs.
struct GainGrowth {
  StudyTable table;
  std::vector<Finding> findings;
};
GainGrowth gain_growth(const std::map<int, std::vector<double>>& gains);

// Kinds of memory for the check of pairs, and threads that add to one counter.
StudyResult memory_study(Backend& backend, const Setup& setup, const StudyProgress& progress);
// The counters of that study after its additions, for a test.
std::vector<int> particles_additions(Backend& backend, int threads, int counters);

// Threads per block of both kinds of loops for the paper's numbers of discs up to `most`. CUDA.
StudyResult chunks_study(Backend& backend, int most, const StudyProgress& progress);

// The paper's rule compared with the exact one.
StudyResult rules_study(Backend& backend, const Setup& setup, const StudyProgress& progress);

// Value of a parameter in a setup, else its default.
double disc_parameter(const Setup& setup, const char* id);

struct Variant {
  const char* label;
  const char* kernel;
  bool single, contraction;
};
// Gas with the paper's numbers (the parameters' defaults) in a variant, from a start made here.
Setup report_setup(int count, const Variant& variant);
std::unique_ptr<Simulation> make_discs(Backend& backend, const Setup& setup, const char* kernel);

// The best of a few measurements, after first steps that allocate memory.
double seconds_per_step(Simulation& run);

// ---- loops
//
// Equal discs of a saved state in a backend's memory, for studies of single loops.

// The discs of an FP64 state. Box and radius are the defaults where `setup` does not give them.
class StateDiscs {
 public:
  StateDiscs(Backend& backend, const Setup& setup, const State& state);
  const Grid<double>& grid() const { return grid_; }

 private:
  Array<Disc<double>> there_;
  Grid<double> grid_;
};

}  // namespace perturb::particles
