#include "cuda/core/simulation/simulation.h"

#include <vector>

#include "cuda/core/backend/block_recorder.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/launch/launch_map.h"

namespace perturb {

namespace {

// "There is no kernel "fusd"; did you mean "fused"?", or the list of all names.
[[noreturn]] void reject_name(const Message& what, const std::string& word, const std::vector<std::string>& known) {
  throw InputError("There is no {} \"{}\"{}", what, word,
                   did_you_mean(word, known, Message(": choose {}.", one_of(known))));
}

template <class Entries>
std::size_t index_of(const Entries& entries, const Message& what, const std::string& id,
                     std::vector<std::string> known) {
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (entries[k].id == id) return k;
    known.push_back(entries[k].id);
  }
  reject_name(what, id, known);
}

}  // namespace

BlockRecorder& Simulation::block_recorder() {
  if (!block_recorder_) block_recorder_ = std::make_shared<BlockRecorder>(backend());
  return *block_recorder_;
}

std::size_t quantity_index(const SimulationInfo& info, const std::string& id) {
  return id.empty() ? 0 : index_of(info.quantities, "quantity", id, {});
}

bool can_rotate(const SimulationInfo& info, const std::string& quantity) {
  return info.orbits || (!info.quantities.empty() && info.quantities[quantity_index(info, quantity)].has_depth);
}

std::size_t kernel_index(const SimulationInfo& info, const std::string& id) {
  return index_of(info.kernels, "kernel", id, {"auto"});
}

std::size_t kernel_index_of(const SimulationInfo& info, KernelName name) {
  for (std::size_t k = 0; k < info.kernels.size(); ++k)
    if (info.kernels[k].name.value == name.value) return k;
  throw Error("internal: {} has no kernel of the number {}", info.id, name.value);
}

ShownRange shown_range(const ViewSettings& view, const Quantity& quantity) {
  if (view.minimum < view.maximum) return {view.minimum, view.maximum};
  return {quantity.minimum, quantity.maximum};
}

}  // namespace perturb
