// Formulas, the text of a lesson's file, and the errors in one.
#include <numbers>

#include <gtest/gtest.h>

#include "app/lessons/lesson_library.h"
#include "app/lessons/lesson_session.h"
#include "cuda/core/backend/check.h"
#include "tests/support/error_thrown_by.h"
#include "tests/support/lesson_step.h"

namespace perturb {
namespace {

double formula(const std::string& text) {
  return value_of_formula(text, [](const std::string& name) -> std::optional<double> {
    if (name == "speed") return 2;
    if (name == "line_source.frequency") return 0.5;
    return {};
  });
}

std::string formula_complaint(const std::string& text) {
  return error_thrown_by([&] { formula(text); });
}

// A misspelt key is also a missing one: the error names what is there.
TEST(LessonText, NamesTheMisspeltKey) {
  const std::string lesson = "simulation = 'wave'\n" + first_step +
                             "[step.question]\ntext = 'Q'\nmeasured = 'energy'\nhint = 'H'\n"
                             "[[step.question.mistake]]\nvalue = '2'\ntext = 'M'\n";
  const auto complaint = [](const std::string& text) -> std::string {
    return error_thrown_by([&] { parse_lesson(text, "a.toml", "", "a"); });
  };
  ASSERT_EQ(complaint(lesson), "");
  for (const std::string key :
       {"simulation", "step", "title", "text", "scene", "question", "measured", "hint", "mistake", "value"}) {
    std::string misspelt = key;
    misspelt.erase(1, 1);
    for (std::size_t at = lesson.find(key); at != std::string::npos; at = lesson.find(key, at + 1)) {
      std::string text = lesson;
      text.replace(at, key.size(), misspelt);
      if (key == "step")  // in the names of tables below it, too
        for (std::size_t more = text.find(key); more != std::string::npos; more = text.find(key, more + 1))
          text.replace(more, key.size(), misspelt);
      EXPECT_NE(complaint(text).find("unknown key \"" + misspelt + "\"; did you mean \"" + key + "\""),
                std::string::npos)
          << text << complaint(text);
    }
  }
}

TEST(Formula, GivesWhatPrintMeans) {
  EXPECT_EQ(formula("1 + 2 * 3 - 8 / 4"), 5);
  EXPECT_EQ(formula("(1 + 2) * 3"), 9);
  EXPECT_EQ(formula("-2^2"), -4);
  EXPECT_EQ(formula("2^3^2"), 512);
  EXPECT_EQ(formula("2^-1"), 0.5);
  EXPECT_EQ(formula("1.5e2 - .5"), 149.5);
  EXPECT_EQ(formula("2*pi"), 2 * std::numbers::pi);
  EXPECT_EQ(formula("sqrt(16) + abs(-3) + exp(0) + log(1)"), 8);
  EXPECT_EQ(formula("sin(0) + cos(0) + tan(0)"), 1);
  EXPECT_EQ(formula("asin(1) / deg"), 90);
  EXPECT_EQ(formula("acos(1) + atan(0)"), 0);
  EXPECT_EQ(formula("180 * deg"), std::numbers::pi);
  EXPECT_EQ(formula("speed / line_source.frequency"), 4);
  EXPECT_EQ(names_in_formula("speed * speed / (pi - a.b)"), (std::vector<std::string>{"speed", "a.b"}));
}

TEST(Formula, SaysWhatItCannotRead) {
  for (const char* wrong :
       {"", "1 +", "(1", "1 2", "2 ** 3", "sqrt 4", "sqrt(4", "1,5", "asin", "deg(1)", "2 deg", "height", "$", "."}) {
    const std::string sentence = formula_complaint(wrong);
    EXPECT_NE(sentence, "") << wrong;
    EXPECT_EQ(sentence.back(), '.') << sentence;
  }
  EXPECT_NE(formula_complaint("speed * sped").find("\"sped\""), std::string::npos);
  // Extreme nesting gives an error message, not a stack overflow.
  EXPECT_NE(formula_complaint(std::string(100000, '(')), "");
  EXPECT_NE(formula_complaint(std::string(100000, '-') + "1"), "");
}

std::string lesson_complaint(const std::string& text) {
  return error_thrown_by([&] { parse_lesson(text, "l.toml", "wave", "l"); });
}

TEST(LessonText, SaysWhatHappens) {
  const Lesson lesson = parse_lesson(
      "title = 'Two steps'\nsummary = 'One line.'\norder = 4\n" + first_step +
          "size = [64, 32]\nseed = 7\nsteps_per_frame = 3\nsteps = 20\nunlocked = ['damping']\ntools = []\n"
          "[step.parameters]\nwave_speed = 0.5\n[[step.action]]\nkind = 'droplet'\nx = 0.5\ny = 0.5\n"
          "[[step]]\ntitle = 'C'\ntext = 'D'\ntool = 'wall'\n[step.parameters]\ndamping = 0.25\n"
          "[step.view]\nquantity = 'velocity'\n[step.question]\nid = 'q'\ntext = 'How long?'\nunit = 'length'\n"
          "measured = 'max_height'\ntheory = 'wave_speed / oscillator.frequency'\nagreement = 0.5\ntolerance = 0.25\n"
          "[[step.question.choice]]\ntext = 'x'\nvalue = '1'\n[[step.question.choice]]\ntext = 'y'\nvalue = '2'\n",
      "l.toml", "wave", "l");
  EXPECT_EQ(lesson.path(), "wave/l");
  EXPECT_EQ(lesson.title, "Two steps");
  EXPECT_EQ(lesson.order, 4);
  ASSERT_EQ(lesson.steps.size(), 2u);
  const LessonStep& first = lesson.steps[0];
  EXPECT_TRUE(first.begins_scene);
  EXPECT_EQ(first.scene.setup.preset, "doppler");
  EXPECT_EQ(first.scene.setup.width, 64);
  EXPECT_EQ(first.scene.setup.seed, 7u);
  EXPECT_EQ(first.scene.steps_per_frame, 3);
  EXPECT_EQ(first.steps, 20);
  EXPECT_EQ(first.scene.setup.parameters.at("wave_speed"), 0.5);
  EXPECT_EQ(first.scene.setup.parameters.at("time_step"), 0.5) << "the preset's own";
  EXPECT_EQ(first.scene.setup.actions.back().kind, "droplet");
  ASSERT_TRUE(first.unlocked && first.tools);
  EXPECT_EQ(*first.unlocked, std::vector<std::string>{"damping"});
  EXPECT_TRUE(first.tools->empty());
  const LessonStep& second = lesson.steps[1];
  EXPECT_FALSE(second.begins_scene);
  EXPECT_EQ(second.scene.setup.preset, "doppler");
  EXPECT_EQ(second.scene.setup.parameters.at("wave_speed"), 0.5) << "what an earlier step changed stays";
  EXPECT_EQ(second.scene.setup.parameters.at("damping"), 0.25);
  ASSERT_EQ(second.changes.size(), 1u);
  EXPECT_EQ(second.changes[0].id, "damping");
  EXPECT_TRUE(second.changes_view);
  EXPECT_EQ(second.scene.view.quantity, "velocity");
  EXPECT_FALSE(second.unlocked || second.tools);
  ASSERT_TRUE(second.question);
  EXPECT_EQ(second.question->choices.size(), 2u);
  EXPECT_EQ(second.question->tolerance, 0.25);
}

TEST(LessonText, ErrorsStatePlaceAndSuggestion) {
  struct Wrong {
    std::string text;
    std::vector<std::string> says;
  };
  const std::string question = first_step + "[step.question]\ntext = 'Q'\n";
  const Wrong all[] = {
      {"title = 'a", {"l.toml:1:"}},
      {"titel = 'a'\n" + first_step, {"l.toml:1:", "titel", "title"}},
      {"title = 'a'", {"[[step]]"}},
      {"title = 'a'\nstep = 3", {"l.toml:2:", "[[step]]"}},
      {"[[step]]\ntitle = 'A'\ntext = 'B'\n", {"first step", "scene"}},
      {"[[step]]\ntext = 'B'\nscene = 'doppler'\n", {"title"}},
      {"[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'dopler'\n", {"l.toml:4:", "did you mean \"doppler\""}},
      {first_step + "stepps = 3\n", {"l.toml:5:", "did you mean \"steps\""}},
      {first_step + "steps = -3\n", {"l.toml:5:", "steps"}},
      {first_step + "unlocked = ['dampin']\n", {"l.toml:5:", "parameter", "did you mean \"damping\""}},
      {first_step + "unlocked = 'damping'\n", {"l.toml:5:", "list"}},
      {first_step + "tools = ['wal']\n", {"l.toml:5:", "tool", "did you mean \"wall\""}},
      {first_step + "tool = 'wal'\n", {"l.toml:5:", "did you mean \"wall\""}},
      {first_step + "[step.parameters]\nwave_sped = 1\n", {"l.toml:6:", "did you mean \"wave_speed\""}},
      {first_step + "[step.parameters]\nwave_speed = 99\n", {"l.toml:6:", "wave_speed", "10"}},
      {first_step + "[step.view]\nquantity = 'heigth'\n", {"l.toml:6:", "did you mean \"height\""}},
      {first_step + "[[step.action]]\nkind = 'dropplet'\n", {"l.toml:6:", "did you mean \"droplet\""}},
      {first_step + "[[step]]\ntitle = 'A'\ntext = 'B'\nsize = [64, 64]\n", {"l.toml:8:", "scene"}},
      {question, {"measured", "theory"}},
      {question + "measured = '1 +'\n", {"l.toml:7:", "formula"}},
      {question + "theory = 'oscilator.frequency'\n", {"l.toml:7:", "did you mean \"oscillator.frequency\""}},
      {question + "theory = '1'\ntolerance = 0\n", {"l.toml:8:", "tolerance"}},
      {question + "theory = '1'\nanswer = 3\n", {"l.toml:8:", "answer"}},
      {question + "theory = '1'\n[[step.question.choice]]\ntext = 'x'\nvalue = '1'\n", {"choice"}},
      {question + "theory = '1'\n[[step.question.choice]]\ntext = 'x'\n", {"value"}},
      {question + "theory = '1'\nhint = 'H'\n[[step.question.choice]]\ntext = 'x'\nvalue = '1'\n"
                  "[[step.question.choice]]\ntext = 'y'\nvalue = '2'\n",
       {"l.toml:8:", "second try", "Remove the hint"}},
      {question + "theory = '1'\n[[step.question.mistake]]\ntext = 'x'\n", {"mistake needs a value"}},
      {question + "theory = '1'\n[[step.question.mistake]]\nvalue = '1'\n", {"text"}},
      {question + "theory = '1'\n[[step.question.mistake]]\nvalue = '2'\ntext = 'x'\n"
                  "[[step.question.choice]]\ntext = 'x'\nvalue = '1'\n[[step.question.choice]]\ntext = 'y'\nvalue = "
                  "'2'\n",
       {"typed number", "explanation"}},
      {first_step + "[[step.lane]]\nkernel = 'fussed'\n[[step.lane]]\n", {"l.toml:6:", "\"fussed\""}},
      {first_step + "[[step.lane]]\n", {"l.toml:5:", "lanes"}},
      {first_step + "[[step]]\ntitle = 'A'\ntext = 'B'\n[[step.lane]]\n[[step.lane]]\n", {"lane needs a scene"}},
      {first_step + "measure_kernels = true\n[[step.lane]]\n[[step.lane]]\n", {"l.toml:5:", "without lanes"}},
      {question + "measured = 'fussed.bytes_per_cell'\n", {"l.toml:7:", "did you mean \"fused.bytes_per_cell\""}},
      {question + "theory = '1'\n[[step.question.choice]]\ntext = 'x'\nkernel = 'fussed'\n",
       {"l.toml:10:", "did you mean \"fused\""}},
      {question + "theory = '1'\ntask = true\n", {"l.toml:8:", "task", "measured"}},
      {question + "id = 'a'\ntheory = '1'\n" + first_step + "[step.question]\nid = 'a'\ntext = 'R'\ntheory = '1'\n",
       {"\"a\"", "two questions"}},
  };
  for (const Wrong& wrong : all) {
    const std::string sentence = lesson_complaint(wrong.text);
    EXPECT_NE(sentence, "") << wrong.text;
    for (const std::string& part : wrong.says) EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
  }
  EXPECT_EQ(lesson_complaint(first_step), "");
}

TEST(LessonText, ReadsLanesKernelsAndTasks) {
  const Lesson lesson = parse_lesson(
      first_step + "[[step.lane]]\nkernel = 'fused'\n[[step.lane]]\nnudge = true\n[[step]]\ntitle = 'C'\ntext = 'D'\n" +
          first_step +
          "measure_kernels = true\n[step.question]\ntext = 'Q'\nmeasured = 'temporal.bytes_per_cell'\n"
          "[[step.question.choice]]\ntext = 'x'\nkernel = 'fused'\n[[step.question.choice]]\ntext = 'y'\nvalue = "
          "'2'\n" +
          first_step + "[step.question]\ntext = 'Q'\nmeasured = 'energy'\ntheory = '1'\ntask = true\n",
      "l.toml", "wave", "l");
  ASSERT_EQ(lesson.steps.size(), 4u);
  ASSERT_EQ(lesson.steps[0].scene.lanes.size(), 2u);
  EXPECT_EQ(lesson.steps[0].scene.lanes[0].kernel, "fused");
  EXPECT_TRUE(lesson.steps[0].scene.lanes[1].nudged);
  EXPECT_EQ(lesson.steps[1].scene.lanes.size(), 2u) << "the race goes on";
  EXPECT_TRUE(lesson.steps[2].scene.lanes.empty()) << "another scene";
  EXPECT_TRUE(lesson.steps[2].measures_kernels);
  EXPECT_EQ(lesson.steps[2].question->choices[0].value, "fused.seconds_per_step");
  EXPECT_EQ(lesson.steps[2].question->choices[1].kernel, "");
  EXPECT_TRUE(lesson.steps[3].question->is_task);
  EXPECT_TRUE(lesson.has_tasks());
}

TEST(LessonText, ASketchSaysItsAxes) {
  const auto complaint = [](const std::string& text) -> std::string {
    return error_thrown_by(
        [&] { parse_lesson(first_step + "[step.question]\ntext = 'Q'\n" + text, "l.toml", "wave", "l"); });
  };
  EXPECT_EQ(complaint("[step.question.sketch]\ncurve = 'screen'\nx = [0, 1]\ny = [0, 1]\n"), "");
  EXPECT_NE(complaint("[step.question.sketch]\ncurve = 'screen'\nx = [0, 1]\n").find("y = [0, 1]"), std::string::npos);
  EXPECT_NE(complaint("[step.question.sketch]\ncurve = 'screen'\nx = [1, 0]\ny = [0, 1]\n").find("larger one"),
            std::string::npos);
  EXPECT_NE(
      complaint("measured = '1'\n[step.question.sketch]\ncurve = 'a'\nx = [0, 1]\ny = [0, 1]\n").find("Remove id"),
      std::string::npos);
  EXPECT_THROW(parse_lesson("theme = 'pink'\n" + first_step, "l.toml", "wave", "l"), InputError);
}

TEST(LessonText, ReadsThemeUnderItsOldKeyToo) {
  EXPECT_EQ(parse_lesson("theme = 'light'\n" + first_step, "l.toml", "wave", "l").theme, "light");
  EXPECT_EQ(parse_lesson("look = 'light'\n" + first_step, "l.toml", "wave", "l").theme, "light");
  EXPECT_THROW(parse_lesson("look = 'pink'\n" + first_step, "l.toml", "wave", "l"), InputError);
}

TEST(LessonText, SaysWhatItIsAbout) {
  EXPECT_EQ(parse_lesson("simulation = 'wave'\n" + first_step, "x.toml", "", "x").simulation, "wave");
  EXPECT_EQ(parse_lesson(first_step, "somewhere/wave/x.toml", "", "x").simulation, "wave");
  EXPECT_THROW(parse_lesson(first_step, "somewhere/x.toml", "", "x"), InputError);
  const std::string error =
      error_thrown_by([&] { parse_lesson("simulation = 'wav'\n" + first_step, "x.toml", "", "x"); });
  EXPECT_NE(error.find("did you mean \"wave\""), std::string::npos) << error;
}

}  // namespace
}  // namespace perturb
