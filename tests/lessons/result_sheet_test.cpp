// Result sheets of lessons, and the tables of a class that are made from them.
#include "app/lessons/result_sheet.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "cuda/core/backend/check.h"
#include "tests/support/files_scratch.h"
#include "tests/support/lesson_step.h"

namespace perturb {
namespace {

ResultSheet sheet_of(const std::string& student, int first, int second) {
  return {student,
          "wave/two-slits",
          {{1, "How \"long\", exactly?", "5", "20", first, 2}, {3, "-x", "=1+1", "", second, 2}}};
}

TEST(ResultSheet, ReadsBackWhatItWrote) {
  const ResultSheet sheet = sheet_of("O'Hara, Zo\u00eb", 1, 2);
  const std::string text = result_sheet_as_csv(sheet);
  EXPECT_NE(text.find("\"'=1+1\""), std::string::npos) << "a spreadsheet must not calculate it: " << text;
  const ResultSheet read = parse_result_sheets(text, "a.csv").front();
  EXPECT_EQ(read.student, sheet.student);
  EXPECT_EQ(read.lesson, sheet.lesson);
  ASSERT_EQ(read.rows.size(), 2u);
  EXPECT_EQ(read.rows[0].question, "How \"long\", exactly?");
  EXPECT_EQ(read.rows[0].second_answer, "20");
  EXPECT_EQ(read.rows[1].first_answer, "=1+1");
  EXPECT_EQ(read.rows[1].question, "-x");
  EXPECT_EQ(read.points(), 3);
  EXPECT_EQ(read.max_points(), 4);
  EXPECT_EQ(result_sheet_stem(sheet), "o-hara-zo\u00eb-wave-two-slits");
}

TEST(ResultSheet, ReadsWhatASpreadsheetSavedAgain) {
  const ResultSheet read = parse_result_sheets(
                               "student;lesson;step;question;first_answer;second_answer;points;max_points\r\n"
                               "Ada;wave/two-slits;1;How long?;20;;2;2\r\n\r\n",
                               "a.csv")
                               .front();
  EXPECT_EQ(read.student, "Ada");
  EXPECT_EQ(read.points(), 2);
}

TEST(ResultSheet, RejectsOtherFilesWithTheLine) {
  const std::string heading = result_sheet_as_csv({});
  const auto complaint = [](const std::string& text) -> std::string {
    try {
      parse_result_sheets(text, "a.csv");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_NE(complaint("").find("empty"), std::string::npos) << complaint("");
  EXPECT_NE(complaint(heading).find("empty"), std::string::npos);
  EXPECT_NE(complaint("step,time\n1,2\n").find("not a result sheet"), std::string::npos);
  for (const char* row : {"Ada,wave/x,1,Q,a,b,2", "Ada,wave/x,1,Q,a,b,1000000,1000000", "Ada,wave/x,1,Q,a,b,1,1",
                          "Ada,wave/x,1,Q,a,b,99999999999,2", "Ada,wave/x,0,Q,a,b,1,2", "Ada,wave/x,one,Q,a,b,2,2",
                          "Ada,wave/x,1,Q,a,b,3,2", "Ada,wave/x,1,Q,a,b,-1,2", "Ada,wave/x,1,\"Q,a,b,1,2"})
    EXPECT_NE(complaint(heading + row + "\n").find("a.csv:2"), std::string::npos)
        << row << ": " << complaint(heading + row + "\n");
  EXPECT_NE(complaint(heading + "Ada,wave/x,1,Q,a,b,2,2\nAda,wave/x,1,Q,a,b,2,2\n").find("counts once"),
            std::string::npos);
}

TEST(ResultSheet, ReadsThoseOfAClassFromOneFile) {
  const std::vector<ResultSheet> sheets = {sheet_of("Ada", 2, 1), sheet_of("Bob", 0, 1), sheet_of("Ada 2", 1, 1)};
  const std::vector<ResultSheet> read = parse_result_sheets(result_sheets_as_csv(sheets), "a.csv");
  ASSERT_EQ(read.size(), sheets.size());
  for (std::size_t k = 0; k < read.size(); ++k) {
    EXPECT_EQ(read[k].student, sheets[k].student);
    EXPECT_EQ(read[k].points(), sheets[k].points());
    EXPECT_EQ(read[k].rows.size(), 2u);
  }
}

class ResultFolder : public ScratchFolder {};

TEST_F(ResultFolder, MakesTablesForAClass) {
  std::filesystem::create_directories(path("class"));
  write("class/a1.csv", result_sheet_as_csv(sheet_of("Ada", 0, 0)));
  write("class/a2.csv", result_sheet_as_csv(sheet_of("Ada", 2, 1)));  // the better one counts
  write("class/b.csv", result_sheet_as_csv(sheet_of("Bob", 2, 2)));
  write("class/notes.txt", "no sheet");
  const Outcome outcome = run("results class --csv table.csv");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Ada"), std::string::npos) << outcome.out;
  EXPECT_EQ(read("table.csv"),
            "\xef\xbb\xbf\"student\",\"wave/"
            "two-slits\",\"points\",\"of\"\n\"Ada\",\"3\",\"3\",\"4\"\n\"Bob\",\"4\",\"4\",\"4\"\n");
  const Outcome questions = run("results class --questions --csv table.csv");
  EXPECT_EQ(questions.code, 0) << questions.err;
  EXPECT_NE(read("table.csv").find("\"2\",\"2\",\"100\"\n"), std::string::npos) << read("table.csv");
  EXPECT_NE(read("table.csv").find("\"2\",\"1\",\"75\"\n"), std::string::npos) << read("table.csv");
  write("class/curves.csv", "step,time\n1,2\n");
  const Outcome other = run("results class");
  EXPECT_EQ(other.code, 1) << "one file is no sheet";
  EXPECT_NE(other.err.find("curves.csv is not a result sheet"), std::string::npos) << other.err;
  EXPECT_NE(other.out.find("Bob"), std::string::npos) << "the others still count";
  EXPECT_EQ(run("results").code, 2);
  EXPECT_EQ(run("results nowhere").code, 2);
  std::filesystem::create_directories(path("empty"));
  EXPECT_EQ(run("results empty").code, 2);
}

TEST_F(ResultFolder, CountsOneStudentForNamesThatReadTheSame) {
  std::filesystem::create_directories(path("class"));
  const std::string composed = "Zo\u00eb Mu\u0301ller", decomposed = " Zoe\u0308  M\u00faller ";
  write("class/1.csv", result_sheet_as_csv(sheet_of("Anna", 0, 0)));
  write("class/2.csv", result_sheet_as_csv(sheet_of("  Anna ", 1, 0)));
  write("class/3.csv", result_sheet_as_csv(sheet_of("anna", 2, 2)));
  write("class/4.csv", result_sheet_as_csv(sheet_of(composed, 1, 1)));
  write("class/5.csv", result_sheet_as_csv(sheet_of(decomposed, 2, 1)));
  write("class/6.csv", result_sheet_as_csv(sheet_of("ZO\u00cb M\u00daLLER", 0, 1)));
  write("class/7.csv", result_sheet_as_csv(sheet_of("Zoe Muller", 0, 1)));
  const ClassResults results = read_class_results(path("class"));
  ASSERT_EQ(results.sheets.size(), 3u);
  EXPECT_EQ(results.sheets[0].student, "Anna");
  EXPECT_EQ(results.sheets[0].points(), 4);
  EXPECT_EQ(results.sheets[1].student, "Zoe Muller") << "another letter is another name";
  EXPECT_EQ(results.sheets[2].student, "Zo\u00eb M\u00faller");
  EXPECT_EQ(results.sheets[2].points(), 3);
  ASSERT_EQ(results.notes.size(), 2u) << "names in another case are reported";
  EXPECT_NE(results.notes[0].english().find("\"anna\" counts as \"Anna\""), std::string::npos);
  const Outcome outcome = run("results class");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("\"anna\" counts as \"Anna\""), std::string::npos) << outcome.err;
}

TEST_F(ResultFolder, OverwritesNoSheet) {
  std::filesystem::create_directories(path("class"));
  const std::string ada = result_sheet_as_csv(sheet_of("Ada", 2, 0)), damaged = "not a sheet\n";
  write("class/a.csv", ada);
  write("class/b.csv", damaged);
  std::filesystem::create_hard_link(path("class/a.csv"), path("link.csv"));
  for (const char* name : {"class/a.csv", "class/../class/a.csv", "link.csv", "class/b.csv"}) {
    const Outcome outcome = run("results class --csv " + std::string(name));
    EXPECT_EQ(outcome.code, 2) << name;
    EXPECT_NE(outcome.err.find("would be lost"), std::string::npos) << outcome.err;
    EXPECT_EQ(read("class/a.csv"), ada);
    EXPECT_EQ(read("class/b.csv"), damaged);
  }
  std::filesystem::remove(path("class/b.csv"));
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(run("results class --csv class/table.csv").code, 0) << "the command's own table is no sheet";
    EXPECT_EQ(run("results class --questions --csv class/questions.csv").code, 0);
  }
}

TEST_F(ResultFolder, CommandsOverwriteNoFileThatTheyRead) {
  write("ask.toml", "simulation = 'wave'\n" + first_step + "[step.question]\ntext = 'Q'\ntheory = '20'\n");
  write("answers.txt", "20\n");
  write("scene.toml", "simulation = 'wave'\nsize = [32, 32]\n");
  write("script.toml", "start = ['wave', '--size', '32']\n");
  for (const char* arguments : {"lesson ask.toml --headless --answers answers.txt --result answers.txt",
                                "lesson ask.toml --headless --answers answers.txt --result ./ask.toml",
                                "scene.toml --headless --steps 1 --csv scene.toml",
                                "wave --script script.toml --headless --steps 1 --save script.toml",
                                "--script script.toml --headless --steps 1 --csv ./script.toml"}) {
    const Outcome outcome = run(std::string(arguments) + " --backend cpu");
    EXPECT_EQ(outcome.code, 2) << arguments << outcome.out << outcome.err;
    EXPECT_NE(outcome.err.find("would be lost"), std::string::npos) << arguments << outcome.err;
  }
  EXPECT_EQ(read("answers.txt"), "20\n");
  EXPECT_EQ(run("wave --size 32 --headless --steps 1 --save s.perturb").code, 0);
  EXPECT_EQ(run("s.perturb --headless --steps 1 --save s.perturb").code, 0)
      << "a state may follow the one that it continues";
}

TEST_F(ResultFolder, LessonWritesTheSheetOfItsAnswers) {
  write("ask.toml", "simulation = 'wave'\n" + first_step + "[step.question]\ntext = 'Q'\ntheory = '20'\nhint = 'H'\n" +
                        first_step + "[step.question]\ntext = 'R'\ntheory = '3'\n");
  write("answers.txt", "5 | 20\n3\n");
  const Outcome outcome =
      run("lesson ask.toml --headless --backend cpu --answers answers.txt --result ada.csv --student Ada");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const ResultSheet sheet = parse_result_sheets(read("ada.csv"), "ada.csv").front();
  EXPECT_EQ(sheet.student, "Ada");
  EXPECT_EQ(sheet.lesson, "wave/ask");
  ASSERT_EQ(sheet.rows.size(), 2u);
  EXPECT_EQ(sheet.rows[0].first_answer, "5");
  EXPECT_EQ(sheet.rows[0].second_answer, "20");
  EXPECT_EQ(sheet.rows[0].points, 1);
  EXPECT_EQ(sheet.rows[1].step, 2);
  EXPECT_EQ(sheet.rows[1].second_answer, "");
  EXPECT_EQ(sheet.points(), 3);
  EXPECT_EQ(run("lesson ask.toml --headless --result ada.csv").code, 2) << "whose answers?";
}

}  // namespace
}  // namespace perturb
