#include "app/ui/kernels/code_tokens.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace perturb {

namespace {

using Kind = CodeToken::Kind;

// C++ and CUDA, as far as cells and puzzles need them.
constexpr std::array<std::string_view, 36> keywords = {
    "__device__", "__global__", "__host__", "__shared__", "__syncthreads", "PERTURB_HD",
    "auto",       "break",      "case",     "class",      "const",         "constexpr",
    "continue",   "default",    "do",       "else",       "enum",          "extern",
    "false",      "for",        "if",       "inline",     "namespace",     "private",
    "public",     "return",     "sizeof",   "static",     "struct",        "switch",
    "template",   "this",       "true",     "typename",   "using",         "while"};
constexpr std::array<std::string_view, 22> types = {
    "Real",    "blockDim", "blockIdx", "bool", "char", "dim3",  "double", "float",     "float2", "float3",   "float4",
    "gridDim", "half",     "int",      "int2", "long", "short", "signed", "threadIdx", "uint2",  "unsigned", "void"};

bool is_in(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}

  std::vector<CodeToken> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (starts_with("//"))
        take(Kind::comment, line_end());
      else if (starts_with("/*"))
        take_block();
      else if (c == '#' && begins_line_)
        take(Kind::directive, std::min({line_end(), text_.find("//", at_), text_.find("/*", at_)}));
      else if (c == '"' || c == '\'')
        take(Kind::text, quotation_end(c));
      else if (std::isdigit(static_cast<unsigned char>(c)))
        take(Kind::number, number_end());
      else if (is_letter(c))
        take_word();
      else {
        begins_line_ = c == '\n' || (begins_line_ && std::isspace(static_cast<unsigned char>(c)));
        ++at_;
      }
    }
    return std::move(tokens_);
  }

 private:
  bool starts_with(std::string_view start) const { return text_.substr(at_, start.size()) == start; }
  std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }
  std::size_t quotation_end(char mark) const {
    const std::size_t line = line_end();
    for (std::size_t k = at_ + 1; k < line; ++k) {
      if (text_[k] == mark) return k + 1;
      if (text_[k] == '\\') ++k;
    }
    return line;
  }
  // With its exponent and suffix: 1.5e-3f, 0x1F.
  std::size_t number_end() const {
    std::size_t k = at_;
    const auto is_exponent = [&] { return k > at_ && (text_[k - 1] == 'e' || text_[k - 1] == 'E'); };
    while (k < text_.size() &&
           (is_letter(text_[k]) || text_[k] == '.' || ((text_[k] == '-' || text_[k] == '+') && is_exponent())))
      ++k;
    return k;
  }
  void take(Kind kind, std::size_t to) {
    tokens_.push_back({at_, to, kind});
    at_ = to;
    begins_line_ = false;
  }
  // A part for each line.
  void take_block() {
    const std::size_t close = text_.find("*/", at_ + 2), end = close == text_.npos ? text_.size() : close + 2;
    while (at_ < end) {
      take(Kind::comment, std::min(line_end(), end));
      if (at_ < end) ++at_;  // the end of the line
    }
  }
  void take_word() {
    std::size_t to = at_;
    while (to < text_.size() && is_letter(text_[to])) ++to;
    const std::string_view word = text_.substr(at_, to - at_);
    if (is_in(keywords, word)) return take(Kind::keyword, to);
    if (is_in(types, word)) return take(Kind::type, to);
    at_ = to;
    begins_line_ = false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool begins_line_ = true;  // only blanks before, in this line
  std::vector<CodeToken> tokens_;
};

}  // namespace

std::vector<CodeToken> code_tokens(std::string_view text) { return Tokenizer(text).run(); }

int first_code_line(std::string_view text) {
  std::size_t at = 0;
  const auto rest_is_blank = [&](std::size_t to) {
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.begin() + static_cast<std::ptrdiff_t>(to),
                       [](char c) { return std::isspace(static_cast<unsigned char>(c)); });
  };
  for (const CodeToken& token : code_tokens(text)) {
    if (!rest_is_blank(token.from)) break;
    at = token.from;
    if (token.kind != Kind::comment && token.kind != Kind::directive) break;
    at = token.to;
  }
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  if (at == text.size()) return 0;
  return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

}  // namespace perturb
