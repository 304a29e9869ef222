// Preset and script files: their contents take effect, and errors are reported with file, line and column.
#include "app/io/preset/presets.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "app/i18n/translation.h"
#include "app/io/preset/scripts.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

class Presets : public ScratchFolder {
 protected:
  static Scene parse(const std::string& text) { return parse_scene(text, "a.toml", "wave", "a"); }
  static std::string complaint(const std::string& text) {
    return error_thrown_by([&] { parse(text); });
  }
  static std::string script_complaint(const std::string& text) {
    return error_thrown_by([&] { parse_script(text, "s.toml", "wave"); });
  }
  static void expect_all(const std::string& sentence, const std::vector<std::string>& parts) {
    for (const std::string& part : parts) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  }
};

TEST_F(Presets, EachSaysThreeThingsToTry) {
  for (const SimulationInfo* info : catalog())
    for (const std::string& preset : preset_ids(info->id)) {
      const Scene scene = load_scene(info->id + "/" + preset);
      EXPECT_EQ(scene.tries.size(), 3u) << info->id << "/" << preset;
      for (const std::string& text : scene.tries) {
        const std::string words = text_for(FrontEnd::window, text);
        EXPECT_GT(words.size(), 20u) << words;
        EXPECT_TRUE(words.back() == '.' || words.back() == '?') << words;
      }
    }
  expect_all(complaint("try = 'one'"), {"a.toml:1:", "list of texts"});
  expect_all(complaint("try = [1]"), {"a.toml:1:", "list of texts"});
}

// A scene whose hint sends the user to the plots names the one that it means.
TEST_F(Presets, NameTheCurveThatTheirHintPromises) {
  const auto backend = Backend::make_cpu();
  int named = 0;
  for (const SimulationInfo* info : catalog())
    for (const std::string& preset : preset_ids(info->id)) {
      const Scene scene = load_scene(info->id + "/" + preset);
      if (scene.plot.empty()) continue;
      ++named;
      EXPECT_NE(text_of_preset(scene).find("plot = \"" + scene.plot + "\""), std::string::npos)
          << info->id << "/" << preset;
      if (has_small_reach() && preset != "heat") continue;
      const auto run = info->create(*backend, scene.setup);
      run->diagnostics(scene.view, true);
      run->step(2);
      if (preset == "adaptive") run->apply({"refine", {{"by", 2}, {"share", 0.6}}, "", nullptr});
      const Diagnostics d = run->diagnostics(scene.view, true);
      const auto is_it = [&](const auto& one) { return one.id == scene.plot; };
      EXPECT_TRUE(std::any_of(d.curves.begin(), d.curves.end(), is_it) ||
                  std::any_of(d.scalars.begin(), d.scalars.end(), is_it))
          << info->id << "/" << preset << " has no " << scene.plot;
    }
  EXPECT_GE(named, 12);
}

TEST_F(Presets, SaysHowARunBegins) {
  const Scene scene = parse(
      "title = 'Two drops'\nhint = 'Click.'\norder = 3\nsize = [128, 64]\nseed = 9\nsteps_per_frame = 5\n"
      "[parameters]\ndamping = 0.5\nboundary_left = 'absorbing'\n"
      "[view]\ncolormap = 'viridis'\nrange = [-0.5, 1]\nautomatic = true\nsmooth = false\n"
      "center = [0.25, 0.75]\nzoom = 3\norbit = [90, -45]\n"
      "[[action]]\nkind = 'droplet'\nx = 0.25\ny = 1\n"
      "[[action]]\nkind = 'droplet'\nx = 0.75\ny = 0.5\n");
  EXPECT_EQ(scene.setup.simulation, "wave");
  EXPECT_EQ(scene.setup.preset, "a");
  EXPECT_EQ(scene.title, "Two drops");
  EXPECT_EQ(scene.hint, "Click.");
  EXPECT_EQ(scene.setup.width, 128);
  EXPECT_EQ(scene.setup.height, 64);
  EXPECT_EQ(scene.setup.seed, 9u);
  EXPECT_EQ(scene.setup.parameters.at("damping"), 0.5);
  EXPECT_EQ(scene.setup.parameters.at("boundary_left"), 2);
  EXPECT_EQ(scene.view.colormap, "viridis");
  EXPECT_EQ(scene.view.minimum, -0.5);
  EXPECT_EQ(scene.view.maximum, 1);
  EXPECT_TRUE(scene.view.automatic);
  EXPECT_FALSE(scene.view.smooth);
  EXPECT_EQ(scene.steps_per_frame, 5);
  EXPECT_EQ(scene.camera.center_x, 0.25);
  EXPECT_EQ(scene.camera.center_y, 0.75);
  EXPECT_EQ(scene.camera.zoom, 3);
  EXPECT_NEAR(scene.camera.yaw, 3.14159265 / 2, 1e-6);
  EXPECT_NEAR(scene.camera.pitch, -3.14159265 / 4, 1e-6);
  ASSERT_EQ(scene.setup.actions.size(), 2u);
  EXPECT_EQ(scene.setup.actions[0].get("x"), 0.25);
  EXPECT_EQ(scene.setup.actions[0].get("y"), 1);
  EXPECT_EQ(scene.setup.actions[1].get("x"), 0.75);
}

