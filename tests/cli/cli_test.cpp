// The program as a user runs it from a shell.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/cli/bench.h"
#include "app/cli/commands.h"
#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "app/run/run_text.h"
#include "cuda/core/backend/backend.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/edited_kernel.h"
#include "cuda/core/simulation/simulation.h"
#include "cuda/core/simulation/state.h"
#include "cuda/core/timing/timing_duration.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"
#include "tests/support/tested_scenes.h"
#include "tests_places.h"

namespace perturb {
namespace {

using Json = nlohmann::json;

class Cli : public ScratchFolder {
 protected:
  // Images need OpenGL, which a machine may lack even offscreen.
  bool has_offscreen() const { return run("doctor").out.find("works (EGL)") != std::string::npos; }
  static void expect_keys(const Json& object, const std::vector<std::string>& keys) {
    for (const std::string& key : keys)
      EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object.dump().substr(0, 200);
  }
  static bool same(const State& a, const State& b) {
    if (a.steps != b.steps || a.time != b.time || a.parameters != b.parameters ||
        a.datasets.size() != b.datasets.size())
      return false;
    for (const auto& [name, dataset] : a.datasets)
      if (!b.has(name) || b.datasets.at(name).bytes != dataset.bytes) return false;
    return true;
  }
};

TEST_F(Cli, HelpAndVersion) {
  for (const char* arguments : {"--help", "-h", "run --help", "bench --help", "list --help", "verify --help",
                                "doctor --help", "lesson --help", "help", "help bench"}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments;
    EXPECT_NE(outcome.out.find("perturb"), std::string::npos) << arguments;
    EXPECT_EQ(outcome.err, "") << arguments;
  }
  for (const char* option :
       {"--steps", "--screenshot", "--record", "--csv", "--save", "--load", "--script", "--interop", "--size", "--set",
        "--seed", "--threads", "--ui-scale", "--fullscreen", "--backend", "--kernel"})
    EXPECT_NE(run("--help").out.find(option), std::string::npos) << option;
  const std::string version = run("--version").out;  // with the commit, if it was built from a repository
  EXPECT_TRUE(std::regex_match(version, std::regex(R"(Perturb \d+\.\d+\.\d+( \([0-9a-f]{7,40}(-changed)?\))?\n)")))
      << version;
}

TEST_F(Cli, SpeaksTheLanguageOfItsOptionElseOfTheLocale) {
  const std::string scene = "wave/rain --size 32 --steps 5 --backend cpu --describe";
  const std::string english = "Wave tank, Rain, step 5", german = "Wellenwanne, Regen, Schritt 5";
  const auto says = [&](const Outcome& outcome, const std::string& words) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return (outcome.out + outcome.err).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says(run(scene), english));
  EXPECT_TRUE(says(run(scene + " --language de"), german));
  EXPECT_TRUE(says(run(scene, "LC_ALL=de_DE.UTF-8"), german));
  EXPECT_TRUE(says(run(scene + " --language en", "LC_ALL=de_DE.UTF-8"), english));
  // Machine-readable output is the same in every language.
  EXPECT_EQ(run("list --json", "LC_ALL=de_DE.UTF-8").out, run("list --json").out);
  const Outcome none = run(scene + " --language fr");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("--language"), std::string::npos) << none.err;
}

TEST_F(Cli, TraceHasStepsAndLoops) {
  const std::string scene = "wave/rain --size 64 --backend cpu --steps 40 ";
  const Outcome outcome = run(scene + "--kernel fused --trace trace.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Wrote trace.json"), std::string::npos) << outcome.out;
  std::set<std::pair<std::string, std::string>> names;  // with their categories
  std::set<std::string> threads;
  const Json trace = Json::parse(read("trace.json"));
  for (const Json& event : trace.at("traceEvents")) {
    expect_keys(event, {"name", "ph", "pid", "tid"});
    if (event["ph"] == "M") threads.insert(event["args"]["name"]);
    if (event["ph"] != "X") continue;
    expect_keys(event, {"cat", "ts", "dur"});
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
    names.emplace(event["name"], event["cat"]);
  }
  EXPECT_EQ(threads, (std::set<std::string>{"Perturb", "run"}));
  EXPECT_TRUE(names.contains({"steps", "steps"}));
  EXPECT_TRUE(names.contains({"read numbers", "numbers"}));
  EXPECT_TRUE(names.contains({"wave.fused", "loop"}));

  // Standard output with a result has no other text.
  const Outcome race = run("race " + scene + "--lane kernel=fused --lane kernel=temporal --json --trace race.json");
  EXPECT_EQ(race.code, 0) << race.err;
  EXPECT_TRUE(Json::accept(race.out)) << race.out;
  EXPECT_NE(read("race.json").find("lane 2"), std::string::npos);

  for (const auto& [arguments, reason] : {std::pair{"--trace missing/trace.json", "there is no folder"},
                                          {"--trace trace.txt", "must end with .json"},
                                          {"--trace same.json --save same.json", "both write"}}) {
    const Outcome wrong = run(scene + arguments);
    EXPECT_EQ(wrong.code, 2) << arguments;
    EXPECT_NE(wrong.err.find(reason), std::string::npos) << wrong.err;
    EXPECT_EQ(wrong.out, "") << "before the run";
  }
}

