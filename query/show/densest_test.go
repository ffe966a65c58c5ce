package show

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/soa"
)

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
