// A scene's units wherever the window shows a value: plots, messages, layers, colour bar, theory, instruments, the
// description. Files keep the simulation's units.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/run/display_units.h"
#include "app/run/run_text.h"
#include "app/ui/plots/plot_list.h"
#include "cuda/core/paint/layer.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_panels.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

// In wave/droplet, 1 length = 0.1 cm, 1 time = 0.004 s and 1 height = 1 mm; a frequency is named Hz.
constexpr double cm = 0.1, second = 0.004, hertz = 250;

class ShownUnits : public testing::Test, protected DrawnPanels {
 protected:
  ShownUnits() : DrawnPanels(make_layout(1280, 720, 1, 1, true)) {
    Scene scene = scene_of_width("wave/droplet", 64);
    scene.setup.actions.push_back(
        {"oscillator", {{"x", 0.4}, {"y", 0.5}, {"frequency", 0.1}, {"amplitude", 0.2}}, "", nullptr});
    scene.view.theory = true;
    scene.view.layer.quantity = "velocity";
    open(scene, 4);
    use_scene_units(true);
    advance_frames(*session_, 40, 0.1);
    session_->playback().set_playing(false);
  }
  void use_scene_units(bool on) { set_preference(*session_, &Preferences::scene_units, on); }
  void draw(int passes = 3, int width = 1280) {
    for (int k = 0; k < passes; ++k) {
      session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
      layout_ = make_layout(width, 720, 1, 1, session_->interface().panels, session_->interface().dock_height());
      session_->observe(true);
      draw_panels(*session_, gui_, panels_, layout_);
    }
  }
  // The number after these words in a text.
  static double number_after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    return at == std::string::npos ? std::nan("") : std::strtod(text.c_str() + at + words.size(), nullptr);
  }
  Panel panel() { return panels_.arguments(*session_, gui_.style(), layout_, display_); }
  const PlotData* plot(const PlotList& list, const std::string& id) const {
    for (const PlotData& one : list.plots)
      if (one.id == id) return &one;
    return nullptr;
  }

  DisplayInfo display_{"host-mapped", ""};
};

