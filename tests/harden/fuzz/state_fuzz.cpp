// Fuzzes saved states (HDF5). The program reads them in a child process; this target is that process too.
#include "app/io/state/state_file.h"
#include "app/io/state/state_reader.h"
#include "tests/harden/fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (perturb::is_state_reader(*argc, *argv)) perturb::serve_as_state_reader();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perturb;
  std::string bytes(fuzz::text_of(data, size));
  // Without its checksum header, which would reject any changed byte.
  if (bytes.starts_with("perturb-seal")) bytes[0] = 'x';
  const fuzz::MemoryFile file(bytes);
  fuzz::try_parse([&] { load_state(file.path()); });
  return 0;
}
