package points

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// pack returns the bytes of values, one after the other.
func pack(order binary.AppendByteOrder, values ...any) string {
	var b []byte
	for _, v := range values {
		if s, ok := v.(string); ok {
			b = append(b, s...)
			continue
		}
		var err error
		if b, err = binary.Append(b, order.(binary.ByteOrder), v); err != nil {
			panic(err)
		}
	}
	return string(b)
}

func zip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	w.Close()
	return b.String()
}

func box(x0, y0, z0, x1, y1, z1 float32) soa.AABB {
	return soa.AABB{Min: [3]float32{x0, y0, z0}, Max: [3]float32{x1, y1, z1}}
}

func point(x, y, z float32) soa.AABB { return box(x, y, z, x, y, z) }

// atZero returns options with the origin at zero.
func atZero(opt Options) Options {
	opt.Origin = new([3]float64)
	return opt
}

// shapes returns the boxes of a cloud, those around its faces, or its points.
func shapes(c *Cloud) (boxes []soa.AABB) {
	boxes = append(boxes, c.Boxes...)
	if c.Faces() == 0 {
		for _, p := range c.Points {
			boxes = append(boxes, soa.AABB{Min: p, Max: p})
		}
	}
	for i := range c.Faces() {
		around := soa.Empty()
		for _, k := range c.Face(i) {
			around = around.Union(soa.AABB{Min: c.Points[k], Max: c.Points[k]})
		}
		boxes = append(boxes, around)
	}
	return boxes
}

// accepted is a file that must be readable, whole and byte by byte.
type accepted struct {
	name, data string
	opt        Options
	line       string // of Data.String
	boxes      []soa.AABB
}

func (a accepted) run(t *testing.T) {
	t.Helper()
	for _, r := range []*strings.Reader{strings.NewReader(a.data), strings.NewReader(zip(a.data))} {
		d, err := Read(t.Context(), iotest.OneByteReader(r), a.name, atZero(a.opt))
		if err != nil {
			t.Error(err)
			return
		}
		boxes := shapes(d)
		if !reflect.DeepEqual(boxes, a.boxes) {
			t.Errorf("%s: boxes %v\nwant %v", a.name, boxes, a.boxes)
		}
		line := strings.Replace(d.String(), ", gzip", "", 1)
		if line != a.line {
			t.Errorf("%s: summary %s\nwant %s", a.name, line, a.line)
		}
	}
}

// refused is a file that must fail with exactly this error, where @n stands for n bytes behind the header.
type refused struct{ name, data, want string }

// out is the end of errors about a point that no tree can hold.
const out = ": Options.SkipInvalid skips such points"

var position = regexp.MustCompile(`@\d+`)

func (f refused) error() string {
	header := 0
	for _, last := range []string{"end_header\n", "binary\n", "binary_compressed\n"} {
		if i := strings.Index(f.data, last); i >= 0 {
			header = i + len(last)
		}
	}
	return position.ReplaceAllStringFunc(f.want, func(at string) string {
		n, _ := strconv.Atoi(at[1:])
		return strconv.Itoa(header + n)
	})
}

func (f refused) run(t *testing.T) {
	t.Helper()
	f.runWith(t, Options{})
}

