// The answers of a class to the open question of a lesson, for the teacher's page.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "app/lessons/lesson_session.h"

namespace perturb {

// `leader`: the teacher's session, at whose step `pupils` are. Without names, since it may be on a projector. What is
// right is only there once the results are shown. In the question's units. The keys are in docs/web.md, "A served run".
nlohmann::ordered_json json_of_class(const LessonSession& leader, const std::vector<const LessonSession*>& pupils);

}  // namespace perturb
