package octree

import (
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
)

// gridObject is an object of a cell: its position on the grid, and its original index.
type gridObject struct {
	at [3]uint32
	of uint32
}

// take loads a run into the cutter, and runOf returns its contents.
func (c *cutter) take(run []gridObject) {
	c.objects.Fresh(len(run))
	for i, o := range run {
		for a := range 3 {
			c.objects.At[a][i] = o.at[a]
		}
		c.objects.Of[i] = o.of
	}
}

func (c *cutter) held() (run []gridObject) {
	for i, of := range c.objects.Of {
		run = append(run, gridObject{[3]uint32{c.objects.At[0][i], c.objects.At[1][i], c.objects.At[2][i]}, of})
	}
	return run
}

// places are the original indices of the objects of a run.
func places(run []gridObject) (of []uint32) {
	for _, o := range run {
		of = append(of, o.of)
	}
	return of
}

// halved is the cut by its definition.
func halved(run []gridObject, mid int) (parts []gridObject) {
	var at [][3]uint32
	for _, o := range run {
		at = append(at, o.at)
	}
	for _, i := range referenceSplit(at, mid) {
		parts = append(parts, run[i])
	}
	return parts
}

// evenParts and fullParts are the recursions by their definition.
func evenParts(run []gridObject, n int) []gridObject {
	if n == 1 {
		return run
	}
	mid := len(run) * ((n + 1) / 2) / n
	if mid > 0 && mid < len(run) {
		run = halved(run, mid)
	}
	return slices.Concat(evenParts(run[:mid], (n+1)/2), evenParts(run[mid:], n-(n+1)/2))
}

func fullParts(run []gridObject, fill int) []gridObject {
	n := (len(run) + fill - 1) / fill
	if n <= 1 {
		return run
	}
	mid := (n + 1) / 2 * fill
	if mid < len(run) {
		run = halved(run, mid)
	}
	return slices.Concat(fullParts(run[:mid], fill), fullParts(run[mid:], fill))
}

// The cut follows its definition, for objects anywhere on the grid, in few of its cells, on a line, and in one
// cell.
func TestCut(t *testing.T) {
	testkit.EachTier(t, testCut)
}

func testCut(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var c cutter
	for round := range testkit.Budget(t, 200, 2000) {
		n := 1 + r.IntN(400)
		if round%50 == 0 {
			n = 1 + r.IntN(6000)
		}
		bits := [3]uint{uint(r.IntN(22)), uint(r.IntN(22)), uint(r.IntN(22))}
		run := make([]gridObject, n)
		for i := range run {
			for a := range 3 {
				run[i].at[a] = r.Uint32N(1<<bits[a]) + 5<<20&(1<<21-1)>>bits[a]<<bits[a]
			}
			run[i].of = uint32(i)
		}
		mid := r.IntN(n + 1)
		c.take(run)
		c.halve(0, mid, n)
		want := run
		if mid > 0 && mid < n {
			want = halved(run, mid)
		}
		if got := c.held(); !slices.Equal(got, want) {
			t.Fatalf("round %d: %d of %d objects on %v bits: %v, want %v of %v", round, mid, n, bits, got, want, run)
		}
		n = min(n, leafMax)
		run = run[:n]
		parts, fill := 1+r.IntN(min(16, n)), 1+r.IntN(16)
		c.take(run)
		ends := make([]int, parts+1)
		c.evenly(0, n, ends, new(build.Cut))
		for i := range parts {
			if k := ends[i+1] - ends[i]; k < n/parts || k > n/parts+1 {
				t.Fatalf("round %d: a part of %d, %d objects in %d parts", round, k, n, parts)
			}
		}
		if want := evenParts(run, parts); ends[0] != 0 || ends[parts] != n || !slices.Equal(c.objects.Of, places(want)) {
			t.Fatalf("round %d: %d objects in %d parts: %v, want %v", round, n, parts, c.objects.Of, places(want))
		}
		if n > fill*16 {
			fill = 16
		}
		c.take(run)
		c.packets(0, n, fill, new(build.Cut))
		if want := fullParts(run, fill); !slices.Equal(c.objects.Of, places(want)) {
			t.Fatalf("round %d: %d objects in packets of %d: %v, want %v", round, n, fill, c.objects.Of, places(want))
		}
	}
}