TEST_F(Cli, TraceIsWrittenIfTheRunFails) {
  const Outcome outcome = run("wave --size 64 --backend cpu --set time_step=2 --steps 5000 --trace trace.json");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Json::accept(read("trace.json"))) << outcome.err;
}

TEST_F(Cli, ListShowsScenesPresetsAndParameters) {
  const Outcome outcome = run("list");
  EXPECT_EQ(outcome.code, 0);
  for (const char* word : {"wave/droplet", "wave/rain", "damping", "viridis"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
}

// A run without a window prints the message of a gauge once.
TEST_F(Cli, PrintsExceededGaugeOnErrorStream) {
  const std::string scene = "wave/doppler --headless --backend cpu --size 64 --steps 600 --set ";
  const Outcome over = run(scene + "time_step=0.71 --set wave_speed=1 --set damping=2");
  const std::string words = "c dt/dx is 0.71, past its limit of 0.707. ";
  const std::size_t at = over.err.find(words);
  ASSERT_NE(at, std::string::npos) << over.err;
  EXPECT_EQ(over.err.find(words, at + 1), std::string::npos) << over.err;
  EXPECT_NE(over.err.find("Lower the time step"), std::string::npos) << over.err;
  EXPECT_EQ(over.err.find("near its limit"), std::string::npos) << over.err;
  EXPECT_EQ(run(scene + "time_step=0.6").err.find("limit"), std::string::npos);
  // Amber is reported too, before the limit is reached, and once.
  const Outcome near = run(scene + "time_step=0.7");
  const std::string close = "c dt/dx is 0.7, near its limit of 0.707. ";
  const std::size_t there = near.err.find(close);
  ASSERT_NE(there, std::string::npos) << near.err;
  EXPECT_EQ(near.err.find(close, there + 1), std::string::npos) << near.err;
  EXPECT_EQ(near.err.find("past its limit"), std::string::npos) << near.err;
}

// Beyond the limit: reported at each crossing. Near it: once in all, however the value oscillates about that bound.
TEST(GaugeLines, ReportsAmberOnceAndRedAtEachCrossing) {
  GaugeLines lines;
  const auto message_of = [&](double value, bool advisory = false) {
    Gauge gauge;
    gauge.id = advisory ? "count" : "share";
    gauge.label = "Share";
    gauge.value = value;
    gauge.limit = 1;
    gauge.warn_at = 0.9;
    gauge.advisory = advisory;
    gauge.help = "Help.";
    const std::vector<std::string> messages = lines.new_lines({gauge}, {});
    return messages.empty() ? std::string() : messages.front();
  };
  EXPECT_EQ(message_of(0.5), "");
  EXPECT_EQ(message_of(0.95), "Share is 0.95, near its limit of 1. Help.");
  EXPECT_EQ(message_of(1.5), "Share is 1.5, past its limit of 1. Help.");
  for (const double value : {1.6, 0.95, 0.5, 0.95}) EXPECT_EQ(message_of(value), "") << value;
  EXPECT_EQ(message_of(2), "Share is 2, past its limit of 1. Help.");
  EXPECT_EQ(message_of(3, true), "Share is 3. Help.");
  EXPECT_EQ(message_of(1, true), "");
}

TEST(GaugeLines, ReportsNothingForUnmeasuredGauge) {
  Gauge gauge;
  gauge.id = "share";
  gauge.label = "Share";
  gauge.value = 7;
  gauge.limit = 1;
  gauge.measured = false;
  EXPECT_TRUE(GaugeLines().new_lines({gauge}, {}).empty());
  EXPECT_FALSE(gauge_is_crossed(gauge));
}

TEST_F(Cli, DescribeNamesUnmeasuredGauge) {
  const std::string scene =
      "membrane/modes --set level=2 --set degree=1 --set solver=iterative --backend cpu --headless --describe --steps ";
  const Outcome early = run(scene + "2");
  EXPECT_NE(early.out.find("Mode (2, 2): not measured yet."), std::string::npos) << early.out;
  EXPECT_EQ(early.out.find("Mode (2, 2): 0 of"), std::string::npos) << early.out;
}

// A source that would emit other waves than requested.
TEST_F(Cli, SourceThatCannotBeCarriedIsRejected) {
  write("fast.toml",
        "simulation = 'wave'\nsize = [64, 32]\n[parameters]\ntime_step = 0.5\n[[action]]\nkind = 'line-source'\n"
        "x0 = 0.3\ny0 = 0\nx1 = 0.3\ny1 = 1\nfrequency = 1.95\n");
  const Outcome outcome = run(path("fast.toml") + " --headless --backend cpu --steps 2");
  EXPECT_NE(outcome.code, 0);
  for (const char* word : {"1.95", "time step"}) EXPECT_NE(outcome.err.find(word), std::string::npos) << outcome.err;
}

TEST(GaugeShare, IsEmptyWithoutALimitWhileNothingIsWrong) {
  const auto share = [](double value, double limit, bool advisory) {
    Gauge gauge;
    gauge.value = value;
    gauge.limit = limit;
    gauge.advisory = advisory;
    return gauge_share(gauge);
  };
  for (const double limit : {0.0, 0.5}) {
    EXPECT_EQ(share(0, limit, true), 0);
    EXPECT_EQ(share(3, limit, true), gauge_span);
  }
  EXPECT_EQ(share(0.3, 1, false), 0.3);
  EXPECT_EQ(share(9, 1, false), gauge_span);
  EXPECT_EQ(share(0.3, std::numeric_limits<double>::infinity(), false), 0);
  EXPECT_EQ(share(std::numeric_limits<double>::quiet_NaN(), 1, false), gauge_span);
  Gauge unknown;
  unknown.value = 7;
  unknown.measured = false;
  EXPECT_EQ(gauge_share(unknown), 0);
}

// Measured gauges are reported at the end of the run too, however short it was.
TEST_F(Cli, PrintsMeasuredGaugeAfterShortRun) {
  const Outcome outcome = run("particles/missed --headless --backend cpu --steps 100");
  EXPECT_NE(outcome.err.find("missed is "), std::string::npos) << outcome.err;
}

TEST_F(Cli, ListShowsOneSimulation) {
  const Outcome outcome = run("list wave");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("wave/droplet"), std::string::npos);
  for (const char* other : {"lbm/", "fibers/", "membrane/", "particles/"})
    EXPECT_EQ(outcome.out.find(other), std::string::npos) << other;
  EXPECT_NE(run("list").out.find(outcome.out.substr(0, outcome.out.find("colormaps"))), std::string::npos)
      << "the part of the whole list";
  const Json json = Json::parse(run("list fibers --json").out);
  ASSERT_EQ(json["simulations"].size(), 1u);
  EXPECT_EQ(json["simulations"][0]["id"], "fibers");
}

TEST_F(Cli, ListExplainsParametersBeyondTheirNames) {
  const std::string listed = run("list wave").out;
  EXPECT_NE(listed.find("How fast waves travel"), std::string::npos) << listed;
  EXPECT_EQ(listed.find("A painted speed map multiplies"), std::string::npos) << "the first sentence";
}

// The values of a scene, also of a preset file.
TEST_F(Cli, ListShowsValuesOfAScene) {
  const Outcome outcome = run("list lbm/cavity");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Lid-driven cavity"), std::string::npos) << outcome.out;
  const auto has = [&](const char* row) { return std::regex_search(outcome.out, std::regex(row)); };
  EXPECT_TRUE(has("boundary_top +moving +periodic +periodic, wall")) << outcome.out;
  EXPECT_TRUE(has("viscosity +0.0256 +0.02 ")) << outcome.out;
  EXPECT_TRUE(has("magic +0.1875 +0.1875 ")) << "its default";
  write("mine.toml", "simulation = \"wave\"\ntitle = \"Mine\"\n[parameters]\ndamping = 0.5\n");
  const Outcome mine = run("list mine.toml");
  EXPECT_EQ(mine.code, 0) << mine.err;
  EXPECT_NE(mine.out.find("mine.toml: Mine"), std::string::npos) << mine.out;
  EXPECT_NE(run("list lbm/cavty").err.find("lbm/cavity"), std::string::npos) << "names the nearest";
  const Outcome json = run("list lbm/cavity --json");
  EXPECT_EQ(json.code, 2);
  EXPECT_NE(json.err.find("perturb list lbm --json"), std::string::npos) << json.err;
}

TEST_F(Cli, ListJsonHasWhatTheManualDocuments) {
  const Json json = Json::parse(run("list --json").out);
  expect_keys(json, {"program", "version", "simulations", "colormaps"});
  for (const Json& simulation : json["simulations"]) {
    expect_keys(simulation, {"id", "title", "summary", "equation", "source", "orbits", "default_size", "presets",
                             "parameters", "actions", "tools", "quantities", "kernels", "studies"});
    for (const Json& preset : simulation["presets"])
      expect_keys(preset, {"id", "scene", "title", "hint", "touch_hint", "try", "keywords"});
    for (const Json& parameter : simulation["parameters"]) {
      expect_keys(parameter, {"id", "label", "unit", "symbol", "help", "kind", "default", "group", "apply"});
      if (parameter["kind"] == "real" || parameter["kind"] == "integer")
        expect_keys(parameter, {"minimum", "maximum", "scale"});
      if (parameter["kind"] == "choice") expect_keys(parameter, {"choices"});
    }
    for (const Json& kernel : simulation["kernels"])
      expect_keys(kernel, {"id", "title", "idea", "cpu", "cuda", "steps_per_pass"});
  }
}

TEST_F(Cli, BenchJsonHasWhatTheManualDocuments) {
  SKIP_AT_SMALL_REACH("prints whole tables, whose parts have tests");
  const Outcome outcome = run("bench wave --json --backend cpu --size 64x32 --steps 8");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_TRUE(json.is_array());
  ASSERT_FALSE(json.empty());
  for (const Json& row : json) {
    expect_keys(row, {"simulation", "scene", "kernel", "backend", "device", "precision", "size", "steps",
                      "seconds_per_step", "rate", "rate_unit", "bytes_per_step", "flops_per_step", "bytes_per_second",
                      "flops_per_second", "roofline_fraction", "difference_from_reference"});
    EXPECT_EQ(row["scene"], "wave/droplet");
    EXPECT_EQ(row["size"], Json::array({64, 32}));
    EXPECT_GT(row["seconds_per_step"], 0);
    EXPECT_EQ(row["difference_from_reference"], 0) << "all kernels give the same field: " << row["kernel"];
  }
}

// All pairs of 65,536 discs would take long. Their time follows from small numbers, and the rest is measured.
TEST_F(Cli, BenchLeavesOutRowsThatTakeTooLong) {
  SKIP_AT_SMALL_REACH("runs a table of timings; another test checks one row");
  const ShortTimingScope brief;
  BenchOptions options;
  options.simulation = "particles";
  options.json = true;
  options.backend = "cpu";
  options.sizes = {{256, 256}, {16, 16}};
  options.steps = 1;
  std::ostringstream words, complaints;
  std::streambuf *const out = std::cout.rdbuf(words.rdbuf()), *const err = std::cerr.rdbuf(complaints.rdbuf());
  const int code = bench_command(options);
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  ASSERT_EQ(code, 0);
  const std::string said = complaints.str();
  EXPECT_NE(said.find("Skipped particles all-pairs of 256 x 256"), std::string::npos) << said;
  EXPECT_NE(said.find("--kernel all-pairs"), std::string::npos) << said;
  EXPECT_NE(said.find("left: particles"), std::string::npos) << said;
  const Json rows = Json::parse(words.str());
  std::map<std::string, int> kernels;
  std::vector<double> cells;
  for (const Json& row : rows) {
    ++kernels[row["kernel"]];
    cells.push_back(row["size"][0].get<double>());
  }
  for (const KernelVariant& kernel : find_simulation("particles").kernels)
    if (kernel.on_cpu) {
      EXPECT_EQ(kernels[kernel.id], kernel.id == "all-pairs" ? 1 : 2) << kernel.id;
    }
  EXPECT_TRUE(std::is_sorted(cells.begin(), cells.end())) << "the fastest rows first";
}

TEST_F(Cli, BenchReportsPrecisionOfTheField) {
  SKIP_AT_SMALL_REACH("runs a table of timings; another test checks one row");
  // One kernel each, and in this process with short timings: to save time.
  const ShortTimingScope brief;
  for (const auto& [scene, kernel, precision] : {std::tuple("wave/doppler", "fused", "fp32"),
                                                 {"particles/report", "grid", "fp64"},
                                                 {"lbm/cylinder", "fused", "fp32"}}) {
    BenchOptions options;
    options.simulation = scene;
    options.kernel = kernel;
    options.json = true;
    options.backend = "cpu";
    options.sizes = {{128, 96}};
    options.steps = 1;
    std::ostringstream words;
    std::streambuf* const before = std::cout.rdbuf(words.rdbuf());
    const int code = bench_command(options);
    std::cout.rdbuf(before);
    ASSERT_EQ(code, 0);
    const Json rows = Json::parse(words.str());
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0]["precision"], precision) << scene;
    EXPECT_EQ(rows[0]["scene"], scene);
  }
}

