// Twelve tasks of a lesson, done in the real window as a newcomer does them: at 1280x720, in the simple view of a first
// start, with clicks, drags and a few keys. Each result is read from the screen or from the state that the program
// saves. The tasks are listed in docs/verification.md, "Classroom".
//
// PERTURB_CLASSROOM_PICTURES, an environment variable: a folder for an image of the window after each task.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/io/image/image.h"
#include "app/io/preset/presets.h"
#include "app/io/state/state_file.h"
#include "tests/support/real_window.h"
#include "tests/support/screen_text.h"
#include "tests/window/headless_window.h"

namespace perturb {
namespace {

namespace fs = std::filesystem;

constexpr int classroom_width = 1280, classroom_height = 720;

// Finds buttons and handles as well, in the simple view.
class ClassroomCopy : public HeadlessWindow {
 public:
  ClassroomCopy(const Scene& scene, const Layout& layout)
      : HeadlessWindow(scene, layout, [](Session& session) {
          InterfaceState state = session.interface();
          state.preferences.simple = state.preferences.scene_units = true;
          session.set_interface(std::move(state));
        }) {}
  // The button of the transport bar whose tooltip begins like this.
  std::optional<Camera::Point> button_of(const std::string& words) {
    const Rect bar = layout().transport;
    for (double x = bar.x + 10; x < bar.x + bar.width; x += 12) {
      const Camera::Point at{x, bar.y + bar.height / 2};
      point_at(at);
      frames(3, 0.5);  // the pointer rests
      for (const DrawnText& text : drawn_text())
        if (text.text.starts_with(words)) return at;
    }
    ADD_FAILURE() << "no button says " << words;
    return std::nullopt;
  }
  const SceneObject& object(const std::string& kind) const {
    for (const SceneObject& one : session().run().objects)
      if (one.kind == kind) return one;
    throw InputError("there is no {}", kind);
  }
  // A handle of an object, by its label; the knob is its first one.
  Camera::Point handle_of(const std::string& kind, const std::string& label) const {
    const DomainSize domain = session().domain();
    for (const ObjectHandle& one : object(kind).handles)
      if (one.label == label)
        return domain_to_screen({one.x, one.y}, layout().pointer_frame(), session().view().camera(), domain.width,
                                domain.height);
    throw InputError("{} has no handle {}", kind, label);
  }
};

class WindowClassroom : public RealWindow {
 protected:
  std::string screen_size() const override {
    return std::to_string(classroom_width) + "x" + std::to_string(classroom_height);
  }
  // As a first start opens it. (The folder is where the tests find saved states. With a chosen kernel, a busy machine
  // opens no lighter variant.) `coarser`: how many times fewer cells it has along each side.
  void open(const std::string& path, int coarser = 1) {
    scene_ = load_scene(path);
    std::vector<std::string> words = {path, "--output-folder", ".", "--kernel", "auto"};
    if (coarser > 1) {
      scene_.setup.width /= coarser;
      scene_.setup.height /= coarser;
      words.insert(words.end(),
                   {"--size", std::to_string(scene_.setup.width) + "x" + std::to_string(scene_.setup.height)});
    }
    start_without_defaults(words);
    layout_ = make_layout(classroom_width, classroom_height, 1, 1, true);
    move_to(layout_.view_rect.width / 2, layout_.view_rect.height / 2);
    copy_ = std::make_unique<ClassroomCopy>(scene_, layout_);
    // The panels are drawn, in the simple view.
    ASSERT_TRUE(shows("Simple", style().body, layout_.column)) << output();
    ASSERT_TRUE(shows("Numerics: ", style().body, layout_.column)) << output();
  }

