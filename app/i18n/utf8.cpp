#include "app/i18n/utf8.h"

namespace perturb {

std::string_view whole_characters(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end);
}

std::span<const AsciiSign> ascii_signs() {
  static constexpr AsciiSign signs[] = {
      {U'Δ', "Delta", 'D'},     {U'Λ', "Lambda", 'L'},  {U'Σ', "Sigma", 'S'}, {U'Φ', "Phi", 'F'},
      {U'Ω', "Omega", 'O'},     {U'α', "alpha", 'a'},   {U'β', "beta", 'b'},  {U'γ', "gamma", 'g'},
      {U'δ', "delta", 'd'},     {U'ε', "epsilon", 'e'}, {U'η', "eta", 'n'},   {U'θ', "theta", 'o'},
      {U'κ', "kappa", 'k'},     {U'λ', "lambda", 'l'},  {U'μ', "mu", 'u'},    {U'ν', "nu", 'v'},
      {U'ξ', "xi", 'x'},        {U'π', "pi", 'p'},      {U'ρ', "rho", 'r'},   {U'σ', "sigma", 's'},
      {U'τ', "tau", 't'},       {U'φ', "phi", 'f'},     {U'χ', "chi", 'x'},   {U'ψ', "psi", 'y'},
      {U'ω', "omega", 'w'},     {U'‐', "-", '-'},       {U'–', "-", '-'},     {U'—', "-", '-'},
      {U'−', "-", '-'},         {U'‘', "'", '\''},      {U'’', "'", '\''},    {U'“', "\"", '"'},
      {U'”', "\"", '"'},        {U'„', "\"", '"'},      {U'…', "...", '.'},   {U'√', "sqrt ", 'V'},
      {U'∫', "integral ", 'S'}, {U'≈', "~", '~'},       {U'≤', "<=", '<'},    {U'≥', ">=", '>'},
      {U'→', "->", '>'},        {U'∂', "d", 'd'},       {U'∇', "grad ", 'V'}, {U'⁰', "^0", '0'},
      {U'⁴', "^4", '4'},        {U'⁵', "^5", '5'},      {U'⁶', "^6", '6'},    {U'⁷', "^7", '7'},
      {U'⁸', "^8", '8'},        {U'⁹', "^9", '9'},      {U'⁻', "^-", '-'},    {U'₁', "1", '1'},
      {U'₂', "2", '2'},
  };
  return signs;
}

std::string with_ascii_signs(std::string_view text) {
  std::string ascii;
  bool in_exponent = false;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) ++end;
    const std::string_view one = text.substr(at, end - at);
    at = end;
    std::string_view found = one;
    if (one.size() > 1) {
      const auto lead = static_cast<unsigned char>(one[0]);
      char32_t code = lead & (0x7Fu >> one.size());
      for (const char more : one.substr(1)) code = code << 6 | (static_cast<unsigned char>(more) & 0x3Fu);
      for (const AsciiSign& sign : ascii_signs())
        if (sign.sign == code) found = sign.text;
    }
    const bool is_exponent = found.size() > 1 && found[0] == '^';
    ascii += is_exponent && in_exponent ? found.substr(1) : found;
    in_exponent = is_exponent;
  }
  return ascii;
}

}  // namespace perturb
