// Lessons: answers, tries and their points, stored progress, and what every bundled lesson has.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/io/files/text_file.h"
#include "app/lessons/lesson_answers.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_progress.h"
#include "app/lessons/lesson_session.h"
#include "app/lessons/teacher_sheet.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/studies/paper.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"
#include "tests/support/lesson_step.h"
#include "tests/support/reach.h"

namespace perturb {
namespace {

TEST(LessonPoints, DropAtOneAndThreeTolerances) {
  EXPECT_EQ(points_for_number(1, 1, 0.1), 2);
  EXPECT_EQ(points_for_number(1.1, 1, 0.1), 2) << "the edge itself";
  EXPECT_EQ(points_for_number(0.9, 1, 0.1), 2);
  EXPECT_EQ(points_for_number(1.1001, 1, 0.1), 1);
  EXPECT_EQ(points_for_number(0.8999, 1, 0.1), 1);
  EXPECT_EQ(points_for_number(1.3, 1, 0.1), 1);
  EXPECT_EQ(points_for_number(1.3001, 1, 0.1), 0);
  EXPECT_EQ(points_for_number(-220, -200, 0.1), 2);
  EXPECT_EQ(points_for_number(200, -200, 0.1), 0);
  EXPECT_EQ(points_for_number(0, 0, 0.1), 2);
  EXPECT_EQ(points_for_number(1e-9, 0, 0.1), 0);
  EXPECT_EQ(points_for_choice(1, 1), 2);
  EXPECT_EQ(points_for_choice(0, 1), 0);
}

TEST(LessonPoints, AcceptNumbersOnly) {
  EXPECT_EQ(parse_answer("0.25"), 0.25);
  EXPECT_EQ(parse_answer("0,25"), 0.25) << "a decimal comma";
  EXPECT_EQ(parse_answer(" 2 * pi / 5 "), 2 * std::numbers::pi / 5);
  for (const char* wrong : {"", " ", "abc", "1,250", "1,5,2", "1/0", "twice"})
    EXPECT_THROW(parse_answer(wrong), InputError) << wrong;
}

TEST(LessonPoints, AcceptFormulasAsStudentsWriteThem) {
  const double degree = std::numbers::pi / 180;
  EXPECT_DOUBLE_EQ(parse_answer("188*tan(asin(20/64))"), 188 * std::tan(std::asin(20.0 / 64)));
  EXPECT_DOUBLE_EQ(parse_answer("asin(20/64)/deg"), std::asin(20.0 / 64) / degree);
  EXPECT_DOUBLE_EQ(parse_answer("sin(30*deg)"), std::sin(30 * degree));
  EXPECT_DOUBLE_EQ(parse_answer("sin(30\u00b0)"), std::sin(30 * degree));
  EXPECT_DOUBLE_EQ(parse_answer("acos(0,5) / deg + atan(1) / deg"), 105);
  EXPECT_DOUBLE_EQ(parse_answer("61,8"), 61.8);
  EXPECT_DOUBLE_EQ(parse_answer("2,5 * sqrt(0,25) - 1,5e-1"), 1.1);
  EXPECT_DOUBLE_EQ(parse_answer("0,125 + 1234,567"), 1234.692) << "cannot be thousands";
  EXPECT_DOUBLE_EQ(parse_answer("\u221a(16) \u00b7 3\u00b2 \u2212 2\u00d7\u03c0"), 36 - 2 * std::numbers::pi);
  EXPECT_DOUBLE_EQ(parse_answer("3\u00b3"), 27);
}

// Each message quotes the answer, gives the reason, and ends with what to do.
TEST(LessonPoints, ExplainWhyAnAnswerCannotBeRead) {
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      parse_answer(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::pair<const char*, std::vector<const char*>> all[] = {
      {"1,250", {"\"1,250\"", "thousands", "Write 1250"}},
      {"2 * 12,500", {"\"2 * 12,500\"", "thousands"}},
      {"1.234,5", {"\"1.234,5\"", "Type a number"}},
      {"tan(asin(20/64)", {"bracket", "Type a number"}},
      {"tan 3", {"tan needs brackets", "Type a number"}},
      {"asin(2)", {"\"asin(2)\" has no value", "Check the number"}},
      {"sqrt(0-1)", {"has no value"}},
      {"1/0", {"divides by zero", "Check the formula"}},
      {"deg(asin(0.5))", {"asin(0.5) / deg"}},
      {"2 pi", {"Unexpected \"pi\"", "Type a number"}},
      {"height / 2", {"\"height\"", "Type a number"}},
      {"", {"empty", "Type a number"}}};
  for (const auto& [text, parts] : all)
    for (const char* part : parts) EXPECT_NE(complaint(text).find(part), std::string::npos) << complaint(text);
}

// A made-up run: one measured number, one parameter.
class LessonAnswers : public testing::Test {
 protected:
  LessonAnswers() {
    status_.info = &find_simulation("wave");
    status_.scene = std::make_shared<const Scene>();
    for (const Parameter& p : status_.info->parameters) status_.parameters.push_back(p.initial);
  }
  Diagnostics at(std::int64_t step, double height) const {
    Diagnostics diagnostics;
    diagnostics.step = step;
    diagnostics.scalars.push_back({"max_height", "Height", "height", height});
    return diagnostics;
  }
  static LessonSession begun(const std::string& text) {
    return LessonSession(std::make_shared<const Lesson>(parse_lesson(text, "l.toml", "wave", "l")));
  }
  RunStatus status_;
};

TEST_F(LessonAnswers, CountAfterStepsOfRun) {
  LessonSession lesson = begun(first_step + "steps = 100\n[step.question]\ntext = 'Q'\nmeasured = 'max_height'\n");
  lesson.begin_step(40);
  EXPECT_FALSE(lesson.update(status_, at(200, 2))) << "not answered yet";
  lesson.submit_number("2.1");
  EXPECT_TRUE(lesson.is_pending());
  EXPECT_FALSE(lesson.update(status_, at(139, 2)));
  EXPECT_DOUBLE_EQ(lesson.progress(90), 0.5);
  lesson.submit_number("1.7");  // still open
  EXPECT_TRUE(lesson.update(status_, at(140, 3))) << "compared with the number of the step, not with a later one";
  EXPECT_EQ(lesson.answer()->points, 1);
  EXPECT_EQ(lesson.points(), 1);
  EXPECT_EQ(lesson.all_points(), 2);
  EXPECT_TRUE(lesson.is_done());
  lesson.submit_number("2");  // the number has been shown
  EXPECT_EQ(lesson.answer()->points, 1);
}

TEST_F(LessonAnswers, TheoryIsRightWhereTheRunAgreesWithIt) {
  LessonQuestion question;
  question.measured = "max_height";
  question.theory = "100";
  question.tolerance = 0.01;
  question.agreement = 0.1;
  EXPECT_EQ(points_for_answer(question, {108, 100, -1}, 100), 2) << "the run is 8 % off, as the question allows";
  EXPECT_EQ(points_for_answer(question, {108, 100, -1}, 108), 2);
  EXPECT_EQ(points_for_answer(question, {108, 100, -1}, 104), 0);
  EXPECT_EQ(points_for_answer(question, {112, 100, -1}, 100), 0) << "the run does not agree: what was measured counts";
  EXPECT_EQ(points_for_answer(question, {108, {}, -1}, 100), 0) << "there is no theory";
}

TEST_F(LessonAnswers, SayWhetherAFormulaHasNoValueYetOrNeverHasOne) {
  const auto complaint_of = [&](const std::string& formula) -> std::string {
    LessonQuestion question;
    question.theory = formula;
    return error_thrown_by([&] { find_numbers(question, numbers_of(status_, at(0, 2), {})); });
  };
  EXPECT_NE(complaint_of("1 / (max_height - 2)").find("no value yet. Let the simulation run"), std::string::npos);
  EXPECT_NE(complaint_of("1 / 0").find("no finite value. Correct it in the lesson"), std::string::npos);
  EXPECT_EQ(complaint_of("1 / max_height"), "");
}

const std::string sketch_question =
    "steps = 100\n[step.question]\ntext = 'Q'\ntolerance = 0.1\n[step.question.sketch]\ncurve = 'arc'\nx = [0, 1]\n"
    "y = [0, 1]\n";

TEST_F(LessonAnswers, ScoreSketchByDistance) {
  const auto curve = [](double height) {
    Curve arc;
    arc.id = "arc";
    for (int k = 0; k <= 100; ++k) arc.points.push_back({k / 100.0, height * std::sin(std::numbers::pi * k / 100)});
    return arc;
  };
  const LessonSketch asked{"arc", 0, 1, 0, 1, "", "", false};
  const std::vector<CurvePoint> flat = {{0, 0}, {1, 0}};
  // The mean of sin² over half a wave is a half.
  EXPECT_NEAR(compare_sketch(flat, asked, curve(2).points).distance, std::sqrt(0.5), 0.01);
  EXPECT_EQ(compare_sketch(curve(2).points, asked, curve(2).points).distance, 0);
  // Twice as high is as wrong as zero; but a free height does not count.
  EXPECT_NEAR(compare_sketch(curve(4).points, asked, curve(2).points).distance, std::sqrt(0.5), 0.01);
  LessonSketch free = asked;
  free.free_height = true;
  const SketchScore score = compare_sketch(curve(4).points, free, curve(2).points);
  EXPECT_NEAR(score.distance, 0, 1e-12);
  EXPECT_NEAR(score.factor, 0.5, 1e-12);
  EXPECT_THROW(compare_sketch(flat, asked, flat), InputError) << "nothing is measured yet";

  LessonSession lesson = begun(first_step + sketch_question);
  lesson.begin_step(0);
  EXPECT_THROW(lesson.submit_sketch({{0, 0.2}, {0.5, 0.4}}), InputError) << "half of the width";
  EXPECT_FALSE(lesson.answer());
  std::vector<CurvePoint> drawn = curve(1).points;
  for (CurvePoint& point : drawn) point.y += 0.14;
  lesson.submit_sketch(drawn);
  Diagnostics now = at(100, 1);
  EXPECT_FALSE(lesson.update(status_, now)) << "there is no such curve";
  EXPECT_NE(lesson.error().english().find("\"arc\""), std::string::npos) << lesson.error().english();
  now.curves.push_back(curve(1));
  ASSERT_TRUE(lesson.update(status_, now));
  EXPECT_NEAR(lesson.answer()->found->asked, 0.14, 1e-9);
  EXPECT_EQ(lesson.points(), 1) << "off by 1.4 times the tolerance";
  EXPECT_EQ(lesson.all_points(), 2);
}

TEST_F(LessonAnswers, CountStepsAgainAfterRestart) {
  LessonSession lesson = begun(first_step + "steps = 100\n[step.question]\ntext = 'Q'\nmeasured = 'max_height'\n");
  EXPECT_EQ(lesson.progress(1000), 0) << "the scene is still being made";
  lesson.begin_step(500);
  lesson.submit_number("2");
  lesson.on_run_rewound(0);
  EXPECT_EQ(lesson.progress(0), 0);
  EXPECT_FALSE(lesson.update(status_, at(99, 2)));
  EXPECT_TRUE(lesson.update(status_, at(100, 2)));
}

TEST_F(LessonAnswers, WaitForMissingNumber) {
  LessonSession lesson =
      begun(first_step + "[step.question]\ntext = 'Q'\nmeasured = 'max_height'\ntheory = '4 * wave_speed'\n");
  lesson.begin_step(0);
  lesson.submit_number("4");
  EXPECT_FALSE(lesson.update(status_, at(1, 0))) << "0 where theory says 4";
  EXPECT_NE(lesson.error(), "");
  EXPECT_TRUE(lesson.update(status_, at(2, 4.1)));
  EXPECT_EQ(lesson.error(), "");
  EXPECT_EQ(*lesson.answer()->found->theory, 4);
  EXPECT_TRUE(agrees_with_theory(*lesson.step().question, *lesson.answer()->found));
  EXPECT_FALSE(agrees_with_theory(*lesson.step().question, {4.3, 4.0, -1})) << "7 % compared with 5 %";
}

TEST_F(LessonAnswers, SayWhichNumberIsMissingAndWhy) {
  LessonSession lesson = begun(first_step + "[step.question]\ntext = 'Q'\nmeasured = '2 * max_height'\ntheory = '8'\n");
  lesson.begin_step(0);
  lesson.submit_number("8");
  Diagnostics now = at(1, no_value);
  EXPECT_FALSE(lesson.update(status_, now));
  EXPECT_EQ(lesson.error().english(), "Height: no value yet. Let the simulation run.");
  // The simulation's reason, if it has one for this number.
  now.remarks = {"Depth: no value yet, because the tank is empty.", "Height: no value yet. It appears in 20 steps."};
  EXPECT_FALSE(lesson.update(status_, now));
  EXPECT_EQ(lesson.error().english(), "Height: no value yet. It appears in 20 steps.");
  EXPECT_TRUE(lesson.update(status_, at(2, 4)));
  EXPECT_EQ(lesson.error(), "");
}

TEST_F(LessonAnswers, TakeNearestChoiceAndUseEarlierNumbers) {
  LessonSession lesson =
      begun(first_step + "[step.question]\nid = 'before'\ntext = 'Q'\nmeasured = 'max_height'\n" + first_step +
            "[step.question]\ntext = 'R'\nmeasured = 'max_height'\n"
            "[[step.question.choice]]\ntext = 'half'\nvalue = 'before / 2'\n"
            "[[step.question.choice]]\ntext = 'twice'\nvalue = '2 * before'\n");
  lesson.go_to(1);
  lesson.begin_step(0);
  lesson.submit_choice(1);
  EXPECT_FALSE(lesson.update(status_, at(0, 5.5)));
  EXPECT_NE(lesson.error().english().find("step 1"), std::string::npos) << lesson.error().english();
  lesson.go_to(0);
  lesson.begin_step(0);
  lesson.submit_number("3");
  EXPECT_TRUE(lesson.update(status_, at(0, 3)));
  lesson.go_to(1);
  lesson.begin_step(0);
  EXPECT_TRUE(lesson.update(status_, at(0, 5.5)));
  EXPECT_EQ(lesson.answer()->found->right_choice, 1);
  EXPECT_EQ(lesson.points(), 4);
}

const std::string question_with_hint =
    first_step +
    "steps = 100\n[step.question]\ntext = 'Q'\nmeasured = 'max_height'\nhint = 'Think.'\ntolerance = 0.1\n"
    "[[step.question.mistake]]\nvalue = '2 * wave_speed'\ntext = 'Twice.'\n"
    "[[step.question.mistake]]\nvalue = '50'\ntext = 'Fifty.'\n";

TEST_F(LessonAnswers, GiveHintAndSecondTryForHalfThePoints) {
  LessonSession lesson = begun(question_with_hint);
  lesson.begin_step(0);
  EXPECT_EQ(lesson.hint(), "");
  EXPECT_EQ(lesson.points_to_gain(), 2);
  lesson.submit_number("51");
  EXPECT_TRUE(lesson.update(status_, at(100, 7)));
  EXPECT_FALSE(lesson.answer()) << "nothing is shown yet";
  EXPECT_FALSE(lesson.is_pending());
  ASSERT_TRUE(lesson.first_try());
  EXPECT_TRUE(lesson.awaits_second_try());
  EXPECT_EQ(lesson.first_try()->given, "51");
  EXPECT_EQ(lesson.hint(), "Think.");
  EXPECT_EQ(lesson.explanation(), "Fifty.") << "at once";
  EXPECT_EQ(lesson.points_to_gain(), 1);
  EXPECT_EQ(lesson.points(), 0);
  EXPECT_TRUE(lesson.is_done()) << "the second try is optional";
  EXPECT_THROW(lesson.submit_number("51,0"), InputError) << "the same again";
  EXPECT_FALSE(lesson.answer());
  lesson.submit_number("7.1");
  EXPECT_TRUE(lesson.is_pending());
  EXPECT_FALSE(lesson.awaits_second_try());
  EXPECT_TRUE(lesson.update(status_, at(500, 9))) << "compared with 7, as the first one";
  ASSERT_TRUE(lesson.answer()->found);
  EXPECT_EQ(lesson.answer()->found->asked, 7);
  EXPECT_EQ(lesson.points(), 1);
  EXPECT_EQ(lesson.all_points(), 2);
  EXPECT_EQ(lesson.explanation(), "") << "the answer is right now";
  lesson.submit_number("7");
  EXPECT_EQ(lesson.answer()->given, "7.1") << "there is no third try";
}

TEST_F(LessonAnswers, ExplainTheMistakeOfAWrongSecondTry) {
  LessonSession lesson = begun(question_with_hint);
  lesson.begin_step(0);
  lesson.submit_number("1000");
  EXPECT_TRUE(lesson.update(status_, at(100, 7)));
  lesson.submit_number("2.1");
  EXPECT_TRUE(lesson.update(status_, at(100, 7)));
  EXPECT_EQ(lesson.points(), 0);
  EXPECT_EQ(lesson.answer()->mistake, 0);
  EXPECT_EQ(lesson.explanation(), "Twice.");
}

TEST_F(LessonAnswers, GiveNoSecondTryWithoutHintOrAfterPoints) {
  LessonSession nearly = begun(question_with_hint);
  nearly.begin_step(0);
  nearly.submit_number("8");
  EXPECT_TRUE(nearly.update(status_, at(100, 7)));
  EXPECT_FALSE(nearly.first_try());
  EXPECT_EQ(nearly.points(), 1);
  EXPECT_EQ(nearly.explanation(), "");
  LessonSession plain = begun(first_step + "[step.question]\ntext = 'Q'\nmeasured = 'max_height'\n");
  plain.begin_step(0);
  plain.submit_number("1000");
  EXPECT_TRUE(plain.update(status_, at(100, 7)));
  EXPECT_FALSE(plain.first_try());
  EXPECT_TRUE(plain.answer()->found);
}

const std::string choices_with_hint =
    first_step +
    "[step.question]\ntext = 'R'\nmeasured = 'max_height'\nhint = 'Think.'\n"
    "[[step.question.choice]]\ntext = 'one'\nvalue = '1'\nexplanation = 'Too small.'\n"
    "[[step.question.choice]]\ntext = 'two'\nvalue = '2'\n"
    "[[step.question.choice]]\ntext = 'four'\nvalue = '4'\nexplanation = 'Too large.'\n";

TEST_F(LessonAnswers, ExplainTheWrongChoice) {
  LessonSession lesson = begun(choices_with_hint);
  lesson.begin_step(0);
  lesson.submit_choice(0);
  EXPECT_TRUE(lesson.update(status_, at(1, 2)));
  EXPECT_TRUE(lesson.awaits_second_try());
  EXPECT_EQ(lesson.explanation(), "Too small.");
  EXPECT_THROW(lesson.submit_choice(0), InputError);
  lesson.submit_choice(2);
  EXPECT_TRUE(lesson.update(status_, at(1, 2)));
  EXPECT_EQ(lesson.explanation(), "Too large.");
  EXPECT_EQ(lesson.answer()->found->right_choice, 1);
  EXPECT_EQ(lesson.points(), 0);
}

TEST_F(LessonAnswers, RestoreBothTries) {
  LessonSession lesson = begun(choices_with_hint);
  lesson.begin_step(0);
  lesson.submit_choice(0);
  EXPECT_TRUE(lesson.update(status_, at(1, 2)));
  LessonSession after_first = begun(choices_with_hint);
  after_first.restore(0, *lesson.first_try());
  EXPECT_TRUE(after_first.awaits_second_try());
  EXPECT_EQ(after_first.hint(), "Think.");
  lesson.submit_choice(1);
  EXPECT_TRUE(lesson.update(status_, at(1, 2)));
  LessonSession after_second = begun(choices_with_hint);
  after_second.restore(0, *lesson.first_try());
  after_second.restore(0, *lesson.answer());
  EXPECT_EQ(after_second.points(), 1);
  EXPECT_EQ(after_second.explanation(), "");
}

TEST_F(LessonAnswers, CompareSecondSketchWithTheFirstMeasurement) {
  const auto curve = [](double height) {
    Curve arc;
    arc.id = "arc";
    for (int k = 0; k <= 100; ++k) arc.points.push_back({k / 100.0, height * std::sin(std::numbers::pi * k / 100)});
    return arc;
  };
  LessonSession lesson = begun(first_step +
                               "steps = 100\n[step.question]\ntext = 'Q'\nhint = 'High in the middle.'\n"
                               "[step.question.sketch]\ncurve = 'arc'\nx = [0, 1]\ny = [0, 1]\n");
  lesson.begin_step(0);
  lesson.submit_sketch({{0, 0}, {1, 0}});
  Diagnostics now = at(100, 1);
  now.curves.push_back(curve(1));
  ASSERT_TRUE(lesson.update(status_, now));
  EXPECT_TRUE(lesson.awaits_second_try());
  now.curves[0] = curve(5);
  lesson.submit_sketch(curve(1).points);
  ASSERT_TRUE(lesson.update(status_, now));
  EXPECT_EQ(lesson.points(), 1);
}

// The kernels of a machine without a GPU: convolution and vectorised are missing.
class LessonKernels : public LessonAnswers {
 protected:
  LessonKernels() {
    status_.backend = backend_.get();
    for (const KernelVariant& kernel : status_.info->kernels) {
      KernelStatus& status = status_.kernels.emplace_back();
      if (kernel.on_cpu) status.cost = {.bytes = 1200, .flops = 1000, .cells = 100, .rate_unit = "cell/s"};
    }
  }
  void measure(double fused, double temporal) {
    for (std::size_t k = 0; k < status_.kernels.size(); ++k) {
      const std::string& id = status_.info->kernels[k].id;
      if (id == "fused") status_.kernels[k].timing = KernelTiming{id, fused, 0};
      if (id == "temporal") status_.kernels[k].timing = KernelTiming{id, temporal, 0};
    }
    status_.roofline = Roofline{1e6, 1e7};
  }
  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
};

TEST_F(LessonKernels, JudgeAnswersByTimesOfThisMachine) {
  LessonSession lesson = begun(first_step +
                               "[step.question]\ntext = 'Q'\n"
                               "measured = 'slowest.seconds_per_step / fastest.seconds_per_step'\n" +
                               first_step +
                               "[step.question]\ntext = 'R'\nmeasured = 'fused.bytes_per_cell + "
                               "fused.flops_per_cell + copy_bandwidth / peak_flops'\n");
  lesson.begin_step(0);
  lesson.submit_number("3");
  EXPECT_FALSE(lesson.update(status_, at(0, 1)));
  EXPECT_NE(lesson.error().english().find("not measured yet"), std::string::npos) << lesson.error().english();
  measure(0.006, 0.002);
  EXPECT_TRUE(lesson.update(status_, at(0, 1)));
  EXPECT_DOUBLE_EQ(lesson.answer()->found->asked, 3);
  EXPECT_EQ(lesson.points(), 2);
  lesson.go_to(1);
  lesson.begin_step(0);
  lesson.submit_number("22.1");
  EXPECT_TRUE(lesson.update(status_, at(0, 1)));
  EXPECT_DOUBLE_EQ(lesson.answer()->found->asked, 12 + 10 + 0.1);
}

TEST_F(LessonKernels, SkipChoicesThatThisMachineDoesNotHave) {
  LessonSession lesson = begun(first_step +
                               "[step.question]\ntext = 'Q'\nmeasured = 'fastest.seconds_per_step'\n"
                               "[[step.question.choice]]\ntext = 'V'\nkernel = 'vectorised'\n"
                               "[[step.question.choice]]\ntext = 'F'\nkernel = 'fused'\n"
                               "[[step.question.choice]]\ntext = 'T'\nkernel = 'temporal'\n");
  lesson.begin_step(0);
  lesson.submit_choice(1);
  measure(0.002, 0.006);
  EXPECT_TRUE(lesson.update(status_, at(0, 1)));
  EXPECT_EQ(lesson.answer()->found->right_choice, 1);
  EXPECT_EQ(lesson.points(), 2);
}

TEST_F(LessonAnswers, JudgeATaskByTheRunWhenItIsDone) {
  LessonSession lesson = begun(first_step +
                               "steps = 10\n[step.question]\ntext = 'Q'\nmeasured = 'max_height'\ntheory = '4'\n"
                               "tolerance = 0.1\ntask = true\nhint = 'Higher.'\n");
  EXPECT_TRUE(lesson.lesson().has_tasks());
  lesson.begin_step(0);
  EXPECT_FALSE(lesson.update(status_, at(20, 1))) << "not done yet";
  lesson.submit_task();
  EXPECT_FALSE(lesson.update(status_, at(5, 1)));
  EXPECT_TRUE(lesson.update(status_, at(20, 2)));
  ASSERT_TRUE(lesson.awaits_second_try());
  EXPECT_EQ(lesson.first_try()->number, 2);
  EXPECT_EQ(lesson.hint(), "Higher.");
  lesson.submit_task();
  EXPECT_TRUE(lesson.update(status_, at(40, 4.1))) << "another run, other numbers";
  EXPECT_EQ(lesson.answer()->number, 4.1);
  EXPECT_EQ(lesson.answer()->found->asked, 4);
  EXPECT_EQ(lesson.points(), 1) << "half of them, in the second try";
}

class LessonFiles : public ScratchFolder {};

TEST_F(LessonFiles, DoTaskByChangeInFileOfAnswers) {
  write("task.toml", "simulation = 'wave'\n" + first_step +
                         "size = [64, 64]\nsteps = 8\n[step.question]\ntext = 'Q'\nmeasured = 'time'\n"
                         "theory = '2'\ntask = true\nhint = 'Shorter.'\n");
  const std::string command = "lesson task.toml --headless --backend cpu";
  EXPECT_NE(run(command).out.find("a task: --answers"), std::string::npos);
  write("right.txt", "time_step = 0.25\n");
  const Outcome right = run(command + " --answers right.txt");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("2 of 2 points"), std::string::npos) << right.out;
  write("wrong.txt", "time_step = 0.05\n");
  const Outcome wrong = run(command + " --answers wrong.txt");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_NE(wrong.out.find("0 of 2 points"), std::string::npos) << wrong.out;
}

TEST_F(LessonFiles, CompileNoKernelThatAnswersNameWithoutPermission) {
  write("task.toml", "simulation = 'wave'\n" + first_step +
                         "size = [64, 64]\nsteps = 8\n[step.question]\ntext = 'Q'\nmeasured = 'time'\n"
                         "theory = '2'\ntask = true\nhint = 'Shorter.'\n");
  std::filesystem::create_directories(path("pupil"));
  const std::string text =
      "extern \"C\" int creat(const char*, unsigned);\n__attribute__((constructor)) static void "
      "leave_a_trace() { creat(\"" +
      path("trace") + "\", 0644); }\n";
  write("pupil/mine.h", text);
  write("elsewhere.h", text);
  write("pupil/answers.txt", "mine.h\n");
  write("pupil/outside.txt", "../elsewhere.h\n");
  const std::string command = "lesson task.toml --headless --backend cpu --answers pupil/";
  const Outcome rejected = run(command + "answers.txt");
  EXPECT_EQ(rejected.code, 1);
  EXPECT_NE((rejected.out + rejected.err).find("--edited-kernels"), std::string::npos) << rejected.out << rejected.err;
  const Outcome outside = run(command + "outside.txt --edited-kernels");
  EXPECT_EQ(outside.code, 1);
  EXPECT_NE((outside.out + outside.err).find("outside its folder"), std::string::npos) << outside.out << outside.err;
  EXPECT_FALSE(std::filesystem::exists(path("trace")));
}

TEST_F(LessonFiles, TakeAnswersFromFile) {
  write("ask.toml", "simulation = 'wave'\nlearned = 'Waves are fun.'\n" + first_step +
                        "size = [64, 64]\nsteps = 8\n[step.question]\ntext = 'Q'\ntheory = '20 * wave_speed'\n"
                        "hint = 'Think.'\n[[step.question.mistake]]\nvalue = '40'\ntext = 'Too long.'\n" +
                        first_step +
                        "[step.question]\ntext = 'R'\ntheory = '2'\n[[step.question.choice]]\ntext = 'x'\nvalue = "
                        "'1'\n[[step.question.choice]]\ntext = 'y'\nvalue = '2'\n");
  write("right.txt", "# two answers\n\n 40/2 \nb\n");
  const std::string command = "lesson ask.toml --headless --backend cpu --answers ";
  const Outcome right = run(command + "right.txt");
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("4 of 4 points."), std::string::npos) << right.out;
  EXPECT_NE(right.out.find("Learned: Waves are fun."), std::string::npos) << right.out;
  write("second.txt", "40 | 20\nA\n");
  const Outcome second = run(command + "second.txt");
  EXPECT_NE(second.out.find("answer 40: wrong. Hint: Think."), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("answer 20: 1 of 2 points"), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("Too long."), std::string::npos) << second.out;
  EXPECT_NE(second.out.find("1 of 4 points."), std::string::npos) << second.out;
  write("few.txt", "40\n");
  EXPECT_NE(run(command + "few.txt").err.find("1 answers, and wave/ask has 2 questions"), std::string::npos);
  write("three.txt", "1 | 2 | 3\nA\n");
  EXPECT_NE(run(command + "three.txt").err.find("three.txt:1"), std::string::npos);
  write("letter.txt", "20\nC\n");
  EXPECT_NE(run(command + "letter.txt").out.find("letter from A to B"), std::string::npos);
}

TEST_F(LessonFiles, WriteTheSheetForTeachers) {
  const Outcome outcome = run("lesson wave/two-slits --sheet sheet.html --language de");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Wrote sheet.html"), std::string::npos) << outcome.out;
  EXPECT_EQ(read_text_file(path("sheet.html"), "sheet"), [] {
    use_language("de");
    const std::string page = teacher_sheet(*load_lesson("wave/two-slits"));
    use_language("en");
    return page;
  }());
  EXPECT_NE(run("lesson --sheet sheet.html").err.find("--sheet needs a lesson"), std::string::npos);
}

TEST_F(LessonFiles, ReportMistakeThatIsNeverShown) {
  write("near.toml", "simulation = 'wave'\n" + first_step +
                         "[step.question]\ntext = 'Q'\ntheory = '20'\ntolerance = 0.1\n[[step.question.mistake]]\n"
                         "value = '21'\ntext = 'Too long.'\n");
  const Outcome outcome = run("lesson near.toml --headless --backend cpu");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("the mistake 21 is never shown"), std::string::npos) << outcome.out;
}

