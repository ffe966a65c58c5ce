package show

import (
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/queries"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var update = flag.Bool("update", false, "write testdata anew")

// allKinds returns the kinds of pictures.
func allKinds() (all []Kind) {
	for k := range kindNames {
		all = append(all, Kind(k))
	}
	return all
}

// The names of the kinds are read as they are written, and other values are errors.
func TestKindText(t *testing.T) {
	for _, k := range allKinds() {
		text, err := k.MarshalText()
		if err != nil || string(text) != k.String() {
			t.Errorf("%q, %v, want %q", text, err, k)
		}
		var read Kind
		if err := read.UnmarshalText(text); err != nil || read != k {
			t.Errorf("%s is read as %v, %v", text, read, err)
		}
	}
	none, same := Kind(len(kindNames)), Walk
	if text, err := none.MarshalText(); err == nil || none.String() != fmt.Sprintf("unknown(%d)", len(kindNames)) {
		t.Errorf("%v has the text %q", none, text)
	}
	if err := same.UnmarshalText([]byte("art")); err == nil || same != Walk {
		t.Errorf("art is read as %v", same)
	}
}

// frustumOf returns the frustum of a camera.
func frustumOf(t *testing.T, c scene.Camera) query.Frustum {
	t.Helper()
	f := queries.Frustum(t, c.Planes())
	return f
}

// traceOf returns the trace of a query with an unfiltered result.
func traceOf[Q query.Volume | query.Sweep](t *testing.T, q Q, v linear.View) *Trace {
	t.Helper()
	trace, err := TraceQuery(q, v, query.Filter{})
	testkit.Must(t, err)
	return trace
}

// made returns the result of a constructor.
func made[T any](t *testing.T) func(x T, err error) T {
	return func(x T, err error) T {
		t.Helper()
		testkit.Must(t, err)
		return x
	}
}

// camera queries with a camera of the scene.
func camera(t *testing.T, tree *linear.Tree, objects []soa.Object) *Trace {
	t.Helper()
	c := scene.Cameras(objects, 0.3, 1, 1)[0]
	trace := traceOf(t, frustumOf(t, c), tree.View())
	trace.Origin = &c.Eye
	return trace
}

// drawn is a picture of that kind.
func drawn(kind Kind, s Scene) Scene {
	s.Kind = kind
	return s
}

func draw(t *testing.T, kind Kind, s Scene) string {
	t.Helper()
	var b strings.Builder
	if err := drawn(kind, s).SVG(&b); err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return b.String()
}

// wellFormed fails unless the text is XML whose attributes are finite numbers
// where they are numbers. It returns the number of elements by name.
func wellFormed(t *testing.T, svg string) map[string]int {
	t.Helper()
	for line := range strings.Lines(svg) {
		if len(line) > longestLine+1 {
			t.Errorf("a line of %d characters: %.80s…", len(line), line)
		}
	}
	elements := map[string]int{}
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		testkit.Must(t, err)
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	if elements["svg"] != 1 {
		t.Errorf("%d svg elements", elements["svg"])
	}
	return elements
}

// Every kind of every scene is well-formed XML, and the same when drawn again;
// a headline may hold any character.
func TestDraw(t *testing.T) {
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(300, 1)
		tree := trees.Plant(t, objects, false)
		z := float64(scene.Bounds(objects).Center()[2])
		for _, slice := range []*float64{nil, &z} {
			s := Scene{View: tree.View(), Tree: tree, Title: "<a & \"b\">", About: sc.Name, Slice: slice, Width: 700, Trace: camera(t, tree, objects)}
			for _, kind := range allKinds() {
				svg := draw(t, kind, s)
				if e := wellFormed(t, svg); e["text"] < 4 || e["path"] < 1 {
					t.Errorf("%s, %s: %v elements", sc.Name, kind, e)
				}
				if again := draw(t, kind, s); again != svg {
					t.Errorf("%s, %s: drawn again it differs", sc.Name, kind)
				}
			}
		}
	}
}

// All text and all shapes of the legend are on the page, however long it is.
func TestPage(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(5000, 1)
	tree := trees.Plant(t, objects, false)
	for _, kind := range allKinds() {
		svg := draw(t, kind, Scene{View: tree.View(), Tree: tree, Width: 640, Trace: camera(t, tree, objects)})
		size := regexp.MustCompile(`width="(\d+)" height="(\d+)"`).FindStringSubmatch(svg)
		for _, m := range regexp.MustCompile(`<text x="([0-9.-]+)" y="([0-9.-]+)"`).FindAllStringSubmatch(svg, -1) {
			for axis := range 2 {
				most, err := strconv.ParseFloat(size[1+axis], 64)
				testkit.Must(t, err)
				if at, err := strconv.ParseFloat(m[1+axis], 64); err != nil || at < margin-1 || at > most-12 {
					t.Errorf("%s: text at %s, %s on a page of %s x %s (%v)", kind, m[1], m[2], size[1], size[2], err)
				}
			}
		}
	}
}