  // ---- what the user does
  void begin_task() { clicks_ = 0; }
  // Ends a task that may need `most` clicks, and saves an image of the window.
  void end_task(const std::string& name, int most) {
    EXPECT_LE(clicks_, most) << name;
    RecordProperty(name + " clicks", clicks_);
    const char* folder = std::getenv("PERTURB_CLASSROOM_PICTURES");
    if (!folder || !*folder) return;
    soon([&] { return !screen().find("State saved", style().body, layout_.view_rect); });
    const std::vector<std::uint8_t> rgb = capture(classroom_width, classroom_height);
    Picture picture{classroom_width, classroom_height, {}};
    for (int row = classroom_height - 1; row >= 0; --row)
      for (int column = 0; column < classroom_width; ++column) {
        const std::size_t k = 3 * static_cast<std::size_t>(row * classroom_width + column);
        picture.pixels.push_back(rgba(rgb.at(k), rgb.at(k + 1), rgb.at(k + 2)));
      }
    fs::create_directories(folder);
    save_png(picture, (fs::path(folder) / ("classroom-" + name + ".png")).string());
  }
  void user_clicks(const Camera::Point& at) {
    ++clicks_;
    move_to(at.x, at.y);
    click(1);
  }
  void user_drags(int button, const Camera::Point& from, const Camera::Point& to) {
    ++clicks_;
    drag(button, from.x, from.y, to.x, to.y);
  }
  // Drags the slider with this name by a number of pixels.
  void user_drags_slider(const std::string& name, double far) {
    const auto row = copy_->position_of(name);
    ASSERT_TRUE(row);
    const double middle = layout_.column.x + layout_.column.width / 2;
    user_drags(1, {middle, row->y}, {middle + far, row->y});
  }
  // Selects an object in the view by its knob, and in the copy. Then the panel shows its name above its sliders.
  void user_selects(const std::string& kind, const std::string& name) {
    user_clicks(copy_->handle_of(kind, "Position"));
    ASSERT_TRUE(shows(name, style().strong, layout_.column)) << output();
    copy_->session().execute(SelectObject{copy_->object(kind).id});
    copy_->frames(3);
  }

  // ---- what the user sees
  const Style& style() const { return copy_->style(); }
  ScreenText screen() {
    return ScreenText(capture(classroom_width, classroom_height), classroom_width, classroom_height);
  }
  // A busy machine may need longer for a run of thousands of steps than for anything else.
  bool soon(const std::function<bool()>& done, std::chrono::milliseconds pause = std::chrono::milliseconds(50)) {
    bool is_done = false;
    for (int k = 0; k < 4 && !is_done && !program_->ended(); ++k)
      eventually([&] { return (is_done = done()) || program_->ended(); }, pause);
    return is_done;
  }
  bool shows(const std::string& text, const ImFont* font, const Rect& area, double least = 0.9) {
    return soon([&] { return screen().find(text, font, area, least).has_value(); });
  }
  // The number in large figures below this name in the panel; nullopt: the name or the number is not on the screen.
  std::optional<double> reading(const std::string& name) { return reading(name, screen()); }
  std::optional<double> reading(const std::string& name, const ScreenText& now) const {
    const auto line = now.find(name, style().small, layout_.column);
    if (!line) return std::nullopt;
    return now.number_at(style().figures, line->x, line->y + static_cast<int>(style().small->FontSize));
  }
  // The same, as soon as it is there and `accepted`.
  std::optional<double> reading(const std::string& name, const std::function<bool(double)>& accepted) {
    std::optional<double> value;
    soon([&] {
      value = reading(name);
      return value && accepted(*value);
    });
    return value;
  }

  // ---- what the program saves
  State saved() {
    const fs::path file = saved_state();
    return file.empty() ? State() : load_state(file.string());
  }
  // Whether it soon saves a state that is `accepted`: a change takes effect between two steps.
  bool saves(const std::function<bool(const State&)>& accepted) {
    return soon([&] { return accepted(saved()); }, std::chrono::milliseconds(500));
  }
  // A number of the first object of this kind in a saved state.
  double number_of(const State& state, const std::string& kind, const std::string& number) {
    const auto backend = Backend::make_cpu(1);
    const Experiment experiment(*backend, scene_, state);
    for (const SceneObject& one : experiment.simulation().objects())
      if (one.kind == kind) return one.numbers.at(number);
    ADD_FAILURE() << "no " << kind;
    return std::nan("");
  }
  static bool is_finite(const State& state) {
    bool finite = !state.datasets.empty();
    const auto check = [&]<class T>(const Dataset& data, T value) {
      for (std::size_t k = 0; k < data.count(); ++k) {
        std::memcpy(&value, data.bytes.data() + k * sizeof(T), sizeof(T));
        finite = finite && std::isfinite(value);
      }
    };
    for (const auto& [name, data] : state.datasets) {
      if (data.type == ElementType::float32) check(data, float{});
      if (data.type == ElementType::float64) check(data, double{});
    }
    return finite;
  }