TEST(LessonOrder, LeadsToTheNextLesson) {
  const LessonLibrary library = find_lessons("");
  for (std::size_t k = 0; k + 1 < library.lessons.size(); ++k)
    EXPECT_EQ(next_lesson(library, *library.lessons[k]), library.lessons[k + 1]);
  EXPECT_EQ(next_lesson(library, *library.lessons.back()), nullptr);
  EXPECT_EQ(next_lesson(library, Lesson{}), nullptr);
}

TEST_F(LessonFiles, FindUserLessonsAndReportInvalidOnes) {
  std::filesystem::create_directories(path("wave"));
  write("wave/mine.toml", "title = 'Mine'\n" + first_step);
  write("wave/two-slits.toml", "title = 'Mine too'\n" + first_step);
  write("wave/broken.toml", "titel = 'x'\n" + first_step);
  write("wave/notes.txt", "no lesson");
  const LessonLibrary library = find_lessons(path(""));
  std::map<std::string, std::string> titles;
  for (const auto& lesson : library.lessons) titles[lesson->path()] = lesson->title;
  EXPECT_EQ(titles.at("wave/mine"), "Mine");
  EXPECT_EQ(titles.at("wave/two-slits"), "Mine too");
  EXPECT_EQ(titles.count("wave/broken"), 0u);
  ASSERT_EQ(library.problems.size(), 1u);
  EXPECT_NE(library.problems[0].english().find("broken.toml:1:"), std::string::npos) << library.problems[0].english();
  EXPECT_TRUE(find_lessons(path("nowhere")).problems.empty());
  EXPECT_EQ(load_lesson(path("wave/mine.toml"))->title, "Mine");
  EXPECT_THROW(load_lesson(path("wave/nothing.toml")), InputError);
}

