package points

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
)

// binarySTL returns a file of facets, behind a header.
func binarySTL(header string, facets int) string {
	s := header + strings.Repeat("\x00", 80-len(header)) + little(uint32(facets))
	for range facets {
		s += little([12]float32{0, 0.6, -0.8, 0, 0, 0, 1, 0, 0, 0, 1, 2.5}, uint16(0))
	}
	return s
}

// lasHeader returns the beginning of a LAS file of a point format.
func lasHeader(format byte) string {
	return "LASF" + strings.Repeat("\x00", 20) + "\x01\x02" + strings.Repeat(",", 78) + string([]byte{format}) + strings.Repeat("\x00", 122)
}

// Other file formats are named in the error, with a way to convert them, for any extension, compressed or not.
func TestForeign(t *testing.T) {
	for _, test := range []struct{ name, data, what, way string }{
		{"a.las", lasHeader(3), "a LAS file", "pdal translate in.las out.ply"},
		{"a.csv", lasHeader(3), "a LAS file", "CloudCompare"},
		{"a", lasHeader(0x83), "a LAZ file", "pdal translate in.laz out.ply"},
		{"a.laz", lasHeader(3), "a LAZ file", "CloudCompare"},
		{"a.stl", binarySTL("made by, a program", 1), "a binary STL file", "MeshLab"},
		{"a", binarySTL("solid made by, a program", 2), "a binary STL file", "Blender"},
		{"a.csv", binarySTL("x,y,z", 2), "a binary STL file", "Blender"},
		{"a.stl", binarySTL("", 0), "a binary STL file", "Blender"},
		{"a", "solid cube, of 2\n facet normal 0 0 1\n  outer loop\n", "an ASCII STL file", "Blender"},
		{"a.stl", "solid\nendsolid\n", "an ASCII STL file", "Blender"},
		{"a", "glTF\x02\x00\x00\x00", "a GLB file", "Blender"},
		{"a.csv", "{\n \"asset\": {\"version\": \"2.0\"},\n", "a glTF file", "Blender"},
		{"a.csv", "{\"type\": \"FeatureCollection\", \"features\": [", "a JSON file", "CSV"},
		{"a.csv", "PK\x03\x04\x14\x00,x,y", "a ZIP archive", "unpack it"},
		{"a.csv.gz", zip(zip("x,y\n1,2\n")), "gzip in gzip", "unpack it once"},
		{"a.csv.gz", zip(zip(zip("x,y\n1,2\n"))), "gzip in gzip", "unpack it once"},
		{"a.e57", "ASTM-E57\x01\x00", "an E57 file", "CloudCompare"},
		{"a.ply", "\x28\xb5\x2f\xfd\x00", "Zstandard data", "unpack it"},
		{"a.ply", "\xfd7zXZ\x00\x00", "xz data", "unpack it"},
		{"a.ply", "BZh91AY", "bzip2 data", "unpack it"},
		{"a.bag", "#ROSBAG V2.0\n", "a ROS bag", "PCD"},
		{"a", "\x89MCAP0\r\n", "an MCAP file", "PCD"},
		{"a.db3", "SQLite format 3\x00", "an SQLite file", "PCD"},
		{"a.pcap", "\xd4\xc3\xb2\xa1\x02\x00", "a packet capture", "PCD"},
		{"a.pcap", "\n\r\r\n\x1c\x00\x00\x00", "a packet capture", "PCD"},
		{"a.npy", "\x93NUMPY\x01\x00", "a NumPy array", "savetxt"},
		{"a.vtk", "# vtk DataFile Version 3.0\n", "a legacy VTK file", "ParaView"},
		{"a.vtp", "<?xml version=\"1.0\"?>\n<VTKFile", "an XML file", "PLY"},
		{"a.ply", "version https://git-lfs.github.com/spec/v1\noid sha256:", "a Git LFS pointer", "git lfs pull"},
		{"a.step", "ISO-10303-21;\n", "a STEP file", "FreeCAD"},
		{"a.dxf", "  0\r\nSECTION\r\n  2\r\nHEADER\r\n", "a DXF file", "MeshLab"},
		{"a.igs", "part, made by" + strings.Repeat(" ", 59) + "S      1\n", "an IGES file", "FreeCAD"},
		{"a.wrl", "#VRML V2.0 utf8\n", "a VRML file", "Blender"},
		{"a.usda", "#usda 1.0\n", "a USD file", "Blender"},
		{"a.off", "OFF\n8 6 0\n", "an OFF file", "MeshLab"},
		{"a.ply", "<!DOCTYPE html><html>", "an HTML page", "login"},
	} {
		for _, data := range []string{test.data, zip(test.data)} {
			if strings.HasPrefix(test.what, "gzip") {
				data = test.data
			}
			c, err := Read(t.Context(), strings.NewReader(data), test.name, Options{})
			if c != nil || err == nil || !strings.HasPrefix(err.Error(), test.name+": "+test.what) ||
				!strings.Contains(err.Error(), " is not read, want PLY, PCD, OBJ or CSV: ") || !strings.Contains(err.Error(), test.way) {
				t.Errorf("%s: %v, %v; want %s, %s", test.name, c, err, test.what, test.way)
			}
		}
	}
	for _, name := range []string{"a.csv", "a.obj", "a"} {
		_, err := Read(t.Context(), strings.NewReader("x,y\n1,2\n\x00\x00"), name, Options{})
		if err == nil || !strings.Contains(err.Error(), "binary data that is neither PLY nor PCD") {
			t.Errorf("%s of binary data: %v", name, err)
		}
	}
}

// Readable files are not mistaken for another format.
func TestForeignNot(t *testing.T) {
	for _, a := range samples() {
		if text := foreign([]byte(a.data), ""); text != "" && !strings.HasPrefix(a.data, "\x1f\x8b") {
			t.Errorf("%s: %s", a.name, text)
		}
	}
	for _, p := range programs {
		if text := foreign([]byte(p.data), ""); text != "" {
			t.Errorf("%s: %s", p.program, text)
		}
	}
	// Records of float32 and of float64 that begin at any byte.
	var data []byte
	for i := range 200 {
		data, _ = binary.Append(data, binary.LittleEndian, float32(math.Sin(float64(i))*100))
		data, _ = binary.Append(data, binary.LittleEndian, math.Cos(float64(i))*5e6)
	}
	for i := range 1000 {
		if isSTL(data[i:]) {
			t.Errorf("floats from byte %d are STL", i)
		}
	}
}
