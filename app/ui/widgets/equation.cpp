#include "app/ui/widgets/equation.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

namespace perturb {

namespace {

// A piece of text of one kind at one height.
struct Piece {
  std::string text;
  bool letter = false;
  int level = 0;           // -1 subscript, 1 superscript
  bool may_break = false;  // a line may start here
};

std::size_t character_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  return 4;
}

// Latin and Greek letters (two bytes starting with 0xCE or 0xCF) are italic; digits and signs are upright.
bool is_letter(const std::string& character) {
  const auto c = static_cast<unsigned char>(character[0]);
  return std::isalpha(c) || c == 0xCE || c == 0xCF;
}

std::vector<Piece> pieces_of(const std::string& equation) {
  std::vector<Piece> pieces;
  int level = 0, depth = 0;
  bool braced = false, begins_word = false;
  for (std::size_t i = 0; i < equation.size();) {
    const std::string character = equation.substr(i, character_length(static_cast<unsigned char>(equation[i])));
    i += character.size();
    const bool word = is_letter(character) || std::isdigit(static_cast<unsigned char>(character[0]));
    if ((character == "_" || character == "^") && level == 0) {
      level = character == "_" ? -1 : 1;
      braced = i < equation.size() && equation[i] == '{';
      if (braced) ++i;
      continue;
    }
    if (level != 0 && braced && character == "}") {
      level = 0;
      continue;
    }
    // An index without braces ends with its letters and digits.
    if (level != 0 && !braced && !word) level = 0;
    if (character == "(" || character == "[") ++depth;
    if (character == ")" || character == "]") --depth;
    if (character == " " && depth <= 0) begins_word = true;
    const bool letter = is_letter(character);
    const bool joins = !pieces.empty() && pieces.back().letter == letter && pieces.back().level == level &&
                       !(begins_word && character != " ");
    if (joins)
      pieces.back().text += character;
    else
      pieces.push_back({character, letter, level, begins_word && character != " "});
    if (character != " ") begins_word = false;
  }
  return pieces;
}

}  // namespace

void draw_equation(const Style& style, const std::string& equation, ImU32 ink) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float density = ImGui::GetIO().FontGlobalScale;
  const float line = style.px(26), base = style.px(2);
  const std::vector<Piece> pieces = pieces_of(equation);
  const auto font_of = [&](const Piece& p) {
    if (p.level == 0) return p.letter ? style.letters : style.signs;
    return p.letter ? style.small_letters : style.small_signs;
  };
  const auto width_of = [&](const Piece& p) {
    ImFont* font = font_of(p);
    return font->CalcTextSizeA(font->FontSize * density, 1e6f, 0, p.text.c_str()).x;
  };
  const float height = style.letters->FontSize * density;
  // An italic f begins left of its position, where the window may end.
  const auto first = pieces.empty() ? ' ' : pieces.front().text.front();
  const ImFontGlyph* const glyph = style.letters->FindGlyph(static_cast<ImWchar>(static_cast<unsigned char>(first)));
  float x = is_letter({first}) && glyph ? std::max(0.f, -glyph->X0 * density) : 0, y = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[i];
    float until_break = width_of(p);
    for (std::size_t j = i + 1; j < pieces.size() && !pieces[j].may_break; ++j) until_break += width_of(pieces[j]);
    if (p.may_break && x > 0 && x + until_break > width) {
      x = style.px(18);
      y += line;
    }
    // Subscripts are below and superscripts above the line of the letters.
    const float shift = p.level < 0 ? 0.52f * height : p.level > 0 ? -0.12f * height : 0;
    ImFont* font = font_of(p);
    list->AddText(font, font->FontSize * density,
                  ImVec2(std::round(start.x + x), std::round(start.y + y + base + shift)), ink, p.text.c_str());
    x += width_of(p) + (p.level != 0 ? style.px(1) : 0);
  }
  ImGui::Dummy(ImVec2(width, y + line));
}

}  // namespace perturb
