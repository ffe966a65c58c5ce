package occlude_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// shape is a hull with its corners and faces.
type shape struct {
	hull    occlude.Hull
	corners [][3]float32
	faces   [][]int32
}

var boxFaces = [][]int32{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}

// randomShape returns a hull of small whole numbers: its faces are flat, exactly.
func randomShape(t testing.TB, rng *rand.Rand) (s shape) {
	t.Helper()
	number := func() float32 { return float32(1 + rng.IntN(5)) }
	var err error
	switch rng.IntN(5) {
	case 0: // a box
		for i := range 8 {
			s.corners = append(s.corners, [3]float32{float32(i&1*4 - 2), float32(i&2 - 1), float32(i&4 - 2)})
		}
		s.faces = boxFaces
		s.hull, err = occlude.NewHull(s.corners, s.faces)
	case 1: // an octahedron, its faces clockwise
		x, y, z := number(), number(), number()
		s.corners = [][3]float32{{x, 0, 0}, {-x, 0, 0}, {0, y, 0}, {0, -y, 0}, {0, 0, z}, {0, 0, -z}}
		s.faces = [][]int32{{4, 2, 0}, {4, 1, 2}, {4, 3, 1}, {4, 0, 3}, {5, 0, 2}, {5, 2, 1}, {5, 1, 3}, {5, 3, 0}}
		s.hull, err = occlude.NewHull(s.corners, s.faces)
	case 2: // a polygon
		s.corners = [][3]float32{{-3, 0, -1}, {2, 0, -2}, {4, 0, 1}, {0, 0, 4}}
		s.faces = [][]int32{{0, 1, 2, 3}, {3, 2, 1, 0}}
		s.hull, err = occlude.NewPolygon(s.corners...)
	case 3: // a triangle
		s.corners = [][3]float32{{-number(), 1, -1}, {number(), 0, -number()}, {1, -number(), number()}}
		s.faces = [][]int32{{0, 1, 2}, {2, 1, 0}}
		s.hull, err = occlude.NewPolygon(s.corners...)
	default: // a prism
		base := [][2]float32{{3, 0}, {2, 2}, {0, 3}, {-2, 2}, {-3, 0}, {-1, -2}, {1, -2}}
		z0, z1 := -number(), number()
		if rng.IntN(2) == 0 {
			base = [][2]float32{{0, 0}, {0, 3}, {4, 0}}
			z0, z1 = z1, z0
		}
		n := len(base)
		for _, z := range []float32{z0, z1} {
			for _, p := range base {
				s.corners = append(s.corners, [3]float32{p[0], p[1], z})
			}
		}
		floor, top := []int32{}, []int32{}
		for i := range n {
			floor, top = append(floor, int32(i)), append(top, int32(n+i))
			s.faces = append(s.faces, []int32{int32(i), int32((i + 1) % n), int32(n + (i+1)%n)})
		}
		s.faces = append(s.faces, floor, top)
		s.hull, err = occlude.NewPrism(base, z0, z1)
	}
	testkit.Must(t, err)
	return s
}

// body returns the half-spaces of a hull under a transform, by its corners.
func (s *shape) body(transform linear.Transform) (b body) {
	var middle [3]float64
	var points [][3]float64
	for _, c := range s.corners {
		p := transform.Point([3]float64{float64(c[0]), float64(c[1]), float64(c[2])})
		points = append(points, p)
		for a := range 3 {
			middle[a] += p[a] / float64(len(s.corners))
		}
	}
	for _, f := range s.faces {
		var d, e [3]float64
		for a := range 3 {
			d[a] = points[f[1]][a] - points[f[0]][a]
			e[a] = points[f[2]][a] - points[f[0]][a]
		}
		n := crossOf(d, e)
		k, m := 0.0, 0.0
		for a := range 3 {
			k += n[a] * points[f[0]][a]
			m += n[a] * middle[a]
		}
		flat := len(s.faces) == 2
		if flat && len(b.planes) > 0 {
			break
		}
		if m > k || flat {
			b.planes = append(b.planes, [4]float64{-n[0], -n[1], -n[2], -k})
		}
		if m < k || flat {
			b.planes = append(b.planes, [4]float64{n[0], n[1], n[2], k})
		}
		if flat { // and the bounds of the polygon within its plane
			for i := range f {
				p, q := points[f[i]], points[f[(i+1)%len(f)]]
				out := crossOf([3]float64{q[0] - p[0], q[1] - p[1], q[2] - p[2]}, n)
				k := out[0]*p[0] + out[1]*p[1] + out[2]*p[2]
				b.planes = append(b.planes, [4]float64{out[0], out[1], out[2], k})
			}
		}
	}
	return b
}

