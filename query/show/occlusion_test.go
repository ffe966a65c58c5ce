package show

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// partition returns the picture of figure 4, uncut.
func partition(t *testing.T) Occlusion {
	t.Helper()
	culler, err := occlude.New(occlude.Config{Width: 256, Height: 144, OccluderMask: scene.PartitionMask})
	testkit.Must(t, err)
	c := scene.Audience()
	return Occlusion{
		Scene: Scene{View: trees.Plant(t, scene.Partition(0), false).View(), About: "spheres", Width: 640}, Culler: culler,
		Camera: query.Camera{Eye: c.Eye, Forward: c.Forward, Up: c.Up, FovY: 2 * math.Atan(c.TanY), Aspect: c.TanX / c.TanY, Near: c.Near, Far: c.Far},
	}
}

// The picture matches the counters; cut, it shows less.
func TestDrawOcclusion(t *testing.T) {
	s := partition(t)
	l, err := s.query()
	testkit.Must(t, err)
	if n := len(l.skipped); n != l.with.HiddenNodes+l.with.HiddenPackets || n == 0 {
		t.Errorf("%d hidden subtrees, counted %d and %d", n, l.with.HiddenNodes, l.with.HiddenPackets)
	}
	if n := len(l.walked); n != l.with.Nodes-1+l.with.Packets {
		t.Errorf("%d boxes looked into, counted %d nodes and %d packets", n, l.with.Nodes, l.with.Packets)
	}
	if len(l.seen) != l.inSight || len(l.seen)+len(l.hidden) != l.inFrustum || len(l.seen)+len(l.hidden)+len(l.outside) != 1332 || len(l.hidden) < 400 {
		t.Errorf("%d visible, %d hidden, %d outside; counted %d and %d", len(l.seen), len(l.hidden), len(l.outside), l.inSight, l.inFrustum)
	}
	var out strings.Builder
	testkit.Must(t, s.SVG(&out))
	depths := s.Culler.DepthImage()
	wellFormed(t, out.String())
	if b := depths.Bounds(); b.Dx() != 256 || b.Dy() != 144 || depths.Gray16At(128, 140).Y == 0 || depths.Gray16At(128, 3).Y != 0 {
		t.Errorf("the picture of depths is %v, %d at the bottom and %d at the top", b, depths.Gray16At(128, 140).Y, depths.Gray16At(128, 3).Y)
	}
	z := 0.0
	s.Slice = &z
	cut, err := s.query()
	testkit.Must(t, err)
	if n := len(cut.seen) + len(cut.hidden) + len(cut.outside); n == 0 || n > 400 || cut.inFrustum != l.inFrustum || len(cut.skipped) >= len(l.skipped) {
		t.Errorf("the cut shows %d objects and %d hidden subtrees", n, len(cut.skipped))
	}
}

// Without occluders nothing is hidden, and no subtree is reported hidden.
func TestDrawOcclusionEmpty(t *testing.T) {
	s := partition(t)
	culler, err := occlude.New(occlude.Config{Width: 256, Height: 144, OccluderMask: 1 << 31})
	testkit.Must(t, err)
	s.Culler = culler
	l, err := s.query()
	testkit.Must(t, err)
	if len(l.skipped) > 0 || len(l.hidden) > 0 || l.with.Occluders > 0 || len(l.seen) == 0 {
		t.Errorf("%d subtrees and %d objects are hidden by %d occluders, %d are visible", len(l.skipped), len(l.hidden), l.with.Occluders, len(l.seen))
	}
}

func TestDrawOcclusionErrors(t *testing.T) {
	var out strings.Builder
	for name, change := range map[string]func(s *Occlusion){
		"width":  func(s *Occlusion) { s.Width = 100 },
		"empty":  func(s *Occlusion) { s.View = trees.Plant(t, []soa.Object{}, false).View() },
		"camera": func(s *Occlusion) { s.Camera.Aspect = 0 },
	} {
		s := partition(t)
		change(&s)
		if err := s.SVG(&out); err == nil || out.Len() > 0 {
			t.Errorf("%s: error %v, %d bytes", name, err, out.Len())
		}
	}
}

