(range(4) | read({file_path: "\(.).png"})), read({file_path: "wide.png"}), small_turns(0; 10), done
