#include "app/lessons/result_sheet.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <sstream>
#include <utility>

#include "app/io/files/text_file.h"
#include "app/io/files/unicode.h"
#include "app/lessons/lesson_answers.h"
#include "app/lessons/result_code.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/csv_text.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

constexpr const char* heading = "student,lesson,step,question,first_answer,second_answer,points,max_points";
constexpr std::size_t columns = 8;
constexpr int max_steps = 1000;                   // of a lesson
constexpr std::size_t max_sheet_bytes = 1 << 20;  // a larger file is not a result sheet

bool looks_like_formula(const std::string& text) {
  double value = 0;
  return !text.empty() && std::string("=+-@\t\r").find(text.front()) != std::string::npos && !read_number(text, value);
}

std::string text_of_cell(std::string cell) {
  if (cell.size() > 1 && cell.front() == '\'' && looks_like_formula(cell.substr(1))) cell.erase(0, 1);
  return cell;
}

// A text as a cell, always in quotation marks.
std::string csv_cell(const std::string& text) {
  std::string quoted = "\"";
  if (looks_like_formula(text)) quoted += '\'';
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  return quoted + "\"";
}

// A whole number from `min_value` to `max_value`.
bool read_count(const std::string& text, int min_value, int max_value, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= min_value && value <= max_value;
}

}  // namespace

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

void require_student(const std::string& student) {
  if (tidy_text(student).empty()) throw InputError("A result sheet needs a name. Type yours, then save it.");
}

ResultSheet result_sheet_of(const LessonSession& lesson, const std::string& student) {
  ResultSheet sheet;
  sheet.student = student;
  sheet.lesson = lesson.lesson().path();
  for (std::size_t k = 0; k < lesson.lesson().steps.size(); ++k) {
    const auto& question = lesson.lesson().steps[k].question;
    if (!question) continue;
    const LessonSession::Answer *first = lesson.first_try_of(k), *last = lesson.answer_of(k);
    ResultRow row;
    row.step = static_cast<int>(k) + 1;
    row.question = question->text;
    row.max_points = max_points_of_answer;
    if (first) row.first_answer = first->given;
    if (last) (first ? row.second_answer : row.first_answer) = last->given;
    if (last && last->found) row.points = last->points;
    sheet.rows.push_back(std::move(row));
  }
  return sheet;
}

std::string result_sheets_as_csv(const std::vector<ResultSheet>& sheets) {
  std::string text = std::string(byte_order_mark) + heading + "\n";
  for (const ResultSheet& sheet : sheets)
    for (const ResultRow& row : sheet.rows)
      text += csv_cell(sheet.student) + "," + csv_cell(sheet.lesson) + "," + std::to_string(row.step) + "," +
              csv_cell(row.question) + "," + csv_cell(row.first_answer) + "," + csv_cell(row.second_answer) + "," +
              std::to_string(row.points) + "," + std::to_string(row.max_points) + "\n";
  return text;
}

std::string result_sheet_as_csv(const ResultSheet& sheet) { return result_sheets_as_csv({sheet}); }