// A step without work would be timed as a very fast one.
TEST_F(Cli, BenchTimesMovingSceneByDefault) {
  const auto backend = Backend::make_cpu(2);
  for (const SimulationInfo* info : catalog()) {
    auto setup = load_scene(timed_scene(*info)).setup;
    if (info->id == "fibers") setup.width = std::min(setup.width, 24);
    const auto run = info->create(*backend, setup);
    run->step(1);
    const State one = run->save();
    run->step(1);
    EXPECT_GT(largest_difference(run->save(), one), 0) << info->id;
  }
}

TEST_F(Cli, BenchesPresetsAndListsLosses) {
  const Outcome outcome = run("bench fibers/lone --presets --json --backend cpu");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  expect_keys(json, {"device", "backend", "threads", "presets"});
  ASSERT_EQ(json["presets"].size(), 1u);
  const Json& lone = json["presets"][0];
  expect_keys(lone, {"scene", "backend", "choice", "steps", "seconds_per_step", "least_seconds_per_step",
                     "launches_per_step", "wanted_steps_per_second", "seconds_to_open", "seconds_for_first_frame"});
  EXPECT_EQ(lone["scene"], "fibers/lone");
  // The first second at its own pace, without the first of its 60 frames.
  EXPECT_EQ(lone["steps"], 59 * lone["wanted_steps_per_second"].get<double>() / 60);
  EXPECT_GT(lone["seconds_per_step"], 0);
  EXPECT_GT(lone["launches_per_step"], 0);

  // In a file with a thousand times longer and shorter steps, nothing and this preset are slower.
  for (const auto& [factor, line] :
       {std::pair{1e3, "No preset takes more than 5 % longer"}, {1e-3, "slower than before"}}) {
    Json before = json;
    before["presets"][0]["seconds_per_step"] = factor * lone["seconds_per_step"].get<double>();
    write("before.json", before.dump());
    const Outcome compared = run("bench fibers/lone --presets --backend cpu --compare " + path("before.json"));
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_NE(compared.out.find(line), std::string::npos) << compared.out;
  }
  write("other.json", "[]");
  EXPECT_EQ(run("bench fibers/lone --presets --compare " + path("other.json")).code, 2);
  EXPECT_EQ(run("bench fibers/lone --compare " + path("other.json")).code, 2);
}