  Scene scene_;
  std::unique_ptr<ClassroomCopy> copy_;
  int clicks_ = 0;
};

// The number that an action of the scene has at its start.
double initial_number(const Scene& scene, const std::string& kind, const std::string& number) {
  for (const Action& action : scene.setup.actions)
    if (action.kind == kind) return action.get(number);
  ADD_FAILURE() << "no " << kind;
  return 0;
}

TEST_F(WindowClassroom, TunesSourceAndSlitsReadsPlotAndUndoes) {
  ASSERT_NO_FATAL_FAILURE(open("wave/double-slit"));
  {
    SCOPED_TRACE("change the frequency of a source");
    begin_task();
    ASSERT_NO_FATAL_FAILURE(user_selects("line-source", "Line source"));
    user_drags_slider("Frequency", 40);
    const double before = initial_number(scene_, "line-source", "frequency");
    EXPECT_TRUE(saves([&](const State& state) { return number_of(state, "line-source", "frequency") > 1.1 * before; }));
    // The scene's own unit: 12.5 Hz at the start.
    EXPECT_TRUE(shows("Frequency", style().body, layout_.column));
    EXPECT_TRUE(shows("Hz", style().body, layout_.column, 0.8));
    end_task("frequency", 2);
  }
  const double distance = initial_number(scene_, "slits", "distance");
  {
    SCOPED_TRACE("change the distance of the slits");
    begin_task();
    ASSERT_NO_FATAL_FAILURE(user_selects("slits", "Slits"));
    const Camera::Point handle = copy_->handle_of("slits", "Distance");
    constexpr double far = 30;
    user_drags(1, handle, {handle.x, handle.y - far});
    // The handle is at a slit, so that both slits move as far.
    const double length = scene_.setup.height / layout_.view_rect.height;
    EXPECT_TRUE(saves([&](const State& state) {
      return std::abs(number_of(state, "slits", "distance") - distance - 2 * far * length) < 4 * length;
    }));
    EXPECT_TRUE(shows("Distance", style().body, layout_.column));
    end_task("slits", 2);
  }
  {
    SCOPED_TRACE("read a value from a plot");
    begin_task();
    key("F8");
    copy_->session().execute(ShowTab{Tab::plots});
    copy_->frames(4);
    const Rect dock = copy_->layout().dock;
    ASSERT_GT(dock.height, 0);
    // At two positions on the curve: the value at each.
    std::vector<double> values;
    for (const double share : {0.5, 0.52}) {
      move_to(dock.x + share * dock.width, dock.y + 0.6 * dock.height);
      std::optional<double> value;
      EXPECT_TRUE(soon([&] {
        const ScreenText now = screen();
        for (const ImFont* font : {style().small, style().body})
          if (const auto line = now.find("measured: ", font, dock)) value = now.number_after(*line);
        return value && *value > 0 && (values.empty() || *value != values.back());
      })) << "no value at the pointer";
      if (value) values.push_back(*value);
    }
    ASSERT_EQ(values.size(), 2U);
    for (const double value : values) EXPECT_LT(value, 0.01) << "a mean square of waves of 0.1 mm behind a wall";
    end_task("plot", 0);
    key("F8");
  }
  {
    SCOPED_TRACE("undo a mistake and go on");
    const auto button = copy_->button_of("Undo");
    ASSERT_TRUE(button);
    begin_task();
    user_clicks(*button);
    std::int64_t steps = 0;
    EXPECT_TRUE(saves([&](const State& state) {
      steps = state.steps;
      return number_of(state, "slits", "distance") == distance;
    }));
    EXPECT_TRUE(saves([&](const State& state) { return state.steps > steps; })) << "the run goes on";
    end_task("undo", 1);
  }
  quit();
}

TEST_F(WindowClassroom, ShowsTemperatureOfGas) {
  ASSERT_NO_FATAL_FAILURE(open("particles/gas"));
  begin_task();
  const auto shown = reading("Temperature", [](double) { return true; });
  ASSERT_TRUE(shown) << output();
  // Each component of the velocity is uniform up to velocity_max at first; m = 1, in two dimensions kT = m <v²>/2.
  const double largest = scene_.setup.parameters.at("velocity_max");
  // 6000 components: their mean square has a standard error of 1.2 %.
  EXPECT_NEAR(*shown, largest * largest / 3, 0.05 * largest * largest / 3);
  end_task("temperature", 0);
  // Collisions conserve it: three digits of the state's own.
  const State state = saved();
  const auto discs = static_cast<std::size_t>(scene_.setup.parameters.at("count"));
  double sum = 0;
  const Dataset& velocity = state.datasets.at("velocity");
  const auto add = [&](const auto& values) {
    for (const auto v : values) sum += static_cast<double>(v) * static_cast<double>(v);
  };
  if (velocity.type == ElementType::float64)
    add(state.get<double>("velocity", {discs, 2}));
  else
    add(state.get<float>("velocity", {discs, 2}));
  EXPECT_NEAR(*shown, sum / static_cast<double>(2 * discs), 0.001);
  quit();
}

// A sound device of ALSA that writes a file, for programs started while this exists. Other sound systems ignore it.
class SoundFile {
 public:
  explicit SoundFile(const fs::path& folder) : file_(folder / "sound.wav") {
    if (const char* value = std::getenv(variable)) before_ = value;
    std::ofstream(folder / "asound.conf")
        << "pcm.!default { type file slave.pcm { type null } file \"" << file_.string() << "\" format wav }\n";
    setenv(variable, (folder / "asound.conf").c_str(), 1);
  }
  ~SoundFile() {
    if (before_)
      setenv(variable, before_->c_str(), 1);
    else
      unsetenv(variable);
  }
  SoundFile(const SoundFile&) = delete;
  SoundFile& operator=(const SoundFile&) = delete;