TEST_F(LessonFiles, KeepProgressAndBestScore) {
  const std::string file = path("a/b/lessons.json");
  {
    LessonProgress progress(file);
    EXPECT_EQ(progress.score_of("wave/two-slits"), nullptr);
    progress.reach("wave/two-slits", 2, 1, 0);
    progress.reach("wave/two-slits", 3, 4, 6);
    progress.reach("wave/two-slits", 0, 2, 6);
  }
  const LessonProgress progress(file);
  const LessonScore* score = progress.score_of("wave/two-slits");
  ASSERT_TRUE(score);
  EXPECT_EQ(score->step, 0);
  EXPECT_EQ(score->current_points, 2);
  EXPECT_EQ(score->best_points, 4);
  EXPECT_EQ(score->max_points, 6);
}

TEST_F(LessonFiles, KeepUnreadableProgressFile) {
  for (const std::string& text : {std::string("{\"format\": 1, \"less"), std::string("[]"),
                                  std::string("{\"format\": 99, \"lessons\": {}}"), std::string("\0\xff", 2)}) {
    write("lessons.json", text);
    Message note;
    LessonProgress progress(path("lessons.json"), &note);
    EXPECT_NE(note.english().find("Move the file away"), std::string::npos) << note.english();
    progress.reach("wave/two-slits", 1, 0, 0);
    EXPECT_EQ(read("lessons.json"), text);
  }
}

