// Every number that a scene shows is the same quantity, wherever it is shown: in the numbers and report of the window,
// in the tables of --csv, in exported curves, on the page. The units are read from their texts here, without the
// program's conversion, and the scale from the file.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"
#include "app/window/report.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/format.h"
#include "tests/support/reach.h"
#include "tests/support/session_input.h"
#include "tests/web_engine/web_engine_fixture.h"

namespace perturb {
namespace {

// A value in SI units, and the names of units that are not SI: "height", "energy norm".
struct Si {
  double value = 0;
  std::string rest;
};

// Reads units: "cm²/s", "1/(length·time)". The simulation's units have the scale that the file states.
class UnitReader {
 public:
  explicit UnitReader(const std::string& scale) {
    for (std::size_t at = 0; at < scale.size();) {
      const std::size_t end = std::min(scale.find("; ", at), scale.size());
      const std::string one = scale.substr(at, end - at);  // "1 length = 0.1 cm"
      const std::size_t equals = one.find(" = "), blank = one.find(' ', equals + 3);
      const std::string of = one.substr(2, equals - 2), name = one.substr(blank + 1);
      if (of.find('/') == std::string::npos) si_[of] = std::stod(one.substr(equals + 3)) * si_.at(name);
      at = end + 2;
    }
  }

  Si read(double value, const std::string& unit) const {
    Si si{value, ""};
    bool divides = false, in_divisor = false;
    for (std::size_t at = 0; at < unit.size();) {
      if (unit[at] == '/') divides = true;
      if (unit[at] == '(') in_divisor = divides;
      if (unit[at] == ')') in_divisor = false;
      std::size_t end = at;
      while (end < unit.size() && std::isalpha(static_cast<unsigned char>(unit[end]))) ++end;
      if (end == at) {
        ++at;
        continue;
      }
      const std::string word = unit.substr(at, end - at);
      int power = unit.compare(end, 2, "\u00b2") == 0 ? 2 : unit.compare(end, 2, "\u00b3") == 0 ? 3 : 1;
      if (divides || in_divisor) power = -power;
      if (!in_divisor) divides = false;
      if (const auto found = si_.find(word); found != si_.end())
        si.value *= std::pow(found->second, power);
      else if (const auto shorter = short_.find(word); shorter != short_.end())
        si.rest += shorter->second;
      else
        si.rest += word + std::to_string(power) + " ";
      at = end;
    }
    return si;
  }
  // Of a number of the simulation, which is shown in `shown`: an angular frequency or a wavenumber as a frequency.
  Si read_own(double value, const std::string& unit, const std::string& shown) const {
    Si si = read(value, unit);
    if (shown.starts_with("Hz") &&
        (unit == "rad/time" || unit.starts_with("1/length") || unit.starts_with("1/(length")))
      si.value *=
          (unit.find("length") != std::string::npos ? si_.at("length") / si_.at("time") : 1) / (2 * std::numbers::pi);
    return si;
  }

 private:
  std::map<std::string, double> si_ = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"s", 1}, {"Hz", 1}, {"rad", 1}};
  std::map<std::string, std::string> short_ = {{"energy", "mass1 length2 time-2 "},
                                               {"pressure", "mass1 time-2 "},
                                               {"momentum", "mass1 length1 time-1 "},
                                               {"power", "mass1 length2 time-3 "}};
};

std::string in_order(std::string rest) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t end = rest.find(' ', at);
    words.push_back(rest.substr(at, end - at));
    at = end + 1;
  }
  std::sort(words.begin(), words.end());
  std::string all;
  for (const std::string& word : words) all += word + " ";
  return all;
}

void expect_same(const Si& own, const Si& shown, const std::string& what, double tolerance = 1e-4) {
  EXPECT_NEAR(shown.value, own.value, tolerance * std::abs(own.value) + 1e-300) << what;
  EXPECT_EQ(in_order(shown.rest), in_order(own.rest)) << what;
}