// randomTransform returns a transform of any kind, of whole numbers or a rotation.
func randomTransform(t testing.TB, rng *rand.Rand, at [3]float64) linear.Transform {
	t.Helper()
	rows := [12]float64{1, 0, 0, at[0], 0, 1, 0, at[1], 0, 0, 1, at[2]}
	switch rng.IntN(4) {
	case 0:
	case 1: // a rotation, perhaps larger
		r, s := testkit.Rotation(rng), []float64{1, 3}[rng.IntN(2)]
		for i := range 3 {
			for j := range 3 {
				rows[4*i+j] = r[i][j] * s
			}
		}
	case 2: // mirrored
		rows[4*rng.IntN(3)] = -1
		rows = [12]float64{rows[0], 0, 0, at[0], 0, 0, 1, at[1], 0, 1, 0, at[2]}
	default: // sheared
		rows[1], rows[2], rows[6] = float64(rng.IntN(3)-1), float64(rng.IntN(3)), 2
		rows[5] = -3
	}
	transform, err := linear.NewTransform(rows)
	testkit.Must(t, err)
	return transform
}

// Each pixel of the picture of a hull is conservative, under transforms of all kinds.
func TestPixelsOfHulls(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	for round := 0; c.rays < samples(t); round++ {
		kind := kinds[round%len(kinds)]
		culler := newCuller(t, occlude.Config{Width: []int{64, 33}[round&1], Height: 36})
		shift := float64(round % 3 / 2 * 100_000)
		from := [3]float64{shift + rng.NormFloat64()*20, rng.NormFloat64() * 20, rng.NormFloat64() * 5}
		to := [3]float64{shift + math.Round(rng.NormFloat64()*5), math.Round(rng.NormFloat64() * 5), math.Round(rng.NormFloat64() * 5)}
		near := []float64{0.1, 1, 10}[rng.IntN(3)]
		if shift != 0 && kind != "camera" && kind != "origin" {
			continue
		}
		v := randomView(rng, kind, from, to, near, 1e4)
		testkit.Must(t, v.look(culler))
		s, transform := randomShape(t, rng), randomTransform(t, rng, to)
		culler.DrawHulls([]occlude.Hull{s.hull}, []linear.Transform{transform})
		b := s.body(transform)
		if !c.check(t, rng, culler, &b, nearOf(culler, &v)) {
			t.Fatalf("round %d, %s, hull %v under %v", round, kind, s.corners, transform.Rows())
		}
	}
	t.Logf("%d rays through %d pixels, %d of them computed exactly", c.rays, c.pixels, c.exactly)
	if c.pixels < samples(t)/10 {
		t.Errorf("only %d pixels", c.pixels)
	}
}

// A box gives the same picture as the hull of its corners, up to rounding; so does the hull with its faces
// reversed, or mirrored.
func TestHullOfBox(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	missing, total := 0, 0
	for round := range 300 {
		box := solidBox(rng, [3]float64{0, 0, 0}, 4)
		if box.Min[0] == box.Max[0] || box.Min[1] == box.Max[1] || box.Min[2] == box.Max[2] {
			continue
		}
		var corners, mirror [][3]float32
		for i := range 8 {
			c := [3]float32{box.Min[0], box.Min[1], box.Min[2]}
			for a := range 3 {
				if i>>a&1 != 0 {
					c[a] = box.Max[a]
				}
			}
			corners, mirror = append(corners, c), append(mirror, [3]float32{c[0], -c[1], c[2]})
		}
		hull, err := occlude.NewHull(corners, boxFaces)
		if err != nil {
			continue // nearly flat
		}
		other, err := occlude.NewHull(mirror, boxFaces)
		testkit.Must(t, err)
		flip, err := linear.NewTransform([12]float64{1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0})
		testkit.Must(t, err)
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36})
		v := randomView(rng, kinds[round%len(kinds)], [3]float64{rng.NormFloat64() * 15, rng.NormFloat64() * 15, 4}, [3]float64{}, 0.1, 100)
		var pictures [3][]float32
		for i := range pictures {
			testkit.Must(t, v.look(culler))
			switch i {
			case 0:
				culler.DrawBoxes(box)
			case 1:
				culler.DrawHulls([]occlude.Hull{hull}, nil)
			default:
				culler.DrawHulls([]occlude.Hull{other}, []linear.Transform{flip})
			}
			pix, _, _, _ := culler.DepthBuffer()
			pictures[i] = append([]float32(nil), pix...)
		}
		open := float32(0)
		if culler.Rays().Parallel {
			open = float32(math.Inf(-1))
		}
		for i, p := range pictures[0] {
			for _, other := range pictures[1:] {
				q := other[i]
				if p == open && q == open {
					continue
				}
				total++
				if (p == open) != (q == open) || math.Abs(float64(p-q)) > 1e-5*math.Abs(float64(p))+1e-5 {
					missing++
				}
			}
		}
	}
	if total < 10_000 || missing > total/1000 {
		t.Errorf("%d of %d pixels differ", missing, total)
	}
}

