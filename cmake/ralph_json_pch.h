// Precompiled for modules that work with JSON documents.
#pragma once
#include "ralph_pch.h"

#include <nlohmann/json.hpp>