TEST_F(ShownUnits, PlotsOverTimeScaleBothAxes) {
  draw();
  const auto& series = session_->diagnostics_poller().history().series();
  int compared = 0;
  for (const bool scaled : {true, false}) {
    use_scene_units(scaled);
    const PlotList list = current_plots(panel());
    for (const History::Series& one : series) {
      const PlotData* found = plot(list, "time/" + one.id);
      if (!found) continue;
      const DisplayUnit unit = display_unit(session_->display_units(), one.unit, one.id);
      EXPECT_EQ(found->y_unit, unit.text) << one.id;
      EXPECT_EQ(found->frame.x_label.english(), scaled ? "time, s" : "time") << one.id;
      const CurvePoint& in = one.points.back();
      const CurvePoint& out = found->lines.front().points->back();
      EXPECT_DOUBLE_EQ(out.x, in.x * (scaled ? second : 1)) << one.id;
      if (std::isfinite(in.y)) {
        EXPECT_DOUBLE_EQ(out.y, in.y * unit.factor) << one.id;
      }
      if (unit.factor != 1) ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

TEST_F(ShownUnits, BandOfOldSamplesHasTheUnitsOfItsCurve) {
  Instruments instruments;
  const SimulationInfo& info = session_->info();
  instruments.add({.kind = InstrumentKind::probe, .places = {{0.5, 0.5}}, .quantity = "height"});
  std::vector<Sample> samples;
  for (int k = 0; k < 20000; ++k) samples.push_back({k, 1.0 * k, {std::sin(0.25 * k)}});
  instruments.take_probed(samples, 1);
  const Curve plain = instruments.curves(info, session_->domain()).front(),
              shown = in_display_units(session_->display_units(), info, plain);
  ASSERT_FALSE(plain.groups.empty());
  ASSERT_EQ(shown.groups.size(), plain.groups.size());
  for (std::size_t k = 0; k < plain.groups.size(); ++k) {
    EXPECT_DOUBLE_EQ(shown.groups[k].x, plain.groups[k].x * second) << k;
    EXPECT_DOUBLE_EQ(shown.points[k].x, shown.groups[k].x) << k;
    EXPECT_DOUBLE_EQ(shown.points[k].y, shown.groups[k].mean) << k;
    EXPECT_LE(shown.groups[k].low, shown.groups[k].mean) << k;
    EXPECT_GE(shown.groups[k].high, shown.groups[k].mean) << k;
  }
}

TEST_F(ShownUnits, CurvesOfInstrumentsScaleTimeFrequencyAndHeight) {
  Instruments instruments;
  const SimulationInfo& info = session_->info();
  instruments.add({.kind = InstrumentKind::probe, .places = {{0.5, 0.5}}, .quantity = "height"});
  instruments.add({.kind = InstrumentKind::cut, .places = {{0.1, 0.5}, {0.9, 0.5}}, .quantity = "height"});
  std::vector<Sample> samples;
  for (int k = 0; k < 256; ++k) samples.push_back({k, 1.0 * k, {std::sin(0.25 * k)}});
  instruments.take_probed(samples, 1);
  instruments.take_cuts(std::vector<double>{0.5, -0.25, 0.125}, {2, 2}, CutPoints::of_plots);
  instruments.refresh(true, info);
  const DisplayUnits& units = session_->display_units();
  const std::vector<Curve> plain = instruments.curves(info, session_->domain()),
                           labelled = instruments.curves(info, session_->domain(), units);
  ASSERT_EQ(plain.size(), 3u);
  const struct {
    const char *x_unit, *plain_unit;
    double x;
  } expected[] = {{"s", "time", second}, {"Hz", "1/time", hertz}, {"cm", "length", cm}};
  for (std::size_t c = 0; c < plain.size(); ++c) {
    EXPECT_EQ(plain[c].x_unit, expected[c].plain_unit) << "files have the simulation's units";
    const Curve shown = in_display_units(units, info, labelled[c]);
    EXPECT_EQ(shown.x_unit, expected[c].x_unit) << plain[c].id;
    EXPECT_EQ(shown.y_unit, "mm") << plain[c].id;
    ASSERT_FALSE(plain[c].points.empty()) << plain[c].id;
    for (std::size_t k = 0; k < plain[c].points.size(); ++k) {
      EXPECT_DOUBLE_EQ(shown.points[k].x, plain[c].points[k].x * expected[c].x);
      EXPECT_EQ(shown.points[k].y, plain[c].points[k].y);
    }
  }
  // The peak in the label of the spectrum: 0.25/(2 pi) per time.
  const double peak = 0.25 / (2 * 3.14159265358979);
  EXPECT_NEAR(number_after(plain[1].label.english(), "peak at "), peak, 0.02 * peak) << plain[1].label.english();
  EXPECT_TRUE(plain[1].label.english().ends_with(" 1/time")) << plain[1].label.english();
  EXPECT_NEAR(number_after(labelled[1].label.english(), "peak at "), peak * hertz, 0.02 * peak * hertz);
  EXPECT_TRUE(labelled[1].label.english().ends_with(" Hz")) << labelled[1].label.english();
}

TEST(ShownCurve, LogarithmsOfAQuantityAreShifted) {
  const DisplayUnits units = {{"length", 0.1, "cm"}};
  Curve curve;
  curve.id = "area";
  curve.x_label = "Distance";
  curve.x_unit = "length";
  curve.y_label = "Area";
  curve.y_unit = "length²";
  curve.logarithmic_y = true;
  curve.points = {{10, 2}};
  curve.theory = {{20, 3}};
  const Curve shown = in_display_units(units, find_simulation("wave"), curve);
  EXPECT_DOUBLE_EQ(shown.points[0].x, 1);
  EXPECT_DOUBLE_EQ(shown.points[0].y, 0) << "100 length² are 1 cm²";
  EXPECT_DOUBLE_EQ(shown.theory[0].y, 1);
  EXPECT_EQ(shown.y_unit, "cm²");
}

TEST_F(ShownUnits, ValueAtThePointerOfAPlotHasTheAxisUnit) {
  session_->execute(CommandId::toggle_plots);
  draw();
  for (const PlotData& one : current_plots(panel()).plots) session_->execute(ShowPlot{one.id, one.id == "time/energy"});
  draw();
  ASSERT_TRUE(layout_.has_dock());
  ImGuiIO& io = ImGui::GetIO();
  const auto hover = [&] {
    io.MousePos = ImVec2(static_cast<float>(layout_.dock.x + 0.5 * layout_.dock.width),
                         static_cast<float>(layout_.dock.y + 0.5 * layout_.dock.height));
    draw();
  };
  const double end = experiment_->simulation().time();
  const auto time_at_pointer = [&](const std::string& words) {
    for (const DrawnText& t : drawn_text())
      if (t.text.starts_with(words)) return number_after(t.text, words);
    return std::nan("");
  };
  hover();
  const double scaled = time_at_pointer("time = ");
  EXPECT_GT(scaled, 0.2 * second * end);
  EXPECT_LT(scaled, second * end);
  use_scene_units(false);
  draw();
  hover();
  const double plain = time_at_pointer("time = ");
  EXPECT_NEAR(plain, scaled / second, 0.05 * end) << "the same position";
}

TEST_F(ShownUnits, CurrentValuesInThePlotsTab) {
  session_->execute(ShowTab{Tab::plots});
  draw();
  const bool with = shows("mm");
  use_scene_units(false);
  draw();
  EXPECT_TRUE(with);
  EXPECT_FALSE(shows("\u00a0mm"));
}

TEST_F(ShownUnits, WheelMessageOfTheTool) {
  session_->execute(ChooseTool{"wall"});
  draw(1);
  const auto turn = [&] {
    InputEvent wheel;
    wheel.kind = InputEvent::Kind::scroll;
    wheel.scroll = 1;
    wheel.control = true;
    wheel.x = layout_.view_rect.x + 0.5 * layout_.view_rect.width;
    wheel.y = layout_.view_rect.y + 0.5 * layout_.view_rect.height;
    session_->handle({wheel}, layout_, Session::Keyboard::free, panels_.feedback());
    return session_->message().text.english();
  };
  const auto radius = [&] { return session_->tools().brush_of("wall").at("radius"); };
  std::string text = turn();
  EXPECT_NEAR(number_after(text, "Radius: "), radius() * cm, 0.005 * radius() * cm) << text;
  EXPECT_TRUE(text.ends_with(" cm")) << text;
  use_scene_units(false);
  text = turn();
  EXPECT_NEAR(number_after(text, "Radius: "), radius(), 0.005 * radius()) << text;
  EXPECT_TRUE(text.ends_with(" length")) << text;
}

TEST_F(ShownUnits, SpeedOfTheRun) {
  Pace& pace = session_->pace();
  pace.set_unit(Pace::Unit::per_frame);
  pace.set_requested(10);
  pace.set_time_per_step(0.5);
  pace.set_unit(Pace::Unit::real_time);
  constexpr int wide = 1920;  // so that there is space for the unit
  draw(3, wide);
  EXPECT_TRUE(shows("steps/s reached")) << "not to be taken for the chosen speed";
  EXPECT_TRUE(shows("1.2 s"));
  EXPECT_TRUE(shows("per second"));
  EXPECT_FALSE(shows("time units per second"));
  use_scene_units(false);
  draw(3, wide);
  EXPECT_TRUE(shows("300 t/s"));
  EXPECT_TRUE(shows("time units per second"));
  EXPECT_TRUE(shows(time_text({}, session_->info(), session_->run().time).english())) << "t = ... time units";
}

TEST_F(ShownUnits, RejectedChangeOfAnObjectIsInTheUnitOfItsSlider) {
  ASSERT_TRUE(session_->run().objects.back().numbers.contains("frequency"));
  const int source = session_->run().objects.back().id;
  const auto reject = [&] {
    session_->execute(ChangeObject{source, "frequency", 0.9});
    session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
    EXPECT_TRUE(session_->message().is_error);
    return session_->message().text.english();
  };
  std::string text = reject();
  EXPECT_NE(text.find("At frequency 225 Hz"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.9"), std::string::npos) << text;
  // One drag shows its reason once.
  session_->execute(ChangeObject{source, "frequency", 0.1});
  session_->handle({}, layout_, Session::Keyboard::free, panels_.feedback());
  use_scene_units(false);
  text = reject();
  EXPECT_EQ(text.find("Hz"), std::string::npos) << text;
}

TEST_F(ShownUnits, DescriptionForScreenReaders) {
  session_->execute(CommandId::describe);
  std::string text = session_->message().text.english();
  const double time = experiment_->simulation().time();
  EXPECT_NEAR(number_after(text, "time "), time * second, 1e-3 * time * second) << text;
  EXPECT_NE(text.find(" s. Shown"), std::string::npos) << text;
  EXPECT_NE(text.find(" mm"), std::string::npos) << text;
  use_scene_units(false);
  session_->execute(CommandId::describe);
  text = session_->message().text.english();
  EXPECT_NEAR(number_after(text, "time "), time, 1e-3 * time) << text;
  EXPECT_EQ(text.find(" mm"), std::string::npos) << text;
}

TEST_F(ShownUnits, LayerAndColourBar) {
  ViewSettings view = session_->view().settings();
  view.layer.quantity = "velocity";
  view.layer.as_lines = true;
  view.layer.lines = 3;
  view.layer.minimum = -2;
  view.layer.maximum = 2;
  view.quantity = "height";
  const SimulationInfo& info = session_->info();
  if (!layer_error(info, view).empty()) {
    view.layer.quantity = "height";
    view.quantity = "velocity";
  }
  const Quantity& over = info.quantities[quantity_index(info, view.layer.quantity)];
  const DisplayUnit unit = display_unit(session_->display_units(), over.unit, over.id);
  EXPECT_EQ(layer_text(session_->display_units(), info, view).english(),
            describe_layer(info, view, unit.factor, unit.text).english());
  EXPECT_NEAR(number_after(layer_text(session_->display_units(), info, view).english(), "every "), unit.factor, 1e-6)
      << "lines at -1, 0 and 1";
  EXPECT_EQ(number_after(layer_text({}, info, view).english(), "every "), 1);
  session_->execute(ChangeView{view, true});
  draw();
  EXPECT_TRUE(shows(unit.text)) << unit.text;
}

TEST_F(ShownUnits, TheoryInTheView) {
  draw();
  // Wavelength c/f = 1/0.1.
  ASSERT_FALSE(session_->diagnostics_poller().latest().marks.empty());
  EXPECT_TRUE(shows("= 1 cm"));
  use_scene_units(false);
  draw();
  EXPECT_TRUE(shows("= 10 length"));
}

TEST_F(ShownUnits, Instruments) {
  Instrument ruler;
  ruler.kind = InstrumentKind::ruler;
  ruler.places = {{0, 0.5}, {0.5, 0.5}};
  const DomainSize domain = session_->domain();
  const auto text = [&](const DisplayUnits& units) {
    return session_->instruments().text_of(ruler, session_->info(), domain, 0, units).english();
  };
  EXPECT_NEAR(number_after("x " + text(session_->display_units()), "x "), 0.5 * domain.width * cm, 1e-3);
  EXPECT_TRUE(text(session_->display_units()).ends_with(" cm"));
  EXPECT_TRUE(text({}).ends_with(" length"));
}

}  // namespace
}  // namespace perturb
