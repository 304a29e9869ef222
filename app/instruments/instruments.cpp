#include "app/instruments/instruments.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {
constexpr std::size_t max_curve_points = 2000;
constexpr double points_without_cells = 400, max_points_read_one_by_one = 1024;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Removes the empty high frequencies: keeps the lines up to the last one above a thousandth of the highest, and at
// least up to four times the peak.
std::vector<CurvePoint> without_empty_tail(const Spectrum& spectrum) {
  constexpr double min_share = 1e-3, min_reach = 4;
  double top = 0;
  for (const CurvePoint& p : spectrum.points) top = std::max(top, p.y);
  std::size_t end = spectrum.points.size();
  while (end > min_for_spectrum && spectrum.points[end - 1].y < min_share * top &&
         spectrum.points[end - 1].x > min_reach * spectrum.peak)
    --end;
  return {spectrum.points.begin(), spectrum.points.begin() + static_cast<std::ptrdiff_t>(end)};
}
}  // namespace

const Quantity& quantity_of(const SimulationInfo& info, const std::string& id) {
  static const Quantity none;
  for (const Quantity& quantity : info.quantities)
    if (quantity.id == id) return quantity;
  return info.quantities.empty() ? none : info.quantities.front();
}

CutGrid cut_grid(const Setup& setup, const SimulationInfo& info, bool reading_waits) {
  return {setup.width > 0 ? setup.width : info.default_width, setup.height > 0 ? setup.height : info.default_height,
          reading_waits};
}

const Instrument* Instruments::find(int id) const {
  for (const Instrument& one : all_)
    if (one.id == id) return &one;
  return nullptr;
}

int Instruments::add(Instrument instrument) {
  if (all_.size() >= max_instruments)
    throw InputError("Cannot add another instrument: there are already {}. Remove one first.", max_instruments);
  instrument.id = next_id_++;
  instrument.number = 1;
  for (const Instrument& one : all_)
    if (one.kind == instrument.kind) instrument.number = std::max(instrument.number, one.number + 1);
  all_.push_back(std::move(instrument));
  ++generation_;
  return all_.back().id;
}

// Whether both read the same numbers.
static bool read_alike(const Instrument& one, const Instrument& other) {
  const auto same = [](const Camera::Point& a, const Camera::Point& b) { return a.x == b.x && a.y == b.y; };
  return std::equal(one.places.begin(), one.places.end(), other.places.begin(), other.places.end(), same) &&
         one.quantity == other.quantity;
}

void Instruments::change(const Instrument& instrument) {
  for (Instrument& one : all_) {
    if (one.id != instrument.id) continue;
    const bool begins_mean = instrument.averaged && !one.averaged;
    if (begins_mean || !read_alike(one, instrument)) {
      records_.erase(one.id);
      ++generation_;
    }
    one = instrument;
  }
}

void Instruments::remove(int id) {
  std::erase_if(all_, [id](const Instrument& one) { return one.id == id; });
  records_.erase(id);
  ++generation_;
}

void Instruments::clear() {
  all_.clear();
  records_.clear();
  ++generation_;
}

void Instruments::clear_readings() {
  records_.clear();
  ++generation_;
}

struct Instruments::Readings {
  std::vector<Instrument> of;
  std::map<int, Record> records;
};

std::shared_ptr<const Instruments::Readings> Instruments::readings() const {
  return std::make_shared<const Readings>(Readings{all_, records_});
}

void Instruments::restore_readings(const Readings& kept) {
  for (const Instrument& then : kept.of) {
    const auto record = kept.records.find(then.id);
    const Instrument* now = find(then.id);
    if (record != kept.records.end() && now && now->kind == then.kind && now->averaged == then.averaged &&
        read_alike(*now, then))
      records_[then.id] = record->second;
  }
  ++generation_;
}

void Instruments::clear_means() {
  for (auto& [id, record] : records_) record.profile.clear();
  ++generation_;
}

std::vector<SamplePoint> Instruments::probed() const {
  std::vector<SamplePoint> places;
  for (const Instrument& one : all_)
    if (one.kind == InstrumentKind::probe && !one.places.empty())
      places.push_back({one.places.front().x, one.places.front().y, one.quantity});
  return places;
}

