// Of every test program. A test that loads a state starts its own program once more, as the real program does.
#include <cstdlib>

#include <gtest/gtest.h>

#include "app/io/state/state_reader.h"

int main(int argc, char** argv) {
  if (perturb::is_state_reader(argc, argv)) perturb::serve_as_state_reader();
  setenv("LC_ALL", "C.UTF-8", 1);  // windows speak English, whatever who tests does
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
