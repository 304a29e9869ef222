// The studies of `perturb bench membrane` in addition to its kernels.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cuda/core/timing/timing_duration.h"
#include "cuda/membrane/model/assembly.h"
#include "cuda/membrane/model/discretisation.h"
#include "cuda/membrane/parameters.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/study.h"

namespace perturb::membrane {

std::vector<Study> membrane_studies();

constexpr int highest_level_of_tables = 10;  // of the paper's tables 4.2 to 4.8

// The paper's tables 4.2 to 4.8 up to a level (5 to 10), with its numbers next to the measured ones. `all`: includes
// the rows that take a CPU minutes.
enum class TableRows { quick, all };
StudyResult tables_study(Backend& backend, int highest_level, const StudyProgress& progress,
                         TableRows rows = TableRows::quick);
// The paper's assembly, part by part: the rows of its tables up to these levels (at least 5) and this degree.
// `max_seconds_on_a_core`: of a run on one core, as estimated from the level before; the lowest level always runs.
struct CellRows {
  int highest_level = 5, max_degree = membrane_max_degree;
  double max_seconds_on_a_core = 0;
};
StudyResult cells_study(Backend& backend, const CellRows& rows, const StudyProgress& progress);
// The error against the unknowns, with refinement by the estimate (accuracy.cpp).
StudyResult convergence_study(Backend& backend, const Setup& scene, const StudyProgress& progress);
// The list of modes, computed and from theory (accuracy.cpp).
StudyResult modes_study(Backend& backend, const Setup& scene, const StudyProgress& progress);

// ---- timings
//
// One cover on one backend, with memory for the matrices and the load only.

// Seconds of each call of `work`, repeated for a quarter of a second and at least `least`, at most 20 times.
template <class Work>
std::vector<double> membrane_repeats(Backend& backend, int least, const Work& work) {
  const double enough = timing_duration(0.25);
  std::vector<double> repeats;
  for (double spent = 0; repeats.size() < 20 && (static_cast<int>(repeats.size()) < least || spent < enough);) {
    repeats.push_back(seconds_to_run(backend, work));
    spent += repeats.back();
  }
  return repeats;
}

class Bench {
 public:
  Bench(Backend& backend, const Structure& structure)
      : backend_(backend),
        structure_(structure),
        space_(backend, structure),
        stiffness_(backend, static_cast<std::size_t>(structure.values), "stiffness matrix"),
        mass_(backend, static_cast<std::size_t>(structure.values), "mass matrix"),
        load_(backend, static_cast<std::size_t>(structure.unknowns), "load"),
        assembler_(backend) {}

  // Seconds to assemble K, M and F; integration level 0: that of the degree.
  std::vector<double> repeats(Kernel kernel, int integration_level, int least = 1) {
    Parameters p;
    p.integration_level = integration_level;
    const Form form = membrane_form(p, structure_.highest_degree);
    Targets to;
    to.stiffness = stiffness_.data();
    to.mass = mass_.data();
    to.load = load_.data();
    return membrane_repeats(backend_, least, [&] { assembler_.run(kernel, structure_, space_, form, to); });
  }

  // Bytes needed.
  static std::size_t bytes(int level, int degree) {
    return static_cast<std::size_t>(2 * uniform_values(level, degree) + uniform_unknowns(level, degree)) *
               sizeof(double) +
           Space::uniform_bytes(level) + (std::size_t{64} << 20);
  }

 private:
  Backend& backend_;
  const Structure& structure_;
  Space space_;
  Array<double> stiffness_, mass_, load_;
  Assembler assembler_;
};

// ---- findings
//
// Statements of the paper's tables 4.2 to 4.8 and its text, checked against the measurements (findings.cpp).

const char* id_in_options(Kernel kernel);

// The paper's table of a degree with its own integration level, or with level 10; empty if it has none.
std::string table_of(const PaperTable& paper, int degree, bool own_level);
// The first level of p = 2 at which the paper's GPU is faster; it determines the number of unknowns. 0: none.
int crossing_level(const PaperTable& paper);

// The number of unknowns from which a GPU is faster, from its time over that of one core by number of unknowns: by a
// straight line between the logarithms of the points on either side. 0: from the first point on; infinite: at none.
double crossing_unknowns(const std::vector<CurvePoint>& gpu_over_core);

// The mean number of cells whose integrals contribute to an entry of the matrices of a uniform cover. A line of n
// patches has 3n - 2 overlapping pairs and 5n - 4 intervals in such pairs: 3 of a patch with itself (2 at an end), 1 of
// neighbours.
double cells_of_entry(int level);

// A table of the paper: a degree with its own integration level, or with level 10.
struct DegreeTable {
  int degree;
  bool own_level;
};
// Repeated measurements of a row, in seconds; empty: not measured.
struct Times {
  std::vector<double> gpu, cpu, core;
  double unknowns = 0;
};
struct TableRow {
  int degree, level;
  bool own_level;
  Kernel kernel;
  bool operator<(const TableRow& other) const {
    return std::tie(degree, level, own_level, kernel) <
           std::tie(other.degree, other.level, other.own_level, other.kernel);
  }
};
using MeasuredRows = std::map<TableRow, Times>;

// The number that a table shows of repeats: the shortest, or the median.
using OneOf = double (*)(const std::vector<double>& repeats);

// The time of the GPU over that of one core by number of unknowns.
std::vector<CurvePoint> ratios_of(const MeasuredRows& measured, const DegreeTable& of, Kernel kernel, OneOf one_of);
// From which number of unknowns the GPU is faster, with the one number that the paper gives for it. Kernels by the name
// in the table.
StudyTable crossings_of(const PaperTable& paper, const MeasuredRows& measured,
                        const std::vector<std::pair<Kernel, std::string>>& kernels, OneOf one_of);

// Findings use rows with at least this number of repeats.
constexpr std::size_t repeats_of_finding = 5;
// Each statement at the largest level of which all its rows are repeated; `how` names the kernel in the claims.
std::vector<Finding> table_findings(const PaperTable& paper, const MeasuredRows& measured, Kernel kernel,
                                    const std::string& how, bool with_gpu);

}  // namespace perturb::membrane
