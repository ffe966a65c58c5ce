package points

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// lasFile is a LAS file to write. Zero values mean a correct file.
type lasFile struct {
	minor, format byte
	scale, offset [3]float64 // zero means 0.01 and 0
	points        []lasPoint
	records       []lasRecord
	extended      []lasRecord // after the points
	waveforms     bool        // the extended record has waveforms, as in LAS 1.3

	longer  int    // bytes that the header has in addition
	padding int    // bytes before the points
	extra   int    // bytes of each point in addition
	gap     int    // bytes after the points
	legacy  uint32 // in LAS 1.4; the number of points in the others
}

type lasRecord struct {
	user, data string
}

// lasPoint is a point with all attributes of any format.
type lasPoint struct {
	x                                 [3]int32
	intensity                         uint16
	number, returns                   byte
	direction, edge                   bool
	class                             byte
	synthetic, key, withheld, overlap bool
	channel                           byte
	angle                             int16 // degrees in formats 0 to 5, else 0.006 degrees
	user                              byte
	source                            uint16
	time                              float64
	red, green, blue, nir             uint16
}

// lasLengths are the sizes of the point formats, by the tables of the specification.
var lasLengths = []int{20, 28, 26, 34, 57, 63, 30, 36, 38, 59, 67}

func flag(set bool, bit int) byte {
	if set {
		return 1 << bit
	}
	return 0
}

// data returns the bytes of the file.
func (f lasFile) data() string {
	base := f.format & 0x3f
	header := map[byte]int{2: 227, 3: 235, 4: 375}[f.minor] + f.longer
	var records, points, extended strings.Builder
	for _, r := range f.records {
		records.WriteString(little(uint16(0), pad(r.user, 16), uint16(7), uint16(len(r.data)), pad("of a test", 32), r.data))
	}
	for _, r := range f.extended {
		extended.WriteString(little(uint16(0), pad(r.user, 16), uint16(7), uint64(len(r.data)), pad("of a test", 32), r.data))
	}
	for _, p := range f.points {
		points.WriteString(p.data(base) + strings.Repeat("\xfe", f.extra))
	}
	pointsAt := header + records.Len() + f.padding
	extendedAt := uint64(pointsAt + points.Len() + f.gap)
	if f.scale == [3]float64{} {
		f.scale = [3]float64{0.01, 0.01, 0.01}
	}
	encoding, waveformsAt := uint16(0), uint64(0)
	if f.waveforms {
		encoding, waveformsAt = 1<<1, extendedAt
	}
	legacy := f.legacy
	if f.minor < 4 {
		legacy = uint32(len(f.points))
	}
	if len(f.extended) == 0 {
		extendedAt = 0
	}
	head := little("LASF", uint16(0), encoding, pad("", 16), byte(1), f.minor, pad("a system", 32), pad("a writer of tests", 32), uint16(1), uint16(2026),
		uint16(header), uint32(pointsAt), uint32(len(f.records)), f.format, uint16(lasLengths[base%11]+f.extra), legacy, [5]uint32{},
		f.scale, f.offset, [6]float64{})
	if f.minor >= 3 {
		head += little(waveformsAt)
	}
	if f.minor >= 4 {
		head += little(extendedAt, uint32(len(f.extended)), uint64(len(f.points)), [15]uint64{})
	}
	return pad(head, header) + records.String() + pad("", f.padding) + points.String() + pad("", f.gap) + extended.String()
}

func pad(s string, n int) string { return s + strings.Repeat("\x00", n-len(s)) }

