package show

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	deep "github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// testInstances returns a scene of instances, laid flat or not, with a camera.
func testInstances(t *testing.T, places, objects int, share float64, flat bool) Instances {
	t.Helper()
	lists, at := scene.Instances(places, objects, 1)
	s, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	var parts []*linear.Tree
	for _, list := range lists {
		for i := range list {
			if flat {
				list[i].Box.Min[2], list[i].Box.Max[2] = 0, 0
			}
		}
		parts = append(parts, trees.Plant(t, list, false))
	}
	var images []soa.Object
	for i := range at {
		transform, err := linear.NewTransform(at[i].Rows)
		testkit.Must(t, err)
		if _, err := s.AddInstance(parts[at[i].Part], transform, linear.InstanceOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, o := range lists[at[i].Part] {
			images = append(images, soa.Object{Box: transform.Box(o.Box)})
		}
	}
	testkit.Must(t, s.Tick())
	c := scene.Cameras(images, share, 1, 1)[0]
	return Instances{Scene: s, About: "instances", Width: 640, Frustum: frustumOf(t, c), Origin: &c.Eye}
}

func drawPlaced(t *testing.T, s Instances) string {
	t.Helper()
	var b strings.Builder
	testkit.Must(t, s.SVG(&b))
	return b.String()
}

// The picture is well-formed and the same when it is drawn again; its counts equal the scene's.
func TestInstances(t *testing.T) {
	seen := map[string]int{}
	for _, share := range []float64{0.02, 0.1, 0.3, 0.9} {
		for _, flat := range []bool{false, true} {
			s := testInstances(t, 60, 80, share, flat)
			s.Title = "<a & \"b\">"
			svg := drawPlaced(t, s)
			if e := wellFormed(t, svg); e["text"] < 8 || e["path"] < 6 {
				t.Errorf("%v elements", e)
			}
			if drawPlaced(t, s) != svg {
				t.Error("drawn again it differs")
			}
			v := s.Scene.View()
			c := deep.Explain(s.Frustum, v, query.Filter{}, nil)
			hits := int(deep.Count(s.Frustum, v, query.Filter{}))
			packets := 0
			for id := range uint32(60) {
				part, _, _ := s.Scene.Instance(id)
				packets += part.(*linear.Tree).Stats().Packets
			}
			got := legendCounts(svg)
			for what, n := range map[string]int{
				"hits": hits, "misses": int(v.Total()) - hits, "entered": c.Entered, "fully contained": c.Whole,
				"overlapped by its box only": c.Rejected, "not overlapped": 60 - c.Instances,
			} {
				if got[what] != n {
					t.Errorf("share %v, flat %v: %d %s in the legend, want %d", share, flat, got[what], what, n)
				}
				seen[what] += n
			}
			// Packets of the tree of instances are tested, too.
			if n := got["packets tested"]; n > c.Packets || n == 0 && c.Entered > 0 {
				t.Errorf("share %v, flat %v: %d packets tested in the legend, of %d", share, flat, n, c.Packets)
			}
			if n := got["packets tested"] + got["packets fully contained"] + got["packets not overlapped"]; n != packets {
				t.Errorf("share %v, flat %v: %d packets, want %d", share, flat, n, packets)
			}
			if n := strings.Count(pathOf(t, svg, hitColour), "z"); n != hits {
				t.Errorf("share %v, flat %v: %d hits drawn, want %d", share, flat, n, hits)
			}
		}
	}
	for what, n := range seen {
		if n == 0 {
			t.Errorf("nothing of %q was drawn", what)
		}
	}
}

// legendCounts returns the numbers of a legend by their labels.
func legendCounts(svg string) map[string]int {
	counts := map[string]int{}
	places, packets, _ := strings.Cut(svg, "Packets of the parts")
	for of, text := range map[string]string{"": places, "packets ": packets} {
		for _, m := range regexp.MustCompile(">([0-9\u00a0]+) ([a-z ]+)<").FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(strings.ReplaceAll(m[1], "\u00a0", "")) // it is of digits
			counts[of+m[2]] = n
		}
	}
	return counts
}

// A small scene gives the picture in testdata, to the byte.
func TestInstancesGolden(t *testing.T) {
	got := drawPlaced(t, testInstances(t, 20, 40, 0.3, true))
	path := filepath.Join("testdata", "scene.svg")
	if *update {
		testkit.Must(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	testkit.Must(t, err)
	if got != string(want) {
		t.Errorf("the picture differs from %s: review it, then renew it with -update", path)
	}
}

func TestInstancesErrors(t *testing.T) {
	good := testInstances(t, 3, 5, 0.5, true)
	empty, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	nested, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	if _, err := nested.AddInstance(good.Scene, linear.Transform{}, linear.InstanceOptions{}); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	_, err = trees.Plant(t, nil, false).WriteTo(&file)
	testkit.Must(t, err)
	snapshot, err := linear.FromBytes(file.Bytes(), linear.CheckSafe)
	testkit.Must(t, err)
	mapped, err := linear.NewScene(linear.Config{})
	testkit.Must(t, err)
	if _, err := mapped.AddInstance(snapshot, linear.Transform{}, linear.InstanceOptions{}); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(s *Instances){
		"instance 0 is a snapshot": func(s *Instances) { s.Scene = mapped },
		"width of 639":             func(s *Instances) { s.Width = 639 },
		"no instances":             func(s *Instances) { s.Scene = empty },
		"instance 0 is a scene":    func(s *Instances) { s.Scene = nested },
	} {
		s := good
		change(&s)
		var b strings.Builder
		if err := s.SVG(&b); err == nil || !strings.Contains(fmt.Sprint(err), want) || b.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes", want, err, b.Len())
		}
	}
}

// An instance of an empty part is counted, and has no outline.
func TestInstancesOfEmptyPart(t *testing.T) {
	s := testInstances(t, 3, 5, 0.5, true)
	if _, err := s.Scene.AddInstance(trees.Plant(t, nil, false), linear.Transform{}, linear.InstanceOptions{}); err != nil {
		t.Fatal(err)
	}
	svg := drawPlaced(t, s)
	if wellFormed(t, svg); strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") || !strings.Contains(svg, "4 instances") {
		t.Errorf("an empty part is drawn as\n%s", svg)
	}
}

// The outline of a box is its silhouette from above.
func TestOutline(t *testing.T) {
	box := soa.AABB{Max: [3]float32{2, 1, 3}}
	turned, err := linear.NewTransform([12]float64{0, -1, 0, 10, 1, 0, 0, 20, 0, 0, 1, 0})
	testkit.Must(t, err)
	tipped, err := linear.NewTransform([12]float64{1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	slanted, err := linear.NewTransform([12]float64{1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0})
	testkit.Must(t, err)
	for name, x := range map[string]struct {
		transform linear.Transform
		want      [][2]float64
	}{
		"as it is": {linear.Transform{}, [][2]float64{{0, 0}, {2, 0}, {2, 1}, {0, 1}}},
		"turned":   {turned, [][2]float64{{9, 20}, {10, 20}, {10, 22}, {9, 22}}},
		"tipped":   {tipped, [][2]float64{{0, 0}, {5, 0}, {5, 1}, {0, 1}}},
		"slanted":  {slanted, [][2]float64{{0, 0}, {2, 0}, {5, 3}, {5, 4}, {3, 4}, {0, 1}}},
	} {
		if got := outline(&x.transform, &box); !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
	if got := hull([][2]float64{{1, 2}, {1, 2}, {1, 2}}); len(got) == 0 || got[0] != [2]float64{1, 2} {
		t.Errorf("a point has the outline %v", got)
	}
}