TEST_F(Cli, BenchRefusesOptionsOfOtherMeasurements) {
  for (const char* arguments : {"bench serve --kernel single", "bench serve --presets", "bench serve --steps 3",
                                "bench wave --clients 3", "bench --seconds 3"}) {
    const Outcome outcome = run(std::string(arguments) + " --backend cpu");
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_NE(outcome.err, "") << arguments;
  }
}

TEST_F(Cli, PrintsStudiesAsTextAndJsonTables) {
  const Outcome words = run("bench wave --stages --backend cpu --size 32");
  ASSERT_EQ(words.code, 0) << words.err;
  for (const char* word : {"first droplet", "settled", "burst", "long run", "time per step", "cell/s"})
    EXPECT_NE(words.out.find(word), std::string::npos) << words.out;
  // Only one simulation has it, so no name is needed.
  const Outcome outcome = run("bench --stages --backend cpu --size 32 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  expect_keys(json, {"simulation", "study", "summary", "backend", "device", "threads", "tables", "plots"});
  EXPECT_EQ(json["simulation"], "wave");
  ASSERT_FALSE(json["tables"].empty());
  EXPECT_EQ(json["tables"][0]["id"], "stages");
  for (const Json& table : json["tables"]) {
    expect_keys(table, {"id", "title", "columns", "rows", "note"});
    for (const Json& row : table["rows"]) {
      EXPECT_EQ(row.size(), table["columns"].size());
      for (const Json& column : table["columns"]) EXPECT_TRUE(row.contains(column["id"])) << column;
      if (table["id"] == "stages") {
        EXPECT_GT(row["seconds_per_step"], 0);
      }
    }
  }
}

TEST_F(Cli, TheCameraIsChosen) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const std::string picture = "wave --headless --backend cpu --size 64 --steps 40 --window-size 320x200 --screenshot ";
  ASSERT_EQ(run(picture + "a.png").code, 0);
  ASSERT_EQ(run(picture + "b.png --zoom 4 --center 0.25,0.25").code, 0);
  EXPECT_NE(load_grey_image(path("a.png"))->values, load_grey_image(path("b.png"))->values);
}

