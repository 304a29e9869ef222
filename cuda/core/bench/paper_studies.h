// Which studies measure again what a simulation's published work did: assets/source_studies.csv, embedded, in the order
// in which `perturb bench SIM --sources` runs them. A line for each:
//   simulation, study   their ids
//   preset              that it is run with; empty: the simulation's first
//   seconds             about what it takes on two processor cores: a first guess at how long a run of all takes, which
//                       the studies that are done put right
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/bench/study.h"

namespace perturb {

struct PaperStudy {
  std::string simulation, study, preset;
  double seconds = 0;
};

// Throws Error, naming the line, where the text is damaged. The text is ours: a test reads it.
std::vector<PaperStudy> read_paper_studies(std::string_view text);
// Those of a simulation.
std::vector<PaperStudy> paper_studies(std::string_view simulation);

// A StudyProgress that keeps what a study has found so far, for a run that is stopped before its end.
struct StudyReporter {
  std::function<void(const std::string&)> words;
  std::function<void(const StudyResult&)> partial;
  void operator()(const std::string& text) const { words(text); }
};
// From a study of minutes, after each part of it: what it would give if it ended here. Lost where nobody keeps it.
inline void report_partial(const StudyProgress& progress, const StudyResult& result) {
  if (const auto* reporter = progress.target<StudyReporter>()) reporter->partial(result);
}

}  // namespace perturb
