// Instruments in a session: placed, dragged and read as by a user; the run stays bit-identical.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/session/session.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

using Kind = InputEvent::Kind;
using Button = InputEvent::Button;

InputEvent press_of(const std::string& name, bool shift = false) {
  InputEvent e = key_press(name);
  e.shift = shift;
  return e;
}

class InstrumentSession : public testing::Test {
 protected:
  void open(const std::string& path, int size = 0, int steps_per_frame = 4) {
    Scene scene = load_scene(path);
    if (size > 0) scene.setup.width = scene.setup.height = size;
    experiment_ = std::make_unique<Experiment>(*backend_, scene);
    session_ = std::make_unique<Session>(*experiment_, steps_per_frame);
  }
  void events(const std::vector<InputEvent>& list) { session_->handle(list, layout_, Session::Keyboard::free); }
  void ask(Command command) {
    session_->post(std::move(command));
    events({});
  }
  void drag(double x0, double y0, double x1, double y1) {
    events({mouse_event(Kind::move, x0, y0), mouse_event(Kind::press, x0, y0, Button::left),
            mouse_event(Kind::move, 0.5 * (x0 + x1), 0.5 * (y0 + y1)), mouse_event(Kind::move, x1, y1),
            mouse_event(Kind::release, x1, y1, Button::left)});
  }
  void steps(std::int64_t count) {
    while (session_->run().steps < count) {
      session_->pace().forget();
      session_->advance();
      session_->observe(true);
      session_->end_frame(1.0 / 30, 0.004);
    }
  }
  const Instrument& only() const { return session_->instruments().all().front(); }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(2);
  std::unique_ptr<Experiment> experiment_;
  std::unique_ptr<Session> session_;
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(InstrumentSession, DragsRulerAndItsHandle) {
  open("wave/droplet", 64);
  ask(PlaceInstrument{InstrumentKind::ruler});
  ASSERT_TRUE(session_->instrument_controller().placing().has_value());
  const double x = layout_.view_rect.width / 2, y = layout_.view_rect.height / 2;
  drag(x - 100, y, x + 100, y);
  ASSERT_EQ(session_->instruments().all().size(), 1U);
  // The domain is as high as the view: length units per pixel.
  const double unit = 64 / layout_.view_rect.height;
  EXPECT_NEAR(length_of(only(), session_->domain()), 200 * unit, 1e-9);
  EXPECT_TRUE(experiment_->log().empty()) << "no tool heard any of it";
  EXPECT_EQ(experiment_->next_undo(), "");

  drag(x + 100, y, x + 100, y - 150);
  EXPECT_NEAR(length_of(only(), session_->domain()), 250 * unit, 1e-9);
  EXPECT_TRUE(experiment_->log().empty());
  // Next to the handle, the tool handles the pointer as usual.
  drag(x, y - 40, x, y - 40);
  EXPECT_EQ(experiment_->log().size(), 1U);

  Instrument counted = only();
  counted.count = 5;
  ask(ChangeInstrument{counted});
  EXPECT_NEAR(length_of(only(), session_->domain()), 50 * unit, 1e-9);
  EXPECT_NE(session_->exporter().numbers().find("Ruler 1: "), std::string::npos);
}

TEST_F(InstrumentSession, WorksByKeyboardAlone) {
  open("wave/droplet", 64);
  ask(PlaceInstrument{InstrumentKind::protractor});
  events({press_of("Enter")});
  ASSERT_EQ(session_->instruments().all().size(), 1U);
  EXPECT_NEAR(only().places[1].x, 0.5, 0.01);
  EXPECT_NEAR(angle_of(only(), session_->domain()), 45, 0.5);
  const double before = only().places[2].x;
  events({press_of("Left"), press_of("Left", true)});
  EXPECT_NEAR(only().places[2].x, before - 11 / layout_.view_rect.height, 1e-9);
  // Moves stay on pixel centres: there and back is the same position.
  events({press_of("Right", true), press_of("Right")});
  EXPECT_NEAR(only().places[2].x, before, 1e-12);
  events({press_of("Delete")});
  EXPECT_TRUE(session_->instruments().all().empty());
  events({press_of("i"), press_of("i"), press_of("Enter")});
  ASSERT_EQ(session_->instruments().all().size(), 1U);
  EXPECT_EQ(only().kind, InstrumentKind::cut);
  events({press_of("i"), press_of("i"), press_of("i"), press_of("i"), press_of("i"), press_of("Enter")});
  EXPECT_EQ(session_->instruments().all().size(), 1U) << "after the last kind comes none";
  events({press_of("Delete")});
  ask(PlaceInstrument{InstrumentKind::probe});
  events({press_of("Esc")});
  EXPECT_FALSE(session_->instrument_controller().placing().has_value());
  EXPECT_TRUE(experiment_->log().empty());
}

TEST_F(InstrumentSession, StopwatchUsesSimulationTime) {
  open("wave/droplet", 64);
  steps(40);
  ask(PlaceInstrument{InstrumentKind::stopwatch});
  const double started = session_->run().time;
  steps(100);
  EXPECT_DOUBLE_EQ(only().elapsed(session_->run().time), session_->run().time - started);
  Instrument stopped = only();
  stopped.stopped = session_->run().time;
  ask(ChangeInstrument{stopped});
  const double shown = only().elapsed(session_->run().time);
  steps(140);
  EXPECT_EQ(only().elapsed(session_->run().time), shown);
}

TEST_F(InstrumentSession, RemovesInstrumentsWhenAnotherSceneOpens) {
  for (const char* other : {"wave/rain", "particles/break"}) {
    open("wave/droplet", 64);
    session_->instrument_controller().add(parse_instrument("probe 0.5 0.5"));
    ask(OpenScene{"wave/droplet"});
    EXPECT_EQ(session_->instruments().all().size(), 1U) << "the same scene";
    ask(OpenScene{other});
    EXPECT_TRUE(session_->instruments().all().empty()) << other;
  }
}

// The water oscillates with the frequency of the preset's source; a probe in the waves must measure it.
TEST_F(InstrumentSession, ProbeFindsFrequencyOfWaveSource) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  open("wave/double-slit", 0, 16);
  session_->instrument_controller().add(parse_instrument("probe 0.2 0.5"));
  steps(1600);
  session_->readings().read_all();
  double frequency = 0;
  for (const Action& action : session_->run().scene->setup.actions)
    if (action.kind == "line-source") frequency = action.get("frequency");
  const Spectrum& found = *session_->instruments().spectrum(only().id);
  ASSERT_GT(found.uncertainty, 0);
  EXPECT_LT(found.uncertainty, 0.02 * frequency);
  EXPECT_NEAR(found.peak, frequency, found.uncertainty);
}

