// Statements of the paper's tables 4.2 to 4.8 and its text, checked against the measurements.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cuda/core/bench/paper_table.h"
#include "cuda/core/bench/study.h"
#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

const char* kernel_word(Kernel kernel);

// The paper's table of a degree with its own integration level, or with level 10; empty if it has none.
std::string table_of(const PaperTable& paper, int degree, bool own_level);
// The first level of p = 2 at which the paper's GPU is faster; it determines the number of unknowns. 0: none.
int crossing_level(const PaperTable& paper);

// The mean number of cells whose integrals contribute to an entry of the matrices of a uniform cover. A line of n
// patches has 3n - 2 overlapping pairs and 5n - 4 intervals in such pairs: 3 of a patch with itself (2 at an end), 1 of
// neighbours.
double cells_of_entry(int level);

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
// At a level, and where the paper's GPU becomes faster. `rate_over_core`: the GPU's FP64 rate divided by that of one
// core; 0 without a GPU, which omits the statements about GPUs.
StudyTable table_findings(const PaperTable& paper, std::map<TableRow, Times>& measured, int level,
                          double rate_over_core);

}  // namespace perturb::membrane
