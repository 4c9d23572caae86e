small_turns(0; 15), done
