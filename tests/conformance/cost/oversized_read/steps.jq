# Above the limit of Read: the whole file, then a part of it.
read({file_path: "long.txt"}), read({file_path: "long.txt", offset: 1201, limit: 300}), small_turns(0; 15), done
