// Steps, numbers and what is shown.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/web/calls.h"
#include "app/web/request.h"
#include "cuda/core/check.h"
#include "cuda/core/ground_view.h"
#include "cuda/core/shown.h"

namespace perturb {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

WebEngine::Json json_of_points(const std::vector<CurvePoint>& points) {
  WebEngine::Json json = WebEngine::Json::array();
  for (const CurvePoint& p : points) json.push_back({p.x, p.y});
  return json;
}

// "at": [x, y], fractions of the domain.
Camera::Point place_from(const WebEngine::Json& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number())
    throw InputError("A place should be two numbers, fractions of the domain: check what is asked for.");
  return {json[0].get<double>(), json[1].get<double>()};
}

}  // namespace

// In pieces whose length follows how long a step took, so that the last one ends about in time.
WebEngine::Json WebCalls::advance(WebEngine& engine, const Json& with) {
  const std::int64_t steps = whole_in(with, "steps", 0, std::int64_t{1} << 40);
  const double most = number_in(with, "milliseconds", 1e12) * 1e-3;
  const auto begin = Clock::now();
  std::int64_t taken = 0;
  while (taken < steps) {
    const double left = most - seconds_since(begin);
    if (taken > 0 && left <= 0) break;
    std::int64_t piece = 1;
    if (engine.seconds_per_step_ > 0 && left > 0)
      piece = static_cast<std::int64_t>(std::clamp(left / engine.seconds_per_step_, 1.0, 1e9));
    // A large one would be late by as much as its guess is wrong.
    if (engine.seconds_per_step_ > 0 && piece > 4 && left < 1e6) piece = (3 * piece + 3) / 4;
    const std::int64_t now = std::min(piece, steps - taken);
    const Answer answer = engine.ask(order::Advance{now});
    if (answer.steps == 0) break;  // the run has stopped
    const double each = answer.seconds / static_cast<double>(answer.steps);
    engine.seconds_per_step_ = engine.seconds_per_step_ > 0 ? 0.5 * (engine.seconds_per_step_ + each) : each;
    taken += answer.steps;
  }
  const Simulation& simulation = engine.experiment().simulation();
  return {
      {"steps", taken}, {"seconds", seconds_since(begin)}, {"step", simulation.steps()}, {"time", simulation.time()}};
}

WebEngine::Json WebCalls::look(WebEngine& engine, const Json& with) {
  order::Look look;
  look.view = engine.resolved_view();
  look.wait = true;
  if (const Json* at = find_in(with, "at")) look.value_at = place_from(*at);
  if (const Json* places = find_in(with, "places")) {
    const SimulationInfo& info = engine.experiment().info();
    const std::string quantity = text_in(with, "quantity", look.view.quantity);
    const std::string& id = info.quantities[quantity_index(info, quantity)].id;
    for (const Json& one : *places) {
      const Camera::Point place = place_from(one);
      look.places.push_back({place.x, place.y, id});
    }
  }
  const Answer answer = engine.ask(std::move(look));
  const Diagnostics& told = answer.diagnostics;
  engine.follow_range(told);
  const ViewSettings view = engine.resolved_view();
  Json json = {{"step", told.step},       {"time", told.time},       {"scalars", Json::array()},
               {"remarks", told.remarks}, {"minimum", view.minimum}, {"maximum", view.maximum},
               {"value", answer.value}};
  for (const Scalar& scalar : told.scalars)
    json["scalars"].push_back(
        {{"id", scalar.id}, {"label", scalar.label}, {"unit", scalar.unit}, {"value", scalar.value}});
  if (truth_in(with, "curves", true)) {
    json["curves"] = Json::array();
    for (const Curve& curve : told.curves)
      json["curves"].push_back({{"id", curve.id},
                                {"label", curve.label},
                                {"x_label", curve.x_label},
                                {"x_unit", curve.x_unit},
                                {"y_label", curve.y_label},
                                {"y_unit", curve.y_unit},
                                {"logarithmic_y", curve.logarithmic_y},
                                {"points", json_of_points(curve.points)},
                                {"theory", json_of_points(curve.theory)}});
  }
  json["readings"] = Json::array();
  for (const Sample& sample : answer.samples)
    for (const double value : sample.values) json["readings"].push_back(std::isfinite(value) ? Json(value) : Json());
  if (engine.lesson_ && engine.lesson_->waits()) engine.lesson_->look(engine.facts(), told);
  return json;
}

