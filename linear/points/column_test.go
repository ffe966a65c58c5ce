package points

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
)

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