// streetScene returns houses in rows, more or less high, and the picture of a camera in the street between them.
func streetScene(t *testing.T, rows int) Occlusion {
	t.Helper()
	var houses []soa.Object
	for i := range rows * rows {
		x, y := float32(i%rows*10), float32(i/rows*10)
		height := float32(3 + (i*7+i/rows*3)%11)
		houses = append(houses, soa.Object{Box: soa.AABB{Min: [3]float32{x, y, 0}, Max: [3]float32{x + 5, y + 6, height}}, Mask: 1})
	}
	culler, err := occlude.New(occlude.Config{Width: 128, Height: 72, OccluderMask: 1})
	testkit.Must(t, err)
	middle := float64(rows/2*10) - 2.5
	return Occlusion{
		Scene: Scene{View: trees.Plant(t, houses, false).View(), About: "houses", Width: 640}, Culler: culler,
		Camera: query.Camera{Eye: [3]float64{middle, -12, 2}, Forward: [3]float64{0.3, 1, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 16.0 / 9, Near: 0.1, Far: 1e4},
	}
}

// A small scene gives the picture in testdata, to the byte.
func TestOcclusionGolden(t *testing.T) {
	var got strings.Builder
	testkit.Must(t, streetScene(t, 6).SVG(&got))
	wellFormed(t, got.String())
	path := filepath.Join("testdata", "occlusion.svg")
	if *update {
		testkit.Must(t, os.WriteFile(path, []byte(got.String()), 0o666))
	}
	want, err := os.ReadFile(path)
	if err != nil || got.String() != string(want) {
		t.Errorf("the picture differs from %s, %v: review it, then renew it with -update", path, err)
	}
}

// The size of a picture is bounded: far houses are left out, and counted.
func TestOcclusionBounded(t *testing.T) {
	s := streetScene(t, 120)
	s.Camera.Eye[2], s.Camera.Forward[2] = 16, -0.05
	l, err := s.query()
	testkit.Must(t, err)
	if l.inFrustum < 2*maxHouses {
		t.Fatalf("%d houses in the frustum: the scene is too small", l.inFrustum)
	}
	svg := s.draw(l)
	wellFormed(t, svg)
	if len(svg) > 500_000 || !regexp.MustCompile(`>[0-9\x{a0}]+ further away, not drawn<`).MatchString(svg) {
		t.Errorf("the picture has %d bytes, or does not count the houses left out", len(svg))
	}
}

// The depth buffer in the picture has the shades of the samples, in whole cells beside the map.
func TestOcclusionDepths(t *testing.T) {
	s := streetScene(t, 6)
	var svg strings.Builder
	testkit.Must(t, s.SVG(&svg))
	img, err := rasterise(strings.NewReader(svg.String()), limits{})
	testkit.Must(t, err)
	m := regexp.MustCompile(`<path fill="#000000" d="M([0-9.]+) ([0-9.]+)h([0-9.]+)v([0-9.]+)`).FindStringSubmatch(svg.String())
	if m == nil {
		t.Fatal("no depth buffer")
	}
	var whole [4]int
	for i := range whole {
		if whole[i], err = strconv.Atoi(m[1+i]); err != nil {
			t.Fatal(err)
		}
	}
	x0, y0, columns, lines := whole[0], whole[1], whole[2]/depthCell, whole[3]/depthCell
	depths := s.Culler.DepthImage()
	at := depths.Bounds()
	var seen [depthShades]int
	for line := range lines {
		for column := range columns {
			want := int(depths.Gray16At((2*column+1)*at.Dx()/(2*columns), (2*line+1)*at.Dy()/(2*lines)).Y) * (depthShades - 1) / math.MaxUint16
			seen[want]++
			c := img.RGBAAt(x0+depthCell*column, y0+depthCell*line)
			if want = want * 255 / (depthShades - 1); int(c.R) != want || int(c.G) != want || int(c.B) != want {
				t.Fatalf("sample %d, %d is drawn as %v, want %d", column, line, c, want)
			}
		}
	}
	if seen[0] == 0 || seen[depthShades-1] == 0 || columns < 90 || lines != columns*9/16 {
		t.Errorf("%d x %d samples with the shades %v", columns, lines, seen)
	}
}

// The house drawn last at a point of the map is the first one that a ray of the view meets.
func TestRounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		yaw := 2 * math.Pi * r.Float64()
		o := obliqueOf(&query.Camera{Forward: [3]float64{math.Cos(yaw), math.Sin(yaw), r.Float64()}})
		var list []house
		for tries := 0; len(list) < 40 && tries < 4000; tries++ { // apart in plan, in a few storeys
			var b soa.AABB
			for a := range 3 {
				b.Min[a] = float32(10 * r.Float64())
				b.Max[a] = b.Min[a] + float32(0.3+3*r.Float64())
			}
			b.Min[2] = float32(4 * r.IntN(2))
			b.Max[2] = b.Min[2] + float32(4*r.Float64())
			apart := true
			for i := range list {
				apart = apart && !list[i].Overlaps(b)
			}
			if apart {
				list = append(list, house{AABB: b, on: o.box(&b)})
			}
		}
		all := rounds(&o, list)
		order := make([]int, len(list))
		n := 0
		for k, round := range all {
			for _, i := range round {
				order[i] = k + 1
				n++
			}
		}
		if n != len(list) {
			t.Fatalf("%d houses in rounds, want %d", n, len(list))
		}
		for range 300 {
			b := &list[r.IntN(len(list))].AABB
			var p [3]float64 // on the map, a point of a house
			for a := range p {
				p[a] = float64(b.Min[a]) + float64(r.Float64()*(float64(b.Max[a])-float64(b.Min[a])))
			}
			first, nearest, last := -1, math.Inf(1), -1
			for i := range list {
				in, ok := enters(&o, p, &list[i].AABB)
				if !ok {
					continue
				}
				if in < nearest {
					first, nearest = i, in
				}
				if last < 0 || order[i] > order[last] {
					last = i
				}
			}
			if first != last {
				t.Fatalf("yaw %v, at %v: house %d of round %d is drawn last, want %d of round %d", yaw, p, last, order[last], first, order[first])
			}
		}
	}
}