// An object with an oriented bound is an occluder within that bound alone; one with only a sphere is none.
func TestSolidBounds(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	var c tally
	turned, mirrored := 0, 0
	for round := range 200 {
		box := testkit.CubeAt([3]float32{0, 0, 0}, 4)
		oriented := testkit.OrientedIn(rng, box)
		left := rng.IntN(2) == 0
		if left { // the same box, its axes left-handed
			for a := range 3 {
				oriented.Axes[1][a] = -oriented.Axes[1][a]
			}
		}
		tree := plant(t, []soa.Object{{Box: oriented.Box(), Mask: walls}}, linear.Config{})
		testkit.Must(t, tree.SetOriented(0, oriented))
		v := randomView(rng, kinds[round%len(kinds)], [3]float64{rng.NormFloat64() * 15, rng.NormFloat64() * 15, 4}, [3]float64{}, 0.1, 100)
		culler := newCuller(t, occlude.Config{Width: 64, Height: 36, OccluderMask: walls, MinPixels: 1})
		testkit.Must(t, v.look(culler))
		culler.Count(tree.View(), query.Filter{})
		var b body
		for i := range 3 {
			var n [3]float64
			for a := range 3 {
				n[a] = float64(oriented.Axes[i][a])
			}
			size := n[0]*n[0] + n[1]*n[1] + n[2]*n[2]
			at := n[0]*float64(oriented.Center[0]) + n[1]*float64(oriented.Center[1]) + n[2]*float64(oriented.Center[2])
			if size == 0 {
				b.planes = nil
				break
			}
			// axes are at right angles up to rounding
			b.planes = append(b.planes, [4]float64{n[0], n[1], n[2], at + size*(1+1e-5)}, [4]float64{-n[0], -n[1], -n[2], size*(1+1e-5) - at})
		}
		if b.planes == nil {
			continue
		}
		before := c.pixels
		if !c.check(t, rng, culler, &b, nearOf(culler, &v)) {
			t.Fatal(round, oriented)
		}
		if c.pixels > before {
			if turned++; left {
				mirrored++
			}
		}
		tree = plant(t, []soa.Object{{Box: oriented.Box(), Mask: walls}}, linear.Config{})
		testkit.Must(t, tree.SetSphere(0, testkit.BallIn(oriented.Box())))
		testkit.Must(t, v.look(culler))
		if e := culler.Explain(tree.View(), query.Filter{}, nil); e.Covered != 0 {
			t.Fatalf("an object with a sphere covers %d pixels", e.Covered)
		}
	}
	if mirrored < 20 || turned-mirrored < 20 {
		t.Errorf("%d oriented boxes were drawn, %d of them mirrored", turned, mirrored)
	}
}