// data returns the bytes of a point in a format.
func (p lasPoint) data(format byte) (s string) {
	s = little(p.x, p.intensity)
	if format < 6 {
		s += little(p.number|p.returns<<3|flag(p.direction, 6)|flag(p.edge, 7),
			p.class|flag(p.synthetic, 5)|flag(p.key, 6)|flag(p.withheld, 7), int8(p.angle), p.user, p.source)
	} else {
		s += little(p.number|p.returns<<4,
			flag(p.synthetic, 0)|flag(p.key, 1)|flag(p.withheld, 2)|flag(p.overlap, 3)|p.channel<<4|flag(p.direction, 6)|flag(p.edge, 7),
			p.class, p.user, p.angle, p.source)
	}
	switch format {
	case 1, 3, 4, 5, 6, 7, 8, 9, 10:
		s += little(p.time)
	}
	switch format {
	case 2, 3, 5, 7, 8, 10:
		s += little(p.red, p.green, p.blue)
	}
	switch format {
	case 8, 10:
		s += little(p.nir)
	}
	return s + pad("", lasLengths[format]-len(s)) // a waveform packet
}

// values returns the columns of a point in a format of a file.
func (p lasPoint) values(f lasFile) map[string]float64 {
	number := func(set bool) float64 { return float64(flag(set, 0)) }
	v := map[string]float64{
		"intensity": float64(p.intensity), "return_number": float64(p.number), "number_of_returns": float64(p.returns),
		"scan_direction_flag": number(p.direction), "edge_of_flight_line": number(p.edge), "classification": float64(p.class),
		"synthetic": number(p.synthetic), "key_point": number(p.key), "withheld": number(p.withheld),
		"scan_angle": float64(p.angle), "user_data": float64(p.user), "point_source_id": float64(p.source),
	}
	if f.format >= 6 {
		v["overlap"], v["scanner_channel"], v["scan_angle"] = number(p.overlap), float64(p.channel), float64(p.angle)*0.006
	}
	switch f.format {
	case 1, 3, 4, 5, 6, 7, 8, 9, 10:
		v["gps_time"] = p.time
	}
	switch f.format {
	case 2, 3, 5, 7, 8, 10:
		v["red"], v["green"], v["blue"] = float64(p.red), float64(p.green), float64(p.blue)
	}
	switch f.format {
	case 8, 10:
		v["nir"] = float64(p.nir)
	}
	for a, name := range []string{"x", "y", "z"} {
		v[name] = f.at(p)[a]
	}
	return v
}

// at returns the coordinates of a point.
func (f lasFile) at(p lasPoint) (at [3]float64) {
	for a, x := range p.x {
		scaled := float64(x) * f.scale[a]
		at[a] = float64(scaled) + f.offset[a]
	}
	return at
}

// lasNames are the names of all columns.
var lasNames = []string{
	"x", "y", "z", "intensity", "return_number", "number_of_returns", "scan_direction_flag", "edge_of_flight_line", "classification", "synthetic",
	"key_point", "withheld", "overlap", "scanner_channel", "scan_angle", "user_data", "point_source_id", "gps_time", "red", "green", "blue", "nir",
}

// randomLAS returns a file of n points of a version and format.
func randomLAS(r interface {
	Uint64() uint64
	Float64() float64
}, minor, format byte, n int) lasFile {
	f := lasFile{minor: minor, format: format, scale: [3]float64{0.001, 0.01, -0.25}, offset: [3]float64{512000, 5403000.5, -100}}
	bits := func(n int) uint64 { return r.Uint64() >> (64 - n) }
	narrow := map[bool]int{true: 5, false: 8}[format < 6]
	for range n {
		p := lasPoint{
			x:         [3]int32{int32(bits(20)), -int32(bits(20)), int32(bits(10))},
			intensity: uint16(bits(16)), class: byte(bits(narrow)), number: byte(bits(3)), returns: byte(bits(3)),
			direction: bits(1) == 0, edge: bits(1) == 0, synthetic: bits(1) == 0, key: bits(1) == 0, withheld: bits(1) == 0,
			angle: int16(int8(bits(8))), user: byte(bits(8)), source: uint16(bits(16)),
			time: 1e9 * r.Float64(), red: uint16(bits(16)), green: uint16(bits(16)), blue: uint16(bits(16)), nir: uint16(bits(16)),
		}
		if format >= 6 {
			p.number, p.returns, p.channel, p.overlap, p.angle = byte(bits(4)), byte(bits(4)), byte(bits(2)), bits(1) == 0, int16(bits(16))
		}
		f.points = append(f.points, p)
	}
	return f
}

