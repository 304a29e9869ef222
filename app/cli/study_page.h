// A page for a class: the measurements of the paper, those of this machine, and which findings hold.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/cli/study_run.h"
#include "cuda/core/bench/paper_table.h"

namespace perturb {

struct StudyPage {
  std::string simulation, title;  // "lbm", "Lattice Boltzmann flow"
  std::string device;             // and other facts about the machine
  std::string command, date;
  std::vector<StudyOutcome> outcomes;           // in order, without studies that did not begin
  std::vector<std::string> missing;             // the options of studies that did not begin
  std::map<std::string, std::string> pictures;  // file names by study id
  std::string no_pictures;                      // why there are none; empty: no reason to show
};

// The page in Markdown: first every finding with its verdict, then each study with its tables and its image, then the
// numbers of the paper. Studies that were stopped, failed or did not begin are marked.
std::string page_text(const StudyPage& page, const PaperTable& source);

}  // namespace perturb
