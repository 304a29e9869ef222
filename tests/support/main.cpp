// Of every test program. A test that loads a state starts its own program once more, as the real program does.
#include <gtest/gtest.h>

#include "app/states/state_reader.h"

int main(int argc, char** argv) {
  if (perturb::is_state_reader(argc, argv)) perturb::serve_as_state_reader();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
