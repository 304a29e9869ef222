// A page for a class: what a published work measured, what this machine measured, and what holds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/study_run.h"
#include "cuda/core/bench/paper_table.h"

namespace perturb {

struct StudyPage {
  std::string simulation, title;  // "lbm", "Lattice Boltzmann flow"
  std::string device;             // and what else the reader should know of the machine
  std::string command, date;
  std::vector<StudyOutcome> outcomes;           // in their order; those that did not begin are not among them
  std::vector<std::string> missing;             // the options of those that did not begin
  std::map<std::string, std::string> pictures;  // of a study's id: the file's name
  std::string no_pictures;                      // why there are none; empty where there is nothing to say
};

// In Markdown: first every finding with its verdict, then each study with its tables and its picture, then the numbers
// of the work. What was stopped, failed, or was not begun says so.
std::string page_text(const StudyPage& page, const PaperTable& source);

}  // namespace perturb
