// The results command: tables for a class, made from the result sheets of its students.
#include <algorithm>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/commands.h"
#include "app/cli/terminal.h"
#include "app/io/files/csv.h"
#include "app/io/files/output.h"
#include "app/io/files/same_file.h"
#include "app/lessons/result_sheet.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/format.h"

namespace perturb {

namespace {

using Rows = std::vector<std::vector<std::string>>;  // the first one is the heading

// One row per student, one column per lesson, and the sum.
Rows rows_of_students(const std::vector<ResultSheet>& sheets) {
  std::vector<std::string> lessons, students;
  for (const ResultSheet& sheet : sheets) {
    lessons.push_back(sheet.lesson);
    students.push_back(sheet.student);
  }
  for (auto* names : {&lessons, &students}) {
    std::sort(names->begin(), names->end());
    names->erase(std::unique(names->begin(), names->end()), names->end());
  }
  Rows rows(1, {"student"});
  rows[0].insert(rows[0].end(), lessons.begin(), lessons.end());
  rows[0].insert(rows[0].end(), {"points", "of"});
  for (const std::string& student : students) {
    std::vector<std::string> row = {student};
    int points = 0, max_points = 0;
    for (const std::string& lesson : lessons) {
      const auto sheet = std::find_if(sheets.begin(), sheets.end(), [&](const ResultSheet& one) {
        return one.student == student && one.lesson == lesson;
      });
      row.push_back(sheet == sheets.end() ? "" : std::to_string(sheet->points()));
      if (sheet != sheets.end()) {
        points += sheet->points();
        max_points += sheet->max_points();
      }
    }
    row.insert(row.end(), {std::to_string(points), std::to_string(max_points)});
    rows.push_back(std::move(row));
  }
  return rows;
}

// One row per question: how many students answered it, how many had all points, and the mean.
Rows rows_of_questions(const std::vector<ResultSheet>& sheets) {
  struct Sum {
    std::string question;
    int answers = 0, full = 0, points = 0, max_points = 0;
  };
  std::map<std::pair<std::string, int>, Sum> sums;
  for (const ResultSheet& sheet : sheets)
    for (const ResultRow& row : sheet.rows) {
      Sum& sum = sums[{sheet.lesson, row.step}];
      sum.question = row.question;
      if (row.first_answer.empty()) continue;
      ++sum.answers;
      sum.full += row.points == row.max_points ? 1 : 0;
      sum.points += row.points;
      sum.max_points += row.max_points;
    }
  Rows rows(1, {"lesson", "step", "question", "answers", "all points", "mean %"});
  for (const auto& [key, sum] : sums)
    rows.push_back({key.first, std::to_string(key.second), sum.question, std::to_string(sum.answers),
                    std::to_string(sum.full),
                    sum.max_points > 0 ? format_number(100.0 * sum.points / sum.max_points, 3) : ""});
  return rows;
}

}  // namespace

int results_command(const ResultsOptions& options) {
  if (options.folder.empty() && options.codes.empty())
    throw InputError("Name the folder of the result sheets: perturb results FOLDER.");
  if (!options.csv.empty()) require_writable(options.csv);
  const ClassResults results = read_class_results(options.folder, options.codes);
  if (!options.csv.empty())
    for (const std::string& sheet : results.files) require_not_read("--csv", options.csv, sheet);
  for (const auto* messages : {&results.problems, &results.notes})
    for (const Message& message : *messages) print_line(std::cerr, message.english());
  if (results.sheets.empty() && options.folder.empty())
    throw InputError("No code can be read. Correct them as the lines above say.");
  if (results.sheets.empty())
    throw InputError(
        "There are no result sheets in \"{}\". Put the students' .csv files there, or codes in a .txt file.",
        options.folder);
  const Rows rows = options.questions ? rows_of_questions(results.sheets) : rows_of_students(results.sheets);
  TextTable table(rows.front());
  for (std::size_t k = 1; k < rows.size(); ++k) table.add(rows[k]);
  table.print(std::cout);
  if (options.csv.empty()) return results.problems.empty() ? 0 : 1;
  save_text(class_table_as_csv(rows), options.csv);
  print_line(std::cout, "Wrote " + options.csv);
  return results.problems.empty() ? 0 : 1;
}

}  // namespace perturb
