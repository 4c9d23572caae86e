# What the steps.jq of a session may use.
def bash($command): {tool_use: {name: "Bash", input: {command: $command}}};
def read($input): {tool_use: {name: "Read", input: $input}};
def small_turns($from; $to): range($from; $to) | bash("echo \(.)");
def done: {text: "Done."};
