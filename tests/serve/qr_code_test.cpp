// QR codes as text. What the library draws is not checked again, but that nothing of it is lost.
#include "app/serve/qr/qr_code.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perturb {
namespace {

const std::string link = "http://192.168.178.23:8080/join#ABC346";

// The modules that the text shows, by rows; characters stand for two of them, one above the other.
std::vector<std::string> modules_of(const std::string& text) {
  std::vector<std::string> rows;
  bool is_sequence = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins_row = text.compare(at, 5, "\x1b[38;") == 0;
    if (begins_row) rows.resize(rows.size() + 2);
    if (text[at] == '\x1b') is_sequence = true;
    if (is_sequence) {
      is_sequence = text[at] != 'm';
      continue;
    }
    if (text[at] == '\n') continue;
    std::string& upper = rows.at(rows.size() - 2);
    std::string& lower = rows.back();
    if (text[at] == ' ') {
      upper += '.';
      lower += '.';
      continue;
    }
    const std::string character = text.substr(at, 3);
    EXPECT_TRUE(character == "█" || character == "▀" || character == "▄") << character;
    upper += character == "▄" ? '.' : '#';
    lower += character == "▀" ? '.' : '#';
    at += 2;
  }
  return rows;
}

TEST(QrCode, TextShowsEveryModuleWithItsBorder) {
  const std::optional<QrCode> code = QrCode::make(link);
  if (!code) GTEST_SKIP() << "built without libqrencode";
  const int columns = code->size() + 2 * QrCode::quiet;
  const std::vector<std::string> rows = modules_of(text_of(*code, columns));
  ASSERT_GE(rows.size(), static_cast<std::size_t>(columns));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    ASSERT_EQ(rows[y].size(), static_cast<std::size_t>(columns));
    for (std::size_t x = 0; x < rows[y].size(); ++x) {
      const int left = static_cast<int>(x) - QrCode::quiet, top = static_cast<int>(y) - QrCode::quiet;
      EXPECT_EQ(rows[y][x] == '#', code->is_dark(left, top)) << left << ' ' << top;
    }
  }
  EXPECT_EQ(text_of(*code, columns - 1), "") << "a line that is broken cannot be scanned";
  EXPECT_EQ(text_of(*code, 0), "");
}

TEST(QrCode, HasTheSquaresThatScannersLookFor) {
  const std::optional<QrCode> code = QrCode::make(link);
  if (!code) GTEST_SKIP() << "built without libqrencode";
  const std::vector<std::string> finder = {"#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"};
  const int far = code->size() - 7;
  for (int y = 0; y < 7; ++y)
    for (int x = 0; x < 7; ++x) {
      const bool is_dark = finder[static_cast<std::size_t>(y)][static_cast<std::size_t>(x)] == '#';
      EXPECT_EQ(code->is_dark(x, y), is_dark);
      EXPECT_EQ(code->is_dark(far + x, y), is_dark);
      EXPECT_EQ(code->is_dark(x, far + y), is_dark);
    }
  EXPECT_FALSE(code->is_dark(-1, 0));
  EXPECT_FALSE(code->is_dark(0, code->size()));
}

TEST(QrCode, IsMissingForTextThatIsTooLong) { EXPECT_FALSE(QrCode::make(std::string(10'000, 'a'))); }

}  // namespace
}  // namespace perturb
