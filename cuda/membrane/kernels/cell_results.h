// The source's way to assemble (Kanis 2012, figure 3.6): the host lists cells by their number of patches; of as many
// as fit into a buffer each thread integrates one, into result matrices of its own; they are copied back, and the host
// adds them to the global matrices. For the studies: the simulation's `cells` adds to the global matrices at once.
#pragma once

#include <vector>

#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

// Seconds of each part of a run.
struct CellSeconds {
  double schedule = 0, there = 0, evaluate = 0, back = 0, insert = 0;
  double all() const { return schedule + there + evaluate + back + insert; }
};

class CellResults {
 public:
  // A uniform cover of one degree. Result matrices of at most `buffer_bytes` at a time, but at least one cell's. Throws
  // Error where there is no memory.
  CellResults(Backend& backend, const Structure& structure, std::size_t buffer_bytes = std::size_t{256} << 20);

  // K, M and F from nothing, without the boundary's terms, as in the source's experiments.
  CellSeconds run(const Form& form);

  // How the cells' numbers lie in the buffer: entry by entry, neighbouring cells' side by side, as a GPU's threads
  // write them at once, or cell by cell, as a processor's do. Each has its own; the matrices are the same.
  void set_entries_first(bool entries_first) { entries_first_ = entries_first; }

  // As the simulation keeps them: blocks by rows of patches.
  const std::vector<double>& stiffness() const { return stiffness_; }
  const std::vector<double>& mass() const { return mass_; }
  const std::vector<double>& load() const { return load_; }

  // Bytes of the host's memory.
  static std::size_t bytes(int level, int degree);

 private:
  void insert(const std::vector<int>& cells, int begin, int count, int over);

  Backend& backend_;
  const Structure& structure_;
  std::size_t most_numbers_;  // in the buffer
  bool entries_first_;
  Space space_;
  Array<int> schedule_;
  Array<double> results_;
  std::vector<double> back_;
  std::vector<double> stiffness_, mass_, load_;
};

}  // namespace perturb::membrane
