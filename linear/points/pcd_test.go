package points

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/soa"
)

const pcdHead = `# .PCD v0.7 - Point Cloud Data file format
VERSION 0.7
FIELDS x y z
SIZE 4 4 4
TYPE F F F
COUNT 1 1 1
WIDTH 3
HEIGHT 1
VIEWPOINT 0 0 0 1 0 0 0
POINTS 3
DATA `

// Fields in another order, of other types, with padding.
const pcdOdd = `VERSION .6
COLUMNS rgb z _ x hist y
SIZE 4 8 1 4 2 8
TYPE U F U F I F
COUNT 1 1 3 1 2 1
WIDTH 1
HEIGHT 2
DATA `

var (
	pcdBoxes    = []soa.AABB{point(1, 2, 3), point(-1.5, 0, 1e-3)}
	pcdOddBoxes = []soa.AABB{point(1, 2.5, 0.1), point(-1, -2.5, 0.2)}
)

func little(values ...any) string { return pack(binary.LittleEndian, values...) }

// pcdPacked returns the body of binary_compressed data.
func pcdPacked(columns string) string {
	packed := packLZF([]byte(columns))
	return little(uint32(len(packed)), uint32(len(columns)), string(packed))
}

func pcdSamples() []accepted {
	nan := float32(math.NaN())
	const line = ": 2 points in [-1.5 0 0.001] .. [1 2 3]; skipped 1 points with NaN alone"
	const oddLine = ": 2 points in [-1 -2.5 0.1] .. [1 2.5 0.2]"
	pad := [3]byte{9, 9, 9}
	binaryLine := strings.Replace(line, "0.001", fmt.Sprint(float64(float32(1e-3))), 1)
	return []accepted{
		{"a.pcd", pcdHead + "ascii\n1 2 3\nnan -nan nan\n\n-1.5 0 1e-3\n", Options{}, "PCD ascii" + line, pcdBoxes},
		{"b.pcd", pcdHead + "binary\n" + little([9]float32{1, 2, 3, nan, nan, nan, -1.5, 0, 1e-3}), Options{}, "PCD binary" + binaryLine, pcdBoxes},
		{"c.pcd", pcdHead + "binary_compressed\n" + pcdPacked(little([9]float32{1, nan, -1.5, 2, nan, 0, 3, nan, 1e-3})), Options{}, "PCD binary_compressed" + binaryLine, pcdBoxes},
		{"d.pcd", pcdOdd + "ascii\n4294967295 0.1 9 9 9 1 -5 6 2.5\r\n7 0.2 9 9 9 -1 5 6 -2.5", Options{}, "PCD ascii" + oddLine, pcdOddBoxes},
		{"e.pcd", pcdOdd + "binary\n" + little(uint32(7), 0.1, pad, float32(1), [2]int16{5, 6}, 2.5, uint32(8), 0.2, pad, float32(-1), [2]int16{7, 8}, -2.5),
			Options{}, "PCD binary" + oddLine, pcdOddBoxes},
		{"f.pcd", pcdOdd + "binary_compressed\n" + pcdPacked(little([2]uint32{7, 7}, 0.1, 0.2, float32(1), float32(-1), [4]int16{5, 6, 7, 8}, 2.5, -2.5)),
			Options{}, "PCD binary_compressed" + oddLine, pcdOddBoxes},
	}
}

func TestPCD(t *testing.T) {
	for _, a := range pcdSamples() {
		a.run(t)
	}
	empty := strings.NewReplacer("WIDTH 3", "WIDTH 0", "POINTS 3", "POINTS 0").Replace(pcdHead)
	accepted{"a.pcd", empty + "binary\n", Options{}, "PCD binary: 0 points", nil}.run(t)
}

