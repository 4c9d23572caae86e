#pragma once
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/schema/program_impl.h"

namespace ralph::schema {

enum class Draft : unsigned { seven = 1, next = 2 };

/// A resource while it is compiled: its address, its document and its draft.
struct SchemaScope {
  std::string uri;
  const Document* root = nullptr;
  std::string location;  // of the root, for messages
  Draft draft = Draft::next;
  SchemaResource* resource = nullptr;
};

/// The place of a part of a schema.
struct SchemaPlace {
  const SchemaScope* scope = nullptr;
  std::string pointer;               // from the root of the resource
  std::string location;              // from the root of the document, for messages
  const Document* parent = nullptr;  // the schema this keyword belongs to

  SchemaPlace step(std::string_view key) const;
  SchemaPlace step(std::size_t index) const { return step(std::to_string(index)); }
};

/// Compiles a document. Keywords are read by a table; references are resolved at the end.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(const SchemaLimits& limits);
  Result<std::unique_ptr<const SchemaProgram>> run(const Document& document);

 private:
  using Node = SchemaNode;
  using Place = SchemaPlace;
  using Read = Result<> (SchemaCompiler::*)(Node&, const Document&, const Place&);
  struct Keyword {
    std::string_view name;
    unsigned drafts;
    Read read;
    bool beside_reference = false;  // in draft 7 a $ref hides its neighbours, but not these
  };
  struct Known {
    Node* node;
    Place place;
  };
  struct Pending {
    Node* node;
    Place place;
    std::string written;
    std::string uri;
    bool dynamic;
  };

  static std::unexpected<Error> mistake(const Place& place, std::string what,
                                        std::string hint = {});
  static const Keyword* find_keyword(std::string_view name, Draft draft);

  Result<const Node*> schema(const Document& document, Place place);
  Result<> read_keywords(Node& node, const Document& document, const Place& place);

  // Addresses: references.cpp
  Result<Place> enter_resource(Node& node, const Document& document, Place place);
  Result<Draft> draft_of(const Document& document, const Place& place) const;
  Result<Place> open_scope(std::string uri, const Document& document, Place place);
  Result<> note_anchor(Node& node, const Document& document, const Place& place, bool dynamic);
  void note_address(std::string_view uri, std::string_view fragment, const Node& node);
  Result<> follow(const Pending& pending);
  Result<const Node*> target_of(const Pending& pending);
  Result<const Node*> walk(const SchemaScope& scope, std::string_view pointer,
                           const Pending& pending);
  Result<const SchemaScope*> scope_at(std::string_view uri, const Pending& pending);

  template <std::optional<std::uint64_t> Node::* member>
  Result<> count(Node& node, const Document& value, const Place& place);
  template <std::optional<Bound> Node::* member>
  Result<> bound(Node& node, const Document& value, const Place& place);
  template <const Node* Node::* member>
  Result<> one(Node& node, const Document& value, const Place& place);
  template <std::vector<const Node*> Node::* member>
  Result<> list(Node& node, const Document& value, const Place& place);
  template <bool dynamic>
  Result<> reference(Node& node, const Document& value, const Place& place);
  Result<> type(Node& node, const Document& value, const Place& place);
  Result<> constant(Node& node, const Document& value, const Place& place);
  Result<> allowed(Node& node, const Document& value, const Place& place);
  Result<> multiple_of(Node& node, const Document& value, const Place& place);
  Result<> pattern(Node& node, const Document& value, const Place& place);
  Result<> unique_items(Node& node, const Document& value, const Place& place);
  Result<> items(Node& node, const Document& value, const Place& place);
  Result<> additional_items(Node& node, const Document& value, const Place& place);
  Result<> properties(Node& node, const Document& value, const Place& place);
  Result<> pattern_properties(Node& node, const Document& value, const Place& place);
  Result<> required(Node& node, const Document& value, const Place& place);
  Result<> dependencies(Node& node, const Document& value, const Place& place);
  Result<> definitions(Node& node, const Document& value, const Place& place);

  Result<std::vector<std::string>> strings(const Document& value, const Place& place);
  Result<EcmaPattern> expression(std::string_view text, const Place& place);

  std::unique_ptr<SchemaProgram> program_;
  std::deque<SchemaScope> scopes_;
  StringMap<const SchemaScope*> scopes_by_uri_;
  StringMap<const Node*> by_address_;  // "uri#/pointer" and "uri#anchor"
  std::unordered_map<const Document*, Known> known_;
  std::deque<Pending> pending_;
  std::deque<Document> metaschemas_;
};

}  // namespace ralph::schema
