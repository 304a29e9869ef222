// Impossible states as files, for every simulation: rejected before the first step, with a message that names the error
// and its location. Also tests the options that --load accepts.
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/state/state_file.h"
#include "cuda/core/simulation/state.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The dataset of a state with one of its numbers changed.
template <class T>
void poke(State& state, const std::string& name, std::size_t index, T value) {
  Dataset& data = state.datasets.at(name);
  ASSERT_EQ(data.type, detail::ElementTypeOf<T>::value) << name;
  ASSERT_LT(index, data.count()) << name;
  std::memcpy(data.bytes.data() + index * sizeof(T), &value, sizeof value);
}
template <class T>
T peek(const State& state, const std::string& name, std::size_t index) {
  T value;
  std::memcpy(&value, state.datasets.at(name).bytes.data() + index * sizeof(T), sizeof value);
  return value;
}

class LoadedState : public ScratchFolder {
 protected:
  // The state that the program saves after a run.
  State saved(const std::string& arguments) const {
    const Outcome outcome = run(arguments + " --headless --backend cpu --save good.perturb");
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
    return load_state(path("good.perturb"));
  }
  void expect_error(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << arguments << "\n" << outcome.err;
  }
  void expect_rejected_state(const State& good, const std::function<void(State&)>& spoil,
                             const std::vector<std::string>& parts) const {
    State bad = good;
    spoil(bad);
    save_state(bad, path("bad.perturb"));
    expect_error("--load bad.perturb --headless --backend cpu --steps 1 --save out.perturb", parts);
    EXPECT_FALSE(std::filesystem::exists(path("out.perturb"))) << parts.front();
  }
};

TEST_F(LoadedState, NamesTheChosenKernelThatIsMissingHere) {
  EXPECT_EQ(saved("wave --size 16 --steps 2").kernel, "");
  State state = saved("wave --size 16 --steps 2 --kernel fused");
  EXPECT_EQ(state.kernel, "fused");
  state.kernel = "of-another-machine";
  save_state(state, path("other.perturb"));
  const Outcome outcome = run("--load other.perturb --headless --backend cpu --steps 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("of-another-machine"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("chosen automatically"), std::string::npos) << outcome.err;
}

TEST_F(LoadedState, RejectsImpossibleStepsAndTime) {
  const std::vector<std::string> scenes = {"wave --size 16", "lbm --size 16", "particles/report --set count=9",
                                           "fibers/pair", "membrane --set level=2"};
  for (const std::string& scene : reach(scenes, {scenes.front()})) {
    SCOPED_TRACE(scene);
    const State good = saved(scene + " --steps 2");
    const std::int64_t last = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t steps : {last, last - 1, last / 2, (std::int64_t{1} << 53) + 1, std::int64_t{-1}})
      expect_rejected_state(good, [&](State& s) { s.steps = steps; }, {"steps", std::to_string(steps)});
    expect_rejected_state(good, [&](State& s) { s.time = -1; }, {"time"});
    for (const double time : {nan, std::numeric_limits<double>::infinity()})  // JSON has no such number
      expect_rejected_state(good, [&](State& s) { s.time = time; }, {"its header cannot be read"});
  }
}

TEST_F(LoadedState, RejectsInvalidTank) {
  const State good = saved("wave/doppler --size 32x16 --steps 20");
  expect_rejected_state(good, [](State& s) { poke<float>(s, "u", 3 * 32 + 5, std::nanf("")); },
                        {"\"u\"", "not a number", "column 5, row 3", "another copy"});
  expect_rejected_state(good, [](State& s) { poke<float>(s, "u_previous", 0, -HUGE_VALF); },
                        {"\"u_previous\"", "infinite", "column 0, row 0"});
  ASSERT_TRUE(good.has("sources"));
  for (const auto& [column, value] : {std::pair{0, 1e300}, {4, -3.0}, {4, nan}, {7, 1e9}, {10, 1e9}})
    expect_rejected_state(good, [&, c = column, v = value](State& s) { poke<double>(s, "sources", c, v); },
                          {"source 0"});
  for (const double step : {-1.0, 0.5, 1e18, nan})
    expect_rejected_state(good,
                          [&](State& s) {
                            s.put<double>("clock", {2}, "", std::vector<double>{step, 0});
                          },
                          {"clock"});
}

