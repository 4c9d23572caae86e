def tool($name; $input): {tool_use: {name: $name, input: $input}};
(range(8) | "\(.).txt" as $file
  | tool("Write"; {file_path: $file, content: "one\ntwo\nthree\n"}),
    read({file_path: $file}),
    tool("Edit"; {file_path: $file, old_string: "two", new_string: "2"}),
    tool("Grep"; {pattern: "2", path: "."})),
tool("Glob"; {pattern: "*.txt"}), tool("StructuredOutput"; {summary: "Files were written."})