func TestPCDRefused(t *testing.T) {
	edit := func(old, new string) string {
		if strings.Count(pcdHead, old) != 1 {
			t.Fatalf("%q is not there once", old)
		}
		return strings.Replace(pcdHead, old, new, 1) + "ascii\n1 2 3\n4 5 6\n7 8 9\n"
	}
	inf := float32(math.Inf(1))
	for _, test := range []refused{
		{"a.pcd", "# only a comment\n", "a.pcd: line 2: file ends early: no DATA line"},
		{"a.pcd", "DATA ascii\n", "a.pcd: line 1: header lacks VERSION"},
		{"a.pcd", edit("HEIGHT 1\n", ""), "a.pcd: line 10: header lacks HEIGHT"},
		{"a.pcd", edit("HEIGHT 1", "HEIGHT"), "a.pcd: line 8: HEIGHT line without a value"},
		{"a.pcd", edit("HEIGHT 1", "HEIGHT 1 3"), "a.pcd: line 8: HEIGHT line of 2 values, want 1"},
		{"a.pcd", edit("HEIGHT 1", "WIDTH 3"), "a.pcd: line 8: second WIDTH line"},
		{"a.pcd", edit("HEIGHT 1", "DEPTH 3"), `a.pcd: line 8: unknown header word "DEPTH 3": remove its line, or begin it with #`},
		{"a.pcd", edit("VERSION 0.7", "VERSION 0.8"), `a.pcd: line 11: PCD version "0.8", want 0.6 or 0.7`},
		{"a.pcd", pcdHead + "text\n", `a.pcd: line 11: PCD data "text", want ascii, binary or binary_compressed`},
		{"a.pcd", edit("SIZE 4 4 4", "SIZE 4 4"), "a.pcd: line 11: 3 fields, but 2 values of SIZE"},
		{"a.pcd", edit("TYPE F F F", "TYPE F F F F"), "a.pcd: line 11: 3 fields, but 4 values of TYPE"},
		{"a.pcd", edit("COUNT 1 1 1", "COUNT 1"), "a.pcd: line 11: 3 fields, but 1 values of COUNT"},
		{"a.pcd", edit("COUNT 1 1 1", "COUNT 1 1 0"), `a.pcd: line 11: no field z among "x y z", without the fields of COUNT 0`},
		{"a.pcd", edit("COUNT 1 1 1", "COUNT 1 1 1000000000000"), "a.pcd: line 11: field z: COUNT 1000000000000 is not 0 to 1048576"},
		{"a.pcd", edit("COUNT 1 1 1", "COUNT 1 1 1048576"), "a.pcd: line 11: a point of more than 1048576 bytes"},
		{"a.pcd", edit("COUNT 1 1 1", "COUNT 1 2 1"), "a.pcd: line 11: field y has TYPE F COUNT 2, want F and 1"},
		{"a.pcd", edit("TYPE F F F", "TYPE F F I"), "a.pcd: line 11: field z has TYPE I COUNT 1, want F and 1"},
		{"a.pcd", edit("TYPE F F F", "TYPE F F D"), "a.pcd: line 11: field z: no type D of size 4"},
		{"a.pcd", edit("SIZE 4 4 4", "SIZE 4 4 2"), "a.pcd: line 11: field z: no type F of size 2"},
		{"a.pcd", edit("SIZE 4 4 4", "SIZE 4 4 z"), "a.pcd: line 11: field z: no type F of size z"},
		{"a.pcd", edit("FIELDS x y z", "FIELDS x y w"), `a.pcd: line 11: no field z among "x y w", without the fields of COUNT 0`},
		{"a.pcd", edit("FIELDS x y z", "FIELDS x x z"), "a.pcd: line 11: second field x"},
		{"a.pcd", edit("WIDTH 3", "WIDTH three"), `a.pcd: line 11: WIDTH: "three" is not a count`},
		{"a.pcd", edit("WIDTH 3", "WIDTH 1000000000000"), "a.pcd: line 11: WIDTH: count 1000000000000 is more than 4294967295"},
		{"a.pcd", strings.NewReplacer("WIDTH 3", "WIDTH 4294967295", "HEIGHT 1", "HEIGHT 2").Replace(pcdHead) + "ascii\n", "a.pcd: line 11: WIDTH 4294967295 times HEIGHT 2 is more than 4294967295"},
		{"a.pcd", edit("POINTS 3", "POINTS 4"), "a.pcd: line 11: POINTS is 4, WIDTH times HEIGHT is 3"},
		{"a.pcd", edit("POINTS 3", "POINTS -3"), `a.pcd: line 11: POINTS: "-3" is not a count`},

		{"a.pcd", pcdHead + "ascii\n1 2 3\n1 2\n", "a.pcd: line 13: 2 values, want 3"},
		{"a.pcd", pcdHead + "ascii\n1 2 3\n1 2 3 4\n", "a.pcd: line 13: more than 3 values"},
		{"a.pcd", pcdHead + "ascii\n1 2 3\n1 2 c\n", `a.pcd: line 13: z: "c" is not a number`},
		{"a.pcd", pcdHead + "ascii\n1 2 3\n1 inf 3\n", `a.pcd: line 13: point 1: y is "inf", not finite` + out},
		{"a.pcd", pcdHead + "ascii\n1 2 3\n", "a.pcd: line 13: file ends early: 1 of 3 points"},
		{"a.pcd", pcdHead + "ascii\n1 2 3\n1 2 3\n1 2 3\n\n1 2 3\n", "a.pcd: line 16: data after the last record: the header counts fewer, or another file was appended"},

		{"a.pcd", pcdHead + "binary\n" + little([8]float32{}), "a.pcd: byte @32: file ends early: 2 of 3 points"},
		{"a.pcd", pcdHead + "binary\n" + little([5]float32{4: inf}, [4]float32{}), "a.pcd: byte @12: point 1: y is +Inf, not finite" + out},
		{"a.pcd", pcdHead + "binary\n" + little([9]float32{}, "\n"), "a.pcd: byte @36: data after the last record: the header counts fewer, or another file was appended"},

		{"a.pcd", pcdHead + "binary_compressed\n1234567", "a.pcd: byte @7: file ends early: no sizes of the compressed data"},
		{"a.pcd", pcdHead + "binary_compressed\n" + pcdPacked(little([8]float32{})), "a.pcd: byte @4: 32 uncompressed bytes, but 3 points of 12 bytes are 36"},
		{"a.pcd", pcdHead + "binary_compressed\n" + little(uint32(3), uint32(36), "\x00a"), "a.pcd: byte @10: file ends early: 3 bytes of compressed data"},
		{"a.pcd", pcdHead + "binary_compressed\n" + little(uint32(4), uint32(36), "\x00a\x20\x05"), "a.pcd: byte @10: compressed data: copy from 6 back, but 1 bytes unpacked"},
		{"a.pcd", pcdHead + "binary_compressed\n" + pcdPacked(little([8]float32{}, inf)), "a.pcd: byte @8: compressed data: point 2: z is +Inf, not finite" + out},
		{"a.pcd", pcdHead + "binary_compressed\n" + pcdPacked(little([9]float32{})) + "x", "a.pcd: byte @13: data after the last record: the header counts fewer, or another file was appended"},
	} {
		test.run(t)
	}
}