// A small tree gives the pictures in testdata, to the byte.
func TestGolden(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(150, 1)
	tree := trees.Plant(t, objects, false)
	for _, kind := range allKinds() {
		got := draw(t, kind, Scene{View: tree.View(), Tree: tree, About: "uniform", Width: 640, Trace: camera(t, tree, objects)})
		path := filepath.Join("testdata", kind.String()+".svg")
		if *update {
			testkit.Must(t, os.WriteFile(path, []byte(got), 0o666))
		}
		want, err := os.ReadFile(path)
		testkit.Must(t, err)
		if got != string(want) {
			t.Errorf("the picture differs from %s: review it, then renew it with -update", path)
		}
	}
}

// A picture with an empty About has no line for it.
func TestEmptyAbout(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(100, 1)
	tree := trees.Plant(t, objects, false)
	hidden, placed := partition(t), testInstances(t, 5, 20, 0.3, true)
	hidden.About, placed.About = "", ""
	drawings := map[string]Drawing{"hidden": hidden, "placed": placed}
	for _, kind := range allKinds() {
		drawings[kind.String()] = Scene{Kind: kind, View: tree.View(), Tree: tree, Width: 640, Trace: camera(t, tree, objects)}
	}
	for name, d := range drawings {
		var svg strings.Builder
		testkit.Must(t, d.SVG(&svg))
		lines := regexp.MustCompile(`<text[^>]*>([^<]*)<`).FindAllStringSubmatch(svg.String(), -1)
		if len(lines) < 3 {
			t.Errorf("%s: %d lines of text", name, len(lines))
		}
		for _, m := range lines {
			if strings.HasPrefix(m[1], ",") || strings.HasPrefix(m[1], ":") {
				t.Errorf("%s: the line %q", name, m[1])
			}
		}
	}
}

// legend returns the number before a word of a picture.
func legend(t *testing.T, svg, word string) int {
	t.Helper()
	m := regexp.MustCompile(`>([0-9]+) ` + word + `<`).FindStringSubmatch(svg)
	if m == nil {
		t.Fatalf("no number of %s", word)
	}
	n, err := strconv.Atoi(m[1])
	testkit.Must(t, err)
	return n
}

// Hits and misses match the oracle, each drawn once.
func TestAnswers(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(800, 1)
	tree := trees.Plant(t, objects, false)
	v := tree.View()
	b := scene.BoxQueries(objects, 60, 1, 1)[0]
	ball := scene.SphereQueries(objects, 60, 1, 1)[0]
	var ray scene.Ray
	var met []int
	for _, ray = range scene.RayQueries(objects, 100, 1) {
		met = met[:0]
		for _, e := range testkit.ReferenceSweep(objects, testkit.RaySweep(ray.Origin, ray.Dir, ray.MaxT)) {
			met = append(met, int(e.Index))
		}
		if len(met) > 1 {
			break
		}
	}
	traces := map[string]*Trace{
		"box":    traceOf(t, made[query.Box](t)(query.NewBox(b.Min, b.Max)), v),
		"sphere": traceOf(t, made[query.Sphere](t)(query.NewSphere(ball.Center, ball.Radius)), v),
		"ray":    traceOf(t, made[query.Ray](t)(query.NewRay(ray.Origin, ray.Dir, ray.MaxT)), v),
	}
	want := map[string][]int{"box": testkit.ReferenceBox(objects, b), "sphere": testkit.ReferenceSphere(objects, ball.Center, ball.Radius), "ray": met}
	for name, q := range traces {
		testkit.SameIDSet(t, q.Hits, want[name])
		svg := draw(t, Result, Scene{View: tree.View(), Tree: tree, Width: 700, Trace: q})
		wellFormed(t, svg)
		hits, misses := len(q.Hits), len(objects)-len(q.Hits)
		if hits < 2 || misses < 2 {
			t.Fatalf("%s: %d hits and %d misses are too few to test with", name, hits, misses)
		}
		if n, m := legend(t, svg, "hits"), legend(t, svg, "misses"); n != hits || m != misses {
			t.Errorf("%s: %d hits and %d misses in the legend, want %d and %d", name, n, m, hits, misses)
		}
		if n := strings.Count(pathOf(t, svg, hitColour), "z"); n != hits {
			t.Errorf("%s: %d hits drawn, want %d", name, n, hits)
		}
	}
}

// pathOf returns the shapes of the map with that fill, including large objects.
func pathOf(t *testing.T, svg, colour string) (all string) {
	t.Helper()
	style := `(?: stroke="#ffffff" stroke-width="0.3"| fill-opacity="0\.\d+" stroke="` + colour + `" stroke-width="0.75")?`
	svg, _, _ = strings.Cut(svg, "</g>") // the legend
	for _, m := range regexp.MustCompile(`<path fill="`+colour+`"`+style+` d="([^"]*)"/>`).FindAllStringSubmatch(svg, -1) {
		all += m[1]
	}
	if all == "" {
		t.Fatalf("nothing is drawn in %s", colour)
	}
	return all
}