// lasSamples returns a file of each version and format, with all parts that a file may have.
func lasSamples() (all []accepted) {
	r := testkit.Rand(1)
	for _, minor := range []byte{2, 3, 4} {
		for format := range 1 + lasVersions[minor-2].format {
			f := randomLAS(r, minor, format, 5)
			f.extra, f.padding, f.longer = int(format%3), int(format%4), int(format%5)
			if format%2 == 1 {
				f.records = []lasRecord{{"LASF_Projection", "\x01\x00"}, {"LASF_Spec", ""}}
			}
			if minor == 3 && format >= 4 || minor == 4 && format%3 == 0 {
				f.waveforms = minor == 3
				f.extended = []lasRecord{{"LASF_Spec", strings.Repeat("w", 300)}}
				f.gap = int(format % 2)
			}
			a := accepted{name: fmt.Sprintf("%d-%d.las", minor, format), data: f.data(), line: fmt.Sprintf("LAS 1.%d format %d: 5 points in ", minor, format)}
			lo, hi := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}, [3]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}
			for _, p := range f.points {
				for a, x := range f.at(p) {
					lo[a], hi[a] = min(lo[a], x), max(hi[a], x)
				}
				at := f.at(p)
				a.boxes = append(a.boxes, point(float32(at[0]), float32(at[1]), float32(at[2])))
			}
			a.line += fmt.Sprintf("%v .. %v", lo, hi)
			var skipped []string
			if n := len(f.records); n > 0 {
				skipped = append(skipped, fmt.Sprint(n, " variable length records"))
			}
			if n := len(f.extended); n > 0 {
				skipped = append(skipped, fmt.Sprint(n, " extended variable length records"))
			}
			if skipped != nil {
				a.line += "; skipped " + strings.Join(skipped, ", ")
			}
			all = append(all, a)
		}
	}
	return all
}

func TestLAS(t *testing.T) {
	for _, a := range lasSamples() {
		a.run(t)
	}
	accepted{"a", lasFile{minor: 2}.data(), Options{}, "LAS 1.2 format 0: 0 points", nil}.run(t)
	accepted{"a.csv", lasFile{minor: 4, legacy: 1, points: []lasPoint{{x: [3]int32{100, 200, -50}}}}.data(), Options{},
		"LAS 1.4 format 0: 1 points in [1 2 -0.5] .. [1 2 -0.5]", []soa.AABB{point(1, 2, -0.5)}}.run(t)
}

// The columns of all formats in all versions.
func TestLASColumns(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for range testkit.Count(t, 5, 500) {
		for _, minor := range []byte{2, 3, 4} {
			for format := range 1 + lasVersions[minor-2].format {
				f := randomLAS(r, minor, format, 7)
				f.extra = int(r.Uint32N(3))
				c, err := Read(t.Context(), strings.NewReader(f.data()), "a.las", Options{Columns: append([]string{"Intensity", "missing"}, lasNames...)})
				testkit.Must(t, err)
				want := map[string][]float64{}
				for i, p := range f.points {
					at := f.at(p)
					for name, v := range p.values(f) {
						want[name] = append(want[name], v)
					}
					for a := range 3 {
						if off := math.Abs(c.At(i)[a] - at[a]); off > 1<<14*0x1p-24 {
							t.Fatalf("1.%d, format %d: point %d at %v, want %v", minor, format, i, c.At(i), at)
						}
					}
				}
				want["Intensity"] = want["intensity"]
				if !reflect.DeepEqual(c.Columns, want) {
					t.Fatalf("1.%d, format %d: columns %v\nwant %v", minor, format, c.Columns, want)
				}
			}
		}
	}
}

