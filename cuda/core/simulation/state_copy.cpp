#include "cuda/core/simulation/state_copy.h"

#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

// For simulations that do not implement CopiesMembers: the contents of a saved file.
class SavedCopy final : public StateCopy {
 public:
  explicit SavedCopy(State state) : state_(std::move(state)) {
    for (const auto& [name, data] : state_.datasets) bytes_ += data.bytes.size();
  }
  std::size_t bytes() const override { return bytes_; }
  const State& state() const { return state_; }

 private:
  State state_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<StateCopy> Simulation::copy_state(std::unique_ptr<StateCopy> spare) {
  auto* const members = find<CopiesMembers>();
  if (!members) return std::make_unique<SavedCopy>(save());
  auto copies = std::make_unique<MemberCopy>();
  if (auto* before = dynamic_cast<MemberCopy*>(spare.get())) *copies = std::move(*before);
  MemberCopier copier(backend(), *copies);
  members->visit_members(copier);
  return copies;
}

void Simulation::restore(const StateCopy& copy) {
  if (const auto* saved = dynamic_cast<const SavedCopy*>(&copy)) {
    load(saved->state());
    return;
  }
  MemberCopier copier(backend(), dynamic_cast<const MemberCopy&>(copy));
  find<CopiesMembers>()->visit_members(copier);
}

}  // namespace perturb
