package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/internal/report"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// words returns the bits of numbers.
func words(list ...float32) (bits []uint32) {
	for _, x := range list {
		bits = append(bits, math.Float32bits(x))
	}
	return bits
}

// Comparisons accept differences within their tolerance, note them, and end the command otherwise.
func TestCompare(t *testing.T) {
	far := float32(math.Inf(1))
	hundred := func(last ...uint32) lists {
		var l []uint32
		for i := range 100 {
			l = append(l, uint32(i))
		}
		return lists{append(l, last...)}
	}
	for _, x := range []struct {
		name         string
		compare      func(c *contest) func(name string, ours, theirs lists)
		ours, theirs lists
		ends         string // "": the command goes on
		noted        bool
	}{
		{"other order", func(c *contest) func(string, lists, lists) { return c.sets(0) }, lists{{3, 1, 2}, {}}, lists{{1, 2, 3}, {}}, "", false},
		{"one missing", func(c *contest) func(string, lists, lists) { return c.sets(0) }, lists{{1, 2}}, lists{{1}}, "1 of 2 results", false},
		{"one more", func(c *contest) func(string, lists, lists) { return c.sets(0) }, lists{{1}}, lists{{0, 1}}, "1 of 1 results", false},
		{"another", func(c *contest) func(string, lists, lists) { return c.sets(0) }, lists{{1}, {2}}, lists{{1}, {3}}, "2 of 2 results", false},
		{"twice", func(c *contest) func(string, lists, lists) { return c.sets(0) }, lists{{1}}, lists{{1, 1}}, "1 of 1 results", false},
		{"within a share", func(c *contest) func(string, lists, lists) { return c.sets(0.01) }, hundred(), hundred(500), "", true},
		{"one of few", func(c *contest) func(string, lists, lists) { return c.sets(0.01) }, lists{{1, 2}}, lists{{1}}, "", true},
		{"beyond a share", func(c *contest) func(string, lists, lists) { return c.sets(0.01) }, hundred(), hundred(500, 501), "2 of 100", false},
		{"numbers", func(c *contest) func(string, lists, lists) { return c.numbers(0, 0.01, 0) }, lists{words(100, far)}, lists{words(100.9, far)}, "", false},
		{"numbers apart", func(c *contest) func(string, lists, lists) { return c.numbers(0, 0.01, 0) }, lists{words(100)}, lists{words(101.1)}, "1 of 1 results differ", false},
		{"absolute", func(c *contest) func(string, lists, lists) { return c.numbers(0, 0, 0.5) }, lists{words(0)}, lists{words(0.5)}, "", false},
		{"no hit", func(c *contest) func(string, lists, lists) { return c.numbers(0, 1, 1) }, lists{words(far)}, lists{words(1)}, "1 of 1 results differ", false},
		{"some", func(c *contest) func(string, lists, lists) { return c.numbers(0.5, 0, 0) }, lists{words(1, 2)}, lists{words(1, 3)}, "", true},
		{"fewer", func(c *contest) func(string, lists, lists) { return c.numbers(1, 1, 1) }, lists{words(1, 2)}, lists{words(1)}, "query 0 has 2 results", false},
	} {
		c := &contest{session: new(session), field: new(field), rival: &bullet}
		err := must.Catch(func() { x.compare(c)("row", x.ours, x.theirs) })
		if (err != nil) != (x.ends != "") || err != nil && !strings.Contains(err.Error(), x.ends) || (len(c.notes) > 0) != x.noted {
			t.Errorf("%s: error %v, want %q; notes %q", x.name, err, x.ends, c.notes)
		}
	}
}

// A driver that has other objects than the tree ends the command.
func TestOtherObjects(t *testing.T) {
	boxes := []soa.AABB{{Max: [3]float32{1, 1, 1}}, {Min: [3]float32{1, 1, 1}, Max: [3]float32{2, 2, 2}}, {Min: [3]float32{5, 5, 5}, Max: [3]float32{5, 5, 5}}}
	moved := append([]soa.AABB(nil), boxes...)
	moved[2] = soa.AABB{Min: [3]float32{2, 2, 2}, Max: [3]float32{5, 5, 5}}
	for _, r := range []*rival{&embree, &boost, &bullet} {
		t.Run(r.name, func(t *testing.T) {
			f := &field{boxes: boxes, windows: map[int][]soa.AABB{8: {{Min: [3]float32{2, 2, 2}, Max: [3]float32{3, 3, 3}}}},
				rays: [][7]float32{{3, 3, -9, 0, 0, 1, 100}}}
			c := &contest{session: new(session), field: f, rival: r, native: driver(t, r)}
			give(c.native, "boxes", boxes)
			c.native.do("build")
			for _, x := range []struct {
				boxes []soa.AABB
				ends  bool
			}{{boxes, false}, {moved, true}} {
				tree := buildTree(objectsOf(x.boxes), linear.Config{})
				pairs := func() {
					c.samePairs("pairs", collide.Append(nil, collide.Within(tree.View()), collide.Filter{}), "pairs")
				}
				query := func() { c.sameWindows("boxes", tree, "find boxes") }
				if !r.does("boxes") {
					query = func() { c.sameHits("rays", tree) }
				}
				for i, f := range []func(){pairs, query} {
					if err := must.Catch(f); (err != nil) != x.ends {
						t.Errorf("comparison %d: error %v", i, err)
					}
				}
			}
		})
	}
}

// The report marks the rows in which a rival leads, and lists them; and the range over scenes.
func TestReport(t *testing.T) {
	s := &session{rivals: []rival{embree, boost}, rows: []string{"build", "find", "none"}}
	for i, name := range []string{"one", "two"} {
		f := &field{name: name, scene: name, n: 1000}
		s.fields = append(s.fields, f)
		k := float64(i + 1)
		s.results = append(s.results,
			result{f, "build", "embree", []float64{10, 11}, []float64{30 * k, 33 * k}},
			result{f, "build", "boost", []float64{10, 12}, []float64{8, 24}},
			result{f, "find", "embree", []float64{10, 20}, []float64{11, 19}})
	}
	s.notes = []string{"a note"}
	var written bytes.Buffer
	out := report.New(&written, report.Text, "native")
	s.writeHead(out)
	for _, f := range s.fields {
		s.writeField(out, f)
	}
	s.writeEnd(out)
	testkit.Must(t, out.Close())
	text := strings.Join(strings.Fields(written.String()), " ")
	for _, want := range []string{
		"build 10.0 3.00 ± 0.00 *0.80 ± 0.60", "find 10.0 1.10 ± 0.07 -",
		"build 3.00 to 6.00 *0.80 to 0.80", "find 1.10 to 1.10 -",
		"behind 4 of 6", "one build boost 10.0 8.00 0.80 0.60", "two find embree 10.0 11.0 1.10 0.07", "differ a note",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, written.String())
		}
	}
	if strings.Contains(text, "none") {
		t.Errorf("a row without results in\n%s", written.String())
	}
}
