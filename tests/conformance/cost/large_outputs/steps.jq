(range(8) | bash("seq \(. + 1) 20000")),
# Commands that fail: whole, cut, and above the limit of those that do not.
(2000, 4000, 20000 | bash("seq 1 \(.); exit 1")),
# Three bytes a character, around the limit of 30,000 bytes.
(500, 600, 1200 | bash("yes 漢字漢字漢字漢字漢字漢字漢字漢字漢字 | head -\(.)")),
done
