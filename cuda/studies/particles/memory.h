// The kinds of memory that the discs' paper chose between for its check of pairs (its section 3.2), as kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/particles/model/cell.h"

namespace perturb::particles {

// Where the parameters of the check are, and where a thread keeps its two discs.
enum class CheckMemory {
  constant,     // parameters in constant memory, discs in local memory (registers): the paper's
  global,       // parameters in global memory
  shared,       // parameters in shared memory
  discs_shared  // parameters in constant memory, discs in shared memory
};
const char* name_of(CheckMemory memory);

struct CheckNumbers {
  double reach = 0;  // distance at which two discs touch
  int count = 0;
};
// Puts the parameters into constant memory.
void set_check_numbers(Backend& backend, const CheckNumbers& numbers);
// Counts the pairs among these discs that collide within a step of straight paths, and adds the number to `counter`. In
// the paper's blocks over the folded triangle. `numbers`: those of `set_check_numbers`; `global`: the same in the
// device's memory, as are discs and counter. CUDA.
void count_pairs_from(Backend& backend, CheckMemory memory, const CheckNumbers& numbers, const CheckNumbers* global,
                      const Disc<double>* discs, std::int64_t* counter);

// Memory that host and device both address, and that the driver moves between them. CUDA.
class ManagedDiscs {
 public:
  ManagedDiscs(Backend& backend, std::size_t count);
  ~ManagedDiscs();
  ManagedDiscs(const ManagedDiscs&) = delete;
  ManagedDiscs& operator=(const ManagedDiscs&) = delete;
  Disc<double>* data() const { return discs_; }

 private:
  Disc<double>* discs_ = nullptr;
};

}  // namespace perturb::particles
