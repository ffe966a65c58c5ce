package points

import (
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// binarySTL returns a file of facets, behind a header.
func binarySTL(header string, facets int) string {
	s := header + strings.Repeat("\x00", 80-len(header)) + little(uint32(facets))
	for range facets {
		s += little([12]float32{0, 0.6, -0.8, 0, 0, 0, 1, 0, 0, 0, 1, 2.5}, uint16(0))
	}
	return s
}

// Other file formats are named in the error, with a way to convert them, for any extension, compressed or not.
func TestForeign(t *testing.T) {
	for _, test := range []struct{ name, data, what, way string }{
		{"a", lasFile{minor: 2, format: 0x83}.data(), "a LAZ file", "pdal translate in.laz out.las"},
		{"a.las", lasFile{minor: 4, format: 0x46}.data()[:105], "a LAZ file", "laszip"},
		{"a.laz", lasFile{minor: 2, records: []lasRecord{{user: "LASF_Projection"}, {user: "laszip encoded"}}}.data(), "a LAZ file", "laszip"},
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
				!strings.Contains(err.Error(), " is not read, want LAS, PLY, PCD, OBJ, CSV, XYZ or PTS: ") || !strings.Contains(err.Error(), test.way) {
				t.Errorf("%s: %v, %v; want %s, %s", test.name, c, err, test.what, test.way)
			}
		}
	}
	for a := range 3 { // a normal in the plane of any two axes
		data := []byte(binarySTL("", 1))
		for k, x := range [3]float32{0, 0.6, -0.8} {
			binary.LittleEndian.PutUint32(data[84+4*((a+k)%3):], math.Float32bits(x))
		}
		if !isSTL(data) {
			t.Errorf("a facet whose normal has no component %d is no STL", a)
		}
	}
	for _, name := range []string{"a.csv", "a.obj", "a"} {
		_, err := Read(t.Context(), strings.NewReader("x,y\n1,2\n\x00\x00"), name, Options{})
		if err == nil || !strings.Contains(err.Error(), "binary data that is neither LAS, PLY nor PCD") {
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

// program is a small text in the format of a program, and the expected points.
type program struct {
	program, name, data string
	opt                 Options
	points              [][3]float64
	skipped             []string
}

var twoPoints = [][3]float64{{1, 2, 3}, {-4.5, 5, 60}}

var programs = []program{
	// CSV
	{"CloudCompare, commas", "a.csv", "//X,Y,Z,R,G,B\n1.00000000,2.00000000,3.00000000,9,8,7\n-4.5,5,60,1,1,1\n", Options{}, twoPoints, nil},
	{"CloudCompare, blanks and a count", "a.asc", "//X Y Z Scalar_field\n2\n1.0 2.0 3.0 0.5\n-4.5 5 60 NaN\n", Options{}, twoPoints, nil},
	{"CloudCompare, semicolons", "a.txt", "//X;Y;Z;\n1;2;3;\n-4.5;5;60;\n", Options{}, twoPoints, nil},
	{"ParaView", "a.csv", "\"Temp\",\"Points:0\",\"Points:1\",\"Points:2\"\n300,1,2,3\n301,-4.5,5,60\n", Options{}, twoPoints, nil},
	{"ParaView, newer", "a.csv", "\"Points_0\",\"Points_1\",\"Points_2\"\n1,2,3\n-4.5,5,60\n", Options{}, twoPoints, nil},
	{"VeloView", "a.csv", "\"intensity\",\"Points_m_XYZ:0\",\"Points_m_XYZ:1\",\"Points_m_XYZ:2\"\n7,1,2,3\n7,-4.5,5,60\n", Options{}, twoPoints, nil},
	{"units in brackets", "a.csv", "TIMESTAMP (ns), RANGE (mm), X (mm), Y (mm), Z (mm)\n1, 9, 1, 2, 3\n2, 9, -4.5, 5, 60\n", Options{}, twoPoints, nil},
	{"Excel, a German locale", "a.csv", "\ufeffName;X;Y;Z\r\n\"Punkt; 1\";1,0;2;3\r\nPunkt 2;-4,5;5;60\r\n;;;\r\n;;;\r\n", Options{}, twoPoints, nil},
	{"Excel, with a separator line", "a.csv", "sep=|\r\nX|Y|Z\r\n1|2|3\r\n-4.5|5|60\r\n", Options{}, twoPoints, nil},
	{"Excel, tabs", "a.txt", "X\tY\tZ\tnote\r\n1\t2\t3\t\r\n-4.5\t5\t60\t\"a \"\"b\"\"\"\r\n", Options{}, twoPoints, nil},
	{"Excel for Mac, lines end in CR", "a.csv", "x,y,z\r1,2,3\r-4.5,5,60\r", Options{}, twoPoints, nil},
	{"QGIS", "a.csv", "X,Y,Z,fid,layer\n1,2,3,1,\"a,b\"\n-4.5,5,60,2,\n", Options{}, twoPoints, nil},
	{"total station", "a.csv", "Point,Northing,Easting,Elevation,Code\nP1,2,1,3,TREE\nP2,5,-4.5,60,\n", Options{}, twoPoints, nil},
	{"NumPy savetxt", "a.csv", "# x,y,z\n1.000000000000000000e+00,2.0e+00,3.0e+00\n-4.5e+00,5.0e+00,6.0e+01\n", Options{}, twoPoints, nil},
	{"pandas, with missing points", "a.csv", ",x,y,z\n0,1,2,3\n1,,,\n2,-4.5,5,60\n", Options{}, twoPoints, []string{"1 points with NaN alone"}},
	{"pixels and points", "a.csv", "x,y,X,Y,Z\n640,480,1,2,3\n641,480,-4.5,5,60\n", Options{}, twoPoints, nil},
	{"NumPy savetxt, flat", "a.csv", "# x y\n1 2\n", Options{}, [][3]float64{{1, 2, 0}}, nil},
	{"comments", "a.csv", "# made by hand\n\n# x y z follow\nx,y,z\n1,2,3\n// \"half a quote\n#-4,4,4\n-4.5,5,60\n", Options{}, twoPoints, []string{"2 comment lines"}},
	{"a comma at the end of rows", "a.csv", "x,y,z\n1,2,3,\n-4.5,5,60,\n", Options{}, twoPoints, nil},
	{"a comma at the end of the header", "a.csv", "x,y,z,\n1,2,3\n-4.5,5,60\n", Options{}, twoPoints, nil},
	{"quoted numbers", "a.csv", "\"x\",\"y\", \"z\"\n\"1\",\"2\",\" 3 \"\n\"-4.5\", \"5\" ,\"60\"\n", Options{}, twoPoints, nil},
	{"blanks in columns", "a.txt", "    x     y     z\n  1.0   2.0   3.0  \n -4.5\t 5.0  60.0\n", Options{}, twoPoints, nil},
	{"Fortran", "a.txt", "x y z\n1.0D+00 0.2D+01 3.0d0\n-0.45D+01 5.0 6D1\n", Options{}, twoPoints, nil},
	{"named axes", "a.csv", "id;Rechts;Hoch;H\n1;1;2;3\n2;-4,5;5;60\n", Options{Axes: [3]string{"rechts", "HOCH", "H"}}, twoPoints, nil},
	{"named axes, spelled", "a.csv", "x,y,z,X,Y,Z\n9,9,9,1,2,3\n9,9,9,-4.5,5,60\n", Options{Axes: [3]string{"X", "Y", "Z"}}, twoPoints, nil},
	{"named axes, flat", "a.csv", "x coord,y coord,z\n1,2,9\n", Options{Axes: [3]string{"x coord", "y coord", ""}}, [][3]float64{{1, 2, 0}}, nil},
	{"given separator", "a.csv", "x:y:z\n1:2:3\n-4,5:5:60\n", Options{Comma: ':'}, twoPoints, nil},

	// XYZ and PTS
	{"numbers alone", "a.xyz", "1 2 3\n-4.5 5 60\n", Options{}, twoPoints, nil},
	{"numbers alone, tabs and more columns", "a.XYZ", "1\t2\t3\t0\t0\t1\r\n-4.5\t5\t60\t0\t0\t1\r\n", Options{}, twoPoints, nil},
	{"numbers alone, commas", "a.xyz.gz", "# by hand\n1, 2, 3,\n-4.5, 5, 60,\n", Options{}, twoPoints, nil},
	{"numbers alone, decimal commas", "a.xyz", "1,0 2,0 3\n-4,5 5 60\n", Options{}, twoPoints, nil},
	{"numbers alone, a given separator", "a.xyz", "1:2:3\n-4.5:5:60\n", Options{Comma: ':'}, twoPoints, nil},
	{"a header all the same", "a.xyz", "z y x\n3 2 1\n60 5 -4.5\n", Options{}, twoPoints, nil},
	{"CloudCompare, with a count", "a.xyz", "//X Y Z R\n2\n1 2 3 9\n-4.5 5 60 9\n", Options{}, twoPoints, nil},
	{"Leica Cyclone", "a.pts", "2\r\n1 2 3 -1500 10 20 30\r\n-4.5 5 60 -1200 10 20 30\r\n", Options{}, twoPoints, nil},
	{"a point not measured", "a.pts", "3\n1 2 3\nnan nan nan\n-4.5 5 60\n", Options{}, twoPoints, []string{"1 points with NaN alone"}},

	// PLY
	{"Open3D", "a.ply", "ply\nformat ascii 1.0\ncomment Created by Open3D\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\nend_header\n1 2 3 0 0 0\n-4.5 5 60 255 255 255\n", Options{}, twoPoints, nil},
	{"MeshLab, a list of texture coordinates", "a.ply", "ply\nformat ascii 1.0\ncomment VCGLIB generated\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nproperty list uchar float texcoord\nelement face 0\nproperty list uchar int vertex_indices\nend_header\n1 2 3 2 0.5 0.5 \n-4.5 5 60 0 \n", Options{}, twoPoints, nil},
	{"Blender, points only", "a.ply", "ply\nformat ascii 1.0\ncomment Created in Blender version 4.2\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n-4.5 5 60\n", Options{}, twoPoints, nil},
	{"PCL, with a camera", "a.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nelement camera 1\nproperty float view_px\nproperty int viewportx\nend_header\n1 2 3\n-4.5 5 60\n0 2\n", Options{}, twoPoints, []string{"1 of element camera"}},
	{"elements before the vertices", "a.ply", "ply\nformat ascii 1.0\nelement header 1\nproperty list uchar int ids\nproperty int n\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n2 7 7 1\n1 2 3\n-4.5 5 60\n", Options{}, twoPoints, []string{"1 of element header"}},
	{"lines end in CR", "a.ply", "ply\rformat ascii 1.0\relement vertex 2\rproperty float x\rproperty float y\rproperty float z\rend_header\r1 2 3\r-4.5 5 60\r", Options{}, twoPoints, nil},
	{"binary behind a header whose lines end in CR", "a.ply", "ply\rformat binary_little_endian 1.0\relement vertex 2\rproperty float x\rproperty float y\rproperty float z\rend_header\r" + little([6]float32{1, 2, 3, -4.5, 5, 60}), Options{}, twoPoints, nil},
	{"a blank behind ply", "a", "ply \ncomment first\nformat ascii 1.0 \nobj_info num_cols 2\nelement vertex 2\ncomment between\nproperty float x\nproperty float y\nobj_info\nproperty float z\nend_header \n1 2 3\n-4.5 5 60\n", Options{}, twoPoints, nil},
	{"a wrong ending", "a.csv", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n-4.5 5 60\n", Options{}, twoPoints, nil},
	{"a depth camera", "a.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nend_header\nnan nan nan\n1 2 3\n-nan(ind) -nan(ind) -nan(ind)\n-4.5 5 60\n", Options{}, twoPoints, []string{"2 points with NaN alone"}},
	{"faces of something else", "a.ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty int group\nend_header\n1 2 3\n-4.5 5 60\n7\n", Options{NoFaces: true}, twoPoints, []string{"1 of element face"}},

	// PCD
	{"PCL, organised", "a.pcd", "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 4\nDATA ascii\nnan nan nan 0\n1 2 3 4.2108e+06\nnan nan nan 0\n-4.5 5 60 0\n", Options{}, twoPoints, []string{"2 points with NaN alone"}},
	{"Ouster, padding of COUNT 0", "a.pcd", "VERSION 0.7\nFIELDS x y z _ intensity t _\nSIZE 4 4 4 1 4 4 1\nTYPE F F F U F U U\nCOUNT 1 1 1 0 1 1 2\nWIDTH 2\nHEIGHT 1\nPOINTS 2\nDATA binary\n" +
		little([3]float32{1, 2, 3}, float32(9), uint32(1), [2]byte{}, [3]float32{-4.5, 5, 60}, float32(9), uint32(1), [2]byte{}), Options{}, twoPoints, nil},
	{"Ouster, ascii", "a.pcd", "VERSION 0.7\nFIELDS x y z _ t\nSIZE 4 4 4 1 4\nTYPE F F F U U\nCOUNT 1 1 1 0 1\nWIDTH 2\nHEIGHT 1\nDATA ascii\n1 2 3 7\n-4.5 5 60 7\n", Options{}, twoPoints, nil},
	{"types in lower case", "a.pcd", "VERSION 0.7\nFIELDS x y z ring\nSIZE 4 4 8 2\nTYPE f f f u\nCOUNT 1 1 1 1\nWIDTH 2\nHEIGHT 1\nDATA binary\n" +
		little([2]float32{1, 2}, 3.0, uint16(1), [2]float32{-4.5, 5}, 60.0, uint16(1)), Options{}, twoPoints, nil},
	{"a wrong ending", "a.csv", "# .PCD v.7\nVERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\nDATA ascii\n1 2 3\n-4.5 5 60\n", Options{}, twoPoints, nil},
	{"no name, a comment first", "a", "# written by a robot\nVERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 2\nHEIGHT 1\nDATA binary\n" + little([6]float32{1, 2, 3, -4.5, 5, 60}), Options{}, twoPoints, nil},

	// OBJ
	{"Blender", "a.obj", "# Blender 4.2.0\n# www.blender.org\nmtllib a.mtl\no Cube #1\nv 1.000000 2.000000 3.000000\nv -4.500000 5.000000 60.000000\ns 0\n", Options{}, twoPoints, []string{"3 other statements"}},
	{"MeshLab, colours", "a.obj", "####\n#\n# OBJ File Generated by Meshlab\n#\n####\nvn 0 0 1\nv 1 2 3 0.5 0.5 0.5\nvn 0 0 1\nv -4.5 5 60 0.5 0.5 0.5\n# 2 vertices, 0 vertices normals\n\n", Options{}, twoPoints, []string{"2 other statements"}},
	{"a path of Windows", "a.obj", "mtllib C:\\models\\\no C:\\models\\\nv 1 2 3\ng a\\\nv -4.5 \\\n 5 \\\r\n60 # last\n# end \\\n", Options{}, twoPoints, []string{"3 other statements"}},
	{"lines end in CR", "a.obj", "v 1 2 3\rv -4.5 5 60\r", Options{}, twoPoints, nil},
	{"the last line goes on", "a.obj", "v 1 2 3\nv -4.5 5 60 \\", Options{}, twoPoints, nil},
}

func TestPrograms(t *testing.T) {
	for _, p := range programs {
		for _, data := range []string{p.data, zip(p.data)} {
			c, err := Read(t.Context(), strings.NewReader(data), p.name, p.opt)
			if err != nil {
				t.Errorf("%s: %v", p.program, err)
				continue
			}
			var got [][3]float64
			for i := range c.Points {
				got = append(got, c.At(i))
			}
			if !reflect.DeepEqual(got, p.points) || !reflect.DeepEqual(c.Skipped, p.skipped) {
				t.Errorf("%s: %v, skipped %q; want %v, %q", p.program, got, c.Skipped, p.points, p.skipped)
			}
		}
	}
}

// Boxes with separators and decimal commas, and one that is missing.
func TestProgramsBoxes(t *testing.T) {
	const data = "id;MinX;MinY;MaxX;MaxY\na;0,5;1;2;3\nb;;;;\nc;-1;-1;0;1e1\n"
	c, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{Texts: []string{"ID"}})
	testkit.Must(t, err)
	want := []soa.AABB{box(0.5, 1, 0, 2, 3, 0), box(-1, -1, 0, 0, 10, 0)}
	if !reflect.DeepEqual(c.Boxes, want) || !reflect.DeepEqual(c.Kept, []uint32{0, 2}) || !reflect.DeepEqual(c.Texts["ID"], []string{"a", "c"}) {
		t.Errorf("%v of %v, %q", c.Boxes, c.Kept, c.Texts)
	}
}

// Ambiguous text is an error that names a way out.
func TestProgramsRefused(t *testing.T) {
	const ply = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
	for _, test := range []struct {
		name, data string
		opt        Options
		want       string
	}{
		{"a.csv", "x,y,z,X,Y,Z\n", Options{}, `a.csv: line 1: header "x,y,z,X,Y,Z": both x,y,z and X,Y,Z: name the columns to read in Options.Axes`},
		{"a.csv", "x,y,X,Y\n", Options{}, `a.csv: line 1: header "x,y,X,Y": both x,y and X,Y: name the columns to read in Options.Axes`},
		{"a.csv", "x,y,z,x\n", Options{}, `a.csv: line 1: header "x,y,z,x": second column x, besides x: name the columns to read in Options.Axes, or rename one`},
		{"a.csv", "e;n;h\n1;2;3\n", Options{Axes: [3]string{"E", "N", "U"}}, `a.csv: line 1: header "e;n;h" has no columns E, N, U, which Options.Axes names`},
		{"a.csv", "x,y\n", Options{Axes: [3]string{"x"}}, `points: Options.Axes ["x" "" ""] has no name for x or y: only the name of z may be empty`},
		{"a.csv", "x,y\n", Options{Comma: 'é'}, `points: Options.Comma 'é' is not a separator: want a comma, semicolon, tab, blank or another ASCII mark`},
		{"a.csv", "x;y\n1;2\n", Options{Comma: ','}, `a.csv: line 1: header "x;y" has no columns`},
		{"a.csv", "x;y\n1,5;2\n3;4.5\n", Options{}, `a.csv: line 3: y: "4.5": decimal points (line 3) and decimal commas (line 2) in one file: write all numbers with one of them`},
		{"a.csv", "x;y\n1.234,5;2\n", Options{}, `a.csv: line 2: x: "1.234,5": decimal points (line 2) and decimal commas (line 2) in one file`},
		{"a.csv", "x;y\n1,234,567;2\n", Options{}, `a.csv: line 2: x: "1,234,567" is not a number`},
		{"a.csv", "x,y\n1,5,2\n", Options{}, "a.csv: line 2: 3 fields, but 2 columns, separated by ','"},
		{"a.csv", "# x, y, z in metres\n1,2,3\n", Options{}, `numbers without a header are read only from files named .xyz or .pts: put a line that names the columns before "1,2,3"`},
		{"a.csv", "//X Y Z\n3\n1 2 3\n", Options{}, "a.csv: line 2: a count of 3 points, but 1 follow"},
		{"a.csv", "//X Y Z\n99999999999\n1 2 3\n", Options{}, "a.csv: line 2: the header counts 99999999999 points, at most 67108864 are read: set Options.MaxPoints to read more"},
		{"a.csv", "x y z\n3\n1 2 3\n", Options{}, "a.csv: line 2: 1 fields, but 3 columns"},
		{"a.csv", "x,y\n0x1p3,1\n", Options{}, `a.csv: line 2: x: "0x1p3" is not a number`},
		{"a.csv", "x,y\n1,2 m\n", Options{}, `a.csv: line 2: y: "2 m" is not a number`},
		{"a.csv", "x,y,t\n1,2,house\n", Options{Columns: []string{"T"}}, `a.csv: line 2: t: "house" is not a number`},
		{"a", "hello world\n", Options{}, `a: line 1: neither name nor first line is of LAS, PLY, PCD, OBJ, CSV, XYZ or PTS: header "hello world" has no columns`},
		{"a.xyz", "1 2\n4 5\n", Options{}, `a.xyz: line 1: "1 2" is neither a header nor a row of three or more numbers`},
		{"a.xyz", "3\nwater\nO 0 0 0\nH 1 0 0\nH 0 1 0\n", Options{}, `a.xyz: line 2: "water" is neither a header nor a row of three or more numbers`},
		{"a.xyz", "1 2 3\n4 5\n", Options{}, "a.xyz: line 2: 2 fields, but 3 columns, separated by ' '"},
		{"a.xyz", "1 2 3\n4 5 b\n", Options{}, `a.xyz: line 2: z: "b" is not a number`},
		{"a.pts", "3\n1 2 3 -100 9 9 9\n4 5 6 -100 9 9 9\n", Options{}, "a.pts: line 1: a count of 3 points, but 2 follow"},
		{"a.pts", "99999999999\n1 2 3\n", Options{}, "a.pts: line 1: the header counts 99999999999 points, at most 67108864 are read"},
		{"a.pts", "2\n2\n1 2 3\n", Options{}, `a.pts: line 2: "2" is neither a header nor a row of three or more numbers`},
		{"a.pts", "-2\n1 2 3\n", Options{}, `a.pts: line 1: "-2" is neither a header`},
		{"a.pts", "1 2 3 4\n", Options{Axes: [3]string{"E", "N"}}, `a.pts: line 1: header "1 2 3 4" has no columns E, N, , which Options.Axes names`},
		{"a.pts", "", Options{}, "a.pts: empty file"},
		{"a.pts", "2\n", Options{}, "a.pts: no header line"},
		{"a.txt", "1.5;2;3\n", Options{}, `numbers without a header are read only from files named .xyz or .pts: put a line that names the columns before "1.5;2;3", such as x,y,z`},

		{"a.ply", ply + "end_header\n0 0 1.#INF\n", Options{}, `a.ply: line 8: point 0: z is "1.#INF", not finite` + out},
		{"a.ply", ply + "end_header\n0 0 1#2\n", Options{}, `a.ply: line 8: z: "1#2" is not a number`},
		{"a.ply", ply + "end_header\n0 0 1_0\n", Options{}, `a.ply: line 8: z: "1_0" is not a number`},
		{"a.ply", ply + "element face 1\nproperty int a\nend_header\n0 0 0\n1\n", Options{}, "a.ply: line 9: element face lacks the list vertex_indices: set Options.NoFaces to read the vertices alone"},
		{"a.ply", "x,y,z\n1,2,3\n", Options{}, `a.ply: line 1: not a PLY file: the first line is "x,y,z", want ply: give it the extension of its format`},
		{"a.obj", "v 1 2 1.#INF\n", Options{}, `a.obj: line 1: point 0: z is "1.#INF", not finite` + out},
		{"a.obj", "v 1 2 3\nv 0 0 -1.#IND\n", Options{}, `a.obj: line 2: point 1: z is "-1.#IND", not finite` + out},
		{"a.obj", "v 1 2 3#4\n", Options{}, `a.obj: line 1: z: "3#4" is not a number`},
		{"a.obj", "v 1 2 #3\n", Options{}, "a.obj: line 1: vertex of 2 coordinates, want 3"},
		{"a.obj", "v 1 2 0x1p-2\n", Options{}, `a.obj: line 1: z: "0x1p-2" is not a number`},
		{"a.obj", "v 1 2 3\nf 1/a 1 1\n", Options{}, `a.obj: line 2: corner "1/a" is not v, v/vt, v//vn or v/vt/vn`},
		{"a.obj", "v 1 2 3\nf 1/1/1/1 1 1\n", Options{}, `a.obj: line 2: corner "1/1/1/1" is not v, v/vt, v//vn or v/vt/vn`},
		{"a.obj", "v 1 2 3\nv \\\n4 \\\nfive 6\n", Options{}, `a.obj: line 2: y: "five" is not a number`},
		{"a.obj", "x,y,z\n1,2,3\n", Options{}, "a.obj: no vertices: a line of one is v and three numbers"},
	} {
		c, err := Read(t.Context(), strings.NewReader(test.data), test.name, test.opt)
		if c != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %q: %v, %v\nwant %s", test.name, test.data, c, err, test.want)
		}
	}
}

// The corners of OBJ files of some programs, with trailing slashes.
func TestCorners(t *testing.T) {
	for s, want := range map[string]int64{"1": 1, "-2/3": -2, "3//4": 3, "4/5/6": 4, "5/": 5, "6//": 6, "7/-1/-1": 7} {
		if i, ok := cornerIndex([]byte(s)); !ok || i != want {
			t.Errorf("%s: %d %v", s, i, ok)
		}
	}
	for _, s := range []string{"", "/1", "1/x", "1/1/x", "1/1/1/1", "1.0", "1/2.5"} {
		if i, ok := cornerIndex([]byte(s)); ok {
			t.Errorf("%s: %d", s, i)
		}
	}
}

// A grid of a depth camera keeps its positions, which Kept returns.
func TestGrid(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	const head = "VERSION 0.7\nFIELDS x y z i\nSIZE 4 4 4 1\nTYPE F F F U\nWIDTH 3\nHEIGHT 2\nDATA "
	rows := [6][3]float32{{nan, nan, nan}, {1, 0, 0}, {0, 0, inf}, {nan, nan, nan}, {4, 0, 0}, {nan, 0, 0}}
	var packed [4]string
	var plain string
	for i, p := range rows {
		for a, x := range p {
			packed[a] += little(x)
		}
		packed[3] += string(byte(i))
		plain += little(p, byte(i))
	}
	for name, data := range map[string]string{
		"ascii":      head + "ascii\nnan nan nan 0\n1 0 0 1\n0 0 inf 2\nnan nan nan 3\n4 0 0 4\nnan 0 0 5\n",
		"binary":     head + "binary\n" + plain,
		"compressed": head + "binary_compressed\n" + pcdPacked(strings.Join(packed[:], "")),
	} {
		_, err := Read(t.Context(), strings.NewReader(data), "a.pcd", Options{})
		if err == nil || !strings.Contains(err.Error(), "point 2: z is ") || !strings.Contains(err.Error(), out) {
			t.Errorf("%s: %v; want point 2 and the way out", name, err)
		}
		c, err := Read(t.Context(), strings.NewReader(data), "a.pcd", Options{SkipInvalid: true, Columns: []string{"i"}})
		if err != nil {
			t.Fatal(name, err)
		}
		if !reflect.DeepEqual(c.Kept, []uint32{1, 4}) || c.Width != 3 || c.Height != 2 || !reflect.DeepEqual(c.Columns["i"], []float64{1, 4}) {
			t.Errorf("%s: kept %v of %d x %d, %v", name, c.Kept, c.Width, c.Height, c.Columns)
		}
		if want := []string{"2 points with NaN alone", "2 points that are not finite"}; !reflect.DeepEqual(c.Skipped, want) {
			t.Errorf("%s: skipped %q", name, c.Skipped)
		}
	}
}
