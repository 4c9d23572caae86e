#include "bench/report/bundle.h"

namespace ralph::report {
namespace {

constexpr std::string_view kLogSchema = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Normalised log of an agent (youbencha.log.json)",
  "type": "object",
  "required": ["version", "agent", "model", "execution", "messages", "usage", "errors", "environment"],
  "properties": {
    "version": {"const": "1.0.0"},
    "agent": {
      "type": "object",
      "required": ["name", "version", "adapter_version"],
      "properties": {
        "name": {"type": "string"}, "version": {"type": "string"}, "adapter_version": {"type": "string"}
      }
    },
    "model": {
      "type": "object",
      "required": ["name", "provider", "parameters"],
      "properties": {
        "name": {"type": "string"}, "provider": {"type": "string"}, "parameters": {"type": "object"}
      }
    },
    "execution": {
      "type": "object",
      "required": ["started_at", "completed_at", "duration_ms", "exit_code", "status"],
      "properties": {
        "started_at": {"type": "string"},
        "completed_at": {"type": "string"},
        "duration_ms": {"type": "number", "minimum": 0},
        "exit_code": {"type": "number"},
        "status": {"enum": ["success", "failed", "timeout"]}
      }
    },
    "messages": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["role", "content", "timestamp"],
        "properties": {
          "role": {"enum": ["system", "user", "assistant", "tool"]},
          "content": {"type": "string"},
          "timestamp": {"type": "string"},
          "tool_calls": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["id", "type", "function"],
              "properties": {
                "id": {"type": "string"},
                "type": {"type": "string"},
                "function": {
                  "type": "object",
                  "required": ["name", "arguments"],
                  "properties": {"name": {"type": "string"}, "arguments": {"type": "string"}}
                }
              }
            }
          },
          "tool_call_id": {"type": "string"}
        }
      }
    },
    "usage": {
      "type": "object",
      "required": ["prompt_tokens", "completion_tokens", "total_tokens"],
      "properties": {
        "prompt_tokens": {"type": "number", "minimum": 0},
        "completion_tokens": {"type": "number", "minimum": 0},
        "total_tokens": {"type": "number", "minimum": 0},
        "estimated_cost_usd": {"type": "number", "minimum": 0}
      }
    },
    "errors": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["message", "timestamp"],
        "properties": {
          "message": {"type": "string"}, "timestamp": {"type": "string"}, "stack_trace": {"type": "string"}
        }
      }
    },
    "environment": {
      "type": "object",
      "required": ["os", "node_version", "youbencha_version", "working_directory"],
      "properties": {
        "os": {"type": "string"},
        "node_version": {"type": "string"},
        "youbencha_version": {"type": "string"},
        "working_directory": {"type": "string"}
      }
    }
  }
}
)json";

constexpr std::string_view kResultsSchema = R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "Results of a graded trial (results.json)",
  "type": "object",
  "required": ["version", "test_case", "execution", "agent", "evaluators", "summary", "artifacts"],
  "properties": {
    "version": {"const": "1.0.0"},
    "test_case": {
      "type": "object",
      "required": ["name", "description", "config_file", "config_hash", "repo", "branch", "commit"],
      "properties": {
        "name": {"type": "string"},
        "description": {"type": "string"},
        "config_file": {"type": "string"},
        "config_hash": {"type": "string"},
        "repo": {"type": "string"},
        "branch": {"type": "string"},
        "commit": {"type": "string"},
        "expected_branch": {"type": "string"}
      }
    },
    "execution": {
      "type": "object",
      "required": ["started_at", "completed_at", "duration_ms", "youbencha_version", "environment"],
      "properties": {
        "started_at": {"type": "string"},
        "completed_at": {"type": "string"},
        "duration_ms": {"type": "number", "minimum": 0},
        "youbencha_version": {"type": "string"},
        "environment": {
          "type": "object",
          "required": ["os", "node_version", "workspace_dir"],
          "properties": {
            "os": {"type": "string"}, "node_version": {"type": "string"}, "workspace_dir": {"type": "string"}
          }
        }
      }
    },
    "agent": {
      "type": "object",
      "required": ["type", "youbencha_log_path", "status", "exit_code"],
      "properties": {
        "type": {"type": "string"},
        "youbencha_log_path": {"type": "string"},
        "status": {"enum": ["success", "failed", "timeout"]},
        "exit_code": {"type": "number"}
      }
    },
    "evaluators": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["evaluator", "status", "metrics", "message", "duration_ms", "timestamp"],
        "properties": {
          "evaluator": {"type": "string"},
          "status": {"enum": ["passed", "failed", "skipped"]},
          "metrics": {"type": "object"},
          "message": {"type": "string"},
          "duration_ms": {"type": "number", "minimum": 0},
          "timestamp": {"type": "string"},
          "artifacts": {
            "type": "array",
            "items": {
              "type": "object",
              "required": ["type", "path", "description"],
              "properties": {
                "type": {"type": "string"}, "path": {"type": "string"}, "description": {"type": "string"}
              }
            }
          },
          "error": {
            "type": "object",
            "required": ["message"],
            "properties": {"message": {"type": "string"}, "stack_trace": {"type": "string"}}
          }
        }
      }
    },
    "summary": {
      "type": "object",
      "required": ["total_evaluators", "passed", "failed", "skipped", "overall_status"],
      "properties": {
        "total_evaluators": {"type": "number", "minimum": 0},
        "passed": {"type": "number", "minimum": 0},
        "failed": {"type": "number", "minimum": 0},
        "skipped": {"type": "number", "minimum": 0},
        "overall_status": {"enum": ["passed", "failed", "partial"]}
      }
    },
    "artifacts": {
      "type": "object",
      "required": ["agent_log", "reports", "evaluator_artifacts"],
      "properties": {
        "agent_log": {"type": "string"},
        "reports": {"type": "array", "items": {"type": "string"}},
        "evaluator_artifacts": {"type": "array", "items": {"type": "string"}}
      }
    }
  }
}
)json";

}  // namespace

std::string output_schema(std::string_view name) {
  if (name == "log") return std::string(kLogSchema);
  return name == "results" ? std::string(kResultsSchema) : "";
}

}  // namespace ralph::report
