package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// changes returns the lines that differ from a commit, by file from the root.
func changes(ctx context.Context, m *module, dir, commit string) (map[string]map[int]bool, error) {
	out, err := m.run(ctx, dir, "git", "diff", "--no-color", "--no-ext-diff", "--relative", "-U0", commit, "--", ".")
	if err != nil {
		return nil, err
	}
	return parseDiff(string(out))
}

func parseDiff(diff string) (map[string]map[int]bool, error) {
	lines := map[string]map[int]bool{}
	file := ""
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\n")
		if name, ok := strings.CutPrefix(line, "+++ "); ok {
			file = strings.TrimPrefix(name, "b/")
			continue
		}
		if !strings.HasPrefix(line, "@@ ") || file == "/dev/null" {
			continue
		}
		hunk := strings.Fields(line)
		if len(hunk) < 3 || hunk[2][0] != '+' {
			return nil, fmt.Errorf("git diff: %q", line)
		}
		from, count, ok := strings.Cut(hunk[2][1:], ",")
		first, err := strconv.Atoi(from)
		n := 1
		if ok && err == nil {
			n, err = strconv.Atoi(count)
		}
		if err != nil {
			return nil, fmt.Errorf("git diff: %q: %w", line, err)
		}
		if lines[file] == nil {
			lines[file] = map[int]bool{}
		}
		for i := range n {
			lines[file][first+i] = true
		}
	}
	return lines, nil
}