TEST_F(Cli, VerifyPasses) {
  SKIP_AT_SMALL_REACH("prints whole tables, whose parts have tests");
  // The simulation with the shortest checks; those of each simulation are in its own tests.
  const Outcome outcome = run("verify fibers --json --backend cpu");
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  const Json json = Json::parse(outcome.out);
  ASSERT_FALSE(json.empty());
  for (const Json& check : json) {
    expect_keys(check,
                {"simulation", "name", "backend", "unit", "expected", "got", "error", "tolerance", "pass", "note"});
    EXPECT_EQ(check["pass"], true) << check["name"];
  }
}

TEST_F(Cli, DoctorLooksAtEverything) {
  const Outcome outcome = run("doctor", "env -u DISPLAY -u WAYLAND_DISPLAY");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* word : {"CUDA build", "GPU", "CPU", "threads", "Display", "Window", "Offscreen", "Font", "ffmpeg"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
}

TEST_F(Cli, TakesExactlyTheStepsAskedFor) {
  for (const int steps : {0, 1, 37, 300}) {
    ASSERT_EQ(
        run("wave --headless --backend cpu --size 40x30 --steps " + std::to_string(steps) + " --save a.perturb").code,
        0);
    const State state = load_state(path("a.perturb"));
    EXPECT_EQ(state.steps, steps);
    EXPECT_EQ(state.width, 40);
    EXPECT_EQ(state.height, 30);
  }
}

TEST_F(Cli, LoadedRunContinuesBitIdentically) {
  const std::string scene = "wave/rain --headless --backend cpu --size 96x80 --seed 7 --set damping=0.003 ";
  ASSERT_EQ(run(scene + "--steps 250 --save whole.perturb").code, 0);
  ASSERT_EQ(run(scene + "--steps 90 --save half.perturb").code, 0);
  ASSERT_EQ(run("--load half.perturb --headless --backend cpu --steps 160 --save rest.perturb --threads 1").code, 0);
  EXPECT_TRUE(same(load_state(path("whole.perturb")), load_state(path("rest.perturb"))));
}

TEST_F(Cli, TheSameSeedGivesTheSameBits) {
  const std::string scene = "wave/rain --headless --backend cpu --size 64 --steps 200 ";
  ASSERT_EQ(run(scene + "--seed 1 --threads 1 --save a.perturb").code, 0);
  ASSERT_EQ(run(scene + "--seed 1 --threads 3 --save b.perturb").code, 0);
  ASSERT_EQ(run(scene + "--seed 2 --threads 1 --save c.perturb").code, 0);
  EXPECT_TRUE(same(load_state(path("a.perturb")), load_state(path("b.perturb"))));
  EXPECT_FALSE(same(load_state(path("a.perturb")), load_state(path("c.perturb"))));
}

// The columns of a body are there from the first row on, and have values once there is a body.
TEST_F(Cli, CsvHasColumnsOfABodyThatComesLater) {
  write("body.toml", "[[event]]\nstep = 1\naction = 'wall-disc'\nx = 0.5\ny = 0.5\nradius = 0.15\n");
  ASSERT_EQ(run("lbm/channel --script body.toml --size 64x32 --headless --backend cpu --steps 600 --csv a.csv "
                "--csv-every 300")
                .code,
            0);
  std::istringstream lines(read("a.csv"));
  const auto fields_of_next = [&] {
    std::string line, field;
    std::getline(lines, line);
    std::vector<std::string> fields;
    for (std::istringstream rest(line); std::getline(rest, field, ',');) fields.push_back(field);
    return fields;
  };
  const std::vector<std::string> names = fields_of_next(), first = fields_of_next();
  fields_of_next();
  const std::vector<std::string> last = fields_of_next();
  for (const char* id : {"drag", "lift", "drag_coefficient", "lift_coefficient"}) {
    const auto column = static_cast<std::size_t>(std::find(names.begin(), names.end(), id) - names.begin());
    ASSERT_LT(column, names.size()) << id;
    ASSERT_LT(column, last.size()) << id;
    EXPECT_EQ(first[column], "") << id;
    EXPECT_NE(last[column], "") << id;
  }
  EXPECT_NE(std::find(names.begin(), names.end(), "strouhal"), names.end());
}

TEST_F(Cli, CsvHasARowEveryFewStepsAndTheEnd) {
  ASSERT_EQ(run("wave --headless --backend cpu --size 32 --steps 25 --csv a.csv").code, 0);
  std::istringstream lines(read("a.csv"));
  std::string line;
  std::vector<std::string> steps;
  while (std::getline(lines, line)) steps.push_back(line.substr(0, line.find(',')));
  EXPECT_EQ(steps, (std::vector<std::string>{"step", "0", "10", "20", "25"}));
  EXPECT_TRUE(read("a.csv").starts_with("step,time,"));
  ASSERT_EQ(run("wave --headless --backend cpu --size 32 --steps 6 --csv a.csv --csv-every 3").code, 0);
  const std::string text = read("a.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
}

// However often a row is written: the numbers of a step, all columns of them, are the same.
TEST_F(Cli, CsvRowsAreTheSameAtEveryInterval) {
  // The slices and cells of the search for collisions are chosen by measured times.
  const std::set<std::string> measured = {"slices", "cells"};
  const auto lines_of = [&](const std::string& arguments) {
    EXPECT_EQ(run(arguments + " --csv a.csv").code, 0) << arguments;
    std::map<std::string, std::string> lines;  // by step
    std::vector<std::string> names;
    std::istringstream text(read("a.csv"));
    for (std::string line, field; std::getline(text, line);) {
      std::vector<std::string> fields;
      for (std::istringstream rest(line); std::getline(rest, field, ',');) fields.push_back(field);
      if (names.empty()) names = fields;
      std::string& kept = lines[fields.front()];
      for (std::size_t k = 0; k < fields.size() && k < names.size(); ++k)
        if (!measured.contains(names[k])) kept += fields[k] + ",";
    }
    return lines;
  };
  for (const SceneEntry& scene : tested_scenes()) {
    const std::string name = scene.simulation + "/" + scene.preset;
    SCOPED_TRACE(name);
    const char* size = scene.simulation == "fibers"     ? " --size 6x1"
                       : scene.simulation == "membrane" ? " --set level=2"
                                                        : " --size 48";
    // The automatic choice measures times.
    const std::vector<KernelVariant>& kernels = find_simulation(scene.simulation).kernels;
    const auto kernel = std::find_if(kernels.begin(), kernels.end(), [](const auto& one) { return one.on_cpu; });
    ASSERT_NE(kernel, kernels.end());
    const std::string start =
        name + size + " --headless --backend cpu --threads 1 --kernel " + kernel->id + " --steps 24 --csv-every ";
    const auto every_step = lines_of(start + "1");
    EXPECT_EQ(every_step.size(), 26U) << "the names, and steps 0 to 24";
    for (const int interval : reach<std::vector<int>>({5, 8, 24}, {8})) {
      const auto lines = lines_of(start + std::to_string(interval));
      EXPECT_EQ(lines.size(), static_cast<std::size_t>(2 + (24 + interval - 1) / interval)) << interval;
      for (const auto& [step, line] : lines) {
        const auto other = every_step.find(step);
        ASSERT_NE(other, every_step.end()) << step;
        EXPECT_EQ(line, other->second) << interval;
      }
    }
  }
}

// The columns of the table are in the simulation's units; its last rows say how large these are in the scene.
TEST_F(Cli, CurvesEndWithTheScalesOfTheScene) {
  const auto scales = [&](const std::string& scene) {
    EXPECT_EQ(run(scene + " --headless --backend cpu --size 48x32 --steps 20 --curves k.csv").code, 0);
    std::istringstream text(read("k.csv"));
    std::vector<std::string> rows;
    for (std::string row; std::getline(text, row);)
      if (row.starts_with("scale,"))
        rows.push_back(row);
      else
        EXPECT_TRUE(rows.empty()) << "a point after the scales: " << row;
    return rows;
  };
  EXPECT_EQ(scales("lbm/cylinder"),
            (std::vector<std::string>{"scale,1,cell,0.1,mm,scale", "scale,1,step,0.00016,s,scale"}));
  EXPECT_TRUE(scales("lbm/taylor-green").empty()) << "a scene without a scale";
}

TEST_F(Cli, ScriptsHappenAtTheirSteps) {
  write("s.toml",
        "[[event]]\nstep = 5\nset = 'damping'\nvalue = 0.25\n[[event]]\nstep = 3\naction = 'droplet'\nx = 0.5\ny = "
        "0.5\n");
  const std::string scene = "wave --headless --backend cpu --size 48 --script s.toml ";
  ASSERT_EQ(run(scene + "--steps 4 --save a.perturb").code, 0);
  EXPECT_EQ(load_state(path("a.perturb")).parameters.at("damping"), "0.002");
  ASSERT_EQ(run(scene + "--steps 20 --save b.perturb").code, 0);
  EXPECT_EQ(load_state(path("b.perturb")).parameters.at("damping"), "0.25");
  ASSERT_EQ(run("wave --headless --backend cpu --size 48 --steps 4 --save c.perturb").code, 0);
  EXPECT_FALSE(same(load_state(path("a.perturb")), load_state(path("c.perturb"))));
}

// A run without a window does not go on with another kernel: its outputs would be those of a kernel that was not asked
// for.
TEST_F(Cli, FailedEditedKernelIsAFailure) {
  const auto cpu = Backend::make_cpu(1);
  const auto tank = find_simulation("wave").create(*cpu, load_scene("wave/droplet").setup);
  const std::string text(dynamic_cast<const EditableCell&>(*tank).kernel_source().built_in_text());
  const std::string begin =
      "Real wave_advance(Real u, Real u_previous, Real laplacian, Real courant2, Real inertia) {\n";
  const std::size_t at = text.find(begin);
  ASSERT_NE(at, std::string::npos);
  const auto expect_failure = [&](const std::string& statement, const std::string& reason) {
    std::string edited = text;
    edited.insert(at + begin.size(), statement + "\n");
    write("k.toml", "[[event]]\nstep = 1\nkernel = '''edited:" + edited + "'''\n");
    const Outcome outcome =
        run("wave/droplet --headless --backend cpu --size 64 --script k.toml --edited-kernels --steps 40 --save "
            "a.perturb");
    EXPECT_EQ(outcome.code, 1) << statement;
    EXPECT_NE(outcome.err.find("The edited kernel " + reason), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("a.perturb"))) << statement;
  };
  expect_failure("  return u / (u - u);", "gave a value that is not a finite number");
  if (has_small_reach()) return;  // each text is compiled, and the endless one takes seconds
  expect_failure("  *reinterpret_cast<volatile int*>(8) = 1;", "crashed");
  expect_failure("  for (volatile int k = 0; k < 1; k = 0) {}", "did not finish its steps");
}

// The image is the tank, without the bars beside it.
TEST_F(Cli, WritesALabReport) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  ASSERT_EQ(run("wave --headless --backend cpu --size 64x32 --steps 40 --report r.html --window-size 320x300").code, 0);
  std::ifstream file(path("r.html"));
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  for (const char* wanted : {"My conclusion", "r.png", "@page{size:A4"})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted;
  const auto image = load_grey_image(path("r.png"));
  EXPECT_EQ(image->width, 320);
  EXPECT_NEAR(image->height, 160, 5);
}

