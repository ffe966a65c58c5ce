package points

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
)

// fileOf returns a file of each format with these points.
func fileOf(points [][3]float64) map[string]string {
	var text, csv, obj, doubles strings.Builder
	for i, p := range points {
		fmt.Fprintf(&text, "%v %v %v %d\n", p[0], p[1], p[2], i)
		fmt.Fprintf(&csv, "%v;%v;%v;%d\n", p[0], p[1], p[2], i)
		fmt.Fprintf(&obj, "v %v %v %v\n", p[0], p[1], p[2])
		doubles.WriteString(little(p, byte(i)))
	}
	ply := fmt.Sprintf("ply\nformat %%s 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\nproperty uchar i\nend_header\n", len(points))
	pcd := fmt.Sprintf("VERSION 0.7\nFIELDS x y z i\nSIZE 8 8 8 1\nTYPE F F F U\nWIDTH %d\nHEIGHT 1\nDATA ", len(points))
	return map[string]string{
		"a.ply": fmt.Sprintf(ply, "ascii") + text.String(),
		"b.ply": fmt.Sprintf(ply, "binary_little_endian") + doubles.String(),
		"a.pcd": pcd + "ascii\n" + text.String(),
		"b.pcd": pcd + "binary\n" + doubles.String(),
		"a.obj": obj.String(),
		"a.csv": "x;y;z;i\n" + csv.String(),
		"a.xyz": text.String(),
		"a.pts": fmt.Sprintln(len(points)) + text.String(),
	}
}

// Points that no tree can hold, in every format: by default the first is an error that names it. The option
// leaves them out. Points of NaN alone are always left out.
func TestSkipInvalid(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	valid := [3]float64{1, 2, 3}
	for _, test := range []struct {
		points [][3]float64
		bad    int // index of the first error; -1 without one
		axis   string
		kept   []uint32
	}{
		{[][3]float64{valid, valid}, -1, "", nil},
		{[][3]float64{{nan, nan, nan}, valid}, -1, "", []uint32{1}},
		{[][3]float64{{nan, nan, nan}}, -1, "", []uint32{}},
		{[][3]float64{{nan, nan, nan}, {nan, nan, nan}, valid}, -1, "", []uint32{2}},
		{[][3]float64{valid, {nan, 2, 3}, valid}, 1, "x is ", []uint32{0, 2}},
		{[][3]float64{valid, {nan, nan, nan}, {1, inf, 3}, {1, 2, -inf}, valid}, 2, "y is ", []uint32{0, 4}},
		{[][3]float64{{1, 2, 1e39}, valid}, 0, "z is ", []uint32{1}},
		{[][3]float64{{inf, nan, nan}}, 0, "x is ", []uint32{}},
	} {
		for name, data := range fileOf(test.points) {
			opt := Options{Columns: []string{"i"}}
			c, err := Read(t.Context(), strings.NewReader(data), name, opt)
			switch {
			case test.bad < 0 && (err != nil || !reflect.DeepEqual(c.Kept, test.kept)):
				t.Errorf("%s of %v: %v, %v; want %v", name, test.points, c, err, test.kept)
			case test.bad >= 0:
				want := fmt.Sprintf("point %d: %s", test.bad, test.axis)
				if err == nil || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), out) ||
					!strings.Contains(err.Error(), "line ") && !strings.Contains(err.Error(), "byte ") {
					t.Errorf("%s of %v: %v; want %s", name, test.points, err, want)
				}
			}
			opt.SkipInvalid = true
			c, err = Read(t.Context(), strings.NewReader(data), name, opt)
			if err != nil || !reflect.DeepEqual(c.Kept, test.kept) {
				t.Errorf("%s of %v, skipping: %v, %v; want %v", name, test.points, c, err, test.kept)
				continue
			}
			for i := range c.Points {
				k := i
				if c.Kept != nil {
					k = int(c.Kept[i])
				}
				if c.At(i) != test.points[k] {
					t.Errorf("%s of %v: point %d is %v, want that of %d", name, test.points, i, c.At(i), k)
				}
				if col := c.Columns["i"]; col != nil && col[i] != float64(k) {
					t.Errorf("%s of %v: column %v at %d, want %d", name, test.points, col, i, k)
				}
			}
		}
	}
}

