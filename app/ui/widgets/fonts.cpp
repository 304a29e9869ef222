#include "app/ui/widgets/fonts.h"

#include <fontconfig/fontconfig.h>
#if defined(PERTURB_IMGUI_FREETYPE)
#include <imgui_freetype.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include "app/ui/widgets/font_bytes.h"
#include "app/ui/widgets/font_file.h"
#include "app/ui/widgets/glyphs.h"

namespace perturb {

namespace {

// ImGui reads regular files of the formats it supports, and does not validate them: see is_whole_font_file.
bool is_read_by_imgui(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending == ".ttf" || ending == ".otf" || ending == ".ttc";
}

// The file of this family, or empty: fontconfig always answers, if necessary with another family.
std::string file_of(FcConfig* config, const char* family, FontWeight weight) {
  FcPattern* pattern = FcPatternCreate();
  FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern, FC_WEIGHT, weight == FontWeight::strong ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(pattern, FC_SLANT, weight == FontWeight::italic ? FC_SLANT_ITALIC : FC_SLANT_ROMAN);
  FcPatternAddInteger(pattern, FC_WIDTH, FC_WIDTH_NORMAL);
  FcConfigSubstitute(config, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  FcPattern* match = FcFontMatch(config, pattern, &result);
  std::string file;
  if (match) {
    FcChar8 *found_family = nullptr, *path = nullptr;
    FcBool variable = FcFalse;
    FcPatternGetBool(match, FC_VARIABLE, 0, &variable);
    if (FcPatternGetString(match, FC_FAMILY, 0, &found_family) == FcResultMatch &&
        FcPatternGetString(match, FC_FILE, 0, &path) == FcResultMatch && !variable &&
        FcStrCmpIgnoreCase(found_family, reinterpret_cast<const FcChar8*>(family)) == 0)
      file = reinterpret_cast<const char*>(path);
    FcPatternDestroy(match);
  }
  FcPatternDestroy(pattern);
  return is_read_by_imgui(file) && is_whole_font_file(file) ? file : "";
}

struct FontFiles {
  std::array<std::string, 3> text;  // by weight
  std::string signs;                // a font with the mathematical signs that the text font lacks
};

// Looked up once per process: most of the cost is fontconfig's initialization.
const FontFiles& font_files() {
  static const FontFiles files = [] {
    FontFiles found;
    FcConfig* config = FcInitLoadConfigAndFonts();
    if (!config) return found;
    for (const char* family : {"Inter", "DejaVu Sans"}) {
      found.text[0] = file_of(config, family, FontWeight::regular);
      if (found.text[0].empty()) continue;
      found.text[1] = file_of(config, family, FontWeight::strong);
      found.text[2] = file_of(config, family, FontWeight::italic);
      break;
    }
    found.signs = file_of(config, "DejaVu Sans", FontWeight::regular);
    FcConfigDestroy(config);
    return found;
  }();
  return files;
}

constexpr ImWchar plain_range[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2026, 0xFFFD, 0xFFFD, 0};

// The replacement for characters that no font has.
constexpr ImWchar unknown_range[] = {0xFFFD, 0xFFFD, 0};

// A font with some of the characters requested so far (glyphs.h).
struct FallbackFont {
  std::string file;
  int index = 0;               // of the font in a file with several
  std::vector<ImWchar> range;  // of these characters
};

std::vector<ImWchar> range_of(const std::vector<ImWchar>& letters) {
  std::vector<ImWchar> range;
  for (const ImWchar letter : letters)
    if (!range.empty() && range.back() + 1 == letter)
      range.back() = letter;
    else
      range.insert(range.end(), {letter, letter});
  range.push_back(0);
  return range;
}

// Installed fonts for the characters, most similar to the text font first, each with those that earlier ones lack.
// Characters that no font has are omitted.
std::vector<FallbackFont> find_fallback_fonts(std::set<ImWchar> letters, FontWeight weight) {
  std::vector<FallbackFont> fonts;
  FcConfig* config = letters.empty() ? nullptr : FcInitLoadConfigAndFonts();
  if (!config) return fonts;
  FcPattern* pattern = FcPatternCreate();
  for (const char* family : {"Inter", "DejaVu Sans"})
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(pattern, FC_WEIGHT, weight == FontWeight::strong ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcConfigSubstitute(config, pattern, FcMatchPattern);
  FcDefaultSubstitute(pattern);
  FcResult result = FcResultNoMatch;
  FcFontSet* sorted = FcFontSort(config, pattern, FcTrue, nullptr, &result);
  for (int k = 0; sorted && k < sorted->nfont && !letters.empty(); ++k) {
    FcPattern* font = sorted->fonts[k];
    FcCharSet* has = nullptr;
    FcChar8* path = nullptr;
    FcBool variable = FcFalse;
    FallbackFont found;
    FcPatternGetBool(font, FC_VARIABLE, 0, &variable);
    FcPatternGetInteger(font, FC_INDEX, 0, &found.index);
    if (variable || FcPatternGetCharSet(font, FC_CHARSET, 0, &has) != FcResultMatch ||
        FcPatternGetString(font, FC_FILE, 0, &path) != FcResultMatch ||
        !is_read_by_imgui(reinterpret_cast<const char*>(path)))
      continue;
    std::vector<ImWchar> own;
    for (const ImWchar letter : letters)
      if (FcCharSetHasChar(has, letter)) own.push_back(letter);
    if (own.empty() || !is_whole_font_file(reinterpret_cast<const char*>(path))) continue;
    for (const ImWchar letter : own) letters.erase(letter);
    found.file = reinterpret_cast<const char*>(path);
    found.range = range_of(own);
    fonts.push_back(std::move(found));
  }
  if (sorted) FcFontSetDestroy(sorted);
  FcPatternDestroy(pattern);
  FcConfigDestroy(config);
  return fonts;
}

// Searched again only when more characters are requested.
const std::vector<FallbackFont>& fallback_fonts(FontWeight weight) {
  struct Found {
    std::size_t letters = 0;
    std::vector<FallbackFont> fonts;
  };
  static std::array<Found, 2> by_weight;  // regular and strong
  Found& found = by_weight[weight == FontWeight::strong ? 1 : 0];
  if (found.letters != requested_glyphs().size())
    found = {requested_glyphs().size(), find_fallback_fonts(requested_glyphs(), weight)};
  return found.fonts;
}

// Gives 0-9 the width of the widest digit, each centred in its cell.
void make_figures_tabular(ImFont* font) {
  float widest = 0;
  for (ImWchar c = '0'; c <= '9'; ++c)
    if (!font->FindGlyph(c)) return;
  for (ImWchar c = '0'; c <= '9'; ++c) widest = std::max(widest, font->FindGlyph(c)->AdvanceX);
  for (ImWchar c = '0'; c <= '9'; ++c) {
    // ImGui returns const glyphs; its documentation allows the owner to change them after the atlas is built.
    auto* glyph = const_cast<ImFontGlyph*>(font->FindGlyph(c));
    const float shift = std::floor(0.5f * (widest - glyph->AdvanceX) + 0.5f);
    glyph->X0 += shift, glyph->X1 += shift;
    glyph->AdvanceX = widest;
    if (static_cast<int>(c) < font->IndexAdvanceX.Size) font->IndexAdvanceX[c] = widest;
  }
}

}  // namespace

std::string find_font(FontWeight weight) { return font_files().text[static_cast<std::size_t>(weight)]; }

void load_fonts(Style& style, float pixels) {
  clear_wrap_cache();
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  const FontFiles& files = font_files();
#if defined(PERTURB_IMGUI_FREETYPE)
  // Strokes aligned to whole pixel rows: sharper at ordinary sizes than ImGui's own rasteriser.
  atlas.FontBuilderIO = ImGuiFreeType::GetBuilderForFreeType();
  atlas.FontBuilderFlags = ImGuiFreeTypeBuilderFlags_LightHinting;
#endif

  const auto add = [&](FontWeight weight, float design_size, const ImWchar* range, bool signs) {
    std::string file = files.text[static_cast<std::size_t>(weight)];
    if (file.empty()) file = files.text[0];
    ImFontConfig config;
    config.OversampleH = pixels >= 2 ? 1 : 2;
    config.OversampleV = 1;
    config.PixelSnapH = true;
    const float size = std::round(design_size * pixels);
    ImFont* font = file.empty() ? nullptr : add_font_file(atlas, file, size, config, range);
    if (!font) {
      config.SizePixels = std::max(13.0f, std::round(size * 0.9f));
      return atlas.AddFontDefault(&config);
    }
    if (!files.signs.empty() && files.signs != file) {
      config.MergeMode = true;
      add_font_file(atlas, files.signs, size, config, signs ? sign_range : unknown_range);
    }
    if (range == plain_range && weight == FontWeight::italic) return font;  // equations only use their own letters
    for (const FallbackFont& more : fallback_fonts(weight)) {
      config.MergeMode = true;
      config.FontNo = more.index;
      add_font_file(atlas, more.file, size, config, more.range.data());
    }
    return font;
  };
  style.body = add(FontWeight::regular, 15, text_range, true);
  style.strong = add(FontWeight::strong, 15, text_range, true);
  style.small = add(FontWeight::regular, 13, text_range, true);
  style.title = add(FontWeight::strong, 19, plain_range, false);
  style.letters = add(FontWeight::italic, 17, plain_range, false);
  style.signs = add(FontWeight::regular, 17, text_range, true);
  style.small_letters = add(FontWeight::italic, 12, plain_range, false);
  style.small_signs = add(FontWeight::regular, 12, text_range, true);
  atlas.TexGlyphPadding = 1;
  atlas.Build();
  for (ImFont* font : style.fonts()) make_figures_tabular(font);
}

}  // namespace perturb
