// The page's engine: instruments in the view, the sound of a probe, the microscope, and an image as walls.
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/instruments/instrument.h"
#include "tests/web_engine/web_engine_fixture.h"

namespace perturb {
namespace {

class WebInstruments : public WebEngineFixture {
 protected:
  static Json sized(Json with) {
    with["width"] = 640;
    with["height"] = 400;
    return with;
  }
  // Returns its id.
  int add(const char* kind) { return done("add_instrument", sized({{"kind", kind}}))["id"]; }
  Json shown(std::size_t index) { return done("overlay", sized(Json::object()))["instruments"][index]; }
  Json curve(const std::string& id, Json with = Json::object()) {
    const Json now = done("look", with);
    for (const Json& one : now["curves"])
      if (one["id"] == id) return one;
    return nullptr;
  }
  Json open_slits() { return done("open", {{"scene", "wave/double-slit"}, {"width", 128}, {"height", 64}}); }
  Instrument placed(std::size_t index) {
    return parse_instrument(done("status")["instruments"][index].get<std::string>());
  }
};

TEST_F(WebInstruments, RulerMeasuresWhereItIsDraggedAndALinkKeepsIt) {
  open_slits();
  const int ruler = add("ruler");
  Json one = shown(0);
  EXPECT_NEAR(one["at"][1][0].get<double>() - one["at"][0][0].get<double>(), 2 * 400 / 5, 1e-6);
  EXPECT_NEAR(one["at"][0][1].get<double>(), 200, 1e-6) << "in the middle of the view";
  const Json status = done("drag_instrument", sized({{"id", ruler}, {"point", 1}, {"x", one["at"][0][0]}, {"y", 120}}));
  one = shown(0);
  EXPECT_NEAR(one["at"][1][1].get<double>(), 120, 1e-6);
  const Json whole = done("change_instrument", {{"id", ruler}, {"count", 4}});
  EXPECT_NE(shown(0)["reading"].dump().find("each of {}"), std::string::npos);
  EXPECT_NE(whole["instruments"], status["instruments"]);

  const Json link = done("scene");
  EXPECT_EQ(link["instruments"], whole["instruments"]);
  WebEngine other(1);
  EXPECT_EQ(done(other, "open", link)["instruments"], whole["instruments"]);
  EXPECT_EQ(done(other, "overlay", sized(Json::object()))["instruments"][0]["reading"], shown(0)["reading"]);
  EXPECT_FALSE(done("scene")["instruments"].empty());
  done("remove_instrument", {{"id", ruler}});
  EXPECT_FALSE(done("scene").contains("instruments"));
}

TEST_F(WebInstruments, ReadingsComeBackWhenAReturnIsUndone) {
  open_slits();
  add("probe");
  done("advance", {{"steps", 400}});
  const Json whole = curve("probe_1");
  while (done("return_to_step", {{"step", 100}})["steps"] != 100) {
  }
  done("advance", {{"steps", 50}});
  EXPECT_LT(curve("probe_1")["points"].size(), whole["points"].size());
  EXPECT_EQ(done("undo")["status"]["steps"], 400);
  EXPECT_EQ(curve("probe_1")["points"], whole["points"]);
}

TEST_F(WebInstruments, EndOfTheDomainIsTheFarthestPosition) {
  open_slits();
  const int probe = add("probe");
  done("drag_instrument", sized({{"id", probe}, {"point", 0}, {"x", 5000}, {"y", -5000}}));
  EXPECT_EQ(placed(0).places[0].x, 1);
  EXPECT_EQ(placed(0).places[0].y, 1);
}

TEST_F(WebInstruments, ProbeTracesItsPointAndFindsTheFrequency) {
  const Json begun = open_slits();
  const double frequency = begun["objects"][0]["numbers"]["frequency"];
  const int probe = add("probe");
  EXPECT_EQ(shown(0)["reading"].dump().find("\u2013"), std::string::npos) << "a paused run has a value, too";
  done("drag_instrument", sized({{"id", probe}, {"point", 0}, {"x", 120}, {"y", 200}}));
  done("advance", {{"steps", 1500}});
  const Json trace = curve("probe_1"), lines = curve("probe_1_spectrum");
  ASSERT_GT(trace["points"].size(), 32u);
  EXPECT_NEAR(trace["points"].back()[0].get<double>(), done("status")["time"].get<double>(), 20);
  double peak = 0, amplitude = 0;
  for (const Json& point : lines["points"])
    if (point[1].get<double>() > amplitude) {
      peak = point[0];
      amplitude = point[1];
    }
  const double between = lines["points"][1][0].get<double>() - lines["points"][0][0].get<double>();
  EXPECT_NEAR(peak, frequency, 1.5 * between);
  EXPECT_NE(lines["label"].dump().find("peak at"), std::string::npos) << lines["label"].dump();
  EXPECT_GE(curve("probe_1", {{"for_files", true}})["points"].size(), trace["points"].size());

  // What came before a return to an earlier state belongs to another course.
  done("restart");
  EXPECT_TRUE(curve("probe_1")["points"].empty());
  EXPECT_EQ(done("status")["instruments"].size(), 1u) << "the probe stays";
}

TEST_F(WebInstruments, LineCutHasAPointForEachCellAndAMean) {
  open_slits();
  done("advance", {{"steps", 200}});
  const int cut = add("cut");
  Json now = curve("cut_1");
  const double cells = std::abs(placed(0).places[1].x - placed(0).places[0].x) * 128;
  EXPECT_NEAR(static_cast<double>(now["points"].size()), cells + 1, 1.5);
  EXPECT_EQ(now["x_label"], "Along the line");
  done("change_instrument", {{"id", cut}, {"averaged", true}});
  done("advance", {{"steps", 2000}});
  now = curve("cut_1");
  EXPECT_NE(now["label"].dump().find("mean over {} times"), std::string::npos);
}

TEST_F(WebInstruments, StopwatchStopsAndGoesOnFromThere) {
  done("open", {{"scene", "wave/rain"}, {"width", 48}, {"height", 48}});
  const int watch = add("stopwatch");
  const auto elapsed = [&] { return placed(0).elapsed(done("status")["time"]); };
  const auto press = [&](const char* button) { done("change_instrument", {{"id", watch}, {"watch", button}}); };
  done("advance", {{"steps", 10}});
  const double first = elapsed();
  EXPECT_GT(first, 0);
  press("start_or_stop");
  EXPECT_FALSE(shown(0)["runs"].get<bool>());
  done("advance", {{"steps", 10}});
  EXPECT_DOUBLE_EQ(elapsed(), first);
  press("start_or_stop");
  done("advance", {{"steps", 10}});
  EXPECT_NEAR(elapsed(), 2 * first, 1e-9);
  press("restart");
  EXPECT_EQ(elapsed(), 0);
}

TEST_F(WebInstruments, StayInTheirSceneAndLeaveWithIt) {
  open_slits();
  add("protractor");
  EXPECT_NE(shown(0)["reading"].dump().find("45"), std::string::npos) << shown(0).dump();
  EXPECT_TRUE(done("open", {{"scene", "wave/rain"}, {"width", 48}, {"height", 48}})["instruments"].empty());
  // The steps of a lesson open the same scene again.
  done("lesson_open", {{"path", "wave/one-cell"}});
  add("ruler");
  EXPECT_EQ(done("lesson_step", {{"index", 2}})["status"]["instruments"].size(), 1u);
}

TEST_F(WebInstruments, RejectsWhatIsNotThereAndKeepsTheRest) {
  done("open", {{"scene", "wave/rain"}, {"width", 48}, {"height", 48}});
  const int ruler = add("ruler");
  const Json before = done("status")["instruments"];
  const auto rejected = [&](const char* name, const Json& with) {
    const Json answer = call(name, with);
    EXPECT_EQ(answer["kind"], "input") << name << " " << with.dump();
  };
  rejected("add_instrument", sized({{"kind", "thermometer"}}));
  rejected("drag_instrument", sized({{"id", 99}, {"point", 0}, {"x", 1}, {"y", 1}}));
  rejected("drag_instrument", sized({{"id", ruler}, {"point", 2}, {"x", 1}, {"y", 1}}));
  rejected("change_instrument", {{"id", ruler}, {"count", 0}});
  rejected("change_instrument", {{"id", ruler}, {"quantity", "nothing"}});
  rejected("change_instrument", {{"id", ruler}, {"watch", "faster"}});
  rejected("remove_instrument", {{"id", 99}});
  rejected("sound", {{"id", 99}, {"rate", 44100}, {"count", 10}});
  for (const Json& list : {Json("ruler"), Json::array({5}), Json::array({"ruler,1"}),
                           Json::array({"probe,0.5,0.5,nothing"}), Json(std::vector<std::string>(25, "stopwatch"))})
    rejected("open", {{"scene", "wave/rain"}, {"width", 48}, {"height", 48}, {"instruments", list}});
  EXPECT_EQ(done("status")["instruments"], before);
  for (int k = 1; k < 24; ++k) add("stopwatch");
  rejected("add_instrument", sized({{"kind", "ruler"}}));
}

TEST_F(WebInstruments, SoundIsAToneOnceEnoughPeriodsAreMeasured) {
  open_slits();
  const int probe = add("probe");
  done("drag_instrument", sized({{"id", probe}, {"point", 0}, {"x", 120}, {"y", 200}}));
  const auto play = [&](bool begins) {
    return done("sound", {{"id", probe}, {"rate", 44100}, {"count", 4410}, {"begins", begins}});
  };
  Json sound = play(true);
  EXPECT_FALSE(sound["has_begun"].get<bool>());
  EXPECT_GE(sound["samples"].size(), 4410u);
  for (const Json& sample : sound["samples"]) ASSERT_EQ(sample, 0);
  done("advance", {{"steps", 2000}});
  done("look");
  sound = play(false);
  EXPECT_TRUE(sound["has_begun"].get<bool>());
  // Crossings of zero upwards: a' is 440 Hz.
  int crossings = 0;
  for (std::size_t k = 1; k < sound["samples"].size(); ++k)
    crossings += sound["samples"][k - 1].get<int>() < 0 && sound["samples"][k].get<int>() >= 0;
  const double seconds = static_cast<double>(sound["samples"].size()) / 44100;
  EXPECT_NEAR(crossings / seconds, 440, 60);
}

TEST_F(WebInstruments, MicroscopeShowsTheCellUnderThePixel) {
  done("open", {{"scene", "wave/modes"}, {"width", 32}, {"height", 32}});
  EXPECT_TRUE(done("status")["can_inspect"].get<bool>());
  EXPECT_FALSE(done("overlay", sized(Json::object())).contains("inspection"));
  const Json seen = done("overlay", sized({{"inspect", {320, 200}}}))["inspection"];
  EXPECT_NE(seen["title"].dump().find("Cell"), std::string::npos) << seen["title"].dump();
  ASSERT_FALSE(seen["numbers"].empty());
  EXPECT_TRUE(seen["numbers"][0]["values"][0].is_number());
  ASSERT_FALSE(seen["glyphs"].empty());
  const double cell = seen["extent"][1][0].get<double>() - seen["extent"][0][0].get<double>();
  EXPECT_NEAR(cell, 400. / 32, 1) << "one cell of 32 over a view of 400 pixels";
  for (const Json& glyph : seen["glyphs"]) EXPECT_NEAR(glyph["at"][0].get<double>(), 320, 4 * cell);
  EXPECT_EQ(done("overlay", sized({{"inspect", {2, 200}}}))["inspection"]["title"], "") << "beside the tank";
  // In the units of the scene, a height is in mm.
  const Json in_mm = done("overlay", sized({{"inspect", {320, 200}}, {"scene_units", true}}))["inspection"];
  EXPECT_NE(in_mm["numbers"].dump().find("\"mm\""), std::string::npos) << in_mm["numbers"].dump();
}

TEST_F(WebInstruments, OverlayHasTheValueUnderThePixel) {
  done("open", {{"scene", "wave/modes"}, {"width", 32}, {"height", 32}});
  done("advance", {{"steps", 20}});
  EXPECT_FALSE(done("overlay", sized(Json::object())).contains("value"));
  for (const bool scene_units : {false, true}) {
    const Json at = done("locate", sized({{"x", 320}, {"y", 150}}));
    const Json looked = done("look", {{"at", {at["x"], at["y"]}}, {"scene_units", scene_units}})["value"];
    EXPECT_NE(looked, "");
    EXPECT_EQ(done("overlay", sized({{"value_at", {320, 150}}, {"scene_units", scene_units}}))["value"], looked);
  }
  EXPECT_EQ(done("overlay", sized({{"value_at", {2, 200}}}))["value"], "") << "beside the tank";
}

TEST_F(WebInstruments, DarkPartsOfAnImageBecomeWalls) {
  done("open", {{"scene", "wave/rain"}, {"width", 48}, {"height", 48}});
  // Two pixels side by side: black, and white where it is transparent.
  std::vector<std::byte> pixels(8, std::byte{0});
  pixels[3] = std::byte{255};
  const auto use = [&](const char* kind, int width) {
    engine_.bytes() = pixels;
    return call("use_image", {{"kind", kind}, {"name", "walls.png"}, {"width", width}, {"height", 1}});
  };
  EXPECT_EQ(use("wall-image", 3)["kind"], "input") << "an incomplete image";
  EXPECT_EQ(use("droplet", 2)["kind"], "input");
  ASSERT_FALSE(use("wall-image", 2).contains("error"));
  const auto readings = [&] {
    return done("look", {{"places", {{0.25, 0.5}, {0.75, 0.5}}}, {"quantity", "height"}})["readings"];
  };
  EXPECT_TRUE(readings()[0].is_null()) << "a wall has no height";
  EXPECT_TRUE(readings()[1].is_number());
  done("undo");
  EXPECT_TRUE(readings()[0].is_number());
}

}  // namespace
}  // namespace perturb
