// Every kind of bad input: one clear message on stderr, exit code 2, and nothing lost.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/cli/options.h"
#include "app/io/preset/races.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/nvidia_gpu.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

class BadInput : public ScratchFolder {
 protected:
  // Runs the program and expects code 2, a single line on stderr that contains all the `parts`, and nothing on stdout.
  void expect_error(const std::string& arguments, const std::vector<std::string>& parts) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments << "\n" << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << arguments << "\n" << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("perturb: ")) << outcome.err;
    for (const std::string& part : parts)
      EXPECT_NE(outcome.err.find(part), std::string::npos) << arguments << "\n" << outcome.err;
  }
};

TEST_F(BadInput, UnknownScenesAndCommandsOfferTheNearest) {
  expect_error("wave/drplet", {"wave/drplet", "did you mean \"wave/droplet\""});
  expect_error("wavee --headless", {"wavee", "\"wave\""});
  expect_error("run wavee", {"wavee", "\"wave\""});
  expect_error("lisst", {"lisst", "\"perturb list\""});
  expect_error("verfy", {"verfy", "\"perturb verify\""});
  expect_error("zzzzzzzzzzzz", {"zzzzzzzzzzzz"});
  expect_error("''", {"SCENE", "empty"});
  expect_error("wave --headless --save ''", {"--save", "empty"});
  expect_error("verify wavee", {"wavee", "wave"});
  expect_error("list wavee", {"wavee", "wave"});
  expect_error("list wave lbm", {"lbm", "too many"});
  expect_error("bench wavee", {"wavee", "wave"});
  expect_error("bench wave --kernel no_such_kernel --backend cpu", {"no_such_kernel"});
  expect_error("--size 64x64 bench", {"bench", "come first"});
  expect_error("wave rain", {"rain", "too many"});
}

// Every command, and what a name alone may stand for: a prepared race, a puzzle, a lesson.
TEST_F(BadInput, MisspeltCommandsOfferTheNearest) {
  for (const std::string& name : command_names()) {
    std::string misspelt = name;
    misspelt.erase(misspelt.size() / 2, 1);
    expect_error(misspelt, {"\"perturb " + name + "\""});
    if (has_small_reach()) break;
  }
  expect_error("puzle", {"\"perturb puzzle\""});
  expect_error("hlep", {"\"perturb --help\""});
  expect_error("--verison", {"did you mean --version"});
  expect_error("--hlep", {"did you mean --help"});
  expect_error("wave --version", {"--version", "alone"});
  for (const PreparedRace& race : prepared_races()) {
    std::string misspelt = race.id;
    std::swap(misspelt[0], misspelt[1]);
    expect_error("race " + misspelt, {"did you mean \"perturb race " + race.id + "\""});
    expect_error(misspelt, {"did you mean \"perturb race " + race.id + "\""});
    if (has_small_reach()) break;
  }
  expect_error("race kernels", {"did you mean \"perturb race kernels-wave\""});
  expect_error("race zzzzzzzz", {"perturb race --list"});
  expect_error("coalescin", {"\"perturb puzzle coalescing\""});
  expect_error("wave/two-slit", {"\"perturb lesson wave/two-slits\""});
  expect_error("help verfy", {"verfy", "verify"});
}

TEST_F(BadInput, FilesThatAreNoSceneSayWhatTheyAreFor) {
  for (const char* name : {"a.csv", "a.txt", "a.png", "a.dat", "a.h", "a.perturb.bak", "noending"}) {
    const std::string file = std::string("missing-") + name;
    if (file.find('.') != std::string::npos) expect_error(file, {"There is no file \"" + file + "\""});
    write(name, "x");
  }
  for (const char* command : {"", "list "}) {
    expect_error(command + std::string("./a.csv"), {"./a.csv", "--input"});
    expect_error(command + std::string("./a.txt"), {"./a.txt", "--input"});
    expect_error(command + std::string("./a.png"), {"./a.png", "image", "Drop it"});
    expect_error(command + std::string("./a.dat"), {"./a.dat", "unsupported file type"});
    expect_error(command + std::string("./a.h"), {"./a.h", "kernel"});
  }
  for (const char* name : {"a.csv", "a.txt", "a.png", "a.dat", "a.h", "a.perturb.bak"}) {
    const Outcome outcome = run(name);
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_EQ(outcome.err.find("did you mean"), std::string::npos) << outcome.err;
  }
}

