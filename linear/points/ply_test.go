package points

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

const plySquare = `ply
format ascii 1.0
comment a square and a triangle
obj_info by hand
element vertex 5
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
0 0 0
1 0 0
1 1 0.5
0 1 0
2 2 2
4 0 1 2 3
3 1 2 4
`

// A header with all kinds of elements and lines to skip, before and after the vertices.
const plyOdd = `ply
format %s 1.0
element camera 2
property short id
property list ushort double knots
element face 3
property uchar flags
property list char uint vertex_index
property list int float weights
element vertex 4
property double y
property uchar red
property list uchar short tags
property short x
property double z
element edge 1
property int vertex1
end_header
`

var (
	plySquareBoxes = []soa.AABB{box(0, 0, 0, 1, 1, 0.5), box(1, 0, 0, 2, 2, 2)}
	plyOddBoxes    = []soa.AABB{box(-3, 0.1, 0, 9, 2.5, 1e-3)}
)

const plyOddLine = ": 1 faces of 4 vertices in [-3 0.1 -4] .. [9 2.5 0.001]; skipped 2 of element camera, 1 of element edge, 2 faces of fewer than 3 vertices"

func plyOddAs(encoding, body string) string {
	return strings.Replace(plyOdd, "%s", encoding, 1) + body
}

func plyBinary(order binary.AppendByteOrder) string {
	return pack(order,
		int16(7), uint16(2), 1.5, 2.5, int16(8), uint16(0),
		byte(0), int8(3), uint32(3), uint32(0), uint32(1), int32(1), float32(0.5),
		byte(0), int8(2), uint32(0), uint32(1), int32(0),
		byte(0), int8(0), int32(0),
		0.1, byte(255), byte(0), int16(9), 0.0,
		2.5, byte(255), byte(2), int16(1), int16(2), int16(-3), 1e-3,
		0.2, byte(255), byte(0), int16(5), -4.0,
		0.3, byte(255), byte(1), int16(1), int16(4), 0.0,
		int32(6))
}

func plySamples() []accepted {
	const odd = `7 2 1.5 2.5
8 0
0 3 3 0 1 1 0.5

0 2 0 1 0
0 0 0
0.1 255 0 9 0
2.5 255 2 1 2 -3 1e-3
0.2 255 0 5 -4
	0.3 255  1 1 4 0	
6
`
	return []accepted{
		{"a.ply", plySquare, Options{}, "PLY ascii: 2 faces of 5 vertices in [0 0 0] .. [2 2 2]", plySquareBoxes},
		{"crlf.ply", strings.ReplaceAll(plySquare, "\n", "\r\n"), Options{}, "PLY ascii: 2 faces of 5 vertices in [0 0 0] .. [2 2 2]", plySquareBoxes},
		{"p.ply", plySquare, Options{NoFaces: true}, "PLY ascii: 5 points in [0 0 0] .. [2 2 2]; skipped 2 faces",
			[]soa.AABB{point(0, 0, 0), point(1, 0, 0), point(1, 1, 0.5), point(0, 1, 0), point(2, 2, 2)}},
		{"odd.ply", plyOddAs("ascii", odd), Options{}, "PLY ascii" + plyOddLine, plyOddBoxes},
		{"le.ply", plyOddAs("binary_little_endian", plyBinary(binary.LittleEndian)), Options{}, "PLY binary_little_endian" + plyOddLine, plyOddBoxes},
		{"be.ply", plyOddAs("binary_big_endian", plyBinary(binary.BigEndian)), Options{}, "PLY binary_big_endian" + plyOddLine, plyOddBoxes},
	}
}

func TestPLY(t *testing.T) {
	for _, a := range plySamples() {
		a.run(t)
	}
}

// Every scalar type, in both orders, with its extreme values.
func TestPLYTypes(t *testing.T) {
	for name, values := range map[string][2]any{
		"char": {int8(-128), int8(127)}, "int8": {int8(-128), int8(127)},
		"uchar": {uint8(0), uint8(255)}, "uint8": {uint8(0), uint8(255)},
		"short": {int16(-32768), int16(32767)}, "int16": {int16(-32768), int16(32767)},
		"ushort": {uint16(0), uint16(65535)}, "uint16": {uint16(0), uint16(65535)},
		"int": {int32(math.MinInt32), int32(math.MaxInt32)}, "int32": {int32(math.MinInt32), int32(math.MaxInt32)},
		"uint": {uint32(0), uint32(math.MaxUint32)}, "uint32": {uint32(0), uint32(math.MaxUint32)},
		"float": {float32(-0.5), float32(math.MaxFloat32)}, "float32": {float32(-0.5), float32(math.MaxFloat32)},
		"double": {-0.5, 0x1.0000010000001p0}, "float64": {-0.5, 0x1.0000010000001p0},
	} {
		for encoding, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
			header := "ply\nformat binary_" + encoding + "_endian 1.0\nelement vertex 1\nproperty T x\nproperty T y\nproperty T z\nend_header\n"
			data := strings.ReplaceAll(header, "T", name) + pack(order, values[0], values[1], values[0])
			d, err := Read(t.Context(), strings.NewReader(data), "a.ply", atZero(Options{}))
			testkit.Must(t, err)
			lo, hi := asFloat32(values[0]), asFloat32(values[1])
			if got, want := shapes(d)[0], point(lo, hi, lo); got != want {
				t.Errorf("%s %s: %v, want %v", encoding, name, got, want)
			}
		}
	}
}

