package points

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// halfStep returns half a step of float32 at x.
func halfStep(x float64) float64 {
	x = max(math.Abs(x), 0x1p-126)
	_, exponent := math.Frexp(x)
	return math.Ldexp(1, exponent-25)
}

// apart returns the exact distance between x and origin + p.
func apart(x, origin float64, p float32) float64 {
	d := new(big.Float).SetPrec(2400).SetFloat64(origin)
	d.Add(d, big.NewFloat(float64(p)))
	d.Sub(d, big.NewFloat(x))
	f, _ := d.Abs(d).Float64()
	return f
}

// Points of worlds of any position and size: restored coordinates are within half a step of float32 at the
// longest edge, by exact arithmetic.
func TestOrigin(t *testing.T) {
	r := rand.New(rand.NewPCG(18, 0))
	for world := range testkit.Budget(t, 300, 100_000) {
		var middle, half [3]float64
		for a := range 3 {
			if r.IntN(4) > 0 {
				middle[a] = math.Ldexp(r.Float64()-0.5, r.IntN(80)-20)
			}
			if r.IntN(4) > 0 {
				half[a] = math.Ldexp(r.Float64(), r.IntN(70)-50)
			}
		}
		n := 1 + r.IntN(6)
		raw := make([][3]float64, n)
		for i := range raw {
			for a := range 3 {
				raw[i][a] = middle[a] + (2*r.Float64()-1)*half[a]
			}
		}
		c := &Cloud{raw: raw}
		c.place(nil)
		longest := 0.0
		for a := range 3 {
			longest = max(longest, c.Bounds.Max[a]-c.Bounds.Min[a])
		}
		for i, x := range raw {
			for a := range 3 {
				p := c.Points[i][a]
				if math.Abs(float64(p)) > float64(float32(longest)) {
					t.Fatalf("world %d: %v is farther than %v from the origin %v", world, x, longest, c.Origin)
				}
				// The difference is first rounded to float64.
				bound := halfStep(longest) + math.Ldexp(longest, -53)
				if off := apart(x[a], c.Origin[a], p); off > bound {
					t.Fatalf("world %d: %v comes back as %v + %v, %v off, more than %v", world, x[a], c.Origin[a], p, off, bound)
				}
				at, want := c.At(i)[a], c.Origin[a]+float64(p)
				if at != want {
					t.Fatalf("world %d: At is %v, want %v", world, at, want)
				}
			}
		}
		for a, o := range c.Origin {
			if o != 0 && longest > 0 && math.Abs(o)/longest < 0x1p50 {
				if steps := o / math.Exp2(math.Floor(math.Log2(longest))); steps != math.Trunc(steps) {
					t.Fatalf("world %d: origin %v is no round number for an edge of %v", world, o, longest)
				}
			}
			if o != 0 && max(math.Abs(c.Bounds.Min[a]), math.Abs(c.Bounds.Max[a])) <= longest {
				t.Fatalf("world %d: origin %v of bounds %v", world, c.Origin, c.Bounds)
			}
		}
	}
}

// Given and chosen origins, in each format.
func TestOriginOfFiles(t *testing.T) {
	const header = "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\nend_header\n"
	const pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH 3\nHEIGHT 1\nDATA ascii\n"
	const body = "512345.125 5403580.0625 10\n512349.125 5403590.0625 12\n512346.0625 5403587.125 10.5\n"
	for name, data := range map[string]string{
		"a.ply": header + body,
		"a.pcd": pcd + body,
		"a.csv": "x,y,z\n" + strings.ReplaceAll(body, " ", ","),
		"a.obj": "v " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\nv "),
	} {
		for _, test := range []struct {
			given *[3]float64
			want  [3]float64
		}{
			{nil, [3]float64{512344, 5403584, 8}},
			{&[3]float64{512000, 5403000.5, -1}, [3]float64{512000, 5403000.5, -1}},
		} {
			c, err := Read(nil, strings.NewReader(data), name, Options{Origin: test.given})
			if err != nil || c.Origin != test.want {
				t.Fatalf("%s: %v, %v; want the origin %v", name, c, err, test.want)
			}
			for i, want := range [][3]float64{{512345.125, 5403580.0625, 10}, {512349.125, 5403590.0625, 12}, {512346.0625, 5403587.125, 10.5}} {
				if c.At(i) != want {
					t.Errorf("%s: point %d is at %v, want %v", name, i, c.At(i), want)
				}
			}
			if want := (soa.AABB64{Min: [3]float64{512345.125, 5403580.0625, 10}, Max: [3]float64{512349.125, 5403590.0625, 12}}); c.Bounds != want {
				t.Errorf("%s: bounds %v, want %v", name, c.Bounds, want)
			}
		}
	}
}