TEST_F(BadInput, ShowsNoEditorWhereThereIsNone) {
  for (const char* scene : {"particles", "fibers/lone", "membrane", "race kernels-wave"})
    expect_error(std::string(scene) + " --show editor --headless --steps 1 --with-ui --backend cpu --screenshot a.png",
                 {"--show editor", "edited"});
}

TEST_F(BadInput, UnknownOptionsOfferTheNearest) {
  expect_error("wave --stepps 3", {"--stepps", "--steps"});
  expect_error("list --jsn", {"--jsn", "--json"});
  expect_error("doctor --json", {"--json"});
  expect_error("wave -x", {"-x"});
}

TEST_F(BadInput, RejectsStudiesAndTextsOfOtherSimulations) {
  expect_error("bench lbm --stages", {"lbm", "--stages"});
  expect_error("bench wave --stages --kernel fused", {"--stages", "--size"});
  expect_error("bench wave --plot a.png", {"--plot", "study"});
  expect_error("bench wave --stages --plot a.jpg", {"--plot", ".png"});
  expect_error("bench wave --stages --plot no/such/folder/a.png", {"no/such/folder"});
  expect_error("wave --headless --steps 1 --print", {"--print", "wave"});
  expect_error("wave --headless --steps 1 --input x.txt", {"--input", "wave"});
  expect_error("wave --headless --steps 1 --print --perf", {"--print", "--perf"});
  expect_error("--load a.perturb --input x.txt", {"--input", "--load"});
}

TEST_F(BadInput, TheCameraIsChecked) {
  const std::string wave = "wave --headless --steps 1 --size 32 ";
  for (const char* value : {"0", "nan", "1e9", "x"}) expect_error(wave + "--zoom " + value, {"--zoom"});
  for (const char* value : {"0.5", "0.5,", "a,b", "0.5,nan", "99,0"})
    expect_error(wave + "--center " + value, {"--center"});
  expect_error(wave + "--orbit 30,20", {"--orbit", "depth"});
  expect_error(wave + "--quantity speed --orbit 30,20", {"--orbit", "depth", "speed"});
  EXPECT_EQ(run(wave + "--quantity surface --orbit 30,20").code, 0) << "that one has";
  for (const char* value : {"30", "400,0", "0,91", "0,-91", "0,nan"})
    expect_error("fibers/lone --headless --steps 1 --orbit " + std::string(value), {"--orbit"});
}

TEST_F(BadInput, ParametersAreCheckedByTheirRecords) {
  const std::string wave = "wave --headless --steps 1 --size 32 ";
  expect_error(wave + "--set dampin=1", {"dampin", "damping"});
  expect_error(wave + "--set damping", {"--set", "id=value"});
  expect_error(wave + "--set =1", {"--set"});
  expect_error(wave + "--set damping=", {"damping"});
  for (const char* value : {"abc", "nan", "inf", "-inf", "99", "-1", "1e999", "0.1x", "0x10", "1,5", "+-1"})
    expect_error(wave + "--set damping=" + value, {"damping", "0 to 2"});
  expect_error(wave + "--set boundary_left=open", {"boundary_left", "fixed", "periodic"});
  expect_error(wave + "--quantity hight", {"hight"});
  expect_error(wave + "--colormap virids", {"virids", "viridis"});
  expect_error(wave + "--kernel no_such_kernel", {"no_such_kernel"});
}

TEST_F(BadInput, SizesAreCheckedAgainstTheMachine) {
  for (const char* size : {"0", "0x512", "512x0", "-5", "-5x5", "axb", "512x", "x512", "512x512x512", "1.5x2", "nan",
                           "''", "99999999999999999999x2", "512 x 512"})
    expect_error(std::string("wave --headless --size '") + (*size == '\'' ? "" : size) + "'", {"--size"});
  // States the required and the available memory, from megabytes up to sizes beyond any integer.
  for (const char* size : {"300000x300000", "1000000x1000000", "1073741824x1073741824"})
    expect_error(std::string("wave --headless --backend cpu --size ") + size,
                 {"needs", "iB of memory", " has ", "--size "});
}

