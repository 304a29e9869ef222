// Number of blocks of a kernel that a multiprocessor holds at once: from registers, shared memory and block size to
// occupancy. Uses the rules of each compute capability, so that it also covers GPUs that are not available, such as
// those of the papers.
//
// Sources: NVIDIA, CUDA C Programming Guide (limits of a multiprocessor by compute capability), and the allocation
// rules for registers and shared memory in NVIDIA's occupancy calculator and cuda_occupancy.h (CUDA 7.0 for 1.x and
// 2.x, 13.0 for the others). On a device the CUDA runtime gives the same result (checked by a test). On 1.x a kernel's
// parameters use shared memory too: the caller must include them.
#pragma once

#include <string>
#include <vector>

#include "cuda/core/backend/loop_blocks.h"

namespace perturb {

// Resources of a multiprocessor of one compute capability, and their allocation rules.
struct GpuRules {
  int compute_capability = 0;           // 13 for 1.3
  int max_block = 0;                    // threads per block
  int max_threads = 0, max_blocks = 0;  // resident at once
  int registers = 0;                    // 32-bit registers
  int max_registers = 0;                // per thread
  int max_registers_of_block = 0;
  int register_unit = 0;   // allocation granularity of registers:
  bool to_blocks = false;  // per block (1.x), otherwise per warp
  int partitions = 1;      // of the register file; a warp's registers are in one of them
  int warp_unit = 1;       // a block's warp count is rounded up to a multiple of it
  int shared_bytes = 0, max_shared_bytes = 0, shared_unit = 0;  // in total, per block; allocation granularity
  int reserved_shared_bytes = 0;                                // used by the system in each block
};

// Null for an unknown compute capability.
const GpuRules* gpu_rules(int compute_capability);

// The GPUs that the five papers used or name.
struct PaperGpu {
  std::string name;
  int compute_capability;
};
const std::vector<PaperGpu>& paper_gpus();

// Resource needs of a kernel launch.
struct KernelNeeds {
  int block = 0;      // threads
  int registers = 0;  // per thread
  int shared_bytes = 0;
};

enum class OccupancyLimit { threads, blocks, registers, shared_memory, not_launched };
const char* name_of(OccupancyLimit limit);

struct Occupancy {
  int blocks = 0;                                       // resident on a multiprocessor
  double share = 0;                                     // fraction of the maximum number of resident warps
  OccupancyLimit limit = OccupancyLimit::not_launched;  // the limiting resource; the first one if there are several
};
// No block is resident (`not_launched`) if the kernel cannot be launched at all.
Occupancy occupancy_of(const GpuRules& rules, const KernelNeeds& needs);

}  // namespace perturb
