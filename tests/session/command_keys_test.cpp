// The keys of the window and of the page.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "app/commands/commands.h"

namespace perturb {
namespace {

TEST(CommandKeys, MeanTheSameInWindowAndPage) {
  for (const CommandInfo& command : command_table())
    for (const std::string& chord : split_chords(command.page_keys)) {
      const CommandInfo* in_window = find_command(chord);
      EXPECT_TRUE(in_window == nullptr || in_window->id == command.id)
          << chord << " is \"" << command.label << "\" on the page and \"" << in_window->label << "\" in the window";
    }
}

// They share a page of the help.
TEST(CommandKeys, HaveTextsThatBeginLikeThoseOfTheMouse) {
  const auto is_capital = [](const std::string& text) { return text[0] >= 'A' && text[0] <= 'Z'; };
  for (const CommandInfo& command : command_table()) EXPECT_TRUE(is_capital(command.label)) << command.label;
  for (const MouseBinding& binding : mouse_bindings()) EXPECT_TRUE(is_capital(binding.action)) << binding.action;
}

TEST(CommandKeys, BelongToOneCommand) {
  std::map<std::string, std::string> window, page;
  for (const CommandInfo& command : command_table()) {
    for (const std::string& chord : split_chords(command.keys))
      EXPECT_TRUE(window.emplace(chord, command.label).second) << chord << ": " << command.label;
    for (const std::string& chord : split_chords(command.page_keys))
      EXPECT_TRUE(page.emplace(chord, command.label).second) << chord << ": " << command.label;
  }
}

}  // namespace
}  // namespace perturb
