#pragma once
#include <optional>

#include "json/document.h"
#include "loop/state.h"

namespace ralph::loop {

json::Document document_of(const State& state);
/// nullopt: not the state of a loop.
std::optional<State> state_of(const json::Document& from);
/// For files whose content is not known yet.
bool looks_like_a_state(const json::Document& document);

}  // namespace ralph::loop
