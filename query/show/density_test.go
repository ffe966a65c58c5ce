package show

import (
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The shade of each square matches the number of boxes that overlap it, by counting all of them.
func TestDensity(t *testing.T) {
	world := soa.AABB{Max: [3]float32{1000, 700, 1}}
	rng := testkit.Rand(1)
	var boxes []soa.AABB
	for range 3000 {
		var b soa.AABB
		for a := range 2 {
			at := rng.Float32()*1400 - 200
			if rng.IntN(3) > 0 {
				at = rng.Float32() * 100
			}
			b.Min[a], b.Max[a] = at, at+rng.Float32()*rng.Float32()*rng.Float32()*300
		}
		boxes = append(boxes, b)
	}
	p := newSheet(840, sideWidth, world, "", "")
	from := p.text.Len()
	p.density(layer{hitColour, group{n: len(boxes), all: slices.Values(boxes)}, 1})
	text := p.text.String()[from:]

	f := p.frame
	side := max(densitySide, max(f.x1-f.x0, f.y1-f.y0)/densityCells)
	nx, ny := int((f.x1-f.x0)/side)+1, int((f.y1-f.y0)/side)+1
	want := make([]int, nx*ny)
	for _, b := range boxes {
		r := p.rect(b)
		for y := range ny {
			for x := range nx {
				left, top := f.x0+side*float64(x), f.y0+side*float64(y)
				if r.x1 >= left && r.x0 < left+side && r.y1 >= top && r.y0 < top+side && r.x1 >= f.x0 && r.x0 <= f.x1 && r.y1 >= f.y0 && r.y0 <= f.y1 {
					want[y*nx+x]++
				}
			}
		}
	}
	// Styles differ by their opacity alone, and the strongest is the last.
	paths := regexp.MustCompile(`(?s)<path ([^>]*) d="([^"]*)"/>`).FindAllStringSubmatch(text, -1)
	got := make([]int, nx*ny)
	for i, m := range paths {
		if i == len(paths)-1 && m[1] != fill(hitColour, 1) {
			t.Errorf("the style of the densest squares is %s", m[1])
		}
		for l := range lines(m[2]) {
			y := int((l.at[0][1]-f.y0)/side + 0.5)
			for x := int((l.at[0][0]-f.x0)/side + 0.5); x < int((l.at[1][0]-f.x0)/side+0.5); x++ {
				if got[y*nx+x] != 0 {
					t.Fatalf("square %d, %d is drawn twice", x, y)
				}
				got[y*nx+x] = i + 1
			}
		}
	}
	// The shades that occur, from the least.
	var shades []int
	for _, n := range want {
		if n > 0 {
			shades = append(shades, bits.Len(uint(n)))
		}
	}
	slices.Sort(shades)
	shades = slices.Compact(shades)
	if len(shades) < 4 || len(shades) != len(paths) {
		t.Fatalf("%d shades, %d paths", len(shades), len(paths))
	}
	for i, n := range want {
		shade, _ := slices.BinarySearch(shades, bits.Len(uint(n)))
		if n > 0 && got[i] != shade+1 || n == 0 && got[i] != 0 {
			t.Fatalf("square %d, %d has shade %d and %d boxes; the shades are %v", i%nx, i/nx, got[i], n, shades)
		}
	}
}

// Pictures of many objects show densities, have the same counts, and are no larger than pictures of few; no
// line is long.
func TestDensityOfMany(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2*maxDrawn, 1)
	tree := trees.Plant(t, objects, false)
	ball := traceOf(t, made[query.Sphere](t)(query.NewSphere(objects[0].Box.Center(), 300)), tree.View())
	for _, kind := range []Kind{Boxes, Overview, Result, Walk, Cells} {
		svg := draw(t, kind, Scene{View: tree.View(), Tree: tree, Width: 1000, Trace: ball, About: "many"})
		if !strings.Contains(svg, "by density") || len(svg) > 3_000_000 {
			t.Errorf("%s: %d bytes, by density: %v", kind, len(svg), strings.Contains(svg, "by density"))
		}
		for line := range strings.Lines(svg) {
			if len(line) > 150_000 {
				t.Errorf("%s: a line of %d bytes", kind, len(line))
			}
		}
		if kind == Overview || kind == Result {
			text := strings.ReplaceAll(svg, "\u00a0", "")
			if hits, misses := legend(t, text, "hits"), legend(t, text, "misses"); hits != len(ball.Hits) || hits+misses != len(objects) {
				t.Errorf("%s: %d hits and %d misses of %d objects, want %d hits", kind, hits, misses, len(objects), len(ball.Hits))
			}
		}
	}
}

// Large objects that overlap each other are no more than the bound, for any number of them.
func TestLargeBound(t *testing.T) {
	p := newSheet(840, sideWidth, soa.AABB{Max: [3]float32{100, 100, 1}}, "", "")
	var boxes []soa.AABB
	for i := range 3 * maxInk {
		boxes = append(boxes, soa.AABB{Max: [3]float32{100, 100, 1}}, soa.AABB{Min: [3]float32{50, float32(i)}, Max: [3]float32{50, float32(i), 1}})
	}
	p.layers(layer{hitColour, groupOf(boxes), 1.2})
	if n := strings.Count(p.text.String(), "fill-opacity"); n < maxInk || n > 2*maxInk {
		t.Errorf("%d objects are drawn one by one", n)
	}
}
