// A change at a step: recorded, replayed from scripts, and undone by replaying the run without it.
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

// A change of the view. It does not change the run.
struct ViewChange {
  ViewSettings view;
  Camera camera;
};
bool same_view(const ViewChange& a, const ViewChange& b);

// Applied before the step after `step`; an event at step 0 is applied before the first step.
struct Event {
  std::int64_t step = 0;
  std::variant<Action, ParameterChange, ChooseKernel, ViewChange> change;
  std::string origin{};  // "run.toml:4": location in the script; empty: not from a script
};

// Whether the event can change the results of later steps.
inline bool changes_run(const Event& event) { return !std::holds_alternative<ViewChange>(event.change); }

}  // namespace perturb
