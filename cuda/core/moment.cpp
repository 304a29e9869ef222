#include "cuda/core/moment.h"

#include "cuda/core/check.h"
#include "cuda/core/simulation.h"

namespace perturb {

namespace {

// For simulations that do not name their members: what a file would hold.
class SavedMoment final : public Moment {
 public:
  explicit SavedMoment(State state) : state_(std::move(state)) {
    for (const auto& [name, data] : state_.datasets) bytes_ += data.bytes.size();
  }
  std::size_t bytes() const override { return bytes_; }
  const State& state() const { return state_; }

 private:
  State state_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::unique_ptr<Moment> Simulation::keep(std::unique_ptr<Moment> spare) {
  auto copies = std::make_unique<CopiedMoment>();
  if (auto* before = dynamic_cast<CopiedMoment*>(spare.get())) *copies = std::move(*before);
  Copier copier(backend(), *copies);
  if (name_members(copier)) return copies;
  return std::make_unique<SavedMoment>(save());
}

void Simulation::come_back(const Moment& moment) {
  if (const auto* saved = dynamic_cast<const SavedMoment*>(&moment)) {
    load(saved->state());
    return;
  }
  Copier copier(backend(), dynamic_cast<const CopiedMoment&>(moment));
  name_members(copier);
}

}  // namespace perturb
