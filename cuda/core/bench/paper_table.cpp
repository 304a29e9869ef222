#include "cuda/core/bench/paper_table.h"

#include <algorithm>
#include <array>
#include <span>

#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"
#include "cuda/core/simulation/number_text.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_sources();

namespace {

constexpr std::string_view headings = "place,row,column,value,unit,read";

// Returns the text before the next `separator` and removes both from `text`.
std::string_view take(std::string_view& text, std::string_view separator) {
  const std::size_t at = text.find(separator);
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + separator.size());
  return part;
}

}  // namespace

PaperTable::PaperTable(std::string name, std::string_view text) : name_(std::move(name)) {
  int line_number = 0;
  const auto require = [&](bool condition, const char* what) {
    if (!condition)
      throw Error("internal: assets/sources/" + name_ + ".csv, line " + std::to_string(line_number) + ": " + what);
  };
  const auto next_line = [&] {
    ++line_number;
    return take(text, "\n");
  };
  std::string_view work = next_line();
  require(work.starts_with("# "), "begins with \"# author | title | year\"");
  work.remove_prefix(2);
  author_ = take(work, " | "), title_ = take(work, " | ");
  double year = 0;
  require(!author_.empty() && !title_.empty() && read_number(work, year), "author, title and year are wanted");
  year_ = static_cast<int>(year);
  require(next_line() == headings, "the headings are wanted");
  while (!text.empty()) {
    std::string_view line = next_line();
    require(std::count(line.begin(), line.end(), ',') == 5, "six fields are wanted");
    std::array<std::string_view, 6> field;
    for (std::string_view& f : field) f = take(line, ",");
    PaperValue value;
    value.place = field[0], value.row = field[1], value.column = field[2];
    value.digits = field[3], value.unit = field[4], value.read = field[5];
    require(read_number(value.digits, value.value), "the value is no number");
    require(!value.place.empty() && !value.row.empty() && !value.column.empty() && !value.read.empty(),
            "only the unit may be empty");
    require(find(value.place, value.row, value.column) == nullptr, "this number stands in the file already");
    values_.push_back(std::move(value));
  }
}

std::string PaperTable::cited() const { return author_ + ", " + title_ + " (" + std::to_string(year_) + ")"; }

const PaperValue* PaperTable::find(std::string_view place, std::string_view row, std::string_view column) const {
  for (const PaperValue& value : values_)
    if (value.place == place && value.row == row && value.column == column) return &value;
  return nullptr;
}

double PaperTable::at(std::string_view place, std::string_view row, std::string_view column) const {
  const PaperValue* found = find(place, row, column);
  if (found == nullptr)
    throw Error("internal: assets/sources/" + name_ + ".csv has no " + std::string(place) + ", " + std::string(row) +
                ", " + std::string(column));
  return found->value;
}

std::vector<CurvePoint> PaperTable::curve(std::string_view place, std::string_view column) const {
  std::vector<CurvePoint> points;
  double x = 0;
  for (const PaperValue& value : values_)
    if (value.place == place && value.column == column && read_number(value.row, x)) points.push_back({x, value.value});
  return points;
}

const std::vector<PaperTable>& paper_tables() {
  static const std::vector<PaperTable> tables = [] {
    std::vector<PaperTable> list;
    for (const EmbeddedFile& file : embedded_sources())
      list.emplace_back(std::string(file.name.substr(0, file.name.find('.'))), file.text);
    return list;
  }();
  return tables;
}

const PaperTable& paper_table(std::string_view simulation) {
  for (const PaperTable& table : paper_tables())
    if (table.name() == simulation) return table;
  throw Error("internal: there is no assets/sources/" + std::string(simulation) + ".csv");
}

}  // namespace perturb
