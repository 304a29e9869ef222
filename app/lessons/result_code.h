// Short codes of results: what a student reads out where no file can be handed in. A code carries no signature, so it
// is no protection against cheating.
#pragma once

#include <string>

#include "app/lessons/lesson_library.h"
#include "app/lessons/result_sheet.h"

namespace perturb {

// "BFBM-36G5-22R2": the lesson and the points of each question, in 12 to 24 characters without 0, 1, I, L and O. Two of
// them are a checksum, so that one or two wrong characters, and any two exchanged ones, are noticed. Empty if the
// lesson has no questions, or more than a code holds (30).
std::string result_code(const ResultSheet& sheet);

// The sheet of a code, without its student and with `answer_in_code` for each answer. Case, blanks and dashes do not
// matter. Throws InputError with what to do, also for a lesson that is not in the library.
ResultSheet read_result_code(const std::string& code, const LessonLibrary& library);
inline constexpr const char* answer_in_code = "(in a code)";

}  // namespace perturb
