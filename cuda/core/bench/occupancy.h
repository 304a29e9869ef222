// How many blocks of a kernel a multiprocessor holds at once: registers, shared memory and block size in, occupancy
// out. By the rules of each compute capability, so that it answers for GPUs that are not at hand too, such as those
// that the published works measured on.
//
// Sources: NVIDIA, CUDA C Programming Guide (limits of a multiprocessor by compute capability), and how registers and
// shared memory are given out by NVIDIA's occupancy calculator and cuda_occupancy.h (CUDA 7.0 for 1.x and 2.x, 13.0 for
// the others). With a device the CUDA runtime's own answer is the same (a test asks it). On 1.x a kernel's parameters
// take shared memory too: whoever asks counts them.
#pragma once

#include <string>
#include <vector>

namespace perturb {

constexpr int threads_of_warp = 32;

// What a multiprocessor of a compute capability has, and how it is given out.
struct GpuRules {
  int compute_capability = 0;             // 13 for 1.3
  int most_block = 0;                     // threads of a block
  int most_threads = 0, most_blocks = 0;  // that are resident at once
  int registers = 0;                      // of 32 bits
  int most_registers = 0;                 // of a thread
  int most_registers_of_block = 0;
  int register_unit = 0;   // registers are given out in multiples of it:
  bool to_blocks = false;  // to a block as a whole (1.x), else to each warp
  int partitions = 1;      // into which the registers are cut; a warp's lie in one of them
  int warp_unit = 1;       // a block's warps count as a multiple of it
  int shared_bytes = 0, most_shared_bytes = 0, shared_unit = 0;  // of all, of a block; given out in multiples of it
  int reserved_shared_bytes = 0;                                 // taken for each block by the system
};

// Null for a compute capability that is not known here.
const GpuRules* gpu_rules(int compute_capability);

// The GPUs that the five published works used or name.
struct PaperGpu {
  std::string name;
  int compute_capability;
};
const std::vector<PaperGpu>& paper_gpus();

// What a kernel needs of its launch.
struct KernelNeeds {
  int block = 0;      // threads
  int registers = 0;  // of a thread
  int shared_bytes = 0;
};

enum class OccupancyLimit { threads, blocks, registers, shared_memory, not_launched };
const char* name_of(OccupancyLimit limit);

struct Occupancy {
  int blocks = 0;                                       // resident on a multiprocessor
  double share = 0;                                     // of the warps that could be resident
  OccupancyLimit limit = OccupancyLimit::not_launched;  // what allows no further block; where several do, the first
};
// No block is resident (`not_launched`) where the kernel cannot be launched at all.
Occupancy occupancy_of(const GpuRules& rules, const KernelNeeds& needs);

}  // namespace perturb
