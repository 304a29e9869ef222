// The data that a simulation is created from, and its checks at the start of a run and for changes of its parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/action.h"
#include "cuda/core/simulation/parameters.h"
#include "cuda/core/simulation/state.h"

namespace perturb {

// Display settings of a scene (title, view, speed in the window) belong to the program: app/run/run.h.
struct Setup {
  std::string simulation, preset;  // "wave", "double-slit": the preset's name is saved with the state, and studies
                                   // print it
  int width = 0, height = 0;       // cells (or the domain's shape, if there is no grid); 0: the simulation's default
  std::uint32_t seed = 1;
  std::map<std::string, double> parameters;  // by id; the others have their defaults
  std::vector<Action> actions;               // applied in order before the first step
};

// The setup's size; zeros are replaced from `otherwise`. Throws InputError, which begins with `what` ("A tank"), unless
// each side has from `min_side` to `max_side` cells.
GridSize grid_size_of(const Setup& setup, GridSize otherwise, int min_side, int max_side, const Message& what);

// The defaults, changed by the setup's values. Throws InputError for an unknown name or a value out of range.
template <class Parameters>
Parameters parameters_from(const Setup& setup, std::span<const Parameter> table) {
  Parameters parameters;
  ParameterSet set(table, &parameters);
  for (const auto& [id, value] : setup.parameters) set.set(id, value);
  return parameters;
}

// `now` with one value changed. Throws InputError as above, and for a change that needs a restart; `running` ("the tank
// is running. Restart the scene") ends the message.
template <class Parameters>
Parameters with_parameter(std::span<const Parameter> table, const Parameters& now, const std::string& id, double value,
                          const Message& running) {
  Parameters changed = now;
  ParameterSet set(table, &changed);
  const Parameter& parameter = set.find(id);
  set.set(id, value);
  if (parameter.apply == Apply::restart && parameter.get(&changed) != parameter.get(&now))
    throw InputError("{} cannot change while {}.", Message::parameter(id, parameter.label), running);
  return changed;
}

// Throws InputError unless the backend has this many bytes free. The message gives the need (`what_needs`, "A tank of
// 512 x 512 cells needs"), the free memory, and the remedy ("Choose a smaller size.").
void require_memory(const Backend& backend, std::size_t bytes, const Message& what_needs, const Message& remedy);

// ---- periodic sides come in pairs
//
// For grids whose parameters have boundary_left, boundary_right, boundary_bottom and boundary_top, of an enum with the
// value `periodic`; ids of parameters are the members' names.
//
// `partner(side)`: the default kind of the side opposite a side of this kind.

namespace detail {

// Calls `pair(a, b, a_id, b_id)` for two opposite members of which exactly one is periodic.
template <class Parameters, class Pair>
void for_unlike_sides(Parameters& p, const Pair& pair) {
  using Side = decltype(p.boundary_left);
  const auto check = [&](Side Parameters::*a, Side Parameters::*b, const char* a_id, const char* b_id) {
    if ((p.*a == Side::periodic) != (p.*b == Side::periodic)) pair(a, b, a_id, b_id);
  };
  check(&Parameters::boundary_left, &Parameters::boundary_right, "boundary_left", "boundary_right");
  check(&Parameters::boundary_bottom, &Parameters::boundary_top, "boundary_bottom", "boundary_top");
}

}  // namespace detail

// At the start: a side that was not given follows its opposite. Throws InputError if both were given and only one is
// periodic.
template <class Parameters, class Partner>
void pair_sides_given(Parameters& p, const Setup& setup, const Partner& partner) {
  const auto given = [&](const char* id) { return setup.parameters.contains(id); };
  detail::for_unlike_sides(p, [&](auto a, auto b, const std::string& a_id, const std::string& b_id) {
    if (given(a_id.c_str()) && given(b_id.c_str())) {
      const bool a_leads = p.*a == decltype(p.boundary_left)::periodic;
      throw InputError("{} is periodic, so {} must be periodic too. Set both or neither.", (a_leads ? a_id : b_id),
                       (a_leads ? b_id : a_id));
    }
    if (given(a_id.c_str()))
      p.*b = partner(p.*a);
    else
      p.*a = partner(p.*b);
  });
}

// During a run: when a side becomes periodic, or stops being periodic, its opposite follows. `before`: the parameters
// before the change that led to `p`.
template <class Parameters, class Partner>
void pair_sides_changed(Parameters& p, const Parameters& before, const Partner& partner) {
  detail::for_unlike_sides(p, [&](auto a, auto b, const char*, const char*) {
    if (p.*a != before.*a)
      p.*b = partner(p.*a);
    else
      p.*a = partner(p.*b);
  });
}

// Progress of a setup's actions, for front ends that show it: thousands of strokes take seconds. During its lifetime,
// actions that are applied on this thread report how many of all are done.
class SetupProgress {
 public:
  using Report = std::function<void(std::size_t done, std::size_t all)>;

  explicit SetupProgress(Report report) : report_(std::move(report)), outer_(std::exchange(current_, this)) {}
  ~SetupProgress() { current_ = outer_; }
  SetupProgress(const SetupProgress&) = delete;
  SetupProgress& operator=(const SetupProgress&) = delete;

  static void report(std::size_t done, std::size_t all) {
    if (current_ && current_->report_) current_->report_(done, all);
  }

 private:
  Report report_;
  SetupProgress* outer_;
  static inline thread_local SetupProgress* current_ = nullptr;
};

}  // namespace perturb
