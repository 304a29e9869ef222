// The part of a sweep's runs that one of several processes takes.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace perturb {

// Part `index` of `count`, both from 1. Neighbouring runs go to different parts, because they often take equally long.
struct Shard {
  std::size_t index = 1, count = 1;
  bool takes(std::size_t run) const { return run % count == index - 1; }  // `run`: from 0
};

// Reads the value of --shard:
//   "2/8"     part 2 of 8
//   "auto"    both from the array of a Slurm job: SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _STEP
//   "auto/8"  the part from SLURM_ARRAY_TASK_ID, HQ_TASK_ID (HyperQueue) or PARALLEL_SEQ (GNU parallel), from 1
// `variable`: an environment variable, if it is set. Throws InputError.
Shard read_shard(const std::string& text,
                 const std::function<std::optional<std::string>(const std::string&)>& variable);

}  // namespace perturb
