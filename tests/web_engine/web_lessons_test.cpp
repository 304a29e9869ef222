// Lessons in the page's engine: every question takes an answer while the scene runs, and answers persist across a
// reload.
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/run/runner.h"
#include "app/web/engine/web_run.h"
#include "tests/support/reach.h"
#include "tests/web_engine/web_engine_fixture.h"

namespace perturb {
namespace {

using Json = nlohmann::ordered_json;

// A job replaces the status: a reference to it in an argument list next to a job would dangle if the compiler evaluates
// it first (clang does).
static_assert(!std::is_reference_v<decltype(std::declval<WebRun&>().status())>);
static_assert(!std::is_reference_v<decltype(std::declval<const Runner&>().status())>);

// A horizontal line over the whole width, at half the height.
Json level_sketch(const Json& sketch) {
  Json points = Json::array();
  const double x0 = sketch["x"][0], x1 = sketch["x"][1], y0 = sketch["y"][0], y1 = sketch["y"][1];
  for (int k = 0; k <= 20; ++k) points.push_back({x0 + (x1 - x0) * k / 20, 0.5 * (y0 + y1)});
  return points;
}

Json answer_to(const Json& question) {
  if (question["kind"] == "choice") {
    // Without a GPU some kernels cannot be chosen.
    const Json& missing = question["missing"];
    std::size_t first = 0;
    while (missing[first] != "") ++first;
    return {{"choice", first}};
  }
  if (question["kind"] == "sketch") return {{"sketch", level_sketch(question["sketch"])}};
  return {{"number", "20"}};
}

class WebLessons : public WebEngineFixture {};

TEST_F(WebLessons, TakeAnAnswerToEveryQuestionWhileTheSceneRuns) {
  const Json catalog = done("catalog");
  ASSERT_GT(catalog["lessons"].size(), 0u);
  for (const Json& lesson : catalog["lessons"]) {
    SCOPED_TRACE(lesson["path"].get<std::string>());
    Json now = done("lesson_open", {{"path", lesson["path"]}});
    for (std::size_t k = 0; k < now["lesson"]["steps"].size(); ++k) {
      if (k > 0) now = done("lesson_step", {{"index", k}});
      const Json question = now["step"]["question"];
      if (question.is_null()) continue;
      done("advance", {{"steps", 3}, {"milliseconds", 20}});
      const Json answered = done("lesson_answer", answer_to(question));
      // Wrong and already decided: the hint, and nothing about the right answer.
      if (answered["answer"].is_null()) {
        EXPECT_TRUE(answered["first_try"]["awaits_second"].get<bool>()) << "step " << k;
        EXPECT_NE(answered["first_try"]["hint"], "") << "step " << k;
        EXPECT_FALSE(answered["first_try"].contains("found")) << "step " << k;
        continue;
      }
      EXPECT_TRUE(answered["answer"]["waits"] || answered["answer"].contains("found")) << "step " << k;
      if (has_small_reach()) break;  // one question of each lesson
    }
  }
}

TEST_F(WebLessons, MeasureKernelsAfterThePrediction) {
  SKIP_AT_SMALL_REACH("times the kernels of a large tank, and touches no new memory");
  done("lesson_open", {{"path", "wave/faster-kernel"}});
  Json now = done("lesson_step", {{"index", 3}});
  ASSERT_EQ(now["step"]["kernels"].size(), 4u) << now.dump();
  EXPECT_EQ(now["step"]["kernels"][1]["missing"], "needs an NVIDIA GPU") << now["step"]["kernels"].dump();
  now = done("lesson_answer", {{"number", "4"}});
  while (now["first_try"].is_null() && now["answer"]["waits"]) {
    done("advance", {{"steps", 1}});
    done("look", {{"curves", false}});
    now = done("lesson_look");
  }
  EXPECT_GT(now["step"]["kernels"][0]["seconds"].get<double>(), 0);
  EXPECT_TRUE(now["step"]["kernels"][1]["seconds"].is_null());
}

TEST_F(WebLessons, LeaveOutLessonsThatNeedTheWindow) {
  const Json catalog = done("catalog");
  const char* path = "wave/edit-kernel";
  for (const Json& lesson : catalog["lessons"]) EXPECT_NE(lesson["path"], path);
  const std::string reply = call("lesson_open", {{"path", path}}).dump();
  EXPECT_NE(reply.find("only the desktop program has"), std::string::npos) << reply;
  EXPECT_EQ(done("lesson_open", {{"path", "wave/faster-kernel"}})["next"]["path"], "wave/one-cell");
}

class KeptLesson : public WebEngineFixture {
 protected:
  // The first question answered and measured; the second one answered, but still pending.
  Json answered_and_kept() {
    done("lesson_open", {{"path", "wave/two-slits"}});
    Json now = answer_and_measure({{"number", "2"}});
    EXPECT_EQ(now["points"], 2) << now.dump();
    now = done("lesson_step", {{"index", 1}});
    done("lesson_answer", answer_to(now["step"]["question"]));
    return done("lesson_look")["kept"];
  }
};

TEST_F(KeptLesson, IsRestoredWithAnswersAndPoints) {
  WebEngine other(1);
  const Json kept = answered_and_kept();
  ASSERT_EQ(kept["answers"].size(), 2u) << kept.dump();
  const Json now = done(other, "lesson_open", kept);
  EXPECT_EQ(now["index"], 1);
  EXPECT_EQ(now["points"], 2);
  EXPECT_TRUE(now["answer"]["waits"]);
  EXPECT_EQ(done(other, "lesson_look")["kept"], kept) << "and is kept as it was";
  const Json before = done(other, "lesson_step", {{"index", 0}});
  EXPECT_FALSE(before["answer"]["waits"]);
  EXPECT_EQ(before["answer"]["given"], "2");
}

TEST_F(KeptLesson, KeepsBothTries) {
  done("lesson_open", {{"path", "wave/moving-source"}});
  Json now = done("lesson_answer", {{"number", "5"}});
  EXPECT_TRUE(now["answer"].is_null());
  EXPECT_TRUE(now["first_try"]["awaits_second"]);
  EXPECT_EQ(now["first_try"]["given"], "5");
  EXPECT_NE(now["first_try"]["hint"], "");
  EXPECT_EQ(now["points_to_gain"], 1);
  EXPECT_NE(now["lesson"]["learned"], "");
  EXPECT_EQ(now["next"]["path"], "wave/refraction");
  const Json after_first = done("lesson_look")["kept"];
  WebEngine other(1);
  now = done(other, "lesson_open", after_first);
  EXPECT_TRUE(now["first_try"]["awaits_second"]);
  now = done(other, "lesson_answer", {{"number", "1.36"}});
  EXPECT_EQ(now["points"], 1);
  EXPECT_FALSE(now["first_try"]["awaits_second"]);
  const Json after_second = done(other, "lesson_look")["kept"];
  ASSERT_EQ(after_second["answers"].size(), 2u) << after_second.dump();
  WebEngine third(1);
  now = done(third, "lesson_open", after_second);
  EXPECT_EQ(now["points"], 1);
  EXPECT_EQ(now["answer"]["given"], "1.36");
  EXPECT_EQ(done(third, "lesson_look")["kept"], after_second);
}

TEST_F(KeptLesson, LeavesOutAnswersThatAreDamagedOrNoLongerAsked) {
  const Json kept = answered_and_kept();
  const auto points_of = [&](const Json& answers) {
    Json with = kept;
    with["answers"] = answers;
    with["index"] = 999;
    const Json now = done("lesson_open", with);
    EXPECT_EQ(now["index"], now["lesson"]["steps"].size() - 1);
    return now["points"].get<int>();
  };
  EXPECT_EQ(points_of(kept["answers"]), 2);
  Json first = kept["answers"][0];
  const auto changed = [&](const char* key, const Json& value) {
    Json one = first;
    one[key] = value;
    return Json::array({one});
  };
  EXPECT_EQ(points_of(changed("question", "Another one?")), 0);
  EXPECT_EQ(points_of(changed("given", "many")), 0);
  EXPECT_EQ(points_of(changed("step", 77)), 0);
  EXPECT_EQ(points_of(changed("step", "x")), 0);
  EXPECT_EQ(points_of(changed("found", 7)), 0) << "points are counted again";
  EXPECT_EQ(points_of(changed("right_choice", 5)), 0);
  EXPECT_EQ(points_of({1, "x", nullptr, Json::array()}), 0);
  Json sketch = kept["answers"][1];
  sketch["sketch"] = {{1}, {2}};
  EXPECT_EQ(points_of(Json::array({sketch})), 0);
}

TEST_F(WebLessons, MakeSheetsForTeachersWithLinkAndCode) {
  const Json sheet = done("teacher_sheet", {{"path", "wave/one-cell"},
                                            {"language", "en"},
                                            {"link", "https://a.org/#l=wave/one-cell"},
                                            {"qr", {"10", "01"}}});
  const auto page = sheet["page"].get<std::string>();
  for (const char* part : {"One cell under the microscope", "https://a.org/#l=wave/one-cell", "M1 1h1v1h-1z"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace perturb
