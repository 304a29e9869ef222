// The answers of a class to the open question of a lesson, for the teacher's page.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "app/lessons/lesson_session.h"
#include "app/lessons/result_sheet.h"

namespace perturb {

// The pupils' answers to the question of the step at which `leader` is, the teacher's session. Without names, since it
// may be on a projector. What is right is only there once the results are shown: as the teacher's run has measured it,
// or that of a pupil. In the question's units. The keys are in docs/web.md, "A served run".
nlohmann::ordered_json json_of_class(const LessonSession& leader, const std::vector<const LessonSession*>& pupils);
// The answer of the call "class_results": a table of these sheets, and the name of its file.
nlohmann::ordered_json json_of_results(const Lesson& lesson, const std::vector<ResultSheet>& sheets);

}  // namespace perturb
