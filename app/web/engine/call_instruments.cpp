// Calls of the instruments in the view, of a probe's sound, of the microscope, and of an image as walls.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "app/instruments/instruments.h"
#include "app/instruments/probe_sound.h"
#include "app/run/display_units.h"
#include "app/web/engine/calls.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/inspection.h"

namespace perturb {

namespace {

constexpr int max_id = std::numeric_limits<int>::max();

const Instrument& instrument_of(const WebRun& web, const WebJson& args) {
  const auto id = static_cast<int>(int_in(args, "id", 1, max_id));
  if (const Instrument* found = web.shared.instruments.find(id)) return *found;
  throw InputError("There is no instrument {} any more. Choose another one.", id);
}

InstrumentKind instrument_kind(const std::string& name) {
  for (const InstrumentKind kind : instrument_kinds)
    if (name == name_of(kind)) return kind;
  throw InputError("Unknown instrument \"{}\". Use probe, cut, ruler, protractor or stopwatch.", name);
}

// In the current state, for a probe that has not read since it was placed: the run may be paused.
double value_at(WebRun& web, const Instrument& probe) {
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = {{probe.places.front().x, probe.places.front().y, probe.quantity}};
  return web.run_job(std::move(job)).samples.front().values.front();
}

const char* shape_name(Glyph::Shape shape) {
  constexpr const char* names[] = {"arrow", "circle", "square", "cross", "text"};
  return names[static_cast<int>(shape)];
}
const char* role_name(Glyph::Role role) {
  constexpr const char* names[] = {"subject", "neighbour", "result", "boundary"};
  return names[static_cast<int>(role)];
}

}  // namespace

WebJson json_of_instruments(WebRun& web, const DisplayUnits& units, const PixelOf& pixel_of) {
  const std::shared_ptr<const RunStatus> run = web.status();
  const SimulationInfo& info = *run->info;
  WebJson json = WebJson::array();
  for (const Instrument& one : web.shared.instruments.all()) {
    WebJson at = WebJson::array();
    for (const Camera::Point& place : one.places) at.push_back(pixel_of({place.x, place.y}));
    Message reading = web.shared.instruments.text_of(one, info, web.shared.domain(), run->time, units);
    if (one.kind == InstrumentKind::probe && !std::isfinite(web.shared.instruments.latest(one.id))) {
      const Quantity& quantity = quantity_of(info, one.quantity);
      reading = quantity_text(units, value_at(web, one), quantity.unit, quantity.id);
    }
    json.push_back({{"id", one.id},
                    {"kind", name_of(one.kind)},
                    {"name", json_of(one.name())},
                    {"reading", json_of(reading)},
                    {"at", std::move(at)},
                    {"quantity", one.quantity},
                    {"count", one.count},
                    {"averaged", one.averaged},
                    {"runs", one.runs()}});
  }
  return json;
}

std::vector<Instrument> instruments_from(const SimulationInfo& info, const WebJson& list) {
  if (!list.is_array() || list.size() > Instruments::max_instruments)
    throw InputError("A link has at most {} instruments. Copy the whole link again.", Instruments::max_instruments);
  std::vector<Instrument> instruments;
  for (const WebJson& text : list) {
    if (!text.is_string()) throw InputError("An instrument must be a text. Copy the whole link again.");
    Instrument one = parse_instrument(text.get<std::string>());
    if (!one.quantity.empty()) quantity_index(info, one.quantity);  // throws if the quantity does not exist
    instruments.push_back(std::move(one));
  }
  return instruments;
}

void replace_instruments(WebRun& web, std::vector<Instrument> instruments) {
  web.shared.instruments.clear();
  for (Instrument& one : instruments) {
    if (one.quantity.empty()) one.quantity = web.shared.shown_quantity().id;
    if (one.kind == InstrumentKind::stopwatch) one.resume(web.status()->time);
    web.shared.instruments.add(std::move(one));
  }
}

WebJson json_of_arguments(const WebRun& web) {
  WebJson json = WebJson::array();
  for (const Instrument& one : web.shared.instruments.all()) json.push_back(to_argument(one));
  return json;
}

std::vector<Curve> curves_of_instruments(WebRun& web, const DisplayUnits& units, bool for_files) {
  const std::shared_ptr<const RunStatus> run = web.status();
  const CutPoints use = for_files ? CutPoints::of_files : CutPoints::of_plots;
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.points = web.shared.instruments.along_cuts(web.shared.cut_grid(), use);
  if (!job.points.empty())
    web.shared.instruments.take_cuts(web.run_job(std::move(job)).samples.front().values, web.shared.cut_grid(), use);
  web.shared.instruments.refresh(true, *run->info);
  std::vector<Curve> curves = web.shared.instruments.curves(
      *run->info, web.shared.domain(), units, for_files ? Instruments::For::files : Instruments::For::plots);
  // The page draws lines. Old readings of a probe are means of groups, of which a line would show no oscillation.
  for (Curve& curve : curves)
    if (!curve.groups.empty())
      std::erase_if(curve.points, [end = curve.groups.back().x](const CurvePoint& point) { return point.x <= end; });
  return curves;
}

// Places an instrument in the middle of the view, a little aside if others are there; a stopwatch starts.
WebJson call_add_instrument(WebRun& web, const WebJson& args) {
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  const int width = side("width"), height = side("height");
  Instrument made;
  made.kind = instrument_kind(text_in(args, "kind"));
  made.quantity = web.shared.shown_quantity().id;
  constexpr double asides[] = {0, 0.1, -0.1, 0.2, -0.2};
  const double x = 0.5 * width, y = (0.5 + asides[web.shared.instruments.all().size() % std::size(asides)]) * height;
  const double arm = 0.2 * std::min(width, height);
  spread_points(made, web.shared.position_of(x, y, width, height), [&](double right, double down) {
    return web.shared.position_of(x + right * arm, y + down * arm, width, height);
  });
  if (made.kind == InstrumentKind::stopwatch) made.resume(web.status()->time);
  const int id = web.shared.instruments.add(std::move(made));
  return {{"id", id}, {"status", status_of_run(web)}};
}

// Moves one of its points to a pixel of the view.
WebJson call_drag_instrument(WebRun& web, const WebJson& args) {
  const auto side = [&](const char* key) { return static_cast<int>(int_in(args, key, 1, 100000)); };
  Instrument moved = instrument_of(web, args);
  const auto last = static_cast<std::int64_t>(moved.places.size()) - 1;
  if (last < 0) throw InputError("A stopwatch has no handle. Choose another instrument.");
  const auto point = static_cast<std::size_t>(int_in(args, "point", 0, last));
  moved.places[point] =
      inside_domain(web.shared.position_of(number_in(args, "x"), number_in(args, "y"), side("width"), side("height")));
  web.shared.instruments.change(moved);
  return status_of_run(web);
}

WebJson call_change_instrument(WebRun& web, const WebJson& args) {
  Instrument changed = instrument_of(web, args);
  changed.count = static_cast<int>(int_in(args, "count", 1, 1000, changed.count));
  changed.averaged = bool_in(args, "averaged", changed.averaged);
  const SimulationInfo& info = web.experiment().info();
  changed.quantity = info.quantities[quantity_index(info, text_in(args, "quantity", changed.quantity))].id;
  const std::string watch = text_in(args, "watch", "");
  if (watch == "start_or_stop")
    changed.start_or_stop(web.status()->time);
  else if (watch == "restart")
    changed.restart(web.status()->time);
  else if (!watch.empty())
    throw InputError("Unknown command \"{}\" of a stopwatch. Use start_or_stop or restart.", watch);
  web.shared.instruments.change(changed);
  return status_of_run(web);
}

// Without an id: all of them.
WebJson call_remove_instrument(WebRun& web, const WebJson& args) {
  if (find_in(args, "id"))
    web.shared.instruments.remove(instrument_of(web, args).id);
  else
    web.shared.instruments.clear();
  return status_of_run(web);
}

// The next samples of a probe's sound, at least `count`: 16-bit numbers. "begins": a new sound, with its own pitch.
WebJson call_sound(WebRun& web, const WebJson& args) {
  const Instrument& probe = instrument_of(web, args);
  const auto rate = static_cast<int>(int_in(args, "rate", 8000, 384000));
  const auto count = static_cast<std::size_t>(int_in(args, "count", 0, rate));
  if (bool_in(args, "begins", false) || !web.sonifier) web.sonifier.emplace(rate);
  const Series* series = web.shared.instruments.series(probe.id);
  const Spectrum* spectrum = web.shared.instruments.spectrum(probe.id);
  const bool has_read = series && !series->empty() && spectrum;
  const std::vector<double> values = has_read ? series->even_values() : std::vector<double>();
  WebJson samples = WebJson::array();
  while (samples.size() < count) {
    const std::vector<float> next =
        has_read ? web.sonifier->next(values, series->spacing(), spectrum->peak, series->last_step())
                 : web.sonifier->next({}, 0, 0, -1);
    for (const float sample : next) samples.push_back(static_cast<int>(std::lround(32767 * sample)));
  }
  return {{"samples", std::move(samples)},
          {"has_begun", web.sonifier->has_begun()},
          {"periods_needed", Sonifier::periods_needed}};
}

// The next step's computation at a position: numbers, and glyphs in pixels. No title where nothing is.
WebJson json_of_inspection(WebRun& web, const DisplayUnits& units, const Camera::Point& at, const PixelOf& pixel_of) {
  job::ReadDiagnostics job;
  job.diagnostics = false;
  job.inspect_at = at;
  const Inspection found = web.run_job(std::move(job)).inspection;
  WebJson numbers = WebJson::array(), glyphs = WebJson::array();
  for (const InspectedNumber& number : found.numbers) {
    const DisplayUnit unit = display_unit(units, number.unit);
    WebJson values = WebJson::array();
    for (const double value : number.values)
      values.push_back(std::isfinite(value) ? WebJson(value * unit.factor) : WebJson());
    numbers.push_back({{"label", json_of(number.label)}, {"unit", unit.text}, {"values", std::move(values)}});
  }
  for (const Glyph& glyph : found.glyphs)
    glyphs.push_back({{"shape", shape_name(glyph.shape)},
                      {"role", role_name(glyph.role)},
                      {"at", pixel_of(glyph.at)},
                      {"to", pixel_of(glyph.to)},
                      {"label", json_of(in_display_units(units, glyph.label))}});
  return {
      {"title", json_of(found.title)},
      {"numbers", std::move(numbers)},
      {"glyphs", std::move(glyphs)},
      {"extent", {pixel_of({0.5, 0.5}), pixel_of({0.5 + found.extent.x, 0.5}), pixel_of({0.5, 0.5 + found.extent.y})}},
      {"remark", json_of(in_display_units(units, found.remark))}};
}

// Uses the image in bytes() (RGBA, top row first) for an action that takes one.
WebJson call_use_image(WebRun& web, const WebJson& args) {
  const int width = static_cast<int>(int_in(args, "width", 1, max_image_side));
  const int height = static_cast<int>(int_in(args, "height", 1, max_image_side));
  const auto columns = static_cast<std::size_t>(width), rows = static_cast<std::size_t>(height);
  const std::vector<std::byte> bytes = std::exchange(web.bytes, {});
  if (bytes.size() != 4 * columns * rows) throw InputError("The image is incomplete. Choose it again.");
  auto image = std::make_shared<GreyImage>(GreyImage{width, height, std::vector<float>(columns * rows)});
  // The weights of stb_image, with which the desktop program reads a JPEG. Transparent pixels count as white, as on
  // paper.
  constexpr float red = 77.f / 256, green = 150.f / 256, blue = 29.f / 256;
  for (std::size_t j = 0; j < rows; ++j)
    for (std::size_t i = 0; i < columns; ++i) {
      const auto channel = [&](std::size_t c) {
        return std::to_integer<int>(bytes[4 * ((rows - 1 - j) * columns + i) + c]) / 255.f;
      };
      const float grey = red * channel(0) + green * channel(1) + blue * channel(2), opacity = channel(3);
      image->values[j * columns + i] = grey * opacity + (1 - opacity);
    }
  web.run_job(job::ApplyAction{{text_in(args, "kind"), {}, text_in(args, "name"), std::move(image)}});
  return status_of_run(web);
}

}  // namespace perturb
