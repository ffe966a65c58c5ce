package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Mutant is one edit of one file.
type Mutant struct {
	File      string // from the root of the module, with slashes
	Line, Col int
	Func      string // Type.Method, Function or the names in assembly; "" outside
	Op        string
	Before    string // with each run of white space as one blank
	After     string
	Nth       int // index among mutants of the file that agree in all fields above except the position

	start, end int      // the bytes replaced
	text       string   // replacement
	from, to   int      // the lines of the function
	symbols    []string // in assembly, the functions that contain the line
}

// Key returns a unique key of the mutant, which is stable under changes elsewhere in the file.
func (m *Mutant) Key() string {
	return strings.Join([]string{m.File, m.Func, m.Op, m.Before, m.After, fmt.Sprint(m.Nth)}, "\t")
}

func (m *Mutant) apply(src []byte) []byte {
	return slices.Concat(src[:m.start], []byte(m.text), src[m.end:])
}

func (m *Mutant) String() string {
	after := shorten(m.After)
	if after == "" {
		after = "(nothing)"
	}
	return fmt.Sprintf("%s:%d:%d %s: %s → %s", m.File, m.Line, m.Col, m.Op, shorten(m.Before), after)
}

func shorten(s string) string {
	const most = 70
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// number drops mutants that are the same edit by another operator, sorts the rest by position and numbers
// the mutants that display alike.
func number(ms []*Mutant) []*Mutant {
	slices.SortStableFunc(ms, func(a, b *Mutant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.start-b.start, a.end-b.end, cmp.Compare(a.text, b.text))
	})
	ms = slices.CompactFunc(ms, func(a, b *Mutant) bool {
		return a.File == b.File && a.start == b.start && a.end == b.end && a.text == b.text
	})
	seen := map[string]int{}
	for _, m := range ms {
		k := m.Key()
		m.Nth = seen[k]
		seen[k]++
	}
	return ms
}

// draw selects n mutants that compile, in an order determined by the seed; mutants for which first holds
// precede all others.
func draw(ms []*Mutant, n int, seed uint64, first, compiles func(*Mutant) bool) []*Mutant {
	ms = slices.Clone(ms)
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(ms), func(i, j int) { ms[i], ms[j] = ms[j], ms[i] })
	slices.SortStableFunc(ms, func(a, b *Mutant) int {
		switch fa, fb := first(a), first(b); {
		case fa && !fb:
			return -1
		case fb && !fa:
			return 1
		}
		return 0
	})
	var drawn []*Mutant
	for _, m := range ms {
		if len(drawn) == n {
			break
		}
		if compiles(m) {
			drawn = append(drawn, m)
		}
	}
	return drawn
}
