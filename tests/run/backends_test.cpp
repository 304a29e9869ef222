// Which backend runs a scene. Two CPU backends take the places of a GPU and the CPU.
#include "app/run/backends.h"

#include <memory>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/run/experiment.h"
#include "app/run/run_status.h"

namespace perturb {
namespace {

class ScenesOnBackends : public testing::Test {
 protected:
  std::unique_ptr<Backend> preferred_ = Backend::make_cpu(1), cpu_ = Backend::make_cpu(1);
  Backends both_{*preferred_, *cpu_};
};

TEST_F(ScenesOnBackends, FewFibersAndDiscsRunOnTheCpu) {
  for (const char* small : {"fibers/lone", "fibers/pair"})
    EXPECT_EQ(&both_.of(load_scene(small).setup, "auto"), cpu_.get()) << small;
  for (const char* large :
       {"fibers/cloud", "particles/gas", "particles/break", "wave/droplet", "lbm/cavity", "membrane/load"})
    EXPECT_EQ(&both_.of(load_scene(large).setup, "auto"), preferred_.get()) << large;
  auto few_discs = load_scene("particles/gas").setup;
  few_discs.parameters["count"] = 100;
  EXPECT_EQ(&both_.of(few_discs, "auto"), cpu_.get());
  EXPECT_EQ(&Backends(*preferred_).of(load_scene("fibers/pair").setup, "auto"), preferred_.get())
      << "there is no second one";
}

TEST_F(ScenesOnBackends, OpeningAndUndoChangeTheBackend) {
  Experiment experiment(both_, load_scene("fibers/pair"));
  EXPECT_EQ(&experiment.backend(), cpu_.get());
  EXPECT_EQ(&experiment.simulation().backend(), cpu_.get());
  experiment.advance(3);
  experiment.set_parameter("time_step", 0.05);
  experiment.advance(2);
  Start start;
  start.scene = load_scene("fibers/cloud");
  experiment.open(start, "Another scene");
  EXPECT_EQ(&experiment.backend(), preferred_.get());
  experiment.advance(1);
  experiment.undo();
  EXPECT_EQ(&experiment.backend(), cpu_.get());
  EXPECT_EQ(experiment.info().id + "/" + experiment.setup().preset, "fibers/pair");
  EXPECT_EQ(experiment.simulation().steps(), 5);
  experiment.advance(2);

  Experiment alone(*cpu_, load_scene("fibers/pair"));
  alone.advance(3);
  alone.set_parameter("time_step", 0.05);
  alone.advance(4);
  EXPECT_EQ(largest_difference(experiment.simulation().save(), alone.simulation().save()), 0);
}

TEST_F(ScenesOnBackends, StatusNamesTheBackend) {
  Experiment experiment(both_, load_scene("fibers/pair"));
  const RunStatus small = status_of(experiment);
  EXPECT_EQ(small.backend, cpu_.get());
  EXPECT_TRUE(small.runs_on_cpu);
  experiment.open(load_scene("fibers/cloud"));
  const RunStatus large = status_of(experiment);
  EXPECT_EQ(large.backend, preferred_.get());
  EXPECT_FALSE(large.runs_on_cpu);
}

}  // namespace
}  // namespace perturb
