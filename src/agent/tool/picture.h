#pragma once
#include <stop_token>
#include <string_view>

#include "agent/tool/tool.h"

namespace ralph::tool {

/// A picture file as an image block of the API, scaled down if it is larger than models use. A failure: it is damaged, of a
/// format that models do not accept, too large, or the request has no room for it.
Outcome show_picture_bytes(std::string_view bytes, Workspace& workspace,
                           const std::stop_token& stop);

}  // namespace ralph::tool
