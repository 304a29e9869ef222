// The stated memory is what the simulation itself would allocate.
#include <gtest/gtest.h>

#include "app/cli/run_checks.h"
#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/sanitized.h"

namespace perturb {
namespace {

class SavingMemory : public ScratchFolder {};

TEST(MemoryCheck, UsesParametersWithoutSize) {
  const auto cpu = Backend::make_cpu(1);
  perturb::Setup discs;
  discs.simulation = "particles";
  const SimulationInfo& info = find_simulation(discs.simulation);
  for (const double count : {9.0, 1e4, 1e6, 16777216.0}) {
    discs.parameters = {{"count", count}, {"box", 1e9}};
    EXPECT_EQ(memory_estimate(info, discs, *cpu), static_cast<double>(info.memory_needed(*cpu, discs))) << count;
    EXPECT_GT(memory_estimate(info, discs, *cpu), 60 * count) << "bytes: a disc is four numbers, twice";
  }
}

TEST(MemoryCheck, EveryPresetIsEstimatedAsItIs) {
  const auto cpu = Backend::make_cpu(1);
  for (const SimulationInfo* info : catalog())
    for (const std::string& id : preset_ids(info->id)) {
      const perturb::Setup setup = load_scene(info->id + "/" + id).setup;
      EXPECT_EQ(memory_estimate(*info, setup, *cpu), static_cast<double>(info->memory_needed(*cpu, setup)))
          << info->id << "/" << id;
    }
}

TEST(MemoryCheck, ErrorNamesFittingSizeOrParameters) {
  const auto cpu = Backend::make_cpu(1);
  const auto error_of = [&](const perturb::Setup& setup) -> std::string {
    return error_thrown_by([&] { require_memory(find_simulation(setup.simulation), setup, *cpu); });
  };
  perturb::Setup wave;
  wave.simulation = "wave";
  wave.width = wave.height = 1 << 30;
  EXPECT_NE(error_of(wave).find("1073741824 x 1073741824 needs"), std::string::npos) << error_of(wave);
  EXPECT_NE(error_of(wave).find("such as --size "), std::string::npos) << error_of(wave);
  wave.width = wave.height = 0;
  EXPECT_EQ(error_of(wave), "");
}

// The fields of the state; its file is written in pieces.
TEST(MemoryCheck, SavingIsCountedForEverySimulation) {
  const auto cpu = Backend::make_cpu(1);
  for (const SimulationInfo* info : catalog()) {
    Scene scene = load_scene(info->id);
    scene.setup.width = scene.setup.height = 64;
    const auto run = info->create(*cpu, scene.setup);
    const State state = run->save();
    double all = 0;
    for (const auto& [name, dataset] : state.datasets) all += static_cast<double>(dataset.bytes.size());
    const double whole = memory_estimate(*info, scene.setup, *cpu);
    EXPECT_GE(memory_to_save(*info, scene.setup, whole), all) << info->id;
  }
}

// A run that fits while its saving does not is rejected before it starts: its steps would be wasted.
TEST_F(SavingMemory, RunIsRejectedAtStartOrSaved) {
  if (is_sanitized) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
  for (const int mebibytes : {150, 175, 200, 225, 250, 300}) {
    const Outcome outcome = shell(
        "ulimit -v " + std::to_string(mebibytes * 1024) +
        "; '" PERTURB_BINARY "' wave --size 2500x2500 --threads 1 --headless --backend cpu --steps 1 --save q.perturb");
    const bool has_run =
        outcome.out.find(" step to time") != std::string::npos || outcome.err.find("Cannot save") != std::string::npos;
    EXPECT_EQ(has_run, outcome.code == 0) << mebibytes << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace perturb
