range(6) | (range(4) | bash("echo \(.); seq 1 200")), done
