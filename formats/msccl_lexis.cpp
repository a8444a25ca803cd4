#include "formats/lint.h"

namespace onceover::formats {

namespace {

constexpr std::size_t longest_attribute_name = 254;
constexpr std::size_t longest_value = 255;

class Lexis {
 public:
  explicit Lexis(std::string_view text) : text_(text) {}

  std::optional<LexicalFault> check() {
    while (!fault_ && skip_blanks()) {
      if (starts("<!--"))
        at_ = text_.find("-->", at_) + 3;
      else if (starts("<?"))
        fail("the runtimes can't read <? .. ?>; remove it");
      else if (starts("<"))
        tag();
      else
        fail("the runtimes expect '<' here; between elements they can read spaces and ends of lines only");
    }
    return fault_;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
  void fail(std::string why) { fault_ = {at_, std::move(why)}; }
  bool is_at(std::string_view letters) const {
    return at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos;
  }

  bool skip_blanks() {
    while (is_at(" \n\r")) ++at_;
    return at_ < text_.size();
  }

  /// Reads `<name attribute="value" ..>` or `</name>`.
  void tag() {
    at_ += starts("</") ? 2 : 1;
    name();
    while (!fault_ && is_at(" ")) {
      while (is_at(" ")) ++at_;
      if (!is_at("/>")) attribute();
    }
    if (is_at("/")) ++at_;
    if (fault_) return;
    if (!is_at(">")) return fail("the runtimes expect a space or the end of the element here");
    ++at_;
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !is_at("= />\n\r\t")) ++at_;
    if (at_ - begin > longest_attribute_name) {
      at_ = begin;
      fail("a name of more than 254 bytes, which the runtimes refuse");
    }
  }

  void attribute() {
    name();
    if (fault_) return;
    if (!starts("=\"")) return fail("the runtimes expect =\" behind an attribute's name, with a double quote");
    at_ += 2;
    const std::size_t begin = at_;
    at_ = text_.find('"', at_) + 1;
    if (at_ - 1 - begin <= longest_value) return;
    at_ = begin;
    fail("a value of more than 255 bytes, for which the runtimes have no room");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::optional<LexicalFault> fault_;
};

}  // namespace

std::optional<LexicalFault> lexical_fault(std::string_view text) {
  return Lexis(text).check();
}

}  // namespace onceover::formats
