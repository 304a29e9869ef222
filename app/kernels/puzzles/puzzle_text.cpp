#include "app/kernels/puzzles/puzzle_text.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "app/edited/edited_kernel.h"

namespace perturb {

namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A word, a number, a literal or one other character. Comments and spaces are between tokens.
struct Token {
  std::string_view text;
  int line;
  bool is_word() const { return is_letter(text.front()) && !is_digit(text.front()); }
};

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    std::vector<Token> all;
    while (skip_spaces()) {
      const std::size_t begin = at_;
      const int line = line_;
      const char c = text_[at_];
      if (is_letter(c))
        while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
      else if (c == '"' || c == '\'')
        skip_literal(c);
      else
        ++at_;
      all.push_back({text_.substr(begin, at_ - begin), line});
    }
    return all;
  }

 private:
  // Also skips comments. Returns whether there is more.
  bool skip_spaces() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_, 2);
      if (rest == "//")
        advance_to(text_.find('\n', at_));
      else if (rest == "/*")
        advance_to(text_.find("*/", at_ + 2), 2);
      else if (std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos)
        advance_to(at_ + 1);
      else
        return true;
    }
    return false;
  }
  void skip_literal(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    advance_to(end, 1);
  }
  void advance_to(std::size_t to, std::size_t more = 0) {
    to = to >= text_.size() ? text_.size() : std::min(to + more, text_.size());
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    at_ = to;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

[[noreturn]] void reject(int line, const char* why) { throw CompileError({{line, 0, why}}); }

// A declaration "__shared__ float tile[8][32];" from token `k` on, which is __shared__.
struct SharedDeclaration {
  std::string_view type, name, sizes;
  std::size_t tokens = 0;
};
SharedDeclaration shared_declaration(const std::vector<Token>& tokens, std::size_t k) {
  constexpr std::string_view types[] = {"float", "double", "int", "unsigned", "bool", "char", "short"};
  const int line = tokens[k].line;
  const auto is = [&](std::size_t at, std::string_view text) {
    return at < tokens.size() && tokens[at].line == line && tokens[at].text == text;
  };
  const auto fail = [&] {
    reject(line,
           "write __shared__, a type, a name and one to three sizes in one line, as in __shared__ float tile[8][32];");
  };
  if (k + 3 >= tokens.size() || !tokens[k + 2].is_word() || !is(k + 3, "[")) fail();
  SharedDeclaration found{tokens[k + 1].text, tokens[k + 2].text, {}, 3};
  if (std::find(std::begin(types), std::end(types), found.type) == std::end(types)) fail();
  const char* const begin = tokens[k + 3].text.data();
  for (int sizes = 0; is(k + found.tokens, "["); ++sizes) {
    std::size_t end = k + found.tokens + 1;
    while (end < tokens.size() && tokens[end].line == line && tokens[end].text != "]" && tokens[end].text != ";") ++end;
    if (!is(end, "]") || sizes == 3) fail();
    found.tokens = end + 1 - k;
    found.sizes = {begin, static_cast<std::size_t>(tokens[end].text.data() + 1 - begin)};
  }
  if (!is(k + found.tokens, ";")) fail();
  ++found.tokens;
  return found;
}

// Rejects what would keep values where no access is counted.
void check_places(const std::vector<Token>& tokens) {
  std::vector<bool> is_class;  // of the braces around
  bool begins_class = false;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const auto& [text, line] = tokens[k];
    if (text == "struct" || text == "class" || text == "union") begins_class = true;
    if (text == ";" || text == "(") begins_class = false;
    if (text == "{") {
      is_class.push_back(begins_class);
      begins_class = false;
    }
    if (text == "}" && is_class.empty()) reject(line, "this } ends the kernel. Write the body of the kernel only.");
    if (text == "}") is_class.pop_back();
    if (text == "machine" || text == "perturb") reject(line, "this name belongs to the program. Choose another one.");
    const bool is_member = !is_class.empty() && is_class.back();
    if ((text != "static" && text != "thread_local") || is_member) continue;
    bool is_constant = false;
    for (std::size_t n = k + 1;
         n < tokens.size() && std::string_view("=;({[").find(tokens[n].text) == std::string::npos; ++n)
      is_constant =
          (is_constant || tokens[n].text == "const" || tokens[n].text == "constexpr") && tokens[n].text != "*";
    if (!is_constant)
      reject(line, "a static variable is memory that is not counted. Use __shared__, or a variable of the thread.");
  }
}

}  // namespace

std::string counted_puzzle_text(const std::string& text) {
  const std::vector<Token> tokens = Scanner(text).tokens();
  check_places(tokens);
  std::string all;
  const char* copied = text.data();
  const auto copy_to = [&](const char* end) {
    all.append(copied, end);
    copied = end;
  };
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (tokens[k].text != "__shared__") continue;
    const SharedDeclaration shared = shared_declaration(tokens, k);
    copy_to(tokens[k].text.data());
    all += "static Shared<" + std::string(shared.type) + std::string(shared.sizes) + "> " + std::string(shared.name) +
           "(\"" + std::string(shared.name) + "\");";
    k += shared.tokens - 1;
    copied = tokens[k].text.data() + 1;
  }
  copy_to(text.data() + text.size());
  return all;
}

}  // namespace perturb
