# The declarations of a C header, one a line: functions, constants, fields. Comments and white space do not count.
{ text = text " " $0 "\n" }
END {
    while ((start = index(text, "/*")) > 0) {
        rest = substr(text, start + 2)
        text = substr(text, 1, start - 1) substr(rest, index(rest, "*/") + 2)
    }
    count = split(text, lines, "\n")
    for (number = 1; number <= count; number++) {
        line = lines[number]
        gsub(/^[ \t]+|[ \t]+$/, "", line)
        if (line ~ /^#/) {
            if (line ~ /^#define/ && line !~ /SHARDWAY_VERSION /) {
                print line
            }
            continue
        }
        joined = joined " " line
        if (line ~ /[;{}]$/) {
            gsub(/[ \t]+/, " ", joined)
            print joined
            joined = ""
        }
    }
}
