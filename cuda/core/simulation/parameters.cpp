#include "cuda/core/simulation/parameters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

Message format_range(const ValueInfo& info) {
  if (info.kind == ValueKind::boolean) return "true or false";
  if (info.kind == ValueKind::choice) return one_of(ids_of(info.choices));
  if (info.kind == ValueKind::formula) return "a formula of x and y, such as x - y";
  const std::string low = format_number(info.minimum), high = format_number(info.maximum);
  if (info.kind == ValueKind::integer) return {"a whole number from {} to {}", low, with_unit(high, info.unit)};
  if (info.unit.empty()) return {"a number from {} to {}", low, high};
  // Both numbers are before the unit, so that front ends can convert them.
  return {"a number from {}", Message("{} to {} {}", low, high, Message(info.unit))};
}

[[noreturn]] void reject(const ValueInfo& info, const Message& given, const Message& remedy = {}) {
  throw InputError(
      Message("{} cannot be {}: it takes {}.", Message::parameter(info.id, info.label), given, format_range(info)) +
      remedy);
}

}  // namespace

void ValueInfo::check(double value) const {
  if (!std::isfinite(value)) reject(*this, Message::value(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"));
  if (kind == ValueKind::formula) {
    if (!find_formula(value)) reject(*this, Message::value(format_number(value, 9)));
    return;
  }
  if (value < minimum || value > maximum) reject(*this, with_unit(format_number(value, 9), unit));
  if (kind != ValueKind::real && value != std::floor(value)) reject(*this, with_unit(format_number(value, 9), unit));
}

double ValueInfo::parse(const std::string& text) const {
  if (kind == ValueKind::choice) {
    for (std::size_t k = 0; k < choices.size(); ++k)
      if (choices[k].id == text) return static_cast<double>(k);
    reject(*this, Message::value("\"" + text + "\""));
  }
  if (kind == ValueKind::formula) return formula_number(text);
  if (kind == ValueKind::boolean) {
    if (text == "true" || text == "on" || text == "1") return 1;
    if (text == "false" || text == "off" || text == "0") return 0;
    reject(*this, Message::value("\"" + text + "\""));
  }
  double value = 0;
  if (!read_number(text, value))
    reject(*this, Message::value("\"" + text + "\""),
           text.find(',') != std::string::npos ? "Write a decimal point, as in 0.5, and no comma." : "");
  check(value);
  return value;
}

std::string ValueInfo::format(double value) const {
  if (kind == ValueKind::boolean) return value != 0 ? "true" : "false";
  if (kind == ValueKind::choice) {
    const auto index = static_cast<std::size_t>(value);
    return index < choices.size() ? choices[index].id : format_number(value);
  }
  if (kind == ValueKind::formula) {
    const PlaneFormula* formula = find_formula(value);
    return formula ? formula->text : format_number(value);
  }
  return shortest_text(value);
}

ValueInfo real_value(std::string id, std::string label, std::string unit, std::string symbol, double initial,
                     double minimum, double maximum, std::string help) {
  ValueInfo info;
  info.id = std::move(id);
  info.label = std::move(label);
  info.unit = std::move(unit);
  info.symbol = std::move(symbol);
  info.help = std::move(help);
  info.initial = initial;
  info.minimum = minimum;
  info.maximum = maximum;
  return info;
}

ValueInfo as_parameter(std::string parameter, ValueInfo info) {
  info.as_parameter = std::move(parameter);
  return info;
}

ValueInfo with_former_id(std::string former, ValueInfo info) {
  info.former = std::move(former);
  return info;
}

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  // Edits are insertions, deletions, changes and swaps of neighbours (optimal string alignment); an id that differs in
  // half its letters is no useful suggestion.
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2);
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> before(candidate.size() + 1), last(candidate.size() + 1), row(candidate.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (word[i - 1] == candidate[j - 1] ? 0 : 1)});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1])
          row[j] = std::min(row[j], before[j - 2] + 1);
      }
      before.swap(last);
      last.swap(row);
    }
    if (last.back() < best_distance) {
      best_distance = last.back();
      best = candidate;
    }
  }
  return best;
}

Message did_you_mean(const std::string& word, const std::vector<std::string>& candidates, const Message& otherwise) {
  const std::string near = nearest_name(word, candidates);
  return near.empty() ? otherwise : Message("; did you mean \"{}\"?", near);
}

namespace {

// "a, b, c"; empty for no words.
std::string with_commas(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

}  // namespace

Message one_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return Message::value(with_commas(words));
  return Message("{} or {}", with_commas(std::span(words).first(words.size() - 1)), words.back());
}

Message choose_one_of(const std::vector<std::string>& candidates) {
  return Message(": choose one of {}.", with_commas(candidates));
}

const Parameter* find_parameter(std::span<const Parameter> table, std::string_view id) {
  for (const Parameter& p : table)
    if (p.id == id) return &p;
  for (const Parameter& p : table)
    if (!p.former.empty() && p.former == id) return &p;
  return nullptr;
}

const Parameter& ParameterSet::find(const std::string& id) const {
  if (const Parameter* p = find_parameter(table_, id)) return *p;
  throw InputError("There is no parameter \"{}\"{}", id,
                   did_you_mean(id, ids_of(table_), "; perturb list shows them all."));
}

void ParameterSet::set(const std::string& id, double value) {
  const Parameter& p = find(id);
  p.check(value);
  p.set(object_, value);
}

void ParameterSet::set_text(const std::string& id, const std::string& text) {
  const Parameter& p = find(id);
  p.set(object_, p.parse(text));
}

}  // namespace perturb
