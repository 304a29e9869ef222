// An edited kernel in a saved state, and the error of one whose numbers are not finite.
#pragma once

#include <string>

#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// The kernel gave numbers that are not finite: those of earlier steps may have been wrong too.
class EditedValueError : public EditedKernelError {
 public:
  using EditedKernelError::EditedKernelError;
};

// Whether the text of a state (edited_kernel_field) is in use; otherwise it took earlier steps.
SavedField edited_kernel_in_use_field();
// Saves the text of the selected kernel, or else `used`: the text of the edited kernel that took the last steps with
// one.
void save_kernel(State& state, const std::string& kernel, const std::string& used);
// The id of the kernel that must continue this state: its edited one if that is in use, otherwise the one that the user
// chose, or "auto". A state from an earlier version does not say whether its edited kernel was still in use, so it
// counts as that; nor which kernel the user chose.
std::string kernel_of(const State& state);

}  // namespace perturb
