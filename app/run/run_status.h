// What a front shows of a run, as values: true of one moment between two steps, whatever the run does meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/run/event.h"
#include "app/run/experiment.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

struct KernelStatus {
  double bytes_per_cell = 0;  // that a step moves; 0: not known
  LaunchShape shape;          // no block: not known
};

struct RunStatus {
  const SimulationInfo* info = nullptr;
  std::shared_ptr<const Scene> scene;
  ViewChange shown;
  std::int64_t steps = 0;
  double time = 0;
  double domain_width = 0, domain_height = 0;
  std::vector<double> parameters;  // in the order of info->parameters
  std::vector<Gauge> gauges;
  std::string kernel, kernel_choice;  // as it was chosen, and what runs and why
  std::vector<KernelStatus> kernels;  // in the order of info->kernels; those of the other backend are not known
  std::string stop_reason;            // why the run has stopped; empty: it has not
  bool can_restore_last_good = false;
  std::string next_undo, next_redo;                         // the deeds; empty: none
  bool undo_opens_scene = false, redo_opens_scene = false;  // they lead to another scene or file
  std::size_t events = 0;                                   // in the log
  std::uint64_t last_change = 0;  // another number after another deed, but not after a change of the view
  std::uint64_t opening = 0;      // of a scene or file: another number after another one, also by undo

  // Throws InputError where there is no such parameter.
  double value_of(const std::string& parameter) const;
};

// `before`: the facts of a moment before, of which what only deeds change is taken over; null: all is looked at.
RunStatus status_of(Experiment& experiment, const RunStatus* before = nullptr);

}  // namespace perturb
