#include "cuda/lbm/lbm_studies.h"

#include <algorithm>
#include <chrono>
#include <string>

#include "cuda/lbm/lbm.h"
#include "cuda/lbm/lbm_kernels.h"

namespace perturb {

namespace {

// The best of several groups of steps, in seconds a step.
double seconds_per_step(Simulation& flow) {
  using Clock = std::chrono::steady_clock;
  constexpr int steps = 400, groups = 7;
  double best = 1e30;
  for (int group = 0; group <= groups; ++group) {  // the first warms up
    flow.backend().synchronize();
    const auto start = Clock::now();
    flow.step(steps);
    flow.backend().synchronize();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count() / steps;
    if (group > 0) best = std::min(best, seconds);
  }
  return best;
}

// Carrillo, Siegel & Li (2010): one kernel that branches against an if-kernel and an else-kernel, on 128² and 256² cells as in
// their figure 8.
StudyResult split_or_not(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  StudyTable times;
  times.id = "split", times.title = "Split against unsplit, the source's experiment";
  times.columns = {{"size", "cells", ""},
                   {"kernel", "kernel", ""},
                   {"seconds_per_step", "time per step", "s"},
                   {"rate", "rate", "cell/s"},
                   {"speed_up", "of unsplit's speed", ""}};
  StudyTable shapes;
  shapes.id = "shapes", shapes.title = "Registers and occupancy of their parts";
  shapes.columns = {{"kernel", "kernel", ""},
                    {"part", "part", ""},
                    {"registers_per_thread", "registers", ""},
                    {"block", "threads of a block", ""},
                    {"occupancy", "occupancy", ""}};
  if (!backend.is_cuda()) {
    times.note = "These kernels are made for CUDA alone: nothing was measured on this backend.";
    return {{times}, {}};
  }
  for (const int side : {128, 256}) {
    double unsplit = 0;
    for (const char* kernel : {"unsplit", "split", "fused"}) {
      progress(std::to_string(side) + " x " + std::to_string(side) + ", " + kernel);
      Setup setup = scene;
      setup.width = setup.height = side;
      setup.parameters["storage"] = 0;
      const auto flow = lbm_create(backend, setup);
      flow->select_kernel(kernel);
      const double seconds = seconds_per_step(*flow);
      if (unsplit == 0) unsplit = seconds;
      times.rows.push_back({std::to_string(side) + " x " + std::to_string(side), kernel, seconds,
                            static_cast<double>(side) * side / seconds, unsplit / seconds});
    }
  }
  times.note =
      "On the source's G80 splitting paid. Here a step at these sizes is little more than its launches: two of "
      "unsplit, four of "
      "split, one of fused.";
  for (const LbmPartShape& part : lbm_split_shapes(lbm_plain))
    shapes.rows.push_back({part.kernel, part.part, static_cast<double>(part.shape.registers_per_thread),
                           static_cast<double>(part.shape.block_x) * part.shape.block_y, part.shape.occupancy});
  return {{times, shapes}, {}};
}

}  // namespace

std::vector<Study> lbm_studies() {
  return {{"split", "The source's experiment: kernels split or not, with time, registers and occupancy (CUDA).", true,
           split_or_not}};
}

}  // namespace perturb
