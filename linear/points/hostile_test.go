package points

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// stream is a file that is generated while it is read: a head, a repeated part, and a tail.
type stream struct {
	head, part string
	parts      int64
	tail       string
}

// Bytes between two measurements of the heap.
const lookEvery = 1 << 20

// writeTo writes the file, and measures the heap now and then.
func (s *stream) writeTo(w io.Writer, look func()) error {
	if _, err := io.WriteString(w, s.head); err != nil {
		return err
	}
	block := bytes.Repeat([]byte(s.part), max(1, lookEvery/len(s.part)))
	for left := s.parts; left > 0; {
		n := min(left, int64(len(block)/len(s.part)))
		if _, err := w.Write(block[:n*int64(len(s.part))]); err != nil {
			return err
		}
		left -= n
		look()
	}
	_, err := io.WriteString(w, s.tail)
	return err
}

// spent is the cost of reading: the maximum of live bytes and the total of allocated bytes, beyond the state
// before.
type spent struct{ live, total int64 }

func measureReading(s *stream, zipped bool, read func(r io.Reader)) (cost spent) {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	live, total := stats.HeapAlloc, stats.TotalAlloc
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		look := func() {
			runtime.GC()
			runtime.ReadMemStats(&stats)
			cost.live = max(cost.live, int64(stats.HeapAlloc-live))
		}
		if !zipped {
			w.CloseWithError(s.writeTo(w, look))
			return
		}
		z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
		err := s.writeTo(z, look)
		if e := z.Close(); err == nil {
			err = e
		}
		w.CloseWithError(err)
	}()
	read(r)
	r.Close()
	<-done
	runtime.ReadMemStats(&stats)
	cost.total = int64(stats.TotalAlloc - total)
	return cost
}

