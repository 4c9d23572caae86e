#pragma once
#include "core/base/safe_text.h"

namespace ralph::view {

using ralph::one_line;
using ralph::safe_text;

}  // namespace ralph::view
