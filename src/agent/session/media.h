#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "agent/api/failure.h"
#include "agent/api/message.h"

namespace ralph::session {

/// How many pictures and document pages the API accepts in one request, by the context window of the model.
std::int64_t most_media(std::int64_t window);

/// Pictures and pages of documents in the content of a message, JSON.
std::int64_t media_items(std::string_view content);

/// Replaces the oldest pictures and documents by a text if there are more than `most`. Replaces more than necessary, so that
/// the prompt cache is not lost with every new one; in the last message only what is necessary, because the model has not
/// seen it yet.
void limit_media(std::vector<api::Message>& messages, std::int64_t most);

/// Which are replaced by a text: the one that the API named, or else the newest of its kind; or all.
enum class Removal { one, all };
/// The kind that was replaced; `any`: nothing to replace.
api::MediaKind remove_refused(std::vector<api::Message>& messages, const api::MediaRefusal& refusal,
                              Removal removal);

}  // namespace ralph::session