// Very long files without points to keep cost little memory: skipped data streams through, and data that must
// be in memory at a time has a limit, which the error names.
func TestHostileStreams(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("only the writer of the test runs beside the reader")
	}
	size := testkit.Budget(t, int64(8<<20), 3<<30)
	plyOf := func(encoding, lists string) string {
		return "ply\nformat " + encoding + " 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\nproperty uchar z\n" + lists + "end_header\n"
	}
	const (
		tags    = "property list uint uchar tags\n"
		corners = "element face 1\nproperty list uint uchar vertex_indices\n"
		weights = "element face 1\nproperty list uint double weights\nproperty list uchar uchar vertex_index\n"
	)
	big := func(n int64) string { return string([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}) }
	small := func(n int64) string { return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) }
	pcdOf := func(data string) string {
		return "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nDATA " + data + "\n"
	}
	// 265 points of that many bytes unpack from one literal and copies of 264.
	point := int64(1 + 264*400)
	packed := fmt.Sprintf("VERSION 0.7\nFIELDS x y z skip\nSIZE 4 4 4 1\nTYPE F F F U\nCOUNT 1 1 1 %d\nWIDTH 265\nHEIGHT 1\nDATA binary_compressed\n", point-12)
	copies := (265*point - 1) / 264
	const line = "has more than 4194304 bytes"
	const tooLong = "at most 65536 are read"
	points := Options{NoFaces: true}
	for _, test := range []struct {
		name string
		file string // its name
		stream
		opt  Options
		want string // text of the error; "": none
	}{
		{"ply list little", "a.ply", stream{plyOf("binary_little_endian", tags) + "\x01\x02\x03" + small(size), "\x00", size, ""}, Options{}, ""},
		{"ply list big", "a.ply", stream{plyOf("binary_big_endian", tags) + "\x01\x02\x03" + big(size), "\x07", size, ""}, Options{}, ""},
		{"ply list of doubles", "a.ply", stream{plyOf("binary_little_endian", weights) + "\x01\x02\x03" + small(size/8), "\x00", size, "\x03\x00\x00\x00"}, Options{}, ""},
		{"ply list cut", "a.ply", stream{plyOf("binary_big_endian", tags) + "\x01\x02\x03\xff\xff\xff\xff", "\x07", size, ""}, Options{}, "file ends early: vertex 0 of 1"},
		{"ply corners not kept", "a.ply", stream{plyOf("binary_little_endian", corners) + "\x01\x02\x03" + small(size), "\x00", size, ""}, points, ""},
		{"ply corner out of range", "a.ply", stream{plyOf("binary_little_endian", corners) + "\x01\x02\x03" + small(size), "\x09", size, ""}, Options{}, "face index 9 out of range"},
		{"ply ascii list", "a.ply", stream{plyOf("ascii", tags) + "1 2 3 4000000000", " 1", size / 2, "\n"}, Options{}, line},
		{"ply comments", "a.ply", stream{"ply\n", "comment of some length\n", size / 23, plyOf("ascii", "")[4:] + "1 2 3\n"}, Options{}, ""},
		{"ply comment", "a.ply", stream{"ply\ncomment", " x", size / 2, "\n"}, Options{}, line},
		{"ply properties", "a.ply", stream{"ply\nformat ascii 1.0\nelement e 1\n", "property char a\n", size / 16, ""}, Options{}, "more than 65536 elements and properties"},
		{"ply header line", "a.ply", stream{"ply\nformat ascii 1.0\nelement", " e", 1 << 20, "\nend_header\n"}, Options{}, tooLong},
		{"pcd header line", "a.pcd", stream{"VERSION 0.7\nFIELDS", " x", 1 << 20, "\n"}, Options{}, tooLong},
		{"pcd ascii", "a.pcd", stream{pcdOf("ascii"), "1 ", size / 2, "\n"}, Options{}, line},
		{"pcd blank lines", "a.pcd", stream{pcdOf("ascii"), "\n", size / 8, "1 2 3\n"}, Options{}, ""},
		{"pcd compressed", "a.pcd", stream{packed + small(2+3*copies) + small(265*point) + "\x00\x00", "\xe0\xff\x00", copies, ""}, Options{}, ""},
		{"obj face", "a.obj", stream{"v 1 2 3\nf", " 1", size / 2, "\n"}, Options{}, line},
		{"obj continued", "a.obj", stream{"v 1 2 3\nf", " 1 \\\n", size / 5, "\n"}, Options{}, line},
		{"obj continued blank", "a.obj", stream{"v 1 2 3\n", "\\\n", size / 2, "\n"}, Options{}, ""},
		{"obj comment", "a.obj", stream{"v 1 2 3\n#", "x", size, "\n"}, Options{}, line},
		{"obj faces not kept", "a.obj", stream{"v 1 2 3\n", "f 1 1 1 1 1 1 1 1\n", size / 18, ""}, points, ""},
		{"obj left out", "a.obj", stream{"v 1 2 3\n", "v nan nan nan\n", size / 14, "f 1 1 1\n"}, Options{}, ""},
		{"csv comments", "a.csv", stream{"", "# some text\n", size / 12, "x,y,z\n1,2,3\n"}, Options{}, ""},
		{"csv comments as headers", "a.csv", stream{"", "# x y\n", size / 6, "x,y,z\n1,2,3\n"}, Options{}, "comments that may be the header"},
		{"csv header", "a.csv", stream{"x,y,z,", "a", size, "\n"}, Options{}, "line 1 " + line},
		{"csv line", "a.csv", stream{"x,y,z\n1,2,", "3", size, "\n"}, Options{}, "line 2 " + line},
		{"csv quoted", "a.csv", stream{"x,y,z,name\n1,2,3,\"", "a, b\n", size / 5, "\"\n"}, Options{}, "line 2 " + line},
		{"csv quotes", "a.csv", stream{"x,y,z,name\n1,2,3,\"", "\"\"", size / 2, "\"\n"}, Options{}, "line 2 " + line},
	} {
		for _, zipped := range []bool{false, true} {
			if zipped && !testkit.Long(t) {
				continue
			}
			t.Run(fmt.Sprintf("%s/gzip=%v", test.name, zipped), func(t *testing.T) {
				var d *Cloud
				var err error
				cost := measureReading(&test.stream, zipped, func(r io.Reader) { d, err = Read(t.Context(), r, test.file, test.opt) })
				switch {
				case test.want == "" && (err != nil || len(shapes(d)) == 0):
					t.Errorf("%v, %v; want objects", d, err)
				case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
					!strings.Contains(err.Error(), "line ") && !strings.Contains(err.Error(), "byte ")):
					t.Errorf("error %v, want one of %q with its place", err, test.want)
				}
				const mostLive = 24 << 20 // the stream itself, a growing buffer, and the buffers of gzip
				live := int64(mostLive)
				if test.want == "" && !zipped {
					live = 4 << 20 // the stream itself: the data is skipped
				}
				if cost.live > live || cost.total > 2*mostLive {
					t.Errorf("%d bytes live at a time, %d allocated; next to nothing is kept", cost.live, cost.total)
				}
			})
		}
	}
}

