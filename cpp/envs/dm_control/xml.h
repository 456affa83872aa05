// Element: a tree of XML, for models that dm_control puts together from others.
//
// Only what its files have: elements, attributes and comments, which are dropped. Attributes keep
// their text as it is written.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace envpool::dm_control {

class Element {
 public:
  using Attributes = std::vector<std::pair<std::string, std::string>>;

  explicit Element(std::string tag, Attributes attributes = {})
      : tag_(std::move(tag)), attributes_(std::move(attributes)) {}

  const std::string& Tag() const { return tag_; }
  std::list<Element>& Children() { return children_; }

  // The value of an attribute; empty if there is none.
  std::string Get(std::string_view name) const;
  void Set(std::string_view name, std::string value);

  // Adds a child after the others; it stays where it is.
  Element& Add(Element child);

  // The first child of this tag. Throws std::runtime_error if there is none.
  Element& Child(std::string_view tag);

  // Removes the elements of this tag from the whole tree, or those of this name.
  void Remove(std::string_view tag, std::string_view name = {});

  // The first element of this tag and name in the whole tree. Throws likewise.
  Element& Find(std::string_view tag, std::string_view name);

  std::string Text() const;

 private:
  Element* Search(std::string_view tag, std::string_view name);

  std::string tag_;
  Attributes attributes_;
  std::list<Element> children_;
};

// The outermost element. Throws std::runtime_error if the text is none.
Element ParseXml(std::string_view text);

}  // namespace envpool::dm_control