// Faces of a mesh keep their vertices, and faces with a vertex that is left out are dropped.
func TestSkipInvalidFaces(t *testing.T) {
	const obj = "f 1 2 4\nv nan nan nan\nv 1 0 0\nv 0 1 0\nv 0 0 inf\nv 0 0 1\nf 2 3 5\nf 5 3 2 4\nf -1 -2 -4 2\nf 2 3\n"
	const ply = "ply\nformat ascii 1.0\nelement face 5\nproperty list uchar int vertex_index\nelement vertex 5\nproperty float x\nproperty float y\nproperty float z\nend_header\n" +
		"3 0 1 3\n3 1 2 4\n4 4 2 1 3\n4 4 2 1 1\n2 1 2\nnan nan nan\n1 0 0\n0 1 0\n0 0 inf\n0 0 1\n"
	for name, data := range map[string]string{"a.obj": strings.Replace(obj, "-1 -2 -4 2", "5 3 2 2", 1), "a.ply": ply} {
		c, err := Read(t.Context(), strings.NewReader(data), name, Options{SkipInvalid: true})
		testkit.Must(t, err)
		if c.Faces() != 2 || !reflect.DeepEqual(c.Face(0), []uint32{0, 1, 2}) || !reflect.DeepEqual(c.Face(1), []uint32{2, 1, 0, 0}) {
			t.Errorf("%s: %d faces, %v", name, c.Faces(), c.faces)
		}
		want := []string{"1 points with NaN alone", "1 points that are not finite", "2 faces of such points", "1 faces of fewer than 3 vertices"}
		if !reflect.DeepEqual(c.Skipped, want) {
			t.Errorf("%s: skipped %q", name, c.Skipped)
		}
	}
	// Negative indices count the vertices that are left out, too.
	c, err := Read(t.Context(), strings.NewReader(obj), "a.obj", Options{SkipInvalid: true})
	if err != nil || c.Faces() != 1 {
		t.Errorf("%v, %v; want one face", c, err)
	}
}

// A box with a coordinate that is not finite, or that is rounded outward beyond float32.
func TestSkipInvalidBoxes(t *testing.T) {
	const data = "minx,miny,minz,maxx,maxy,maxz\n0,0,0,1,1,1\n0,0,0,1,inf,1\n,,,,,\nnan,NaN,nan,nan,nan,nan\n0,0,0,3.4028236e38,1,1\n-1,0,0,1,1,1\n"
	_, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{})
	if want := `a.csv: line 3: point 1: y is "inf", not finite` + out; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	c, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{SkipInvalid: true})
	if err != nil || !reflect.DeepEqual(c.Kept, []uint32{0, 4}) || len(c.Boxes) != 2 {
		t.Errorf("%v, %v; want boxes 0 and 4", c, err)
	}
}

// Every format has the limit of points, also without a count in a header.
func TestMaxPoints(t *testing.T) {
	points := make([][3]float64, 6)
	for name, data := range fileOf(points) {
		for _, file := range []string{data, zip(data)} {
			c, err := Read(t.Context(), strings.NewReader(file), name, Options{MaxPoints: 6})
			if err != nil || len(c.Points) != 6 {
				t.Errorf("%s: %v, %v; want 6 points", name, c, err)
			}
			_, err = Read(t.Context(), strings.NewReader(file), name, Options{MaxPoints: 5})
			if err == nil || !strings.Contains(err.Error(), "line ") && !strings.Contains(err.Error(), "byte ") ||
				!strings.Contains(err.Error(), " 5 ") || !strings.Contains(err.Error(), "set Options.MaxPoints") {
				t.Errorf("%s: %v; want the limit and the option", name, err)
			}
		}
	}
	for _, test := range []struct {
		name, data string
		opt        Options
		want       string
	}{
		{"a.csv", "x,y\n", Options{MaxPoints: -1}, "points: MaxPoints -1 is negative"},
		{"a.csv", "minx,miny,maxx,maxy\n0,0,1,1\n0,0,1,1\n", Options{MaxPoints: 1}, "a.csv: line 3: at most 1 points are read: set Options.MaxPoints"},
		{"a.obj", "v 0 0 0\nf" + strings.Repeat(" 1", 16) + "\nf 1\n", Options{MaxPoints: 1}, "a.obj: line 3: more than 16 corners of faces, 16 times Options.MaxPoints"},
		{"a.csv", "x,y,t\n0,0," + strings.Repeat("a", 128) + "\n", Options{MaxPoints: 1, Texts: []string{"t"}}, "a.csv: line 2: more than 64 bytes of text, 64 times Options.MaxPoints"},
		{"a.ply", "ply\nformat ascii 1.0\nelement vertex 67108865\n", Options{}, "a.ply: line 3: element vertex: the header counts 67108865 points, at most 67108864 are read: set Options.MaxPoints to read more"},
		{"a.pcd", "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 67108865\nHEIGHT 1\nDATA binary\n", Options{}, "a.pcd: line 7: the header counts 67108865 points"},
	} {
		c, err := Read(t.Context(), strings.NewReader(test.data), test.name, test.opt)
		if c != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, %v; want %s", c, err, test.want)
		}
	}
}

