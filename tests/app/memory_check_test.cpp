// What is said to be needed is what the simulation itself would take.
#include "app/cli/memory_check.h"

#include <gtest/gtest.h>

#include "app/scenes/presets.h"
#include "cuda/core/catalog.h"
#include "cuda/core/check.h"

namespace perturb {
namespace {

TEST(MemoryCheck, WithoutASizeTheParametersDecide) {
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

TEST(MemoryCheck, WhatDoesNotFitIsRefusedWithASizeOrTheParametersNamed) {
  const auto cpu = Backend::make_cpu(1);
  const auto refusal = [&](const perturb::Setup& setup) -> std::string {
    try {
      require_memory(find_simulation(setup.simulation), setup, *cpu);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  perturb::Setup wave;
  wave.simulation = "wave", wave.width = wave.height = 1 << 30;
  EXPECT_NE(refusal(wave).find("1073741824 x 1073741824 needs"), std::string::npos) << refusal(wave);
  EXPECT_NE(refusal(wave).find("such as --size "), std::string::npos) << refusal(wave);
  wave.width = wave.height = 0;
  EXPECT_EQ(refusal(wave), "");
}

}  // namespace
}  // namespace perturb