TEST_F(Presets, AnEmptyFileIsTheDefault) {
  const Scene scene = parse("");
  EXPECT_EQ(scene.setup.width, 0);
  EXPECT_TRUE(scene.setup.parameters.empty());
}

TEST_F(Presets, ErrorsStateFileLineAndColumn) {
  expect_all(complaint("title = 'a'\nsize = [1, 2"), {"a.toml:2:"});         // syntax
  expect_all(complaint("\ntitel = 'a'"), {"a.toml:2:1", "titel", "title"});  // unknown key, suggests the nearest
  expect_all(complaint("title = 3"), {"a.toml:1:9", "text"});                // wrong type
  expect_all(complaint("size = [512]"), {"a.toml:1:8", "two numbers"});
  expect_all(complaint("size = [0, 512]"), {"a.toml:1:9", "size"});
  expect_all(complaint("size = [512, 1.5]"), {"a.toml:1:14", "whole"});
  expect_all(complaint("size = [99999999999, 512]"), {"a.toml:1:9"});
  expect_all(complaint("seed = -1"), {"a.toml:1:8", "seed"});
  expect_all(complaint("steps_per_frame = 0"), {"a.toml:1:19", "steps_per_frame"});
  expect_all(complaint("[view]\nzoom = 0"), {"a.toml:2:8", "zoom"});
  expect_all(complaint("[view]\nzoom = nan"), {"a.toml:2:8", "zoom"});
  expect_all(complaint("[view]\ncenter = [0.5]"), {"a.toml:2:10", "two numbers"});
  expect_all(complaint("[view]\ncenter = [0.5, 99]"), {"a.toml:2:10", "fractions"});
  expect_all(complaint("[view]\norbit = [10, 95]"), {"a.toml:2:9", "degrees"});
  expect_all(complaint("parameters = 3"), {"a.toml:1:14", "[parameters]"});
  expect_all(complaint("[parameters]\n dampin = 1"), {"a.toml:2:2", "dampin", "damping"});
  expect_all(complaint("[parameters]\ndamping = 99"), {"a.toml:2:11", "damping", "99", "0 to"});
  expect_all(complaint("[parameters]\ndamping = nan"), {"a.toml:2:11", "nan"});
  expect_all(complaint("[parameters]\ndamping = inf"), {"a.toml:2:11", "inf"});
  expect_all(complaint("[parameters]\ndamping = 'much'"), {"a.toml:2:11", "damping"});
  expect_all(complaint("[parameters]\ndamping = [1]"), {"a.toml:2:11", "damping"});
  expect_all(complaint("[parameters]\nboundary_left = 'absorbin'"), {"a.toml:2:17", "absorbing"});
  expect_all(complaint("[parameters]\nboundary_left = 2"), {"a.toml:2:17", "absorbing"});
  expect_all(complaint("[view]\ncolormap = 'virids'"), {"a.toml:2:12", "viridis"});
  expect_all(complaint("[view]\nquantity = 'hight'"), {"a.toml:2:12", "hight"});
  expect_all(complaint("[view]\nrange = [1, -1]"), {"a.toml:2:9", "smaller"});
  expect_all(complaint("[view]\nrange = [0, nan]"), {"a.toml:2:9"});
  expect_all(complaint("[view]\nautomatic = 1"), {"a.toml:2:13", "true or false"});
  expect_all(complaint("action = 3"), {"a.toml:1:10", "[[action]]"});
  expect_all(complaint("[[action]]\nx = 1"), {"a.toml:1:", "kind"});
  expect_all(complaint("[[action]]\nkind = 'dropled'"), {"a.toml:2:8", "droplet"});
  expect_all(complaint("[[action]]\nkind = 'droplet'\nx = 0.5\ny = 0.5\nz = 1"), {"a.toml:5:1", "\"z\""});
  expect_all(complaint("[[action]]\nkind = 'droplet'\nx = 0.5\ny = 7"), {"a.toml:4:5", "y", "7"});
  expect_all(complaint("simulation = 'wav'"), {"a.toml:1:14", "wav"});
}

