// Result sheets: what a student answered in one lesson, as a CSV file, and the table of a class made from such files.
#pragma once

#include <string>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "cuda/core/backend/message.h"

namespace perturb {

struct ResultRow {
  int step = 0;                                       // from 1
  std::string question, first_answer, second_answer;  // empty: not given
  int points = 0, max_points = 0;
};

struct ResultSheet {
  std::string student, lesson;  // "wave/two-slits"
  std::vector<ResultRow> rows;  // one for each question, answered or not
  int points() const;
  int max_points() const;
};

// Throws InputError if a sheet would have no name.
void require_student(const std::string& student);
ResultSheet result_sheet_of(const LessonSession& lesson, const std::string& student);

// One row per question: "student,lesson,step,question,first_answer,second_answer,points,max_points". A text that a
// spreadsheet would take for a formula gets an apostrophe in front. Begins with a byte order mark: without it,
// spreadsheets do not read the names of students as UTF-8.
std::string result_sheet_as_csv(const ResultSheet& sheet);
// Those of a class, one after the other.
std::string result_sheets_as_csv(const std::vector<ResultSheet>& sheets);
// The rows of a table of a class in the same form.
std::string class_table_as_csv(const std::vector<std::vector<std::string>>& rows);
// At least one sheet. Error messages call the file `name`. Throws InputError with file and line, also for points that
// no lesson gives and for a step that is there twice.
std::vector<ResultSheet> parse_result_sheets(const std::string& text, const std::string& name);
// "ada-lovelace-wave-two-slits", for the name of a file.
std::string result_sheet_stem(const ResultSheet& sheet);

struct ClassResults {
  std::vector<ResultSheet> sheets;  // the best one of each student and lesson, sorted by student and lesson
  std::vector<Message> problems;    // of files and codes that cannot be read
  std::vector<Message> notes;       // about names that count as the same student
  std::vector<std::string> files;   // all that were read, also those with problems
};
// The result sheets (*.csv) in this folder, the codes (result_code.h) in its text files (*.txt), and these codes, both
// as "NAME: CODE". Names that differ in blanks, Unicode form or case are one student. Tables of a class and texts
// without a colon are skipped; other files are reported as problems. An empty folder name: only the codes. Throws
// InputError if the folder cannot be read.
ClassResults read_class_results(const std::string& folder, const std::vector<std::string>& codes = {});

}  // namespace perturb
