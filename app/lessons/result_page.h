// Result sheets for paper.
#pragma once

#include <string>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "cuda/core/simulation/diagnostics.h"

namespace perturb {

// A page of HTML in one file, without scripts, in the selected language: name, date, lesson, points and code; each
// question with its answers, and the sketch over the measured curve; and these curves, which are in displayed units.
std::string result_page(const LessonSession& lesson, const std::string& student, const std::string& date,
                        const std::vector<Curve>& plots);

}  // namespace perturb
