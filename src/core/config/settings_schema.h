#pragma once
#include <string>

namespace ralph::config {

/// The JSON Schema (2020-12) of ralph.yml, made from the table of settings; for editors.
std::string settings_schema();

}  // namespace ralph::config
