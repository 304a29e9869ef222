#include "tests/support/screen_text.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <imgui_internal.h>

namespace perturb {

ScreenText::ScreenText(const std::vector<std::uint8_t>& rgb, int width, int height) : width_(width), height_(height) {
  grey_.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t k = 0; k < grey_.size() && 3 * k + 2 < rgb.size(); ++k)
    grey_[k] = static_cast<float>(rgb[3 * k] + 2 * rgb[3 * k + 1] + rgb[3 * k + 2]) / 4;
}

ScreenText::Stencil ScreenText::stencil_of(const std::string& text, const ImFont* font) const {
  unsigned char* alpha = nullptr;
  int across = 0, down = 0;
  ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&alpha, &across, &down);
  const auto texel = [&](int i, int j) {
    return alpha[std::clamp(j, 0, down - 1) * across + std::clamp(i, 0, across - 1)] / 255.f;
  };
  Stencil stencil;
  stencil.height = static_cast<int>(std::ceil(font->FontSize));
  std::vector<const ImFontGlyph*> glyphs;
  float pen = 0;
  for (const char *s = text.c_str(), *end = s + text.size(); s < end;) {
    unsigned code = 0;
    s += ImTextCharFromUtf8(&code, s, end);
    glyphs.push_back(font->FindGlyph(static_cast<ImWchar>(code)));
    pen += glyphs.back()->AdvanceX;
  }
  stencil.width = static_cast<int>(std::lround(pen));
  stencil.ink.assign(static_cast<std::size_t>(stencil.width) * static_cast<std::size_t>(stencil.height), 0);
  pen = 0;
  for (const ImFontGlyph* glyph : glyphs) {
    const float x0 = pen + glyph->X0, x1 = pen + glyph->X1, y0 = glyph->Y0, y1 = glyph->Y1;
    pen += glyph->AdvanceX;
    if (!glyph->Visible) continue;
    // The pixels whose centre is within the letter's rectangle, with the linear filter of the renderer.
    for (int j = std::max(0, static_cast<int>(y0)); j < stencil.height && j + 0.5f < y1; ++j)
      for (int i = std::max(0, static_cast<int>(x0)); i < stencil.width && i + 0.5f < x1; ++i) {
        if (i + 0.5f < x0 || j + 0.5f < y0) continue;
        const float u = glyph->U0 + (i + 0.5f - x0) / (x1 - x0) * (glyph->U1 - glyph->U0),
                    v = glyph->V0 + (j + 0.5f - y0) / (y1 - y0) * (glyph->V1 - glyph->V0);
        const float a = u * static_cast<float>(across) - 0.5f, b = v * static_cast<float>(down) - 0.5f;
        const int p = static_cast<int>(std::floor(a)), q = static_cast<int>(std::floor(b));
        const float s = a - static_cast<float>(p), t = b - static_cast<float>(q);
        const float ink = (1 - t) * ((1 - s) * texel(p, q) + s * texel(p + 1, q)) +
                          t * ((1 - s) * texel(p, q + 1) + s * texel(p + 1, q + 1));
        float& cell = stencil.ink[static_cast<std::size_t>(j * stencil.width + i)];
        cell = cell + ink - cell * ink;
      }
  }
  return stencil;
}

double ScreenText::correlation(const Stencil& stencil, int columns, int x, int y) const {
  double ink = 0, ink2 = 0, grey_sum = 0, grey2 = 0, both = 0;
  for (int j = 0; j < stencil.height; ++j)
    for (int i = 0; i < columns; ++i) {
      const double t = stencil.ink[static_cast<std::size_t>(j * stencil.width + i)], p = grey(x + i, y + j);
      ink += t;
      ink2 += t * t;
      grey_sum += p;
      grey2 += p * p;
      both += t * p;
    }
  const double n = columns * stencil.height, of_ink = ink2 - ink * ink / n, of_grey = grey2 - grey_sum * grey_sum / n;
  constexpr double faintest = 25;  // squared levels: less contrast is not text
  if (!(of_ink > 0) || !(of_grey > faintest * n)) return 0;
  return std::abs(both - ink * grey_sum / n) / std::sqrt(of_ink * of_grey);
}

std::optional<ScreenText::Line> ScreenText::find(const std::string& text, const ImFont* font, const Rect& area,
                                                 double least) const {
  const Stencil stencil = stencil_of(text, font);
  // Most positions are ruled out by the beginning of the text.
  const int columns = std::min(stencil.width, static_cast<int>(2 * font->FontSize));
  const int right = std::min(width_, static_cast<int>(area.x + area.width)) - stencil.width,
            bottom = std::min(height_, static_cast<int>(area.y + area.height)) - stencil.height;
  std::optional<Line> best;
  for (int y = std::max(0, static_cast<int>(area.y)); y <= bottom; ++y)
    for (int x = std::max(0, static_cast<int>(area.x)); x <= right; ++x) {
      if (correlation(stencil, columns, x, y) < 0.9 * least) continue;
      const double whole = correlation(stencil, stencil.width, x, y);
      if (whole > least) {
        least = whole;
        best = Line{x, y, x + stencil.width, font};
      }
    }
  return best;
}

std::optional<double> ScreenText::number_at(const ImFont* font, int x, int y) const {
  const int height = static_cast<int>(std::ceil(font->FontSize));
  std::string digits;
  for (int pen = x; digits.size() < 12;) {
    char best = 0;
    int advance = 0;
    double least = 0.12;  // share of the pixels' contrast that the letter does not explain
    for (const char letter : std::string("0123456789.-e+")) {
      const Stencil stencil = stencil_of(std::string(1, letter), font);
      if (pen + stencil.width > width_ || y < 0 || y + height > height_ || pen < 0) continue;
      // The background is what most pixels show.
      std::vector<float> pixels;
      for (int j = 0; j < height; ++j)
        for (int i = 0; i < stencil.width; ++i) pixels.push_back(grey(pen + i, y + j));
      std::vector<float> sorted = pixels;
      std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
      const double paper = sorted[sorted.size() / 2];
      double ink2 = 0, both = 0, contrast = 0, residual = 0;
      for (std::size_t k = 0; k < pixels.size(); ++k) {
        const double p = pixels[k] - paper, t = stencil.ink[k];
        ink2 += t * t;
        both += t * p;
        contrast += p * p;
      }
      constexpr double faintest = 400;  // squared levels: one faint pixel
      if (!(contrast > faintest) || !(ink2 > 0)) continue;
      for (std::size_t k = 0; k < pixels.size(); ++k) {
        const double rest = pixels[k] - paper - both / ink2 * stencil.ink[k];
        residual += rest * rest;
      }
      if (residual / contrast < least) {
        least = residual / contrast;
        best = letter;
        advance = stencil.width;
      }
    }
    if (best == 0) break;
    digits += best;
    pen += advance;
  }
  if (digits.empty()) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  return *end == 0 ? std::optional(value) : std::nullopt;
}

}  // namespace perturb