// However fast another scene was before: the readings are as far apart as where the scene was opened at once.
TEST_F(InstrumentSession, ProbeFindsTheSameFrequencyAfterAnotherScene) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  double direct = 0;
  for (const int pace_before : {0, 8, 700}) {
    open(pace_before > 0 ? "wave/droplet" : "wave/double-slit", pace_before > 0 ? 64 : 0, 0);
    if (pace_before > 0) {
      session_->pace().set_requested(pace_before);
      steps(2 * pace_before);
      ask(OpenScene{"wave/double-slit"});
    }
    session_->instrument_controller().add(parse_instrument("probe 0.2 0.5"));
    steps(1000);
    session_->readings().read_all();
    const double found = session_->instruments().spectrum(only().id)->peak;
    ASSERT_GT(found, 0) << pace_before;
    if (direct == 0) direct = found;
    EXPECT_NEAR(found, direct, session_->instruments().spectrum(only().id)->uncertainty) << pace_before;
    const Series& series = *session_->instruments().series(only().id);
    EXPECT_LE(found * series.spacing(), 1.0 / min_readings_per_period);
  }
}

// The file of a tone: every reading at equal steps, in which a Fourier transform finds that tone only.
TEST_F(InstrumentSession, FileOfAProbeHasEveryReadingAtEqualSteps) {
  open("wave/double-slit", 96, 700);
  session_->instrument_controller().add(parse_instrument("probe 0.042 0.5"));
  steps(reach<std::int64_t>(70000, 7000));
  const std::vector<Curve> curves = session_->measurements().curves_in({});
  ASSERT_GE(curves.size(), 2U);
  const Curve& curve = curves[curves.size() - 2];  // the last one is its spectrum
  ASSERT_EQ(curve.id, "probe_1");
  EXPECT_EQ(curve.x_unit, "time");
  EXPECT_GT(curve.points.size(), 2000U);
  const double apart = curve.points[1].x - curve.points[0].x;
  for (std::size_t k = 1; k < curve.points.size(); ++k)
    ASSERT_NEAR(curve.points[k].x - curve.points[k - 1].x, apart, 1e-6 * apart);
  const bool says_from_when = curve.label.english().find("kept from t = ") != std::string::npos;
  EXPECT_EQ(says_from_when, curve.points.front().x > 2 * apart);
  EXPECT_LE(session_->instruments().curves(session_->info(), session_->domain()).front().points.size(), 4000U)
      << "plots are thinned";
}

// Waves of a few cells along thousands of cells.
TEST_F(InstrumentSession, CutHasAPointPerCell) {
  Scene scene = load_scene("wave/droplet");
  scene.setup.width = 2048;
  scene.setup.height = 16;
  experiment_ = std::make_unique<Experiment>(*backend_, scene);
  session_ = std::make_unique<Session>(*experiment_, 1);
  session_->instrument_controller().add(parse_instrument("cut 0 0.5 1 0.5"));
  steps(1);
  session_->readings().read_all();
  const Curve curve = session_->measurements().curves_in({}).back();
  ASSERT_EQ(curve.points.size(), 2049U);
  const double cell = session_->domain().width / 2048;
  for (std::size_t k = 1; k < curve.points.size(); ++k)
    ASSERT_NEAR(curve.points[k].x - curve.points[k - 1].x, cell, 1e-6 * cell);
}