TEST_F(LoadedState, RejectsInvalidFlow) {
  const State good = saved("lbm --size 32x16 --steps 20");
  expect_rejected_state(good, [](State& s) { poke<float>(s, "populations", 2 * 512 + 3 * 32 + 5, std::nanf("")); },
                        {"\"populations\"", "not a number", "column 5, row 3"});
  expect_rejected_state(good,
                        [](State& s) {
                          s.datasets.erase("dye");
                          s.put<double>("dye_sources", {1, 3}, "", std::vector<double>{0.5, 0.5, 0.01});
                        },
                        {"\"dye_sources\"", "\"dye\""});
  expect_rejected_state(good,
                        [](State& s) {
                          s.put<float>("dye", {16, 32}, "", std::vector<float>(512));
                          s.put<double>("dye_sources", {1, 3}, "", std::vector<double>{0.5, 0.5, 1e30});
                        },
                        {"\"dye_sources\"", "radius of source 0"});
  expect_rejected_state(good,
                        [](State& s) {
                          s.put<double>("probe", {2}, "", std::vector<double>{0.5, nan});
                        },
                        {"\"probe\"", "y"});
}

TEST_F(LoadedState, RejectsInvalidDiscs) {
  const State good = saved("particles/report --set count=211 --set box=100 --set velocity_max=1 --steps 5");
  const std::size_t n = good.datasets.at("position").shape[0];
  ASSERT_EQ(n, 211u);
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 2 * 7, 1e300); },
                        {"disc 7", "outside", "1e+300"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 2 * 7 + 1, -0.5); },
                        {"disc 7", "outside", "its y"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 2 * 7, 99.5); },
                        {"disc 7", "outside", "its x"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 2 * 7, nan); },
                        {"\"position\"", "not a number", "disc 7"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "velocity", 2 * 7, 1e300); }, {"\"velocity\"", "disc 7"});
  expect_rejected_state(good,
                        [&](State& s) {
                          for (std::size_t k = 0; k < 2 * n; ++k) poke<double>(s, "position", k, 50.0);
                        },
                        {"discs 0, 1 and 2", "at the same position"});
  expect_rejected_state(good, [](State& s) { s.put<double>("piston", {1}, "", std::vector<double>{50}); },
                        {"outside", "to 49"});
  expect_rejected_state(good,
                        [&](State& s) {
                          s.put<double>("radius", {n}, "", std::vector<double>(n, 1));
                          s.put<double>("mass", {n}, "", std::vector<double>(n, 1));
                          poke<double>(s, "mass", 3, -1.0);
                        },
                        {"\"mass\"", "disc 3"});
}

TEST_F(LoadedState, RejectsInvalidFibers) {
  const State good = saved("fibers/pair --steps 2");
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 4, nan); },
                        {"\"position\"", "not a number", "fiber 1"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "position", 4, 1e300); }, {"\"position\"", "fiber 1"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "velocity", 0, nan); }, {"\"velocity\"", "fiber 0"});
  expect_rejected_state(good,
                        [](State& s) {
                          for (std::size_t k = 3; k < 6; ++k) poke<double>(s, "tangent", k, 0.0);
                        },
                        {"\"tangent\"", "fiber 1", "direction"});
  expect_rejected_state(good, [](State& s) { s.width = 5; }, {"5", "\"position\""});
}

TEST_F(LoadedState, RejectsInvalidMembrane) {
  const State good = saved("membrane --set level=2 --steps 5");
  for (std::size_t k = 0; k < 4; ++k)
    expect_rejected_state(good, [&](State& s) { poke<double>(s, "clock", k, nan); }, {"\"clock\"", "not a number"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "clock", 1, 1e9); }, {"resonance"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "coefficients", 13, nan); },
                        {"\"coefficients\"", "patch 2"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "patch_half_width", 3, nan); }, {"Patch 3"});
  expect_rejected_state(good, [](State& s) { poke<double>(s, "solved_for", 0, 1e300); }, {"\"solved_for\"", "sigma"});
  expect_rejected_state(good,
                        [](State& s) {
                          s.put<double>("response", {1, 2}, "", std::vector<double>{3, nan});
                        },
                        {"\"response\"", "not a number"});
}

