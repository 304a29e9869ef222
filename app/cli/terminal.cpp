#include "app/cli/terminal.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <ostream>

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/run/si_prefix.h"
#include "cuda/core/backend/check.h"

namespace perturb {

void print_line(std::ostream& to, std::string_view text) { to << escape_for_terminal(text) << '\n'; }

PrintResult print_text(std::string_view text, StopRequest& stop) {
  constexpr int poll_ms = 100;  // a signal may arrive just before the wait begins
  std::cout.flush();
  struct stat info {};
  const bool waits = fstat(STDOUT_FILENO, &info) != 0 || !S_ISREG(info.st_mode);
  while (!text.empty()) {
    pollfd output{STDOUT_FILENO, POLLOUT, 0};
    const int ready = poll(&output, 1, poll_ms);
    if (ready <= 0) {
      if (stop.stop_requested()) return PrintResult::cancelled;
      continue;
    }
    // A pipe that is ready accepts this much without blocking.
    const std::size_t part = waits ? std::min<std::size_t>(text.size(), PIPE_BUF) : text.size();
    const ssize_t written = write(STDOUT_FILENO, text.data(), part);
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (written < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (written < 0 && errno == EPIPE) {
      stop.request_stop();
      return PrintResult::reader_closed;
    }
    throw Error("Cannot print the text: {}. Print it to a file on a disk with free space.",
                std::strerror(written < 0 ? errno : ENOSPC));
  }
  return PrintResult::all;
}

namespace {

// Characters, not bytes: continuation bytes of UTF-8 have no width.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {
  for (std::string& heading : headings_) {
    right_.push_back(heading.starts_with('>'));
    if (right_.back()) heading.erase(0, 1);
  }
}

void TextTable::add(std::vector<std::string> row) {
  row.resize(headings_.size());
  // Titles and file names are untrusted.
  for (std::string& cell : row) cell = escape_for_terminal(cell);
  rows_.push_back(std::move(row));
  if (!out_) return;
  print_row(*out_, widths(), rows_.back());
  out_->flush();
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < headings_.size(); ++c) {
    widths.push_back(width_of(headings_[c]));
    for (const auto& row : rows_) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  return widths;
}

void TextTable::print_row(std::ostream& out, const std::vector<std::size_t>& widths,
                          const std::vector<std::string>& row) const {
  std::string text;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string space(widths[c] - width_of(row[c]), ' ');
    text += (c ? "  " : "") + (right_[c] ? space + row[c] : row[c] + space);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  out << text << '\n';
}

void TextTable::print(std::ostream& out) const {
  const std::vector<std::size_t> all = widths();
  print_row(out, all, headings_);
  for (const auto& row : rows_) print_row(out, all, row);
}

void TextTable::print_as_added(std::ostream& out, const std::vector<std::string>& widest) {
  add(widest);  // for its widths only
  print_row(out, widths(), headings_);
  out.flush();
  out_ = &out;
}

std::string with_prefix(double value, const std::string& unit) {
  if (!std::isfinite(value)) return std::to_string(value) + " " + unit;
  const auto [scaled, prefix] = with_si_prefix(value);
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", std::abs(scaled) < 9.995 ? 2 : std::abs(scaled) < 99.95 ? 1 : 0, scaled);
  return std::string(text) + " " + prefix + unit;
}

}  // namespace perturb
