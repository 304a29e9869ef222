// Progress of the user in each lesson, stored across sessions.
#pragma once

#include <map>
#include <string>

#include "cuda/core/backend/message.h"

namespace perturb {

struct LessonScore {
  int step = 0;            // the last open step, from 0
  int current_points = 0;  // points up to there, in the last attempt
  int best_points = 0;     // the most points of a completed attempt
  int max_points = 0;      // maximum points of the lesson; 0: never completed
};

// "$XDG_STATE_HOME/perturb/lessons.json", else in ~/.local/state; empty if neither variable is set.
std::string lesson_progress_path();

class LessonProgress {
 public:
  // Reads the file. A missing file counts as empty. So does a damaged file or one of a newer program: `note` then
  // receives a message, and the file is not overwritten. With an empty path nothing is stored.
  explicit LessonProgress(std::string path = {}, Message* note = nullptr);

  // By lesson, "wave/two-slits"; null if it was never opened.
  const LessonScore* score_of(const std::string& lesson) const;
  // Stores the open step and the points up to there, and writes the file. `max_points`: at the end of the lesson its
  // maximum, so that the best result is stored; else 0. Throws Error if writing fails: once, because nothing is written
  // after that.
  void reach(const std::string& lesson, int step, int points, int max_points);

 private:
  std::string path_;
  std::map<std::string, LessonScore> scores_;
};

}  // namespace perturb
