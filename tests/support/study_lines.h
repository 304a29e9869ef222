// The lines of a study's plots.
#pragma once

#include <gtest/gtest.h>

#include "cuda/studies/study.h"

namespace perturb {

// Every label begins with whose numbers the line shows, so that the legend agrees with its style.
inline void expect_labels_of_kinds(const StudyResult& result) {
  for (const StudyPlot& plot : result.plots)
    for (const StudyLine& line : plot.lines) {
      LineKind said = LineKind::measured;
      if (line.label.starts_with("the paper"))
        said = LineKind::paper;
      else if (line.label.starts_with("theory: "))
        said = LineKind::theory;
      else if (line.label.starts_with("reference: "))
        said = LineKind::reference;
      EXPECT_EQ(name_of(said), std::string(name_of(line.kind))) << plot.title << ": " << line.label;
    }
}

}  // namespace perturb
