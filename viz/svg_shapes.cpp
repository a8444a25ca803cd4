// Walks through the elements with the look and the place that their parents give them.
//
// Example: <g transform="translate(0 90)" stroke="red"><path d="M0,-10h5"/></g> on a page of 100 points is a red line
// from (0, 20) to (5, 20).
//
// A mark such as <use xlink:href="#dot"/> stands for the element with this id, at its own place. Marks may use marks,
// a few levels deep.

#include "viz/svg_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <optional>
#include <pugixml.hpp>

#include "base/result.h"
#include "base/text.h"

namespace onceover::viz {

namespace {

constexpr int deepest = 64;
constexpr std::string_view separators = " \t\r\n,";

tl::unexpected<DrawError> unreadable(const std::string& message) {
  return tl::unexpected(DrawError{DrawError::Kind::failed, message});
}

/// Reads numbers and letters of an attribute, one after the other.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) { skip(); }

  bool at_end() const { return text_.empty(); }
  bool at_number() const { return !at_end() && std::string_view("+-.0123456789").find(text_[0]) != text_.npos; }

  char letter() {
    const char c = text_[0];
    text_.remove_prefix(1);
    skip();
    return c;
  }

  /// The next number, or 0 if there is none.
  double number() {
    double value = 0;
    if (!text_.empty() && text_[0] == '+') text_.remove_prefix(1);
    const auto [end, error] = read_decimal(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) is_sound_ = false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    skip();
    return value;
  }

  Point point() {
    const double x = number();
    return {x, number()};
  }

  /// Were there numbers wherever they were asked for?
  bool is_sound() const { return is_sound_; }

 private:
  void skip() { text_.remove_prefix(std::min(text_.find_first_not_of(separators), text_.size())); }

  std::string_view text_;
  bool is_sound_ = true;
};

/// x' = xx x + xy y + x0, and y' likewise.
struct Affine {
  double xx = 1, xy = 0, yx = 0, yy = 1, x0 = 0, y0 = 0;

  Point operator()(Point p) const { return {xx * p.x + xy * p.y + x0, yx * p.x + yy * p.y + y0}; }
  double scale() const { return std::sqrt(std::abs(xx * yy - xy * yx)); }
  double angle() const { return std::atan2(yx, xx) * 180 / std::numbers::pi; }

  /// First `inner`, then this.
  Affine after(const Affine& inner) const {
    const Point origin = (*this)({inner.x0, inner.y0});
    return {xx * inner.xx + xy * inner.yx,
            xx * inner.xy + xy * inner.yy,
            yx * inner.xx + yy * inner.yx,
            yx * inner.xy + yy * inner.yy,
            origin.x,
            origin.y};
  }
};

Affine turned(double degrees) {
  const double angle = degrees * std::numbers::pi / 180, c = std::cos(angle), s = std::sin(angle);
  return {c, -s, s, c, 0, 0};
}

/// "translate(3 4) scale(2)": the first is the outermost.
std::optional<Affine> transform_of(std::string_view text) {
  Affine all;
  while (text.find_first_not_of(separators) != text.npos) {
    const std::size_t open = text.find('('), close = text.find(')');
    if (open == text.npos || close == text.npos || close < open) return std::nullopt;
    const std::string_view name = text.substr(text.find_first_not_of(separators));
    Tokens numbers(text.substr(open + 1, close - open - 1));
    const double first = numbers.number();
    const bool is_scale = name.starts_with("scale");
    const double second = numbers.at_number() ? numbers.number() : is_scale ? first : 0;
    if (name.starts_with("translate"))
      all = all.after({1, 0, 0, 1, first, second});
    else if (is_scale)
      all = all.after({first, 0, 0, second, 0, 0});
    else if (name.starts_with("rotate"))
      all = all.after(turned(first));
    else
      return std::nullopt;
    text.remove_prefix(close + 1);
  }
  return all;
}

/// "0072B2" of "#0072b2", "rgb(0, 114, 178)" or a name; empty if nothing is to be seen.
std::optional<std::string> colour_of(std::string_view text) {
  static const std::map<std::string_view, std::string_view> names{
      {"black", "000000"}, {"white", "FFFFFF"}, {"red", "FF0000"}, {"none", ""}, {"transparent", ""}};
  if (const auto name = names.find(text); name != names.end()) return std::string(name->second);
  std::array<int, 3> parts{};
  if (text.starts_with("rgb(")) {
    Tokens numbers(text.substr(4));
    for (int& part : parts) part = static_cast<int>(numbers.number());
    if (!numbers.is_sound()) return std::nullopt;
    return fmt::format("{:02X}{:02X}{:02X}", parts[0], parts[1], parts[2]);
  }
  if (text.size() != 7 || text[0] != '#') return std::nullopt;
  std::string hex(text.substr(1));
  for (char& c : hex) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 'a' + 'A') : c;
  return hex;
}

