#include "app/ui/widgets/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>
#include <vector>

#include <fontconfig/fontconfig.h>

#include "app/i18n/utf8.h"
#include "app/io/files/text_file.h"
#include "app/ui/widgets/font_file.h"
#include "cuda/core/backend/check.h"

#if defined(PERTURB_IMGUI_FREETYPE)
#include <imgui_freetype.h>
#endif

namespace perturb {

namespace {

std::set<ImWchar>& requested_set() {
  static std::set<ImWchar> letters;
  return letters;
}

bool is_within(const ImWchar* range, std::uint32_t code) {
  for (; *range != 0; range += 2)
    if (code >= range[0] && code <= range[1]) return true;
  return false;
}

bool is_preloaded(std::uint32_t code) {
  return code < 0x20 || is_within(text_range, code) || is_within(sign_range, code);
}

// Characters that change their neighbours and are not visible themselves.
bool is_invisible(std::uint32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0xFE00 && code <= 0xFE0F) || code == 0xFEFF;
}

// More characters of an alphabet will be needed soon: loads the block of 128 Unicode characters around it.
constexpr std::uint32_t end_of_alphabets = 0x2000, block = 0x80;

void request_glyph(std::uint32_t code) {
  if (code > 0xFFFF || is_preloaded(code) || is_invisible(code)) return;  // ImGui's characters have 16 bits
  std::set<ImWchar>& letters = requested_set();
  if (!letters.insert(static_cast<ImWchar>(code)).second || code >= end_of_alphabets) return;
  const std::uint32_t first = code / block * block;
  for (std::uint32_t one = first; one < first + block; ++one)
    if (!is_preloaded(one)) letters.insert(static_cast<ImWchar>(one));
}

// Calls `take` with each character beyond Latin.
template <typename Take>
void each_character(std::string_view text, const Take& take) {
  constexpr unsigned char last_latin_lead = 0xC5;  // of U+0140 to U+017F
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    if (lead <= last_latin_lead) continue;
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (at + more > text.size() - 1) return;
    std::uint32_t code = lead & (0x3Fu >> more);
    for (std::size_t k = 1; k <= more; ++k) code = code << 6 | (static_cast<unsigned char>(text[at + k]) & 0x3Fu);
    take(code);
    at += more;
  }
}

}  // namespace

void request_glyphs(std::string_view text) { each_character(text, request_glyph); }

bool is_legible(std::string_view text) {
  request_glyphs(text);
  bool legible = true;
  each_character(text, [&](std::uint32_t code) {
    if (is_invisible(code)) return;
    legible = legible && code <= 0xFFFF && ImGui::GetFont()->FindGlyphNoFallback(static_cast<ImWchar>(code));
  });
  return legible;
}

const std::set<ImWchar>& requested_glyphs() { return requested_set(); }

namespace {

// Like ImFontAtlas::AddFontFromFileTTF, which ends the program if the file cannot be opened or is damaged; this
// function returns null.
ImFont* add_font_file(ImFontAtlas& atlas, const std::string& file, float size, const ImFontConfig& config,
                      const ImWchar* range) {
  std::string bytes;
  try {
    bytes = read_input_file(file, "font", max_font_bytes);
  } catch (const InputError&) {
    return nullptr;
  }
  if (!is_whole_font(bytes)) return nullptr;          // the file may have changed since it was chosen
  void* const owned = ImGui::MemAlloc(bytes.size());  // the atlas frees it
  std::memcpy(owned, bytes.data(), bytes.size());
  return atlas.AddFontFromMemoryTTF(owned, static_cast<int>(bytes.size()), size, &config, range);
}

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
  std::string code;                 // of fixed width
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
    for (const char* family : {"DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono"})
      if (found.code.empty()) found.code = file_of(config, family, FontWeight::regular);
    FcConfigDestroy(config);
    return found;
  }();
  return files;
}

constexpr ImWchar plain_range[] = {0x20, 0x17F, 0x370, 0x3FF, 0x2010, 0x2026, 0xFFFD, 0xFFFD, 0};
// Numbers: those in large figures have no other letters.
constexpr ImWchar figure_range[] = {0x20, 0x7E, 0x2013, 0x2013, 0};

// The replacement for characters that no font has.
constexpr ImWchar unknown_range[] = {0xFFFD, 0xFFFD, 0};

// A font with some of the characters requested so far.
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
    glyph->X0 += shift;
    glyph->X1 += shift;
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

  const auto add = [&](FontWeight weight, float design_size, const ImWchar* range, bool signs,
                       const std::string& own_file = "") {
    std::string file = own_file.empty() ? files.text[static_cast<std::size_t>(weight)] : own_file;
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
    if (range == figure_range) return font;
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
  style.figures = add(FontWeight::regular, 24, figure_range, false);
  style.code = add(FontWeight::regular, 14, text_range, true, files.code);
  style.letters = add(FontWeight::italic, 17, plain_range, false);
  style.signs = add(FontWeight::regular, 17, text_range, true);
  style.small_letters = add(FontWeight::italic, 12, plain_range, false);
  style.small_signs = add(FontWeight::regular, 12, text_range, true);
  atlas.TexGlyphPadding = 1;
  atlas.Build();
  // ImGui's own font has Latin letters only.
  const bool has_signs = style.body->FindGlyphNoFallback(L'λ') != nullptr;
  use_ascii_signs(!has_signs);
  for (ImFont* font : style.fonts()) {
    make_figures_tabular(font);
    if (has_signs) continue;
    for (const AsciiSign& sign : ascii_signs())
      font->AddRemapChar(static_cast<ImWchar>(sign.sign), static_cast<ImWchar>(sign.letter));
  }
}

}  // namespace perturb
