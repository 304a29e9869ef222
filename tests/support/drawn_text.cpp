#include "tests/support/drawn_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <imgui_internal.h>

namespace perturb {

namespace {

constexpr float tolerance = 1;  // the edge of a letter may be between two pixels

struct Letter {
  const ImFont* font;
  unsigned character;
  float left, right, advance;  // of its ink and to the next letter, from where the letter begins
};
using Corners = std::array<float, 4>;  // u0, v0, u1, v1

std::uint64_t mixed(std::uint64_t before, std::uint64_t more) { return (before ^ more) * 0x9e3779b97f4a7c15ull; }
struct HashOfCorners {
  std::size_t operator()(const Corners& corners) const {
    std::uint64_t hash = 0;
    for (const float c : corners) hash = mixed(hash ^ (hash >> 29), std::bit_cast<std::uint32_t>(c));
    return static_cast<std::size_t>(hash ^ (hash >> 32));
  }
};

// The letters of the fonts by their position in the font atlas. Tests read thousands of windows with the same fonts, so
// the table is kept until the fonts change.
class Letters {
 public:
  void know_fonts() {
    std::uint64_t fonts = 0;
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
      fonts = mixed(fonts, reinterpret_cast<std::uintptr_t>(font));
      for (const ImFontGlyph& glyph : font->Glyphs)
        fonts = mixed(fonts ^ (fonts >> 29), glyph.Codepoint) ^ HashOfCorners()(corners_of(glyph));
    }
    if (fonts == fonts_) return;
    fonts_ = fonts;
    letters_.clear();
    trimmed_.clear();
    for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
      for (const ImFontGlyph& glyph : font->Glyphs)
        if (glyph.Visible)
          letters_.insert_or_assign(corners_of(glyph),
                                    Letter{font, glyph.Codepoint, glyph.X0, glyph.X1, glyph.AdvanceX});
  }
  const Letter* whole(const Corners& corners) const {
    const auto found = letters_.find(corners);
    return found == letters_.end() ? nullptr : &found->second;
  }
  // The letter that contains this rectangle of the font atlas, for one that was clipped when drawn.
  const Letter* around(const Corners& part) {
    const auto [place, is_new] = trimmed_.try_emplace(part, nullptr);
    if (!is_new) return place->second;
    for (const auto& [whole, letter] : letters_)
      if (part[0] >= whole[0] && part[1] >= whole[1] && part[2] <= whole[2] && part[3] <= whole[3])
        return place->second = &letter;
    return nullptr;
  }

 private:
  static Corners corners_of(const ImFontGlyph& glyph) { return {glyph.U0, glyph.V0, glyph.U1, glyph.V1}; }

  std::uint64_t fonts_ = 0;
  std::unordered_map<Corners, Letter, HashOfCorners> letters_;
  std::unordered_map<Corners, const Letter*, HashOfCorners> trimmed_;
};

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

// Whether the indices are two triangles on four consecutive corners.
bool is_rectangle(const ImDrawIdx* index) {
  const int a = index[0];
  return index[1] == a + 1 && index[2] == a + 2 && index[3] == a && index[4] == a + 2 && index[5] == a + 3;
}

// Where a letter with this ink begins and ends, with its space: a 1 is as wide as other digits.
struct Advance {
  double begin = 0, end = 0;
};
Advance advance_of(const Letter& letter, double x0, double x1) {
  if (letter.right <= letter.left) return {x0, x1};
  const double scale = (x1 - x0) / static_cast<double>(letter.right - letter.left);
  const double begin = x0 - scale * static_cast<double>(letter.left);
  return {begin, begin + scale * static_cast<double>(letter.advance)};
}

// Adds `letter` in `window`, whose name is copied once per line. `space`: between it and the letter before.
void add(std::vector<DrawnText>& all, DrawnText& letter, std::string_view window, bool follows, double space) {
  DrawnText* line = follows && !all.empty() ? &all.back() : nullptr;
  if (line) {
    const double end = line->box.x + line->box.width, size = static_cast<double>(letter.font->FontSize);
    const double gap = letter.box.x - end;
    const bool same_line =
        std::abs(letter.box.y + letter.box.height / 2 - line->box.y - line->box.height / 2) < 0.7 * size;
    const bool joins = line->font == letter.font && line->color == letter.color && line->window == window &&
                       same_line && gap > -0.25 * size && gap < size;
    if (joins) {
      if (space > 0.16 * size) line->text += ' ';
      line->text += letter.text;
      const double top = std::min(line->box.y, letter.box.y);
      const double bottom = std::max(line->box.y + line->box.height, letter.box.y + letter.box.height);
      line->box = {line->box.x, top, std::max(end, letter.box.x + letter.box.width) - line->box.x, bottom - top};
      line->cut_beside = line->cut_beside || letter.cut_beside;
      line->cut_above = line->cut_above || letter.cut_above;
      return;
    }
  }
  letter.window = window;
  all.push_back(std::move(letter));
}

}  // namespace