TEST_F(BadInput, NumbersOfOptionsAreChecked) {
  const std::string wave = "wave --headless --size 32 ";
  for (const char* value :
       reach<std::vector<const char*>>({"-1", "1.5", "abc", "nan", "inf", "1e300", "''"}, {"-1", "''"})) {
    expect_error(wave + "--steps " + value, {"--steps"});
    expect_error(wave + "--seed " + value, {"--seed"});
    expect_error(wave + "--threads " + value, {"--threads"});
    expect_error(wave + "--csv-every " + value, {"--csv-every"});
    expect_error(wave + "--steps-per-frame " + value, {"--steps-per-frame"});
  }
  expect_error(wave + "--threads 0", {"--threads"});
  expect_error(wave + "--frames 0", {"--frames"});
  expect_error(wave + "--steps 10 --frames 10", {"--steps", "--frames"});
  expect_error(wave + "--steps 1 --steps 2", {"--steps", "twice"});
  expect_error(wave + "--ui-scale 0", {"--ui-scale"});
  expect_error(wave + "--ui-scale nan", {"--ui-scale"});
  expect_error(wave + "--frame-rate 0", {"--frame-rate"});
  expect_error(wave + "--window-size 0x10", {"--window-size"});
  expect_error(wave + "--window-size 100000x10", {"--window-size", "16384"});
  for (const char* value : {"1", "1,", "1,1", "2,1", "a,b", "nan,1", "0,inf", "1,2,3", "+-1,1", "-+1,1", "++0,1"})
    expect_error(wave + "--range " + value, {"--range"});
  expect_error(wave + "--backend gpu", {"--backend", "auto, cpu or cuda"});
  expect_error(wave + "--interop on", {"--interop"});
  expect_error("wave --steps", {"--steps"});
  expect_error("wave --save --headless", {"--save", "--headless"});
}

TEST_F(BadInput, OutputsAreRejectedBeforeTheRunStarts) {
  // Enough steps that only a rejection before them ends in time.
  const std::string wave = "wave --headless --size 2048 --steps 1000000000 ";
  expect_error(wave + "--save no/such/folder/a.perturb", {"no/such/folder", "no folder"});
  expect_error(wave + "--csv no/a.csv", {"no/a.csv"});
  expect_error(wave + "--screenshot no/a.png", {"no/a.png"});
  expect_error(wave + "--screenshot a.jpg", {"a.jpg", ".png"});
  expect_error(wave + "--record a.doc", {"a.doc", ".mp4"});
  expect_error(wave + "--record no/a.mp4", {"no/a.mp4"});
  expect_error(wave + "--save .", {"folder"});
  expect_error(wave + "--save a.perturb --csv a.perturb", {"--csv", "--save", "a.perturb"});
  write("file", "x");
  expect_error(wave + "--save file/a.perturb", {"file/a.perturb"});
  EXPECT_EQ(files(), 1u);
}

TEST_F(BadInput, PresetAndScriptErrorsStateLineAndColumn) {
  write("bad.toml", "simulation = 'wave'\nsize = [1, 2\n");
  expect_error("bad.toml --headless", {"bad.toml:2:"});
  write("type.toml", "simulation = 'wave'\ntitle = 3\n");
  expect_error("type.toml --headless", {"type.toml:2:9"});
  write("script.toml", "[[event]]\nstep = 1\nset = 'damping'\nvalue = 77\n");
  expect_error("wave --headless --script script.toml", {"script.toml:4:9", "damping"});
  expect_error("wave --headless --script nothing.toml", {"nothing.toml"});
  expect_error("nothing.toml --headless", {"nothing.toml"});
  write("past.toml", "[[event]]\nstep = 1\nset = 'damping'\nvalue = 0.1\n");
  ASSERT_EQ(run("wave --headless --size 32 --steps 5 --save five.perturb").code, 0);
  expect_error("--load five.perturb --headless --steps 1 --script past.toml", {"step 1", "later step"});
}

TEST_F(BadInput, SavedStatesAreCheckedAndTheOldOutputStays) {
  ASSERT_EQ(run("wave --headless --size 64 --steps 5 --save good.perturb").code, 0);
  write("out.perturb", "old");
  const std::string good = read("good.perturb");
  write("cut.perturb", good.substr(0, good.size() / 2));
  write("text.perturb", "this is not a saved state");
  expect_error("--load cut.perturb --headless --save out.perturb", {"cut.perturb", "truncated"});
  expect_error("--load text.perturb --headless --save out.perturb", {"text.perturb", "not a state saved by Perturb"});
  expect_error("--load nothing.perturb --headless --save out.perturb", {"nothing.perturb", "does not exist"});
  expect_error("--load . --headless --save out.perturb", {"folder"});
  expect_error("wave --load good.perturb", {"--load", "wave"});
  expect_error("--load good.perturb --size 32", {"--load", "--size"});
  expect_error("--load good.perturb --headless --set dampin=1", {"dampin", "damping"});
  expect_error("good.perturb --size 32 --headless", {"good.perturb", "--size"});
  EXPECT_EQ(read("out.perturb"), "old");
}

