// A lesson in the window's session and its column, without a window.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/lessons/lesson_library.h"
#include "app/lessons/result_code.h"
#include "app/lessons/result_sheet.h"
#include "app/ui/panels/panels.h"
#include "app/ui/widgets/gui.h"
#include "tests/support/drawn_text.h"
#include "tests/support/files_scratch.h"
#include "tests/support/panel_frames.h"
#include "tests/support/reach.h"
#include "tests/support/sanitized.h"
#include "tests/support/scene_of_width.h"
#include "tests/support/screen_size.h"

namespace perturb {
namespace {

// The panels without a window.
struct Screen {
  void draw(Session& session, const Layout& layout) { lay_out(session, gui, panels, layout, 2); }
  Gui gui{Gui::Renderer::none};
  Panels panels;
};

// Whether a line begins with this text. Blanks do not count: next to some letters they are too narrow to be read back.
bool is_drawn(const std::string& text) {
  const auto without_blanks = [](std::string line) {
    std::erase(line, ' ');
    return line;
  };
  const std::vector<DrawnText> texts = drawn_text();
  return std::any_of(texts.begin(), texts.end(),
                     [&](const DrawnText& t) { return without_blanks(t.text).starts_with(without_blanks(text)); });
}

// The same for a text that may be too long for one line: its lines are drawn one after the other.
bool is_drawn_in_lines(std::string text) {
  std::string all;
  for (const DrawnText& t : drawn_text()) all += t.text;
  std::erase(all, ' ');
  std::erase(text, ' ');
  return all.find(text) != std::string::npos;
}

class UiLesson : public ScratchFolder {
 protected:
  static Scene tank() { return scene_of_width("wave/droplet", 32); }
  void SetUp() override {
    ScratchFolder::SetUp();
    write("small.toml",
          "simulation = 'wave'\ntitle = 'Small'\n"
          "[[step]]\ntitle = 'Look'\ntext = 'A tank.'\nscene = 'doppler'\nsize = [64, 64]\nunlocked = ['damping']\n"
          "tools = ['wall']\nsteps = 8\n[step.question]\nid = 'first'\ntext = 'How long?'\nunit = 'length'\n"
          "measured = 'wave_speed / oscillator.frequency'\n"
          "[[step]]\ntitle = 'Slower'\ntext = 'Slower now.'\n[step.parameters]\nwave_speed = 0.5\n"
          "[step.view]\nquantity = 'velocity'\n[step.question]\ntext = 'And now?'\n"
          "measured = 'wave_speed / oscillator.frequency'\n[[step.question.choice]]\ntext = 'half'\n"
          "value = 'first / 2'\n[[step.question.choice]]\ntext = 'twice'\nvalue = '2 * first'\n"
          "[[step]]\ntitle = 'End'\ntext = 'All is yours.'\n");
  }
  void ask(Command command) {
    session_.post(std::move(command));
    session_.handle({}, layout_, Session::Keyboard::free);
  }
  void press(const std::string& name) { session_.handle({key_press(name)}, layout_, Session::Keyboard::free); }
  void frame() { advance_frames(session_, 1, 1.0 / 60); }
  double parameter(const std::string& id) { return experiment_.simulation().parameters().get(id); }
  // As it is kept once the run has decided it; a step without a question ignores it.
  static LessonSession::Answer wrong_answer_to(const LessonStep& step) {
    LessonSession::Answer answer;
    answer.given = "1e30";
    answer.choice = 0;
    answer.mistake = 0;
    answer.found = FoundNumbers{1, 1, 1};
    if (!step.question) return answer;
    if (step.question->choices.empty()) answer.found->right_choice = -1;
    if (const auto& sketch = step.question->sketch) {
      answer.sketch = {{sketch->x0, sketch->y1}, {sketch->x1, sketch->y1}};
      answer.curve.emplace().points = {{sketch->x0, sketch->y0}, {sketch->x1, sketch->y1}};
    }
    return answer;
  }

