#pragma once
#include <optional>

#include "core/json/document.h"
#include "harness/store/loop_state.h"

namespace ralph::store {

json::Document document_of(const LoopState& state);
/// nullopt: not the state of a loop.
std::optional<LoopState> state_of(const json::Document& from);
/// For files whose content is not known yet.
bool looks_like_a_state(const json::Document& document);

}  // namespace ralph::store