func asFloat32(v any) float32 {
	switch v := v.(type) {
	case int8:
		return float32(v)
	case uint8:
		return float32(v)
	case int16:
		return float32(v)
	case uint16:
		return float32(v)
	case int32:
		return float32(v)
	case uint32:
		return float32(v)
	case float32:
		return v
	}
	return float32(v.(float64))
}

func TestPLYMesh(t *testing.T) {
	d, err := Read(t.Context(), strings.NewReader(plySquare), "a.ply", Options{})
	testkit.Must(t, err)
	if d.Faces() != 2 || len(d.Face(0)) != 4 || len(d.Face(1)) != 3 || d.Face(1)[2] != 4 {
		t.Errorf("faces %v %v", d.Face(0), d.Face(1))
	}
	if d.Points[2] != [3]float32{1, 1, 0.5} {
		t.Errorf("vertices %v", d.Points)
	}
}

func TestPLYRefused(t *testing.T) {
	// edit replaces a part of the square.
	edit := func(old, new string) string {
		if strings.Count(plySquare, old) != 1 {
			t.Fatalf("%q is not there once", old)
		}
		return strings.Replace(plySquare, old, new, 1)
	}
	const xyz = "property float x\nproperty float y\nproperty float z\n"
	const le = "ply\nformat binary_little_endian 1.0\nelement vertex 1\n" + xyz
	const faces = "element face 1\nproperty list char short vertex_indices\nend_header\n"
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	vertex := [3]float32{1, 2, 3}
	little := func(values ...any) string { return pack(binary.LittleEndian, values...) }

	for _, test := range []refused{
		{"a.ply", "plx\n", "a.ply: line 1: not a PLY file: the first line is \"plx\", want ply: give it the extension of its format"},
		{"a.ply", "ply\n", "a.ply: line 2: file ends early: no end_header"},
		{"a.ply", "ply\nend_header\n", "a.ply: line 2: no format line"},
		{"a.ply", "ply\nformat ascii 1.0\nend_header\n", "a.ply: line 3: no element vertex: rename the element of the points to vertex, with properties x, y and z"},
		{"a.ply", "ply\nformat ascii 1.0\nelement vertex 0\nend_header\n", "a.ply: line 4: element vertex lacks x, y or z"},
		{"a.ply", "ply\nproperty int x\n", "a.ply: line 2: property before the first element"},
		{"a.ply", edit("ascii 1.0", "ascii 1.1"), `a.ply: line 2: PLY version "1.1", want 1.0`},
		{"a.ply", edit("ascii 1.0", "binary 1.0"), `a.ply: line 2: PLY encoding "binary", want ascii, binary_little_endian or binary_big_endian`},
		{"a.ply", edit("ascii 1.0", "ascii"), "a.ply: line 2: format line wants an encoding and a version"},
		{"a.ply", edit("obj_info by hand", "format ascii 1.0"), "a.ply: line 4: second format line"},
		{"a.ply", edit("obj_info by hand", "remark"), `a.ply: line 4: unknown header word "remark", want format, element, property, comment, obj_info or end_header`},
		{"a.ply", edit("vertex 5", "vertex"), "a.ply: line 5: element line wants a name and a count"},
		{"a.ply", edit("vertex 5", "vertex -5"), `a.ply: line 5: element vertex: "-5" is not a count`},
		{"a.ply", edit("vertex 5", "vertex 5.0"), `a.ply: line 5: element vertex: "5.0" is not a count`},
		{"a.ply", edit("element face 2", "element vertex 2"), "a.ply: line 9: second element vertex"},
		{"a.ply", edit("float x", "x"), "a.ply: line 6: property line wants a type and a name, or list, two types and a name"},
		{"a.ply", edit("property float x", "property"), "a.ply: line 6: property line wants a type and a name, or list, two types and a name"},
		{"a.ply", edit("property list uchar int vertex_indices", "property list"), "a.ply: line 10: property line wants a type and a name, or list, two types and a name"},
		{"a.ply", edit("list uchar int", "list int"), "a.ply: line 10: property line wants a type and a name, or list, two types and a name"},
		{"a.ply", edit("float x", "real x"), `a.ply: line 6: property x: unknown type "real", want char to double or int8 to float64`},
		{"a.ply", edit("float y", "float x"), "a.ply: line 7: second property x"},
		{"a.ply", edit("float y", "float q"), "a.ply: line 11: element vertex lacks x, y or z"},
		{"a.ply", edit("list uchar int", "list float int"), "a.ply: line 10: list vertex_indices has a length of type float"},
		{"a.ply", edit("list uchar int", "list uchar float"), "a.ply: line 10: list vertex_indices is of type float"},
		{"a.ply", edit("vertex_indices", "corners"), "a.ply: line 11: element face lacks the list vertex_indices: set Options.NoFaces to read the vertices alone"},
		{"a.ply", edit("property list uchar int vertex_indices\n", ""), "a.ply: line 10: element face has no properties"},

		{"a.ply", edit("1 1 0.5", "1 1 half"), `a.ply: line 14: z: "half" is not a number`},
		{"a.ply", edit("1 1 0.5", "1 1"), "a.ply: line 14: vertex ends before property z"},
		{"a.ply", edit("1 1 0.5", "1 1 0.5 7"), `a.ply: line 14: vertex has more than its properties: "7"`},
		{"a.ply", edit("1 1 0.5", "1 nan 0.5"), `a.ply: line 14: point 2: y is "nan", not finite` + out},
		{"a.ply", edit("1 1 0.5", "1 -inf 0.5"), `a.ply: line 14: point 2: y is "-inf", not finite` + out},
		{"a.ply", edit("1 1 0.5", "1e39 1 0.5"), `a.ply: line 14: point 2: x is "1e39", beyond float32` + out},
		{"dragon.ply", edit("4 0 1 2 3", "4 0 1 2 9"), "dragon.ply: line 17: face index 9 out of range (5 vertices)"},
		{"a.ply", edit("3 1 2 4", "3 1 2 5"), "a.ply: line 18: face index 5 out of range (5 vertices)"},
		{"a.ply", edit("3 1 2 4", "3 1 2 -1"), "a.ply: line 18: face index -1 out of range (5 vertices)"},
		{"a.ply", edit("3 1 2 4", "3 1 2 4.0"), `a.ply: line 18: list vertex_indices: "4.0" is not an index`},
		{"a.ply", edit("3 1 2 4", "4 1 2 4"), "a.ply: line 18: list vertex_indices ends 1 values early"},
		{"a.ply", edit("3 1 2 4", "2 1 2 4"), `a.ply: line 18: face has more than its properties: "4"`},
		{"a.ply", edit("3 1 2 4", "-3 1 2 4"), `a.ply: line 18: list vertex_indices: "-3" is not a length`},
		{"a.ply", edit("3 1 2 4\n", ""), "a.ply: line 18: file ends early: 1 of 2 records of element face"},
		{"a.ply", plySquare + "\n\n3 1 2 4\n", "a.ply: line 21: data after the last record: the header counts fewer, or another file was appended"},

		{"a.ply", le + "end_header\n" + little(vertex)[:11], "a.ply: byte @11: file ends early: vertex 0 of 1"},
		{"a.ply", le + "end_header\n" + little(vertex) + "\n", "a.ply: byte @12: data after the last record: the header counts fewer, or another file was appended"},
		{"a.ply", le + "end_header\n" + little(float32(1), nan, float32(3)), "a.ply: byte @0: point 0: y is NaN, not finite" + out},
		{"a.ply", le + "end_header\n" + little(float32(1), float32(2), inf), "a.ply: byte @0: point 0: z is +Inf, not finite" + out},
		{"a.ply", strings.ReplaceAll(le, "float", "double") + "end_header\n" + little(1e39, 0.0, 0.0), "a.ply: byte @0: point 0: x is 1e+39, beyond float32" + out},
		{"a.ply", le + faces + little(vertex, int8(-1)), "a.ply: byte @12: face 0: list vertex_indices has length -1"},
		{"a.ply", le + faces + little(vertex, int8(3), int16(0), int16(1), int16(0)), "a.ply: byte @15: face 0: face index 1 out of range (1 vertices)"},
		{"a.ply", le + faces + little(vertex, int8(3), int16(0), int16(0), int16(-2)), "a.ply: byte @17: face 0: face index -2 out of range (1 vertices)"},
		{"a.ply", le + faces + little(vertex, int8(3), int16(0), int16(0)), "a.ply: byte @17: file ends early: face 0 of 1"},
		{"a.ply", le + faces + little(vertex), "a.ply: byte @12: file ends early: face 0 of 1"},
	} {
		test.run(t)
	}
}