  std::unique_ptr<Backend> backend_ = Backend::make_cpu(1);
  Experiment experiment_{*backend_, tank()};
  Session session_{experiment_, 4};
  Layout layout_ = make_layout(1280, 720, 1, 1, true);
};

TEST_F(UiLesson, RunsFromFirstStepToScore) {
  session_.lessons().set_progress_file(path("progress.json"));
  ask(OpenLesson{path("small.toml")});
  ASSERT_TRUE(session_.lesson());
  EXPECT_EQ(session_.run().scene->setup.preset, "doppler");
  EXPECT_EQ(session_.interface().tab, Tab::lesson);
  EXPECT_EQ(session_.tools().tool(), "wall") << "the one that is left";

  ask(AnswerQuestion{"many", -1});
  EXPECT_NE(session_.lessons().answer_error().english().find("many"), std::string::npos);
  EXPECT_FALSE(session_.lesson()->answer());
  // The scene's own waves; the answer is 4 % off.
  const double length = parameter("wave_speed") / session_.run().scene->setup.actions.at(0).get("frequency");
  const DisplayUnit& shown = session_.lesson()->step().question->shown;
  EXPECT_EQ(shown.text, "m") << "answers are typed in the unit of the scene";
  EXPECT_EQ(shown.factor, 0.068);
  ask(AnswerQuestion{std::to_string(1.04 * length * shown.factor), -1});
  EXPECT_EQ(session_.lessons().answer_error(), "");
  EXPECT_TRUE(session_.lesson()->is_pending());
  frame();  // step 4 of 8
  EXPECT_TRUE(session_.lesson()->is_pending());
  frame();
  frame();
  ASSERT_FALSE(session_.lesson()->is_pending());
  EXPECT_DOUBLE_EQ(session_.lesson()->answer()->found->asked, length);
  EXPECT_EQ(session_.lesson()->points(), 2);

  press("PageDown");
  EXPECT_EQ(session_.lesson()->index(), 1u);
  EXPECT_GT(session_.run().steps, 0) << "the run goes on";
  EXPECT_EQ(parameter("wave_speed"), 0.5);
  EXPECT_EQ(session_.view().settings().quantity, "velocity");
  frame();
  ask(AnswerQuestion{"", 1});
  frame();
  ASSERT_TRUE(session_.lesson()->answer()->found);
  EXPECT_EQ(session_.lesson()->answer()->points, 0);
  EXPECT_EQ(session_.lesson()->answer()->found->right_choice, 0);
  EXPECT_EQ(session_.lesson()->points(), 2);

  press("PageDown");
  press("PageDown");  // there is no next one
  EXPECT_EQ(session_.lesson()->index(), 2u);
  const LessonScore* score = session_.lessons().progress().score_of("wave/small");
  ASSERT_TRUE(score);
  EXPECT_EQ(score->step, 2);
  EXPECT_EQ(score->best_points, 2);
  EXPECT_EQ(score->max_points, 4);
  EXPECT_NE(read("progress.json").find("wave/small"), std::string::npos);

  press("PageUp");
  EXPECT_EQ(session_.lesson()->index(), 1u);
  EXPECT_EQ(session_.run().steps, 0) << "back is a new start";
  EXPECT_EQ(parameter("wave_speed"), 0.5) << "with all that the step says";
  EXPECT_TRUE(session_.lesson()->answer()->found) << "answers stay";
  ask(CommandId::close_lesson);
  EXPECT_FALSE(session_.lesson());
  EXPECT_EQ(session_.interface().tab, Tab::physics);
}

// The walk of a class from the first kernel to the fastest, with the times of this machine.
TEST_F(UiLesson, WalksFromConvolutionToTemporal) {
  SKIP_AT_SMALL_REACH("times the kernels of a large tank, and touches no new memory");
  Screen screen;
  layout_ = make_layout(1280, 2400, 1, 1, true);  // all of the column is in sight
  const auto decide = [&] {
    for (int k = 0; k < 2000 && session_.lesson()->is_pending(); ++k) frame();
    EXPECT_EQ(session_.lesson()->error(), Message());
    EXPECT_FALSE(session_.lesson()->is_pending());
  };
  const auto time_of = [&](const std::string& id) {
    const RunStatus& run = session_.run();
    for (std::size_t k = 0; k < run.kernels.size(); ++k)
      if (run.info->kernels[k].id == id) return run.kernels[k].timing ? run.kernels[k].timing->seconds_per_step : 0;
    return 0.0;
  };
  ask(OpenLesson{"wave/faster-kernel"});
  for (const char* bytes : {"12", "48", "16/12"}) {
    ask(AnswerQuestion{bytes, -1});
    decide();
    EXPECT_EQ(session_.lesson()->answer()->points, 2) << bytes;
    press("PageDown");
  }
  EXPECT_EQ(session_.lesson()->points(), 6);

  // The prediction comes before the times.
  screen.draw(session_, layout_);
  EXPECT_FALSE(is_drawn("Times of the kernels"));
  ask(AnswerQuestion{"1000000", -1});
  decide();
  ASSERT_TRUE(session_.lesson()->awaits_second_try());
  screen.draw(session_, layout_);
  EXPECT_TRUE(is_drawn("Times of the kernels"));
  EXPECT_TRUE(is_drawn("needs an NVIDIA GPU"));
  const double fused = time_of("fused"), temporal = time_of("temporal");
  ASSERT_GT(fused, 0);
  ASSERT_GT(temporal, 0);
  ask(AnswerQuestion{std::to_string(std::max(fused, temporal) / std::min(fused, temporal)), -1});
  decide();
  EXPECT_EQ(session_.lesson()->answer()->points, 1) << "all points of a second try";

  press("PageDown");
  const std::vector<KernelVariant>& kernels = session_.run().info->kernels;
  const std::string fastest = temporal < fused ? "temporal" : "fused";
  const auto& choices = session_.lesson()->step().question->choices;
  for (std::size_t k = 0; k < choices.size(); ++k)
    if (choices[k].kernel == fastest) ask(AnswerQuestion{"", static_cast<int>(k)});
  decide();
  EXPECT_EQ(session_.lesson()->answer()->points, 2);
  EXPECT_EQ(session_.run().kernel, fastest) << "the tank is computed with it";
  EXPECT_EQ(choices.size(), kernels.size()) << "every kernel is a choice";

  press("PageDown");
  ask(AnswerQuestion{"", 0});
  decide();

  press("PageDown");
  EXPECT_EQ(session_.run().scene->lanes.size(), 2u);
  ask(AnswerQuestion{"", 0});
  decide();
  EXPECT_EQ(session_.lesson()->answer()->found->asked, 0) << "both kernels compute bit-identical fields";
  EXPECT_EQ(session_.lesson()->answer()->points, 2);
  press("PageDown");
  EXPECT_TRUE(session_.lesson()->is_last());
  EXPECT_TRUE(session_.lesson()->is_done());
}

TEST_F(UiLesson, ChecksATaskInTheRun) {
  write("task.toml",
        "simulation = 'wave'\n[[step]]\ntitle = 'Slower'\ntext = 'Make the waves slower.'\nscene = 'doppler'\n"
        "size = [64, 64]\nsteps = 8\n[step.question]\ntext = 'Half as fast.'\nmeasured = 'wave_speed'\n"
        "theory = '0.5'\ntask = true\nhint = 'Use the slider.'\n");
  Screen screen;
  ask(OpenLesson{path("task.toml")});
  EXPECT_TRUE(session_.playback().playing()) << "there is nothing to predict";
  screen.draw(session_, layout_);
  EXPECT_TRUE(is_drawn("Check the task"));
  ask(AnswerQuestion{"", -1});
  EXPECT_TRUE(session_.lesson()->is_pending()) << "the run has not reached the step";
  for (int k = 0; k < 3; ++k) frame();
  ASSERT_TRUE(session_.lesson()->awaits_second_try());
  screen.draw(session_, layout_);
  EXPECT_TRUE(is_drawn("Use the slider."));
  ask(ParameterChange{"wave_speed", 0.5});
  frame();
  ask(AnswerQuestion{"", -1});
  frame();
  ASSERT_TRUE(session_.lesson()->answer());
  EXPECT_EQ(session_.lesson()->answer()->number, 0.5);
  EXPECT_EQ(session_.lesson()->points(), 1);
}

TEST_F(UiLesson, SetsThemeWhileOpen) {
  for (const ThemeName& name : theme_names()) {
    write("look.toml", std::string("simulation = 'wave'\ntheme = '") + name.id +
                           "'\n[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'doppler'\nsize = [64, 64]\n");
    set_preference(session_, &Preferences::theme, Theme::dark);
    ask(OpenLesson{path("look.toml")});
    EXPECT_EQ(session_.theme(), name.theme);
    ask(OpenLesson{path("small.toml")});
    EXPECT_EQ(session_.theme(), Theme::dark) << "that lesson says nothing of it";
    ask(OpenLesson{path("look.toml")});
    ask(CommandId::close_lesson);
    EXPECT_EQ(session_.theme(), Theme::dark);
    ask(OpenLesson{path("look.toml")});
    ask(OpenScene{"wave/rain"});
    EXPECT_EQ(session_.theme(), Theme::dark) << "another scene ends the lesson";
  }
}

TEST_F(UiLesson, UndoesChangesOfStep) {
  ask(OpenLesson{path("small.toml")});
  frame();
  press("PageDown");
  ASSERT_EQ(parameter("wave_speed"), 0.5);
  press("Ctrl+Z");
  EXPECT_EQ(parameter("wave_speed"), 1);
  press("Ctrl+Y");
  EXPECT_EQ(parameter("wave_speed"), 0.5);
}

TEST_F(UiLesson, RejectsChangeOfLockedParameter) {
  ask(OpenLesson{path("small.toml")});
  ask(ParameterChange{"wave_speed", 0.25});
  EXPECT_EQ(parameter("wave_speed"), 1);
  EXPECT_NE(session_.parameters().error_of("wave_speed"), "");
  ask(ParameterChange{"damping", 0.25});
  EXPECT_EQ(parameter("damping"), 0.25);
  ask(CommandId::reset_parameters);
  EXPECT_NE(parameter("damping"), 0.25);
  press("1");  // the droplet
  EXPECT_EQ(session_.tools().tool(), "wall");
  press("PageDown");
  press("PageDown");
  ask(ParameterChange{"wave_speed", 0.25});
  EXPECT_EQ(parameter("wave_speed"), 0.25) << "the last step keeps nothing";
  press("1");
  EXPECT_EQ(session_.tools().tool(), "droplet");
}

TEST_F(UiLesson, ClosesWhenSceneChanges) {
  ask(OpenLesson{path("small.toml")});
  ask(OpenScene{"wave/rain"});
  EXPECT_FALSE(session_.lesson());
  EXPECT_EQ(session_.run().scene->setup.preset, "rain");
  write("broken.toml", "simulation = 'wave'\ntitel = 'x'\n");
  ask(OpenLesson{path("broken.toml")});
  EXPECT_FALSE(session_.lesson());
  EXPECT_NE(session_.message().text.english().find("titel"), std::string::npos);
  EXPECT_EQ(session_.run().scene->setup.preset, "rain") << "the run goes on";
}

// Questions with a hint: a number, then a choice; and what the student has learned.
class UiLessonTries : public UiLesson {
 protected:
  void SetUp() override {
    UiLesson::SetUp();
    write("tries.toml",
          "simulation = 'wave'\ntitle = 'Tries'\nlearned = 'Waves are fun.'\n"
          "[[step]]\ntitle = 'A'\ntext = 'B'\nscene = 'doppler'\nsize = [64, 64]\nsteps = 8\n"
          "[step.question]\ntext = 'Q'\ntheory = '20'\nhint = 'Think of the sea.'\nreveal = 'It is 20.'\n"
          "[[step.question.mistake]]\nvalue = '40'\ntext = 'That is the diameter.'\n"
          "[[step]]\ntitle = 'C'\ntext = 'D'\n[step.question]\ntext = 'R'\ntheory = '2'\nhint = 'Count again.'\n"
          "[[step.question.choice]]\ntext = 'one'\nvalue = '1'\nexplanation = 'Too small.'\n"
          "[[step.question.choice]]\ntext = 'two'\nvalue = '2'\n"
          "[[step.question.choice]]\ntext = 'four'\nvalue = '4'\nexplanation = 'Too large.'\n");
    ask(OpenLesson{path("tries.toml")});
    ASSERT_TRUE(session_.lesson());
  }
  void draw() { screen_.draw(session_, make_layout(1280, 2000, 1, 1, true)); }
  // Answers the first question, and lets the run find its number.
  void answer_first(const std::string& text) {
    ask(AnswerQuestion{text, -1});
    for (int k = 0; k < 3; ++k) frame();
  }
  void choose(int choice) {
    ask(AnswerQuestion{"", choice});
    frame();
  }
  Screen screen_;
};

TEST_F(UiLessonTries, ShowHintAndExplanationForHalfThePoints) {
  draw();
  answer_first("41");
  ASSERT_TRUE(session_.lesson()->awaits_second_try());
  draw();
  for (const char* text :
       {"Not quite: 41", "That is the diameter.", "Think of the sea.", "A right answer is now worth"})
    EXPECT_TRUE(is_drawn(text)) << text;
  EXPECT_TRUE(is_drawn_in_lines("A right answer is now worth 1 of 2 points."));
  for (const char* text : {"It is 20.", "Theory", "Measured"})
    EXPECT_FALSE(is_drawn(text)) << text << " is shown too early";
  EXPECT_EQ(std::string(screen_.panels.states().lesson.answer), "") << "the field is empty again";
  for (int k = 0; k < 2; ++k) draw();
  EXPECT_TRUE(ImGui::GetIO().WantTextInput) << "the field takes what is typed next";

  ask(AnswerQuestion{"41.0", -1});
  draw();
  EXPECT_TRUE(is_drawn("\"41\" was your first answer")) << "the same again is refused";
  ask(AnswerQuestion{"200/10", -1});
  frame();
  draw();
  EXPECT_EQ(session_.lesson()->points(), 1);
  for (const char* text : {"Right in the second try: 1 of 2", "It is 20."}) EXPECT_TRUE(is_drawn(text)) << text;
  for (const char* text : {"Think of the sea.", "That is the diameter."}) EXPECT_FALSE(is_drawn(text)) << text;
  EXPECT_FALSE(is_drawn("\"41\" was")) << "the refusal is forgotten";
}

TEST_F(UiLessonTries, RejectTheFirstChoiceAgain) {
  press("PageDown");
  frame();
  choose(0);
  ASSERT_TRUE(session_.lesson()->awaits_second_try());
  draw();
  EXPECT_TRUE(is_drawn("Not quite: one"));
  EXPECT_TRUE(is_drawn("Too small."));
  EXPECT_TRUE(is_drawn("Count again."));
  const std::vector<DrawnText> texts = drawn_text();
  // With its letter, if both have one colour.
  const auto color_of = [&](const std::string& letter, const std::string& text) {
    for (const DrawnText& t : texts)
      if (t.text == text || t.text == letter + " " + text) return t.color;
    ADD_FAILURE() << text << " is not drawn";
    return ImU32(0);
  };
  EXPECT_NE(color_of("A", "one"), color_of("B", "two")) << "dimmed";
  EXPECT_EQ(color_of("B", "two"), color_of("C", "four"));
  ask(AnswerQuestion{"", 0});
  draw();
  EXPECT_TRUE(is_drawn("\"one\" was your first answer"));
  choose(2);
  draw();
  EXPECT_TRUE(is_drawn("Wrong: 0 of 2 points"));
  EXPECT_TRUE(is_drawn("Too large."));
  EXPECT_FALSE(is_drawn("You have finished")) << "the first question is open";
}

TEST_F(UiLessonTries, KeepTheKeyboardInTheFieldAfterARefusedAnswer) {
  draw();
  EXPECT_FALSE(ImGui::GetIO().WantTextInput);
  ask(AnswerQuestion{"many", -1});
  draw();
  draw();
  EXPECT_TRUE(ImGui::GetIO().WantTextInput);
  ImGui::GetIO().AddInputCharactersUTF8("20");
  draw();
  EXPECT_EQ(std::string(screen_.panels.states().lesson.answer), "20");
}

TEST_F(UiLessonTries, EndWithPointsAndResultSheet) {
  session_.output().set_default_folders(path("pictures"), path("documents"));
  std::filesystem::create_directories(path("documents"));
  answer_first("41");
  ask(AnswerQuestion{"20", -1});
  frame();
  press("PageDown");
  frame();
  draw();
  EXPECT_FALSE(is_drawn("You have finished"));
  choose(0);
  draw();
  EXPECT_FALSE(is_drawn("You have finished")) << "the second try comes first";
  choose(1);
  draw();
  for (const char* text : {"You have finished this lesson", "Your result: 2 of 4 points.", "Waves are fun.",
                           "Save result sheet", "Printable page", "Code: ", "End the lesson"})
    EXPECT_TRUE(is_drawn(text)) << text;
  EXPECT_FALSE(is_drawn("Next lesson")) << "a lesson outside the library";

  ask(SaveResultSheet{" "});
  EXPECT_NE(session_.message().text.english().find("needs a name"), std::string::npos);
  ask(SaveResultSheet{"Ada Lovelace"});
  EXPECT_NE(session_.message().text.english().find("Result sheet saved: ada-lovelace-wave-tries.csv"),
            std::string::npos)
      << session_.message().text.english();
  ask(SaveResultSheet{"Ada Lovelace"});
  const ClassResults results = read_class_results(path("documents"));
  EXPECT_TRUE(results.problems.empty());
  ASSERT_EQ(results.sheets.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(path("documents/ada-lovelace-wave-tries-2.csv"))) << "none is overwritten";
  const ResultSheet& sheet = results.sheets[0];
  EXPECT_EQ(sheet.student, "Ada Lovelace");
  EXPECT_EQ(sheet.points(), 2);
  ASSERT_EQ(sheet.rows.size(), 2u);
  EXPECT_EQ(sheet.rows[0].first_answer, "41");
  EXPECT_EQ(sheet.rows[0].second_answer, "20");
  ask(SaveResultSheet{"Ada Lovelace", true});
  EXPECT_NE(session_.message().text.english().find("Printable page saved: ada-lovelace-wave-tries.html"),
            std::string::npos)
      << session_.message().text.english();
  const std::string page = read("documents/ada-lovelace-wave-tries.html");
  for (const std::string& wanted : {std::string("Ada Lovelace"), std::string("2 of 4 points"), result_code(sheet)})
    EXPECT_NE(page.find(wanted), std::string::npos) << wanted << page;
}

TEST_F(UiLessonTries, SavesTheSheetForTeachersFromTheList) {
  session_.output().set_default_folders(path("pictures"), path("documents"));
  std::filesystem::create_directories(path("documents"));
  press("F2");
  draw();
  ask(SaveTeacherSheet{"wave/two-slits"});
  EXPECT_EQ(session_.interface().overlay, Overlay::none) << "the message is below it";
  EXPECT_NE(session_.message().text.english().find("Sheet for teachers saved: sheet-wave-two-slits.html"),
            std::string::npos)
      << session_.message().text.english();
  EXPECT_TRUE(std::filesystem::exists(path("documents/sheet-wave-two-slits.html")));
}

TEST_F(UiLesson, OffersTheNextLessonAtTheEnd) {
  Screen screen;
  const LessonLibrary& library = all_lessons();
  for (std::size_t k = 0; k < library.lessons.size(); ++k) {
    const auto& lesson = library.lessons[k];
    LessonSession run(lesson);
    for (std::size_t step = 0; step < lesson->steps.size(); ++step)
      for (int tries = 0; tries < 2; ++tries) run.restore(step, wrong_answer_to(lesson->steps[step]));
    run.go_to(lesson->steps.size() - 1);
    session_.lessons().show(run);
    screen.draw(session_, make_layout(1280, 4000, 1, 1, true));
    EXPECT_TRUE(is_drawn("You have finished")) << lesson->path();
    EXPECT_EQ(is_drawn("Next lesson"), k + 1 < library.lessons.size()) << lesson->path();
    if (has_small_reach()) break;
  }
}

TEST_F(UiLesson, PausesUntilThePredictionIsMade) {
  Screen screen;
  const auto is_shown = [&] {
    screen.draw(session_, make_layout(1280, 2000, 1, 1, true));
    return is_drawn_in_lines("The run is paused until you answer, or until you press Space.");
  };
  ask(OpenLesson{path("small.toml")});
  EXPECT_FALSE(session_.playback().playing());
  frame();
  EXPECT_EQ(session_.run().steps, 0);
  EXPECT_TRUE(is_shown());
  ask(AnswerQuestion{"many", -1});
  EXPECT_FALSE(session_.playback().playing()) << "that was no answer";
  ask(AnswerQuestion{"20", -1});
  EXPECT_TRUE(session_.playback().playing());
  EXPECT_FALSE(is_shown());
  frame();
  EXPECT_GT(session_.run().steps, 0);

  press("PageDown");
  EXPECT_FALSE(session_.playback().playing()) << "the next question";
  ask(CommandId::play_pause);
  EXPECT_TRUE(session_.playback().playing()) << "the user may start it";
  EXPECT_FALSE(is_shown());
  press("PageDown");
  EXPECT_TRUE(session_.playback().playing()) << "a step without a question";
  press("PageUp");
  EXPECT_FALSE(session_.playback().playing()) << "still not answered";
  press("PageUp");
  EXPECT_TRUE(session_.playback().playing()) << "answered before";

  ask(OpenLesson{"wave/one-cell"});
  ask(AnswerQuestion{"0.908", -1});
  ASSERT_NE(session_.lesson()->answer(), nullptr);
  EXPECT_FALSE(session_.playback().playing()) << "a question about the start";
  ask(CommandId::next_step);
  ask(CommandId::previous_step);
  EXPECT_FALSE(session_.playback().playing()) << "answered before, about the start";

  ask(OpenLesson{"wave/two-slits"});
  ask(CommandId::next_step);
  ASSERT_TRUE(session_.lesson()->step().question->sketch);
  EXPECT_FALSE(session_.playback().playing()) << "a sketch";
  EXPECT_TRUE(is_shown());
  const LessonSketch& sketch = *session_.lesson()->step().question->sketch;
  ask(AnswerQuestion{"", -1, {{sketch.x0, 0.5}}});
  EXPECT_FALSE(session_.playback().playing()) << "only a part of the curve";
  EXPECT_NE(session_.lessons().answer_error(), "");
  ask(AnswerQuestion{"", -1, {{sketch.x0, 0.5}, {sketch.x1, 0.5}}});
  EXPECT_TRUE(session_.playback().playing());
}

// Hints, results of second tries, and the endings.
TEST_F(UiLesson, ClipsNoTextOfSecondTriesAndEndings) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  Screen screen;
  for (const char* language : {"en", "de"}) {
    use_language(language);
    const std::vector<ScreenSize> sizes = {{1280, 720, 1}, {1280, 720, 1.8}};
    std::string simulation;
    for (const ScreenSize& size : reach(sizes, {sizes.front()}))
      for (const auto& lesson : find_lessons("").lessons) {
        if (has_small_reach() && lesson->simulation == simulation) continue;
        simulation = lesson->simulation;
        const Layout layout = make_layout(size.width, static_cast<int>(9000 * size.scale), 1, size.scale, true);
        LessonSession run(lesson);
        for (std::size_t k = 0; k < lesson->steps.size(); ++k)
          for (int tries = 0; tries < 2; ++tries) {
            run.restore(k, wrong_answer_to(lesson->steps[k]));
            run.go_to(k);
            session_.lessons().show(run);
            screen.draw(session_, layout);
            EXPECT_EQ(cut_texts(true), "") << lesson->path() << ", step " << k + 1 << ", " << words(size);
          }
      }
  }
  use_language("en");
}

// Every step of every lesson, with a right answer and without one, at common window sizes.
TEST_F(UiLesson, ClipsNoTextAtAnySize) {
  SKIP_UNDER_SANITIZERS("layout and texts in every state; other tests draw the same panels");
  Screen screen;
  std::string simulation;
  for (const auto& lesson : find_lessons("").lessons) {
    if (has_small_reach() && lesson->simulation == simulation) continue;
    simulation = lesson->simulation;
    Scene scene = scene_of_width(simulation, 48, 24);
    Experiment experiment(*backend_, scene);
    Session session(experiment, 1);
    screen.panels = Panels();
    session.playback().set_playing(false);
    session.observe(true);
    // Sizes with the same scale are in sequence, because the font is rebuilt when the scale changes.
    const std::vector<ScreenSize> sizes = {
        {1280, 720, 1}, {2560, 1440, 1}, {1280, 720, 1.8}, {1024, 768, 2}, {3840, 2160, 2}};
    for (const ScreenSize& size : reach(sizes, {sizes.front()}))
      for (std::size_t k = 0; k < lesson->steps.size(); ++k) {
        LessonSession run(lesson);
        run.go_to(k);
        session.lessons().show(run);
        const Layout whole = make_layout(size.width, static_cast<int>(9000 * size.scale), 1, size.scale, true);
        screen.draw(session, whole);
        EXPECT_EQ(cut_texts(true), "") << lesson->path() << ", step " << k + 1 << ", " << words(size);
        screen.draw(session, make_layout(size.width, size.height, 1, size.scale, true));
        EXPECT_EQ(cut_texts(false), "") << lesson->path() << ", step " << k + 1 << ", " << words(size)
                                        << ", as high as it is";
        if (size.scale > 1) continue;
        // In a window of 1280 x 720 the question is visible without scrolling.
        if (lesson->steps[k].question && size.height == 720) {
          screen.draw(session, make_layout(1280, 720, 1, 1, true));
          EXPECT_TRUE(is_drawn("Question")) << lesson->path() << ", step " << k + 1;
        }
      }
    session.execute(ShowHelpPage{lessons_help_page});
    for (const ScreenSize& size : {ScreenSize{1280, 720, 1}, {1280, 720, 1.8}}) {
      screen.draw(session, make_layout(size.width, size.height, 1, size.scale, true));
      EXPECT_EQ(cut_texts(false), "") << "the list, " << words(size);
    }
  }
}

}  // namespace
}  // namespace perturb
