#include "dm_control/xml.h"

#include <algorithm>
#include <stdexcept>

namespace envpool::dm_control {

namespace {

constexpr std::string_view kSpace = " \t\r\n";

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Element Parse() {
    SkipToElement();
    return ReadElement();
  }

 private:
  Element ReadElement() {
    Take("<");
    Element element(std::string(ReadUntil(" \t\r\n/>")));
    for (SkipSpace(); !rest_.starts_with('/') && !rest_.starts_with('>'); SkipSpace()) {
      std::string name(ReadUntil(" \t\r\n="));
      SkipSpace();
      Take("=");
      SkipSpace();
      const char quote[] = {Next(), '\0'};
      element.Set(name, std::string(ReadUntil(quote)));
      Take(quote);
    }
    if (Takes("/")) {
      Take(">");
      return element;
    }
    Take(">");
    while (SkipToElement(), !Takes("</")) element.Add(ReadElement());
    Take(element.Tag());
    SkipSpace();
    Take(">");
    return element;
  }

  // Past text, comments and declarations.
  void SkipToElement() {
    for (;;) {
      ReadUntil("<");
      if (rest_.starts_with("<!--")) {
        SkipPast("-->");
      } else if (rest_.starts_with("<?") || rest_.starts_with("<!")) {
        SkipPast(">");
      } else {
        return;
      }
    }
  }

  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpace), rest_.size())); }

  void SkipPast(std::string_view end) {
    const std::size_t place = rest_.find(end);
    if (place == std::string_view::npos) Fail();
    rest_.remove_prefix(place + end.size());
  }

  std::string_view ReadUntil(std::string_view ends) {
    const std::size_t place = rest_.find_first_of(ends);
    if (place == std::string_view::npos) Fail();
    const std::string_view read = rest_.substr(0, place);
    rest_.remove_prefix(place);
    return read;
  }

  char Next() {
    if (rest_.empty()) Fail();
    const char next = rest_.front();
    rest_.remove_prefix(1);
    return next;
  }

  bool Takes(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  void Take(std::string_view expected) {
    if (!Takes(expected)) Fail();
  }

  [[noreturn]] void Fail() const {
    throw std::runtime_error("a model of dm_control is no XML, at '" +
                             std::string(rest_.substr(0, 40)) + "'");
  }

  std::string_view rest_;
};

[[noreturn]] void ThrowMissing(std::string_view tag, std::string_view name) {
  throw std::runtime_error("a model of dm_control has no <" + std::string(tag) + "> " +
                           std::string(name));
}

}  // namespace

std::string Element::Get(std::string_view name) const {
  for (const auto& [known, value] : attributes_) {
    if (known == name) return value;
  }
  return {};
}

void Element::Set(std::string_view name, std::string value) {
  for (auto& [known, old] : attributes_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  attributes_.emplace_back(name, std::move(value));
}

Element& Element::Add(Element child) {
  children_.push_back(std::move(child));
  return children_.back();
}

Element& Element::Child(std::string_view tag) {
  const auto found = std::ranges::find(children_, tag, &Element::Tag);
  if (found == children_.end()) ThrowMissing(tag, "");
  return *found;
}

void Element::Remove(std::string_view tag, std::string_view name) {
  children_.remove_if([&](const Element& child) {
    return child.tag_ == tag && (name.empty() || child.Get("name") == name);
  });
  for (Element& child : children_) child.Remove(tag, name);
}

Element& Element::Find(std::string_view tag, std::string_view name) {
  Element* const found = Search(tag, name);
  if (found == nullptr) ThrowMissing(tag, name);
  return *found;
}

Element* Element::Search(std::string_view tag, std::string_view name) {
  if (tag_ == tag && Get("name") == name) return this;
  for (Element& child : children_) {
    if (Element* const found = child.Search(tag, name)) return found;
  }
  return nullptr;
}

std::string Element::Text() const {
  std::string text = "<" + tag_;
  for (const auto& [name, value] : attributes_) {
    const char* const quote = value.find('"') == std::string::npos ? "\"" : "'";
    text.append(" ").append(name).append("=").append(quote).append(value).append(quote);
  }
  if (children_.empty()) return text + "/>";
  text += ">";
  for (const Element& child : children_) text += child.Text();
  return text + "</" + tag_ + ">";
}

Element ParseXml(std::string_view text) { return Parser(text).Parse(); }

}  // namespace envpool::dm_control
