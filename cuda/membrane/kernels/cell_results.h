// Assembly as in the paper (Kanis 2012, figure 3.6). The host lists the cells by their number of patches. It integrates
// as many at a time as fit into a buffer, one per thread, each into its own result matrices. These are copied back, and
// the host adds them to the global matrices. Used by the studies; the simulation's kernel `cells` adds to the global
// matrices directly.
//
// As there, a block has 128 threads (its section 3.5). Unlike there, the numbers of functions and of patches are
// constants of the compiled kernel: there is one for each degree and number of patches over a cell. The paper fixes
// their largest values when it compiles, sets the sizes of the result matrices in the kernel and loops over the patches
// (its sections 3.3, 3.4 and 3.5.3, algorithm 3.1). It also transfers the extent of each cell and the extents and types
// of its patches (section 3.3). Here the patches are on the device before a run, which transfers one number for each
// cell.
#pragma once

#include <vector>

#include "cuda/membrane/model/assembly.h"

namespace perturb::membrane {

constexpr int cell_results_block = 128;  // threads

// Seconds of each part of a run.
struct CellSeconds {
  double schedule = 0, there = 0, evaluate = 0, back = 0, insert = 0;
  double all() const { return schedule + there + evaluate + back + insert; }
};

class CellResults {
 public:
  // For a uniform cover of one degree. The buffer holds result matrices of at most `buffer_bytes`, but at least one
  // cell's. Throws Error if there is not enough memory.
  CellResults(Backend& backend, const Structure& structure, std::size_t buffer_bytes = std::size_t{256} << 20);

  // Computes K, M and F without the boundary terms, which equation 2.7 of the paper leaves out too.
  CellSeconds run(const Form& form);

  // Layout of the results in the buffer. Entry by entry, with neighbouring cells next to each other: threads of a GPU
  // write these together. Or cell by cell: better for a CPU. Each backend uses its own layout; the matrices are the
  // same.
  void set_entries_first(bool entries_first) { entries_first_ = entries_first; }

  // Limits the registers of the kernel for cells with four patches, so that a multiprocessor holds
  // `limited_blocks` blocks of 256 threads: section 4.3 of the paper.
  static constexpr int limited_blocks = 4;
  void limit_registers(bool limited) { limited_ = limited; }

  // In the layout of the simulation: blocks by rows of patches.
  const std::vector<double>& stiffness() const { return stiffness_; }
  const std::vector<double>& mass() const { return mass_; }
  const std::vector<double>& load() const { return load_; }

  // Bytes of host memory.
  static std::size_t bytes(int level, int degree);

 private:
  void insert(const std::vector<int>& cells, int begin, int count, int over);

  Backend& backend_;
  const Structure& structure_;
  std::size_t max_numbers_;  // capacity of the buffer
  bool entries_first_, limited_ = false;
  Space space_;
  Array<int> schedule_;
  Array<double> results_;
  std::vector<double> back_;
  std::vector<double> stiffness_, mass_, load_;
};

// Registers, shared memory and occupancy of the kernel for a degree and a number of patches over a cell (1, 2 or 4);
// zero on the CPU.
LaunchShape cell_results_shape(const Backend& backend, int degree, int over, bool limited = false);

}  // namespace perturb::membrane
