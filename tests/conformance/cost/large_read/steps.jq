# Below the limit of Read.
read({file_path: "part.txt"}), small_turns(0; 15), done