// An oriented box without rotation is the box, in every direction of its axes.
func TestOrientedLikeBox(t *testing.T) {
	box := soa.AABB{Min: [3]float32{-2, -1.5, -1}, Max: [3]float32{2, 1.5, 1}}
	for signs := range 8 {
		var b soa.OrientedBox
		for a := range 3 {
			if b.Axes[a][a] = box.Max[a]; signs>>a&1 != 0 {
				b.Axes[a][a] = box.Min[a]
			}
		}
		tree := plant(t, []soa.Object{{Box: box, Mask: walls}}, linear.Config{})
		testkit.Must(t, tree.SetOriented(0, b))
		var pictures [2][]float32
		for i := range pictures {
			culler := newCuller(t, occlude.Config{Width: 64, Height: 36, OccluderMask: walls})
			testkit.Must(t, viewOf("camera", [3]float64{-5, -7, 3}, [3]float64{5, 7, -3}, 1, 16./9, 0.1, 100).look(culler))
			if i == 0 {
				culler.DrawBoxes(box)
			} else {
				culler.Count(tree.View(), query.Filter{})
			}
			pictures[i], _, _, _ = culler.DepthBuffer()
		}
		covered := 0
		for i, v := range pictures[0] {
			if v > 0 {
				covered++
			}
			if math.Abs(float64(v-pictures[1][i])) > 1e-5*float64(v) {
				t.Fatalf("signs %03b: a pixel of the box holds %v, one of the oriented box %v", signs, v, pictures[1][i])
			}
		}
		if covered < 100 {
			t.Errorf("%d pixels", covered)
		}
	}
}

// NewHull returns an error for faces that form no hull.
func TestHullErrors(t *testing.T) {
	nan := float32(math.NaN())
	cube := func() (corners [][3]float32) {
		for i := range 8 {
			corners = append(corners, [3]float32{float32(i & 1), float32(i >> 1 & 1), float32(i >> 2)})
		}
		return corners
	}
	with := func(i int, c [3]float32) [][3]float32 {
		all := cube()
		all[i] = c
		return all
	}
	for name, c := range map[string]struct {
		corners [][3]float32
		faces   [][]int32
		says    string
	}{
		"nothing":   {nil, nil, "0 corners"},
		"many":      {make([][3]float32, 33), boxFaces, "33 corners"},
		"faces":     {cube(), make([][]int32, 33), "33 faces"},
		"not there": {cube(), [][]int32{{0, 1, 8}, {0, 8, 1}}, "8"},
		"negative":  {cube(), [][]int32{{0, 1, -1}, {0, -1, 1}}, "-1"},
		"open":      {cube(), boxFaces[:5], "no face has its reverse"},
		"twice":     {cube(), append([][]int32{boxFaces[0]}, boxFaces...), "both have the edge"},
		"short":     {cube(), [][]int32{{0, 1}, {1, 0}}, "2 corners"},
		"same":      {cube(), [][]int32{{0, 0, 1}, {1, 2, 0}}, "from 0 to 0"},
		"NaN":       {with(3, [3]float32{nan, 0, 0}), boxFaces, "not finite"},
		"flat":      {with(0, [3]float32{0, 0, 0}), [][]int32{{0, 1, 3}, {3, 1, 0}}, "flat"},
		"dent":      {with(7, [3]float32{0.4, 0.4, 0.4}), boxFaces, "outside"},
	} {
		if _, err := occlude.NewHull(c.corners, c.faces); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want it to mention %q", name, err, c.says)
		}
	}
	for name, corners := range map[string][][3]float32{
		"two": {{0, 0, 0}, {1, 0, 0}}, "line": {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, "bent": {{0, 0, 0}, {1, 0, 0}, {1, 1, 0.1}, {0, 1, 0}},
		"star": {{0, 0, 0}, {2, 0, 0}, {0.5, 0.5, 0}, {0, 2, 0}}, "inf": {{0, 0, 0}, {1, 0, 0}, {0, float32(math.Inf(1)), 0}},
	} {
		if _, err := occlude.NewPolygon(corners...); err == nil {
			t.Errorf("the polygon %s is taken", name)
		}
	}
	for name, base := range map[string][][2]float32{"none": nil, "two": {{0, 0}, {1, 0}}, "star": {{0, 0}, {2, 0}, {0.5, 0.5}, {0, 2}}, "many": make([][2]float32, 17)} {
		if _, err := occlude.NewPrism(base, 0, 1); err == nil {
			t.Errorf("the prism %s is taken", name)
		}
	}
	if _, err := occlude.NewPrism([][2]float32{{0, 0}, {1, 0}, {0, 1}}, 2, 2); err == nil {
		t.Error("a flat prism is taken")
	}
}
