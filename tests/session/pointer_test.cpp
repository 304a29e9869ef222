// The pointer's mapping from the window to the domain, at every zoom, window size and pixel density.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "app/session/layout.h"
#include "app/session/tool_controller.h"
#include "cuda/core/paint/orbit.h"
#include "tests/support/session_input.h"

namespace perturb {
namespace {

struct Domain {
  double width, height;
};

class PointerMapping : public testing::Test {
 protected:
  std::mt19937 random_{7};
  double between(double low, double high) { return std::uniform_real_distribution<>(low, high)(random_); }
};

// Rounding of coordinates up to a few thousand pixels in double precision.
constexpr double rounding = 1e-9;

TEST_F(PointerMapping, CentreOfAPixelIsWhereKernelsPaintIt) {
  for (int trial = 0; trial < 200; ++trial) {
    const double density = trial % 3 == 0 ? 2 : trial % 3 == 1 ? 1 : 1.5;
    const int width = static_cast<int>(between(200, 3000)), height = static_cast<int>(between(150, 2000));
    const Viewport viewport{static_cast<int>(between(0, 50)), static_cast<int>(between(0, 90)), width - 60,
                            height - 100};
    const PointerFrame frame{density, height, viewport};
    const Domain domain{between(1, 900), between(1, 900)};
    const Camera camera{between(-1, 2), between(-1, 2), std::exp(between(-1, 6)), 0, 0};
    const int px = static_cast<int>(between(0, viewport.width)), py = static_cast<int>(between(0, viewport.height));

    // The screen coordinate of that pixel, at any position within it.
    const double inside = between(0.01, 0.99);
    const double screen_x = (viewport.x + px + inside) / density;
    const double screen_y = (height - 1 - (viewport.y + py) + inside) / density;
    const PicturePoint point = picture_point(screen_x, screen_y, frame);
    ASSERT_NEAR(point.x, px + 0.5, rounding);
    ASSERT_NEAR(point.y, py + 0.5, rounding);
    ASSERT_TRUE(is_inside(point, viewport));

    const Camera::Point at = pointer_to_domain(screen_x, screen_y, frame, camera, domain.width, domain.height);
    const PixelToDomain paint = camera.pixel_to_domain(viewport.width, viewport.height, domain.width, domain.height);
    // Kernels compute in single precision: equal to a thousandth of a pixel.
    ASSERT_NEAR(at.x, paint.x(px), 1e-3 * paint.dx + 1e-6);
    ASSERT_NEAR(at.y, paint.y(py), 1e-3 * paint.dy + 1e-6);
  }
}

TEST_F(PointerMapping, CountsRowsFromBelow) {
  const PointerFrame frame{1, 100, {0, 0, 200, 100}};
  EXPECT_EQ(picture_point(0, 0, frame).y, 99.5);
  EXPECT_EQ(picture_point(0, 99, frame).y, 0.5);
  EXPECT_EQ(picture_point(199, 99, frame).x, 199.5);
}

TEST_F(PointerMapping, CornersOfAFittedDomain) {
  // A square domain in a wide view at zoom 1: as high as the view, and centred.
  const PointerFrame frame{1, 400, {0, 0, 800, 400}};
  const Camera camera;
  const Camera::Point first = pointer_to_domain(200, 399, frame, camera, 512, 512);
  EXPECT_NEAR(first.x, 0.5 / 400, rounding);
  EXPECT_NEAR(first.y, 0.5 / 400, rounding);
  EXPECT_FALSE(is_in_domain(pointer_to_domain(199, 200, frame, camera, 512, 512)));
  EXPECT_TRUE(is_in_domain(pointer_to_domain(599, 0, frame, camera, 512, 512)));
  EXPECT_FALSE(is_in_domain(pointer_to_domain(600, 0, frame, camera, 512, 512)));
}

TEST_F(PointerMapping, PanelsAreNotInsideThePicture) {
  for (const double density : {1.0, 2.0})
    for (const double scale : {1.0, 1.25, 2.0, 3.0}) {
      const int width = static_cast<int>(1280 * scale), height = static_cast<int>(720 * scale);
      const Layout layout = make_layout(width, height, density, scale, true);
      ASSERT_TRUE(layout.has_column && layout.has_bars);
      const PointerFrame frame = layout.pointer_frame();
      EXPECT_EQ(frame.viewport.x, 0);
      EXPECT_EQ(frame.viewport.y + frame.viewport.height, height);
      const auto inside = [&](double x, double y) { return is_inside(picture_point(x, y, frame), frame.viewport); };
      EXPECT_TRUE(inside(1, 1));
      EXPECT_TRUE(inside(layout.column.x - 1 / density, 1));
      EXPECT_FALSE(inside(layout.column.x, 1));
      EXPECT_TRUE(inside(1, layout.transport.y - 1 / density));
      EXPECT_FALSE(inside(1, layout.transport.y));
    }
}

TEST_F(PointerMapping, TheLayoutFillsTheWindowAndNoMore) {
  for (const int width : {300, 616, 617, 1024, 1280, 3840})
    for (const int height : {200, 480, 720, 2160}) {
      const Layout l = make_layout(width, height, 1, 1, true);
      EXPECT_EQ(l.view_rect.width + (l.is_drawer ? l.handle : l.column).width, width);
      EXPECT_EQ(l.view_rect.height + l.transport.height + l.status.height, height);
      const Layout hidden = make_layout(width, height, 1, 1, false);
      EXPECT_EQ(hidden.viewport(), (Viewport{0, 0, width, height}));
    }
}

TEST_F(PointerMapping, MotionIsCutAtTheDomainsSides) {
  const auto across = clip_to_domain({-1, 0.5}, {2, 0.5});
  ASSERT_TRUE(across);
  EXPECT_NEAR(across->from.x, 0, rounding);
  EXPECT_NEAR(across->to.x, 1, rounding);
  EXPECT_EQ(across->to.y, 0.5);
  EXPECT_FALSE(clip_to_domain({-1, 0.5}, {-0.1, 0.9}));
  EXPECT_FALSE(clip_to_domain({-0.5, 0.8}, {0.3, 1.6}));  // passes by the corner
  const auto within = clip_to_domain({0.2, 0.3}, {0.7, 0.1});
  ASSERT_TRUE(within);
  EXPECT_EQ(within->from.x, 0.2);
  EXPECT_EQ(within->to.y, 0.1);
  const auto still = clip_to_domain({0.2, 0.3}, {0.2, 0.3});
  ASSERT_TRUE(still);
  EXPECT_EQ(still->to.x, 0.2);
}

// ---- gesture recognizer ----

class GestureRecognizerTest : public testing::Test {
 protected:
  GestureRecognizerTest() {
    context_.frame = {1, 400, {0, 0, 400, 400}};
    context_.domain_width = context_.domain_height = 100;
    context_.tool = "poke";
    context_.brush = {{"radius", 3}};
  }
  bool give(const InputEvent& e) {
    return recognizer_.handle(e, context_, camera_, [this](const Gesture& g) { gestures_.push_back(g); });
  }
  using Kind = InputEvent::Kind;
  using Button = InputEvent::Button;
  GestureRecognizer recognizer_;
  GestureRecognizer::Context context_;
  Camera camera_;
  std::vector<Gesture> gestures_;
};

TEST_F(GestureRecognizerTest, APressAndItsReleaseAreTwoGesturesAtOnePlace) {
  EXPECT_TRUE(give(mouse_event(Kind::press, 100, 300, Button::left)));
  EXPECT_TRUE(give(mouse_event(Kind::release, 100, 300, Button::left)));
  ASSERT_EQ(gestures_.size(), 2u);
  EXPECT_EQ(gestures_[0].phase, Gesture::Phase::press);
  EXPECT_NEAR(gestures_[0].x, 100.5 / 400, rounding);
  EXPECT_NEAR(gestures_[0].y, 99.5 / 400, rounding);
  EXPECT_EQ(gestures_[0].previous_x, gestures_[0].x);
  EXPECT_EQ(gestures_[0].setting("radius", 0), 3);
  EXPECT_EQ(gestures_[1].phase, Gesture::Phase::release);
}

TEST_F(GestureRecognizerTest, FastDragReportsItsPreviousPoint) {
  give(mouse_event(Kind::press, 40, 200, Button::right));
  give(mouse_event(Kind::move, 360, 200));
  give(mouse_event(Kind::release, 360, 200, Button::right));
  ASSERT_EQ(gestures_.size(), 3u);
  EXPECT_EQ(gestures_[1].button, Gesture::Button::right);
  EXPECT_EQ(gestures_[1].previous_x, gestures_[0].x);
  EXPECT_NEAR(gestures_[1].x, 360.5 / 400, rounding);
  EXPECT_EQ(gestures_[1].start_x, gestures_[0].x);
}

TEST_F(GestureRecognizerTest, TheWheelKeepsThePointUnderThePointer) {
  const auto under = [&] { return pointer_to_domain(321, 47, context_.frame, camera_, 100, 100); };
  give(mouse_event(Kind::move, 321, 47));
  const Camera::Point before = under();
  for (const double notches : {1.0, 3.0, -1.0, 12.0, -40.0, 100.0}) {
    InputEvent wheel = mouse_event(Kind::scroll, 321, 47);
    wheel.scroll = notches;
    EXPECT_TRUE(give(wheel));
    EXPECT_NEAR(under().x, before.x, rounding);
    EXPECT_NEAR(under().y, before.y, rounding);
    EXPECT_GT(camera_.zoom, 0.2);
    EXPECT_LT(camera_.zoom, 5000);
  }
  EXPECT_TRUE(gestures_.empty());
}

TEST_F(GestureRecognizerTest, APanMovesTheDomainWithThePointer) {
  for (const bool with_space : {false, true}) {
    if (with_space) recognizer_.press_space();
    const Button button = with_space ? Button::left : Button::middle;
    const auto held = pointer_to_domain(100, 100, context_.frame, camera_, 100, 100);
    give(mouse_event(Kind::move, 100, 100));
    give(mouse_event(Kind::press, 100, 100, button));
    EXPECT_TRUE(recognizer_.is_panning());
    give(mouse_event(Kind::move, 150, 90));
    give(mouse_event(Kind::move, 170, 220));
    const auto now = pointer_to_domain(170, 220, context_.frame, camera_, 100, 100);
    EXPECT_NEAR(now.x, held.x, rounding);
    EXPECT_NEAR(now.y, held.y, rounding);
    give(mouse_event(Kind::release, 170, 220, button));
    EXPECT_FALSE(recognizer_.is_panning());
    if (with_space) {
      EXPECT_FALSE(recognizer_.release_space()) << "a drag with Space is no tap on it";
    }
  }
  EXPECT_TRUE(gestures_.empty());
}

TEST_F(GestureRecognizerTest, TheWheelWithControlIsTheTools) {
  InputEvent wheel = mouse_event(Kind::scroll, 100, 300);
  wheel.scroll = -2;
  wheel.control = true;
  EXPECT_TRUE(give(wheel));
  EXPECT_TRUE(gestures_.empty()) << "this tool does not hear it: it zooms";
  EXPECT_LT(camera_.zoom, 1);
  camera_ = {};
  context_.wheel = true;
  EXPECT_TRUE(give(wheel));
  ASSERT_EQ(gestures_.size(), 1u);
  EXPECT_EQ(gestures_[0].phase, Gesture::Phase::scroll);
  EXPECT_EQ(gestures_[0].scroll, -2);
  EXPECT_NEAR(gestures_[0].x, 100.5 / 400, rounding);
  EXPECT_EQ(camera_.zoom, 1);
  context_.is_over_panel = [](double, double) { return true; };
  EXPECT_FALSE(give(wheel)) << "over a panel";
}

TEST_F(GestureRecognizerTest, AMiddleDragTurnsWhatHasDepth) {
  context_.orbits = true;
  for (const bool with_space : {false, true}) {  // for touchpads, which have no middle button
    camera_ = {};
    if (with_space) recognizer_.press_space();
    const Button button = with_space ? Button::left : Button::middle;
    give(mouse_event(Kind::move, 100, 100));
    give(mouse_event(Kind::press, 100, 100, button));
    give(mouse_event(Kind::move, 150, 100));
    EXPECT_LT(camera_.yaw, 0) << "what is seen goes with the pointer";
    EXPECT_EQ(camera_.pitch, 0);
    give(mouse_event(Kind::move, 150, 5000));
    EXPECT_NEAR(camera_.pitch, 90 * radians_per_degree, rounding) << "not beyond the pole";
    give(mouse_event(Kind::release, 150, 5000, button));
    EXPECT_EQ(camera_.center_x, 0.5);
    // With Shift the view moves, as everywhere.
    const double yaw = camera_.yaw;
    InputEvent press = mouse_event(Kind::press, 100, 100, button);
    press.shift = true;
    give(mouse_event(Kind::move, 100, 100));
    give(press);
    give(mouse_event(Kind::move, 150, 100));
    give(mouse_event(Kind::release, 150, 100, button));
    EXPECT_EQ(camera_.yaw, yaw);
    EXPECT_NE(camera_.center_x, 0.5);
    if (with_space) {
      EXPECT_FALSE(recognizer_.release_space()) << "a turn with Space is no tap on it";
    }
  }
  EXPECT_TRUE(gestures_.empty());
}

// An object above the ground is clicked at its position on the ground, wherever the view shows it.
TEST_F(GestureRecognizerTest, APointerOverAGroundMeansThePlaceThere) {
  context_.orbits = context_.has_depth = true;
  camera_.yaw = 0.7;
  camera_.pitch = 0.5;
  const Viewport& viewport = context_.frame.viewport;
  const GroundView ground(camera_, context_.domain_width, context_.domain_height);
  const auto screen_of = [&](Camera::Point place) {
    const Camera::Point at = ground.to_picture(place);
    const Camera::Point pixel =
        camera_.to_pixel(at.x, at.y, viewport.width, viewport.height, context_.domain_width, context_.domain_height);
    return Camera::Point{pixel.x + viewport.x, context_.frame.framebuffer_height - (pixel.y + viewport.y)};
  };
  const Camera::Point in = screen_of({0.1, 0.8}), out = screen_of({1.05, 0.5});
  give(mouse_event(Kind::move, in.x, in.y));
  give(mouse_event(Kind::press, in.x, in.y, Button::left));
  give(mouse_event(Kind::release, in.x, in.y, Button::left));
  ASSERT_GE(gestures_.size(), 1u);
  EXPECT_NEAR(gestures_[0].x, 0.1, 0.02);
  EXPECT_NEAR(gestures_[0].y, 0.8, 0.02);
  gestures_.clear();
  give(mouse_event(Kind::move, out.x, out.y));
  give(mouse_event(Kind::press, out.x, out.y, Button::left));
  give(mouse_event(Kind::release, out.x, out.y, Button::left));
  EXPECT_TRUE(gestures_.empty()) << "outside the ground";
  // At the lowest elevation the camera is still above the ground.
  give(mouse_event(Kind::press, in.x, in.y, Button::middle));
  give(mouse_event(Kind::move, in.x, in.y - 5000));
  EXPECT_EQ(camera_.pitch, min_ground_pitch);
}

TEST_F(GestureRecognizerTest, AKeyClicksWhereThePointerIs) {
  const auto click = [&] {
    recognizer_.click(InputEvent{}, context_, camera_, [this](const Gesture& g) { gestures_.push_back(g); });
  };
  click();
  EXPECT_TRUE(gestures_.empty()) << "the pointer is nowhere yet";
  give(mouse_event(Kind::move, 100, 300));
  click();
  ASSERT_EQ(gestures_.size(), 2u);
  EXPECT_EQ(gestures_[0].phase, Gesture::Phase::press);
  EXPECT_EQ(gestures_[0].button, Gesture::Button::left);
  EXPECT_NEAR(gestures_[0].x, 100.5 / 400, rounding);
  EXPECT_EQ(gestures_[1].phase, Gesture::Phase::release);
  // Not during a drag.
  give(mouse_event(Kind::press, 100, 300, Button::left));
  gestures_.clear();
  click();
  EXPECT_TRUE(gestures_.empty());
}

TEST_F(GestureRecognizerTest, ATapOnSpaceIsATap) {
  recognizer_.press_space();
  EXPECT_TRUE(recognizer_.release_space());
  EXPECT_FALSE(recognizer_.release_space()) << "it was not pressed";
}

TEST_F(GestureRecognizerTest, IgnoresEventsOverPanels) {
  context_.is_over_panel = [](double x, double) { return x < 50; };
  EXPECT_FALSE(give(mouse_event(Kind::press, 20, 20, Button::left)));
  EXPECT_FALSE(give(mouse_event(Kind::scroll, 20, 20)));
  EXPECT_FALSE(give(mouse_event(Kind::press, 500, 20, Button::left))) << "outside the viewport";
  EXPECT_TRUE(gestures_.empty());
  // A drag that began in the view continues over a panel.
  give(mouse_event(Kind::press, 60, 20, Button::left));
  give(mouse_event(Kind::move, 20, 20));
  EXPECT_EQ(gestures_.size(), 2u);
}

TEST_F(GestureRecognizerTest, IgnoresPressesOutsideDomain) {
  camera_.zoom = 0.5;  // the domain fills the middle half of the view
  give(mouse_event(Kind::press, 20, 200, Button::left));
  EXPECT_TRUE(gestures_.empty());
  give(mouse_event(Kind::release, 20, 200, Button::left));
  give(mouse_event(Kind::press, 200, 200, Button::left));
  give(mouse_event(Kind::move, 390, 200));  // out
  give(mouse_event(Kind::move, 390, 100));  // all outside: nothing
  give(mouse_event(Kind::move, 200, 100));  // in again, from the side
  ASSERT_EQ(gestures_.size(), 3u);
  EXPECT_NEAR(gestures_[1].x, 1, rounding);
  EXPECT_NEAR(gestures_[2].previous_x, 1, rounding);
  for (const Gesture& g : gestures_) EXPECT_TRUE(is_in_domain({g.x, g.y}));
}

}  // namespace
}  // namespace perturb
