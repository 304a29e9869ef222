#include "app/instruments/instrument.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sstream>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

const char* name_of(InstrumentKind kind) {
  constexpr const char* words[] = {"probe", "cut", "ruler", "protractor", "stopwatch"};
  return words[static_cast<int>(kind)];
}

const char* label_of(InstrumentKind kind) {
  constexpr const char* labels[] = {"Probe", "Line cut", "Ruler", "Protractor", "Stopwatch"};
  return labels[static_cast<int>(kind)];
}

int point_count(InstrumentKind kind) {
  constexpr int counts[] = {1, 2, 2, 3, 0};
  return counts[static_cast<int>(kind)];
}

Message Instrument::name() const {
  constexpr const char* formats[] = {"Probe {}", "Line cut {}", "Ruler {}", "Protractor {}", "Stopwatch {}"};
  return {formats[static_cast<int>(kind)], number};
}

void Instrument::start_or_stop(double now) {
  if (runs()) {
    stopped = now;
  } else {
    started = now - elapsed(now);
    stopped = std::nan("");
  }
}

void Instrument::restart(double now) {
  started = now;
  stopped = std::nan("");
}

void Instrument::resume(double now) {
  if (!has_started || started > now) started = now;
  if (!(stopped >= started && stopped <= now)) stopped = std::nan("");
  has_started = true;
}

Camera::Point inside_domain(const Camera::Point& place) {
  return {std::clamp(place.x, 0.0, 1.0), std::clamp(place.y, 0.0, 1.0)};
}

void spread_points(Instrument& instrument, const Camera::Point& middle, const PositionInView& position_at) {
  const auto to = [&](double right, double down) { return inside_domain(position_at(right, down)); };
  switch (instrument.kind) {
    case InstrumentKind::probe:
      instrument.places = {inside_domain(middle)};
      break;
    case InstrumentKind::cut:
    case InstrumentKind::ruler:
      instrument.places = {to(-1, 0), to(1, 0)};
      break;
    case InstrumentKind::protractor:
      instrument.places = {to(1, 0), inside_domain(middle), to(0.7, -0.7)};
      break;
    case InstrumentKind::stopwatch:
      break;
  }
}

double length_between(const Camera::Point& from, const Camera::Point& to, const DomainSize& domain) {
  return std::hypot((to.x - from.x) * domain.width, (to.y - from.y) * domain.height);
}

double length_of(const Instrument& instrument, const DomainSize& domain) {
  if (instrument.places.size() < 2) return 0;
  return length_between(instrument.places[0], instrument.places[1], domain) / std::max(1, instrument.count);
}

double angle_of(const Instrument& protractor, const DomainSize& domain) {
  if (protractor.places.size() < 3) return 0;
  const Camera::Point vertex = protractor.places[1];
  const auto arm = [&](const Camera::Point& end) {
    return Camera::Point{(end.x - vertex.x) * domain.width, (end.y - vertex.y) * domain.height};
  };
  const Camera::Point a = arm(protractor.places[0]), b = arm(protractor.places[2]);
  // Uses both products, so it is also exact near 0 and 180 degrees.
  return std::atan2(std::abs(a.x * b.y - a.y * b.x), a.x * b.x + a.y * b.y) * 180 / std::numbers::pi;
}

Instrument parse_instrument(const std::string& text) {
  const auto rejection = [&](const Message& why) -> InputError {
    return InputError(
        "Unknown instrument \"{}\": {} Write for example \"probe 0.5 0.5\", \"cut 0.1 0.5 0.9 0.5\", \"ruler 0.1 0.5 "
        "0.9 0.5 4\" (the length of a quarter), \"protractor 0.2 0.5 0.5 0.5 0.5 0.9\" or \"stopwatch\", in fractions "
        "of the domain.",
        text, why);
  };
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  std::istringstream words(spaced);
  std::string word;
  words >> word;
  Instrument instrument;
  const auto kind = std::find_if(std::begin(instrument_kinds), std::end(instrument_kinds),
                                 [&](InstrumentKind k) { return word == name_of(k); });
  if (kind == std::end(instrument_kinds)) throw rejection("unknown kind.");
  instrument.kind = *kind;
  const bool reads_quantity = instrument.kind == InstrumentKind::probe || instrument.kind == InstrumentKind::cut;
  const auto needed = static_cast<std::size_t>(2 * point_count(instrument.kind));
  std::vector<double> numbers;
  while (words >> word) {
    double number = 0;
    if (instrument.kind == InstrumentKind::stopwatch && (word == "from" || word == "to")) {
      const bool starts = word == "from";
      std::string time;
      if (!(words >> time) || !read_number(time, number) || !std::isfinite(number))
        throw rejection({"\"{}\" is not a number.", time});
      (starts ? instrument.started : instrument.stopped) = number;
      if (starts) instrument.has_started = true;
      continue;
    }
    if (word == "average" && instrument.kind == InstrumentKind::cut) {
      instrument.averaged = true;
    } else if (read_number(word, number) && std::isfinite(number)) {
      numbers.push_back(number);
    } else if (reads_quantity && instrument.quantity.empty() && numbers.size() == needed) {
      instrument.quantity = word;
    } else {
      throw rejection({"\"{}\" is not a number.", word});
    }
  }
  const bool counts = instrument.kind == InstrumentKind::ruler && numbers.size() == needed + 1;
  if (numbers.size() != needed && !counts) throw rejection({"it takes {} numbers, not {}.", needed, numbers.size()});
  for (std::size_t k = 0; k < needed; k += 2) {
    if (numbers[k] < 0 || numbers[k] > 1 || numbers[k + 1] < 0 || numbers[k + 1] > 1)
      throw rejection("a position is outside the domain (0 to 1).");
    instrument.places.push_back({numbers[k], numbers[k + 1]});
  }
  if (counts) {
    if (!(numbers.back() >= 1 && numbers.back() <= 1000) || numbers.back() != std::floor(numbers.back()))
      throw rejection("a ruler has 1 to 1000 whole intervals.");
    instrument.count = static_cast<int>(numbers.back());
  }
  return instrument;
}

std::string to_argument(const Instrument& instrument) {
  std::string word = name_of(instrument.kind);
  const auto add = [&word](double number) { word += "," + shortest_text(number); };
  for (const Camera::Point& place : instrument.places) {
    add(place.x);
    add(place.y);
  }
  if (instrument.count > 1) add(instrument.count);
  const bool reads = instrument.kind == InstrumentKind::probe || instrument.kind == InstrumentKind::cut;
  if (reads && !instrument.quantity.empty()) word += "," + instrument.quantity;
  if (instrument.averaged) word += ",average";
  if (instrument.has_started) {
    word += ",from";
    add(instrument.started);
    if (!instrument.runs()) {
      word += ",to";
      add(instrument.stopped);
    }
  }
  return word;
}

std::vector<std::string> to_arguments(const std::vector<Instrument>& instruments) {
  std::vector<std::string> words;
  for (const Instrument& one : instruments) {
    words.emplace_back("--instrument");
    words.push_back(to_argument(one));
  }
  return words;
}

}  // namespace perturb
