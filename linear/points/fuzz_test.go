package points

import (
	"bytes"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zoctree/zoctree/soa"
)

// samples returns a file of each format and variant.
func samples() []accepted {
	all := plySamples()
	all = append(all, pcdSamples()...)
	all = append(all, objSamples()...)
	return append(all, csvSamples()...)
}

// allocated returns the bytes that f allocates, those already freed included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fuzz reads data in the format of a file name: the result must be sound, and cost no more than factor times
// the input.
func fuzz(f *testing.F, name string, factor int) {
	for _, a := range samples() {
		f.Add([]byte(a.data))
	}
	for _, p := range programs {
		f.Add([]byte(p.data))
	}
	// Claims without data, and text that may become long.
	const ply = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
	for _, s := range []string{
		ply + "property list uint double tags\nend_header\n123\xff\xff\xff\xff12345678",
		ply + "element face 1\nproperty list uint char vertex_index\nend_header\n123\x00\x10\x00\x00" + strings.Repeat("\x00", 4096),
		"v 1 2 3\nf" + strings.Repeat(" 1 \\\n", 300),
		"x,y,id\n1,2,\"" + strings.Repeat("a\n\"\"", 300) + "\"\n",
	} {
		f.Add([]byte(s))
	}
	opt := Options{Columns: []string{"t", "X", "rgb", "red"}, Texts: []string{"id"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d *Cloud
		var err error
		grown := allocated(func() { d, err = Read(t.Context(), bytes.NewReader(data), name, opt) })
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			return
		}
		if limit := uint64(1<<20 + factor*len(data)); grown > limit {
			t.Fatalf("%d bytes allocated for %d", grown, len(data))
		}
		if err != nil {
			lenient := opt
			lenient.SkipInvalid = true
			if d, err = Read(t.Context(), bytes.NewReader(data), name, lenient); err == nil {
				check(t, d)
			}
			return
		}
		check(t, d)
		if len(data) > 4096 {
			return
		}
		// The result is the same byte by byte, and without the faces.
		slow, err := Read(t.Context(), iotest.OneByteReader(bytes.NewReader(data)), name, opt)
		if err != nil || slow.String() != d.String() || !slices.Equal(slow.Points, d.Points) || !slices.Equal(slow.Boxes, d.Boxes) {
			t.Fatalf("byte by byte %v, %v; want %v", slow, err, d)
		}
		bare, err := Read(t.Context(), bytes.NewReader(data), name, Options{NoFaces: true})
		if err != nil || bare.Faces() != 0 || !slices.Equal(bare.Points, d.Points) {
			t.Fatalf("without faces %v, %v; want %v", bare, err, d)
		}
		// The limit of points is exact, and leaving out has no effect on valid data.
		if n := len(d.Points) + len(d.Boxes); n > 1 {
			exact := opt
			exact.MaxPoints, exact.SkipInvalid = n-1, true
			if c, err := Read(t.Context(), bytes.NewReader(data), name, exact); err == nil {
				t.Fatalf("%v, want at most %d", c, n-1)
			}
		}
		lenient := opt
		lenient.SkipInvalid = true
		same, err := Read(t.Context(), bytes.NewReader(data), name, lenient)
		if err != nil || same.String() != d.String() || !slices.Equal(same.Points, d.Points) || !slices.Equal(same.Kept, d.Kept) {
			t.Fatalf("leaving out %v, %v; want %v", same, err, d)
		}
		// With an origin at zero the values are unchanged.
		zero, err := Read(t.Context(), bytes.NewReader(data), name, atZero(Options{}))
		if err != nil || len(zero.Points) != len(d.Points) || zero.Bounds != d.Bounds {
			t.Fatalf("at zero %v, %v; want %v", zero, err, d)
		}
	})
}

// check fails the test unless a cloud is sound.
func check(t *testing.T, c *Cloud) {
	t.Helper()
	longest := 0.0
	for a := range 3 {
		longest = max(longest, c.Bounds.Max[a]-c.Bounds.Min[a])
	}
	for i, b := range append(slices.Clone(c.Boxes), pointBoxes(c)...) {
		if err := b.Check(); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		for a := range 3 {
			// Rounding, also outward, adds half a step of float32.
			if m := max(-float64(b.Min[a]), float64(b.Max[a])); m > longest*(1+0x1p-22)+0x1p-148 {
				t.Fatalf("%d: %v from %v, the longest edge is %v", i, b, c.Origin, longest)
			}
		}
	}
	if c.Kept != nil && len(c.Kept) != len(c.Points)+len(c.Boxes) {
		t.Fatalf("%d indices of %d points, %d boxes", len(c.Kept), len(c.Points), len(c.Boxes))
	}
	for i, k := range c.Kept {
		if i > 0 && k <= c.Kept[i-1] || int(k) < i {
			t.Fatalf("index %d is %d, behind %v", i, k, c.Kept[:i])
		}
	}
	for name, values := range c.Texts {
		if len(values) != len(c.Points)+len(c.Boxes) {
			t.Fatalf("%d values of %s, %d points, %d boxes", len(values), name, len(c.Points), len(c.Boxes))
		}
	}
	for name, values := range c.Columns {
		if len(values) != len(c.Points)+len(c.Boxes) {
			t.Fatalf("%d values of %s, %d points, %d boxes", len(values), name, len(c.Points), len(c.Boxes))
		}
	}
	triangles := 0
	for i := range c.Faces() {
		triangles += len(c.Face(i)) - 2
	}
	all := c.AppendTriangles(nil)
	if len(all) != triangles {
		t.Fatalf("%d triangles, want %d", len(all), triangles)
	}
	for _, f := range all {
		for _, k := range f {
			if k < 0 || int(k) >= len(c.Points) {
				t.Fatalf("triangle %v of %d points", f, len(c.Points))
			}
		}
	}
}

func pointBoxes(c *Cloud) (boxes []soa.AABB) {
	for _, p := range c.Points {
		boxes = append(boxes, soa.AABB{Min: p, Max: p})
	}
	return boxes
}

func FuzzPLY(f *testing.F) { fuzz(f, "a.ply", 128) }
func FuzzOBJ(f *testing.F) { fuzz(f, "a.obj", 128) }
func FuzzCSV(f *testing.F) { fuzz(f, "a.csv", 256) }

// Three bytes of LZF data make up to 264 bytes, which is 22 points.
func FuzzPCD(f *testing.F) { fuzz(f, "a.pcd", 1024) }

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-1.5", "1e-3", "16777217", "1.0D+02", "1.#INF", "nan", "1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		// Accepted numbers are those of strconv, except Fortran's D and the infinities of C.
		v, ok := parseFloat64([]byte(s))
		if ok && v == v && !strings.ContainsAny(s, "#") {
			checkNumber(t, strings.NewReplacer("D", "e", "d", "e").Replace(s))
		}
		if _, err := strconv.ParseFloat(s, 64); err == nil && !ok && !strings.ContainsAny(s, "_xX") {
			t.Errorf("parseFloat64(%q) takes no number", s)
		}
	})
}
