#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ralph::grade {

/// The start or the end of an XML element. `<a/>` is both, one after the other.
struct XmlTag {
  struct Attribute {
    std::string name, value;
  };
  bool is_end = false;
  std::string_view name;
  std::vector<Attribute> attributes = {};

  /// nullptr: there is no such attribute.
  const std::string* find(std::string_view attribute) const;
};

/// Reads the tags of a well-formed XML document in UTF-8. Text between them is checked and skipped.
/// A DOCTYPE is refused, so there are only the predefined entities. The text outlives the reader.
class XmlReader {
 public:
  explicit XmlReader(std::string_view text);
  /// nullopt: the document is complete. Code::malformed: "line 3: …".
  Result<std::optional<XmlTag>> next();

 private:
  Result<> skip_to_tag();
  Result<> skip_special();
  Result<> check_text(std::string_view text) const;
  Result<XmlTag> read_start();
  Result<XmlTag> read_end();
  Result<XmlTag::Attribute> read_attribute();
  Result<std::string_view> read_name();
  void skip_blanks();
  std::unexpected<Error> malformed(std::string_view problem) const;

  std::string_view whole_, rest_;
  std::vector<std::string_view> open_;
  std::optional<std::string_view> ends_;  // an element without content, whose end is next
  bool had_root_ = false;
};

}  // namespace ralph::grade
