// How far somebody has come in each lesson, kept from run to run.
#pragma once

#include <map>
#include <string>

namespace perturb {

struct LessonScore {
  int step = 0;            // that was open last, from 0
  int current_points = 0;  // points up to there, when it was taken last
  int best_points = 0;     // the most that were had at an end
  int max_points = 0;      // points that there were; 0: it was never taken to the end
};

// "$XDG_STATE_HOME/perturb/lessons.json", else in ~/.local/state; empty where neither is set.
std::string lesson_progress_path();

class LessonProgress {
 public:
  // Begins with what the file says. One that is not there says nothing; so does a damaged one, or one that a newer
  // program wrote: `note` then says so in a sentence, and nothing is written over it. An empty path keeps nothing.
  explicit LessonProgress(std::string path = {}, std::string* note = nullptr);

  // By lesson, "wave/two-slits"; null where it was never opened.
  const LessonScore* score_of(const std::string& lesson) const;
  // The step that is open and the points up to there. At the end, where `of` is all that there were (else 0), the best
  // are kept. Writes
  // the file. Throws Error when that fails: once, for then nothing more is written.
  void reach(const std::string& lesson, int step, int points, int max_points);

 private:
  std::string path_;
  std::map<std::string, LessonScore> scores_;
};

}  // namespace perturb
