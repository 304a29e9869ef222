// Reads tables as spreadsheets and other programs write them (RFC 4180).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cuda/core/backend/message.h"

namespace perturb {

struct CsvField {
  std::string text;  // without quotation marks and blanks at its ends
  int column = 1;    // of its first character in its line, from 1
};

// Rows of fields between commas, semicolons or tabs: whichever the first row has most of. A field in quotation marks
// may contain delimiters, line breaks, and doubled quotation marks. Rows without any content are skipped.
class CsvReader {
 public:
  // `name`: of the file, for messages. With `has_comments`, # begins a comment, except within quotation marks.
  CsvReader(std::string_view text, std::string name, bool has_comments = false);

  // The next row; empty at the end. Throws InputError with file, line and column for a quotation mark that is not
  // closed, and for text between a closing one and the next delimiter.
  std::vector<CsvField> next();
  // Of the row that next() has returned, from 1; at the end, of the last line.
  int line() const { return row_line_; }
  Message delimiter_name() const;
  // The field's text as a number: where fields are between semicolons or tabs, with a point for a decimal comma.
  std::string number_text(const CsvField& field) const;

 private:
  bool is_end_of_line() const { return at_ >= text_.size() || text_[at_] == '\n'; }
  bool is_comment() const { return has_comments_ && at_ < text_.size() && text_[at_] == '#'; }
  void skip_blanks();
  CsvField next_field();
  std::string quoted();
  int column() const { return static_cast<int>(at_ - line_begin_) + 1; }

  std::string_view text_;
  std::string name_;
  bool has_comments_;
  char delimiter_ = ',';
  std::size_t at_ = 0, line_begin_ = 0;
  int line_ = 1, row_line_ = 1;
};

}  // namespace perturb