TEST_F(Cli, AScreenshotShowsTheTank) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  ASSERT_EQ(run("wave --headless --backend cpu --size 64 --steps 40 --screenshot a.png --window-size 320x200").code, 0);
  const auto plain = load_grey_image(path("a.png"));
  EXPECT_EQ(plain->width, 320);
  EXPECT_EQ(plain->height, 200);
  const auto [least, most] = std::minmax_element(plain->values.begin(), plain->values.end());
  EXPECT_LT(*least, *most) << "the image is blank";
  ASSERT_EQ(
      run("wave --headless --backend cpu --size 64 --steps 40 --screenshot b.png --window-size 320x200 --with-ui").code,
      0);
  EXPECT_NE(load_grey_image(path("b.png"))->values, plain->values);
}

TEST_F(Cli, FramesOfRaceHaveTitlesOfLanes) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const Outcome outcome =
      run("race wave --lane kernel=fused --lane kernel=temporal --headless --backend cpu --size 64 --frames 2 "
          "--steps-per-frame 4 --colormap grey --range -10,10 --window-size 400x200 --record out/");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::size_t frames = 0;
  for (const auto& file : std::filesystem::directory_iterator(path("out"))) {
    ++frames;
    const auto image = load_grey_image(file.path().string());
    // The water is grey, the letters are white. The first row is at the bottom.
    const auto white = [&](int x0, int x1, int y0, int y1) {
      int count = 0;
      for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) count += image->values[static_cast<std::size_t>(y * image->width + x)] > 0.9f;
      return count;
    };
    EXPECT_GT(white(0, 199, 160, 200), 20) << "the title of the left lane";
    EXPECT_GT(white(201, 400, 160, 200), 20) << "the title of the right lane";
    EXPECT_EQ(white(0, 400, 0, 160), 0);
  }
  EXPECT_EQ(frames, 2u);
}

