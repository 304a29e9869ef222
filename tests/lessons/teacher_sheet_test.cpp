// Sheets for teachers: what every bundled lesson has, what its sheet holds, and that texts cannot break the page.
#include "app/lessons/teacher_sheet.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/io/files/printable.h"
#include "app/lessons/lesson_library.h"
#include "tests/support/lesson_step.h"

namespace perturb {
namespace {

class TeacherSheet : public testing::Test {
 protected:
  void TearDown() override {
    use_front_end(FrontEnd::window);
    use_language("en");
  }
};

bool has(const std::string& page, const std::string& text) { return page.find(text) != std::string::npos; }

// In the selected language and for the selected front end.
std::string shown(const std::string& text) { return escape_for_html(tr(text)); }

TEST_F(TeacherSheet, IsWrittenForEveryLessonInEveryLanguage) {
  ASSERT_GE(all_lessons().lessons.size(), 25u);
  for (const LanguageName& language : languages()) {
    use_language(language.id);
    take_untranslated();
    for (const auto& lesson : all_lessons().lessons) {
      SCOPED_TRACE(language.id + " " + lesson->path());
      EXPECT_GT(lesson->minutes, 0);
      std::vector<std::string> texts = {lesson->aim, lesson->prior};
      for (const LessonStep& step : lesson->steps)
        if (step.question) texts.push_back(step.question->misconception);
      for (const std::string& text : texts) {
        EXPECT_FALSE(text.empty());
        EXPECT_EQ(tr(text) == text, language.id == "en") << text;
      }
      teacher_sheet(*lesson);
      for (const std::string& text : take_untranslated()) ADD_FAILURE() << "not translated: " << text;
    }
  }
}

TEST_F(TeacherSheet, HoldsEveryQuestionAndAnswer) {
  for (const char* language : {"en", "de"}) {
    use_language(language);
    for (const auto& lesson : all_lessons().lessons) {
      SCOPED_TRACE(lesson->path());
      const std::string page = teacher_sheet(*lesson);
      for (const std::string& text : {lesson->title, lesson->aim, lesson->prior}) EXPECT_TRUE(has(page, shown(text)));
      for (const LessonStep& step : lesson->steps) {
        EXPECT_TRUE(has(page, shown(step.title)));
        if (!step.question) continue;
        const LessonQuestion& question = *step.question;
        std::vector<std::string> texts = {question.text, question.reveal, question.hint, question.misconception};
        for (const LessonChoice& choice : question.choices) {
          texts.insert(texts.end(), {choice.text, choice.explanation});
          // Alone on its line as the right answer.
          EXPECT_EQ(has(page, "<p class=\"right\">" + shown(choice.text) + "</p>"), choice.explanation.empty());
        }
        for (const LessonMistake& mistake : question.mistakes) texts.push_back(mistake.text);
        for (const std::string& text : texts)
          for (const std::string& part : paragraphs_of(text)) EXPECT_TRUE(has(page, shown(part))) << part;
      }
      EXPECT_FALSE(has(page, "[[") || has(page, "||")) << "all variants of a text";
    }
  }
}

// In the units of the scene, as students type them.
TEST_F(TeacherSheet, ComputesAnswersThatNeedNoRun) {
  const std::string page = teacher_sheet(*load_lesson("wave/two-slits"));
  EXPECT_TRUE(has(page, "<p class=\"right\">2 cm</p>")) << "the wavelength";
  EXPECT_TRUE(has(page, "<p class=\"right\">6.185 cm</p>")) << "the first fringe";
  EXPECT_TRUE(has(page, "<dt>15.05 cm</dt>")) << "the second one, a typical mistake";
  EXPECT_TRUE(has(page, "Wave speed = 20 cm/s"));
}

TEST_F(TeacherSheet, EscapesTextsAndAddress) {
  const Lesson lesson = parse_lesson("title = '<b>\"T\" & co</b>'\naim = '<script>'\n" + first_step +
                                         "[step.question]\ntext = 'a < b'\ntheory = '2'\nreveal = '</p>'\n",
                                     "l.toml", "wave", "l");
  const std::string page = teacher_sheet(lesson, {"https://a.org/\"><script>", {"10", "01"}});
  for (const char* raw : {"<b>", "<script", "a < b", "<p></p>"}) EXPECT_FALSE(has(page, raw)) << raw;
  EXPECT_TRUE(has(page, "&lt;b&gt;&quot;T&quot; &amp; co&lt;/b&gt;"));
  EXPECT_TRUE(has(page, "href=\"https://a.org/&quot;&gt;&lt;script&gt;\""));
  EXPECT_TRUE(has(page, "viewBox=\"-4 -4 10 10\"") && has(page, "d=\"M0 0h1v1h-1zM1 1h1v1h-1z\"")) << "the QR code";
}

TEST_F(TeacherSheet, NamesTheKeysOfItsFrontEndAndTheLink) {
  const auto lesson = load_lesson("wave/one-cell");
  EXPECT_TRUE(has(teacher_sheet(*lesson), "F2 lists all lessons"));
  EXPECT_TRUE(has(teacher_sheet(*lesson), "#l=wave/one-cell"));
  EXPECT_FALSE(has(teacher_sheet(*load_lesson("wave/edit-kernel")), "#l=")) << "the page does not offer it";
  use_front_end(FrontEnd::page);
  const std::string page = teacher_sheet(*lesson, {"https://a.org/#l=wave/one-cell", {}});
  EXPECT_TRUE(has(page, "the gallery lists all lessons"));
  EXPECT_TRUE(has(page, "<a href=\"https://a.org/#l=wave/one-cell\">"));
}

}  // namespace
}  // namespace perturb
