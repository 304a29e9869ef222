// The lines of a study's plots.
#pragma once

#include <gtest/gtest.h>

#include "cuda/studies/study.h"

namespace perturb {

// Every label begins with whose numbers the line shows, so that the legend agrees with its style.
inline void expect_labels_of_kinds(const StudyResult& result) {
  for (const StudyPlot& plot : result.plots)
    for (const StudyLine& line : plot.lines) {
      const LineKind said = line.label.starts_with("the paper")     ? LineKind::paper
                            : line.label.starts_with("theory: ")    ? LineKind::theory
                            : line.label.starts_with("reference: ") ? LineKind::reference
                                                                    : LineKind::measured;
      EXPECT_EQ(name_of(said), std::string(name_of(line.kind))) << plot.title << ": " << line.label;
    }
}

}  // namespace perturb