// Memory is a few times the size of the kept data, and claims of a header cost nothing.
func TestHostileKept(t *testing.T) {
	const n = 4 << 20
	head := "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty uchar x\nproperty uchar y\nproperty uchar z\n" +
		"element face 1\nproperty list uint uchar vertex_indices\nend_header\n"
	s := stream{head + "\x01\x02\x03\x00\x00\x40\x00", "\x00", n, ""}
	var d *Cloud
	cost := measureReading(&s, false, func(r io.Reader) {
		var err error
		if d, err = Read(t.Context(), r, "a.ply", Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if got := len(d.Face(0)); got != n {
		t.Fatalf("%d corners, want %d", got, n)
	}
	if kept := int64(4 * n); cost.live > 4*kept || cost.total > 8*kept {
		t.Errorf("%d bytes live at a time, %d allocated, %d kept", cost.live, cost.total, kept)
	}
}

// Comments before the header that cannot be the header are skipped: they allocate nothing.
func TestHostileComments(t *testing.T) {
	const n = 20_000
	read := func(comment string) uint64 {
		data := strings.Repeat(comment, n) + "x,y,z\n1,2,3\n" + strings.Repeat("1,2,3\n", n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{})
		runtime.ReadMemStats(&after)
		if err != nil || len(d.Points) != n+1 {
			t.Fatalf("%v, %v", d, err)
		}
		return after.Mallocs - before.Mallocs
	}
	rows := read("")
	for _, comment := range []string{"# abc\n", "# x, or\n", "# 1,2,3\n"} {
		if allocs := read(comment); allocs > rows+n/100 {
			t.Errorf("with %d comments %q there are %d allocations, without %d", n, comment, allocs, rows)
		}
	}
}

// An error of the reader is in the error of the file.
func TestReaderErrors(t *testing.T) {
	for _, data := range []string{"x,y,z\n1,2,3\n", zip("x,y,z\n1,2,3\n")[:20]} {
		_, err := Read(t.Context(), io.MultiReader(strings.NewReader(data), iotest.ErrReader(io.ErrUnexpectedEOF)), "a.csv", Options{})
		if !errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "gzip") != (data[0] == 0x1f) {
			t.Errorf("after %.5q: %v", data, err)
		}
	}
}

// To drop the faces of points that are left out takes no memory, however many these are.
func TestRenumber(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range 200 {
		all := 3 + r.IntN(40)
		var kept []uint32
		now := map[uint32]uint32{}
		for v := range uint32(all) {
			if r.IntN(4) > 0 {
				now[v] = uint32(len(kept))
				kept = append(kept, v)
			}
		}
		f := faces{most: 1 << 20}
		var want [][]uint32
		dropped := 0
		for range r.IntN(20) {
			var face []uint32
			whole := true
			for range 3 + r.IntN(4) {
				v := r.Uint32N(uint32(all))
				testkit.Must(t, f.corner(v))
				i, ok := now[v]
				face, whole = append(face, i), whole && ok
			}
			f.close()
			if whole {
				want = append(want, face)
			} else {
				dropped++
			}
		}
		again := faces{corners: slices.Clone(f.corners), ends: slices.Clone(f.ends)}
		if n := f.renumber(kept); n != dropped || len(f.ends) != len(want) {
			t.Fatalf("%d faces dropped, %d left; want %d and %d", n, len(f.ends), dropped, len(want))
		}
		c := Cloud{faces: f}
		for i := range want {
			if !slices.Equal(c.Face(i), want[i]) {
				t.Fatalf("face %d is %v, want %v", i, c.Face(i), want[i])
			}
		}
		if n := testing.AllocsPerRun(1, func() { again.renumber(kept) }); n > 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// A record of the maximal length is read.
func TestLongestLines(t *testing.T) {
	for _, test := range []struct{ file, head, part, tail string }{
		{"a.obj", "v 1 2 3\nf", " 1", "\n"},
		{"a.obj", "v 1 2 3\nf 1 1 1\n#", "x", "\n"},
	} {
		n := (longestLine - 8) / len(test.part)
		data := test.head + strings.Repeat(test.part, n) + test.tail
		if d, err := Read(t.Context(), strings.NewReader(data), test.file, Options{}); err != nil || len(shapes(d)) != 1 {
			t.Errorf("%s: %v, %v", test.file, d, err)
		}
	}
	name := strings.Repeat("a\n", (longestLine-100)/2)
	row := "1,2,3,\"" + name + "\"\n"
	d, err := Read(t.Context(), strings.NewReader("x,y,z,name\n"+row+row+row), "a.csv", Options{Texts: []string{"name"}})
	if err != nil || len(shapes(d)) != 3 || d.Texts["name"][2] != name {
		t.Errorf("%v, %v", d, err)
	}
}

// samples returns a file of each format and variant.
func samples() []accepted {
	all := append(plySamples(), lasSamples()...)
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
	opt := Options{Columns: []string{"t", "X", "rgb", "red", "intensity"}, Texts: []string{"id"}}
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
