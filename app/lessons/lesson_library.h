// The lessons that there are: those that the program carries, and a user's own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/io/preset/lesson_text.h"

namespace perturb {

struct LessonLibrary {
  std::vector<std::shared_ptr<const Lesson>> lessons;  // by simulation, as the catalog has them; then by order and id
  std::vector<std::string> problems;                   // of files that are no lessons: sentences
};

// "$XDG_DATA_HOME/perturb/lessons", else in ~/.local/share; empty where neither is set. Files lie there as in
// assets/lessons: <simulation>/*.toml.
std::string user_lessons_folder();

// The lessons that the program carries and those below `folder`, of which one takes the place of a carried one of its
// name. A folder that is not there has none. A file that is no lesson is a problem, and the others are found.
LessonLibrary find_lessons(const std::string& folder);
// The same with the user's own folder, looked through once, when first asked for.
const LessonLibrary& all_lessons();

// "wave/two-slits", "two-slits" where no other lesson is called so, or a path to a .toml file. Throws InputError with
// the nearest name, or file, line and column.
std::shared_ptr<const Lesson> load_lesson(const std::string& lesson);

}  // namespace perturb