// packLZF packs src, greedily and slowly, into literal runs and copies of up to
// 264 bytes.
func packLZF(src []byte) (dst []byte) {
	var literal []byte
	flush := func() {
		for len(literal) > 0 {
			n := min(len(literal), 32)
			dst = append(append(dst, byte(n-1)), literal[:n]...)
			literal = literal[n:]
		}
	}
	for i := 0; i < len(src); {
		best, back := 0, 0
		for from := max(0, i-8192); from < i; from++ {
			n := 0
			for i+n < len(src) && n < 264 && src[from+n] == src[i+n] {
				n++
			}
			if n > best {
				best, back = n, i-from-1
			}
		}
		if best < 3 {
			literal = append(literal, src[i])
			i++
			continue
		}
		flush()
		i += best
		if best < 9 {
			dst = append(dst, byte((best-2)<<5|back>>8), byte(back))
		} else {
			dst = append(dst, byte(7<<5|back>>8), byte(best-9), byte(back))
		}
	}
	flush()
	return dst
}

// unpackAll unpacks src into memory.
func unpackAll(src []byte, size int64) (dst []byte, used int, err error) {
	s, _, err := open(nil, bytes.NewReader(append([]byte("not gzip"), src...)), "a")
	if err != nil {
		return nil, 0, err
	}
	s.skip(8)
	z := lzf{s: s, left: int64(len(src)), size: size, emit: func(b []byte) { dst = append(dst, b...) }}
	if ok, err := z.unpack(); err != nil || !ok {
		return nil, int(z.item), err
	}
	return dst, int(z.item), nil
}