/// What elements inherit.
struct Look {
  Affine place;
  std::string fill = "black";
  std::string stroke = "none";
  std::string colour = "black";  // which "currentColor" means
  double fill_part = 1;          // how much of the paper the fill hides
  double width = 1;
  std::string dashes;
  double font_size = 12;
  std::string anchor = "start";
};

class Reader {
 public:
  Drawn<DrawnShapes> read(std::string_view svg) {
    pugi::xml_document document;
    const auto loaded = document.load_buffer(svg.data(), svg.size());
    if (!loaded) return unreadable(fmt::format("the picture is no SVG: {}", loaded.description()));
    const pugi::xml_node root = document.document_element();
    shapes_.width = std::strtod(root.attribute("width").value(), nullptr);
    shapes_.height = std::strtod(root.attribute("height").value(), nullptr);
    note_ids(root, 0);
    Look look;
    look.place = {1, 0, 0, -1, 0, shapes_.height};
    TRY(read_children(root, look, 0));
    return std::move(shapes_);
  }

 private:
  void note_ids(pugi::xml_node element, int depth) {
    if (const auto id = element.attribute("id")) ids_.emplace(std::string("#") + id.value(), element);
    if (depth < deepest)
      for (const pugi::xml_node child : element.children()) note_ids(child, depth + 1);
  }

  Drawn<void> read_children(pugi::xml_node element, const Look& look, int depth) {
    if (depth > deepest) return unreadable("the picture's groups are nested too deeply");
    for (const pugi::xml_node child : element.children())
      if (child.type() == pugi::node_element) TRY(read_element(child, look, depth + 1));
    return {};
  }

  Drawn<Look> look_of(pugi::xml_node element, Look look) {
    const auto take = [&](const char* name, std::string& value) {
      if (const auto attribute = element.attribute(name)) value = attribute.value();
    };
    const auto take_number = [&](const char* name, double& value) {
      if (const auto attribute = element.attribute(name)) value = std::strtod(attribute.value(), nullptr);
    };
    take("fill", look.fill);
    take("stroke", look.stroke);
    take("color", look.colour);
    take("stroke-dasharray", look.dashes);
    take("text-anchor", look.anchor);
    take_number("fill-opacity", look.fill_part);
    take_number("stroke-width", look.width);
    take_number("font-size", look.font_size);
    const std::string_view text = element.attribute("transform").value();
    const auto transform = transform_of(text);
    if (!transform) return unreadable(fmt::format("the picture has an unknown transformation, {}", text));
    look.place = look.place.after(*transform);
    return look;
  }

  Drawn<void> read_element(pugi::xml_node element, const Look& outer, int depth) {
    const std::string_view name = element.name();
    if (name == "title" || name == "desc" || name == "defs") return {};
    const Look look = TRY(look_of(element, outer));
    if (name == "g" || name == "a") return read_children(element, look, depth);
    if (name == "text") return add_label(element, look);
    if (name == "use") {
      const auto used = ids_.find(element.attribute("xlink:href").value());
      if (used == ids_.end() || depth > deepest) return unreadable("the picture uses a mark that isn't there");
      return read_element(used->second, look, depth + 1);
    }
    auto pieces = pieces_of(element, look.place);
    if (!pieces) return unreadable(fmt::format("the picture has an element <{}> that can't be read", name));
    return add_outline(*std::move(pieces), look);
  }

  static Drawn<std::string> visible(const std::string& text, const Look& look) {
    const auto colour = colour_of(text == "currentColor" ? look.colour : text);
    if (!colour) return unreadable(fmt::format("the picture has an unknown colour, {}", text));
    return *colour;
  }

  Drawn<void> add_outline(std::vector<OutlinePiece> pieces, const Look& look) {
    // Both come first: GCC 12 forgets what is made of an outline when TRY returns within it.
    auto fill = TRY(visible(look.fill, look));
    auto stroke = TRY(visible(look.stroke, look));
    Outline outline{std::move(pieces), std::move(fill), std::move(stroke), look.width * look.place.scale(), {}};
    if (look.fill_part < 1 && !outline.fill.empty()) outline.fill = paler(outline.fill, look.fill_part);
    if (!look.dashes.empty() && look.dashes != "none")
      for (Tokens numbers(look.dashes); numbers.at_number();)
        outline.dashes.push_back(numbers.number() * look.place.scale());
    if (!outline.fill.empty() || !outline.stroke.empty()) shapes_.list.emplace_back(std::move(outline));
    return {};
  }

