// The status of a run for front ends: values that all belong to one instant between two steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/run/experiment.h"
#include "app/run/kernel_figures.h"
#include "app/run/run.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

struct RunStatus {
  const SimulationInfo* info = nullptr;
  Backend* backend = nullptr;  // of the run; belongs to the run thread while jobs are pending
  bool runs_on_cpu = false;    // although the program prefers a GPU: the scene is small (Backends)
  std::shared_ptr<const Scene> scene;
  ViewChange shown;
  std::int64_t steps = 0;
  std::int64_t first_step = 0, last_step = 0;  // of the past that is kept (Experiment::past())
  double time = 0;
  double domain_width = 0, domain_height = 0;
  std::vector<double> parameters;      // in the order of info->parameters
  std::vector<SceneObject> objects;    // in the order of creation
  std::vector<std::string> placeable;  // kinds of objects that can be added
  bool can_inspect = false;            // Inspectable
  bool maps_launch = false;            // MapsLaunch
  std::vector<Gauge> gauges;
  std::string kernel;                           // the selected id
  const KernelSource* kernel_source = nullptr;  // of its cell function; null: it cannot be edited here
  std::string rows_class;                       // EditableCell::rows_class(); empty: an edited kernel cannot step it
  Message kernel_choice;                        // Simulation::choice()
  Message edited_kernel_failure;                // Experiment::edited_kernel_failure()
  std::vector<KernelStatus> kernels;  // in the order of info->kernels; no values for those of the other backend
  std::optional<Roofline> roofline;   // measured peak rates of the backend; none: not measured
  Message stop_reason;                // why the run has stopped; empty: it has not
  Message completion;                 // HasCompletion::completion()
  bool can_restore_last_good = false;
  bool has_sought_remedy = false;                           // for the stopped run
  std::optional<Remedy> remedy;                             // a change that was tried and works; none: not found
  Message next_undo, next_redo;                             // labels; empty: none
  bool undo_opens_scene = false, redo_opens_scene = false;  // they lead to another scene or file
  std::size_t events = 0;                                   // number in the log
  std::uint64_t returns = 0;                                // Experiment::returns()
  std::uint64_t last_change = 0;       // id of the last change of the run; changes of the view do not count
  std::uint64_t last_step_change = 0;  // the same at `last_step`
  // number of the opening of a scene or file; changes when another one is opened, also by undo
  std::uint64_t opening = 0;

  // Throws InputError for an unknown parameter.
  double value_of(const std::string& parameter) const;
  // The value with which a tool's setting begins: that of the parameter it names, within its bounds, or its own.
  double initial_of(const ValueInfo& setting) const;
};

// Its kind's label, "Slits", with its number among several of its kind, "Slits 2".
Message name_of(const SceneObject& object, const RunStatus& run);

// `before`: an earlier status; values that only user actions change are copied from it. Null: reads all values.
RunStatus status_of(Experiment& experiment, const RunStatus* before = nullptr);

}  // namespace perturb