// Boxes that intersect are drawn by their centres, and each once, although some may hide each other in a circle.
func TestRoundsIntersecting(t *testing.T) {
	o := obliqueOf(&query.Camera{Forward: [3]float64{0.6, 0.8, 0}})
	made := func(b soa.AABB, depth float64) house { return house{AABB: b, on: o.box(&b), depth: depth} }
	all := soa.AABB{Max: [3]float32{1, 1, 1}}
	for _, far := range []int{0, 1} {
		list := []house{made(all, 1), made(all, 1)}
		list[far].depth = 2
		if got := rounds(&o, list); len(got) != 2 || got[0][0] != far {
			t.Errorf("house %d is further, the rounds are %v", far, got)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		var list []house
		for range 60 {
			var b soa.AABB
			for a := range 3 {
				b.Min[a] = float32(10 * r.Float64())
				b.Max[a] = b.Min[a] + float32(6*r.Float64())
			}
			list = append(list, made(b, r.Float64()))
		}
		times := make([]int, len(list))
		for _, round := range rounds(&o, list) {
			for _, i := range round {
				times[i]++
			}
		}
		for i, n := range times {
			if n != 1 {
				t.Fatalf("house %d is drawn %d times", i, n)
			}
		}
	}
}

// enters returns where the line through a point, along the view, enters a box, unless it misses or only grazes it.
func enters(o *oblique, p [3]float64, b *soa.AABB) (from float64, ok bool) {
	along := [3]float64{o.ahead[0] * o.rise, o.ahead[1] * o.rise, -o.ground}
	from, to := math.Inf(-1), math.Inf(1)
	for a := range 3 {
		s, e := (float64(b.Min[a])-p[a])/along[a], (float64(b.Max[a])-p[a])/along[a]
		from, to = max(from, min(s, e)), min(to, max(s, e))
	}
	return from, from+1e-6 < to
}

// The projection has the camera's right to the right, and points ahead and points above upwards.
func TestOblique(t *testing.T) {
	for _, c := range []struct {
		forward [3]float64
		right   [2]float64
	}{
		{[3]float64{0, 2, 0}, [2]float64{1, 0}}, {[3]float64{3, 0, 5}, [2]float64{0, -1}}, {[3]float64{-1, 0, 0}, [2]float64{0, 1}}, {[3]float64{0, 0, -1}, [2]float64{1, 0}},
	} {
		o := obliqueOf(&query.Camera{Forward: c.forward})
		if o.right != c.right {
			t.Errorf("forward %v: right is %v, want %v", c.forward, o.right, c.right)
		}
		if at := o.at([3]float64{o.right[0], o.right[1], 0}); at != [2]float64{1, 0} {
			t.Errorf("forward %v: a point to the right is at %v", c.forward, at)
		}
		if at := o.at([3]float64{o.ahead[0], o.ahead[1], 1}); at[0] != 0 || math.Abs(at[1]-math.Sqrt2) > 1e-15 {
			t.Errorf("forward %v: a point ahead and above is at %v", c.forward, at)
		}
	}
}