  bool exists() const { return fs::exists(file_); }
  // Samples written after the initial silence, relative to full scale.
  std::vector<double> samples() const {
    std::ifstream stream(file_, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
    constexpr std::size_t header = 44;
    std::vector<double> sound;
    for (std::size_t k = header; k + 4 <= bytes.size(); k += 4) {
      std::int32_t sample = 0;
      std::memcpy(&sample, bytes.data() + k, 4);
      if (sample != 0 || !sound.empty()) sound.push_back(sample / 2147483648.0);
    }
    return sound;
  }
  static constexpr std::size_t rate = 44100;

 private:
  static constexpr const char* variable = "ALSA_CONFIG_PATH";
  fs::path file_;
  std::optional<std::string> before_;
};

TEST_F(WindowClassroom, PlaysSoundOfDrum) {
  const SoundFile file(folder_);
  ASSERT_NO_FATAL_FAILURE(open("membrane/struck"));
  const Layout full = layout_;
  begin_task();
  key("m");
  copy_->session().execute(ShowTab{Tab::plots});
  copy_->frames(4);
  layout_ = copy_->layout();
  const auto probe = copy_->position_of("Probe");
  ASSERT_TRUE(probe);
  ASSERT_TRUE(shows("Probe", style().body, layout_.column)) << output();
  user_clicks(*probe);
  const DomainSize domain = copy_->session().domain();
  const auto on_membrane = [&](double x, double y) {
    return domain_to_screen({x, y}, layout_.pointer_frame(), copy_->session().view().camera(), domain.width,
                            domain.height);
  };
  user_clicks(on_membrane(0.4, 0.4));
  ASSERT_TRUE(shows("Play sound", style().body, layout_.column)) << output();
  Instrument instrument;
  instrument.kind = InstrumentKind::probe;
  instrument.places = {{0.4, 0.4}};
  instrument.quantity = copy_->session().view().quantity().id;
  copy_->session().instrument_controller().add(instrument);
  copy_->session().instrument_controller().select(copy_->session().instruments().all().front().id);
  copy_->frames(4);
  const auto play = copy_->position_of("Play sound");
  ASSERT_TRUE(play);
  user_clicks(*play);
  user_clicks(on_membrane(0.7, 0.65));
  // The sound is on, or the machine has no sound device and the program says what to do instead.
  bool plays = false;
  EXPECT_TRUE(soon([&] {
    const ScreenText now = screen();
    plays = now.find("Stop sound", style().body, layout_.column).has_value();
    return plays || now.find("Cannot play sound", style().body, layout_.view_rect, 0.85);
  })) << output();
  end_task("drum", 4);
  if (plays && file.exists()) {
    // The frequency that was dominant when the sound began becomes 440 Hz. Others may be stronger now: all are audible.
    std::vector<double> sound;
    EXPECT_TRUE(
        soon([&] { return (sound = file.samples()).size() > SoundFile::rate; }, std::chrono::milliseconds(500)));
    // While the run is slower than its pace, there are gaps.
    double loudest = 0, crossings = 0, ringing = 0;
    for (std::size_t k = 1; k < sound.size(); ++k) {
      loudest = std::max(loudest, std::abs(sound[k]));
      crossings += sound[k - 1] * sound[k] < 0 ? 1 : 0;
      ringing += sound[k] != 0 ? 1 : 0;
    }
    EXPECT_GT(loudest, 0.1);
    const double frequency = crossings / 2 * SoundFile::rate / ringing;
    EXPECT_GT(frequency, 60);
    EXPECT_LT(frequency, 4000);
  }
  layout_ = full;
  quit();
}

TEST_F(WindowClassroom, ShowsFibersSinkWithinMinute) {
  ASSERT_NO_FATAL_FAILURE(open("fibers/cloud"));
  begin_task();
  const auto mean_height = [](const State& state) {
    const Dataset& data = state.datasets.at("position");
    const auto position = state.get<double>("position", data.shape);
    double sum = 0;
    for (std::size_t k = 2; k < position.size(); k += 3) sum += position[k];
    return sum / static_cast<double>(data.shape[0]);
  };
  // As far as the cloud's radius, which the eye sees in the water that streams past.
  const double radius = scene_.setup.parameters.at("radius");
  double fallen = 0;
  EXPECT_TRUE(soon([&] {
    fallen = -mean_height(saved());
    return fallen > radius;
  })) << fallen
      << output();
  // Both of the same image: the run goes on.
  std::optional<double> fall, estimate;
  soon([&] {
    const ScreenText now = screen();
    fall = reading("Core's fall", now);
    estimate = reading("Core's fall, estimate for a ball", now);
    return fall && estimate && *fall > 0 && *estimate > 0;
  });
  ASSERT_TRUE(fall && estimate);
  EXPECT_NEAR(*fall / *estimate, 1, 0.15);
  end_task("fibers", 0);
  quit();
}

TEST_F(WindowClassroom, FlowSurvivesWallAcrossWake) {
  ASSERT_NO_FATAL_FAILURE(open("lbm/cylinder"));
  // Behind the cylinder, over 44 % of the height.
  const DomainSize domain = copy_->session().domain();
  const auto at = [&](double x, double y) {
    return domain_to_screen({x, y}, layout_.pointer_frame(), copy_->session().view().camera(), domain.width,
                            domain.height);
  };
  ASSERT_TRUE(saves([](const State& state) { return state.steps >= 300; })) << output();
  begin_task();
  user_drags(3, at(0.45, 0.72), at(0.45, 0.28));
  const State before = saved();
  State after;
  constexpr int steps = 3000;
  EXPECT_TRUE(soon([&] {
    after = saved();
    return after.steps >= before.steps + steps;
  })) << "stopped at step "
      << after.steps << output();
  EXPECT_TRUE(is_finite(after));
  ASSERT_TRUE(reading("Drag coefficient"));
  const auto walls = [](const State& state) {
    int count = 0;
    for (const std::byte cell : state.datasets.at("wall").bytes) count += cell != std::byte{0} ? 1 : 0;
    return count;
  };
  const auto backend = Backend::make_cpu(1);
  Experiment start(*backend, scene_);
  EXPECT_GT(walls(after), walls(start.simulation().save()) + 0.4 * domain.height) << "the wall is there";
  end_task("wall", 1);
  quit();
}

TEST_F(WindowClassroom, ShowsAngleOfRefraction) {
  ASSERT_NO_FATAL_FAILURE(open("wave/refraction"));
  begin_task();
  key("t");
  // The source is perpendicular to the rays; Snell's law with the ratio of the speeds.
  const auto of_source = [&](const char* number) { return initial_number(scene_, "line-source", number); };
  const double incidence = std::atan2((of_source("x1") - of_source("x0")) * scene_.setup.width,
                                      (of_source("y1") - of_source("y0")) * scene_.setup.height);
  const double refraction = std::asin(initial_number(scene_, "region", "factor") * std::sin(incidence));
  constexpr double degree = 180 / 3.14159265358979;
  for (const double angle : {incidence, refraction}) {
    char text[16];
    std::snprintf(text, sizeof text, "%.1f°", angle * degree);
    EXPECT_TRUE(shows(text, style().body, layout_.view_rect, 0.8)) << text;
  }
  // The waves themselves.
  const auto measured = reading("Direction after refraction",
                                [&](double value) { return std::abs(std::abs(value) - refraction * degree) < 1; });
  ASSERT_TRUE(measured) << output();
  EXPECT_NEAR(std::abs(*measured), refraction * degree, 1);
  end_task("refraction", 0);
  quit();
}

TEST_F(WindowClassroom, ShowsAndChangesFocalLength) {
  ASSERT_NO_FATAL_FAILURE(open("wave/lens"));
  begin_task();
  key("t");
  EXPECT_TRUE(shows("Focus", style().body, layout_.view_rect, 0.8)) << "theory's focal point in the view";
  const auto theory = reading("Focus of the rays", [](double value) { return value > 0; });
  ASSERT_TRUE(theory) << output();
  const auto measured =
      reading("Focus behind the lens", [&](double value) { return std::abs(value / *theory - 1) < 0.1; });
  ASSERT_TRUE(measured);
  EXPECT_NEAR(*measured / *theory, 1, 0.1);
  ASSERT_NO_FATAL_FAILURE(user_selects("lens", "Lens"));
  const Camera::Point handle = copy_->handle_of("lens", "Half width");
  user_drags(1, handle, {handle.x + 25, handle.y});
  // A thicker lens of slow water: the focus is nearer, and the waves follow.
  const auto changed = reading("Focus of the rays", [&](double value) { return value < 0.9 * *theory; });
  ASSERT_TRUE(changed);
  EXPECT_LT(*changed, 0.9 * *theory);
  const auto moved =
      reading("Focus behind the lens", [&](double value) { return std::abs(value / *changed - 1) < 0.1; });
  ASSERT_TRUE(moved);
  EXPECT_NEAR(*moved / *changed, 1, 0.1);
  const double half_width = initial_number(scene_, "lens", "radius_x");
  EXPECT_TRUE(saves([&](const State& state) { return number_of(state, "lens", "radius_x") > 1.1 * half_width; }));
  end_task("lens", 2);
  quit();
}

TEST_F(WindowClassroom, TurnsWingAndShowsLift) {
  // The lift has a value after the stream has passed the wing twice, before and after the turn: 5400 steps of the whole
  // scene each time, of which each takes sixteen times as long.
  ASSERT_NO_FATAL_FAILURE(open("lbm/airfoil", 4));
  begin_task();
  ASSERT_NO_FATAL_FAILURE(user_selects("wall-airfoil", "Wing section"));
  const auto before = reading("Lift coefficient", [](double) { return true; });
  ASSERT_TRUE(before) << "the lift is visible while the wing is selected";
  const Camera::Point tail = copy_->handle_of("wall-airfoil", "Chord and angle");
  user_drags(1, tail, {tail.x, tail.y + 20});
  const double angle = initial_number(scene_, "wall-airfoil", "angle");
  EXPECT_TRUE(saves([&](const State& state) { return number_of(state, "wall-airfoil", "angle") > angle + 2; }));
  const auto after = reading("Lift coefficient", [&](double value) { return value != *before; });
  ASSERT_TRUE(after);
  EXPECT_NE(*after, *before);
  end_task("wing", 2);
  quit();
}

TEST_F(WindowClassroom, HeatsGas) {
  ASSERT_NO_FATAL_FAILURE(open("particles/heat"));
  const auto before = reading("Temperature", [](double) { return true; });
  ASSERT_TRUE(before) << output();
  begin_task();
  user_drags_slider("Temperature, right", 60);
  const auto after = reading("Temperature", [&](double value) { return value > 1.2 * *before; });
  ASSERT_TRUE(after);
  EXPECT_GT(*after, 1.2 * *before);
  EXPECT_GT(std::stod(saved().parameters.at("temperature_right")), 2 * scene_.setup.parameters.at("temperature_right"));
  end_task("heat", 1);
  quit();
}

}  // namespace
}  // namespace perturb