// "5.97 cm" after this text; none if it is not there.
std::optional<std::pair<double, std::string>> quantity_after(const std::string& text, const std::string& words,
                                                             const std::string& end) {
  const std::size_t at = text.find(words);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t from = at + words.size();
  const std::string all = text.substr(from, text.find(end, from) - from);
  const std::size_t blank = all.find(' ');
  double value = 0;
  if (!read_number(all.substr(0, blank), value)) return std::nullopt;
  return std::pair(value, blank == std::string::npos ? "" : all.substr(blank + 1));
}

class SameQuantity : public WebEngineFixture {
 protected:
  // Presets of all simulations, or one of each; small grids, because only units matter.
  static std::vector<Scene> scenes() {
    std::vector<Scene> all;
    for (const SimulationInfo* info : catalog()) {
      const std::vector<std::string> ids = preset_ids(info->id);
      const std::size_t first = info->id == "membrane" ? 7 : 0;  // one with frequencies
      for (std::size_t k = reach<std::size_t>(0, std::min(first, ids.size() - 1)); k < ids.size(); ++k) {
        Scene scene = load_scene(info->id + "/" + ids[k]);
        if (info->id == "wave" || info->id == "lbm") {
          scene.setup.width = 96;
          scene.setup.height = 64;
        }
        if (info->id == "fibers") scene.setup.width = std::min(scene.setup.width, 12);
        all.push_back(std::move(scene));
        if (has_small_reach()) break;
      }
    }
    return all;
  }
};

TEST_F(SameQuantity, IsShownOfEveryNumberOfEveryScene) {
  const auto backend = Backend::make_cpu(1);
  int converted = 0;
  for (const Scene& scene : scenes()) {
    SCOPED_TRACE(scene.setup.simulation + "/" + scene.setup.preset);
    Experiment experiment(*backend, scene);
    Session session(experiment, 4);
    set_preference(session, &Preferences::scene_units, true);
    session.instrument_controller().add(parse_instrument("probe 0.4 0.5"));
    session.instrument_controller().add(parse_instrument("cut 0.1 0.4 0.9 0.6"));
    for (int k = 0; k < 3; ++k) {
      session.pace().forget();
      session.advance();
      session.observe(true);
    }
    session.readings().read_all();
    const UnitReader units(scale_text(scene.units));
    const std::string text = session.measurements().to_text(), page = report_page(session, "");

    // Numbers: in the table of --csv the simulation's value and unit.
    for (const Scalar& scalar : session.diagnostics_poller().latest().scalars) {
      const std::string label = scalar.label.english();
      if (!std::isfinite(scalar.value)) continue;
      const auto copied = quantity_after(text, "\n" + label + ": ", "\n");
      const auto reported = quantity_after(page, "<td>" + label + "</td><td>", "</td>");
      ASSERT_TRUE(copied) << label << "\n" << text;
      expect_same(units.read_own(scalar.value, scalar.unit, copied->second), units.read(copied->first, copied->second),
                  label);
      if (reported) {  // labels with < are written otherwise
        EXPECT_EQ(*reported, *copied) << label;
      }
      if (copied->second != scalar.unit) ++converted;
    }
    // Curves, of instruments too: the window's and its exports, and those of --curves.
    const std::vector<Curve> own = session.measurements().curves_in({}), shown = session.measurements().curves();
    ASSERT_EQ(own.size(), shown.size());
    for (std::size_t c = 0; c < own.size(); ++c) {
      ASSERT_EQ(own[c].points.size(), shown[c].points.size());
      for (std::size_t k = 0; k < own[c].points.size(); k += 1 + own[c].points.size() / 3) {
        const CurvePoint &a = own[c].points[k], &b = shown[c].points[k];
        expect_same(units.read_own(a.x, own[c].x_unit, shown[c].x_unit), units.read(b.x, shown[c].x_unit), own[c].id);
        if (!std::isfinite(a.y)) continue;
        const auto linear = [&](double y) { return own[c].logarithmic_y ? std::pow(10, y) : y; };
        expect_same(units.read_own(linear(a.y), own[c].y_unit, shown[c].y_unit),
                    units.read(linear(b.y), shown[c].y_unit), own[c].id);
      }
    }
    // Parameters and objects of the report. Fractions of the domain are lengths.
    const SimulationInfo& info = session.info();
    const double factor = units.read(1, length_unit_of(info)).value;
    for (const SceneObject& object : session.run().objects)
      for (const ValueInfo& field : find_kind(info.actions, object.kind)->fields) {
        const auto number = object.numbers.find(field.id);
        if (number == object.numbers.end() || field.kind != ValueKind::real || number->second == 0) continue;
        // "name: label value unit; label value unit"
        const std::string name = "<td>" + name_of(object, session.run()).english() + "</td><td>";
        const std::size_t at = page.find(name);
        ASSERT_NE(at, std::string::npos) << name;
        const std::string cell = page.substr(at + name.size(), page.find("</td>", at + name.size()) - at - name.size());
        const auto found = quantity_after("; " + cell + ";", "; " + field.label + " ", ";");
        const std::string row = name + field.label;
        ASSERT_TRUE(found) << row << "\n" << cell;
        const auto& [value, unit] = *found;
        const bool of_width = field.unit == "of the width", of_height = field.unit == "of the height";
        const Si stated = units.read(value, unit);
        if (of_width || of_height) {
          const double extent = of_width ? session.domain().width : session.domain().height;
          EXPECT_NEAR(stated.value, number->second * extent * factor, 1e-5 * std::abs(stated.value)) << row;
          EXPECT_EQ(in_order(stated.rest), in_order(units.read(1, length_unit_of(info)).rest)) << row;
          ++converted;
        } else {
          expect_same(units.read_own(number->second, field.unit, unit), stated, row);
        }
      }
    for (const Parameter& p : info.parameters) {
      if (p.kind != ValueKind::real || p.unit.empty() || p.unit.starts_with("of the")) continue;
      const DisplayUnit unit = display_unit(session.display_units(), p.unit, p.id);
      expect_same(units.read_own(1, p.unit, unit.text), units.read(unit.factor, unit.text), p.id);
    }
  }
  EXPECT_GT(converted, reach(200, 10));
}

