#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

#include "agent/api/reply.h"

namespace ralph::api {

/// A block while it streams: the members of its start, in their order, and the deltas added to them.
class OpenBlock {
 public:
  OpenBlock(std::size_t index, std::string_view type) : index_(index), type_(type) {}

  std::size_t index() const { return index_; }
  const std::string& type() const { return type_; }

  /// Copies the members of a content_block.
  void start(simdjson::dom::object content_block);
  /// Adds a delta. A delta of an unknown type appends its strings to the members of that name and sets the others.
  void add(std::string_view delta_type, simdjson::dom::object delta);
  /// The block as it is now.
  Block block() const;

 private:
  struct Member {
    std::string key;
    std::string value;  // the text itself, or JSON
    bool is_text = false;
  };

  const Member* find(std::string_view key) const;
  Member* find_or_add(std::string_view key);
  void add_text(std::string_view key, std::string_view text);
  void set(std::string_view key, simdjson::dom::element value);
  void add_citation(simdjson::dom::element citation);
  std::string text_of(std::string_view key) const;
  void read_input(Block& block) const;
  std::string write(const Block& block) const;

  std::size_t index_;
  std::string type_;
  std::vector<Member> members_;
  std::string partial_input_;
  std::string citations_;  // elements of the array, with commas
};

BlockType block_type(std::string_view type);
/// Whether blocks of this type have an input: tool_use, server_tool_use …
bool has_input(std::string_view type);

}  // namespace ralph::api
