// Result sheets for paper, and the drawings of curves on them.
#include "app/lessons/result_page.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "app/i18n/language.h"
#include "app/lessons/curve_svg.h"
#include "app/lessons/result_code.h"
#include "app/lessons/result_sheet.h"

namespace perturb {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

Curve curve_of_light() {
  Curve curve{"light", "Light on the screen", "position", "cm", "light", "", {}, {}};
  for (int k = 0; k <= 10; ++k) curve.points.push_back({160.0 + 19 * k, 0.1 * k});
  return curve;
}

class ResultPage : public testing::Test {
 protected:
  // The first question is right in the second try, the second one a sketch; the others have no answer.
  ResultPage() : lesson_(load_lesson("wave/two-slits")) {
    const double factor = lesson_.lesson().steps[0].question->shown.factor;
    for (const char* given : {"5", "2"}) {
      LessonSession::Answer answer;
      answer.given = given;
      answer.found = FoundNumbers{2 / factor, {}, -1};
      lesson_.restore(0, answer);
    }
    LessonSession::Answer sketch;
    sketch.given = "a sketch";
    sketch.curve = curve_of_light();
    sketch.sketch = sketch.curve->points;
    sketch.found = FoundNumbers{0, {}, -1};
    lesson_.restore(1, sketch);
  }
  ~ResultPage() override { use_language("en"); }
  std::string page(const std::string& student, const std::vector<Curve>& plots = {}) const {
    return result_page(lesson_, student, "2026-11-30", plots);
  }

  LessonSession lesson_;
};

TEST_F(ResultPage, ShowsAnswersPointsCodeAndSketch) {
  const std::string text = page(" Ada  Lovelace ");
  for (const std::string& wanted :
       {std::string("<dd>Ada Lovelace</dd>"), std::string("2026-11-30"), std::string("3 of 8 points"),
        std::string("<dt>First answer</dt>\n<dd>5 cm</dd>"), std::string("<dt>Second answer</dt>\n<dd>2 cm</dd>"),
        std::string("1 of 2 points"), std::string("2 of 2 points"), std::string("<dd>no answer</dd>"),
        result_code(result_sheet_of(lesson_, "Ada")), std::string("no protection against cheating")})
    EXPECT_NE(text.find(wanted), std::string::npos) << wanted << " is missing in " << text;
  EXPECT_EQ(count_of(text, "<figure>"), 1u) << "the sketch";
  EXPECT_EQ(count_of(text, ">\u2014 measured<"), 1u);
  EXPECT_EQ(count_of(text, ">- - sketch<"), 1u);
  EXPECT_EQ(count_of(page("Ada", {curve_of_light(), Curve{}}), "<figure>"), 2u)
      << "and a plot, but none without points";
}

TEST_F(ResultPage, EscapesNamesAndIsTranslated) {
  const std::string text = page("<script>alert(1)</script> & \"Bo\"");
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_NE(text.find("&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Bo&quot;"), std::string::npos);
  use_language("de");
  take_untranslated();
  const std::string german = page("Ada");
  for (const char* wanted : {"<html lang=\"de\">", "<dt>Punkte</dt>", "3 von 8 Punkten", "Zweite Antwort", "Skizze<"})
    EXPECT_NE(german.find(wanted), std::string::npos) << wanted;
  for (const std::string& missing : take_untranslated()) ADD_FAILURE() << "German lacks: " << missing;
}

TEST(CurveSvg, InterruptsLinesAndShowsASingleValue) {
  Curve curve = curve_of_light();
  curve.points[5].y = std::nan("");
  const std::string cut = curve_as_svg(curve);
  EXPECT_EQ(count_of(cut, "M"), 2u + 1u + count_of(cut, "stroke=\"#ccc\"")) << cut;  // two parts, the axes, the grid
  EXPECT_EQ(cut.find("nan"), std::string::npos);
  for (CurvePoint& point : curve.points) point = {3, 7};
  EXPECT_EQ(curve_as_svg(curve).find("nan"), std::string::npos);
  EXPECT_EQ(curve_as_svg(Curve{}).find("inf"), std::string::npos);
}

}  // namespace
}  // namespace perturb
