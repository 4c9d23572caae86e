#pragma once
#include "system/http/message.h"

namespace ralph::http {

/// The headers of a message that a proxy passes on: not those of one connection, and none that asks for compression,
/// which no proxy on the way could read.
Headers end_to_end(const Headers& headers);

}  // namespace ralph::http
