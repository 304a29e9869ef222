// Texts for users as values: an English format and its arguments. They are translated where they are displayed
// (app/i18n), so that stored, compared and searched texts are English.
#pragma once

#include <concepts>
#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace perturb {

//   Message("Ready")                                 a text
//   Message("{} of {} points", 3, count)             a text with arguments: numbers and strings are shown as they are
//   Message("Choose {}.", Message(quantity.label))   an argument that is translated too; so is a literal
class Message {
 public:
  Message() = default;
  // Implicit: a text without arguments can be used wherever a message is expected.
  Message(const char* text) : text_(text) {}
  Message(std::string text) : text_(std::move(text)) {}
  Message(std::string_view text) : text_(text) {}
  // `format`: English, with {} for each argument, or {0} and {1} if one is used twice.
  template <class First, class... Rest>
  Message(std::string_view format, const First& first, const Rest&... rest)
      : text_(format), arguments_{argument(first), argument(rest)...} {}
  static Message with_arguments(std::string format, std::vector<Message> arguments) {
    Message all(std::move(format));
    all.arguments_ = std::move(arguments);
    return all;
  }
  // A number, a name of a file, a text that is translated already: shown as it is.
  static Message value(std::string text) { return Message(Kind::value, std::move(text)); }
  // A parameter or another value: its id in English, as files and the command line have it; its label where the
  // message is displayed in the window or the page.
  static Message parameter(std::string id, std::string label) {
    Message name(Kind::parameter, std::move(id));
    name.arguments_.emplace_back(std::move(label));
    return name;
  }

  bool empty() const { return text_.empty(); }
  bool is_value() const { return kind_ == Kind::value; }
  bool is_parameter() const { return kind_ == Kind::parameter; }
  // The format, the value, or the parameter's id.
  const std::string& text() const { return text_; }
  const std::vector<Message>& arguments() const { return arguments_; }  // of a parameter: its label
  // The text with its arguments filled in.
  std::string english() const;
  bool operator==(const Message&) const = default;

 private:
  enum class Kind { text, value, parameter };
  Message(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}

  template <class Argument>
  static Message argument(const Argument& given) {
    if constexpr (std::integral<Argument>) {
      static_assert(!std::same_as<Argument, bool> && !std::same_as<Argument, char>);
      return value(std::to_string(given));
    } else if constexpr (std::same_as<Argument, std::string> || std::same_as<Argument, std::string_view>) {
      return value(std::string(given));
    } else {
      return Message(given);
    }
  }

  Kind kind_ = Kind::text;
  std::string text_;
  std::vector<Message> arguments_;
};

// Two sentences, one after the other.
inline Message operator+(Message first, Message second) {
  if (first.empty()) return second;
  if (second.empty()) return first;
  return Message::with_arguments("{} {}", {std::move(first), std::move(second)});
}

// Writes the English text.
std::ostream& operator<<(std::ostream& out, const Message& message);

// "512 bytes", "1.50 GiB".
std::string format_bytes(std::size_t bytes);

// Replaces each {} of a format by a value, and {0} and {1} by the first and the second. Other text in braces stays.
std::string fill_placeholders(std::string_view format, const std::vector<std::string>& values);

}  // namespace perturb