ViewChange WebCalls::view_from(const SimulationInfo& info, ViewChange shown, const Json& with) {
  ViewSettings& view = shown.view;
  if (find_in(with, "quantity")) {
    const Quantity& quantity = info.quantities[quantity_index(info, text_in(with, "quantity"))];
    const std::string& before = info.quantities[quantity_index(info, view.quantity)].id;
    if (quantity.id != before) {
      // Another quantity has another range and often another colormap: its own.
      view.quantity = quantity.id;
      view.colormap.clear();
      view.minimum = view.maximum = 0;
      if (quantity.in_space) raise_eye(shown.camera);
    }
  }
  if (find_in(with, "colormap")) {
    const std::string id = text_in(with, "colormap");
    if (!id.empty()) find_colormap(id);
    view.colormap = id;
  }
  if (find_in(with, "minimum") || find_in(with, "maximum")) {
    const double low = number_in(with, "minimum"), high = number_in(with, "maximum");
    if (low > high) throw InputError("The colours' range should begin below its end: choose other ends.");
    view.minimum = low, view.maximum = high;
  }
  view.automatic = truth_in(with, "automatic", view.automatic);
  view.smooth = truth_in(with, "smooth", view.smooth);
  if (const Json* layer = find_in(with, "layer")) {
    LayerSettings chosen;
    chosen.quantity = text_in(*layer, "quantity", "");
    if (!chosen.quantity.empty() && !info.quantities[quantity_index(info, chosen.quantity)].can_lie_over)
      throw InputError("The quantity \"" + chosen.quantity + "\" cannot lie over another one: choose another.");
    const std::string as = text_in(*layer, "as", "lines");
    if (as != "lines" && as != "colors") throw InputError("A layer lies over the picture as \"lines\" or \"colors\".");
    chosen.as_lines = as == "lines";
    chosen.lines = static_cast<int>(whole_in(*layer, "lines", 1, LayerSettings::most_lines, chosen.lines));
    chosen.minimum = number_in(*layer, "minimum", 0), chosen.maximum = number_in(*layer, "maximum", 0);
    view.layer = chosen;
  }
  if (const Json* camera = find_in(with, "camera")) {
    Camera& c = shown.camera;
    if (const Json* center = find_in(*camera, "center")) {
      const Camera::Point place = place_from(*center);
      if (!is_camera_center(place.x) || !is_camera_center(place.y))
        throw InputError("The middle of the picture should lie from -2 to 3: choose another.");
      c.center_x = place.x, c.center_y = place.y;
    }
    c.zoom = number_in(*camera, "zoom", c.zoom);
    if (c.zoom < least_zoom || c.zoom > most_zoom) throw InputError("The zoom goes from 0.25 to 4000: choose another.");
    c.yaw = std::remainder(number_in(*camera, "yaw", c.yaw), 360 * radians_per_degree);
    c.pitch = std::clamp(number_in(*camera, "pitch", c.pitch), -90 * radians_per_degree, 90 * radians_per_degree);
    if (info.quantities[quantity_index(info, view.quantity)].in_space) c.pitch = std::max(c.pitch, lowest_ground_pitch);
  }
  return shown;
}

WebEngine::Json WebCalls::json_of_view(const ViewChange& shown, const ViewSettings& view) {
  Json json = {{"quantity", view.quantity}, {"colormap", view.colormap},   {"minimum", view.minimum},
               {"maximum", view.maximum},   {"automatic", view.automatic}, {"smooth", view.smooth}};
  const LayerSettings& layer = view.layer;
  json["layer"] = {{"quantity", layer.quantity},
                   {"as", layer.as_lines ? "lines" : "colors"},
                   {"lines", layer.lines},
                   {"minimum", layer.minimum},
                   {"maximum", layer.maximum}};
  const Camera& c = shown.camera;
  json["camera"] = {{"center", {c.center_x, c.center_y}}, {"zoom", c.zoom}, {"yaw", c.yaw}, {"pitch", c.pitch}};
  return json;
}

WebEngine::Json WebCalls::view(WebEngine& engine, const Json& with) {
  const std::string before = engine.shown_quantity().id;
  engine.ask(view_from(engine.experiment().info(), engine.experiment().shown(), with));
  if (engine.shown_quantity().id != before || !engine.experiment().shown().view.automatic) engine.range_.forget();
  return facts_of_run(engine);
}

WebEngine::Json WebCalls::locate(WebEngine& engine, const Json& with) {
  const auto side = [&](const char* key) { return static_cast<int>(whole_in(with, key, 1, 100000)); };
  const Camera::Point at = engine.place_of(number_in(with, "x"), number_in(with, "y"), side("width"), side("height"));
  return {{"x", at.x}, {"y", at.y}};
}

WebEngine::Json WebCalls::describe(WebEngine& engine, const Json&) {
  return {{"words", engine.ask(order::Describe{engine.resolved_view()}).words}};
}

}  // namespace perturb