TEST_F(LessonFiles, ReportFullDiskOnce) {
  LessonProgress progress(path("lessons.json"));
  fail_output_after(0);
  EXPECT_THROW(progress.reach("wave/two-slits", 1, 0, 0), Error);
  EXPECT_NO_THROW(progress.reach("wave/two-slits", 2, 0, 0));
  EXPECT_EQ(progress.score_of("wave/two-slits")->step, 2) << "while the program runs it is known";
}

TEST_F(LessonFiles, CommandListsOpensAndRejects) {
  const std::string home = "XDG_DATA_HOME='" + path("data") + "' XDG_STATE_HOME='" + path("state") + "' ";
  std::filesystem::create_directories(path("data/perturb/lessons/wave"));
  write("data/perturb/lessons/wave/mine.toml", "title = 'Mine'\n" + first_step);
  const Outcome list = run("lesson", home);
  EXPECT_EQ(list.code, 0);
  for (const char* word : {"wave/two-slits", "wave/mine", "membrane/drum-modes"})
    EXPECT_NE(list.out.find(word), std::string::npos) << list.out;
  EXPECT_NE(run("list wave", home).out.find("wave/mine"), std::string::npos);
  const Outcome unknown = run("lesson wave/two-slit --headless", home);
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean \"wave/two-slits\""), std::string::npos) << unknown.err;
  EXPECT_EQ(run("lesson mine --headless", home).code, 0);
  EXPECT_EQ(run("lesson mine --screenshot '" + path("nowhere") + "'", home).code, 2);
}

