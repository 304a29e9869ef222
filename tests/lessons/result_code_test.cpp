// Short codes of results: what they hold, and which mistakes of a reader they notice.
#include "app/lessons/result_code.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "tests/support/error_thrown_by.h"
#include "tests/support/files_scratch.h"

namespace perturb {
namespace {

const std::string characters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";

// A sheet of the lesson, whose questions have no answer, 0, 1, 2, no answer, ... points.
ResultSheet sheet_of(const Lesson& lesson, int first) {
  ResultSheet sheet{"Ada", lesson.path(), {}};
  for (std::size_t k = 0; k < lesson.steps.size(); ++k) {
    if (!lesson.steps[k].question) continue;
    const int result = (first + static_cast<int>(sheet.rows.size())) % 4;
    sheet.rows.push_back({static_cast<int>(k) + 1, lesson.steps[k].question->text, result > 0 ? "5" : "", "",
                          result > 0 ? result - 1 : 0, 2});
  }
  return sheet;
}

// The fault of a code; empty: it is read.
std::string complaint(const std::string& code) {
  return error_thrown_by([&] { read_result_code(code, all_lessons()); });
}

TEST(ResultCode, HoldsThePointsOfEveryLesson) {
  std::set<std::string> lessons;
  for (const auto& lesson : all_lessons().lessons)
    for (int first = 0; first < 4; ++first) {
      const ResultSheet sheet = sheet_of(*lesson, first);
      const std::string code = result_code(sheet);
      lessons.insert(code.substr(0, 6));
      const ResultSheet read = read_result_code(code, all_lessons());
      EXPECT_EQ(read.lesson, sheet.lesson) << code;
      ASSERT_EQ(read.rows.size(), sheet.rows.size());
      for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
        EXPECT_EQ(read.rows[k].points, sheet.rows[k].points) << code;
        EXPECT_EQ(read.rows[k].step, sheet.rows[k].step);
        EXPECT_EQ(read.rows[k].question, sheet.rows[k].question);
        EXPECT_EQ(read.rows[k].first_answer.empty(), sheet.rows[k].first_answer.empty());
      }
    }
  EXPECT_EQ(lessons.size(), all_lessons().lessons.size()) << "two lessons begin alike";
}

TEST(ResultCode, HasAtMost24UnambiguousCharactersInGroupsOfFour) {
  ResultSheet sheet{"Ada", "wave/long", {}};
  EXPECT_EQ(result_code(sheet), "");
  for (int questions = 1; questions <= 30; ++questions) {
    sheet.rows.push_back({questions, "Q", "5", "", 2, 2});
    const std::string code = result_code(sheet);
    ASSERT_LE(code.size(), 24u + 5u);
    for (std::size_t k = 0; k < code.size(); ++k)
      EXPECT_EQ(k % 5 == 4 ? code[k] == '-' : characters.find(code[k]) != std::string::npos, true) << code;
    EXPECT_EQ(code.size() % 5, 4u) << code;
  }
  sheet.rows.push_back({31, "Q", "5", "", 2, 2});
  EXPECT_EQ(result_code(sheet), "") << "more questions than a code holds";
}

TEST(ResultCode, NoticesEveryWrongCharacterAndEveryExchange) {
  for (const auto& lesson : all_lessons().lessons) {
    const std::string code = result_code(sheet_of(*lesson, 1));
    for (std::size_t i = 0; i < code.size(); ++i) {
      if (code[i] == '-') continue;
      for (const char other : characters) {
        std::string wrong = code;
        wrong[i] = other;
        if (wrong == code) continue;
        EXPECT_NE(complaint(wrong).find("wrong or exchanged characters"), std::string::npos) << code << " " << wrong;
        wrong.back() = wrong.back() == 'X' ? 'Y' : 'X';  // the last one too
        if (wrong == code) continue;
        EXPECT_NE(complaint(wrong), "") << code << " " << wrong;
      }
      for (std::size_t k = i + 1; k < code.size(); ++k) {
        if (code[k] == '-' || code[i] == code[k]) continue;
        std::string wrong = code;
        std::swap(wrong[i], wrong[k]);
        EXPECT_NE(complaint(wrong), "") << code << " " << wrong;
      }
    }
  }
}

TEST(ResultCode, IsReadInAnyCaseAndWithAnyDashes) {
  const std::string code = result_code(sheet_of(*load_lesson("wave/two-slits"), 3));
  std::string typed;
  for (const char c : code)
    typed += c == '-' ? std::string(" \u2013") : std::string(1, static_cast<char>(std::tolower(c)));
  EXPECT_EQ(complaint(typed), "");
  typed.erase(std::remove_if(typed.begin(), typed.end(), [](unsigned char c) { return !std::isalnum(c); }),
              typed.end());
  EXPECT_EQ(complaint(typed), "");
}

TEST(ResultCode, SaysWhatToDoAboutOthers) {
  const std::string code = result_code(sheet_of(*load_lesson("wave/two-slits"), 0));
  EXPECT_NE(complaint("O" + code.substr(1)).find("codes have no \"O\""), std::string::npos);
  EXPECT_NE(complaint(code + "\u00e4").find("codes have no \"\u00e4\""), std::string::npos);
  EXPECT_NE(complaint(code.substr(1)).find("11 characters instead of 12"), std::string::npos);
  EXPECT_NE(complaint("").find("0 characters"), std::string::npos);
  EXPECT_NE(complaint("2222-2222-2222"), "") << "nothing but zeros";
  ResultSheet other{"Ada", "wave/of-a-teacher", {{1, "Q", "5", "", 2, 2}}};
  EXPECT_NE(complaint(result_code(other)).find("Copy the lesson into"), std::string::npos);
  other.lesson = "wave/two-slits";
  EXPECT_NE(complaint(result_code(other)).find("Ask for the result sheet"), std::string::npos) << "another version";
}

class ResultCodes : public ScratchFolder {};

TEST_F(ResultCodes, AreReadFromTextFilesWithTheLineOfAnError) {
  const ResultSheet sheet = sheet_of(*load_lesson("wave/two-slits"), 3);
  const std::string code = result_code(sheet), points = std::to_string(sheet.points());
  std::filesystem::create_directories(path("class"));
  write("class/notes.txt", "no codes");
  write("class/codes.txt", "\xef\xbb\xbf# 8b\r\n\r\n ada :" + code + "\r\nBob: x: " + code + "\r\n");
  EXPECT_EQ(run("results class --csv t.csv").code, 0);
  const std::string row = ",\"" + points + "\",\"" + points + "\",\"8\"\n";
  EXPECT_TRUE(read("t.csv").ends_with("\"Bob: x\"" + row + "\"ada\"" + row)) << read("t.csv");
  write("class/codes.txt", "Ada " + code + "\nBob: " + code.substr(2) + "\n:" + code + "\nCleo: " + code + "\n");
  const Outcome damaged = run("results class");
  EXPECT_EQ(damaged.code, 1);
  for (const char* wanted : {"codes.txt:1: ", "codes.txt:2: ", "codes.txt:3: ", "Write the name, a colon and the code"})
    EXPECT_NE(damaged.err.find(wanted), std::string::npos) << wanted << ": " << damaged.err;
  EXPECT_NE(damaged.out.find("Cleo"), std::string::npos) << "the others count";
  EXPECT_EQ(run("results class --csv class/codes.txt").code, 2) << "it would be lost";
  EXPECT_EQ(run("results --code 'Ada: nothing'").code, 2);
}

}  // namespace
}  // namespace perturb