func TestLASRefused(t *testing.T) {
	two := []lasPoint{{x: [3]int32{1, 2, 3}}, {x: [3]int32{4, 5, 6}}}
	edit := func(f lasFile, at int, values ...any) string {
		f.points = two
		b := []byte(f.data())
		copy(b[at:], little(values...))
		return string(b)
	}
	old, now := lasFile{minor: 2}, lasFile{minor: 4, format: 6}
	whole := lasFile{minor: 4, points: two, records: []lasRecord{{"a", "12"}}, extended: []lasRecord{{"a", "1234"}, {"b", ""}}}.data()
	end := len(whole)
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []refused{
		{"a.las", "LASF", "a.las: byte 4: file ends early: header of 4 bytes, at least 227 are needed"},
		{"a.las", edit(old, 0)[:226], "a.las: byte 226: file ends early: header of 226 bytes, at least 227 are needed"},
		{"a.las", edit(now, 0)[:374], "a.las: byte 374: file ends early: header of 374 bytes, LAS 1.4 has at least 375"},
		{"a.las", edit(old, 24, byte(1), byte(1)), "a.las: byte 24: LAS version 1.1, want 1.2 to 1.4: convert it, for example with pdal translate"},
		{"a.las", edit(old, 24, byte(1), byte(5)), "a.las: byte 24: LAS version 1.5, want 1.2 to 1.4: convert it, for example with pdal translate"},
		{"a.las", edit(old, 24, byte(2), byte(2)), "a.las: byte 24: LAS version 2.2, want 1.2 to 1.4: convert it, for example with pdal translate"},
		{"a.las", edit(old, 94, uint16(226)), "a.las: byte 94: header of 226 bytes, LAS 1.2 has at least 227"},
		{"a.las", edit(old, 25, byte(3)), "a.las: byte 94: header of 227 bytes, LAS 1.3 has at least 235"},
		{"a.las", edit(old, 94, uint16(228)), "a.las: byte 96: points at byte 227, inside the header of 228 bytes"},
		{"a.las", edit(now, 94, uint16(65535), uint32(math.MaxUint32))[:400], "a.las: byte 400: file ends early: header of 65535 bytes"},
		{"a.las", edit(old, 96, uint32(math.MaxUint32)), "a.las: byte 267: file ends early: points at byte 4294967295"},
		{"a.las", edit(old, 100, uint32(1)), "a.las: byte 227: variable length record 0 of 1 does not end before the points at byte 227"},
		{"a.las", edit(old, 104, byte(4)), "a.las: byte 104: point format 4, LAS 1.2 has 0 to 3"},
		{"a.las", edit(now, 104, byte(11)), "a.las: byte 104: point format 11, LAS 1.4 has 0 to 10"},
		{"a.las", edit(old, 105, uint16(19)), "a.las: byte 105: points of 19 bytes, point format 0 has at least 20"},
		{"a.las", edit(now, 105, uint16(29)), "a.las: byte 105: points of 29 bytes, point format 6 has at least 30"},
		{"a.las", edit(old, 107, uint32(3)), "a.las: byte 267: file ends early: 2 of 3 points"},
		{"a.las", edit(old, 107, uint32(1)), "a.las: byte 247: data after the last record: the header counts fewer, or another file was appended"},
		{"a.las", edit(old, 107, uint32(math.MaxUint32)), "a.las: byte 107: the header counts 4294967295 points, at most 67108864 are read: set Options.MaxPoints to read more"},
		{"a.las", edit(now, 107, uint32(1)), "a.las: byte 247: the header counts 2 points, its legacy field 1: correct the header, for example with pdal translate"},
		{"a.las", edit(now, 247, uint64(math.MaxUint64)), "a.las: byte 247: the header counts 18446744073709551615 points, at most 67108864 are read: set Options.MaxPoints to read more"},
		{"a.las", edit(old, 131, 0.0), "a.las: byte 131: x scale factor 0, want a finite number other than 0"},
		{"a.las", edit(old, 139, nan), "a.las: byte 139: y scale factor NaN, want a finite number other than 0"},
		{"a.las", edit(old, 147, -inf), "a.las: byte 147: z scale factor -Inf, want a finite number other than 0"},
		{"a.las", edit(old, 163, nan), "a.las: byte 163: y offset NaN, want a finite number"},
		{"a.las", edit(old, 171, inf), "a.las: byte 171: z offset +Inf, want a finite number"},
		{"a.las", edit(old, 139, math.MaxFloat64), "a.las: byte 227: point 0: y is +Inf, not finite" + out},
		{"a.las", edit(old, 155, 1e39), "a.las: byte 227: point 0: x is 1e+39, beyond float32" + out},
		{"a.las", edit(old, 266, "?") + "x", "a.las: byte 267: data after the last record: the header counts fewer, or another file was appended"},

		{"a.las", whole + "x", fmt.Sprintf("a.las: byte %d: data after the last record: the header counts fewer, or another file was appended", end)},
		{"a.las", whole[:end-1], fmt.Sprintf("a.las: byte %d: file ends early: extended variable length record 1 of 2", end-1)},
		{"a.las", whole[:end-61], fmt.Sprintf("a.las: byte %d: file ends early: extended variable length record 0 of 2", end-61)},
		{"a.las", whole[:400], "a.las: byte 400: file ends early: variable length record 0 of 1"},
		{"a.las", whole[:430], "a.las: byte 430: file ends early: variable length record 0 of 1"},
		{"a.las", splice(whole, 235, uint64(470)), "a.las: byte 471: extended variable length records at byte 470, before the end of the points"},
		{"a.las", splice(whole, 235, uint64(math.MaxUint64)), fmt.Sprintf("a.las: byte %d: file ends early: extended variable length records at byte 18446744073709551615", end)},
		{"a.las", splice(whole, 471+20, uint64(math.MaxUint64)), fmt.Sprintf("a.las: byte %d: file ends early: extended variable length record 0 of 2", end)},
		{"a.las", splice(whole, 375+20, uint16(3)), "a.las: byte 375: variable length record 0 of 1 does not end before the points at byte 431"},
	} {
		test.run(t)
	}
}