// Drawings of a student with a wrong idea: equal light everywhere, or two heaps behind the gaps as sand makes them.
TEST_F(LessonFiles, TheSketchOfTwoSlitsCanBeWrong) {
  SKIP_AT_SMALL_REACH("a bundled lesson's own steps");
  const auto points_of = [&](const std::function<double(double)>& light) {
    std::string sketch;
    for (int x = 160; x <= 352; x += 2) sketch += std::to_string(x) + "," + std::to_string(light(x)) + "\n";
    write("sketch.csv", sketch);
    write("answers.txt", "2\nsketch.csv\n6.18\nA\n");
    return run("lesson wave/two-slits --headless --backend cpu --step 2 --answers answers.txt").out;
  };
  const auto heap = [](double x, double at) { return std::exp(-(x - at) * (x - at) / 324); };
  EXPECT_NE(points_of([](double) { return 0.5; }).find("wrong. Hint"), std::string::npos);
  EXPECT_NE(points_of([&](double x) { return heap(x, 224) + heap(x, 288); }).find("wrong. Hint"), std::string::npos);
  const std::string fringes =
      points_of([](double x) { return 0.5 + 0.5 * std::cos(2 * std::numbers::pi * (x - 256) / 60); });
  EXPECT_NE(fringes.find("sketch.csv: 2 of 2 points"), std::string::npos) << fringes;
}

