// A class hands in: sheets of the window, sheets of the page, and codes, which the command puts into one table.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/web/engine/engine.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

class ClassOfTen : public ScratchFolder {
 protected:
  using Json = nlohmann::ordered_json;
  static constexpr const char* lesson = "membrane/drum-modes";

  Json call(const std::string& name, const Json& with = Json::object()) {
    const Json answer = Json::parse(engine_.call(Json{{"call", name}, {"with", with}}.dump()));
    EXPECT_FALSE(answer.contains("error")) << name << ": " << answer.dump().substr(0, 300);
    return answer;
  }
  // Takes the lesson in the page with the right answers to the first questions, and wrong ones to the others.
  Json take_lesson(std::size_t right) {
    const std::vector<std::vector<Json>> answers = {
        {{{"number", "125 * sqrt(2)"}}, {{"number", "5"}}, {{"number", "6"}}},
        {{{"choice", 1}}, {{"choice", 0}}, {{"choice", 2}}},
        {{{"number", "2"}}, {{"number", "5"}}, {{"number", "6"}}}};
    Json now = call("lesson_open", {{"path", lesson}});
    for (std::size_t k = 0; k < answers.size(); ++k) {
      if (k > 0) now = call("lesson_step", {{"index", k}});
      call("advance", {{"steps", 30}});
      call("look");
      if (k < right) {
        now = call("lesson_answer", answers[k][0]);
      } else {
        call("lesson_answer", answers[k][1]);
        now = call("lesson_answer", answers[k][2]);
      }
    }
    EXPECT_TRUE(now["done"]) << now.dump();
    EXPECT_EQ(now["points"], 2 * right);
    return now;
  }
  // Saves the page's sheet in the folder of the class.
  void hand_in_sheet(const std::string& student, std::size_t right) {
    take_lesson(right);
    const Json sheet = call("lesson_sheet", {{"student", student}, {"language", "en"}});
    write("class/" + sheet["stem"].get<std::string>() + ".csv", sheet["table"].get<std::string>());
    EXPECT_NE(sheet["page"].get<std::string>().find(std::to_string(2 * right) + " of 6 points"), std::string::npos);
  }
  std::string code(std::size_t right) { return take_lesson(right)["code"]; }

  WebEngine engine_{1};
};

TEST_F(ClassOfTen, IsInOneTable) {
  std::filesystem::create_directories(path("class"));
  write("right.txt", "125 * sqrt(2)\nB\n2\n");
  const Outcome window = run("lesson " + std::string(lesson) +
                             " --headless --backend cpu --answers right.txt --result class/1.csv --student Anna");
  EXPECT_EQ(window.code, 0) << window.out << window.err;
  hand_in_sheet(" anna", 1);  // Anna once more, in another spelling and with fewer points
  hand_in_sheet("B\u00e9r\u00e9nice; =1+1", 2);
  hand_in_sheet("=2+3", 1);
  hand_in_sheet("Carl  Maria   von W.", 3);
  hand_in_sheet("D\u00f6rte \"Do\", M.", 0);
  write("class/codes.txt",
        "Fatma \u00d6z: " + code(2) + "\n  grace   HOPPER :" + code(3) + "\nHugo: " + code(1) + "\n");
  const std::string good = code(2), wrong = (good[0] == '7' ? "8" : "7") + good.substr(1);
  const std::string emil = " --code 'Emil: " + code(0) + "' --code 'Ivo: ";

  const Outcome refused = run("results class --csv table.csv" + emil + wrong + "'");
  EXPECT_EQ(refused.code, 1) << "one wrong character";
  EXPECT_NE(refused.err.find("wrong or exchanged characters. Compare each one"), std::string::npos) << refused.err;
  EXPECT_EQ(read("table.csv").find("Ivo"), std::string::npos);

  const Outcome outcome = run("results class --csv table.csv" + emil + good + "'");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("\"anna\" counts as \"Anna\""), std::string::npos) << outcome.err;
  std::string expected = "\xef\xbb\xbf\"student\",\"membrane/drum-modes\",\"points\",\"of\"\n";
  for (const auto& [student, points] :
       std::vector<std::pair<std::string, std::string>>{{"'=2+3", "2"},
                                                        {"Anna", "6"},
                                                        {"B\u00e9r\u00e9nice; =1+1", "4"},
                                                        {"Carl Maria von W.", "6"},
                                                        {"D\u00f6rte \"\"Do\"\", M.", "0"},
                                                        {"Emil", "0"},
                                                        {"Fatma \u00d6z", "4"},
                                                        {"Hugo", "2"},
                                                        {"Ivo", "4"},
                                                        {"grace HOPPER", "6"}})
    expected += "\"" + student + "\",\"" + points + "\",\"" + points + "\",\"6\"\n";
  EXPECT_EQ(read("table.csv"), expected);

  const Outcome questions = run("results class --questions --csv questions.csv" + emil + good + "'");
  EXPECT_EQ(questions.code, 0) << questions.err;
  const std::string text = read("questions.csv");
  for (const char* row : {"\"10\",\"8\",\"80\"\n", "\"10\",\"6\",\"60\"\n", "\"10\",\"3\",\"30\"\n"})
    EXPECT_NE(text.find(row), std::string::npos) << row << text;
}

}  // namespace
}  // namespace perturb