// splice returns data with the bytes of a value at an offset.
func splice(data string, at int, value any) string {
	s := little(value)
	return data[:at] + s + data[at+len(s):]
}

// The columns of files without a header have the names of their numbers, except those of PTS.
func TestUnnamedColumns(t *testing.T) {
	for _, test := range []struct {
		name, data string
		want       map[string][]float64
	}{
		{"a.xyz", "1 2 3 7 8 9 10\n", map[string][]float64{"x": {1}, "4": {7}, "5": {8}, "7": {10}}},
		{"a.pts", "1 2 3 7\n", map[string][]float64{"x": {1}, "intensity": {7}}},
		{"a.pts", "1\n1 2 3 7 8\n", map[string][]float64{"x": {1}, "4": {7}, "5": {8}}},
		{"a.pts", "1 2 3 7 8 9\n", map[string][]float64{"x": {1}, "red": {7}, "green": {8}, "blue": {9}}},
		{"a.pts", "1 2 3 -7 7 8 9\n", map[string][]float64{"x": {1}, "intensity": {-7}, "red": {7}, "green": {8}, "blue": {9}}},
		{"a.pts", "1;2;3;1,5;\n", map[string][]float64{"x": {1}, "intensity": {1.5}}},
	} {
		c, err := Read(t.Context(), strings.NewReader(test.data), test.name, Options{Columns: []string{"x", "4", "5", "7", "intensity", "red", "green", "blue"}})
		if want := map[string]string{"a.xyz": "XYZ", "a.pts": "PTS"}[test.name]; err != nil || c.Format != want || !reflect.DeepEqual(c.Columns, test.want) {
			t.Errorf("%s %q: %v, %v: %v", test.name, test.data, err, c, test.want)
		}
	}
}

