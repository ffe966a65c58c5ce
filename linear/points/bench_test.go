package points

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Each reader on 100,000 points of a survey in metres, with three decimals in text formats; the bytes are file
// bytes.
func BenchmarkRead(b *testing.B) {
	const n = 100_000
	r := rand.New(rand.NewPCG(1, 0))
	var text, csv, obj bytes.Buffer
	var doubles, columns []byte
	las := lasFile{minor: 4, format: 6, scale: [3]float64{0.001, 0.001, 0.001}, offset: [3]float64{512000, 5403000, 0}}
	all := make([][3]float64, n)
	for i := range all {
		p := [3]float64{512000 + 1000*r.Float64(), 5403000 + 1000*r.Float64(), 250 + 50*r.Float64()}
		all[i] = p
		fmt.Fprintf(&text, "%.3f %.3f %.3f\n", p[0], p[1], p[2])
		fmt.Fprintf(&csv, "%.3f,%.3f,%.3f\n", p[0], p[1], p[2])
		fmt.Fprintf(&obj, "v %.3f %.3f %.3f\n", p[0], p[1], p[2])
		las.points = append(las.points, lasPoint{x: [3]int32{int32((p[0] - 512000) * 1000), int32((p[1] - 5403000) * 1000), int32(p[2] * 1000)}})
		doubles, _ = binary.Append(doubles, binary.LittleEndian, p)
	}
	for a := range 3 {
		for _, p := range all {
			columns, _ = binary.Append(columns, binary.LittleEndian, p[a])
		}
	}
	// Literal runs, which LZF emits for incompressible data.
	var packed []byte
	for k := 0; k < len(columns); k += 32 {
		run := columns[k:min(k+32, len(columns))]
		packed = append(append(packed, byte(len(run)-1)), run...)
	}
	ply := fmt.Sprintf("ply\nformat %%s 1.0\nelement vertex %d\nproperty double x\nproperty double y\nproperty double z\nend_header\n", n)
	pcd := fmt.Sprintf("VERSION 0.7\nFIELDS x y z\nSIZE 8 8 8\nTYPE F F F\nWIDTH %d\nHEIGHT 1\nDATA ", n)
	for _, file := range []struct{ name, format, data string }{
		{"a.ply", "ply-ascii", fmt.Sprintf(ply, "ascii") + text.String()},
		{"a.ply", "ply-binary", fmt.Sprintf(ply, "binary_little_endian") + string(doubles)},
		{"a.pcd", "pcd-ascii", pcd + "ascii\n" + text.String()},
		{"a.pcd", "pcd-binary", pcd + "binary\n" + string(doubles)},
		{"a.pcd", "pcd-compressed", pcd + "binary_compressed\n" + little(uint32(len(packed)), uint32(len(columns)), string(packed))},
		{"a.las", "las", las.data()},
		{"a.obj", "obj", obj.String()},
		{"a.csv", "csv", "x,y,z\n" + csv.String()},
	} {
		b.Run("format="+file.format, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(file.data)))
			for b.Loop() {
				c, err := Read(nil, strings.NewReader(file.data), file.name, Options{})
				if err != nil || len(c.Points) != n || c.Origin[1] == 0 {
					b.Fatal(c, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
		})
	}
}
