package input

import (
	"bytes"
	"runtime"
	"slices"
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
	all = append(all, csvSamples()...)
	return append(all, snapshotSamples()...)
}

// allocated returns the bytes that f allocates, those already freed included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fuzz reads data as the format of a name: what is read must be sound, and cost
// no more than factor times the input.
func fuzz(f *testing.F, name string, factor int) {
	for _, a := range samples() {
		f.Add([]byte(a.data))
	}
	// Claims that nothing follows, and text in one place where it may grow.
	const ply = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
	for _, s := range []string{
		ply + "property list uint double tags\nend_header\n123\xff\xff\xff\xff12345678",
		ply + "element face 1\nproperty list uint char vertex_index\nend_header\n123\x00\x10\x00\x00" + strings.Repeat("\x00", 4096),
		"v 1 2 3\nf" + strings.Repeat(" 1 \\\n", 300),
		"x,y,id\n1,2,\"" + strings.Repeat("a\n\"\"", 300) + "\"\n",
	} {
		f.Add([]byte(s))
	}
	opt := Options{Floats: []string{"t"}, Texts: []string{"id"}}
	f.Fuzz(func(t *testing.T, data []byte) {
		var d *Data
		var err error
		grown := allocated(func() { d, err = ReadFrom(bytes.NewReader(data), name, opt) })
		if bytes.HasPrefix(data, []byte("\x1f\x8b")) {
			return
		}
		if limit := uint64(1<<20 + factor*len(data)); grown > limit {
			t.Fatalf("%d bytes allocated for %d", grown, len(data))
		}
		if err != nil {
			return
		}
		bounds := soa.Empty()
		for i, o := range d.Objects {
			if err := o.Box.Check(); err != nil {
				t.Fatalf("object %d: %v", i, err)
			}
			bounds = bounds.Union(o.Box)
		}
		if d.Bounds != bounds {
			t.Fatalf("bounds %v, want %v", d.Bounds, bounds)
		}
		if d.Mesh != nil && d.Mesh.Faces() != len(d.Objects) {
			t.Fatalf("%d faces, %d objects", d.Mesh.Faces(), len(d.Objects))
		}
		if len(data) > 4096 {
			return
		}
		// However the bytes arrive, and without the faces.
		slow, err := ReadFrom(iotest.OneByteReader(bytes.NewReader(data)), name, opt)
		if err != nil || slow.String() != d.String() || !slices.Equal(slow.Objects, d.Objects) {
			t.Fatalf("byte by byte %v, %v; want %v", slow, err, d)
		}
		points, err := ReadFrom(bytes.NewReader(data), name, Options{Points: true})
		if err != nil || d.Mesh != nil && len(points.Objects) != len(d.Mesh.Vertices) {
			t.Fatalf("without faces %v, %v; want %v", points, err, d)
		}
	})
}

func FuzzPLY(f *testing.F) { fuzz(f, "a.ply", 128) }
func FuzzOBJ(f *testing.F) { fuzz(f, "a.obj", 128) }
func FuzzCSV(f *testing.F) { fuzz(f, "a.csv", 256) }

// Three bytes of LZF data make up to 264 bytes, which is 22 points.
func FuzzPCD(f *testing.F) { fuzz(f, "a.pcd", 1024) }

func FuzzNumber(f *testing.F) {
	for _, s := range []string{"0", "-1.5", "1e-3", "16777217", "0x1p-2", "nan", "1e400"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, ok := parseFloat64([]byte(s)); ok && v == v {
			checkNumber(t, s)
		}
	})
}