TEST_F(Cli, ScreenshotShowsWhatOptionsOpen) {
  for (const char* wrong : {"--show tables", "--microscope 2,0", "--microscope 0.5", "--launch 0.5",
                            "--launch 0.5,0.5 --microscope 0.4,0.5"}) {
    const Outcome outcome = run(std::string("wave --headless --steps 1 ") + wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_NE(outcome.err.find(std::string(wrong).substr(0, 6)), std::string::npos) << outcome.err;
  }
  const Outcome discs = run("particles --headless --steps 1 --launch 0.5,0.5");
  EXPECT_EQ(discs.code, 2);
  EXPECT_NE(discs.err.find("does not show its launch"), std::string::npos) << discs.err;
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const std::string wave =
      "wave --headless --backend cpu --kernel fused --size 64 --steps 32 --steps-per-frame 8 "
      "--zoom 4 --with-ui --window-size 1000x600 --screenshot ";
  ASSERT_EQ(run(wave + "plain.png").code, 0);
  const auto plain = load_grey_image(path("plain.png"));
  for (const char* options : reach<std::vector<const char*>>(
           {"--show editor", "--show puzzles", "--show frames", "--microscope 0.5,0.5", "--launch 0.5,0.5"},
           {"--microscope 0.5,0.5"})) {
    const Outcome outcome = run(wave + "a.png " + options);
    ASSERT_EQ(outcome.code, 0) << options << outcome.err;
    EXPECT_NE(load_grey_image(path("a.png"))->values, plain->values) << options;
  }
  // The pointer outside the view shows nothing of the microscope.
  ASSERT_EQ(run(wave + "b.png --center 0.2,0.2 --microscope 0.9,0.9").code, 0);
  ASSERT_EQ(run(wave + "c.png --center 0.2,0.2 --microscope 0.9,0.1").code, 0);
  EXPECT_EQ(load_grey_image(path("b.png"))->values, load_grey_image(path("c.png"))->values);
}

TEST_F(Cli, FramesAreRecordedOneByOne) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  ASSERT_EQ(run("wave --headless --backend cpu --size 64 --frames 3 --steps-per-frame 5 --record out/ --save a.perturb "
                "--window-size 160x120")
                .code,
            0);
  EXPECT_EQ(load_state(path("a.perturb")).steps, 15);
  EXPECT_TRUE(std::filesystem::exists(path("out/000002.png")));
  EXPECT_FALSE(std::filesystem::exists(path("out/000003.png")));
}

