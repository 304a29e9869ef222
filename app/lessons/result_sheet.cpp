#include "app/lessons/result_sheet.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <utility>

#include "app/io/files/text_file.h"
#include "app/lessons/lesson_answers.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr const char* heading = "student,lesson,step,question,first_answer,second_answer,points,max_points";
constexpr std::size_t columns = 8;
constexpr std::size_t most_sheet_bytes = 1 << 20;  // a larger file is not a result sheet

bool looks_like_formula(const std::string& text) {
  double value = 0;
  return !text.empty() && std::string("=+-@\t\r").find(text.front()) != std::string::npos && !read_number(text, value);
}

std::string text_of_cell(std::string cell) {
  if (cell.size() > 1 && cell.front() == '\'' && looks_like_formula(cell.substr(1))) cell.erase(0, 1);
  return cell;
}

// The cells of a line: quoted, or as a spreadsheet writes them. Empty if a quotation mark is not closed.
std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      if (is_quoted && at + 1 < line.size() && line[at + 1] == '"')
        cells.back() += line[at++];
      else
        is_quoted = !is_quoted;
    } else if (line[at] == separator && !is_quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  return is_quoted ? std::vector<std::string>() : cells;
}

bool read_count(const std::string& text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 && value <= 1000000;
}

}  // namespace

std::string csv_cell(const std::string& text) {
  std::string quoted = "\"";
  if (looks_like_formula(text)) quoted += '\'';
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return quoted + "\"";
}

int ResultSheet::points() const {
  int sum = 0;
  for (const ResultRow& row : rows) sum += row.points;
  return sum;
}

int ResultSheet::max_points() const {
  int sum = 0;
  for (const ResultRow& row : rows) sum += row.max_points;
  return sum;
}

ResultSheet result_sheet_of(const LessonSession& lesson, const std::string& student) {
  ResultSheet sheet;
  sheet.student = student, sheet.lesson = lesson.lesson().path();
  for (std::size_t k = 0; k < lesson.lesson().steps.size(); ++k) {
    const auto& question = lesson.lesson().steps[k].question;
    if (!question) continue;
    const LessonSession::Answer *first = lesson.first_try_of(k), *last = lesson.answer_of(k);
    ResultRow row;
    row.step = static_cast<int>(k) + 1, row.question = question->text, row.max_points = most_points;
    if (first) row.first_answer = first->given;
    if (last) (first ? row.second_answer : row.first_answer) = last->given;
    if (last && last->found) row.points = last->points;
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

std::string result_sheet_as_csv(const ResultSheet& sheet) {
  std::string text = std::string(heading) + "\n";
  for (const ResultRow& row : sheet.rows)
    text += csv_cell(sheet.student) + "," + csv_cell(sheet.lesson) + "," + std::to_string(row.step) + "," +
            csv_cell(row.question) + "," + csv_cell(row.first_answer) + "," + csv_cell(row.second_answer) + "," +
            std::to_string(row.points) + "," + std::to_string(row.max_points) + "\n";
  return text;
}

ResultSheet parse_result_sheet(const std::string& text, const std::string& name) {
  ResultSheet sheet;
  int number = 0;
  char separator = ',';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1, ++number;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1) {
      // A spreadsheet may have saved it again with semicolons.
      if (line.find(',') == std::string::npos) separator = ';';
      std::string columns_found;
      for (const std::string& one : cells_of(line, separator))
        columns_found += (columns_found.empty() ? "" : ",") + one;
      if (columns_found != heading)
        throw InputError("{} is not a result sheet: its first line must be {}. Save the sheet again from the lesson.",
                         name, heading);
      continue;
    }
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line, separator);
    ResultRow row;
    if (cells.size() != columns || !read_count(cells[2], row.step) || !read_count(cells[6], row.points) ||
        !read_count(cells[7], row.max_points) || row.points > row.max_points)
      throw InputError("{}:{}: this line is not a row of a result sheet. Save the sheet again from the lesson.", name,
                       number);
    const std::string student = text_of_cell(cells[0]), lesson = text_of_cell(cells[1]);
    if (sheet.rows.empty()) sheet.student = student, sheet.lesson = lesson;
    if (student != sheet.student || lesson != sheet.lesson)
      throw InputError("{}:{}: this line is of another student or lesson. Save one sheet in each file.", name, number);
    row.question = text_of_cell(cells[3]), row.first_answer = text_of_cell(cells[4]);
    row.second_answer = text_of_cell(cells[5]);
    sheet.rows.push_back(std::move(row));
  }
  if (sheet.rows.empty()) throw InputError("{} is an empty result sheet. Save the sheet again from the lesson.", name);
  return sheet;
}

std::string result_sheet_stem(const ResultSheet& sheet) {
  std::string stem;
  for (const char c : (sheet.student.empty() ? "student" : sheet.student) + "-" + sheet.lesson) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte))
      stem += static_cast<char>(byte < 0x80 ? std::tolower(byte) : byte);
    else if (!stem.empty() && stem.back() != '-')
      stem += '-';
  }
  return stem;
}

ClassResults read_class_results(const std::string& folder) {
  ClassResults results;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".csv") files.push_back(entry->path());
  if (error)
    throw InputError("Cannot read the folder \"{}\": {}. Name a folder of result sheets.", folder, error.message());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    try {
      ResultSheet sheet =
          parse_result_sheet(read_text_file(file.string(), "result sheet", most_sheet_bytes), file.string());
      const auto same = std::find_if(results.sheets.begin(), results.sheets.end(), [&](const ResultSheet& other) {
        return other.student == sheet.student && other.lesson == sheet.lesson;
      });
      if (same == results.sheets.end())
        results.sheets.push_back(std::move(sheet));
      else if (sheet.points() > same->points())
        *same = std::move(sheet);
    } catch (const InputError& problem) {
      results.problems.push_back(problem.message());
    }
  }
  std::sort(results.sheets.begin(), results.sheets.end(), [](const ResultSheet& a, const ResultSheet& b) {
    return std::pair(a.student, a.lesson) < std::pair(b.student, b.lesson);
  });
  return results;
}

}  // namespace perturb
