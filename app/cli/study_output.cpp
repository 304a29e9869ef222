#include "app/cli/study_output.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ostream>

#include <nlohmann/json.hpp>

#include "app/cli/panel_image.h"
#include "app/cli/terminal.h"
#include "app/io/files/csv.h"
#include "app/ui/plots/plots.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Json = nlohmann::ordered_json;

// Units that are more readable with a prefix than as a bare number below a heading.
bool takes_prefix(const std::string& unit) {
  static constexpr std::array<const char*, 3> plain = {"s", "B", "flop"};
  return std::find(plain.begin(), plain.end(), unit) != plain.end() || unit.ends_with("/s") || unit.starts_with("s/");
}

std::string field_of_csv(const StudyValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return csv_field(*word);
  if (const auto* printed = std::get_if<PrintedNumber>(&value)) return printed->digits;
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
  if (const auto* printed = std::get_if<PrintedNumber>(&value))
    return printed->digits + (takes_prefix(column.unit) ? " " + column.unit : "");
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
      if (const auto* word = std::get_if<std::string>(&row.at(c)))
        entry[table.columns[c].id] = *word;
      else
        entry[table.columns[c].id] = number_of(row[c]);
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
    json["lines"].push_back({{"label", line.label},
                             {"compared", line.kind != LineKind::measured},
                             {"kind", name_of(line.kind)},
                             {"points", std::move(points)}});
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
                csv_unit(table.columns[c].unit) + ',' + field_of_csv(table.rows[r].at(c)) + '\n';
  return text;
}

std::vector<CurvePoint> styled_points(const std::vector<CurvePoint>& line, LineKind kind, const CurvePoint& extent) {
  if (kind == LineKind::measured || kind == LineKind::paper) return line;
  // Places at equal distances along the line. Between two of them there is a gap, except where a bar is drawn.
  constexpr double spacing = 0.0125;  // of the plot's extent
  constexpr int bar = 3, period = 5;  // a reference: three places joined, then two dots
  constexpr CurvePoint gap{NAN, NAN};
  std::vector<CurvePoint> points = line;
  // A single point begins a piece of one period, so that its kind shows.
  if (line.size() == 1) points.push_back({line[0].x + (period - 0.5) * spacing * extent.x, line[0].y});
  std::vector<CurvePoint> styled;
  double next = 0;  // distance to the next place
  int place = 0;
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const CurvePoint a = points[k], b = points[k + 1];
    const double length = std::hypot((b.x - a.x) / extent.x, (b.y - a.y) / extent.y);
    if (!std::isfinite(length)) continue;
    double at = next;
    for (; at <= length; at += spacing, ++place) {
      const double part = length > 0 ? at / length : 0;
      styled.push_back({a.x + part * (b.x - a.x), a.y + part * (b.y - a.y)});
      const bool joined = kind == LineKind::reference && place % period < bar - 1;
      if (!joined) styled.push_back(gap);
    }
    next = at - length;
  }
  return styled;
}

std::string legend_text(const StudyLine& line) {
  switch (line.kind) {
    case LineKind::measured:
      return line.label;
    case LineKind::paper:
      return line.label + (line.points.size() == 1 ? " (ring)" : " (dashed)");
    case LineKind::theory:
      return line.label + " (dotted)";
    case LineKind::reference:
      return line.label + " (dots and bars)";
  }
  return line.label;
}

namespace {

constexpr int width = 1200, plot_height = 560;
// In design pixels, without title, legend and tick labels; the width is approximate.
constexpr float axes_height = 210, axes_width = 650;

// The points that a logarithmic axis can show.
std::vector<CurvePoint> on_axes(const StudyPlot& plot, const std::vector<CurvePoint>& points) {
  std::vector<CurvePoint> shown;
  for (CurvePoint p : points) {
    if ((plot.logarithmic_x && !(p.x > 0)) || (plot.logarithmic_y && !(p.y > 0))) continue;
    if (plot.logarithmic_x) p.x = std::log10(p.x);
    if (plot.logarithmic_y) p.y = std::log10(p.y);
    shown.push_back(p);
  }
  return shown;
}

// The extent of all points of a plot, as a measure for distances along a line.
CurvePoint extent_of(const std::vector<std::vector<CurvePoint>>& lines) {
  double min_x = INFINITY, max_x = -INFINITY, min_y = INFINITY, max_y = -INFINITY;
  for (const std::vector<CurvePoint>& line : lines)
    for (const CurvePoint& p : line) {
      if (!std::isfinite(p.x) || !std::isfinite(p.y)) continue;
      min_x = std::min(min_x, p.x);
      max_x = std::max(max_x, p.x);
      min_y = std::min(min_y, p.y);
      max_y = std::max(max_y, p.y);
    }
  return {max_x > min_x ? max_x - min_x : 1, max_y > min_y ? max_y - min_y : 1};
}

void draw(const Style& style, const StudyPlot& plot) {
  std::vector<std::vector<CurvePoint>> points;
  for (const StudyLine& line : plot.lines) points.push_back(on_axes(plot, line.points));
  CurvePoint extent = extent_of(points);
  extent.y *= axes_width / axes_height;  // so that distances along steep lines are those on the image
  std::vector<PlotLine> lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const StudyLine& line = plot.lines[i];
    points[i] = styled_points(points[i], line.kind, extent);
    lines.push_back({legend_text(line), &points[i], plot_ink(i), line.kind == LineKind::paper});
  }
  PlotFrame frame;
  frame.title = plot.title;
  frame.x_label = plot.x_unit.empty() ? plot.x_label : plot.x_label + ", " + plot.x_unit;
  frame.y_label = plot.y_unit.empty() ? plot.y_label : plot.y_label + ", " + plot.y_unit;
  frame.logarithmic_x = plot.logarithmic_x;
  frame.logarithmic_y = plot.logarithmic_y;
  frame.marks = true;
  draw_plot(style, frame, lines, style.px(axes_height));
}

}  // namespace

