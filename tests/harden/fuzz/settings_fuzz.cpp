// Fuzzes files that the program stores for itself: settings, progress in lessons, kernel times.
#include "app/io/files/settings_file.h"
#include "app/io/files/timing_cache_file.h"
#include "app/lessons/lesson_progress.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  const fuzz::MemoryFile file(fuzz::text_of(data, size));
  Message note;
  fuzz::try_parse([&] { const SettingsFile settings(file.path(), &note); });
  fuzz::try_parse([&] { LessonProgress(file.path(), &note).score_of("wave/two-slits"); });
  fuzz::try_parse([&] {
    TimingCache cache;
    read_timing_cache(file.path(), cache);
  });
  if (!note.empty()) fuzz::require_plain(note.english());
  return 0;
}
