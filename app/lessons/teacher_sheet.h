// Sheets for teachers: a lesson on paper.
#pragma once

#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"

namespace perturb {

// A page that opens the lesson.
struct LessonLink {
  std::string address;          // empty: unknown
  std::vector<std::string> qr;  // the rows of its QR code, with '1' for dark modules; empty: none
};

// A page of HTML in one file, without scripts, in the selected language and for the selected front end (language.h):
// aim, time, prior knowledge, what to do, and each question with its right answer, typical wrong ones and the ideas
// behind them.
std::string teacher_sheet(const Lesson& lesson, const LessonLink& link = {});

// Name of its file, without ending: "sheet-wave-two-slits".
std::string teacher_sheet_stem(const Lesson& lesson);

}  // namespace perturb