void Instruments::take_probed(const std::vector<Sample>& samples, std::int64_t every) {
  for (const Sample& sample : samples) {
    std::size_t k = 0;
    for (const Instrument& one : all_) {
      if (one.kind != InstrumentKind::probe || one.places.empty() || k >= sample.values.size()) continue;
      Record& record = records_[one.id];
      record.series.add(sample.step, sample.time, sample.values[k++], every);
      ++record.readings;
    }
  }
}

static bool is_read(const Instrument& one, CutPoints use) {
  return one.kind == InstrumentKind::cut && one.places.size() >= 2 && (one.averaged || use != CutPoints::of_means);
}

// The number of cells that a cut crosses along the side on which it is longer, and one more for its end.
static std::size_t points_of(const Instrument& cut, const CutGrid& grid, CutPoints use) {
  const Camera::Point a = cut.places[0], b = cut.places[1];
  const double cells = std::max(std::abs(b.x - a.x) * grid.width, std::abs(b.y - a.y) * grid.height);
  double points = grid.width > 1 && grid.height > 1 ? std::ceil(cells - 1e-9) + 1 : points_without_cells;
  if (grid.reading_waits && use != CutPoints::of_files) points = std::min(points, max_points_read_one_by_one);
  return static_cast<std::size_t>(std::max(2., points));
}

std::vector<SamplePoint> Instruments::along_cuts(const CutGrid& grid, CutPoints use) const {
  std::vector<SamplePoint> places;
  for (const Instrument& one : all_)
    if (is_read(one, use))
      for (const Camera::Point& at : places_along(one, points_of(one, grid, use)))
        places.push_back({at.x, at.y, one.quantity});
  return places;
}

void Instruments::take_cuts(std::span<const double> values, const CutGrid& grid, CutPoints use) {
  std::size_t begin = 0;
  for (const Instrument& one : all_) {
    if (!is_read(one, use)) continue;
    const std::size_t count = points_of(one, grid, use);
    if (begin + count > values.size()) return;
    records_[one.id].profile.take(values.subspan(begin, count));
    begin += count;
  }
}

void Instruments::take_means(std::span<const double> values, const CutGrid& grid) {
  std::size_t begin = 0;
  for (const Instrument& one : all_) {
    if (!is_read(one, CutPoints::of_means)) continue;
    const std::size_t count = points_of(one, grid, CutPoints::of_means);
    if (begin + count > values.size()) return;
    records_[one.id].profile.add_to_mean(values.subspan(begin, count));
    begin += count;
  }
}

double Instruments::latest(int id) const {
  const Series* read = series(id);
  return read ? read->latest() : no_number;
}

const Series* Instruments::series(int id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second.series;
}

const Spectrum* Instruments::spectrum(int id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second.spectrum;
}

const Profile* Instruments::profile(int id) const {
  const auto found = records_.find(id);
  return found == records_.end() ? nullptr : &found->second.profile;
}

// A field at rest contains rounding errors, far below what an image shows.
static double min_amplitude_of(const Quantity& quantity) { return 1e-7 * (quantity.maximum - quantity.minimum); }

void Instruments::refresh(bool all, const SimulationInfo& info) {
  const auto count = static_cast<int>(all_.size());
  for (int turn = 0; turn < count; ++turn) {
    const Instrument& one = all_[static_cast<std::size_t>((next_refreshed_ + turn) % count)];
    const auto found = records_.find(one.id);
    if (found == records_.end() || one.kind != InstrumentKind::probe) continue;
    Record& record = found->second;
    if (record.readings == record.readings_of_spectrum) continue;
    record.spectrum = spectrum_of(record.series.even_values(), record.series.spacing(),
                                  min_amplitude_of(quantity_of(info, one.quantity)));
    record.readings_of_spectrum = record.readings;
    if (all) continue;
    next_refreshed_ = (next_refreshed_ + turn + 1) % count;
    return;
  }
}

// "12.5 ± 0.3 Hz"
static Message peak_text(const Spectrum& spectrum, const SimulationInfo& info, const DisplayUnits& units) {
  const DisplayUnit unit = display_unit(units, frequency_unit_of(info), "frequency");
  return {"{} \u00b1 {}", format_number(spectrum.peak * unit.factor, 4),
          with_unit(format_number(spectrum.uncertainty * unit.factor, 2), unit.text)};
}

