small_turns(0; 40), done
