// Fuzzes texts of the simulations (--input), for the one that the first byte selects, and sketches of lessons.
#include <vector>

#include "app/io/files/text_file.h"
#include "app/lessons/lesson_answers.h"
#include "cuda/core/simulation/catalog.h"
#include "cuda/core/simulation/text_format.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  if (size == 0) return 0;
  std::vector<const SimulationInfo*> with_text;
  for (const SimulationInfo* info : catalog())
    if (info->text) with_text.push_back(info);
  const std::size_t choice = data[0] % (with_text.size() + 1);
  const fuzz::MemoryFile file(fuzz::text_of(data + 1, size - 1));
  if (choice == with_text.size()) {
    fuzz::try_parse([&] { read_sketch(file.path()); });
    return 0;
  }
  const SimulationInfo& info = *with_text[choice];
  fuzz::try_parse([&] {
    Setup base;
    base.simulation = info.id;
    const TextStart start = info.text->read(read_text_file(file.path(), "input file"), "input.txt", base);
    info.text->write(start.state, true);
  });
  return 0;
}