TEST_F(LessonFiles, ReadSketchFromFile) {
  write("draw.toml",
        "simulation = 'wave'\ntheme = 'light'\n[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'double-slit'\n"
        "size = [96, 64]\nsteps = 600\n[step.question]\ntext = 'Q'\n[step.question.sketch]\ncurve = 'screen'\n"
        "x = [0, 64]\ny = [0, 1]\nfree_height = true\n");
  std::string flat;
  for (int k = 0; k <= 64; ++k) flat += std::to_string(k) + ",1\n";
  write("flat.csv", flat);
  const Outcome outcome = run("lesson draw.toml --headless --backend cpu --sketch flat.csv");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_NE(outcome.out.find("the sketch differs from the measurement"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("of 2 points"), std::string::npos) << outcome.out;
  write("half.csv", "0,1\n10,1\n");
  EXPECT_EQ(run("lesson draw.toml --headless --backend cpu --sketch half.csv").code, 1);
  write("words.csv", "x,y\n");
  EXPECT_NE(run("lesson draw.toml --headless --backend cpu --sketch words.csv").out.find("words.csv:1"),
            std::string::npos);
}

// A claim of a step that the run does not confirm fails, with its name and both numbers.
TEST_F(LessonFiles, FailStepThatDisagreesWithTheory) {
  write("wrong.toml", "simulation = 'wave'\n" + first_step +
                          "size = [64, 64]\nsteps = 8\n[step.question]\ntext = 'Q'\nmeasured = 'max_height'\n"
                          "theory = '1000'\n");
  const Outcome outcome = run("lesson wrong.toml --headless --backend cpu");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("DOES NOT AGREE"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("theory 1000"), std::string::npos) << outcome.out;
  write("unknown.toml", "simulation = 'wave'\n" + first_step +
                            "size = [64, 64]\n[step.question]\ntext = 'Q'\nmeasured = 'max_heigth'\n");
  const Outcome unknown = run("lesson unknown.toml --headless --backend cpu");
  EXPECT_EQ(unknown.code, 1);
  EXPECT_NE(unknown.out.find("did you mean \"max_height\""), std::string::npos) << unknown.out;
}

// A new simulation may begin without one.
TEST(Lessons, CoverEachSimulationOfAPaperFourTimesAndMeasure) {
  const LessonLibrary library = find_lessons("");
  for (const PaperTable& table : paper_tables()) {
    const auto count = std::count_if(library.lessons.begin(), library.lessons.end(),
                                     [&](const auto& lesson) { return lesson->simulation == table.name(); });
    EXPECT_GE(count, 4) << table.name();
  }
  for (const auto& lesson : library.lessons) {
    EXPECT_FALSE(lesson->summary.empty()) << lesson->path();
    EXPECT_FALSE(lesson->learned.empty()) << lesson->path();
    bool measures = false;
    for (const LessonStep& step : lesson->steps)
      measures = measures || (step.question && !step.question->measured.empty() && !step.question->theory.empty());
    EXPECT_TRUE(measures) << lesson->path();
  }
}

TEST(Lessons, HelpAfterEveryWrongAnswer) {
  for (const auto& lesson : find_lessons("").lessons)
    for (const LessonStep& step : lesson->steps) {
      if (!step.question) continue;
      const std::vector<LessonChoice>& choices = step.question->choices;
      EXPECT_TRUE(step.question->allows_second_try()) << lesson->path() << ": " << step.title;
      EXPECT_FALSE(step.question->reveal.empty()) << lesson->path() << ": " << step.title;
      const auto explained = std::count_if(choices.begin(), choices.end(),
                                           [](const LessonChoice& choice) { return !choice.explanation.empty(); });
      const std::ptrdiff_t wrong = choices.empty() ? 0 : static_cast<std::ptrdiff_t>(choices.size()) - 1;
      // Which choice is right may depend on the machine: any can be wrong then.
      const std::ptrdiff_t needed = step.measures_kernels ? wrong + (choices.empty() ? 0 : 1) : wrong;
      EXPECT_EQ(explained, needed) << lesson->path() << ": " << step.title
                                   << ": all choices except the right one need an explanation";
    }
}

}  // namespace
}  // namespace perturb
