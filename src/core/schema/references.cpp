#include <algorithm>
#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/base/number.h"
#include "core/base/utf8.h"
#include "core/schema/compiler_impl.h"
#include "core/schema/uri.h"

namespace ralph::schema {
namespace {

struct KnownDraft {
  std::string_view uri;
  Draft draft;
};
constexpr std::array<KnownDraft, 3> kDrafts{{
    {"http://json-schema.org/draft-07/schema", Draft::seven},
    {"https://json-schema.org/draft-07/schema", Draft::seven},
    {"https://json-schema.org/draft/2020-12/schema", Draft::next},
}};

/// "a~1b" becomes "a/b".
std::string unescaped_token(std::string_view token) {
  std::string out;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const auto rest = token.substr(i);
    const bool escape = rest.starts_with("~0") || rest.starts_with("~1");
    out += escape ? (rest[1] == '0' ? '~' : '/') : token[i];
    if (escape) ++i;
  }
  return out;
}

const Document* child_of(const Document& document, const std::string& token) {
  if (document.is_object()) {
    const auto found = document.find(token);
    return found == document.end() ? nullptr : &*found;
  }
  const auto index = parse_number<std::size_t>(token);
  if (!document.is_array() || !index || *index >= document.size()) return nullptr;
  return &document[*index];
}

/// A member of that name that is text, and "" without one.
std::string_view text_member(const Document& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) return {};
  return found->get_ref<const std::string&>();
}

std::string in_quotes(std::string_view reference) {
  return fmt::format("'{}'", utf8::shortened(utf8::repaired(reference), 200));
}

}  // namespace

void SchemaCompiler::note_address(std::string_view uri, std::string_view fragment,
                                  const Node& node) {
  by_address_.emplace(fmt::format("{}#{}", uri, fragment), &node);
}

Result<Draft> SchemaCompiler::draft_of(const Document& document, const Place& place) const {
  const auto inherited = place.scope == nullptr ? Draft::next : place.scope->draft;
  if (!document.is_object() || !document.contains("$schema")) return inherited;
  const auto uri = split_uri(text_member(document, "$schema")).address;
  for (const auto& known : kDrafts) {
    if (known.uri == uri) return known.draft;
  }
  return mistake(place.step("$schema"),
                 fmt::format("names a draft that is not known: {}", in_quotes(uri)),
                 "use draft 7 or 2020-12");
}

Result<SchemaPlace> SchemaCompiler::open_scope(std::string uri, const Document& document,
                                               Place place) {
  TRY_ASSIGN(const auto draft, draft_of(document, place));
  auto& resource = program_->resources.emplace_back();
  auto& scope = scopes_.emplace_back(
      SchemaScope{std::move(uri), &document, place.location, draft, &resource});
  scopes_by_uri_.emplace(scope.uri, &scope);
  place.scope = &scope;
  place.pointer.clear();
  return place;
}

/// Where the schema stands once its own $id and anchors are heard.
Result<SchemaPlace> SchemaCompiler::enter_resource(Node& node, const Document& document,
                                                   Place place) {
  note_address(place.scope->uri, place.pointer, node);
  if (!document.is_object()) return place;
  const bool hidden = place.scope->draft == Draft::seven && document.contains("$ref");
  if (hidden) return place;
  const auto id = split_uri(text_member(document, "$id"));
  if (document.contains("$id") && !document["$id"].is_string()) {
    return mistake(place.step("$id"), "must be a string");
  }
  if (!id.address.empty()) {
    auto uri = resolve_uri(place.scope->uri, id.address);
    TRY_ASSIGN(place, open_scope(std::move(uri), document, std::move(place)));
    note_address(place.scope->uri, "", node);
  }
  if (!id.fragment.empty()) {
    if (place.scope->draft != Draft::seven) {
      return mistake(place.step("$id"), "must not have a fragment", "use $anchor");
    }
    note_address(place.scope->uri, id.fragment, node);
  }
  if (place.scope->draft == Draft::next) {
    TRY(note_anchor(node, document, place, false));
    TRY(note_anchor(node, document, place, true));
  }
  return place;
}

Result<> SchemaCompiler::note_anchor(Node& node, const Document& document, const Place& place,
                                     bool dynamic) {
  const char* const keyword = dynamic ? "$dynamicAnchor" : "$anchor";
  if (!document.contains(keyword)) return {};
  const auto name = text_member(document, keyword);
  if (name.empty() || name.find_first_of("/#") != name.npos) {
    return mistake(place.step(keyword), "must be a name without '/' and '#'");
  }
  note_address(place.scope->uri, name, node);
  if (dynamic) place.scope->resource->dynamic_anchors.emplace(name, &node);
  return {};
}

Result<> SchemaCompiler::follow(const Pending& pending) {
  TRY_ASSIGN(const auto* const target, target_of(pending));
  if (!pending.dynamic) {
    pending.node->reference = target;
    return {};
  }
  DynamicReference reference{target, {}};
  const auto anchor = percent_decoded(split_uri(pending.uri).fragment);
  const auto& anchors = target->resource->dynamic_anchors;
  if (const auto found = anchors.find(anchor); found != anchors.end() && found->second == target) {
    reference.anchor = anchor;
  }
  pending.node->dynamic_reference = std::move(reference);
  return {};
}

Result<const SchemaNode*> SchemaCompiler::target_of(const Pending& pending) {
  const auto uri = split_uri(pending.uri);
  const auto fragment = percent_decoded(uri.fragment);
  TRY_ASSIGN(const auto* const scope, scope_at(uri.address, pending));
  const auto found = by_address_.find(fmt::format("{}#{}", uri.address, fragment));
  if (found != by_address_.end()) return found->second;
  if (!fragment.empty() && !fragment.starts_with('/')) {
    return mistake(pending.place, fmt::format("refers to {}, an anchor that does not exist",
                                              in_quotes(pending.written)));
  }
  return walk(*scope, fragment, pending);
}

Result<const SchemaScope*> SchemaCompiler::scope_at(std::string_view uri, const Pending& pending) {
  if (const auto found = scopes_by_uri_.find(uri); found != scopes_by_uri_.end()) {
    return found->second;
  }
  const auto text = builtin_metaschema(uri);
  if (text.empty()) {
    return mistake(
        pending.place,
        fmt::format("refers to {}, which is not in the schema", in_quotes(pending.written)),
        "nothing is fetched; put it into $defs");
  }
  TRY_ASSIGN(auto document, json::parse(text, "metaschema"));
  const auto& kept = metaschemas_.emplace_back(std::move(document));
  TRY_ASSIGN(auto place, open_scope(std::string(uri), kept, {}));
  const auto* const scope = place.scope;
  TRY(schema(kept, std::move(place)));
  return scope;
}

/// To a place that is no schema by its keyword: it becomes one by being referred to.
Result<const SchemaNode*> SchemaCompiler::walk(const SchemaScope& scope, std::string_view pointer,
                                               const Pending& pending) {
  const Document* at = scope.root;
  Place place{&scope, {}, scope.location, nullptr};
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const auto token = unescaped_token(pointer.substr(0, pointer.find('/')));
    pointer.remove_prefix(std::min(pointer.find('/'), pointer.size()));
    const auto known = known_.find(at);
    if (known != known_.end()) place = known->second.place;
    at = child_of(*at, token);
    if (at == nullptr) {
      return mistake(pending.place,
                     fmt::format("refers to {}, which does not exist", in_quotes(pending.written)));
    }
    place = place.step(token);
  }
  return schema(*at, std::move(place));
}

}  // namespace ralph::schema
