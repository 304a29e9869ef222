// The studies that repeat the measurements of the papers: assets/source_studies.csv, embedded, in the order in which
// `perturb bench SIM --sources` runs them. One line per study:
//   simulation, study   their ids
//   preset              the preset it uses; empty: the simulation's first
//   seconds             approximate time on two processor cores: the first estimate for the duration of a full run,
//                       which is corrected by the studies that have finished
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

// Throws Error with the line number if the text is malformed. The text is part of the project: a test reads it.
std::vector<PaperStudy> read_paper_studies(std::string_view text);
// The studies of one simulation.
std::vector<PaperStudy> paper_studies(std::string_view simulation);

// A StudyProgress that also receives partial results, for runs that are stopped early.
struct StudyReporter {
  std::function<void(const std::string&)> words;
  std::function<void(const StudyResult&)> partial;
  void operator()(const std::string& text) const { words(text); }
};
// For long studies, called after each part: reports the result if the study ended here. Ignored unless `progress` is a
// StudyReporter.
inline void report_partial(const StudyProgress& progress, const StudyResult& result) {
  if (const auto* reporter = progress.target<StudyReporter>()) reporter->partial(result);
}

}  // namespace perturb