// The first fringes next to the middle, found on a line cut along the screen as by a user, and a ruler from one to the
// other with two intervals. Compared with the closed form for small, distant gaps: the paths differ by a wavelength at
// the angle whose sine is wavelength / distance between the gaps.
TEST_F(InstrumentSession, RulerMeasuresFringesOfTheory) {
  SKIP_UNDER_SANITIZERS("a comparison with theory; smaller tests run the same kernels");
  open("wave/double-slit", 0, 100);
  session_->execute(ShowQuantity{"intensity"});
  double frequency = 0, screen = 0, wall = 0, distance = 0;
  for (const Action& action : session_->run().scene->setup.actions) {
    if (action.kind == "line-source") frequency = action.get("frequency");
    if (action.kind == "screen") screen = action.get("x");
    if (action.kind == "slits") {
      wall = action.get("x");
      distance = action.get("distance");
    }
  }
  ASSERT_GT(distance, 0);
  const DomainSize domain = session_->domain();
  const double sine = session_->run().value_of("wave_speed") / frequency / distance;
  const double theory = (screen - wall) * domain.width * std::tan(std::asin(sine));

  session_->instrument_controller().add(parse_instrument("cut 0.55 0 0.55 1"));
  steps(3600);  // until the mean has settled
  session_->readings().read_all();
  const std::vector<CurvePoint> profile =
      session_->instruments().profile(only().id)->points(false, length_of(only(), domain));
  const auto highest = [&](double from, double to) {
    CurvePoint best{0, -1};
    for (const CurvePoint& p : profile)
      if (p.x > from && p.x < to && p.y > best.y) best = p;
    return best.x / domain.height;
  };
  const double middle = 0.5 * domain.height;
  Instrument ruler = parse_instrument("ruler 0.55 0.1 0.55 0.9 2");
  ruler.places[0].y = highest(middle - 1.5 * theory, middle - 0.5 * theory);
  ruler.places[1].y = highest(middle + 0.5 * theory, middle + 1.5 * theory);
  EXPECT_NEAR(length_of(ruler, domain), theory, 0.03 * theory);
}

// In every simulation: the same steps with and without instruments are bit-identical, and a probe reads the value of
// the status line.
TEST(InstrumentsEverywhere, LeaveRunBitIdentical) {
  const auto backend = Backend::make_cpu(2);
  for (const SimulationInfo* info : catalog()) {
    SCOPED_TRACE(info->id);
    Scene scene;
    scene.setup.simulation = info->id;
    scene.setup.width = scene.setup.height = 32;
    if (info->id == "fibers") scene.setup.height = 1;
    const auto run = [&](bool measured) {
      Experiment experiment(*backend, scene);
      Session session(experiment, 3);
      if (measured)
        for (const char* words :
             {"probe 0.3 0.4", "probe 0.5 0.5", "cut 0 0 1 1", "cut 0 0.5 1 0.5 average", "stopwatch"})
          session.instrument_controller().add(parse_instrument(words));
      for (int frame = 0; frame < 4; ++frame) {
        session.pace().forget();  // so that a slow machine takes the same steps
        session.advance();
        session.observe(true);
        session.end_frame(1, 0.004);
      }
      if (measured) {
        session.readings().read_all();
        EXPECT_FALSE(session.measurements().curves().empty());
      }
      return experiment.simulation().save();
    };
    const State with = run(true), without = run(false);
    EXPECT_EQ(with.steps, without.steps);
    ASSERT_EQ(with.datasets.size(), without.datasets.size());
    for (const auto& [name, dataset] : without.datasets)
      EXPECT_TRUE(with.datasets.at(name).bytes == dataset.bytes) << name;
  }
}

TEST(InstrumentsEverywhere, ReadSameValueAsStatusBar) {
  const auto backend = Backend::make_cpu(2);
  for (const SimulationInfo* info : catalog()) {
    Scene scene;
    scene.setup.simulation = info->id;
    scene.setup.width = scene.setup.height = 32;
    if (info->id == "fibers") scene.setup.height = 1;
    const auto simulation = info->create(*backend, scene.setup);
    simulation->step(3);
    ViewSettings view;
    for (const Quantity& quantity : info->quantities) {
      view.quantity = quantity.id;
      EXPECT_FALSE(simulation->number_at(1.5, 0.5, view).has_value());
      for (const double x : {0.11, 0.37, 0.52, 0.86}) {
        const std::string words = simulation->value_at(x, 0.43, view).english();
        const std::optional<double> number = simulation->number_at(x, 0.43, view);
        // The field contains only its number.
        const std::size_t end = words.find_first_not_of("0123456789+-.e");
        if (words.empty() || !(std::isdigit(words[0]) || words[0] == '-') || !number) continue;
        EXPECT_NEAR(*number, std::stod(words.substr(0, end)), 1e-3 * std::abs(*number) + 1e-30)
            << info->id << ' ' << quantity.id << ": " << words;
      }
    }
  }
}

}  // namespace
}  // namespace perturb
