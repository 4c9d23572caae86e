echo "Looking at the files."
echo "Fixed the parser."
echo "All finished. DONE"
