#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "agent/api/failure.h"
#include "agent/api/message.h"

namespace ralph::session {

/// How many pictures and pages of documents the API takes in one request, by the context window of the model.
std::int64_t most_media(std::int64_t window);

/// Pictures and pages of documents in the content of a message, JSON.
std::int64_t media_items(std::string_view content);

/// Replaces the oldest pictures and documents by a text where there are more than the API takes. More than needed, so
/// that the prompt cache is not lost with every new one; of the last message only what is needed: the model has not
/// seen it yet.
void limit_media(std::vector<api::Message>& messages, std::int64_t most);

/// Which of them are replaced by a text: the one the API named, or the newest of its kind; or all.
enum class Removal { one, all };
/// What was replaced. `any`: nothing, there is none.
api::MediaKind remove_refused(std::vector<api::Message>& messages, const api::MediaRefusal& refusal,
                              Removal removal);

}  // namespace ralph::session