// Objects in a subtree that is taken as a whole are hits.
func TestWhole(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(3000, 1)
	q := camera(t, trees.Plant(t, objects, false), objects)
	hit := map[uint32]bool{}
	for _, id := range q.Hits {
		hit[id] = true
	}
	inside := map[int]bool{}
	for _, b := range q.Whole {
		for i := range objects {
			if b.Contains(objects[i].Box) {
				if inside[i] = true; !hit[uint32(i)] {
					t.Errorf("object %d is no hit, but in %v", i, b)
				}
			}
		}
	}
	if len(q.Whole) == 0 || q.wholeID == 0 || q.wholeID > len(inside) || q.wholeID > len(q.Hits) {
		t.Errorf("%d objects in %d subtrees, %d lie there, of %d hits", q.wholeID, len(q.Whole), len(inside), len(q.Hits))
	}
}

// Extra and missing objects of a result are highlighted.
func TestAgainst(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(200, 1)
	tree := trees.Plant(t, objects, false)
	b := scene.BoxQueries(objects, 50, 1, 1)[0]
	q := traceOf(t, made[query.Box](t)(query.NewBox(b.Min, b.Max)), tree.View())
	var want []int
	for i := range objects {
		if slices.Contains(q.Hits[3:], uint32(i)) {
			want = append(want, i)
		}
	}
	for i := 0; len(want) < len(q.Hits); i++ { // three too many in the answer, three lacking
		if !slices.Contains(q.Hits, uint32(i)) {
			want = append(want, i)
		}
	}
	q.Against(want)
	svg := draw(t, Result, Scene{View: tree.View(), Tree: tree, Width: 700, Trace: q})
	if n := strings.Count(pathOf(t, svg, wrongColour), "z"); n != 6 || !strings.Contains(svg, ">6 of 6 wrong<") {
		t.Errorf("%d objects stand out, want 6", n)
	}
}

// A slice shows the objects that the plane cuts, and no others.
func TestSlice(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(500, 1)
	tree := trees.Plant(t, objects, false)
	z := float64(objects[7].Box.Min[2]) // closed boxes: a plane that touches cuts
	want := 0
	for _, o := range objects {
		if float64(o.Box.Min[2]) <= z && z <= float64(o.Box.Max[2]) {
			want++
		}
	}
	svg := draw(t, Boxes, Scene{View: tree.View(), Tree: tree, Slice: &z, Width: 700})
	if n := strings.Count(pathOf(t, svg, missColour), "z"); n != want {
		t.Errorf("%d objects in the slice, want %d", n, want)
	}
}

func TestDrawErrors(t *testing.T) {
	objects := testkit.SceneByName(t, "uniform").Make(10, 1)
	tree := trees.Plant(t, objects, false)
	for want, c := range map[string]struct {
		kind Kind
		s    Scene
	}{
		"width of 639":               {Boxes, Scene{View: tree.View(), Tree: tree, Width: 639}},
		"empty":                      {Boxes, Scene{View: trees.Plant(t, nil, false).View(), Width: 640}},
		"overview without the trace": {Overview, Scene{View: tree.View(), Tree: tree, Width: 640}},
		"walk without the trace":     {Walk, Scene{View: tree.View(), Trace: &Trace{Name: "zero"}, Width: 640}},
		"Kind 99":                    {99, Scene{View: tree.View(), Tree: tree, Width: 640}},
	} {
		var b strings.Builder
		if err := drawn(c.kind, c.s).SVG(&b); err == nil || !strings.Contains(fmt.Sprint(err), want) || b.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes", want, err, b.Len())
		}
	}
}

// Few objects have a curve through the cells of a grid: each once, in the order of the keys of their centres.
func TestZCurve(t *testing.T) {
	for n, want := range map[int][2]int{1: {1, 81}, 2: {1, 81}, 40: {16, 81}} {
		objects := testkit.SceneByName(t, "uniform").Make(n, 1)
		tree := trees.Plant(t, objects, false)
		s := Scene{View: tree.View(), Tree: tree, Width: 640}
		cells, way := s.zCurve()
		if len(cells) < want[0] || len(cells) > want[1] || len(way) != len(cells) {
			t.Errorf("%d objects: %d cells, %d points", n, len(cells), len(way))
		}
		for i, c := range cells {
			if m := c.Center(); way[i] != [2]float64{float64(m[0]), float64(m[1])} || i > 0 && tree.World().Key(m) <= tree.World().Key(cells[i-1].Center()) {
				t.Errorf("%d objects: cell %d %v, point %v", n, i, c, way[i])
			}
		}
		if svg := draw(t, Curve, s); !strings.Contains(svg, " of the grid of keys") {
			t.Errorf("%d objects: no grid in the picture", n)
		}
	}
}
