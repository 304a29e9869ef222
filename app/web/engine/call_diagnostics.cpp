// Calls that step the run and read its numbers and view.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "app/i18n/language.h"
#include "app/io/files/csv.h"
#include "app/io/files/date.h"
#include "app/io/preset/presets.h"
#include "app/io/preset/scenes.h"
#include "app/lessons/lab_report.h"
#include "app/run/display_units.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/paint/colormap.h"
#include "cuda/core/paint/field_image.h"
#include "cuda/core/paint/orbit.h"
#include "cuda/core/simulation/simulation.h"

namespace perturb {

namespace {

// "at": [x, y], fractions of the domain.
Camera::Point place_from(const WebJson& json) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number())
    throw InputError("A position must be two numbers, in fractions of the domain. Copy the whole link again.");
  return {json[0].get<double>(), json[1].get<double>()};
}

const char* shape_name(TheoryMark::Shape shape) {
  switch (shape) {
    case TheoryMark::Shape::line:
      return "line";
    case TheoryMark::Shape::dashed:
      return "dashed";
    case TheoryMark::Shape::arrow:
      return "arrow";
    case TheoryMark::Shape::point:
      break;
  }
  return "point";
}

}  // namespace

const DisplayUnits& units_from(WebRun& web, const WebJson& args) {
  if (find_in(args, "scene_units")) web.shows_scene_units = bool_in(args, "scene_units", false);
  return web.display_units(bool_in(args, "scene_units", false));
}

WebJson json_in_shown_units(WebRun& web, const Message& text) {
  return json_of(in_display_units(web.display_units(web.shows_scene_units), text));
}

WebJson call_advance(WebRun& web, const WebJson& args) {
  const std::int64_t steps = int_in(args, "steps", 0, std::int64_t{1} << 40);
  const auto [taken, seconds] = web.shared.advance(steps, number_in(args, "milliseconds", 1e12) * 1e-3);
  const Simulation& simulation = web.experiment().simulation();
  return {{"steps", taken}, {"seconds", seconds}, {"step", simulation.steps()}, {"time", simulation.time()}};
}

// The page of a lab report; "picture": the data URL of the view.
WebJson call_lab_report(WebRun& web, const WebJson& args) {
  job::ReadDiagnostics job;
  job.view = web.shared.resolved_view();
  job.wait = true;
  const Diagnostics numbers = web.run_job(std::move(job)).diagnostics;
  const std::shared_ptr<const RunStatus> run = web.status();
  const DisplayUnits& units = units_from(web, args);
  LabReport report{*run, numbers, units, {}, {}, web.shared.shown_quantity().label, text_in(args, "picture"),
                   {},   today(), {}};
  for (const Curve& curve : numbers.curves) report.curves.push_back(in_display_units(units, *run->info, curve));
  const Setup& setup = run->scene->setup;
  const Setup preset = setup.preset.empty() ? Setup() : load_scene(scene_path_of(setup)).setup;
  for (const Parameter& p : run->info->parameters) {
    const auto given = preset.parameters.find(p.id);
    report.defaults.push_back(given == preset.parameters.end() ? p.initial : given->second);
  }
  use_language(text_in(args, "language"));
  return {{"page", lab_report_page(report)}};
}

WebJson call_diagnostics(WebRun& web, const WebJson& args) {
  job::ReadDiagnostics job;
  job.view = web.shared.resolved_view();
  job.wait = true;
  if (const WebJson* at = find_in(args, "at")) job.value_at = place_from(*at);
  if (const WebJson* places = find_in(args, "places")) {
    const SimulationInfo& info = web.experiment().info();
    const std::string quantity = text_in(args, "quantity", job.view.quantity);
    const std::string& id = info.quantities[quantity_index(info, quantity)].id;
    for (const WebJson& one : *places) {
      const Camera::Point place = place_from(one);
      job.points.push_back({place.x, place.y, id});
    }
  }
  const JobResult result = web.run_job(std::move(job));
  // Of a shared run, the range follows the reading for all (SharedEngine::read).
  if (web.role == Role::owner) web.shared.follow_range(result.diagnostics);
  web.shared.marks = result.diagnostics.marks;
  WebJson json = json_of_diagnostics(web, result, args);
  update_lesson(web, result.diagnostics);
  return json;
}

