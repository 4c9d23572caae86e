#pragma once
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/model.h"

namespace ralph::model {

/// `models` with the rows of a JSON text of models.json's form put on top. An error names `name`,
/// the model and the key.
Result<std::vector<Model>> read_models(std::string_view json_text, std::string_view name,
                                       std::vector<Model> models);

}  // namespace ralph::model