std::vector<Curve> Instruments::curves(const SimulationInfo& info, const DomainSize& domain, const DisplayUnits& units,
                                       For use) const {
  std::vector<Curve> curves;
  for (const Instrument& one : all_) {
    if (one.kind != InstrumentKind::probe && one.kind != InstrumentKind::cut) continue;
    const Quantity& quantity = quantity_of(info, one.quantity);
    const auto found = records_.find(one.id);
    const Record* record = found == records_.end() ? nullptr : &found->second;
    const std::string id = std::string(name_of(one.kind)) + "_" + std::to_string(one.number);
    Curve curve;
    curve.id = id;
    curve.label = Message("{}: {}", one.name(), Message(quantity.label));
    curve.y_label = quantity.label;
    curve.y_unit = quantity.unit;
    if (one.kind == InstrumentKind::cut) {
      curve.x_label = "Along the line";
      curve.x_unit = length_unit_of(info);
      if (one.averaged)
        curve.label = Message("{}: {}, mean over {} times", one.name(), Message(quantity.label),
                              record ? record->profile.moments() : std::size_t{0});
      if (record) curve.points = record->profile.points(one.averaged, length_of(one, domain));
      curves.push_back(std::move(curve));
      continue;
    }
    curve.x_label = "Time";
    curve.x_unit = time_unit_of(info);
    if (record && use == For::files) curve.points = record->series.kept();
    if (record && use == For::plots)
      for (const SampleGroup& group : record->series.groups(max_curve_points)) {
        curve.points.push_back({group.x, group.mean});
        if (group.count > 1) curve.groups.push_back(group);
      }
    if (use == For::files && record && !record->series.is_whole() && !curve.points.empty()) {
      const DisplayUnit unit = display_unit(units, curve.x_unit);
      curve.label = Message("{}, kept from t = {}", curve.label,
                            with_unit(format_number(curve.points.front().x * unit.factor, 6), unit.text));
    }
    curves.push_back(std::move(curve));
    Curve lines;
    lines.id = id + "_spectrum";
    lines.label = Message("{}: spectrum", one.name());
    lines.x_label = "Frequency";
    lines.x_unit = frequency_unit_of(info);
    lines.y_label = "Amplitude";
    lines.y_unit = quantity.unit;
    if (record) {
      const Spectrum& spectrum = record->spectrum;
      if (spectrum.peak > 0)
        lines.label = Message("{}: spectrum, peak at {}", one.name(), peak_text(spectrum, info, units));
      if (spectrum.is_unresolved)
        lines.label = Message("{}: spectrum, no frequency: fewer than {} readings per period", one.name(),
                              min_readings_per_period);
      lines.points = without_empty_tail(spectrum);
    }
    curves.push_back(std::move(lines));
  }
  return curves;
}

Message Instruments::text_of(const Instrument& one, const SimulationInfo& info, const DomainSize& domain, double time,
                             const DisplayUnits& units) const {
  const auto shown = [&](double value, const std::string& unit, const std::string& id = {}, int digits = 4) {
    return quantity_text(units, value, unit, id, digits);
  };
  switch (one.kind) {
    case InstrumentKind::probe: {
      const Quantity& quantity = quantity_of(info, one.quantity);
      return shown(latest(one.id), quantity.unit, quantity.id);
    }
    case InstrumentKind::cut:
      return shown(length_of(one, domain), length_unit_of(info));
    case InstrumentKind::ruler: {
      const Message length = shown(length_of(one, domain), length_unit_of(info));
      return one.count > 1 ? Message("{}, each of {}", length, one.count) : length;
    }
    case InstrumentKind::protractor:
      return Message::value(format_number(angle_of(one, domain), 4) + "\u00b0");
    case InstrumentKind::stopwatch:
      return shown(one.elapsed(time), time_unit_of(info), {}, 6);
  }
  return {};
}

std::string Instruments::text(const SimulationInfo& info, const DomainSize& domain, double time,
                              const DisplayUnits& units) const {
  std::string text;
  for (const Instrument& one : all_) {
    const Message reading = text_of(one, info, domain, time, units);
    const Spectrum* found = one.kind == InstrumentKind::probe ? spectrum(one.id) : nullptr;
    const Message line = found && found->peak > 0
                             ? Message("{}: {}, peak at {}", one.name(), reading, peak_text(*found, info, units))
                             : Message("{}: {}", one.name(), reading);
    text += line.english() + "\n";
  }
  return text;
}

}  // namespace perturb
