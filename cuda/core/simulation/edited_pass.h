// Base of the steps of simulations with an edited kernel (edited_kernel.h).
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/shared_memory.h"
#include "cuda/core/simulation/edited_cells.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// One pass: the fields that it uses, and a header that holds their places.
//
// Fields that the kernel sees are used where they are. Others are copied to it and, after the pass, back. No field that
// is only read is changed: so if the kernel fails, the simulation is as before.
class EditedPass {
 public:
  EditedPass(Backend& backend, EditedKernel& kernel) : backend_(backend), kernel_(kernel) {}

  // `place`: the member of the header for the field's distance from it. An empty field keeps its place.
  void read(long long& place, const void* data, std::size_t bytes);
  void write(long long& place, void* data, std::size_t bytes);
  // A field for the pass only.
  void scratch(long long& place, std::size_t bytes);

  // Takes the steps of all levels. The header derives from EditedHeader and is complete except for the places. Throws
  // EditedKernelError, also if a value is no longer finite.
  template <class Header>
  void run(Header& header) {
    run(header, sizeof header);
  }

 private:
  struct Part {
    long long* place;
    const void* from;  // null: not copied to the kernel
    void* to;          // null: not copied back
    std::size_t bytes;
  };
  void run(EditedHeader& header, std::size_t bytes);

  Backend& backend_;
  EditedKernel& kernel_;
  std::vector<Part> parts_;
};

// Moves fields to memory that the kernel sees, where passes need not copy them; does nothing on CUDA. Throws Error if
// there is not enough memory.
template <class... Fields>
void share_fields(Backend& backend, const EditedKernel& kernel, Fields&... fields) {
  const auto share = [&](auto& field) {
    if (field.empty() || kernel.sees(field.view().data)) return;
    const SharedAllocations shared;
    field = std::decay_t<decltype(field)>(backend, field, "fields of an edited kernel");
  };
  if (!backend.is_cuda()) (share(fields), ...);
}
// Moves them back: the shared memory has no large pages.
template <class... Fields>
void unshare_fields(Backend& backend, Fields&... fields) {
  const auto unshare = [&](auto& field) {
    if (!field.empty()) field = std::decay_t<decltype(field)>(backend, field, "fields");
  };
  if (!backend.is_cuda()) (unshare(fields), ...);
}

// The text of the edited kernel that took a simulation's last steps with one: part of its states.
SavedField edited_kernel_field();
void save_edited_kernel(State& state, const std::string& text);
std::string load_edited_kernel(const State& state);  // empty: there is none

}  // namespace perturb