std::vector<ResultSheet> parse_result_sheets(const std::string& text, const std::string& name) {
  std::vector<ResultSheet> sheets;
  CsvReader rows(text, name);
  std::string columns_found;
  for (const CsvField& one : rows.next()) columns_found += (columns_found.empty() ? "" : ",") + one.text;
  if (!columns_found.empty() && columns_found != heading)
    throw InputError("{} is not a result sheet: its first line must be {}. Save the sheet again from the lesson.", name,
                     heading);
  for (std::vector<CsvField> cells = rows.next(); !cells.empty(); cells = rows.next()) {
    ResultRow row;
    if (cells.size() != columns || !read_count(cells[2].text, 1, max_steps, row.step) ||
        !read_count(cells[7].text, max_points_of_answer, max_points_of_answer, row.max_points) ||
        !read_count(cells[6].text, 0, max_points_of_answer, row.points))
      throw InputError(
          "{}:{}: this line is not a row of a result sheet: a step and 0 to {} of {} points. Save the sheet again from "
          "the lesson.",
          name, rows.line(), max_points_of_answer, max_points_of_answer);
    const std::string student = text_of_cell(cells[0].text), lesson = text_of_cell(cells[1].text);
    if (sheets.empty() || student != sheets.back().student || lesson != sheets.back().lesson)
      sheets.push_back({student, lesson, {}});
    ResultSheet& sheet = sheets.back();
    if (!sheet.rows.empty() && row.step <= sheet.rows.back().step)
      throw InputError(
          "{}:{}: step {} follows step {}, and each step counts once. Save the sheet again from the lesson.", name,
          rows.line(), row.step, sheet.rows.back().step);
    row.question = text_of_cell(cells[3].text);
    row.first_answer = text_of_cell(cells[4].text);
    row.second_answer = text_of_cell(cells[5].text);
    sheet.rows.push_back(std::move(row));
  }
  if (sheets.empty()) throw InputError("{} is an empty result sheet. Save the sheet again from the lesson.", name);
  return sheets;
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

std::string class_table_as_csv(const std::vector<std::vector<std::string>>& rows) {
  std::string text = byte_order_mark;
  for (const auto& row : rows)
    for (std::size_t k = 0; k < row.size(); ++k) text += csv_cell(row[k]) + (k + 1 < row.size() ? "," : "\n");
  return text;
}

namespace {

bool is_class_table(const std::string& text) {
  const std::string first = text.substr(0, text.find('\n'));
  return (first.starts_with("\"student\",") && first.ends_with(",\"points\",\"of\"")) ||
         first.starts_with("\"lesson\",\"step\",\"question\",\"answers\",");
}

// Collects sheets under the first spelling of each name.
class ClassReader {
 public:
  void read_file(const std::string& file) {
    const bool is_codes = file.ends_with(".txt");
    try {
      const std::string text = read_text_file(file, is_codes ? "list of codes" : "result sheet", max_sheet_bytes);
      if (is_codes ? text.find(':') == std::string::npos : is_class_table(text)) return;
      results_.files.push_back(file);
      if (!is_codes) {
        for (ResultSheet& sheet : parse_result_sheets(text, file)) add(std::move(sheet), file);
        return;
      }
      std::istringstream lines(text);
      int number = 0;
      for (std::string line; std::getline(lines, line);) {
        ++number;
        line = tidy_text(line);
        if (!line.empty() && line.front() != '#') add_code(line, file + ":" + std::to_string(number));
      }
    } catch (const InputError& problem) {
      results_.problems.push_back(problem.message());
    }
  }

  void add_code(const std::string& line, const std::string& origin) {
    try {
      const std::size_t colon = line.rfind(':');
      const std::string student = tidy_text(line.substr(0, colon));
      if (colon == std::string::npos || student.empty())
        throw InputError("\"{}\" is not a code with a name. Write the name, a colon and the code.", line);
      ResultSheet sheet = read_result_code(tidy_text(line.substr(colon + 1)), all_lessons());
      sheet.student = student;
      add(std::move(sheet), origin);
    } catch (const InputError& problem) {
      results_.problems.push_back(Message("{}: {}", origin, problem.message()));
    }
  }

  ClassResults finish() {
    std::sort(results_.sheets.begin(), results_.sheets.end(), [](const ResultSheet& a, const ResultSheet& b) {
      return std::pair(a.student, a.lesson) < std::pair(b.student, b.lesson);
    });
    return std::move(results_);
  }

 private:
  void add(ResultSheet sheet, const std::string& origin) {
    const std::string given = tidy_text(sheet.student);
    sheet.student = names_.try_emplace(folded_text(given), given).first->second;
    if (sheet.student != given)
      results_.notes.push_back(
          Message("{}: \"{}\" counts as \"{}\". Correct one of the names if these are two students.", origin, given,
                  sheet.student));
    const auto same = std::find_if(results_.sheets.begin(), results_.sheets.end(), [&](const ResultSheet& other) {
      return other.student == sheet.student && other.lesson == sheet.lesson;
    });
    if (same == results_.sheets.end())
      results_.sheets.push_back(std::move(sheet));
    else if (sheet.points() > same->points())
      *same = std::move(sheet);
  }

  ClassResults results_;
  std::map<std::string, std::string> names_;  // by the folded name: the spelling that is shown
};

}  // namespace

ClassResults read_class_results(const std::string& folder, const std::vector<std::string>& codes) {
  std::vector<std::string> files;
  std::error_code error;
  if (!folder.empty())
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
      if (entry->path().extension() == ".csv" || entry->path().extension() == ".txt")
        files.push_back(entry->path().string());
  if (error)
    throw InputError("Cannot read the folder \"{}\": {}. Name a folder of result sheets.", folder, error.message());
  std::sort(files.begin(), files.end());
  ClassReader reader;
  for (const std::string& file : files) reader.read_file(file);
  for (const std::string& code : codes) reader.add_code(code, "--code");
  return reader.finish();
}

}  // namespace perturb
