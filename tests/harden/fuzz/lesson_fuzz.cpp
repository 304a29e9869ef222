// Fuzzes lessons.
#include "app/io/preset/lesson_text.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  const std::string text(fuzz::text_of(data, size));
  fuzz::try_parse([&] {
    const Lesson lesson = parse_lesson(text, "none/lesson.toml", "", "lesson");
    for (const LessonStep& step : lesson.steps) paragraphs_of(step.text);
  });
  return 0;
}