// A point beyond float32 is left out, with its attributes.
func TestLASSkipInvalid(t *testing.T) {
	f := lasFile{minor: 2, scale: [3]float64{1e30, 1, 1}, points: []lasPoint{{x: [3]int32{1}, user: 1}, {x: [3]int32{math.MaxInt32}, user: 2}, {x: [3]int32{2}, user: 3}}}
	c, err := Read(t.Context(), strings.NewReader(f.data()), "a.las", Options{SkipInvalid: true, Columns: []string{"user_data"}})
	testkit.Must(t, err)
	if !reflect.DeepEqual(c.Kept, []uint32{0, 2}) || !reflect.DeepEqual(c.Columns["user_data"], []float64{1, 3}) {
		t.Errorf("kept %v with %v", c.Kept, c.Columns)
	}
}

// hostileLAS changes a file: fields of the header, single bits, and its length.
func hostileLAS(r interface{ IntN(int) int }, data []byte) []byte {
	fields := []struct{ at, size int }{
		{24, 2}, {6, 2}, {94, 2}, {96, 4}, {100, 4}, {104, 1}, {105, 2}, {107, 4}, {131, 8}, {155, 8}, {227, 8}, {235, 8}, {243, 4}, {247, 8},
	}
	values := []uint64{0, 1, 2, 0x7f, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 1 << 62, 1 << 63, math.MaxUint64, math.Float64bits(math.NaN()),
		math.Float64bits(math.Inf(1)), math.Float64bits(1e300), math.Float64bits(5e-324)}
	for range r.IntN(4) {
		f := fields[r.IntN(len(fields))]
		if f.at+f.size > len(data) {
			continue
		}
		v := values[r.IntN(len(values))]
		if r.IntN(2) == 0 { // near the present value
			var b [8]byte
			copy(b[:], data[f.at:f.at+f.size])
			v = binary.LittleEndian.Uint64(b[:]) + uint64(r.IntN(7)) - 3
		}
		b := binary.LittleEndian.AppendUint64(nil, v)
		copy(data[f.at:f.at+f.size], b)
	}
	for range r.IntN(3) {
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
	}
	switch r.IntN(4) {
	case 0:
		data = data[:r.IntN(len(data)+1)]
	case 1:
		data = append(data, make([]byte, r.IntN(100))...)
	}
	return data
}

// Hostile files are read or refused with memory in proportion to their size, and a cloud that is read is sound.
func TestHostileLAS(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var samples []string
	for _, a := range lasSamples() {
		samples = append(samples, a.data)
	}
	opt := Options{Columns: lasNames}
	read, kept := 0, 0
	n := testkit.Count(t, 3000, 1_000_000)
	for i := range n {
		data := hostileLAS(r, []byte(samples[r.IntN(len(samples))]))
		opt.SkipInvalid, opt.MaxPoints = r.IntN(2) == 0, []int{0, math.MaxInt32}[r.IntN(2)]
		var c *Cloud
		var err error
		grown := allocated(func() { c, err = Read(nil, strings.NewReader(string(data)), "a.las", opt) })
		if limit := uint64(1<<19 + 128*len(data)); grown > limit {
			t.Fatalf("file %d: %d bytes allocated for %d: %v, %v\n%q", i, grown, len(data), c, err, data)
		}
		if err == nil {
			check(t, c)
			read++
			kept += len(c.Points)
			if len(c.Points)*20 > len(data) {
				t.Fatalf("file %d: %d points of %d bytes", i, len(c.Points), len(data))
			}
		} else if !strings.HasPrefix(err.Error(), "a.las: ") || c != nil {
			t.Fatalf("file %d: %v, %v", i, c, err)
		}
	}
	if read < n/10 || read > n*9/10 || kept < n/10 {
		t.Errorf("%d of %d files are read, with %d points: the others must be refused", read, n, kept)
	}
}

func FuzzLAS(f *testing.F) { fuzz(f, "a.las", 128) }
