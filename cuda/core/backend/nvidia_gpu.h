// Whether this machine has an NVIDIA GPU, with a driver or without.
#pragma once

namespace perturb {

bool has_nvidia_gpu();

}  // namespace perturb