// Boxes contain the boxes of the file, for any origin.
func TestOriginOfBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	var text strings.Builder
	text.WriteString("minx,miny,minz,maxx,maxy,maxz\n")
	var boxes []soa.AABB64
	for range 200 {
		var b soa.AABB64
		for a := range 3 {
			b.Min[a] = 5e6 + 100*r.Float64()
			b.Max[a] = b.Min[a] + r.Float64()
		}
		fmt.Fprintf(&text, "%v,%v,%v,%v,%v,%v\n", b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2])
		boxes = append(boxes, b)
	}
	c, err := Read(t.Context(), strings.NewReader(text.String()), "a.csv", Options{})
	if err != nil || len(c.Boxes) != len(boxes) || c.Points != nil {
		t.Fatal(c, err)
	}
	for i, b := range boxes {
		if want := b.Box(c.Origin); c.Boxes[i] != want {
			t.Errorf("box %d: %v, want %v", i, c.Boxes[i], want)
		}
		for a := range 3 {
			lo, hi := float64(c.Boxes[i].Min[a]), float64(c.Boxes[i].Max[a])
			// The sum rounds to a step of float64 at five million, 1e-9.
			if c.Origin[a]+lo > b.Min[a]+1e-9 || c.Origin[a]+hi < b.Max[a]-1e-9 || hi-lo > b.Max[a]-b.Min[a]+4e-5 {
				t.Errorf("box %d: %v about %v, want %v", i, c.Boxes[i], c.Origin, b)
			}
		}
	}
}

func TestOriginRefused(t *testing.T) {
	nan, far := [3]float64{0, math.NaN(), 0}, [3]float64{0, -3e38, 0}
	for _, test := range []struct {
		data, name string
		opt        Options
		want       string
	}{
		{"x,y\n1,2\n", "a.csv", Options{Origin: &nan}, "points: the origin [0 NaN 0] is not finite"},
		{"x,y\n1,2\n1,3e38\n", "a.csv", Options{Origin: &far}, `a.csv: line 3: point 1: y is "3e38", beyond float32 about the origin -3e+38` + out},
		{"x,y\n1,2\n1,1e39\n", "", Options{}, `points: line 3: point 1: y is "1e39", beyond float32` + out},
		{"minx,miny,maxx,maxy\n0,0,1,3e38\n", "a.csv", Options{Origin: &far}, `a.csv: line 2: point 0: y is "3e38", beyond float32 about the origin -3e+38` + out},
	} {
		c, err := Read(t.Context(), strings.NewReader(test.data), test.name, test.opt)
		if c != nil || err == nil || err.Error() != test.want {
			t.Errorf("%v, %v; want %s", c, err, test.want)
		}
	}
}

// No edge is too long, and no position too far.
func TestOriginExtreme(t *testing.T) {
	for _, test := range []struct{ x, y float64 }{
		{-math.MaxFloat32, math.MaxFloat32}, {math.MaxFloat32, math.MaxFloat32}, {math.MaxFloat32 / 2, math.MaxFloat32},
		{5e-324, 1e-323}, {1e20, math.Nextafter(1e20, 2e20)}, {0, 5e-324}, {math.Copysign(0, -1), 0}, {1e30, 1e30 + 1e-300},
	} {
		c := &Cloud{raw: [][3]float64{{test.x}, {test.y}}}
		c.place(nil)
		check(t, c)
		for i, x := range []float64{test.x, test.y} {
			longest := test.y - test.x
			if off := apart(x, c.Origin[0], c.Points[i][0]); off > halfStep(longest)*(1+0x1p-28) {
				t.Errorf("%v of %v: %v off", x, test, off)
			}
		}
	}
}