func (f refused) runWith(t *testing.T, opt Options) {
	t.Helper()
	d, err := Read(t.Context(), strings.NewReader(f.data), f.name, opt)
	if want := f.error(); d != nil || err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestDetect(t *testing.T) {
	ply := "ply\nformat ascii 1.0\nelement vertex 0\nproperty int x\nproperty int y\nproperty int z\nend_header\n"
	pcd := "VERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 0\nHEIGHT 1\nDATA ascii\n"
	for _, test := range []struct{ name, data, format string }{
		{"a.csv", ply, "PLY ascii"},
		{"a", ply, "PLY ascii"},
		{"a", strings.ReplaceAll(ply, "\n", "\r\n"), "PLY ascii"},
		{"a.gz", zip(ply), "PLY ascii, gzip"},
		{"a.ply", zip(ply), "PLY ascii, gzip"},
		{"A.PCD", pcd, "PCD ascii"},
		{"a.pcd.gz", zip(pcd), "PCD ascii, gzip"},
		{"a", pcd, "PCD ascii"},
		{"a", "# .PCD v0.7\n" + pcd, "PCD ascii"},
		{`c:\dir.ply\a`, "x,y\n", "CSV"},
		{"dir.ply/a.csv", "x,y\n", "CSV"},
		{"a.obj", "v 1 2 3\n", "OBJ"},
		{"a", "# by hand\nv 1 2 3\n", "OBJ"},
		{"a", "mtllib a.mtl\nv 1 2 3", "OBJ"},
	} {
		d, err := Read(t.Context(), strings.NewReader(test.data), test.name, Options{})
		if err != nil || d.Format != test.format {
			t.Errorf("%s %.20q: %v %v, want %s", test.name, test.data, d, err, test.format)
			continue
		}
		if strings.HasPrefix(test.data, "\x1f\x8b") {
			continue
		}
		marked, err := Read(t.Context(), strings.NewReader("\ufeff"+test.data), test.name, Options{})
		if err != nil || !reflect.DeepEqual(marked, d) {
			t.Errorf("%s %.20q with a byte order mark: %v %v, want %v", test.name, test.data, marked, err, d)
		}
	}
}

// A first line that ends with \r\n may have the \n after the bytes that are examined to detect the format.
func TestHeadEnd(t *testing.T) {
	for _, mark := range []string{"", "\ufeff"} {
		for length := headSize - 8; length < headSize+8; length++ {
			head := mark + "# .PCD"
			head += strings.Repeat("c", length-len(head)) +
				"\r\nVERSION 0.7\r\nFIELDS x y z\r\nSIZE 4 4 4\r\nTYPE F F F\r\nWIDTH 1\r\nHEIGHT 1\r\nDATA binary\r\n"
			c, err := Read(t.Context(), strings.NewReader(head+little(float32(1), float32(2), float32(4))), "a.pcd", Options{})
			if err != nil || c.At(0) != [3]float64{1, 2, 4} {
				t.Fatalf("a first line of %d bytes: %v, %v", length, c, err)
			}
		}
	}
}

func TestEnds(t *testing.T) {
	packed := zip("x,y\n1,2\n")
	for _, test := range []refused{
		{"a.ply", "", "a.ply: empty file"},
		{"a.csv", zip(""), "a.csv: empty file"},
		{"a.bin", "\x00\x01\x02", "a.bin: binary data that is neither LAS, PLY nor PCD, want LAS, PLY, PCD, OBJ, CSV, XYZ or PTS: convert it to PLY or CSV"},
		{"a.csv.gz", packed[:5], "a.csv.gz: gzip header: unexpected EOF"},
		{"a.csv.gz", packed[:len(packed)-3], "a.csv.gz: byte 8: gzip data ends early: unexpected EOF"},
		{"a.csv.gz", packed[:len(packed)-1] + "x", "a.csv.gz: byte 8: gzip: invalid checksum"},
		{"a.csv.gz", packed + "junk", "a.csv.gz: byte 8: gzip data ends early: unexpected EOF"},
	} {
		test.run(t)
	}
}

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "points.csv")
	if _, err := Open(t.Context(), path, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Open(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("directory: %v", err)
	}
	text := "x,y\n" + strings.Repeat("1,2\n", 100_000)
	testkit.Must(t, os.WriteFile(path, []byte(text), 0o600))
	calls, last, size := 0, int64(0), int64(0)
	d, err := Open(t.Context(), path, Options{Progress: func(done, total int64) {
		if done <= last {
			t.Errorf("progress from %d to %d", last, done)
		}
		calls, last, size = calls+1, done, total
	}})
	if err != nil || len(d.Points) != 100_000 {
		t.Fatal(d, err)
	}
	if want := int64(len(text)); calls < 2 || last != want || size != want {
		t.Errorf("%d calls, the last with %d of %d, want %d", calls, last, size, want)
	}
}

