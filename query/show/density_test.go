package show

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
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

// A few objects far away, or very large, are left out of the map; without such objects it shows everything.
func TestDensestRegion(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(2000, 1)
	all := scene.Bounds(objects)
	if got := DensestRegion(trees.Plant(t, objects, false).View()); got != all {
		t.Errorf("of uniform objects the map shows %v, not all of %v", got, all)
	}
	far, large := all, all
	for a := range 2 {
		size := all.Max[a] - all.Min[a]
		far.Min[a], far.Max[a] = all.Max[a]+9*size, all.Max[a]+9*size+1
		large.Min[a], large.Max[a] = all.Min[a]-5*size, all.Max[a]+5*size
	}
	for name, b := range map[string]soa.AABB{"far": far, "large": large} {
		with := append(slices.Clone(objects), soa.Object{Box: b, Mask: 1}, soa.Object{Box: b, Mask: 1})
		tree := trees.Plant(t, with, false)
		window := DensestRegion(tree.View())
		near := 0
		for i := range objects {
			if c := objects[i].Box.Center(); window.Min[0] <= c[0] && c[0] <= window.Max[0] && window.Min[1] <= c[1] && c[1] <= window.Max[1] {
				near++
			}
		}
		if near < 1950 || window.Max[0]-window.Min[0] > 2*(all.Max[0]-all.Min[0]) {
			t.Errorf("%s: the map shows %v, with %d of 2000 objects near each other in %v", name, window, near, all)
		}
		svg := draw(t, Boxes, Scene{View: tree.View(), Tree: tree, About: "some", Width: 640})
		if e := wellFormed(t, svg); e["path"] == 0 || !strings.Contains(svg, "beyond the map") {
			t.Errorf("%s: nothing says that objects reach beyond the map", name)
		}
	}
	// Most objects are at one point, and few elsewhere: a map of a point has some width.
	for i := range objects[:1990] {
		objects[i].Box = soa.AABB{}
	}
	if w := DensestRegion(trees.Plant(t, objects, false).View()); !(w.Max[0]-w.Min[0] > 0) {
		t.Errorf("the map shows %v", w)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text    string
		letters int
		want    string
	}{
		{"", 10, ""}, {"short", 10, "short"}, {"two words", 9, "two words"}, {"two words", 8, "two|words"}, {"a long/path/of/a/file here", 8, "a|long/pat|h/of/a/f|ile here"},
		{"überlänge", 4, "über|läng|e"}, {"x", 0, "x"},
	} {
		got := wrap(c.text, c.letters)
		if strings.Join(got, "|") != c.want {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.letters, got, c.want)
		}
	}
}

// A long line is wrapped on the page, and moves the elements below it.
func TestLongTitle(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	tree := trees.Plant(t, objects, false)
	s := Scene{View: tree.View(), Tree: tree, Width: 640, Trace: camera(t, tree, objects)}
	for _, kind := range allKinds() {
		s.Title, s.About = "short", "short"
		before := strings.Count(draw(t, kind, s), "<text")
		s.Title, s.About = strings.Repeat("a long title ", 20), strings.Repeat("and where it is from ", 20)
		svg := draw(t, kind, s)
		if after := strings.Count(svg, "<text"); after < before+6 {
			t.Errorf("%s: %d lines of text, %d with long titles", kind, before, after)
		}
		for line := range strings.Lines(svg) {
			if strings.Contains(line, "<text") && len(line) > 250 {
				t.Errorf("%s: the line %s", kind, line)
			}
		}
	}
}

// Larger objects are drawn behind smaller ones, and tiny objects have no edge.
func TestLayers(t *testing.T) {
	world := soa.AABB{Max: [3]float32{1000, 1000, 1}}
	p := newSheet(840, sideWidth, world, "", "")
	side := func(x, s float32) soa.AABB { return soa.AABB{Min: [3]float32{x, x}, Max: [3]float32{x + s, x + s, 1}} }
	p.layers(layer{hitColour, groupOf([]soa.AABB{side(1, 20), side(500, 0), side(100, 30), side(50, 400), side(60, 25)}), 1.2})
	_, text, _ := strings.Cut(p.text.String(), "<g ")
	order := []string{`fill-opacity="`, `stroke-width="0.3"`, fmt.Sprintf(`<path fill="%s" d=`, hitColour)}
	at := 0
	for _, want := range order {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %s behind %d in\n%s", want, at, text)
		}
		at += i
	}
	if n := strings.Count(text, "z"); n != 5 {
		t.Errorf("%d objects are drawn, want 5", n)
	}
	alone := newSheet(840, sideWidth, world, "", "")
	alone.layers(layer{hitColour, groupOf([]soa.AABB{side(500, 0), side(50, 400)}), 1.2})
	if strings.Contains(alone.text.String(), "fill-opacity") {
		t.Error("a large object that hides none is translucent")
	}
	var widths []string
	for _, part := range strings.Split(text[strings.Index(text, `"0.3"`):], "h")[1:] {
		width, _, _ := strings.Cut(part, "v")
		if !strings.HasPrefix(width, "-") && len(widths) < 3 {
			widths = append(widths, width)
		}
	}
	if !slices.IsSortedFunc(widths, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("the widths %v are not from large to small", widths)
	}
}
