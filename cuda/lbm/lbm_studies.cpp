#include "cuda/lbm/lbm_studies.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "cuda/core/check.h"
#include "cuda/lbm/lbm.h"
#include "cuda/lbm/lbm_kernels.h"
#include "cuda/lbm/lbm_setup.h"

namespace perturb {

namespace {

double seconds_of(Simulation& flow, int steps) {
  using Clock = std::chrono::steady_clock;
  flow.backend().synchronize();
  const auto start = Clock::now();
  flow.step(steps);
  flow.backend().synchronize();
  return std::chrono::duration<double>(Clock::now() - start).count();
}
// The best of several groups of steps, in seconds a step.
double seconds_per_step(Simulation& flow, int steps) {
  constexpr int groups = 7;
  double best = 1e30;
  for (int group = 0; group <= groups; ++group) {  // the first warms up
    const double seconds = seconds_of(flow, steps) / steps;
    if (group > 0) best = std::min(best, seconds);
  }
  return best;
}
// Steps that take long enough to be timed: whole passes of every kernel.
int steps_of_a_group(Simulation& flow) {
  constexpr double enough = 0.02;  // seconds
  constexpr int passes = 24, most = 1 << 20;
  int steps = passes;
  while (seconds_of(flow, steps) < enough && steps < most) steps *= 2;
  return steps;
}

// Carrillo, Siegel & Li (2010): one kernel that branches against an if-kernel and an else-kernel, on 128² and 256²
// cells as in their figure 8.
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
      const double seconds = seconds_per_step(*flow, 400);
      if (unsplit == 0) unsplit = seconds;
      times.rows.push_back({std::to_string(side) + " x " + std::to_string(side), kernel, seconds,
                            static_cast<double>(side) * side / seconds, unsplit / seconds});
    }
  }
  times.note =
      "On the source's G80 splitting paid. Here a step at these sizes is little more than its launches: two of "
      "unsplit, four of split, one of fused.";
  for (const LbmPartShape& part : lbm_split_shapes(lbm_plain))
    shapes.rows.push_back({part.kernel, part.part, static_cast<double>(part.shape.registers_per_thread),
                           static_cast<double>(part.shape.block_x) * part.shape.block_y, part.shape.occupancy});
  return {{times, shapes}, {}};
}

bool starts_with(const std::string& word, const char* prefix) { return word.rfind(prefix, 0) == 0; }

// The scene as it is, and an empty periodic box of its size; each without a force and with one.
StudyResult walls_and_force(Backend& backend, const Setup& scene, const StudyProgress& progress) {
  Setup walled = scene;
  for (const char* id : {"storage", "force_x", "force_y"}) walled.parameters.erase(id);
  Setup empty = walled;
  std::erase_if(empty.parameters, [](const auto& p) { return starts_with(p.first, "boundary_"); });
  std::erase_if(empty.actions,
                [](const Action& a) { return starts_with(a.kind, "wall-") || starts_with(a.kind, "move-"); });
  const std::string name = "lbm/" + scene.preset;
  if (empty.parameters == walled.parameters && empty.actions.size() == walled.actions.size())
    throw InputError(name + " has neither walls nor sides: name a scene that has, such as lbm/cylinder.");
  const GridSize size = lbm_size_of(scene);

  StudyTable table;
  table.id = "walls", table.title = "What walls, sides and a force cost: " + name + ", " + in_words(size);
  table.columns = {{"kernel", "kernel", ""},
                   {"flow", "flow", ""},
                   {"seconds_per_step", "time per step", "s"},
                   {"rate", "rate", "cell/s"},
                   {"share", "of the empty box", ""}};
  table.note = "The empty box is periodic, and nothing acts on its fluid. Each time is the best of seven.";
  for (const char* kernel : {"fused", "half", "in-place", "temporal"}) {
    double reference = 0;
    for (const Setup* setup : {&empty, &walled})
      for (const bool forced : {false, true}) {
        const std::string flow_name = (setup == &empty ? "empty box" : name) + (forced ? ", with a force" : "");
        progress(std::string(kernel) + ", " + flow_name);
        Setup made = *setup;
        if (forced) made.parameters["force_x"] = 1e-6;
        const auto flow = lbm_create(backend, made);
        flow->select_kernel(kernel);
        const double seconds = seconds_per_step(*flow, steps_of_a_group(*flow));
        if (reference == 0) reference = seconds;
        table.rows.push_back(
            {kernel, flow_name, seconds, static_cast<double>(size.width) * size.height / seconds, reference / seconds});
      }
  }
  return {{table}, {}};
}

}  // namespace

std::vector<Study> lbm_studies() {
  return {{"split", "The source's experiment: kernels split or not, with time, registers and occupancy (CUDA).", true,
           split_or_not},
          {"walls",
           "The scene (else the cylinder between inlet and outlet) without a force and with one, beside an empty box.",
           false, walls_and_force}};
}

}  // namespace perturb