TEST_F(LoadedState, DatasetsOfAnImpossibleShapeAreWrongInput) {
  const State good = saved("particles/report --set count=9 --steps 1");
  expect_rejected_state(good, [](State& s) { s.datasets.at("position").shape = {18}; }, {"\"position\""});
  expect_rejected_state(good, [](State& s) { s.datasets.at("position").shape = {18, 1}; }, {"\"position\""});
  expect_rejected_state(good,
                        [](State& s) {
                          s.put<double>("position", {0, 2}, "", std::vector<double>());
                        },
                        {"0 discs", "from 1 to"});
}

// A disc collides at most once per step, so others pass through it: a run can produce such states itself.
TEST_F(LoadedState, LoadsOverlappingDiscsWithWarning) {
  const State good = saved("particles/report --set count=50 --set box=60 --set velocity_max=0 --steps 1");
  State over = good;
  poke<double>(over, "position", 2, peek<double>(good, "position", 0) + 0.5);
  poke<double>(over, "position", 3, peek<double>(good, "position", 1));
  save_state(over, path("over.perturb"));
  const Outcome outcome = run("--load over.perturb --headless --steps 1 --save next.perturb");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("discs overlap"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("of 50"), std::string::npos) << outcome.err;
  const Outcome silent = run("--load good.perturb --headless --backend cpu --steps 1");
  EXPECT_EQ(silent.err, "");

  // The same through the text format of the discs: what --perf writes can be read. Returns the lines of discs, without
  // the two that give the step.
  const auto discs_of = [](const std::string& written) {
    std::istringstream lines(written);
    std::string all;
    for (std::string line; std::getline(lines, line);)
      if (!line.starts_with("50 60 ")) all += line + '\n';
    return all;
  };
  const Outcome text = run("--load over.perturb --headless --steps 3 --perf");
  ASSERT_EQ(text.code, 0) << text.err;
  write("discs.txt", text.out);
  const Outcome again = run("particles --input discs.txt --headless --steps 0 --perf");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.err.find("discs overlap"), std::string::npos) << again.err;
  EXPECT_EQ(discs_of(again.out), discs_of(text.out));
}

// Fast discs in a dense gas, as the run itself leaves them.
TEST_F(LoadedState, ADenseRunsOwnStateIsTakenBack) {
  for (const std::string precision : {"fp64", "fp32"}) {
    const std::string gas =
        "particles/report --set count=600 --set box=80 --set velocity_max=30 --set precision=" + precision;
    const Outcome text = run(gas + " --headless --steps 15 --perf --save dense.perturb");
    ASSERT_EQ(text.code, 0) << text.err;
    write("dense.txt", text.out);
    EXPECT_EQ(run("--load dense.perturb --headless --steps 2").code, 0);
    const Outcome again = run("particles --headless --steps 2 --input dense.txt --set precision=" + precision);
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.err.find("discs overlap"), std::string::npos) << again.err;
  }
  ASSERT_EQ(run("particles/piston --headless --steps 200 --save piston.perturb").code, 0);
  const Outcome piston = run("--load piston.perturb --headless --steps 2");
  EXPECT_EQ(piston.code, 0) << piston.err;
}

TEST_F(LoadedState, RejectsOptionsThatContradictState) {
  ASSERT_EQ(run("particles/report --headless --steps 1 --set count=211 --save discs.perturb").code, 0);
  const std::string load = "--load discs.perturb --headless --steps 1 ";
  expect_error(load + "--set radius=3", {"--set radius", "--load", "with 1"});
  expect_error(load + "--set precision=fp32", {"--set precision", "fp64"});
  expect_error(load + "--set slow_factor=2", {"--set slow_factor"});
  expect_error(load + "--seed 7", {"--seed", "--load"});
  expect_error(load + "--size 9", {"--size", "--load"});
  EXPECT_EQ(run(load + "--set count=211").code, 0) << "what it has already";
  ASSERT_EQ(run("wave --headless --size 16 --steps 3 --save wave.perturb").code, 0);
  expect_error("--load wave.perturb --headless --set precision=fp64", {"--set precision"});
  ASSERT_EQ(run("membrane --headless --set level=2 --steps 3 --save membrane.perturb").code, 0);
  expect_error("--load membrane.perturb --headless --set degree=3", {"--set degree"});
}

