#include "app/session/hand.h"

#include <algorithm>
#include <cmath>

#include "cuda/core/orbit.h"

namespace perturb {

namespace {
constexpr double zoom_per_notch = 1.15;
constexpr double radians_per_pixel = 0.008;  // an orbit: a turn in the width of a small window
}  // namespace

bool Hand::release_space() {
  const bool tapped = space_down_ && !space_used_;
  space_down_ = space_used_ = false;
  return tapped;
}

void Hand::cancel() {
  doing_ = Doing::nothing;
  held_ = InputEvent::Button::none;
}

std::optional<PointerSegment> Hand::drag() const {
  if (doing_ != Doing::gesture || (last_.x == start_.x && last_.y == start_.y)) return std::nullopt;
  return PointerSegment{start_, last_};
}

Gesture Hand::gesture_at(Gesture::Phase phase, const PointerSegment& segment, const InputEvent& event,
                         const Scene& scene) const {
  Gesture gesture;
  gesture.tool = scene.tool;
  gesture.brush = scene.brush;
  gesture.phase = phase;
  gesture.button = held_ == InputEvent::Button::right ? Gesture::Button::right : Gesture::Button::left;
  gesture.x = segment.to.x, gesture.y = segment.to.y;
  gesture.previous_x = segment.from.x, gesture.previous_y = segment.from.y;
  gesture.start_x = start_.x, gesture.start_y = start_.y;
  gesture.shift = event.shift, gesture.control = event.control;
  return gesture;
}

void Hand::follow(const InputEvent& event, const Scene& scene) {
  x_ = event.x, y_ = event.y;
  over_picture_ = event.kind != InputEvent::Kind::leave &&
                  is_inside(picture_point(x_, y_, scene.frame), scene.frame.viewport) &&
                  !(scene.is_covered && scene.is_covered(x_, y_));
}

bool Hand::handle(const InputEvent& event, const Scene& scene, Camera& camera, const Perform& perform) {
  using Kind = InputEvent::Kind;
  using Button = InputEvent::Button;
  if (event.kind == Kind::key_press || event.kind == Kind::key_release || event.kind == Kind::enter) return false;

  const Viewport& viewport = scene.frame.viewport;
  const PicturePoint before = picture_point(x_, y_, scene.frame);
  x_ = event.x, y_ = event.y;
  const PicturePoint pixel = picture_point(x_, y_, scene.frame);
  over_picture_ =
      event.kind != Kind::leave && is_inside(pixel, viewport) && !(scene.is_covered && scene.is_covered(x_, y_));
  const Camera::Point here =
      pointer_to_domain(x_, y_, scene.frame, camera, scene.domain_width, scene.domain_height, scene.in_space);

  switch (event.kind) {
    case Kind::press:
      if (doing_ != Doing::nothing) return true;  // a second button during a drag means nothing
      if (!over_picture_) return false;
      // Space stands for the middle button, which touchpads lack.
      if (event.button == Button::middle || (event.button == Button::left && space_down_)) {
        doing_ = scene.orbits && !event.shift ? Doing::orbit : Doing::pan;
        held_ = event.button, space_used_ = true;
      } else if (event.button == Button::left || event.button == Button::right) {
        if (!is_in_domain(here)) return true;
        doing_ = Doing::gesture, held_ = event.button, line_ = event.shift;
        start_ = last_ = here;
        perform(gesture_at(Gesture::Phase::press, {here, here}, event, scene));
      }
      return true;

    case Kind::move:
      if (doing_ == Doing::pan) {
        const double unit = Camera::units_per_pixel(viewport.width, viewport.height, scene.domain_width,
                                                    scene.domain_height, camera.zoom);
        camera.center_x -= (pixel.x - before.x) * unit / scene.domain_width;
        camera.center_y -= (pixel.y - before.y) * unit / scene.domain_height;
        return true;
      }
      if (doing_ == Doing::orbit) {
        // What lies before the middle goes with the pointer.
        turn_orbit(camera, (before.x - pixel.x) * radians_per_pixel, (before.y - pixel.y) * radians_per_pixel);
        if (scene.in_space) camera.pitch = std::max(camera.pitch, lowest_ground_pitch);
        return true;
      }
      if (doing_ == Doing::gesture) {
        if (here.x == last_.x && here.y == last_.y) return true;
        if (const auto inside = clip_to_domain(last_, here); inside && !line_)
          perform(gesture_at(Gesture::Phase::move, *inside, event, scene));
        last_ = here;
        return true;
      }
      return over_picture_;

    case Kind::release:
      if (doing_ == Doing::nothing || event.button != held_) return false;
      if (doing_ == Doing::gesture) {
        if (const auto inside = clip_to_domain(start_, here);
            inside && line_ && (here.x != start_.x || here.y != start_.y))
          perform(gesture_at(Gesture::Phase::move, *inside, event, scene));
        const Camera::Point end = {std::clamp(here.x, 0.0, 1.0), std::clamp(here.y, 0.0, 1.0)};
        perform(gesture_at(Gesture::Phase::release, {end, end}, event, scene));
      }
      cancel();
      return true;

    case Kind::scroll:
      if (!over_picture_) return false;
      if (event.control && scene.wheel) {
        if (!is_in_domain(here)) return true;
        start_ = here;
        Gesture gesture = gesture_at(Gesture::Phase::scroll, {here, here}, event, scene);
        gesture.scroll = event.scroll;
        perform(gesture);
        return true;
      }
      if (event.control && scene.resize) {
        scene.resize(event.scroll);
        return true;
      }
      camera.zoom_at(
          std::clamp(std::pow(zoom_per_notch, event.scroll), least_zoom / camera.zoom, most_zoom / camera.zoom),
          pixel.x, pixel.y, viewport.width, viewport.height, scene.domain_width, scene.domain_height);
      return true;

    default:
      return false;
  }
}

void Hand::click(const InputEvent& event, const Scene& scene, const Camera& camera, const Perform& perform) {
  const Camera::Point here =
      pointer_to_domain(x_, y_, scene.frame, camera, scene.domain_width, scene.domain_height, scene.in_space);
  if (!over_picture_ || doing_ != Doing::nothing || !is_in_domain(here)) return;
  start_ = here;
  perform(gesture_at(Gesture::Phase::press, {here, here}, event, scene));
  perform(gesture_at(Gesture::Phase::release, {here, here}, event, scene));
}

}  // namespace perturb
