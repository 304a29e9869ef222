// Consistency of the paper's numbers with each other and with our defaults, and the study of its stages.
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/paint/colormap.h"
#include "cuda/studies/paper.h"
#include "cuda/studies/wave/studies.h"
#include "cuda/wave/parameters.h"

namespace perturb::wave {
namespace {

const PaperTable& paper() { return paper_table("wave"); }

TEST(WavePaper, TheGridIsThatOfItsBlocks) {
  const auto value = [](const char* column) { return paper().at("section CUDA", "convolution", column); };
  EXPECT_EQ(value("threads a side of a block") * value("blocks a side of the grid"), value("cells a side of the grid"));
  EXPECT_GE(value("cells a side of the grid"), paper().at("section Implementing", "CPU version", "cells a side"));
}

TEST(WavePaper, DefaultsEqualOurs) {
  const auto value = [](const char* column) {
    return paper().at("section Creating the algorithm", "pseudo-code", column);
  };
  const Parameters ours;
  EXPECT_EQ(ours.wave_speed, value("wave speed"));
  EXPECT_EQ(ours.cell_size, value("space step"));
  EXPECT_EQ(ours.time_step, value("time step"));
  EXPECT_EQ(ours.damping, value("decay factor"));
  EXPECT_EQ(ours.droplet_radius, value("droplet size"));
  EXPECT_EQ(ours.droplet_amplitude, value("droplet amplitude"));
  EXPECT_EQ(find_colormap("ripple").colors.size(), paper().at("section Implementing", "colour map", "colours"));
}

// Perturb's own kernels: the paper states nothing of them, so that they have no verdict.
TEST(WaveStudies, ListsTheStages) {
  const auto backend = Backend::make_cpu(1);
  for (const Study& study : wave_studies()) {
    if (study.id != "stages") continue;
    perturb::Setup setup;
    setup.simulation = "wave";
    setup.width = setup.height = 32;
    const StudyResult result = study.run(*backend, setup, [](const std::string&) {});
    ASSERT_EQ(result.tables.size(), 1u);
    EXPECT_EQ(result.tables[0].rows.size(), 4u) << "stages";
    ASSERT_EQ(result.plots.size(), 1u);
    ASSERT_EQ(result.plots[0].lines.size(), 1u) << "one backend";
    EXPECT_EQ(result.plots[0].lines[0].points.size(), 4u);
    bool burst = false;
    for (const auto& row : result.tables[0].rows)
      burst = burst || std::get<std::string>(row.at(0)).find("70 droplets") != std::string::npos;
    EXPECT_TRUE(burst) << "as many as the source drops at most";
    return;
  }
  FAIL() << "no study of the stages";
}

}  // namespace
}  // namespace perturb::wave
