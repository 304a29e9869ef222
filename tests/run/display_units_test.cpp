// Displayed units: how units of the simulation are converted, and how presets state them.
#include "app/run/display_units.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "tests/support/error_thrown_by.h"

namespace perturb {
namespace {

const DisplayUnits of_a_tank = {{"length", 0.1, "cm"}, {"time", 0.004, "s"}, {"frequency", {}, "Hz"}};

void expect_unit(const DisplayUnit& unit, const std::string& text, double factor) {
  EXPECT_EQ(unit.text, text);
  EXPECT_NEAR(unit.factor, factor, 1e-12 * factor);
}

TEST(DisplayUnits, ConvertCompoundUnitsBaseByBase) {
  expect_unit(display_unit(of_a_tank, "length"), "cm", 0.1);
  expect_unit(display_unit(of_a_tank, "length/time"), "cm/s", 0.1 / 0.004);
  expect_unit(display_unit(of_a_tank, "length\u00b2/time"), "cm\u00b2/s", 0.01 / 0.004);
  expect_unit(display_unit(of_a_tank, "1/time"), "1/s", 250);
  expect_unit(display_unit(of_a_tank, "rad/time"), "rad/s", 250);
  expect_unit(display_unit(of_a_tank, "1/(length\u00b7time)"), "1/(cm\u00b7s)", 1 / 0.0004);
  expect_unit(display_unit(of_a_tank, "mass\u00b7length\u00b2/time\u00b2"), "mass\u00b7cm\u00b2/s\u00b2",
              0.01 / (0.004 * 0.004));
  const DisplayUnits of_a_flow = {{"cell", 0.0001, "m"}, {"step", 0.00016, "s"}};
  expect_unit(display_unit(of_a_flow, "cell\u00b2/step"), "m\u00b2/s", 1e-8 / 0.00016);
  expect_unit(display_unit(of_a_flow, "1/(cell step\u00b2)"), "1/(m s\u00b2)", 1 / (1e-4 * 0.00016 * 0.00016));
}

TEST(DisplayUnits, LeaveOtherUnitsAsTheyAre) {
  for (const char* unit : {"", "height", "of the load", "mean length", "energy norm", "degree", "\u00b0", "MB", "c"})
    expect_unit(display_unit(of_a_tank, unit), unit, 1);
  expect_unit(display_unit({}, "length/time"), "length/time", 1);
}

TEST(DisplayUnits, PreferTheValueOverTheWholeUnitOverItsParts) {
  expect_unit(display_unit(of_a_tank, "1/time", "frequency"), "Hz", 250);
  expect_unit(display_unit(of_a_tank, "1/time", "damping"), "1/s", 250);
  const DisplayUnits of_a_drum = {{"time", 0.004, "s"}, {"rad/time", 39.8, "Hz"}, {"damping", 200, "1/s"}};
  expect_unit(display_unit(of_a_drum, "rad/time", "mode_frequency"), "Hz", 39.8);
  expect_unit(display_unit(of_a_drum, "1/time", "damping"), "1/s", 200);
}

// "Frequency" is always in periods: the inverse of a second is named Hz, and an angular frequency has its own scale.
TEST(DisplayUnits, NameFrequenciesAlike) {
  const DisplayUnits seconds = {{"time", 0.004, "s"}, {"step", 0.001, "s"}};
  for (const char* id : {"frequency", "probe_frequency"}) expect_unit(display_unit(seconds, "1/time", id), "Hz", 250);
  expect_unit(display_unit(seconds, "1/step", "frequency"), "Hz", 1000);
  expect_unit(display_unit(seconds, "rad/time", "mode_frequency"), "rad/s", 250);
}

// Numbers without a scale have a unit that fits next to a slider.
TEST(DisplayUnits, ShortenUnitsWithoutAScale) {
  expect_unit(display_unit({}, "mass\u00b7length\u00b2/time\u00b2"), "energy", 1);
  expect_unit(display_unit({}, "mass/time\u00b2"), "pressure", 1);
  for (const SimulationInfo* info : catalog())
    for (const Parameter& p : info->parameters)
      EXPECT_LE(display_unit({}, p.unit, p.id).text.size(), 16u) << info->id << ", " << p.id;
}

TEST(DisplayUnits, TurnFractionsOfTheDomainIntoLengths) {
  const SimulationInfo& wave = find_simulation("wave");
  const DisplayUnits units = units_in_domain(of_a_tank, wave, 768, 512), plain = units_in_domain({}, wave, 768, 512);
  expect_unit(display_unit(units, "of the width", "x"), "cm", 76.8);
  expect_unit(display_unit(units, "of the height", "y"), "cm", 51.2);
  expect_unit(display_unit(plain, "of the width", "x"), "length", 768);
  expect_unit(display_unit({}, "of the width", "x"), "of the width", 1);
}

TEST(DisplayUnits, ConvertReadingsAndRecords) {
  EXPECT_EQ(in_display_units(of_a_tank, with_unit("20", "length")).english(), "2 cm");
  EXPECT_EQ(in_display_units(of_a_tank, Message("wall")).english(), "wall");
  // All numbers before a unit, and that of the value which a text names.
  EXPECT_EQ(in_display_units(of_a_tank, Message("from {}", Message("{} to {} {}", std::string("1"), std::string("1.6"),
                                                                   Message("length/time"))))
                .english(),
            "from 25 to 40 cm/s");
  EXPECT_EQ(in_display_units(of_a_tank, Message("{} cannot be {}.", Message::parameter("frequency", "Frequency"),
                                                with_unit("0.05", "1/time")))
                .english(),
            "frequency cannot be 12.5 Hz.");
  EXPECT_EQ(in_display_units(of_a_tank, Message("{} of {}", 3, 7)).english(), "3 of 7");
  EXPECT_EQ(in_display_units(of_a_tank, Message("{} of disc {}", with_unit("0.5", "length/time"), 7)).english(),
            "12.5 cm/s of disc 7");
  const ValueInfo speed = real_value("v", "Speed", "length/time", "", 1, 0.5, 4, "");
  const ValueInfo shown = in_display_unit(speed, display_unit(of_a_tank, speed.unit));
  EXPECT_EQ(shown.unit, "cm/s");
  EXPECT_DOUBLE_EQ(shown.minimum, 12.5);
  EXPECT_DOUBLE_EQ(shown.maximum, 100);
  EXPECT_EQ(time_text({}, find_simulation("wave"), 12.5).english(), "t = 12.50 time units");
  EXPECT_EQ(time_text(of_a_tank, find_simulation("wave"), 500).english(), "t = 2.00\u00a0s");
  EXPECT_EQ(time_text({{"step", 0.001, "s"}}, find_simulation("lbm"), 4000).english(), "t = 4.00\u00a0s");
  EXPECT_EQ(time_text({}, find_simulation("lbm"), 4000).english(), "t = 4000 steps");
  EXPECT_EQ(time_text({}, find_simulation("wave"), 12.25, true).english(), "t = 12.2 time units");
  EXPECT_EQ(time_text({}, find_simulation("wave"), 2350.5, true).english(), "t = 2350 time units");
  EXPECT_EQ(clock_text({}, find_simulation("wave"), 12.5).english(), "12.5 time units");
}

std::string error_of_preset(const std::string& tables) {
  return error_thrown_by([&] { parse_scene("title = \"Mine\"\n" + tables, "mine.toml", "wave", "mine"); });
}

TEST(PresetOfSimpleView, KeepsItsTablesWhenSaved) {
  const std::string tables =
      "[simple]\ncontrols = [\"damping\", \"wave_speed\"]\nreadings = [\"energy\"]\n"
      "[units]\nlength = \"0.1 cm\"\n\"length/time\" = \"25 cm/s\"\nfrequency = \"Hz\"\n";
  const Scene scene = parse_scene("title = \"Mine\"\n" + tables, "mine.toml", "wave", "mine");
  EXPECT_EQ(scene.simple.controls, (std::vector<std::string>{"damping", "wave_speed"}));
  EXPECT_EQ(scene.simple.readings, (std::vector<std::string>{"energy"}));
  ASSERT_EQ(scene.units.size(), 3u);
  const Scene again = parse_scene(text_of_preset(scene), "mine.toml", "", "mine");
  EXPECT_EQ(again.simple.controls, scene.simple.controls);
  EXPECT_EQ(again.simple.readings, scene.simple.readings);
  EXPECT_EQ(again.units, scene.units);
}

TEST(PresetOfSimpleView, RejectsUnknownNamesWithASuggestion) {
  EXPECT_NE(error_of_preset("[simple]\ncontrols = [\"dampin\"]\n").find("did you mean \"damping\"?"),
            std::string::npos);
  EXPECT_NE(error_of_preset("[simple]\ncontrol = [\"damping\"]\n"), "");
  EXPECT_NE(error_of_preset("[units]\nlenght = \"1 cm\"\n").find("did you mean \"length\"?"), std::string::npos);
  for (const char* text : {"cm", "0 cm", "-1 cm", "1", "1 ", "1 cm/s", ""})
    EXPECT_NE(error_of_preset("[units]\nlength = \"" + std::string(text) + "\"\n"), "") << text;
  EXPECT_NE(error_of_preset("[units]\nlength = 2\n"), "");
}

// A stated frequency unit with a number agrees with the stated unit of time: both are converted from the same scale, an
// angular frequency by 2 pi less.
TEST(PresetOfSimpleView, StatesConsistentUnits) {
  int scenes = 0;
  for (const SimulationInfo* info : catalog())
    for (const std::string& id : preset_ids(info->id)) {
      const Scene scene = load_scene(info->id + "/" + id);
      if (scene.units.empty()) continue;
      ++scenes;
      const std::string time = time_unit_of(*info);
      for (const UnitScale& unit : scene.units)
        if (unit.of == "damping" && unit.scale) {
          EXPECT_NEAR(*unit.scale * display_unit(scene.units, time).factor, 1, 1e-9) << id;
        }
      // The wave equation of the membrane moves one length in one time unit, and k = 2 pi f.
      if (info->id != "membrane") continue;
      const DisplayUnit length = display_unit(scene.units, "length"), second = display_unit(scene.units, "time");
      ASSERT_EQ(length.text, "cm") << id;
      ASSERT_EQ(second.text, "s") << id;
      EXPECT_NEAR(length.factor / second.factor, 1e4, 1e-6 * 1e4) << id << ": a wave speed of 100 m/s";
      for (const char* angular : {"1/length", "rad/time"})
        if (const DisplayUnit unit = display_unit(scene.units, angular); unit.text == "Hz") {
          EXPECT_NEAR(unit.factor * 2 * 3.14159265 * second.factor, 1, 1e-4) << id << ", " << angular;
        }
    }
  EXPECT_GT(scenes, 30);
}

// Where frequencies are in Hz, their rates of change are in Hz per displayed unit of time.
TEST(PresetOfSimpleView, StatesRatesOfFrequenciesPerTime) {
  std::set<std::string> scenes;
  for (const SimulationInfo* info : catalog())
    for (const std::string& id : preset_ids(info->id)) {
      const Scene scene = load_scene(info->id + "/" + id);
      const std::string time = time_unit_of(*info);
      const DisplayUnit second = display_unit(scene.units, time);
      for (const Parameter& frequency : info->parameters) {
        const DisplayUnit hertz = display_unit(scene.units, frequency.unit, frequency.id);
        if (hertz.text != "Hz" || !frequency.unit.starts_with("1/")) continue;
        const std::string divisor = frequency.unit.substr(2);
        const std::string per_time = divisor == time ? "1/" + time + "\u00b2" : "1/(" + divisor + "\u00b7" + time + ")";
        for (const Parameter& rate : info->parameters) {
          if (rate.unit != per_time) continue;
          const DisplayUnit shown = display_unit(scene.units, rate.unit, rate.id);
          EXPECT_EQ(shown.text, "Hz/" + second.text) << id << ": " << rate.id << " of " << frequency.id;
          EXPECT_NEAR(shown.factor * second.factor / hertz.factor, 1, 1e-4)
              << id << ": " << rate.id << " of " << frequency.id;
          scenes.insert(id);
        }
      }
    }
  for (const char* id : {"chladni", "damped", "drum", "struck"}) EXPECT_EQ(scenes.count(id), 1u) << id;
}

}  // namespace
}  // namespace perturb