// A context that ends before or during the reading.
func TestContext(t *testing.T) {
	data := "x,y\n" + strings.Repeat("1,2\n", 100_000)
	for _, file := range []string{data, zip(data)} {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Read(ctx, strings.NewReader(file), "a.csv", Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	_, err := Read(ctx, strings.NewReader(data), "a.csv", Options{Progress: func(int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled during: %v", err)
	}
}

// A failure of the reader is returned, at any position; in a long file, at many bytes.
func TestReadFailure(t *testing.T) {
	broken := errors.New("disk on fire")
	for _, a := range samples() {
		for n := 0; n < len(a.data); n += 1 + len(a.data)/testkit.Budget(t, 500, 2000) {
			r := &failing{data: a.data[:n], err: broken}
			_, err := Read(t.Context(), r, a.name, a.opt)
			if !errors.Is(err, broken) || strings.Contains(err.Error(), "early") {
				t.Fatalf("%s, after %d bytes: %v", a.name, n, err)
			}
		}
	}
}

// failing hands out data, then once an error.
type failing struct {
	data string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.data == "" {
		err := f.err
		f.err = io.EOF
		return 0, err
	}
	n := copy(p, f.data)
	f.data = f.data[n:]
	return n, nil
}

// endless never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'v'
	}
	return len(p), nil
}

func TestLongLine(t *testing.T) {
	_, err := Read(t.Context(), endless{}, "a.obj", Options{})
	if err == nil || !strings.Contains(err.Error(), ": line 1 has more than 4194304 bytes: ") {
		t.Errorf("got %v", err)
	}
}

// Headers that claim more data than the file has cost no memory.
func TestClaims(t *testing.T) {
	ply := "ply\nformat %s 1.0\nelement vertex %s\nproperty char x\nproperty char y\nproperty char z\nelement face 9\nproperty list uint uint vertex_indices\nend_header\n"
	pcd := "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH %s\nHEIGHT 1\nDATA %s\n"
	for _, test := range []refused{
		{"a", fmt.Sprintf(ply, "ascii", "1000000000000"), "a: line 3: element vertex: count 1000000000000 is more than 4294967295"},
		{"a", fmt.Sprintf(ply, "ascii", "2147483647") + "1 2 3\n", "a: line 11: file ends early: 1 of 2147483647 records of element vertex"},
		{"a", fmt.Sprintf(ply, "binary_little_endian", "2147483647") + "abcd", "a: byte @4: file ends early: vertex 1 of 2147483647"},
		{"a", fmt.Sprintf(ply, "binary_little_endian", "0") + "\xff\xff\xff\xffabcd", "a: byte @8: file ends early: face 0 of 9"},
		{"a", fmt.Sprintf(ply, "ascii", "0") + "999999999999 ", "a: line 10: list vertex_indices ends 999999999999 values early"},
		{"a", fmt.Sprintf(pcd, "2147483647", "ascii") + "1 2 3\n", "a: line 9: file ends early: 1 of 2147483647 points"},
		{"a", fmt.Sprintf(pcd, "2147483647", "binary") + "0123456789abcde", "a: byte @15: file ends early: 1 of 2147483647 points"},
		{"a", fmt.Sprintf(pcd, "300000000", "binary_compressed") + "\xff\xff\xff\xff\x00\xa4\x93\xd6?", "a: byte @9: file ends early: 4294967295 bytes of compressed data"},
		{"a", fmt.Sprintf(pcd, "300000000", "binary_compressed") + "\x01\x00\x00\x00\x00\xa4\x93\xd6\x00", "a: byte @8: compressed data: ends inside a literal run"},
	} {
		if grown := allocated(func() { test.runWith(t, Options{MaxPoints: math.MaxInt32}) }); grown > 1<<20 {
			t.Errorf("%s: %d bytes allocated", test.want, grown)
		}
	}
}

// Columns of PLY and PCD, in all encodings; a point that is left out is also left out of the columns.
func TestColumns(t *testing.T) {
	const ply = "element vertex 2\nproperty float x\nproperty uchar red\nproperty float y\nproperty list uchar int i\nproperty float z\nproperty double Intensity\nend_header\n"
	const pcd = "VERSION 0.7\nFIELDS x red y z intensity hist\nSIZE 4 1 4 4 8 1\nTYPE F U F F I U\nCOUNT 1 1 1 1 1 2\nWIDTH 3\nHEIGHT 1\nDATA "
	nan := float32(math.NaN())
	one, two, three := float32(1), float32(2), float32(3)
	columns := little([3]float32{1, nan, 4}, [3]byte{255, 9, 7}, [3]float32{2, nan, 5}, [3]float32{3, nan, 6}, [3]int64{-5, 1, 1 << 40}, [6]byte{})
	opt := Options{Columns: []string{"intensity", "Red", "x", "red", "red", "missing"}}
	want := map[string][]float64{"intensity": {-5, 1 << 40}, "Red": {255, 7}, "red": {255, 7}, "x": {1, 4}}
	for name, data := range map[string]string{
		"a.ply": "ply\nformat ascii 1.0\n" + ply + "1 255 2 0 3 -5\n4 7 5 1 9 6 1099511627776\n",
		"b.ply": "ply\nformat binary_big_endian 1.0\n" + ply +
			pack(binary.BigEndian, one, byte(255), two, byte(0), three, -5.0, float32(4), byte(7), float32(5), byte(1), int32(9), float32(6), 0x1p40),
		"a.pcd": pcd + "ascii\n1 255 2 3 -5 0 0\nnan 9 nan nan 1 0 0\n4 7 5 6 1099511627776 0 0\n",
		"b.pcd": pcd + "binary\n" + little(one, byte(255), two, three, int64(-5), int16(0), nan, byte(9), nan, nan, int64(1), int16(0),
			float32(4), byte(7), float32(5), float32(6), int64(1<<40), int16(0)),
		"c.pcd": pcd + "binary_compressed\n" + pcdPacked(columns),
	} {
		c, err := Read(t.Context(), strings.NewReader(data), name, opt)
		if err != nil {
			t.Error(err)
			continue
		}
		if !reflect.DeepEqual(c.Columns, want) || len(c.Points) != 2 || c.At(1) != [3]float64{4, 5, 6} {
			t.Errorf("%s: columns %v, want %v; %v", name, c.Columns, want, c)
		}
	}
}

func TestColumnsRefused(t *testing.T) {
	const ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
	const pcd = "VERSION 0.7\nFIELDS x y z red red hist\nSIZE 4 4 4 1 1 1\nTYPE F F F U U U\nCOUNT 1 1 1 1 1 2\nWIDTH 1\nHEIGHT 1\nDATA ascii\n"
	for _, test := range []struct{ name, data, column, want string }{
		{"a.ply", ply + "property uchar Red\nend_header\n1 2 3 4 5\n", "red", "a.ply: line 8: second property Red"},
		{"a.ply", ply + "end_header\n1 2 3 red\n", "red", `a.ply: line 9: red: "red" is not a number`},
		{"a.pcd", pcd + "1 2 3 4 5 6 7\n", "red", "a.pcd: line 8: second field red"},
		{"a.pcd", pcd + "1 2 3 4 5 6 7\n", "hist", "a.pcd: line 8: field hist has COUNT 2, want 1"},
	} {
		c, err := Read(t.Context(), strings.NewReader(test.data), test.name, Options{Columns: []string{test.column}})
		if c != nil || err == nil || err.Error() != test.want {
			t.Errorf("%v, %v; want %s", c, err, test.want)
		}
		if _, err := Read(t.Context(), strings.NewReader(test.data), test.name, Options{}); err != nil {
			t.Errorf("without the column: %v", err)
		}
	}
}
