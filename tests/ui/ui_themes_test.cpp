// The themes of the window: text is readable in each, colours are distinguishable with colour blindness, and a
// presentation hides the rest of the window.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/simulation/catalog.h"
#include "tests/support/drawn_text.h"
#include "tests/support/panel_frames.h"
#include "tests/support/scene_of_width.h"

namespace perturb {
namespace {

using Rgb = std::array<double, 3>;

Rgb linear_of(std::uint32_t color) {
  Rgb c{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double v = (color >> (8 * k) & 0xFF) / 255.0;
    c[k] = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
  }
  return c;
}
double luminance(std::uint32_t color) {
  const Rgb c = linear_of(color);
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}
// As WCAG 2.1 defines it.
double contrast(std::uint32_t a, std::uint32_t b) {
  const double light = std::max(luminance(a), luminance(b)), dark = std::min(luminance(a), luminance(b));
  return (light + 0.05) / (dark + 0.05);
}

// Colours as seen without one type of cone: Machado, Oliveira & Fernandes (2009), severity 1, on linear RGB.
using Sight = std::array<Rgb, 3>;
constexpr Sight usual{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Sight protanopia{
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Sight deuteranopia{
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};

// CIE L*a*b* of the perceived colour, white point D65.
Rgb lab_of(std::uint32_t color, const Sight& sight) {
  const Rgb c = linear_of(color);
  Rgb s{};
  for (std::size_t k = 0; k < 3; ++k)
    s[k] = std::clamp(sight[k][0] * c[0] + sight[k][1] * c[1] + sight[k][2] * c[2], 0.0, 1.0);
  const auto f = [](double t) { return t > 0.008856 ? std::cbrt(t) : t / 0.128419 + 4.0 / 29; };
  const double x = f((0.4124564 * s[0] + 0.3575761 * s[1] + 0.1804375 * s[2]) / 0.95047);
  const double y = f(0.2126729 * s[0] + 0.7151522 * s[1] + 0.0721750 * s[2]);
  const double z = f((0.0193339 * s[0] + 0.1191920 * s[1] + 0.9503041 * s[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

// The smallest distance between two colours of a map that are at least an eighth of it apart.
double smallest_distance(const std::string& id, const Sight& sight) {
  const std::vector<std::uint32_t>& colors = find_colormap(id).colors;
  std::vector<Rgb> seen;
  for (const std::uint32_t color : colors) seen.push_back(lab_of(color, sight));
  double least = 1e9;
  for (std::size_t i = 0; i < seen.size(); ++i)
    for (std::size_t j = i + seen.size() / 8; j < seen.size(); ++j)
      least = std::min(least, std::hypot(seen[i][0] - seen[j][0], seen[i][1] - seen[j][1], seen[i][2] - seen[j][2]));
  return least;
}

// A distance of 2.3 is just noticeable in adjacent patches; in an image and on a projector it takes several of those.
constexpr double min_distance = 7;

TEST(ColorBlind, DefaultColormapsSeparateValues) {
  std::map<std::string, std::string> maps;  // and the scenes that use them
  for (const SimulationInfo* info : catalog())
    for (const Quantity& quantity : info->quantities) maps[quantity.colormap] = info->id + "/" + quantity.id;
  for (const SceneEntry& scene : all_scenes())
    if (const std::string map = load_scene(scene.path()).view.colormap; !map.empty()) maps[map] = scene.path();
  maps.erase("water");  // its brightness shows slopes, like a photograph, and not values
  EXPECT_GE(maps.size(), 5u);
  for (const auto& [map, user] : maps)
    for (const Sight& sight : {usual, protanopia, deuteranopia})
      EXPECT_GT(smallest_distance(map, sight), min_distance) << map << " of " << user;
  // The rainbow fails: without one cone type, some greens and oranges look alike.
  EXPECT_LT(smallest_distance("turbo", deuteranopia), min_distance);
}

TEST(Themes, HaveReadableTextOnEveryBackground) {
  for (const ThemeName& name : theme_names()) {
    SCOPED_TRACE(name.id);
    const Palette& p = palette_of(name.theme);
    // WCAG 2.1: 4.5 for text (AA), 7 for high contrast (AAA); 3 for disabled items, which are pale.
    const double least = name.theme == Theme::high_contrast ? 7 : 4.5;
    for (const ImU32 ground : {p.panel, p.raised, p.background, p.popup, p.dialog, p.hovered}) {
      EXPECT_GT(contrast(p.text, ground), least);
      EXPECT_GT(contrast(p.dim, ground), least);
    }
    for (const ImU32 ink : {p.good, p.warning, p.bad, p.accent_bright}) EXPECT_GT(contrast(ink, p.panel), least);
    EXPECT_GT(contrast(p.on_accent, p.accent), least);
    EXPECT_GT(contrast(p.faint, p.panel), 3);
    for (const ImU32 ink : p.inks) EXPECT_GT(contrast(ink, p.panel), 3) << "a curve";
  }
}

TEST(Themes, RoundTripTheirIds) {
  for (const ThemeName& name : theme_names()) EXPECT_EQ(theme_of(id_of(name.theme)), name.theme);
  EXPECT_THROW(theme_of("blue"), InputError);
}

class UiThemes : public testing::Test {
 protected:
  void draw(int times = 2) {
    for (int i = 0; i < times; ++i) {
      const Layout layout = make_layout(1280, 720, 1, 1, session_.interface().panels);
      session_.handle({}, layout, Session::Keyboard::free, panels_.feedback());
      session_.observe(true);
      gui_.set_theme(session_.theme());
      draw_panels(session_, gui_, panels_, layout);
      session_.end_frame(1.0 / 60, 0.004);
    }
  }
  void tap(const char* name) {
    session_.handle({key_press(name)}, make_layout(1280, 720, 1, 1, true), Session::Keyboard::free, panels_.feedback());
    draw();
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, scene_of_width("wave/droplet", 48)};
  Session session_{experiment_, 2};
  Gui gui_{Gui::Renderer::none};
  Panels panels_;
};

TEST_F(UiThemes, DrawsAllTextInColorsOfTheme) {
  for (const ThemeName& name : theme_names()) {
    set_preference(session_, &Preferences::theme, name.theme);
    const Palette& p = palette_of(name.theme);
    const std::set<ImU32> inks = {p.text,      p.dim,  p.faint,   p.accent, p.accent_bright,
                                  p.on_accent, p.good, p.warning, p.bad};
    for (const Tab tab : {Tab::physics, Tab::view, Tab::plots, Tab::kernels})
      for (const Overlay overlay : {Overlay::none, Overlay::help}) {
        InterfaceState state = session_.interface();
        state.tab = tab;
        state.overlay = overlay;
        session_.set_interface(state);
        draw(3);
        int letters = 0;
        for (const DrawnText& t : drawn_text()) {
          // Disabled items are paler than all others.
          const bool is_whole = (t.color >> IM_COL32_A_SHIFT) == 0xFF;
          EXPECT_TRUE(!is_whole || inks.count(t.color)) << name.id << ": " << t.text;
          ++letters;
        }
        EXPECT_GT(letters, 20);
      }
  }
}

TEST_F(UiThemes, PresentationShowsViewColorBarAndCaption) {
  draw();
  ASSERT_NE(drawn_lines().find("Tool"), std::string::npos);
  tap("F5");
  EXPECT_TRUE(session_.interface().presentation);
  const std::string shown = drawn_lines();
  EXPECT_EQ(shown.find("Tool"), std::string::npos);
  EXPECT_NE(shown.find(experiment_.scene().title), std::string::npos) << "a caption";
  EXPECT_NE(shown.find(session_.view().quantity().label), std::string::npos);
  tap("Esc");
  EXPECT_FALSE(session_.interface().presentation);
  EXPECT_NE(drawn_lines().find("Tool"), std::string::npos);
  tap("F5");
  tap("Tab");
  EXPECT_FALSE(session_.interface().presentation);
  EXPECT_TRUE(session_.interface().panels) << "the panels' key brings them back";
  EXPECT_FALSE(session_.interface().color_bar_without_panels);
}

TEST_F(UiThemes, StartsScenesPausedWithReducedMotion) {
  Preferences preferences = session_.interface().preferences;
  preferences.reduced_motion = true;
  session_.execute(ChangeInterface{&InterfaceState::preferences, preferences});
  session_.post(OpenScene{"wave/rain"});
  draw(1);
  EXPECT_FALSE(session_.playback().playing());
  preferences.reduced_motion = false;
  session_.execute(ChangeInterface{&InterfaceState::preferences, preferences});
  session_.post(OpenScene{"wave/droplet"});
  draw(1);
  EXPECT_TRUE(session_.playback().playing());
}

TEST_F(UiThemes, AllowsAsymmetricAutomaticRange) {
  const auto show_height = [&](bool automatic, bool centred) {
    ViewSettings view = session_.view().settings();
    view.quantity = "height";
    view.automatic = automatic;
    session_.execute(ChangeView{view, centred});
  };
  show_height(true, true);
  session_.execute(ChooseTool{"droplet"});
  experiment_.perform(Action{"droplet", {{"x", 0.5}, {"y", 0.5}, {"amplitude", 0.1}}, "", nullptr});
  session_.advance();
  draw();
  const ViewSettings symmetric = session_.view().resolved();
  EXPECT_EQ(symmetric.minimum, -symmetric.maximum);
  show_height(false, false);
  draw();
  show_height(true, false);
  experiment_.advance(1);
  draw();
  const ViewSettings follows = session_.view().resolved();
  EXPECT_LT(std::abs(follows.maximum), std::abs(follows.minimum)) << "a droplet presses the water down";
}

}  // namespace
}  // namespace perturb
