// The page's engine: its replies, its errors, and scenes restored from a link or a file.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/commands.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/io/state/portable_state.h"
#include "app/io/state/state_file.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/backend/field.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/pixels.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/reach.h"
#include "tests/web_engine/web_engine_fixture.h"

namespace perturb {
namespace {

class WebEngineTest : public WebEngineFixture {
 protected:
  // A scene as it is; with a sanitizer with few cells, bodies or fibers, because a scene opens as large as in a window.
  Json opened(const std::string& path, int most = reach(10000, 48)) {
    Json with = {{"scene", path}};
    const perturb::Setup setup = load_scene(path).setup;
    if (setup.width > most) with["width"] = most;
    if (setup.height > most) with["height"] = most;
    return done("open", with);
  }
  // Expects an error message, and the run unchanged.
  void expect_rejected(const std::string& name, const Json& with = Json::object()) {
    const Json answer = call(name, with);
    ASSERT_TRUE(answer.contains("error")) << name << " " << with.dump();
    const std::string words = answer["error"];
    EXPECT_EQ(answer["kind"], "input") << words;
    EXPECT_GT(words.size(), 15u) << words;
  }
};

TEST_F(WebEngineTest, EveryCallIsRejectedWhereNoSceneIsOpen) {
  for (const char* name :
       {"scene", "status", "look", "view", "describe", "restart", "undo", "redo", "restore_last_good", "find_remedy",
        "apply_remedy", "save", "load", "script", "lesson_look", "remove_instrument"})
    expect_rejected(name);
  expect_rejected("advance", {{"steps", 1}});
  expect_rejected("locate", {{"x", 1}, {"y", 1}, {"width", 10}, {"height", 10}});
  EXPECT_TRUE(engine_.paint(10, 10).empty());
  EXPECT_FALSE(engine_.error().empty());
}

TEST_F(WebEngineTest, GoesBackInTheRun) {
  done("open", {{"scene", "wave/droplet"}, {"width", 32}, {"height", 32}});
  done("advance", {{"steps", 40}});
  Json status = done("status");
  EXPECT_EQ(status["first_step"], 0);
  EXPECT_EQ(status["last_step"], 40);
  while ((status = done("return_to_step", {{"step", 10}}))["steps"] != 10) {
  }
  EXPECT_EQ(status["last_step"], 40);
  done("advance", {{"steps", 5}});
  EXPECT_EQ(done("status")["last_step"], 15);
  EXPECT_EQ(done("undo")["status"]["steps"], 40);
  expect_rejected("return_to_step", {{"step", -1}});
  expect_rejected("return_to_step");
}

TEST_F(WebEngineTest, WritesTheLabReport) {
  done("open", {{"scene", "wave/double-slit"}, {"width", 128}});
  done("advance", {{"steps", 20}});
  const std::string page = done(
      "lab_report", {{"picture", "data:image/png;base64,AA=="}, {"scene_units", true}, {"language", "en"}})["page"];
  for (const char* word : {"<h1>Double slit</h1>", "Frequency 12.5 Hz", "Distance ", " cm", "<h2>My conclusion</h2>",
                           "src=\"data:image/png;base64,AA==\"", "@page{size:A4"})
    EXPECT_NE(page.find(word), std::string::npos) << word;
  EXPECT_EQ(page.find("run.toml"), std::string::npos) << "the page has no such file";
}

TEST_F(WebEngineTest, IsDrivenByASungTone) {
  EXPECT_EQ(done("open", {{"scene", "wave/droplet"}, {"width", 32}})["sung"], "");
  EXPECT_EQ(done("open", {{"scene", "membrane/chladni"}})["sung"], "frequency");
  Json samples = Json::array();
  for (int k = 0; k < 2048; ++k) samples.push_back(0.3 * std::sin(2 * std::numbers::pi * 600 * k / 48000));
  const Json heard = {{"samples", samples}, {"rate", 48000}};
  done("sing", heard);
  const Json sung = done("sing", heard);
  EXPECT_NEAR(sung["pitch"].get<double>(), 600, 6);
  EXPECT_NEAR(sung["status"]["parameters"]["frequency"].get<double>(), 600 / 79.577, 0.08);
}

TEST_F(WebEngineTest, RejectsInvalidCallsAndKeepsRun) {
  done("open", {{"scene", "wave/rain"}, {"width", 64}, {"height", 64}});
  done("advance", {{"steps", 10}});
  EXPECT_TRUE(Json::parse(engine_.call("no JSON")).contains("error"));
  EXPECT_TRUE(Json::parse(engine_.call("[]")).contains("error"));
  EXPECT_TRUE(Json::parse(engine_.call("{\"call\": 5}")).contains("error"));
  expect_rejected("opne");
  expect_rejected("open");
  expect_rejected("open", {{"scene", "wave/nothing"}});
  expect_rejected("open", {{"scene", "/etc/passwd.toml"}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"width", -5}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"width", 1e9}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"seed", 0.5}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"parameters", {{"nothing", 1}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"parameters", {{"damping", 1e9}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"parameters", {{"damping", "much"}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"parameters", {{"left", 77}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"actions", {{{"kind", "nothing"}}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"actions", {{{"kind", "droplet"}, {"x", 5}, {"y", 0.5}}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"actions", {{{"kind", "droplet"}, {"wrong", 1}}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"view", {{"quantity", "nothing"}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"view", {{"colormap", "nothing"}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"view", {{"camera", {{"zoom", 0}}}}}});
  expect_rejected("open", {{"scene", "wave/rain"}, {"kernel", "nothing"}});
  expect_rejected("advance", {{"steps", -1}});
  expect_rejected("look", {{"at", {1}}});
  expect_rejected("view", {{"minimum", 1}});
  expect_rejected("view", {{"layer", {{"quantity", "nothing"}}}});
  expect_rejected("gesture", {{"tool", "nothing"}, {"phase", "press"}});
  expect_rejected("gesture", {{"tool", "droplet"}, {"phase", "nothing"}});
  expect_rejected("act", {{"action", {{"kind", "droplet"}, {"x", "left"}}}});
  expect_rejected("kernel", {{"id", "nothing"}});
  expect_rejected("translate", {{"language", "xx"}, {"texts", {"Waves"}}});
  expect_rejected("verify", {{"simulation", "nothing"}});
  expect_rejected("lesson_open", {{"path", "wave/nothing"}});
  const Json set = done("set", {{"changes", {{"damping", -1}, {"nothing", 1}}}});
  EXPECT_EQ(set["errors"].size(), 2u);
  const Json status = done("status");
  EXPECT_EQ(status["steps"], 10);
  EXPECT_EQ(status["scene"], "wave/rain");
  EXPECT_EQ(status["width"], 64);
}

TEST_F(WebEngineTest, AnObjectIsAddedAndKeptInLinks) {
  const Json begun = opened("wave/double-slit", 64);
  const std::size_t before = begun["objects"].size();
  ASSERT_EQ(begun["placeable"].size(), 5u) << begun["placeable"].dump();
  const Json placed = done("place", {{"kind", "lens"}, {"x", 0.3}, {"y", 0.5}});
  ASSERT_EQ(placed["objects"].size(), before + 1);
  EXPECT_EQ(placed["objects"].back()["kind"], "lens");
  expect_rejected("place", {{"kind", "piston"}});
  EXPECT_EQ(done("open", done("scene"))["objects"].size(), before + 1);
}

TEST_F(WebEngineTest, ObjectsAreAddedInTheMiddleOfTheViewAndDoNotCoverEachOther) {
  opened("wave/double-slit", 64);
  done("view", {{"camera", {{"zoom", 2}, {"center", {0.3, 0.6}}}}});
  const auto added = [&] { return done("place", {{"kind", "lens"}})["objects"].back()["numbers"]; };
  const Json first = added(), second = added();
  EXPECT_NEAR(first["x"].get<double>(), 0.3, 0.05);
  EXPECT_NEAR(first["y"].get<double>(), 0.6, 0.05);
  EXPECT_GT(std::abs(second["y"].get<double>() - first["y"].get<double>()), 0.03);
}

TEST_F(WebEngineTest, ValuesAreInTheSceneUnitsOnRequest) {
  const Json status = opened("wave/double-slit", 128);
  const Json& units = status["units"];
  const auto unit_of = [&](const std::string& id) {
    for (const Json& one : units["values"])
      if (one["id"] == id) return one;
    return Json();
  };
  EXPECT_EQ(units["names"], Json({"Hz", "mm", "cm", "s"}));
  EXPECT_EQ(units["scales"][1], Json({{"of", "length"}, {"text", "0.1 cm"}}));
  EXPECT_EQ(unit_of("frequency")["shown"], "Hz");
  EXPECT_NEAR(unit_of("frequency")["factor"].get<double>(), 250, 1e-9);
  EXPECT_EQ(unit_of("x")["shown"], "cm") << "a position on the page is a length";
  done("view", {{"theory", true}});
  done("advance", {{"steps", 20}});
  const Json own = done("look", {{"at", {0.5, 0.5}}}),
             shown = done("look", {{"at", {0.5, 0.5}}, {"scene_units", true}});
  EXPECT_EQ(own["time"], shown["time"]) << "the pace needs the simulation's time";
  EXPECT_NE(shown["time_text"].dump().find("\u00a0s"), std::string::npos) << shown["time_text"];
  EXPECT_EQ(own["time_text"]["text"], "t = {} time units");
  EXPECT_EQ(done("status")["units"]["time_text"], shown["time_text"]);
  const auto energy_of = [](const Json& look) {
    for (const Json& one : look["scalars"])
      if (one["id"] == "energy") return one;
    return Json();
  };
  EXPECT_EQ(energy_of(own)["unit"], "height²/time²");
  EXPECT_EQ(energy_of(shown)["unit"], "mm²/s²");
  const double energy = energy_of(own)["value"];
  EXPECT_GT(energy, 0);
  EXPECT_NEAR(energy_of(shown)["value"].get<double>(), energy / (0.004 * 0.004), 1e-6 * energy / (0.004 * 0.004));
  ASSERT_FALSE(own["curves"].empty());
  EXPECT_EQ(own["curves"][0]["x_unit"], "length");
  EXPECT_EQ(shown["curves"][0]["x_unit"], "cm");
  EXPECT_NEAR(shown["curves"][0]["points"].back()[0].get<double>(),
              0.1 * own["curves"][0]["points"].back()[0].get<double>(), 1e-9);
  const Json size = {{"width", 300}, {"height", 200}};
  Json in_scene_units = size;
  in_scene_units["scene_units"] = true;
  EXPECT_NE(done("overlay", in_scene_units)["marks"].dump().find("cm"), std::string::npos);
  EXPECT_EQ(done("overlay", size)["marks"].dump().find("cm"), std::string::npos);
  EXPECT_NE(done("describe", {{"scene_units", true}})["words"].dump().find("mm²/s²"), std::string::npos);
  EXPECT_TRUE(opened("particles/gas", 64)["units"]["names"].empty());
}

TEST_F(WebEngineTest, LessonsUseTheUnitsOfTheScene) {
  const Json begun = done("lesson_open", {{"path", "wave/two-slits"}});
  EXPECT_EQ(begun["step"]["question"]["unit"], "cm");
  EXPECT_FALSE(begun["status"]["units"]["values"].empty());
  EXPECT_EQ(done("look", {{"scene_units", true}})["scalars"], done("look", {{"scene_units", false}})["scalars"]);
  const Json now = answer_and_measure({{"number", "2"}});
  EXPECT_NEAR(now["answer"]["found"].get<double>(), 2, 1e-12) << "the wavelength in cm, not in cells";
  EXPECT_EQ(now["points"], 2);
}

// A refusal speaks of the number that was typed.
TEST_F(WebEngineTest, RejectsAValueInTheUnitOfItsField) {
  opened("wave/double-slit", 128);
  const auto message_of = [&](bool scene_units) {
    done("look", {{"scene_units", scene_units}});
    return done("set", {{"changes", {{"wave_speed", 1.6}}}})["errors"]["wave_speed"].dump();
  };
  const std::string shown = message_of(true), own = message_of(false);
  EXPECT_NE(shown.find("40"), std::string::npos) << shown;
  EXPECT_NE(shown.find("cm/s"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("1.6"), std::string::npos) << shown;
  EXPECT_NE(own.find("1.6"), std::string::npos) << own;
}

TEST_F(WebEngineTest, SceneOpensWithAsManyFibersAsThisMachineStepsLive) {
  const Json whole = {{"scene", "fibers/thousand"}};
  // A step of all takes seconds on one thread of any processor.
  Json live = whole;
  live["live_count"] = true;
  const Json begun = done("open", live);
  const Json& count = begun["count"];
  EXPECT_LT(count["value"].get<int>(), 1000);
  EXPECT_EQ(count["value"], begun["width"]);
  EXPECT_EQ(count["preset"], 1000);
  EXPECT_TRUE(count["is_from_machine"].get<bool>());
  EXPECT_EQ(done("scene")["width"], begun["width"]) << "a link keeps the number";

  const Json chosen = done("count", {{"value", 12}});
  EXPECT_EQ(chosen["count"]["value"], 12);
  EXPECT_FALSE(chosen["count"]["is_from_machine"].get<bool>());
  EXPECT_TRUE(done("undo")["status"]["count"]["is_from_machine"].get<bool>());
  expect_rejected("count", {{"value", 0}});

  // A number in a link is kept, also in the next link.
  live["width"] = 12;
  EXPECT_EQ(done("open", live)["width"], 12);
  EXPECT_TRUE(done("open", {{"scene", "wave/rain"}, {"width", 64}, {"height", 64}})["count"].is_null());
  expect_rejected("count", {{"value", 12}});
}

TEST_F(WebEngineTest, LinkToAChosenNumberContainsThePresetsToo) {
  const int all = load_scene("fibers/lengths").setup.width;
  EXPECT_FALSE(done("open", {{"scene", "fibers/lengths"}, {"width", 8}}).contains("error"));
  done("count", {{"value", all}});
  EXPECT_EQ(done("scene")["width"], all) << "otherwise a slower machine would open it with fewer";
}

TEST_F(WebEngineTest, AStoppedRunContinuesWithTheRemedy) {
  done("open", {{"scene", "wave/droplet"}, {"width", 48}, {"height", 48}, {"parameters", {{"time_step", 1}}}});
  Json status = done("status");
  for (int k = 0; k < 400 && status["stop_reason"] == ""; ++k) {
    done("advance", {{"steps", 20}});
    done("look");
    status = done("status");
  }
  ASSERT_NE(status["stop_reason"], "");
  EXPECT_TRUE(status["remedy"].is_null());
  status = done("find_remedy");
  ASSERT_EQ(status["remedy"]["parameter"], "time_step") << status["remedy"].dump();
  const double value = status["remedy"]["value"];
  EXPECT_LT(value, 0.7072) << "below 1/sqrt(2)";
  status = done("apply_remedy");
  EXPECT_EQ(status["stop_reason"], "");
  EXPECT_EQ(status["parameters"]["time_step"], value);
  expect_rejected("apply_remedy");
}

TEST_F(WebEngineTest, ObjectsAreTunedAndRemovedByActions) {
  const Json begun = opened("wave/double-slit", 64);
  ASSERT_TRUE(begun["objects"].is_array() && !begun["objects"].empty()) << begun["objects"].dump();
  const Json source = begun["objects"][0];
  ASSERT_EQ(source["kind"], "line-source");
  const auto frequency = [](const Json& status) { return status["objects"][0]["numbers"]["frequency"].get<double>(); };
  const auto change = [&](double value, bool merge_with_last) {
    return done("act", {{"action", {{"kind", "change-line-source"}, {"object", source["id"]}, {"frequency", value}}},
                        {"merge_with_last", merge_with_last}});
  };
  change(0.06, false);
  EXPECT_DOUBLE_EQ(frequency(change(0.07, true)), 0.07);
  EXPECT_DOUBLE_EQ(frequency(done("undo")["status"]), frequency(begun)) << "a slider drag is one undo step";
  expect_rejected("act", {{"action", {{"kind", "change-line-source"}, {"object", 999}, {"frequency", 0.06}}}});
  const Json left = done("act", {{"action", {{"kind", "remove-object"}, {"object", source["id"]}}}});
  EXPECT_EQ(left["objects"].size(), begun["objects"].size() - 1);
  // A link keeps what was removed.
  const Json packed = done("scene");
  EXPECT_EQ(done("open", packed)["objects"].size(), begun["objects"].size() - 1);
}

TEST_F(WebEngineTest, RejectsDamagedStateAndResumesBitIdentically) {
  for (const SimulationInfo* info : catalog()) {
    SCOPED_TRACE(info->id);
    opened(info->id, 96);
    done("advance", {{"steps", 3}});
    done("save");
    const std::vector<std::byte> saved = engine_.bytes();
    done("advance", {{"steps", 2}});
    done("save");
    const std::vector<std::byte> later = engine_.bytes();
    const auto load = [&](std::vector<std::byte> bytes) {
      engine_.bytes() = std::move(bytes);
      return call("load");
    };
    std::vector<std::byte> damaged = saved;
    damaged[damaged.size() / 2] ^= std::byte{1};
    EXPECT_TRUE(load(damaged).contains("error"));
    EXPECT_TRUE(load({saved.begin(), saved.begin() + static_cast<std::ptrdiff_t>(saved.size() / 2)}).contains("error"));
    EXPECT_TRUE(load({}).contains("error"));
    EXPECT_EQ(done("status")["steps"], 5) << "the run stays";
    const Json status = load(saved);
    ASSERT_FALSE(status.contains("error")) << status.dump();
    EXPECT_EQ(status["steps"], 3);
    done("advance", {{"steps", 2}});
    done("save");
    EXPECT_TRUE(engine_.bytes() == later);
  }
}

TEST_F(WebEngineTest, TheProgramOpensAFileOfThePageAndThePageOneOfTheProgram) {
  const std::string path = testing::TempDir() + "of_the_page.perturb";
  done("open", {{"scene", "lbm/cylinder"}, {"width", 96}, {"height", 32}});
  done("advance", {{"steps", 4}});
  done("save");
  const std::vector<std::byte> saved = engine_.bytes();
  const State state = read_portable_state(saved);
  save_state(state, path);
  const State loaded = load_state(path);
  EXPECT_EQ(loaded.steps, 4);
  EXPECT_EQ(largest_difference(loaded, state), 0);
  EXPECT_TRUE(portable_bytes_of(loaded) == saved) << "the same state gives the same bytes";
  engine_.bytes() = portable_bytes_of(loaded);
  EXPECT_EQ(done("load")["steps"], 4);
}

TEST_F(WebEngineTest, RejectsStateWithAnEditedKernelThatItCannotCompile) {
  opened("wave", 32);
  done("save");
  State state = read_portable_state(engine_.bytes());
  state.put<std::uint8_t>("edited_kernel", {3}, "", {'a', 'b', 'c'});
  engine_.bytes() = portable_bytes_of(state);
  EXPECT_NE(call("load").dump().find("edited kernel"), std::string::npos);
  EXPECT_EQ(done("status")["steps"], 0) << "the run stays";
  // One that took earlier steps is no hindrance.
  state.put<std::uint8_t>("edited_kernel_in_use", {1}, "", {0});
  engine_.bytes() = portable_bytes_of(state);
  EXPECT_FALSE(call("load").contains("error"));
}

// The walls, values and view that a teacher has set are what the link opens for thirty students.
TEST_F(WebEngineTest, ALinkBeginsTheSameScene) {
  done("open", {{"scene", "wave/double-slit"}, {"seed", 7}});
  done("set", {{"changes", {{"damping", 0.001}}}});
  const Json parts = {{"tool", "wall"}, {"x", 200}, {"y", 200}, {"width", 768}, {"height", 512}};
  Json press = parts, move = parts, release = parts;
  press["phase"] = "press";
  move["phase"] = "move";
  release["phase"] = "release";
  move["y"] = 260;
  release["y"] = 260;
  done("gesture", press);
  EXPECT_GT(done("gesture", move)["actions"].size(), 0u);
  done("gesture", release);
  done("view", {{"camera", {{"zoom", 2}}}, {"smooth", false}});
  const Json link = done("scene");
  ASSERT_TRUE(link.contains("actions")) << link.dump();
  EXPECT_EQ(link["parameters"].size(), 1u);
  WebEngine other(1);
  const Json status = Json::parse(other.call(Json{{"call", "open"}, {"with", link}}.dump()));
  ASSERT_FALSE(status.contains("error")) << status.dump();
  EXPECT_EQ(Json::parse(other.call("{\"call\": \"scene\"}")), link) << "and gives the same link";
  done("restart", {{"keep_built", true}});
  done("advance", {{"steps", 50}});
  other.call("{\"call\": \"advance\", \"with\": {\"steps\": 50}}");
  done("save");
  other.call("{\"call\": \"save\"}");
  const State here = read_portable_state(engine_.bytes()), there = read_portable_state(other.bytes());
  EXPECT_EQ(largest_difference(here, there), 0);
}

// A key of a later version would otherwise be ignored, and the link would open as another scene.
TEST_F(WebEngineTest, RejectsUnknownKeysAnywhereInALink) {
  done("open", {{"scene", "wave/double-slit"}});
  done("set", {{"changes", {{"damping", 0.001}}}});
  done("act",
       {{"action", {{"kind", "wall-line"}, {"x0", 0.5}, {"y0", 0.5}, {"x1", 0.5}, {"y1", 0.6}, {"thickness", 2}}}});
  done("view", {{"camera", {{"zoom", 2}}}, {"layer", {{"quantity", ""}}}});
  const Json link = done("scene");
  done("open", link);
  for (const char* place : {"", "/parameters", "/actions/0", "/view", "/view/layer", "/view/camera"}) {
    SCOPED_TRACE(place);
    Json changed = link;
    ASSERT_TRUE(changed.contains(Json::json_pointer(place))) << link.dump();
    changed[Json::json_pointer(place)]["later_version"] = 1;
    expect_rejected("open", changed);
    EXPECT_NE(call("open", changed)["error"].get<std::string>().find("later_version"), std::string::npos);
  }
  for (const char* place : {"/view", "/view/layer", "/view/camera"}) {
    Json changed = link;
    changed[Json::json_pointer(place)] = 5;
    expect_rejected("open", changed);
  }
}

// Errors of the shared modules name the program's command line; the page has its own words.
TEST_F(WebEngineTest, MessagesNameNothingThatThePageLacks) {
  const std::pair<const char*, Json> wrong[] = {
      {"open", {{"scene", "qqqqqqqqqqqqqqqq"}}},
      {"open", {{"scene", "wave/rain"}, {"parameters", {{"qqqqqqqqqqqqqqqq", 1}}}}},
      {"open", {{"scene", "wave/rain"}, {"width", 16384}, {"height", "x"}}},
      {"open", {{"scene", "wave/rain"}, {"width", "x"}}},
      {"open", {{"scene", "wave/rain"}, {"seed", 0.5}}},
      {"open", {{"scene", "wave/rain"}, {"view", {{"camera", {{"center", {1}}}}}}}},
      {"lesson_open", {{"path", "qqqqqqqqqqqqqqqq"}}},
      {"lesson_open", {{"path", "wave/edit-kernel"}}},
  };
  for (const auto& [name, with] : wrong) {
    const Json answer = call(name, with);
    ASSERT_TRUE(answer.contains("message")) << with.dump();
    const std::string words = answer["message"].dump();
    for (const char* lacks : {"perturb list", "perturb lesson", "request"})
      EXPECT_EQ(words.find(lacks), std::string::npos) << words;
  }
  fail_memory_after(0);
  const std::string words = call("open", {{"scene", "wave/rain"}})["message"].dump();
  fail_memory_after(-1);
  EXPECT_NE(words.find("browser"), std::string::npos) << words;
}

TEST_F(WebEngineTest, ReportsProgressWhileStrokesAreDrawnAndRejectsTooMany) {
  const auto link_with = [](int strokes) {
    Json actions = Json::array();
    for (int k = 0; k < strokes; ++k)
      actions.push_back(
          {{"kind", "wall-line"}, {"x0", 0.5}, {"y0", 0.5}, {"x1", 0.5}, {"y1", 0.5 + 1e-5 * k}, {"thickness", 2}});
    return Json{{"scene", "wave/rain"}, {"width", 256}, {"height", 256}, {"actions", std::move(actions)}};
  };
  std::vector<double> shares;
  engine_.on_progress([&](double share) { shares.push_back(share); });
  done("open", link_with(300));
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GT(shares.front(), 0);
  EXPECT_LE(shares.back(), 1);
  expect_rejected("open", link_with(10001));
  EXPECT_EQ(done("scene")["actions"].size(), 300u);
}

TEST_F(WebEngineTest, KeysOfThePageAreUniqueAndMeanTheSameInTheWindow) {
  std::map<std::string, std::string> commands;  // by key
  std::set<std::string> names;
  const Json catalog = done("catalog");
  for (const Json& command : catalog["commands"]) {
    const std::string name = command["name"];
    SCOPED_TRACE(name);
    EXPECT_TRUE(names.insert(name).second);
    EXPECT_NE(command["label"], "");
    EXPECT_NE(command["group"], "");
    EXPECT_FALSE(command["shown_key"].empty());
    EXPECT_FALSE(command["shown_keys"].empty());
    ASSERT_FALSE(command["keys"].empty());
    for (const std::string key : command["keys"]) {
      EXPECT_TRUE(commands.emplace(key, name).second) << key << " is also the key of " << commands[key];
      const CommandInfo* in_window = find_command(key);
      if (in_window) {
        EXPECT_EQ(in_window->name, name) << key;
      }
    }
  }
  EXPECT_EQ(commands["F4"], "describe");
  EXPECT_EQ(commands["Shift+R"], "restart-keeping");
  // No tool has the key of a command.
  for (const Json& simulation : catalog["simulations"])
    for (const Json& tool : simulation["tools"]) {
      const std::string key = tool["key"];
      if (!key.empty()) {
        EXPECT_EQ(commands.count(key), 0u) << simulation["id"] << ": " << key;
      }
    }
}

TEST_F(WebEngineTest, OpensPaintsAndDescribesEveryScene) {
  std::string last;
  for (const SceneEntry& scene : all_scenes()) {
    if (scene.simulation == last) continue;
    last = scene.simulation;
    SCOPED_TRACE(scene.path());
    // Hundreds of fibers take seconds; tens open in the same way.
    const bool is_small = has_small_reach() || scene.simulation == "fibers";
    const Json status = is_small ? opened(scene.path(), 48) : opened(scene.path());
    EXPECT_EQ(status["scene"], scene.path());
    done("advance", {{"steps", 2}});
    EXPECT_FALSE(engine_.paint(64, 48).empty()) << engine_.error();
    EXPECT_GT(done("look", {{"at", {0.5, 0.5}}})["scalars"].size(), 0u);
    EXPECT_NE(done("describe")["words"].dump().find("{}, step {}, time {}."), std::string::npos);
    const Json link = done("scene");
    EXPECT_EQ(link["scene"], scene.path());
    EXPECT_LE(link.size(), is_small ? 3u : 1u) << link.dump() << ": what is as in the scene is not said";
  }
}

// As the page's shader does, which tests/web/field_test.py checks for all quantities, walls and marks.
TEST_F(WebEngineTest, FieldHasTheColorsOfTheImage) {
  constexpr int width = 400, height = 260;
  const auto list = [](const Json& field, const char* name) {
    const Json& given = field["lists"][name];
    const auto* data = reinterpret_cast<const float*>(given["address"].get<std::uintptr_t>());
    return std::vector<float>(data, data + given["count"].get<std::size_t>());
  };
  opened("wave/droplet", 512);
  done("advance", {{"steps", 20}});
  for (const double zoom : {0.7, 1.0, 60.0}) {
    SCOPED_TRACE(zoom);
    done("view", {{"quantity", "height"}, {"smooth", false}, {"camera", {{"center", {0.45, 0.52}}, {"zoom", zoom}}}});
    const Json field = done("field", {{"width", width}, {"height", height}, {"most_side", 4096}})["field"];
    ASSERT_TRUE(field.is_object()) << field;
    const std::vector<float> x = list(field, "x"), y = list(field, "y"), values = list(field, "values");
    const auto* colors =
        reinterpret_cast<const std::uint32_t*>(field["lists"]["colors"]["address"].get<std::uintptr_t>());
    const ColorScale scale{{colors, field["lists"]["colors"]["count"].get<std::size_t>()},
                           field["minimum"].get<float>(),
                           field["per_unit"].get<float>()};
    const int taps_x = field["taps"][0], taps_y = field["taps"][1], columns = field["part"][0];
    const int left = field["corner"][0], low = field["corner"][1], rows = field["part"][1];
    const float grid_width = field["grid"][0], grid_height = field["grid"][1];
    EXPECT_EQ(taps_x > 1, zoom < 60);
    const auto shown = engine_.paint(width, height);
    ASSERT_EQ(shown.size(), std::size_t{width} * height) << engine_.error();
    for (int py = 0; py < height; ++py)
      for (int px = 0; px < width; ++px) {
        const auto at = [&](const std::vector<float>& pixels, int size, int p, int k) {
          return pixels[static_cast<std::size_t>(k * size + p)];
        };
        const float cx = at(x, width, px, 0), cy = at(y, height, py, 0);
        std::uint32_t color = outside_color();
        if (cx >= 0 && cy >= 0 && cx < grid_width && cy < grid_height) {
          double sum = 0, total = 0;
          for (int b = 0; b < taps_y; ++b)
            for (int a = 0; a < taps_x; ++a) {
              const double share = static_cast<double>(at(x, width, px, 1 + taps_x + a)) *
                                   static_cast<double>(at(y, height, py, 1 + taps_y + b));
              const int i = static_cast<int>(at(x, width, px, 1 + a)) - left;
              const int j = static_cast<int>(at(y, height, py, 1 + b)) - low;
              ASSERT_TRUE(i >= 0 && j >= 0 && i < columns && j < rows) << "cell " << i << ", " << j << " is missing";
              sum += share * static_cast<double>(values[static_cast<std::size_t>(j * columns + i)]);
              total += share;
            }
          // The sum's rounding may decide between two colours.
          const double mean = sum / total, rounding = 1e-6 * (1e-3 + std::abs(mean));
          const std::uint32_t is = shown[static_cast<std::size_t>((height - 1 - py) * width + px)];
          color = scale(static_cast<float>(mean));
          for (const double near : {mean - rounding, mean + rounding})
            if (scale(static_cast<float>(near)) == is) color = is;
        }
        ASSERT_EQ(shown[static_cast<std::size_t>((height - 1 - py) * width + px)], color)
            << "pixel " << px << ", " << py;
      }
  }
}

TEST_F(WebEngineTest, FieldIsNullWhereTheShaderCannotPaint) {
  const Json size{{"width", 300}, {"height", 300}, {"most_side", 4096}};
  opened("wave/droplet", 512);
  EXPECT_TRUE(done("field", size)["field"].is_object());
  Json small = size;
  small["most_side"] = 64;
  EXPECT_TRUE(done("field", small)["field"].is_null()) << "larger than a texture";
  EXPECT_TRUE(done("field", {{"width", 30}, {"height", 30}, {"most_side", 4096}})["field"].is_null())
      << "many more cells than pixels";
  done("view", {{"layer", {{"quantity", "speed"}}}});
  EXPECT_TRUE(done("field", size)["field"].is_null()) << "a layer";
  for (const char* scene : {"wave/surface", "particles/gas"}) {
    opened(scene);
    EXPECT_TRUE(done("field", size)["field"].is_null()) << scene;
  }
  opened("lbm/cylinder");
  EXPECT_TRUE(done("field", size)["field"].is_object());
  done("set", {{"changes", {{"tracers", 100}}}});
  EXPECT_TRUE(done("field", size)["field"].is_null()) << "tracers";
  opened("wave/droplet", 512);
  expect_rejected("field", {{"width", 0}, {"height", 200}, {"most_side", 4096}});
  done("view", {{"quantity", "surface"}});
  EXPECT_TRUE(done("field", size)["field"].is_null()) << "in 3-D";
}

TEST_F(WebEngineTest, ALessonIsTakenToItsEnd) {
  const Json catalog = done("catalog");
  ASSERT_GT(catalog["lessons"].size(), 0u);
  EXPECT_EQ(catalog["lessons"][0]["scene"], "wave/double-slit") << "what the gallery shows of it";
  Json now = done("lesson_open", {{"path", "wave/two-slits"}});
  EXPECT_EQ(now["index"], 0);
  const std::size_t steps = now["lesson"]["steps"].size();
  expect_rejected("lesson_step", {{"index", steps}});
  for (std::size_t k = 1; k < steps; ++k) now = done("lesson_step", {{"index", k}});
  EXPECT_EQ(now["index"], steps - 1);
  expect_rejected("lesson_answer", {{"number", "many"}});
}

}  // namespace
}  // namespace perturb