TEST_F(Presets, FilesNameTheirSimulation) {
  const std::string file = write("mine.toml", "simulation = 'wave'\ntitle = 'Mine'\n");
  EXPECT_EQ(load_scene(file).title, "Mine");
  EXPECT_EQ(load_scene(file).setup.preset, file);
  const std::string mute = write("mute.toml", "title = 'Mute'\n");
  EXPECT_THROW(load_scene(mute), InputError);
  std::filesystem::create_directory(path("wave"));
  EXPECT_EQ(load_scene(write("wave/inside.toml", "title = 'Inside'\n")).setup.simulation, "wave");
  EXPECT_THROW(load_scene(path("nothing.toml")), InputError);
  EXPECT_THROW(load_scene(write("wave.toml2", "")), InputError);
}

TEST_F(Presets, ErrorStatesPlaceOfInvalidImage) {
  const std::string id = "wave";
  const SimulationInfo& info = find_simulation(id);
  for (const ActionKind& kind : info.actions) {
    if (!kind.takes_image) continue;
    write("not.png", "this is no picture");
    const std::string file =
        write("image.toml", "simulation = 'wave'\n[[action]]\nkind = '" + kind.id + "'\nimage = 'not.png'\n");
    expect_all(error_thrown_by([&] { load_scene(file); }), {"image.toml:4:", "not.png"});
  }
}

TEST_F(Presets, EveryEmbeddedPresetCanBeRead) {
  for (const SimulationInfo* info : catalog()) {
    EXPECT_FALSE(preset_ids(info->id).empty()) << info->id;
    for (const std::string& id : preset_ids(info->id)) {
      const Scene scene = load_scene(info->id + "/" + id);
      EXPECT_EQ(scene.setup.simulation, info->id);
      EXPECT_EQ(scene.setup.preset, id);
      EXPECT_FALSE(scene.title.empty()) << id;
      EXPECT_FALSE(scene.hint.empty()) << id << " suggests nothing to a first-time user";
    }
    EXPECT_EQ(load_scene(info->id).setup.preset, preset_ids(info->id).front());
  }
}

TEST_F(Presets, UnknownScenesOfferTheNearest) {
  const auto error_of = [](const std::string& scene) { return error_thrown_by([&] { load_scene(scene); }); };
  expect_all(error_of("wave/drplet"), {"wave/drplet", "wave/droplet"});
  expect_all(error_of("rain"), {"wave/rain"});
  expect_all(error_of("waves"), {"did you mean \"wave\""});
  expect_all(error_of("zzzzzzzzzzzz"), {"perturb list"});
  expect_all(error_of(""), {"no scene"});
  expect_all(error_of("wave/"), {"no scene"});
}

TEST_F(Presets, ASavedStateFindsItsPresetAgain) {
  State state;
  state.simulation = "wave";
  state.preset = "rain";
  state.width = 40;
  state.height = 30;
  state.seed = 5;
  state.parameters = {{"damping", "0.25"}, {"boundary_top", "free"}};
  const Scene scene = scene_of(state);
  EXPECT_EQ(scene.title, load_scene("wave/rain").title);
  EXPECT_EQ(scene.setup.width, 40);
  EXPECT_EQ(scene.setup.height, 30);
  EXPECT_EQ(scene.setup.seed, 5u);
  EXPECT_EQ(scene.setup.parameters.at("damping"), 0.25);
  EXPECT_EQ(scene.setup.parameters.at("boundary_top"), 1);

  state.preset = "gone";
  EXPECT_EQ(scene_of(state).setup.simulation, "wave");
  state.parameters = {{"no_such", "1"}};
  EXPECT_THROW(scene_of(state), InputError);
  state.parameters = {{"damping", "99"}};
  EXPECT_THROW(scene_of(state), InputError);
  state.parameters.clear();
  state.simulation = "tides";
  EXPECT_THROW(scene_of(state), InputError);
}