Picture study_image(const std::vector<StudyPlot>& plots) {
  // A legend of many lines makes a plot higher: by how much is known once it has been drawn.
  float height = 0;
  const auto draw_all = [&](const Style& style) {
    height = 0;
    for (const StudyPlot& plot : plots) {
      ImGui::SetCursorPosY(height + style.px(18));
      draw(style, plot);
      height = std::max(height + plot_height, std::ceil(ImGui::GetCursorPosY()));
    }
  };
  const int usual = plot_height * static_cast<int>(plots.size());
  Picture picture = panel_image(width, usual, draw_all);
  if (height > static_cast<float>(usual)) picture = panel_image(width, static_cast<int>(height), draw_all);
  return picture;
}

namespace {

constexpr const char* findings = "findings";  // the id of findings_table (cuda/studies/paper.h)

// A vertical bar would end the cell.
std::string in_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : c == '\n' ? " " : std::string(1, c);
  return cell;
}

std::string line_of(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + in_cell(cell) + " |";
  return line + "\n";
}

std::string text_of(const StudyTable& table) {
  std::vector<std::string> headings, rules;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    headings.push_back(heading_text(table.columns[c]));
    rules.push_back(holds_text(table, c) ? ":---" : "---:");
  }
  std::string text = "**" + table.title + "**\n\n";
  if (!table.rows.empty()) text += line_of(headings) + line_of(rules);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < table.columns.size(); ++c) cells.push_back(cell_text(table.columns[c], row.at(c)));
    text += line_of(cells);
  }
  return text + (table.rows.empty() ? "" : "\n") + (table.note.empty() ? "" : table.note + "\n\n");
}

// The findings of all studies in one table, with the study that measured each.
std::string what_holds(const StudyPage& page) {
  StudyTable all;
  std::string notes;
  for (const StudyOutcome& outcome : page.outcomes)
    for (const StudyTable& table : outcome.result.tables) {
      if (table.id != findings) continue;
      if (all.columns.empty()) {
        all.title = table.title;
        all.columns = table.columns;
        all.columns.push_back({"study", "study", ""});
      }
      for (std::vector<StudyValue> row : table.rows) {
        row.emplace_back("--" + outcome.id);
        all.rows.push_back(std::move(row));
      }
      if (!table.note.empty()) notes += "- `--" + outcome.id + "`: " + table.note + "\n";
    }
  if (all.columns.empty())
    return "No result of the paper could be tested in this run: the studies below say what they "
           "need.\n\n";
  return text_of(all) +
         "A verdict is computed from repeated, alternating measurements where possible: a result that holds or is "
         "reversed "
         "would arise by chance at most once in a hundred times. A machine that becomes slower during a comparison is "
         "not "
         "detected, so a ratio near 1 may differ on another day. Numbers without noise, such as registers, are "
         "compared "
         "directly. A number that the paper prints and this machine computes agrees or differs. A ratio is the result "
         "that "
         "the paper found slower divided by the one that it found faster.\n\n" +
         notes + "\n";
}

std::string numbers_of(const PaperTable& source) {
  std::string text = line_of({"where", "row", "column", "value", "unit", "read from"}) +
                     line_of({":---", ":---", ":---", "---:", ":---", ":---"});
  for (const PaperValue& value : source.values())
    text += line_of({value.place, value.row, value.column, value.digits, value.unit, value.read});
  return text;
}

std::string study_text(const StudyPage& page, const StudyOutcome& outcome) {
  std::string text = "### `perturb bench " + page.simulation + " --" + outcome.id + "`\n\n" + outcome.summary +
                     " It took " + format_duration(outcome.seconds) + " here.\n\n";
  if (!outcome.error.empty())
    text += "**It failed:** " + outcome.error + "\n\n";
  else if (!outcome.complete)
    text += "**It was stopped early.** The results so far:\n\n";
  for (const StudyTable& table : outcome.result.tables)
    if (table.id != findings) text += text_of(table);
  if (const auto picture = page.pictures.find(outcome.id); picture != page.pictures.end())
    text +=
        "![The curves of --" + outcome.id + "; the legend names the kind of each line](" + picture->second + ")\n\n";
  return text;
}

}  // namespace

std::string page_text(const StudyPage& page, const PaperTable& source) {
  std::string text = "# " + page.title + ": the measurements of the paper, repeated\n\n";
  text += "The paper: " + source.cited() + ".\n\n";
  text += "Measured on " + page.device + ", " + page.date + ", by `" + page.command + "`.\n\n";
  if (!page.missing.empty()) {
    text += "**The run was stopped.** Not measured:";
    for (const std::string& id : page.missing) text += " `--" + id + "`";
    text += "\n\n";
  }
  text += "## What holds here\n\n" + what_holds(page);
  text +=
      "## What was measured\n\nColumns about the paper, dashed lines and rings show the paper's own numbers. Dotted "
      "lines are "
      "theory. "
      "Dots and bars are our own numbers that others are compared with.\n\n";
  if (!page.no_pictures.empty()) text += "There are no plots: " + page.no_pictures + "\n\n";
  for (const StudyOutcome& outcome : page.outcomes) text += study_text(page, outcome);
  text += "## Numbers of the paper\n\n" + numbers_of(source);
  return text;
}

}  // namespace perturb