WebJson json_of_diagnostics(WebRun& web, const JobResult& result, const WebJson& args) {
  const Diagnostics& diagnostics = result.diagnostics;
  const ViewSettings view = web.shared.resolved_view();
  const SimulationInfo& info = web.experiment().info();
  const DisplayUnits& units = units_from(web, args);
  WebJson json = {{"step", diagnostics.step},
                  {"time", diagnostics.time},
                  {"time_text", json_of(time_text(units, info, diagnostics.time))},
                  {"scalars", WebJson::array()},
                  {"remarks", WebJson::array()},
                  {"minimum", view.minimum},
                  {"maximum", view.maximum},
                  {"value", json_of(in_display_units(units, result.value))},
                  {"has_theory", !diagnostics.marks.empty()}};
  for (const Message& remark : diagnostics.remarks) json["remarks"].push_back(json_of(in_display_units(units, remark)));
  for (const Scalar& scalar : diagnostics.scalars) {
    const DisplayUnit unit = display_unit(units, scalar.unit, scalar.id);
    json["scalars"].push_back({{"id", scalar.id},
                               {"label", json_of(scalar.label)},
                               {"unit", unit.text},
                               {"value", scalar.value * unit.factor}});
  }
  if (bool_in(args, "curves", true)) {
    json["curves"] = WebJson::array();
    const auto add = [&](const Curve& measured, bool of_instrument) {
      const Curve curve = in_display_units(units, info, measured);
      json["curves"].push_back({{"id", curve.id},
                                {"label", json_of(curve.label)},
                                {"x_label", json_of(curve.x_label)},
                                {"x_unit", curve.x_unit},
                                {"y_label", json_of(curve.y_label)},
                                {"y_unit", curve.y_unit},
                                {"logarithmic_y", curve.logarithmic_y},
                                {"points", json_of_points(curve.points)},
                                {"theory", json_of_points(curve.theory)},
                                {"deviation", json_of(error_text(curve))},
                                {"of_instrument", of_instrument}});
    };
    for (const Curve& measured : diagnostics.curves) add(measured, false);
    for (const Curve& measured : curves_of_instruments(web, units, bool_in(args, "for_files", false)))
      add(measured, true);
  }
  web.shared.instruments.refresh(false, info);
  json["readings"] = WebJson::array();
  for (const Sample& sample : result.samples)
    for (const double value : sample.values)
      json["readings"].push_back(std::isfinite(value) ? WebJson(value) : WebJson());
  return json;
}

ViewChange view_from(const SimulationInfo& info, ViewChange shown, const WebJson& args) {
  ViewSettings& view = shown.view;
  if (find_in(args, "quantity")) {
    const Quantity& quantity = info.quantities[quantity_index(info, text_in(args, "quantity"))];
    const std::string& before = info.quantities[quantity_index(info, view.quantity)].id;
    if (quantity.id != before) {
      // Another quantity has its own range and often its own colormap.
      view.quantity = quantity.id;
      view.colormap.clear();
      view.minimum = view.maximum = 0;
      if (quantity.has_depth) raise_camera(shown.camera);
    }
  }
  if (find_in(args, "colormap")) {
    const std::string id = text_in(args, "colormap");
    if (!id.empty()) find_colormap(id);
    view.colormap = id;
  }
  if (find_in(args, "minimum") || find_in(args, "maximum")) {
    const double low = number_in(args, "minimum"), high = number_in(args, "maximum");
    if (low > high)
      throw InputError("The lower end of the colour range must be below the upper one. Choose other ends.");
    view.minimum = low;
    view.maximum = high;
  }
  view.automatic = bool_in(args, "automatic", view.automatic);
  view.smooth = bool_in(args, "smooth", view.smooth);
  view.theory = bool_in(args, "theory", view.theory);
  if (const WebJson* layer = find_in(args, "layer")) {
    require_keys_of(*layer, "layer", {"quantity", "as", "lines", "minimum", "maximum"});
    LayerSettings chosen;
    chosen.quantity = text_in(*layer, "quantity", "");
    if (!chosen.quantity.empty() && !info.quantities[quantity_index(info, chosen.quantity)].can_overlay)
      throw InputError("Cannot draw the quantity \"{}\" over another one. Choose another quantity.", chosen.quantity);
    const std::string as = text_in(*layer, "as", "lines");
    if (as != "lines" && as != "colors") throw InputError("Unknown kind of layer. Use \"lines\" or \"colors\".");
    chosen.as_lines = as == "lines";
    chosen.lines = static_cast<int>(int_in(*layer, "lines", 1, LayerSettings::max_lines, chosen.lines));
    chosen.minimum = number_in(*layer, "minimum", 0);
    chosen.maximum = number_in(*layer, "maximum", 0);
    view.layer = chosen;
  }
  if (const WebJson* camera = find_in(args, "camera")) {
    require_keys_of(*camera, "camera", {"center", "zoom", "yaw", "pitch"});
    Camera& c = shown.camera;
    if (const WebJson* center = find_in(*camera, "center")) {
      const Camera::Point place = place_from(*center);
      if (!is_camera_center(place.x) || !is_camera_center(place.y))
        throw InputError("The centre of the view must be between -2 and 3. Choose another centre.");
      c.center_x = place.x;
      c.center_y = place.y;
    }
    c.zoom = number_in(*camera, "zoom", c.zoom);
    if (c.zoom < min_zoom || c.zoom > max_zoom)
      throw InputError("The zoom must be between 0.25 and 4000. Choose another zoom.");
    c.yaw = std::remainder(number_in(*camera, "yaw", c.yaw), 360 * radians_per_degree);
    c.pitch = std::clamp(number_in(*camera, "pitch", c.pitch), -90 * radians_per_degree, 90 * radians_per_degree);
    if (info.quantities[quantity_index(info, view.quantity)].has_depth) c.pitch = std::max(c.pitch, min_ground_pitch);
  }
  return shown;
}

