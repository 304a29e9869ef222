#include "app/lessons/result_code.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "app/io/files/unicode.h"
#include "app/lessons/lesson_answers.h"
#include "cuda/core/backend/check.h"

namespace perturb {

namespace {

// The characters are the numbers of the prime field of 31 elements. Those of a code c[0], c[1], ... satisfy
//   sum of c[i] = 0  and  sum of (i + 1) c[i] = 0  (mod 31).
// This is a shortened Reed-Solomon code of distance 3: up to two wrong characters violate one of the sums. Exchanging
// c[i] and c[k] changes the second one by (i - k)(c[k] - c[i]), which is 0 only for equal characters, as a code is
// shorter than 31.
constexpr std::string_view alphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
constexpr int field = 31;
static_assert(alphabet.size() == field);

// A code: the lesson's number, the number of questions, two questions per character, zeros up to whole groups, the
// checksum.
constexpr std::size_t lesson_characters = 5, check_characters = 2, group = 4, max_characters = 24;
constexpr std::size_t max_questions = 30;
constexpr int results = max_points_of_answer + 2;  // of a question: no answer, or its points
static_assert(results * results <= field && max_questions < field);
static_assert(lesson_characters + 1 + (max_questions + 1) / 2 + check_characters <= max_characters);

// The same for every version of the program: FNV-1a of "wave/two-slits".
std::vector<int> characters_of_lesson(const std::string& path) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : path) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::vector<int> numbers;
  for (std::size_t k = 0; k < lesson_characters; ++k, hash /= field) numbers.push_back(static_cast<int>(hash % field));
  return numbers;
}

struct Sums {
  int plain = 0, weighted = 0;
  explicit Sums(const std::vector<int>& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      plain = (plain + numbers[i]) % field;
      weighted = (weighted + static_cast<int>(i + 1) * numbers[i]) % field;
    }
  }
};

std::vector<int> numbers_of(const std::string& code) {
  std::vector<int> numbers;
  for (std::size_t at = 0; at < code.size();) {
    const Character c = character_at(code, at);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    const char letter = c.code >= 'a' && c.code <= 'z' ? static_cast<char>(c.code - 'a' + 'A') : code[at];
    const bool is_dash = letter == '-' || (c.code >= 0x2010 && c.code <= 0x2015);
    if (const std::size_t number = alphabet.find(letter); number != std::string_view::npos)
      numbers.push_back(static_cast<int>(number));
    else if (!is_dash && letter != ' ' && letter != '\t' && c.code != 0xa0)
      throw InputError(
          "\"{}\" is not a code: codes have no \"{}\", and no 0, 1, I, L and O. Compare it with the student's.", code,
          code.substr(at, bytes));
    at += bytes;
  }
  return numbers;
}

}  // namespace

std::string result_code(const ResultSheet& sheet) {
  if (sheet.rows.empty() || sheet.rows.size() > max_questions) return {};
  std::vector<int> numbers = characters_of_lesson(sheet.lesson);
  numbers.push_back(static_cast<int>(sheet.rows.size()));
  for (std::size_t k = 0; k < sheet.rows.size(); ++k) {
    const ResultRow& row = sheet.rows[k];
    const int result = row.first_answer.empty() ? 0 : row.points + 1;
    if (k % 2 == 0)
      numbers.push_back(result);
    else
      numbers.back() += results * result;
  }
  while ((numbers.size() + check_characters) % group != 0) numbers.push_back(0);
  // With n characters before them, a + b = -plain and (n + 1) a + (n + 2) b = -weighted.
  const Sums sums(numbers);
  const int n = static_cast<int>(numbers.size());
  const int last = ((n + 1) * sums.plain - sums.weighted % field + field) % field;
  numbers.push_back((2 * field - sums.plain - last) % field);
  numbers.push_back(last);
  std::string code;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0 && k % group == 0) code += '-';
    code += alphabet[static_cast<std::size_t>(numbers[k])];
  }
  return code;
}

ResultSheet read_result_code(const std::string& code, const LessonLibrary& library) {
  const std::vector<int> numbers = numbers_of(code);
  if (numbers.size() % group != 0 || numbers.size() < 3 * group || numbers.size() > max_characters)
    throw InputError(
        "\"{}\" is not a code: it has {} characters instead of 12, 16, 20 or 24. Compare it with the student's.", code,
        numbers.size());
  if (const Sums sums(numbers); sums.plain != 0 || sums.weighted != 0)
    throw InputError("The code \"{}\" has wrong or exchanged characters. Compare each one with the student's.", code);
  const std::vector<int> own(numbers.begin(), numbers.begin() + lesson_characters);
  const auto lesson = std::find_if(library.lessons.begin(), library.lessons.end(),
                                   [&](const auto& one) { return characters_of_lesson(one->path()) == own; });
  if (lesson == library.lessons.end())
    throw InputError(
        "The code \"{}\" is of a lesson that this program does not have. Copy the lesson into {}, or ask for the "
        "result sheet.",
        code, user_lessons_folder());
  ResultSheet sheet;
  sheet.lesson = (*lesson)->path();
  for (std::size_t k = 0; k < (*lesson)->steps.size(); ++k)
    if (const auto& question = (*lesson)->steps[k].question)
      sheet.rows.push_back({static_cast<int>(k) + 1, question->text, "", "", 0, max_points_of_answer});
  const auto count = static_cast<std::size_t>(numbers[lesson_characters]);
  if (count != sheet.rows.size() || lesson_characters + 1 + (count + 1) / 2 + check_characters > numbers.size())
    throw InputError(
        "The code \"{}\" has {} questions, but {} has {} in this version. Ask for the result sheet instead.", code,
        count, sheet.lesson, sheet.rows.size());
  for (std::size_t k = 0; k < count; ++k) {
    const int pair = numbers[lesson_characters + 1 + k / 2], result = k % 2 == 0 ? pair % results : pair / results;
    if (result > 0) sheet.rows[k].first_answer = answer_in_code;
    sheet.rows[k].points = std::clamp(result - 1, 0, max_points_of_answer);
  }
  return sheet;
}

}  // namespace perturb
