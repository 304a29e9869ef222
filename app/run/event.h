// Something the user did, at a step: what is stored, replayed from scripts and (by replaying) undone.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "cuda/core/paint/camera.h"
#include "cuda/core/paint/view_settings.h"
#include "cuda/core/simulation/action.h"

namespace perturb {

struct ParameterChange {
  std::string id;
  double value = 0;
};

struct ChooseKernel {
  std::string id;
};

// What is shown from now on. It changes nothing in the run.
struct ViewChange {
  ViewSettings view;
  Camera camera;
};
bool same_view(const ViewChange& a, const ViewChange& b);

// Happens before the step after `step` is taken: step 0 is before the first.
struct Event {
  std::int64_t step = 0;
  std::variant<Action, ParameterChange, ChooseKernel, ViewChange> change;
  std::string origin{};  // "run.toml:4": where a script says it; empty: it comes from no script
};

// Whether it can change what the steps give.
inline bool changes_run(const Event& event) { return !std::holds_alternative<ViewChange>(event.change); }

}  // namespace perturb