WebJson json_of_view(const ViewChange& shown, const ViewSettings& view) {
  WebJson json = {{"quantity", view.quantity}, {"colormap", view.colormap},   {"minimum", view.minimum},
                  {"maximum", view.maximum},   {"automatic", view.automatic}, {"smooth", view.smooth},
                  {"theory", view.theory}};
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

// The image as values of cells for the page's shader: numbers, and the addresses of lists in memory, which are valid
// until the next call of this function. Null where paint() must draw it.
WebJson call_field(WebRun& web, const WebJson& args) {
  const int width = static_cast<int>(int_in(args, "width", 1, max_image_side));
  const int height = static_cast<int>(int_in(args, "height", 1, max_image_side));
  const auto max_side = int_in(args, "most_side", 1, std::numeric_limits<int>::max());
  auto* const source = web.experiment().simulation().find<FieldImageSource>();
  const ViewSettings view = web.shared.painted_view();
  FieldImage& image = web.field;
  if (!source || !view.layer.quantity.empty() || view.colormap == bits24_colormap().id ||
      !source->describe_image(image, width, height, web.experiment().shown().camera, view,
                              web.shared.color_table(view.colormap)) ||
      std::max({width, height, image.columns, image.rows}) > max_side)
    return {{"field", nullptr}};
  const auto list = [](const auto* data, std::size_t count) -> WebJson {
    return {{"address", reinterpret_cast<std::uintptr_t>(data)}, {"count", count}};
  };
  WebJson rings = WebJson::array();
  for (const FieldImage::Ring& ring : image.rings)
    rings.push_back({ring.around.x0, ring.around.y0, ring.around.x1, ring.around.y1, ring.radius});
  const bool covered = image.cover_is != FieldImage::Cover::none;
  return {{"field",
           {{"lists",
             {{"x", list(image.x.data(), image.x.size())},
              {"y", list(image.y.data(), image.y.size())},
              {"values", list(image.values.data(), image.values.size())},
              {"cover", list(image.cover.data(), covered ? image.cover.size() : 0)},
              {"stream", list(image.stream.data(), image.stream.size())},
              {"arrows", list(image.arrows.data(), image.arrows.size())},
              {"colors", list(image.scale.colors.data, image.scale.colors.size)}}},
            {"grid", {image.width, image.height}},
            {"corner", {image.left, image.low}},
            {"part", {image.columns, image.rows}},
            {"taps", {image.taps_x, image.taps_y}},
            {"cells_per_pixel", {image.scale_x, image.scale_y}},
            {"linear", image.linear},
            {"cover_is", image.cover_is},
            {"shades", image.shades},
            {"shading", image.shading},
            {"minimum", image.scale.minimum},
            {"per_unit", image.scale.per_unit},
            {"slope_per_difference", image.slope_per_difference},
            {"exaggeration", image.exaggeration},
            {"rings", rings},
            {"probe", image.probe ? WebJson{image.probe->x, image.probe->y} : WebJson()},
            {"mark_size", image.mark_size},
            {"stream_step", image.stream_step},
            {"arrow_side", image.arrow_side}}}};
}

WebJson call_view(WebRun& web, const WebJson& args) {
  const std::string before = web.shared.shown_quantity().id;
  web.run_job(view_from(web.experiment().info(), web.experiment().shown(), args));
  if (web.shared.shown_quantity().id != before || !web.experiment().shown().view.automatic) web.shared.forget_range();
  return status_of_run(web);
}

WebJson call_locate(WebRun& web, const WebJson& args) {
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  const Camera::Point at =
      web.shared.position_of(number_in(args, "x"), number_in(args, "y"), side("width"), side("height"));
  return {{"x", at.x}, {"y", at.y}};
}

// Marks that the page draws over an image of this size, in its pixels: the handles of all objects, the outline of the
// selected one, theory where the view asks for it, the instruments, what the microscope shows at the pixel "inspect",
// and the value at the pixel "value_at".
WebJson call_overlay(WebRun& web, const WebJson& args) {
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  const int width = side("width"), height = side("height");
  const std::int64_t selected = int_in(args, "selected", 0, std::numeric_limits<int>::max(), 0);
  const auto pixel = [&](double x, double y) -> WebJson {
    const Camera::Point at = web.shared.pixel_of(x, y, width, height);
    return {at.x, at.y};
  };
  const auto pixels = [&](const std::vector<CurvePoint>& points) {
    WebJson json = WebJson::array();
    for (const CurvePoint& point : points) json.push_back(pixel(point.x, point.y));
    return json;
  };
  const DisplayUnits& units = units_from(web, args);
  const std::shared_ptr<const RunStatus> now = web.status();
  WebJson objects = WebJson::array(), marks = WebJson::array();
  for (const SceneObject& object : now->objects) {
    WebJson handles = WebJson::array();
    for (const ObjectHandle& handle : object.handles) {
      WebJson numbers = WebJson::array();
      for (const ObjectHandle::Effect& effect : handle.effects) numbers.push_back(effect.number);
      if (!handle.angle.empty()) numbers.push_back(handle.angle);
      handles.push_back({{"label", handle.label},
                         {"at", pixel(handle.x, handle.y)},
                         {"turns", !handle.angle.empty()},
                         {"numbers", std::move(numbers)}});
    }
    objects.push_back({{"id", object.id}, {"kind", object.kind}, {"handles", std::move(handles)}});
    if (object.id == selected) objects.back()["outline"] = pixels(object.outline);
  }
  if (web.experiment().shown().view.theory)
    for (const TheoryMark& mark : web.shared.marks)
      marks.push_back({{"shape", shape_name(mark.shape)},
                       {"points", pixels(mark.points)},
                       {"label", json_of(in_display_units(units, mark.label))},
                       {"measured", mark.measured}});
  const auto pixel_of = [&](const CurvePoint& place) { return pixel(place.x, place.y); };
  WebJson json = {{"objects", std::move(objects)},
                  {"marks", std::move(marks)},
                  {"instruments", json_of_instruments(web, units, pixel_of)}};
  const auto position_in = [&](const WebJson& at) {
    return web.shared.position_of(at.at(0).get<double>(), at.at(1).get<double>(), width, height);
  };
  if (const WebJson* at = find_in(args, "inspect"))
    json["inspection"] = json_of_inspection(web, units, position_in(*at), pixel_of);
  if (const WebJson* at = find_in(args, "value_at")) {
    job::ReadDiagnostics job;
    job.view = web.shared.resolved_view();
    job.diagnostics = false;
    job.value_at = position_in(*at);
    json["value"] = json_of(in_display_units(units, web.run_job(std::move(job)).value));
  }
  return json;
}

WebJson call_describe(WebRun& web, const WebJson& args) {
  return {{"words", json_of(web.run_job(job::Describe{web.shared.resolved_view(), units_from(web, args)}).message)}};
}

}  // namespace perturb