TEST_F(SameQuantity, IsShownOnThePage) {
  int converted = 0;
  for (const Scene& scene : scenes()) {
    SCOPED_TRACE(scene.setup.simulation + "/" + scene.setup.preset);
    Json with = {{"scene", scene.setup.simulation + "/" + scene.setup.preset}};
    if (scene.setup.width > 0) with["width"] = scene.setup.width;
    if (scene.setup.height > 0) with["height"] = scene.setup.height;
    const Json status = done("open", with);
    const UnitReader units(scale_text(scene.units));
    done("advance", {{"steps", 2}});
    const Json own = done("look", {{"scene_units", false}}), shown = done("look", {{"scene_units", true}});
    ASSERT_EQ(own["scalars"].size(), shown["scalars"].size());
    for (std::size_t k = 0; k < own["scalars"].size(); ++k) {
      const Json &a = own["scalars"][k], &b = shown["scalars"][k];
      if (a["value"].is_null()) continue;
      expect_same(units.read_own(a["value"], a["unit"], b["unit"]), units.read(b["value"], b["unit"]), a["id"], 1e-4);
      if (a["unit"] != b["unit"]) ++converted;
    }
    for (const Json& one : status["units"]["values"]) {
      const std::string unit = one["unit"];
      if (unit.starts_with("of the")) continue;
      expect_same(units.read_own(1, unit, one["shown"]), units.read(one["factor"], one["shown"]), one["id"]);
    }
  }
  EXPECT_GT(converted, reach(50, 3));
}

}  // namespace
}  // namespace perturb
