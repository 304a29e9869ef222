// Lab reports: one white page about an experiment, for paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/run/display_units.h"
#include "app/run/run_status.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// Contents of the page; each front end fills it.
struct LabReport {
  const RunStatus& run;
  const Diagnostics& numbers;
  const DisplayUnits& units;     // those of the front end
  std::vector<Curve> curves{};   // in these units, with those of instruments
  std::vector<double> defaults;  // of the scene's parameters, in the order of run.info->parameters
  Message quantity;              // shown in the picture
  std::string picture;           // its file or data URL
  std::vector<std::pair<Message, Message>> instruments{};  // names and readings
  std::string date;
  std::vector<std::string> files{};  // next to the page
};

// A page of HTML without scripts, in the selected language, whose printed part fits on one sheet of A4: the experiment
// with its own numbers (what is placed in the scene, the regime, the scene's controls and what was changed), the
// picture, what was measured beside theory, the two main curves, and a space for the conclusion. The rest, with all
// parameters and what repeats the run, is below it on the screen.
std::string lab_report_page(const LabReport& report);

}  // namespace perturb
