// How many functions a user's change passes. docs/architecture.md lists them; the calls are recorded where a loop over
// the field starts.
#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/io/preset/presets.h"
#include "tests/app/session_fixture.h"
#include "tests/support/call_stack.h"

namespace perturb {
namespace {

// The numbered list below a heading of docs/architecture.md: of each line, the name in backquotes.
std::vector<std::string> listed_below(const std::string& heading) {
  std::ifstream file(PERTURB_SOURCE_DIR "/docs/architecture.md");
  std::vector<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) inside = line.ends_with(heading);
    const std::size_t from = line.find(". `"), to = line.find('`', from == std::string::npos ? 0 : from + 3);
    if (inside && from != std::string::npos && from < 4 && to != std::string::npos)
      names.push_back(line.substr(from + 3, to - from - 3));
  }
  return names;
}

std::string text_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + "\n";
  return text;
}

std::ptrdiff_t calls_from_session(const std::vector<std::string>& listed) {
  return listed.end() - std::find(listed.begin(), listed.end(), "Session::handle");
}

// The recorded functions are listed, in this order. Those that the compiler has inlined are missing.
void expect_as_listed(const std::vector<std::string>& recorded, const std::vector<std::string>& listed) {
  std::size_t at = 0;
  for (const std::string& name : recorded) {
    const auto found = std::find(listed.begin() + static_cast<std::ptrdiff_t>(at), listed.end(), name);
    ASSERT_NE(found, listed.end()) << name << " is not listed there. Recorded:\n"
                                   << text_of(recorded) << "\nListed:\n"
                                   << text_of(listed);
    at = static_cast<std::size_t>(found - listed.begin()) + 1;
  }
}

class CallPaths : public SessionFixture {
 protected:
  // The functions on the stack when this loop ran first during `act`; those of the test are left out.
  std::vector<std::string> record(const std::string& label, const std::function<void()>& act) {
    std::vector<std::string> found;
    backend_->stats().set_timing(true);
    backend_->stats().set_observer([&](const char* loop) {
      if (found.empty() && label == loop) found = call_stack();
    });
    act();
    backend_->stats().set_observer({});
    backend_->stats().set_timing(false);
    const auto first = std::find(found.begin(), found.end(), "Session::handle");
    found.erase(found.begin(), first == found.end() ? found.begin() : first);
    std::erase_if(found, [](const std::string& name) { return name.starts_with("Kernel"); });
    return found;
  }
};

TEST_F(CallPaths, ClickReachesWaterAsListed) {
  const std::vector<std::string> listed = listed_below("From a click to the water");
  ASSERT_FALSE(listed.empty());
  EXPECT_LE(calls_from_session(listed), 18) << "a simpler way is wanted, not a longer list";
  EXPECT_LE(listed.size(), 21u);
  const double x = layout_.view_rect.width / 2, y = layout_.view_rect.height / 2;
  frame();
  const std::vector<std::string> recorded =
      record("wave.droplet", [&] { events({mouse(Kind::press, x, y, Button::left)}); });
  if (recorded.empty()) GTEST_SKIP() << "the symbols of this program cannot be read";
  ASSERT_EQ(recorded.front(), "Session::handle") << text_of(recorded);
  EXPECT_GE(recorded.size(), 6u) << text_of(recorded);
  expect_as_listed(recorded, listed);
}

TEST_F(CallPaths, SliderReachesParametersAsListed) {
  const std::vector<std::string> listed = listed_below("From a slider to the kernel");
  ASSERT_FALSE(listed.empty());
  EXPECT_LE(listed.size(), 20u);
  // A change of the time step scales the velocity of every cell at once.
  frame();
  session_.post(ParameterChange{"time_step", session_.run().value_of("time_step") / 2});
  const std::vector<std::string> recorded = record("wave.keep_velocity", [&] { events({}); });
  if (recorded.empty()) GTEST_SKIP() << "the symbols of this program cannot be read";
  ASSERT_EQ(recorded.front(), "Session::handle") << text_of(recorded);
  EXPECT_GE(recorded.size(), 6u) << text_of(recorded);
  expect_as_listed(recorded, listed);
}

}  // namespace
}  // namespace perturb
