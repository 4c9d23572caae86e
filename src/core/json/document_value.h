#pragma once
// For headers whose types hold documents by value; document.h alone declares the type.

#include <nlohmann/json.hpp>

#include "core/json/document.h"
