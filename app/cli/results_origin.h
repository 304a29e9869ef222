// When, by which program and on which machine results were measured, for files that are kept.
#pragma once

#include <nlohmann/json.hpp>

namespace perturb {

// `date`; `commit` of the program (empty: unknown); `driver` of the GPU (empty: none); `host`, the processor and its
// threads, which also times what runs on the CPU next to a GPU.
const nlohmann::ordered_json& results_origin();

}  // namespace perturb
