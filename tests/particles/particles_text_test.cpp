// Text and files: what is read is what was written.
#include <filesystem>

#include <gtest/gtest.h>

#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/particles/particles.h"
#include "cuda/particles/state/text.h"
#include "tests/particles/particles_scenes.h"
#include "tests/support/error_thrown_by.h"

namespace perturb::particles {
namespace {

TextStart read(const std::string& text, std::map<std::string, double> parameters = {}) {
  return read_text(text, "discs.txt", disc_setup(std::move(parameters)));
}

std::unique_ptr<Simulation> start(Backend& backend, const TextStart& text) {
  auto run = particles_simulation().create(backend, text.setup);
  run->load(text.state);
  return run;
}

TEST(ParticlesText, ReadsThreeDiscs) {
  const auto cpu = Backend::make_cpu(1);
  const TextStart text =
      read("# two on their way to each other\n3 20 1 3\n\n1 10 5 -1 0\n0 5 5 1 0  # P\n2 10 15 0.5 0.25\n");
  EXPECT_EQ(text.steps, 3);
  const auto run = start(*cpu, text);
  EXPECT_EQ(write_text(run->save(), false), "3 20 1 0 # done\n0 5 5 1 0\n1 10 5 -1 0\n2 10 15 0.5 0.25\n");
  run->step(text.steps);
  // The gap of 3 closes at 2 a step: they meet at t = 1.5, in the middle of the second step.
  EXPECT_EQ(write_text(run->save(), true),
            "3 20 1 3 # done\n0 5 5 -1 0 0 1\n1 10 5 1 0 0 1\n2 11.5 15.75 0.5 0.25 0 0\n");
}

TEST(ParticlesText, RoundTripsBitForBit) {
  const auto cpu = Backend::make_cpu(2);
  for (const double precision : {0.0, 1.0}) {
    const perturb::Setup setup =
        disc_setup({{"count", 300}, {"box", 90}, {"velocity_max", 0.2}, {"slow_factor", 4}, {"precision", precision}});
    const auto first = particles_simulation().create(*cpu, setup);
    const std::string text = write_text(first->save(), true);
    const auto second = start(*cpu, read(text, {{"slow_factor", 4}, {"precision", precision}}));
    EXPECT_EQ(write_text(second->save(), true), text);
    first->step(40);
    second->step(40);
    const State a = first->save(), b = second->save();
    for (const auto& [name, data] : a.datasets) EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << name;
  }
}

// The paper's program places the discs itself if a text has none.
TEST(ParticlesText, HeaderAlonePlacesDiscsAtRandom) {
  const auto cpu = Backend::make_cpu(1);
  const std::map<std::string, double> fast = {{"velocity_max", 25}};
  const TextStart text = read("# the report's\n200 100 1 7 perf\n\n", fast);
  EXPECT_EQ(text.mode, TextMode::perf);
  EXPECT_EQ(text.steps, 7);
  const auto run = start(*cpu, text);
  // The same as a scene with these numbers, and with its velocities.
  const auto scene = particles_simulation().create(
      *cpu, disc_setup({{"count", 200}, {"box", 100}, {"radius", 1}, {"velocity_max", 25}}));
  EXPECT_EQ(write_text(run->save(), true), write_text(scene->save(), true));
  EXPECT_EQ(scalar(run->diagnostics({}, true), "overlaps"), 0);
  // A text that was cut off, and discs that find no room, are errors.
  EXPECT_THROW(read("200 100 1 7 # done\n"), InputError);
  EXPECT_THROW(read("1 20 1 7\n0 5 5 1 0\n1 20 1 8\n"), InputError);
  EXPECT_THROW(read("399 20 1 7\n"), InputError);
}

// The paper's mode for the output.
TEST(ParticlesText, TheModeIsRead) {
  EXPECT_EQ(read("1 20 1 7\n0 5 5 1 0\n").mode, TextMode::unset);
  EXPECT_EQ(read("1 20 1 7 print\n0 5 5 1 0\n").mode, TextMode::print);
  EXPECT_EQ(read("1 20 1 7 perf # once\n0 5 5 1 0\n").mode, TextMode::perf);
  EXPECT_EQ(read("1 20 1 7 perf\n0 5 5 1 0\n1 20 1 8\n0 6 5 1 0\n").mode, TextMode::unset) << "of the last block";
}

TEST(ParticlesText, SlowFactorMultipliesTheSteps) {
  EXPECT_EQ(read("1 20 1 7\n0 5 5 1 0\n", {{"slow_factor", 8}}).steps, 56);
}

// Steps of unit time are distinguished from those between them.
TEST(ParticlesText, StepsBetweenUnitsOfTimeAreLabelled) {
  const auto cpu = Backend::make_cpu(1);
  const auto run = start(*cpu, read("1 20 1 2\n0 5 5 1 0\n", {{"slow_factor", 2}}));
  std::vector<std::string> labels;
  for (int step = 0; step < 4; ++step) {
    const std::string text = write_text(run->save(), false);
    labels.push_back(text.substr(0, text.find('\n')));
    run->step(1);
  }
  EXPECT_EQ(labels, (std::vector<std::string>{"1 20 1 0 # done, and 0/2", "1 20 1 0 # done, and 1/2",
                                              "1 20 1 1 # done, and 0/2", "1 20 1 1 # done, and 1/2"}));
}

// A block with "# done" continues from its step, between units of time too; one with a remark by the user begins.
TEST(ParticlesText, ContinuesAfterCompletedSteps) {
  const std::string disc = "0 5 5 1 0\n";
  const TextStart begun = read("1 20 1 7\n" + disc), halfway = read("1 20 1 7 # done, and 1/2\n" + disc);
  EXPECT_EQ(begun.steps, 7);
  EXPECT_EQ(begun.state.steps, 0);
  EXPECT_EQ(halfway.steps, 0) << "it asks for none";
  EXPECT_EQ(halfway.state.steps, 15);
  EXPECT_EQ(halfway.state.time, 7.5);
  EXPECT_EQ(halfway.setup.parameters.at("slow_factor"), 2);
  EXPECT_EQ(read("1 20 1 7 # done, and 1/2\n" + disc, {{"slow_factor", 8}}).state.steps, 60);
  EXPECT_EQ(read("1 20 1 7 # done\n" + disc, {{"slow_factor", 4}}).state.steps, 28);
  EXPECT_EQ(read("1 20 1 7 # seven steps\n" + disc).steps, 7);
  EXPECT_EQ(read("1 20 1 7 # done, and 3/2\n" + disc).steps, 7) << "no such part of a unit";
}

// A file with a block for every step, written by --print, continues from its last one; so does a single block.
TEST(ParticlesText, ReadsLastOfSeveralBlocks) {
  const auto cpu = Backend::make_cpu(1);
  const auto run = start(*cpu, read("2 20 1 3\n0 5 5 1 0\n1 15 5 -1 0.5\n"));
  std::string all;
  for (int step = 0; step <= 3; ++step) {
    all += write_text(run->save(), step == 3);
    if (step < 3) run->step(1);
  }
  const auto again = start(*cpu, read(all));
  EXPECT_EQ(again->steps(), 3);
  run->step(20);
  again->step(20);
  const State a = run->save(), b = again->save();
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.time, b.time);
  for (const char* name : {"position", "velocity", "wall_collisions", "disc_collisions"})
    EXPECT_TRUE(a.datasets.at(name).bytes == b.datasets.at(name).bytes) << name;
}

// A square lattice that touches everywhere is denser than what the program would place by itself.
TEST(ParticlesText, DiscsThatTouchEverywhereAreTaken) {
  const auto cpu = Backend::make_cpu(1);
  std::string text = "100 20 1 5\n";
  for (int k = 0; k < 100; ++k)
    text +=
        std::to_string(k) + ' ' + std::to_string(1 + 2 * (k % 10)) + ' ' + std::to_string(1 + 2 * (k / 10)) + " 0 0\n";
  const auto run = start(*cpu, read(text));
  run->step(5);
  EXPECT_EQ(run->save().datasets.at("position").shape[0], 100u);
}

TEST(ParticlesText, RejectsErrorsByLineAndColumn) {
  const auto expect_rejected = [](const std::string& text, const std::string& where, const std::string& word,
                                  std::map<std::string, double> parameters = {}) {
    const std::string error = error_thrown_by([&] { read(text, std::move(parameters)); });
    EXPECT_EQ(error.find(where), 0u) << error;
    EXPECT_NE(error.find(word), std::string::npos) << error;
  };
  const std::string one = "0 5 5 1 0\n";
  expect_rejected("", "discs.txt:1:1: ", "file is empty");
  expect_rejected("1 20 1\n" + one, "discs.txt:1:7: ", "missing");
  expect_rejected("1 20 1 4 5\n" + one, "discs.txt:1:10: ", "neither print nor perf");
  expect_rejected("1 20 1 4 print 5\n" + one, "discs.txt:1:16: ", "Too many");
  expect_rejected("1.5 20 1 4\n" + one, "discs.txt:1:1: ", "whole number");
  expect_rejected("0 20 1 4\n", "discs.txt:1:1: ", "whole number");
  expect_rejected("1 20 1 -4\n" + one, "discs.txt:1:8: ", "whole number");
  expect_rejected("1 20 0 4\n" + one, "discs.txt:1:6: ", "out of range");
  expect_rejected("1 inf 1 4\n" + one, "discs.txt:1:3: ", "finite");
  expect_rejected("1 1.9 1 4\n" + one, "discs.txt:1:3: ", "2 r");
  expect_rejected("401 20 1 4\n" + one, "discs.txt:1:1: ", "do not fit on a grid");
  expect_rejected("1 20 1 4\n0 5 5 1\n", "discs.txt:2:8: ", "missing");
  expect_rejected("1 20 1 4\n0 5 5 1 0 3\n", "discs.txt:2:11: ", "Too many");
  expect_rejected("1 20 1 4\n0 5 5 1 0 3 4 5\n", "discs.txt:2:11: ", "Too many");
  expect_rejected("2 20 1 4\n0 5 5 1 0 3 4\n1 9 9 0 0\n", "discs.txt:3:10: ", "missing");
  expect_rejected("1 20 1 4\n1 5 5 1 0\n", "discs.txt:2:1: ", "whole number");
  expect_rejected("2 20 1 4\n" + one + "0 9 9 0 0\n", "discs.txt:3:1: ", "already given in line 2");
  expect_rejected("2 20 1 4\n" + one, "discs.txt:3:1: ", "lines are missing");
  expect_rejected("1 20 1 4\n" + one + "1 9 9 0 0\n", "discs.txt:3:1: ", "follows that many");
  expect_rejected("1 20 1 4\n0 5 x 1 0\n", "discs.txt:2:5: ", "not a finite number");
  expect_rejected("1 20 1 4\n0 5 5 1 1e999\n", "discs.txt:2:9: ", "finite");
  expect_rejected("1 20 1 4\n0 5 5 nan 0\n", "discs.txt:2:7: ", "finite");
  expect_rejected("2 20 1 4\n" + one + "1 0.9 9 0 0\n", "discs.txt:3:3: ", "outside");
  expect_rejected("2 20 1 4\n" + one + "1 9 19.1 0 0\n", "discs.txt:3:5: ", "outside");
  expect_rejected("1 20 1 4 # done, and 1/2\n" + one, "discs.txt:1:1: ", "set it to 2", {{"slow_factor", 1}});
  expect_rejected("1 20 1 4\n" + one, "slow_factor", "power of two", {{"slow_factor", 3}});
}

// Through HDF5 and back: bit-identical, and the same path afterwards.
TEST(ParticlesFiles, AStateComesBackFromItsFile) {
  const auto cpu = Backend::make_cpu(2);
  const std::string path = testing::TempDir() + "particles-state.perturb";
  for (const auto& parameters : std::vector<std::map<std::string, double>>{
           {{"count", 400}, {"box", 90}, {"velocity_max", 1}, {"slow_factor", 2}},
           {{"count", 400}, {"box", 90}, {"velocity_max", 1}, {"precision", 0}},
           {{"count", 200}, {"box", 90}, {"velocity_max", 1}, {"heavy_radius", 6}, {"heavy_mass", 9}},
           {{"count", 200}, {"box", 90}, {"velocity_max", 1}, {"piston_speed", 0.1}, {"piston_end", 0.5}}}) {
    const perturb::Setup setup = disc_setup(parameters);
    const auto first = particles_simulation().create(*cpu, setup), second = particles_simulation().create(*cpu, setup);
    first->step(50);
    const State saved = first->save();
    save_state(saved, path);
    const State loaded = load_state(path);
    EXPECT_EQ(loaded.steps, 50);
    EXPECT_EQ(loaded.parameters.at("count"), saved.parameters.at("count"));
    ASSERT_EQ(loaded.datasets.size(), saved.datasets.size());
    for (const auto& [name, data] : saved.datasets) {
      EXPECT_EQ(loaded.datasets.at(name).unit, data.unit) << name;
      EXPECT_EQ(loaded.datasets.at(name).shape, data.shape) << name;
      EXPECT_TRUE(loaded.datasets.at(name).bytes == data.bytes) << name;
    }
    second->load(loaded);
    first->step(50);
    second->step(50);
    const State a = first->save(), b = second->save();
    for (const auto& [name, data] : a.datasets) EXPECT_TRUE(data.bytes == b.datasets.at(name).bytes) << name;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace perturb::particles
