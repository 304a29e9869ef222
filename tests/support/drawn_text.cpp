#include "tests/support/drawn_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <imgui_internal.h>

namespace perturb {

namespace {

constexpr float tolerance = 1;  // a letter's edge may lie between two pixels

struct Letter {
  const ImFont* font;
  unsigned character;
};
using Corners = std::array<float, 4>;  // u0, v0, u1, v1

std::map<Corners, Letter> letters_of_fonts() {
  std::map<Corners, Letter> letters;
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
    for (const ImFontGlyph& glyph : font->Glyphs)
      if (glyph.Visible) letters[{glyph.U0, glyph.V0, glyph.U1, glyph.V1}] = {font, glyph.Codepoint};
  return letters;
}

// The letter that this rectangle of the font's picture lies in, for one that was trimmed when it was drawn.
const Letter* around(const std::map<Corners, Letter>& letters, const Corners& part) {
  for (const auto& [whole, letter] : letters)
    if (part[0] >= whole[0] && part[1] >= whole[1] && part[2] <= whole[2] && part[3] <= whole[3]) return &letter;
  return nullptr;
}

std::string utf8(unsigned code) {
  std::string text;
  if (code < 0x80) return std::string(1, static_cast<char>(code));
  if (code < 0x800) {
    text += static_cast<char>(0xC0 | (code >> 6));
  } else {
    text += static_cast<char>(0xE0 | (code >> 12));
    text += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
  }
  return text + static_cast<char>(0x80 | (code & 0x3F));
}

// Four corners in a row, as two triangles.
bool is_rectangle(const ImDrawIdx* index) {
  const int a = index[0];
  return index[1] == a + 1 && index[2] == a + 2 && index[3] == a && index[4] == a + 2 && index[5] == a + 3;
}

void add(std::vector<DrawnText>& all, const DrawnText& letter, bool follows) {
  DrawnText* line = follows && !all.empty() ? &all.back() : nullptr;
  if (line) {
    const double end = line->box.x + line->box.width, size = static_cast<double>(letter.font->FontSize);
    const double gap = letter.box.x - end;
    const bool same_line =
        std::abs(letter.box.y + letter.box.height / 2 - line->box.y - line->box.height / 2) < 0.7 * size;
    const bool joins = line->font == letter.font && line->color == letter.color && line->window == letter.window &&
                       same_line && gap > -0.25 * size && gap < size;
    if (joins) {
      if (gap > 0.16 * size) line->text += ' ';
      line->text += letter.text;
      const double top = std::min(line->box.y, letter.box.y);
      const double bottom = std::max(line->box.y + line->box.height, letter.box.y + letter.box.height);
      line->box = {line->box.x, top, std::max(end, letter.box.x + letter.box.width) - line->box.x, bottom - top};
      line->cut_beside = line->cut_beside || letter.cut_beside;
      line->cut_above = line->cut_above || letter.cut_above;
      return;
    }
  }
  all.push_back(letter);
}

}  // namespace

std::vector<DrawnText> drawn_text() {
  const std::map<Corners, Letter> letters = letters_of_fonts();
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  std::vector<DrawnText> all;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int n = 0; n < data->CmdListsCount; ++n) {
    const ImDrawList& list = *data->CmdLists[n];
    for (const ImDrawCmd& command : list.CmdBuffer) {
      bool follows = false;
      for (unsigned i = 0; i + 6 <= command.ElemCount;) {
        const ImDrawIdx* index = list.IdxBuffer.Data + command.IdxOffset + i;
        const ImDrawVert* corner = list.VtxBuffer.Data + command.VtxOffset;
        if (!is_rectangle(index) || corner[index[0]].uv.x == white.x) {
          i += is_rectangle(index) ? 6 : 3;
          follows = false;
          continue;
        }
        i += 6;
        const ImDrawVert &first = corner[index[0]], &last = corner[index[2]];
        const Corners uv = {first.uv.x, first.uv.y, last.uv.x, last.uv.y};
        const auto found = letters.find(uv);
        const Letter* letter = found != letters.end() ? &found->second : around(letters, uv);
        if (!letter) {
          follows = false;
          continue;
        }
        DrawnText one;
        one.text = utf8(letter->character);
        const float x0 = std::min(first.pos.x, last.pos.x), x1 = std::max(first.pos.x, last.pos.x);
        const float y0 = std::min(first.pos.y, last.pos.y), y1 = std::max(first.pos.y, last.pos.y);
        one.box = {x0, y0, x1 - x0, y1 - y0};
        one.color = first.col, one.font = letter->font;
        one.window = list._OwnerName ? list._OwnerName : "";
        const ImVec4& clip = command.ClipRect;
        const bool trimmed = found == letters.end();
        one.cut_beside = trimmed || x0 < clip.x - tolerance || x1 > clip.z + tolerance;
        one.cut_above = trimmed || y0 < clip.y - tolerance || y1 > clip.w + tolerance;
        add(all, one, follows);
        follows = true;
      }
    }
  }
  return all;
}

bool is_scrolling(const std::string& name) {
  for (const ImGuiWindow* w = ImGui::FindWindowByName(name.c_str()); w; w = w->ParentWindow)
    if (w->ScrollMax.y > 0) return true;
  return false;
}

}  // namespace perturb
