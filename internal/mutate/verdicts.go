package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// readVerdicts reads a file of verdicts, a JSON object a line, into a map from keys to the last verdict. A
// missing file is an empty one.
func readVerdicts(name string) (map[string]Result, error) {
	all := map[string]Result{}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var r Result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			break // the last line of a killed run
		}
		all[r.Key()] = r
	}
	return all, s.Err()
}

// readEquivalents reads the reasons by key. A line is the key, whose parts are separated by tabs, a tab and
// the reason. Empty lines and lines that start with # are ignored.
func readEquivalents(name string) (map[string]string, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	reasons := map[string]string{}
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		i := strings.LastIndexByte(line, '\t')
		if strings.Count(line, "\t") != 6 || strings.TrimSpace(line[i+1:]) == "" {
			return nil, fmt.Errorf("%s:%d: want file, function, operator, before, after, number and reason, with tabs", name, number)
		}
		reasons[line[:i]] = line[i+1:]
	}
	return reasons, nil
}

// counts are the numbers of mutants by verdict.
type counts map[string]int

// share returns the share of caught mutants among the mutants that compile and are not equivalent.
func (c counts) share() float64 {
	yes, no := c[caught]+c[timedOut], c[survived]
	if yes+no == 0 {
		return 1
	}
	return float64(yes) / float64(yes+no)
}

func (c counts) total() int {
	n := 0
	for _, k := range c {
		n += k
	}
	return n
}

// summary prints the results and returns the counts of all.
func summary(out io.Writer, results []Result) counts {
	all := counts{}
	byOp, byFile := map[string]counts{}, map[string]counts{}
	add := func(to map[string]counts, key, verdict string) {
		if to[key] == nil {
			to[key] = counts{}
		}
		to[key][verdict]++
	}
	var seconds, cpu float64
	var alive []Result
	for _, r := range results {
		all[r.Verdict]++
		seconds += r.Seconds
		cpu += r.CPU
		add(byOp, r.Op, r.Verdict)
		add(byFile, r.File, r.Verdict)
		if r.Verdict == survived {
			alive = append(alive, r)
		}
	}
	table := func(title string, by map[string]counts) {
		fmt.Fprintf(out, "\n%-32s %6s %8s %10s %7s %7s\n", title, "caught", "survived", "equivalent", "broken", "share")
		for _, key := range slices.Sorted(maps.Keys(by)) {
			c := by[key]
			fmt.Fprintf(out, "%-32s %6d %8d %10d %7d %6.1f%%\n", key, c[caught]+c[timedOut], c[survived], c[equivalent], c[broken], 100*c.share())
		}
	}
	table("operator", byOp)
	table("file", byFile)
	table("", map[string]counts{"all": all})
	if len(alive) > 0 {
		fmt.Fprintln(out, "\nsurvivors, as equivalent.txt would have them:")
		slices.SortFunc(alive, func(a, b Result) int {
			return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Col-b.Col, cmp.Compare(a.Key(), b.Key()))
		})
		for _, r := range alive {
			fmt.Fprintln(out, r.Key())
		}
	}
	if n := all.total(); n > 0 {
		fmt.Fprintf(out, "\n%d mutants, %.1f s each, %.1f s of processor time\n", n, seconds/float64(n), cpu/float64(n))
	}
	return all
}