TEST_F(LoadedState, LiveParametersTakeHoldWhenItIsLoaded) {
  ASSERT_EQ(run("wave --headless --size 16 --steps 10 --save a.perturb").code, 0);
  const State before = load_state(path("a.perturb"));
  ASSERT_EQ(run("--load a.perturb --headless --steps 10 --set damping=0.5 --set time_step=0.1 --save b.perturb").code,
            0);
  const State after = load_state(path("b.perturb"));
  EXPECT_EQ(after.parameters.at("damping"), "0.5");
  EXPECT_EQ(after.parameters.at("time_step"), "0.1");
  EXPECT_DOUBLE_EQ(after.time, before.time + 1);
  // A two-step scheme needs two steps of the same length: with another length it starts with an Euler step, as in the
  // window.
  ASSERT_EQ(run("fibers/pair --headless --steps 5 --save f.perturb").code, 0);
  const State pair = load_state(path("f.perturb"));
  ASSERT_TRUE(pair.has("position_previous"));
  const double dt = std::stod(pair.parameters.at("time_step"));
  ASSERT_EQ(
      run("--load f.perturb --headless --steps 1 --set time_step=" + std::to_string(dt / 4) + " --save g.perturb").code,
      0);
  const State quarter = load_state(path("g.perturb"));
  for (std::size_t k = 0; k < 6; ++k)
    EXPECT_NEAR(peek<double>(quarter, "position", k),
                peek<double>(pair, "position", k) +
                    std::stod(quarter.parameters.at("time_step")) * peek<double>(pair, "velocity", k),
                1e-12)
        << k;
  // Paired sides, whichever is named first.
  EXPECT_EQ(
      run("--load a.perturb --headless --steps 1 --set boundary_left=periodic --set boundary_right=periodic").code, 0);
  EXPECT_EQ(run("--load a.perturb --headless --steps 1 --set boundary_top=periodic").code, 0);
}

TEST_F(LoadedState, RejectsOptionsThatContradictText) {
  write("discs.txt", "2 20 1 4\n0 5 5 1 0\n1 9 9 0 0\n");
  const std::string input = "particles --input discs.txt --headless --steps 1 ";
  EXPECT_EQ(run(input + "--set slow_factor=2 --set box=20").code, 0);
  for (const char* set : {"count=9", "box=30", "radius=2", "aspect=2", "heavy_radius=3"})
    expect_error(input + "--set " + set, {"--set ", "--input"});
}

// A solver that fails during the run is not an error in the format of the input.
TEST_F(LoadedState, ReportsSolverFailureAsRuntimeError) {
  State state = saved("fibers/cloud --size 20x1 --set tolerance=1e-12 --steps 0");
  for (const char* derived : {"velocity", "spin", "force_coefficients"}) state.datasets.erase(derived);
  const std::size_t fibers = state.datasets.at("position").shape[0];
  // Overlapping fibers: the maximum number of iterations is not enough.
  for (std::size_t m = 0; m < fibers; ++m) {
    poke<double>(state, "position", 3 * m, 1e-3 * static_cast<double>(m));
    poke<double>(state, "position", 3 * m + 1, 1e-3 * static_cast<double>(m * m % 7));
    poke<double>(state, "position", 3 * m + 2, 1e-3 * static_cast<double>(m));
    for (std::size_t k = 0; k < 3; ++k) poke<double>(state, "tangent", 3 * m + k, k == 2 ? 1.0 : 0.0);
  }
  save_state(state, path("knot.perturb"));
  const Outcome outcome = run("--load knot.perturb --headless --steps 20 --csv rows.csv --save out.perturb");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("residual is"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("Raise the tolerance"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("Nothing was saved to \"out.perturb\""), std::string::npos) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("out.perturb")));
}

}  // namespace
}  // namespace perturb