// A parameter's former id is still read, in every type of file.
TEST_F(Presets, ReadsFormerIds) {
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters) {
      if (p.former.empty()) continue;
      SCOPED_TRACE(info->id + " " + p.id);
      for (const Parameter& other : info->parameters) EXPECT_NE(other.id, p.former) << "it would be read as that one";
      const std::string text = p.format(p.maximum);
      const std::string quoted = p.kind == ValueKind::choice ? "'" + text + "'" : text;
      State state;
      state.simulation = info->id;
      state.parameters = {{p.former, text}};
      const std::map<std::string, double> expected = {{p.id, p.maximum}};
      EXPECT_EQ(scene_of(state).setup.parameters, expected);
      EXPECT_EQ(parse_scene("[parameters]\n" + p.former + " = " + quoted, "a.toml", info->id, "a").setup.parameters,
                expected);
      const std::vector<Event> events =
          parse_script("[[event]]\nstep = 1\nset = '" + p.former + "'\nvalue = " + quoted, "s.toml", info->id);
      ASSERT_EQ(events.size(), 1u);
      EXPECT_EQ(std::get<ParameterChange>(events[0].change).id, p.id);
    }
}

TEST_F(Presets, ReadsFormerIdsOfActionNumbers) {
  int former = 0;
  for (const SimulationInfo* info : catalog())
    for (const ActionKind& kind : info->actions)
      for (const ValueInfo& field : kind.fields) {
        if (field.former.empty()) continue;
        SCOPED_TRACE(info->id + " " + kind.id + " " + field.id);
        ++former;
        for (const ValueInfo& other : kind.fields) EXPECT_NE(other.id, field.former) << "it would be read as that one";
        std::string numbers;
        for (const ValueInfo& other : kind.fields)
          if (std::isnan(other.initial)) numbers += other.id + " = 0.25\n";
        numbers += field.former + " = " + field.format(field.maximum) + "\n";
        const Scene scene = parse_scene("[[action]]\nkind = '" + kind.id + "'\n" + numbers, "a.toml", info->id, "a");
        ASSERT_EQ(scene.setup.actions.size(), 1u);
        EXPECT_EQ(scene.setup.actions[0].get(field.id), field.maximum);
        EXPECT_FALSE(scene.setup.actions[0].numbers.contains(field.former));
        const std::vector<Event> events =
            parse_script("[[event]]\nstep = 1\naction = '" + kind.id + "'\n" + numbers, "s.toml", info->id);
        ASSERT_EQ(events.size(), 1u);
        EXPECT_EQ(std::get<Action>(events[0].change), scene.setup.actions[0]);
      }
  EXPECT_EQ(former, 2) << "the half axes of flow's ellipse";
}

TEST_F(Presets, ScriptsAreEventsAtSteps) {
  const std::vector<Event> events = parse_script(
      "[[event]]\nstep = 100\naction = 'droplet'\nx = 0.5\ny = 0.25\n"
      "[[event]]\nstep = 0\nset = 'damping'\nvalue = 0.01\n"
      "[[event]]\nstep = 5\nset = 'boundary_left'\nvalue = 'free'\n",
      "s.toml", "wave");
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].step, 100);
  EXPECT_EQ(std::get<Action>(events[0].change).get("y"), 0.25);
  EXPECT_EQ(events[1].step, 0);
  EXPECT_EQ(std::get<ParameterChange>(events[1].change).value, 0.01);
  EXPECT_EQ(std::get<ParameterChange>(events[2].change).value, 1);
}

TEST_F(Presets, ScriptErrorsStateFileLineAndColumn) {
  expect_all(script_complaint("[[event]\n"), {"s.toml:1:"});
  expect_all(script_complaint("[[evnt]]\nstep = 1"), {"s.toml:1:", "event"});
  expect_all(script_complaint("[[event]]\naction = 'droplet'"), {"s.toml:1:", "step"});
  expect_all(script_complaint("[[event]]\nstep = -1\naction = 'droplet'"), {"s.toml:2:8"});
  expect_all(script_complaint("[[event]]\nstep = 1.5\naction = 'droplet'"), {"s.toml:2:8", "whole"});
  expect_all(script_complaint("[[event]]\nstep = 1"), {"s.toml:1:", "action", "set"});
  expect_all(script_complaint("[[event]]\nstep = 1\nset = 'damping'\naction = 'droplet'"), {"s.toml:1:"});
  expect_all(script_complaint("[[event]]\nstep = 1\nset = 'dumping'\nvalue = 1"), {"s.toml:3:7", "damping"});
  expect_all(script_complaint("[[event]]\nstep = 1\nset = 'damping'"), {"s.toml:1:", "value"});
  expect_all(script_complaint("[[event]]\nstep = 1\nset = 'damping'\nvalue = -3"), {"s.toml:4:9", "damping", "-3"});
  expect_all(script_complaint("[[event]]\nstep = 1\nset = 'damping'\nvalue = 'x'"), {"s.toml:4:9"});
  expect_all(script_complaint("[[event]]\nstep = 1\naction = 'droplets'\nx = 1"), {"s.toml:3:10", "droplet"});
}

}  // namespace
}  // namespace perturb
