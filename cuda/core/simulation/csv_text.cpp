#include "cuda/core/simulation/csv_text.h"

#include <algorithm>
#include <utility>

#include "cuda/core/simulation/text_format.h"

namespace perturb {

namespace {

constexpr std::string_view delimiters = ",;\t", byte_order_mark = "\xef\xbb\xbf";

// The delimiter that the first row with content has most of, outside quotation marks.
char most_frequent_delimiter(std::string_view text, bool has_comments) {
  int counts[3] = {};
  bool is_quoted = false, is_comment = false, has_content = false;
  for (const char c : text) {
    if (c == '\n' && !is_quoted) {
      if (has_content) break;
      is_comment = false;
      continue;
    }
    if (has_comments && c == '#' && !is_quoted) is_comment = true;
    if (is_comment) continue;
    if (c == '"') is_quoted = !is_quoted;
    const std::size_t k = is_quoted ? std::string_view::npos : delimiters.find(c);
    if (k != std::string_view::npos)
      ++counts[k];
    else
      has_content = has_content || (c != ' ' && c != '\r');
  }
  return delimiters[static_cast<std::size_t>(std::max_element(counts, counts + 3) - counts)];
}

}  // namespace

CsvReader::CsvReader(std::string_view text, std::string name, bool has_comments)
    : text_(text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text),
      name_(std::move(name)),
      has_comments_(has_comments),
      delimiter_(most_frequent_delimiter(text_, has_comments)) {}

Message CsvReader::delimiter_name() const {
  return delimiter_ == ';' ? "semicolon" : delimiter_ == ',' ? "comma" : "tab";
}

void CsvReader::skip_blanks() {
  while (at_ < text_.size() && text_[at_] != delimiter_ &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

// From the opening quotation mark to behind the closing one.
std::string CsvReader::quoted() {
  const int line = line_, begin = column();
  std::string text;
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      if (++at_ >= text_.size() || text_[at_] != '"') return text;
    } else if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    text += text_[at_];
  }
  reject_text(name_, line, begin, "The quotation mark is not closed. Write \" at the end of the field.");
}

CsvField CsvReader::next_field() {
  skip_blanks();
  CsvField field{"", column()};
  if (at_ < text_.size() && text_[at_] == '"') {
    field.text = quoted();
    skip_blanks();
    if (!is_end_of_line() && !is_comment() && text_[at_] != delimiter_)
      reject_text(
          name_, line_, column(),
          Message("Found \"{}\" after a closing quotation mark. Write \"\" for a quotation mark within a field, "
                  "or a {} after the field.",
                  std::string(1, text_[at_]), delimiter_name()));
    return field;
  }
  const std::size_t begin = at_;
  while (!is_end_of_line() && !is_comment() && text_[at_] != delimiter_) ++at_;
  const std::string_view whole = text_.substr(begin, at_ - begin);
  field.text = whole.substr(0, whole.find_last_not_of(" \t\r") + 1);
  return field;
}

std::vector<CsvField> CsvReader::next() {
  std::vector<CsvField> row;
  while (at_ < text_.size()) {
    row_line_ = line_;
    for (row.push_back(next_field()); at_ < text_.size() && text_[at_] == delimiter_; row.push_back(next_field()))
      ++at_;
    while (!is_end_of_line()) ++at_;  // a comment
    if (at_ < text_.size()) {
      ++at_;
      ++line_;
      line_begin_ = at_;
    }
    if (std::any_of(row.begin(), row.end(), [](const CsvField& field) { return !field.text.empty(); })) return row;
    row.clear();
  }
  return row;
}

std::string CsvReader::number_text(const CsvField& field) const {
  std::string text = field.text;
  if (delimiter_ != ',') std::replace(text.begin(), text.end(), ',', '.');
  return text;
}

}  // namespace perturb
