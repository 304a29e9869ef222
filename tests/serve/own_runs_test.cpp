// A class in which every browser has a run of its own: who is at which step, the answers, and the results.
#include "app/serve/own_runs.h"

#include <cstddef>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "app/lessons/lesson_library.h"
#include "app/lessons/result_sheet.h"
#include "tests/serve/recorded_run.h"

namespace perturb {
namespace {

class OwnRunsTest : public RecordedRun {
 protected:
  OwnRunsTest() : lesson_(load_lesson("wave/two-slits")) {
    served_ = std::make_unique<OwnRuns>(people_, "http://127.0.0.1/join#" + people_.code());
    while (!lesson_->steps[asked_].question || lesson_->steps[asked_].question->choices.empty()) ++asked_;
  }
  // An answer as a page keeps it; `right`: the run has shown that this choice is the right one.
  Json kept(int choice, int right) const {
    const LessonQuestion& question = *lesson_->steps[asked_].question;
    return {{"step", asked_},
            {"question", question.text},
            {"given", question.choices.at(static_cast<std::size_t>(choice)).text},
            {"choice", choice},
            {"found", 1.0},
            {"right_choice", right}};
  }
  void keep(const Browser& pupil, std::size_t index, const Json& answers = Json::array()) {
    done(pupil, "keep", {{"path", lesson_->path()}, {"index", index}, {"answers", answers}});
  }
  void lead(const Browser& teacher, std::size_t index) {
    done(teacher, "lead", {{"path", lesson_->path()}, {"index", index}});
  }
  // The first push of answers in which `key` has this value.
  Json answers_with(const Browser& teacher, const char* key, int value) {
    Json found;
    run_until([&] {
      for (const Json& one : teacher.socket->pushes("answers"))
        if (one[key] == value) found = one;
      return !found.is_null();
    });
    return found;
  }

  const std::shared_ptr<const Lesson> lesson_;
  std::size_t asked_ = 0;  // the first step with choices
};

TEST_F(OwnRunsTest, PupilsAreToldTheLessonAtOnceAndLater) {
  const Browser teacher = enter(""), ada = enter("Ada");
  lead(teacher, 0);
  lead(teacher, 1);
  ASSERT_EQ(ada.socket->pushes("lead").size(), 1u) << "another step is not another lesson";
  EXPECT_EQ(ada.socket->pushes("lead")[0]["lesson"], "wave/two-slits");
  const Browser bob = enter("Bob");
  EXPECT_EQ(done(bob, "hello")["lesson"], "wave/two-slits");
  done(teacher, "lead", {{"path", ""}});
  const Browser eve = enter("Eve");
  EXPECT_TRUE(done(eve, "hello")["lesson"].is_null());
}

TEST_F(OwnRunsTest, TeacherSeesStepsAndAnswersOfTheOwnStep) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob"), eve = enter("Eve");
  lead(teacher, asked_);
  keep(ada, asked_ + 1, Json::array({kept(0, 0)}));
  keep(bob, asked_, Json::array({kept(1, 0)}));  // and may try again
  const Json answers = answers_with(teacher, "given", 2);
  EXPECT_EQ(answers["lesson"], "wave/two-slits");
  EXPECT_EQ(answers["step"], asked_);
  EXPECT_EQ(answers["people"], 3) << "Eve has not begun";
  EXPECT_EQ(answers["given"], 2);
  EXPECT_EQ(answers["at"][asked_], 1);
  EXPECT_EQ(answers["at"][asked_ + 1], 1);
  EXPECT_EQ(answers["counts"][0], 1);
  EXPECT_EQ(answers["counts"][1], 1);
  EXPECT_FALSE(answers.contains("right"));
  done(teacher, "show_results");
  run_until([&] { return teacher.socket->pushes("answers").back()["shown"] == true; });
  EXPECT_EQ(teacher.socket->pushes("answers").back()["right"], 0) << "as a pupil's run has measured it";
  EXPECT_TRUE(ada.socket->pushes("answers").empty());
  const Json people = done(teacher, "people");
  const auto person = [&](const std::string& name) {
    for (const Json& one : people["people"])
      if (one["name"] == name) return one;
    return Json();
  };
  EXPECT_EQ(person("Ada")["lesson"]["points"], max_points_of_answer);
  EXPECT_EQ(person("Ada")["lesson"]["step"], asked_ + 1);
  EXPECT_FALSE(person("Eve").contains("lesson"));
}

TEST_F(OwnRunsTest, ResultsAreThoseOfTheSheets) {
  const Browser teacher = enter(""), ada = enter("Ada"), bob = enter("Bob");
  EXPECT_NE(refusal(teacher, "class_results"), "") << "no lesson is open";
  lead(teacher, 0);
  keep(ada, asked_ + 1, Json::array({kept(0, 0)}));
  keep(bob, asked_, Json::array({kept(1, 0), kept(0, 0)}));  // a wrong first try, and a second one
  const Json file = done(teacher, "class_results");
  EXPECT_EQ(file["file"], "results-wave-two-slits.csv");
  const auto sheets = parse_result_sheets(file["text"], "results");
  ASSERT_EQ(sheets.size(), 2u);
  EXPECT_EQ(sheets[0].student, "Ada");
  EXPECT_EQ(sheets[0].points(), max_points_of_answer);
  EXPECT_LT(sheets[1].points(), max_points_of_answer);
}

TEST_F(OwnRunsTest, AnswersLastWhileTheirPupilIsAway) {
  const Browser teacher = enter("");
  lead(teacher, asked_);
  const Browser ada = enter("Ada");
  keep(ada, asked_, Json::array({kept(0, 0)}));
  EXPECT_EQ(answers_with(teacher, "given", 1)["step"], asked_);
  close(ada);
  lead(teacher, asked_ + 1);
  EXPECT_EQ(answers_with(teacher, "step", static_cast<int>(asked_) + 1)["people"], 1);
}

TEST_F(OwnRunsTest, RefusesWhatARoleMayNotDo) {
  const Browser teacher = enter(""), ada = enter("Ada");
  for (const char* call : {"lead", "show_results", "class_results", "people", "allow", "remove", "names"})
    EXPECT_EQ(refusal(ada, call), "Only the teacher can do this.") << call;
  EXPECT_NE(refusal(teacher, "keep", {{"path", "wave/two-slits"}}), "");
  EXPECT_NE(refusal(ada, "gesture", event("droplet", "press", 1, 1)), "") << "that is for the own run";
  // Neither a file nor anything but a lesson's name.
  for (const char* path : {"/etc/passwd", "../secret.toml", "wave/nothing", ""})
    EXPECT_NE(refusal(ada, "keep", {{"path", path}}), "") << path;
  // Damaged answers are skipped, as from a page's storage.
  done(ada, "keep",
       {{"path", lesson_->path()}, {"index", 9999}, {"answers", {{{"step", -1}}, "x", {{"step", 1e9}}, nullptr}}});
  EXPECT_EQ(done(ada, "locate"), Json::object());
}

}  // namespace
}  // namespace perturb
