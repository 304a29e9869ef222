#include "app/instruments/instrument_text.h"

#include <charconv>

namespace perturb {

std::string to_argument(const Instrument& instrument) {
  std::string word = name_of(instrument.kind);
  const auto add = [&word](double number) {
    char text[40];
    word += "," + std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
  };
  for (const Camera::Point& place : instrument.places) add(place.x), add(place.y);
  if (instrument.count > 1) add(instrument.count);
  const bool reads = instrument.kind == InstrumentKind::probe || instrument.kind == InstrumentKind::cut;
  if (reads && !instrument.quantity.empty()) word += "," + instrument.quantity;
  if (instrument.averaged) word += ",average";
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