// A small file that unpacks to many points ends at the limit, with memory for the points below it. A file that
// claims more points than it has costs next to nothing.
func TestMaxPointsMemory(t *testing.T) {
	const most = 50_000
	const pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 60000000\nHEIGHT 1\nDATA "
	ply := "ply\nformat binary_little_endian 1.0\nelement vertex 60000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
	zeros := strings.Repeat("\x00", 12*1_000_000)
	for _, test := range []struct {
		name, data string
		max        int
		limit      uint64
	}{
		{"a.csv.gz", zip("x,y\n" + strings.Repeat("0,0\n", 2_000_000)), most, 150 * most},
		{"a.obj.gz", zip(strings.Repeat("v 0 0 0\n", 2_000_000)), most, 150 * most},
		{"a.obj.gz", zip("v 0 0 0\n" + strings.Repeat("f 1 1 1 1 1 1 1 1\n", 500_000)), most / 16, 40 * most},
		{"a.pcd.gz", zip(pcd + "binary\n" + zeros), 1_000_000, 1 << 20}, // the header claims more
		{"a.pcd", pcd + "binary\n", 0, 1 << 20},
		{"a.pcd", pcd + "ascii\n1 2 3\n", 0, 1 << 20},
		{"a.pcd", pcd + "binary_compressed\n" + little(uint32(8), uint32(12*60_000_000)) + "\x00\x00\xe0\xff\x00\xe0\xff\x00", 0, 1 << 20},
		{"a.ply", ply, 0, 1 << 20},
		{"a.ply", ply + zeros[:12*1000], 0, 1 << 20},
	} {
		var err error
		grown := allocated(func() {
			_, err = Read(t.Context(), strings.NewReader(test.data), test.name, Options{MaxPoints: test.max})
		})
		if err == nil || grown > test.limit+1<<20 {
			t.Errorf("%s of %d bytes: %d bytes allocated, at most %d; %v", test.name, len(test.data), grown, test.limit, err)
		}
	}
}

// counting is a context that counts the calls of Err, and is cancelled after a number of calls unless it is 0.
type counting struct {
	context.Context
	looks, most int
}

func (c *counting) Err() error {
	c.looks++
	if c.most > 0 && c.looks > c.most {
		return context.Canceled
	}
	return nil
}

// looks returns the number of context checks of a reading. A reading that is cancelled at half of them returns
// soon.
func looks(t *testing.T, name, data string) int {
	t.Helper()
	ctx := &counting{Context: t.Context()}
	if _, err := Read(ctx, strings.NewReader(data), name, Options{}); err != nil {
		t.Fatal(err)
	}
	half := &counting{Context: t.Context(), most: ctx.looks / 2}
	if _, err := Read(half, strings.NewReader(data), name, Options{}); !errors.Is(err, context.Canceled) || half.looks > half.most+2 {
		t.Errorf("%s: after %d looks of %d %v, and %d more", name, half.most, ctx.looks, err, half.looks-half.most)
	}
	return ctx.looks
}

// The context is checked while a small file unpacks to much data, and only little more of the file is read
// after a cancellation.
func TestContextUnpacking(t *testing.T) {
	const ply = "ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
	const pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH %d\nHEIGHT 1\nDATA binary"
	zeros := strings.Repeat("\x00", 12)
	for name, file := range map[string]func(n int) string{
		"a.csv": func(n int) string { return "x,y\n" + strings.Repeat("#\n", 6*n) },
		"a.obj": func(n int) string { return strings.Repeat("vn 0 0 0 0 0\n", n) + "v 1 2 3\n" },
		"a.ply": func(n int) string { return fmt.Sprintf(ply, n) + strings.Repeat(zeros, n) },
		"a.pcd": func(n int) string { return fmt.Sprintf(pcd, n) + "\n" + strings.Repeat(zeros, n) },
		// A literal of 12 bytes, and copies of 264.
		"b.pcd": func(n int) string {
			copies := n / 22
			n = 1 + 22*copies
			return fmt.Sprintf(pcd, n) + "_compressed\n" + little(uint32(13+3*copies), uint32(12*n)) + "\x0b" + zeros + strings.Repeat("\xe0\xff\x00", copies)
		},
	} {
		const n = 4 * pointsBetweenChecks // 3 MB
		if one, many := looks(t, name, zip(file(1))), looks(t, name, zip(file(n))); many-one < 3 {
			t.Errorf("%s: %d looks for one record, %d for %d", name, one, many, n)
		}
	}
}