TEST_F(BadInput, CudaWithoutDeviceStatesReasonAndExitsWithOne) {
  if (cuda_status().usable) GTEST_SKIP() << "there is a CUDA device here";
  const Outcome outcome = run("wave --headless --steps 1 --backend cuda");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_FALSE(outcome.err.empty());
  const Outcome automatic = run("wave --headless --size 32 --steps 1 --backend auto");
  EXPECT_EQ(automatic.code, 0) << automatic.err;
  EXPECT_NE(automatic.out.find(" on cpu"), std::string::npos) << automatic.out;
  // On a machine without such a GPU no message says how to use one.
  EXPECT_EQ(automatic.err.find(cuda_status().reason.english()) != std::string::npos, has_nvidia_gpu()) << automatic.err;
}

TEST_F(BadInput, NonFiniteRunStopsAndSavesNothing) {
  write("state.perturb", "old");
  const Outcome outcome =
      run("wave --headless --size 64 --steps 5000 --set time_step=2 --save state.perturb --csv rows.csv");
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("time step"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("column"), std::string::npos) << outcome.err;
  EXPECT_EQ(read("state.perturb"), "old");
  EXPECT_EQ(read("rows.csv").find("nan"), std::string::npos);
  EXPECT_EQ(read("rows.csv").find("inf"), std::string::npos);
}

// ---- the parser alone

TEST(CommandLine, UnderstandsWhatTheManualShows) {
  const auto parsed = [](const std::vector<std::string>& words) {
    return std::get<RunOptions>(parse_command_line(words));
  };
  EXPECT_EQ(parsed({}).scene, "");
  EXPECT_FALSE(parsed({}).wants_headless());
  const RunOptions a = parsed({"lbm/cylinder", "--backend", "cuda", "--size", "2048x1024", "--set", "viscosity=0.01"});
  EXPECT_EQ(a.scene, "lbm/cylinder");
  EXPECT_EQ(a.backend, "cuda");
  EXPECT_EQ(a.size, (Size{2048, 1024}));
  ASSERT_EQ(a.parameters.size(), 1u);
  EXPECT_EQ(a.parameters[0].first, "viscosity");
  const RunOptions b = parsed({"wave/rain", "--headless", "--steps", "500", "--screenshot", "rain.png", "--record",
                               "rain.mp4", "--csv", "rain.csv", "--save", "rain.perturb"});
  EXPECT_EQ(b.steps, 500);
  EXPECT_TRUE(b.wants_headless());
  EXPECT_EQ(parsed({"run", "wave"}).scene, "wave");
  EXPECT_EQ(parsed({"--set", "a=1", "--set", "b=2", "wave"}).parameters.size(), 2u);
  EXPECT_EQ(parsed({"--set", "a=1", "wave"}).scene, "wave");
  EXPECT_EQ(parsed({"wave", "--size=64"}).size, (Size{64, 64}));
  EXPECT_EQ(parsed({"wave", "--range", "-1,2"}).range, (std::pair{-1.0, 2.0}));
  EXPECT_TRUE(parsed({"wave", "--range", "auto"}).automatic_range);
  EXPECT_FALSE(parsed({"wave", "--interop", "off"}).interop);
  for (const char* option : {"--theme", "--look"}) EXPECT_EQ(parsed({"wave", option, "light"}).theme, "light");
  const std::string help = std::get<PrintText>(parse_command_line({"run", "--help"})).text;
  EXPECT_NE(help.find("--theme"), std::string::npos);
  EXPECT_EQ(help.find("--look"), std::string::npos);
  EXPECT_TRUE(std::get<ListOptions>(parse_command_line({"list", "--json"})).json);
  EXPECT_EQ(std::get<VerifyOptions>(parse_command_line({"verify", "wave"})).simulation, "wave");
  const auto bench =
      std::get<BenchOptions>(parse_command_line({"bench", "wave", "--size", "64", "--size", "32x16", "--json"}));
  EXPECT_EQ(bench.sizes, (std::vector<Size>{{64, 64}, {32, 16}}));
  EXPECT_TRUE(std::holds_alternative<DoctorOptions>(parse_command_line({"doctor"})));
  EXPECT_TRUE(std::holds_alternative<PrintText>(parse_command_line({"--help"})));
  EXPECT_TRUE(std::holds_alternative<PrintText>(parse_command_line({"bench", "--help"})));
  EXPECT_TRUE(std::holds_alternative<PrintText>(parse_command_line({"--version"})));
}

}  // namespace
}  // namespace perturb