  /// The colour as it looks on white paper.
  static std::string paler(const std::string& colour, double part) {
    std::string mixed;
    for (std::size_t k = 0; k < colour.size(); k += 2) {
      const auto value = static_cast<double>(std::strtol(colour.substr(k, 2).c_str(), nullptr, 16));
      mixed += fmt::format("{:02X}", static_cast<int>(std::lround(255 + part * (value - 255))));
    }
    return mixed;
  }

  Drawn<void> add_label(pugi::xml_node element, const Look& look) {
    using enum Label::Anchor;
    const Point at = look.place({element.attribute("x").as_double(), element.attribute("y").as_double()});
    auto colour = TRY(visible(look.fill, look));
    Label label{{},
                at,
                look.anchor == "middle" ? middle
                : look.anchor == "end"  ? end
                                        : start,
                look.place.angle(),
                look.font_size * look.place.scale(),
                std::move(colour)};
    for (const pugi::xml_node part : element.children()) {
      const bool is_span = part.type() == pugi::node_element;
      const std::string text = is_span ? part.text().get() : part.value();
      if (!text.empty()) label.parts.push_back({text, is_span && part.attribute("dy").as_double() < 0});
    }
    if (!label.parts.empty()) shapes_.list.emplace_back(std::move(label));
    return {};
  }

  static std::optional<std::vector<OutlinePiece>> pieces_of(pugi::xml_node element, const Affine& place) {
    const std::string_view name = element.name();
    const auto number = [&](const char* attribute) { return element.attribute(attribute).as_double(); };
    if (name == "path") return path(element.attribute("d").value(), place);
    if (name == "polygon" || name == "polyline")
      return corners(element.attribute("points").value(), place, name == "polygon");
    if (name == "ellipse") return ellipse({number("cx"), number("cy")}, {number("rx"), number("ry")}, place);
    if (name == "circle") return ellipse({number("cx"), number("cy")}, {number("r"), number("r")}, place);
    if (name != "rect") return std::nullopt;
    const double x = number("x"), y = number("y"), right = x + number("width"), bottom = y + number("height");
    return corners(fmt::format("{},{} {},{} {},{} {},{}", x, y, right, y, right, bottom, x, bottom), place, true);
  }

  static std::vector<OutlinePiece> ellipse(Point centre, Point radii, const Affine& place) {
    return {{.kind = OutlinePiece::Kind::ellipse, .to = place(centre), .leaving = place.scale() * radii}};
  }

  static std::optional<std::vector<OutlinePiece>> corners(std::string_view points, const Affine& place,
                                                          bool is_closed) {
    std::vector<OutlinePiece> pieces;
    Tokens tokens(points);
    while (tokens.at_number()) {
      const Point to = place(tokens.point());
      pieces.push_back({.kind = pieces.empty() ? OutlinePiece::Kind::move : OutlinePiece::Kind::line, .to = to});
    }
    if (is_closed) pieces.push_back({.kind = OutlinePiece::Kind::close});
    return tokens.is_sound() && tokens.at_end() ? std::optional(std::move(pieces)) : std::nullopt;
  }

  /// Moves, lines and curves; small letters are relative to the last place.
  static std::optional<std::vector<OutlinePiece>> path(std::string_view text, const Affine& place) {
    std::vector<OutlinePiece> pieces;
    Tokens tokens(text);
    Point last{};
    Point first{};
    char command = 0;
    while (!tokens.at_end() && tokens.is_sound()) {
      if (!tokens.at_number()) command = tokens.letter();
      const bool is_relative = command >= 'a';
      const Point base = is_relative ? last : Point{};
      const char kind = is_relative ? static_cast<char>(command - 'a' + 'A') : command;
      OutlinePiece piece{.kind = OutlinePiece::Kind::line};
      switch (kind) {
        case 'M':
          piece.kind = OutlinePiece::Kind::move;
          last = first = base + tokens.point();
          command = is_relative ? 'l' : 'L';  // of further points
          break;
        case 'L': last = base + tokens.point(); break;
        case 'H': last = {base.x + tokens.number(), last.y}; break;
        case 'V': last = {last.x, base.y + tokens.number()}; break;
        case 'C':
          piece.kind = OutlinePiece::Kind::curve;
          piece.leaving = place(base + tokens.point());
          piece.arriving = place(base + tokens.point());
          last = base + tokens.point();
          break;
        case 'Z':
          piece.kind = OutlinePiece::Kind::close;
          last = first;
          if (tokens.at_number()) return std::nullopt;
          break;
        default: return std::nullopt;
      }
      piece.to = place(last);
      pieces.push_back(piece);
    }
    return tokens.is_sound() ? std::optional(std::move(pieces)) : std::nullopt;
  }

  DrawnShapes shapes_{};
  std::map<std::string, pugi::xml_node> ids_;
};

}  // namespace

Drawn<DrawnShapes> shapes_of(std::string_view svg) {
  return Reader().read(svg);
}

}  // namespace onceover::viz