func TestLZF(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	noise := make([]byte, 9000)
	for i := range noise {
		noise[i] = byte(r.IntN(256))
	}
	far := append(bytes.Clone(noise[:8192]), noise[:300]...)
	for _, src := range [][]byte{nil, {5}, []byte("abcabcabcabcd"), bytes.Repeat([]byte{0}, 1000), noise[:33], far} {
		packed := packLZF(src)
		got, used, err := unpackAll(packed, int64(len(src)))
		if err != nil || used != len(packed) || !bytes.Equal(got, src) {
			t.Errorf("%d bytes: used %d of %d, %v", len(src), used, len(packed), err)
		}
	}
}

func TestLZFMalformed(t *testing.T) {
	for _, test := range []struct {
		src  string
		size int64
		used int
		want string
	}{
		{"", 1, 0, "unpacks to 0 bytes, want 1"},
		{"\x00a", 2, 2, "unpacks to 1 bytes, want 2"},
		{"\x00a\x01bc", 2, 2, "unpacks to more than 2 bytes"},
		{"\x02ab", 3, 0, "ends inside a literal run"},
		{"\x00a\x20", 9, 2, "ends inside a copy"},
		{"\x00a\xe0", 99, 2, "ends inside a copy"},
		{"\x00a\xe0\x00", 99, 2, "ends inside a copy"},
		{"\x00a\x20\x01", 9, 2, "copy from 2 back, but 1 bytes unpacked"},
		{"\x20\x00", 9, 0, "copy from 1 back, but 0 bytes unpacked"},
	} {
		_, used, err := unpackAll([]byte(test.src), test.size)
		if err == nil || err.Error() != test.want || used != test.used {
			t.Errorf("%q: %d %v, want %d %s", test.src, used, err, test.used, test.want)
		}
	}
}

func FuzzLZF(f *testing.F) {
	f.Add([]byte("abcabcabcabc"), uint32(12))
	f.Add([]byte("\x02abc\xe0\x10\x02"), uint32(28))
	f.Fuzz(func(t *testing.T, data []byte, size uint32) {
		got, _, err := unpackAll(data, int64(size))
		if err == nil && len(got) != int(size) {
			t.Fatalf("%d bytes, want %d", len(got), size)
		}
		if cap(got) > 64+512*len(data) {
			t.Fatalf("%d bytes from %d", cap(got), len(data))
		}
		if len(data) > 4096 {
			return
		}
		got, _, err = unpackAll(packLZF(data), int64(len(data)))
		if err != nil || !bytes.Equal(got, data) {
			t.Fatalf("round trip: %v", err)
		}
	})
}

func TestQuote(t *testing.T) {
	if got := quote([]byte("a\x00b")); got != `"a\x00b"` {
		t.Error(got)
	}
	if got := quote([]byte(strings.Repeat("x", 1000))); got != `"`+strings.Repeat("x", 40)+`"...` {
		t.Error(got)
	}
}