TEST_F(Cli, SavesImageWithoutDisplay) {
  if (!has_offscreen()) GTEST_SKIP() << "no offscreen OpenGL here";
  const Outcome outcome = run("wave --backend cpu --size 64", "env -u DISPLAY -u WAYLAND_DISPLAY");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("DISPLAY"), std::string::npos) << outcome.err;
  EXPECT_TRUE(std::filesystem::exists(path("perturb.png")));
}

TEST_F(Cli, CtrlCEndsARunInOrder) {
  Outcome outcome;
  // On a busy machine the signal may arrive before the program has installed its handler, and kill it (130), or before
  // the first step: those cases do not count here.
  for (const char* seconds : {"1", "5", "25", "125"}) {
    outcome = shell(std::string("timeout --signal=INT --preserve-status ") + seconds +
                    " '" PERTURB_BINARY
                    "' wave --headless --backend cpu --size 64 --steps 1000000000000 --csv a.csv --save a.perturb");
    if (outcome.code != 130 && (outcome.code != 1 || load_state(path("a.perturb")).steps > 0)) break;
  }
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("Interrupted"), std::string::npos) << outcome.err;
  EXPECT_GT(load_state(path("a.perturb")).steps, 0);
  EXPECT_TRUE(read("a.csv").starts_with("step,time,"));
}

TEST_F(Cli, OptionsThatWouldDoNothingAreRejected) {
  for (const char* command : {"puzzle guard --json", "puzzle guard --solution --json", "verify wave --minutes 1",
                              "verify wave --at-once 2 --seconds 5"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_EQ(outcome.out, "") << command;
  }
}

TEST_F(Cli, OutputThatCannotBePrintedIsAFailure) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  EXPECT_EQ(shell("'" PERTURB_BINARY "' list --json >/dev/full").code, 1);
}

}  // namespace
}  // namespace perturb