std::vector<DrawnText> drawn_text() {
  static Letters letters;
  letters.know_fonts();
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  std::vector<DrawnText> all;
  const ImDrawData* data = ImGui::GetDrawData();
  for (int n = 0; n < data->CmdListsCount; ++n) {
    const ImDrawList& list = *data->CmdLists[n];
    const std::string_view window = list._OwnerName ? list._OwnerName : "";
    for (const ImDrawCmd& command : list.CmdBuffer) {
      bool follows = false;
      double end = 0;  // of the letter before
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
        const Letter* const whole = letters.whole(uv);
        const Letter* const letter = whole ? whole : letters.around(uv);
        if (!letter) {
          follows = false;
          continue;
        }
        DrawnText one;
        one.text = utf8(letter->character);
        const float x0 = std::min(first.pos.x, last.pos.x), x1 = std::max(first.pos.x, last.pos.x);
        const float y0 = std::min(first.pos.y, last.pos.y), y1 = std::max(first.pos.y, last.pos.y);
        one.box = {x0, y0, x1 - x0, y1 - y0};
        one.color = first.col;
        one.font = letter->font;
        const ImVec4& clip = command.ClipRect;
        const bool trimmed = whole == nullptr;
        one.cut_beside = trimmed || x0 < clip.x - tolerance || x1 > clip.z + tolerance;
        one.cut_above = trimmed || y0 < clip.y - tolerance || y1 > clip.w + tolerance;
        const Advance advance = whole ? advance_of(*whole, one.box.x, one.box.x + one.box.width)
                                      : Advance{one.box.x, one.box.x + one.box.width};
        add(all, one, window, follows, advance.begin - end);
        end = advance.end;
        follows = true;
      }
    }
  }
  return all;
}

DrawnText find_drawn_text(const std::string& part, const std::string& window) {
  for (const DrawnText& text : drawn_text())
    if (text.text.find(part) != std::string::npos && text.window.find(window) != std::string::npos) return text;
  return {};
}

void click_on(const DrawnText& text, const std::function<void()>& draw) {
  ImGuiIO& io = ImGui::GetIO();
  for (const bool down : {false, true, false}) {
    io.MousePos = ImVec2(static_cast<float>(text.box.x + text.box.width / 2),
                         static_cast<float>(text.box.y + text.box.height / 2));
    io.MouseDown[0] = down;
    draw();
  }
  io.MousePos = ImVec2(0, 0);
  draw();
  draw();
}

bool is_scrolling(const std::string& name) {
  for (const ImGuiWindow* w = ImGui::FindWindowByName(name.c_str()); w; w = w->ParentWindow)
    if (w->ScrollMax.y > 0) return true;
  return false;
}

std::string cut_texts(bool all_in_sight) {
  std::string lines;
  for (const DrawnText& t : drawn_text())
    if ((all_in_sight || !is_scrolling(t.window)) &&
        (t.cut_beside || (t.cut_above && !is_scrolling(t.window)) || t.text.find("\u2026") != std::string::npos))
      lines += "\n  \"" + t.text + "\" in " + t.window;
  return lines;
}

}  // namespace perturb
