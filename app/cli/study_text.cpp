#include "app/cli/study_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>

#include <nlohmann/json.hpp>

#include "app/cli/table.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// Units that are more readable with a prefix than as a bare number below a heading.
bool takes_prefix(const std::string& unit) {
  static constexpr std::array<const char*, 3> plain = {"s", "B", "flop"};
  return std::find(plain.begin(), plain.end(), unit) != plain.end() || unit.ends_with("/s") || unit.starts_with("s/");
}

std::string field_of_csv(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string field_of_csv(const StudyValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return field_of_csv(*word);
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, std::get<double>(value)).ptr);
}

}  // namespace

std::string heading_text(const StudyColumn& column) {
  const bool shows_unit = !column.unit.empty() && !takes_prefix(column.unit);
  return column.label + (shows_unit ? ", " + column.unit : "");
}

std::string cell_text(const StudyColumn& column, const StudyValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  const double number = std::get<double>(value);
  if (!takes_prefix(column.unit)) return format_number(number, column.digits);
  constexpr int digits_with_prefix = 3;
  return column.digits > digits_with_prefix ? format_number(number, column.digits) + " " + column.unit
                                            : with_prefix(number, column.unit);
}

bool holds_text(const StudyTable& table, std::size_t column) {
  return !table.rows.empty() && std::holds_alternative<std::string>(table.rows.front().at(column));
}

void print_table(const StudyTable& table, std::ostream& out) {
  std::vector<std::string> headings;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    headings.push_back((holds_text(table, c) ? "" : ">") + heading_text(table.columns[c]));
  TextTable text(headings);
  for (const std::vector<StudyValue>& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(cell_text(table.columns[c], row.at(c)));
    text.add(std::move(cells));
  }
  out << '\n' << table.title << '\n';
  text.print(out);
  if (!table.note.empty()) out << table.note << '\n';
}

Json study_json(const StudyTable& table) {
  Json json = {{"id", table.id}, {"title", table.title}, {"columns", Json::array()}, {"rows", Json::array()}};
  for (const StudyColumn& column : table.columns)
    json["columns"].push_back({{"id", column.id}, {"label", column.label}, {"unit", column.unit}});
  for (const std::vector<StudyValue>& row : table.rows) {
    Json entry = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      std::visit([&](const auto& value) { entry[table.columns[c].id] = value; }, row.at(c));
    json["rows"].push_back(std::move(entry));
  }
  json["note"] = table.note;
  return json;
}

Json study_json(const StudyPlot& plot) {
  Json json = {{"title", plot.title},
               {"x_label", plot.x_label},
               {"x_unit", plot.x_unit},
               {"y_label", plot.y_label},
               {"y_unit", plot.y_unit},
               {"logarithmic_x", plot.logarithmic_x},
               {"logarithmic_y", plot.logarithmic_y},
               {"lines", Json::array()}};
  for (const StudyLine& line : plot.lines) {
    Json points = Json::array();
    for (const CurvePoint& p : line.points) points.push_back({p.x, p.y});
    json["lines"].push_back({{"label", line.label}, {"compared", line.dashed}, {"points", std::move(points)}});
  }
  return json;
}

std::string study_csv_headings() { return "study,table,row,column,unit,value\n"; }

std::string study_csv(const std::string& study, const StudyResult& result) {
  std::string text;
  for (const StudyTable& table : result.tables)
    for (std::size_t r = 0; r < table.rows.size(); ++r)
      for (std::size_t c = 0; c < table.columns.size(); ++c)
        text += study + ',' + table.id + ',' + std::to_string(r + 1) + ',' + table.columns[c].id + ',' +
                field_of_csv(table.columns[c].unit) + ',' + field_of_csv(table.rows[r].at(c)) + '\n';
  return text;
}

}  // namespace perturb
