package points

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

const (
	formats = "LAS, PLY, PCD, OBJ, CSV, XYZ or PTS"

	toPLY     = "convert it to PLY, for example with "
	cloudTool = toPLY + "CloudCompare"
	meshTool  = toPLY + "Blender or MeshLab"
	unpackIt  = "unpack it and read the file in it"
)

// magics are the first bytes of related file formats that are not supported.
var magics = []struct{ magic, what, way string }{
	{"ASTM-E57", "an E57 file", cloudTool},
	{"glTF", "a GLB file, binary glTF", meshTool},
	{"PK\x03\x04", "a ZIP archive (also KMZ, 3MF and XLSX)", unpackIt},
	{"PK\x05\x06", "an empty ZIP archive", "the intended file may be in it"},
	{"\x1f\x8b", "gzip in gzip", "unpack it once"},
	{"\x28\xb5\x2f\xfd", "Zstandard data", unpackIt},
	{"\xfd7zXZ\x00", "xz data", unpackIt},
	{"BZh", "bzip2 data", unpackIt},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", unpackIt},
	{"#ROSBAG", "a ROS bag", toPLY + "the bag_to_pcd of pcl_ros, which writes PCD"},
	{"\x89MCAP", "an MCAP file", "write its PointCloud2 messages as PCD"},
	{"SQLite format 3\x00", "an SQLite file (ROS 2 bag, GeoPackage)", "write its points as PCD or CSV"},
	{"\xd4\xc3\xb2\xa1", "a packet capture", "write its frames as PCD, PLY or CSV with the program of the sensor"},
	{"\xa1\xb2\xc3\xd4", "a packet capture", "write its frames as PCD, PLY or CSV with the program of the sensor"},
	{"\n\r\r\n", "a packet capture", "write its frames as PCD, PLY or CSV with the program of the sensor"},
	{"\x89HDF\r\n", "an HDF5 file", "write its points as PLY or CSV"},
	{"\x93NUMPY", "a NumPy array", `write it with numpy.savetxt(name, a, delimiter=",", header="x,y,z")`},
	{"Kaydara FBX", "an FBX file", meshTool},
	{"DRACO", "Draco data", meshTool},
	{"# vtk DataFile", "a legacy VTK file", toPLY + "ParaView"},
	{"<VTKFile", "a VTK XML file", toPLY + "ParaView"},
	{"ISO-10303-21", "a STEP file", "tessellate it with FreeCAD and write PLY or OBJ"},
	{"AutoCAD Binary DXF", "a DXF file", meshTool},
	{"3D Geometry File Format", "a Rhino file", "write OBJ or PLY with Rhino"},
	{"#VRML", "a VRML file", meshTool},
	{"PXR-USDC", "a USD file", meshTool},
	{"#usda", "a USD file", meshTool},
	{"%PDF", "a PDF file", "read the data that it was made of"},
	{"version https://git-lfs", "a Git LFS pointer, not the file itself", "run git lfs pull"},
	{"<?xml", "an XML file", "convert it to PLY, OBJ or CSV"},
	{"<!DOCTYPE", "an HTML page", "check whether the download needs a login"},
	{"<html", "an HTML page", "check whether the download needs a login"},
}

// foreign returns a description of an unsupported file format with advice on conversion; empty for others.
func foreign(head []byte, ending string) string {
	what, way := "", ""
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.magic)) {
			what, way = m.what, m.way
		}
	}
	switch start := trimBlanks(head); {
	case what != "":
	case bytes.HasPrefix(start, []byte("solid")) && (ending == ".stl" || bytes.Contains(head, []byte("facet normal"))):
		what, way = "an ASCII STL file", meshTool
	case isSTL(head) || ending == ".stl":
		what, way = "a binary STL file", meshTool
	case len(start) > 0 && start[0] == '{' && bytes.Contains(head, []byte(`"asset"`)):
		what, way = "a glTF file", meshTool
	case len(start) > 0 && start[0] == '{':
		what, way = "a JSON file", "write its points as CSV"
	case bytes.HasPrefix(start, []byte("OFF")) && (len(start) == 3 || start[3] <= ' '):
		what, way = "an OFF file", meshTool
	case isDXF(start):
		what, way = "a DXF file", meshTool
	case isIGES(head):
		what, way = "an IGES file", "tessellate it with FreeCAD and write PLY or OBJ"
	default:
		return ""
	}
	return notRead(what, way)
}

// notRead returns the description of an unsupported file format.
func notRead(what, way string) string {
	return fmt.Sprintf("%s is not read, want %s: %s", what, formats, way)
}

// isDXF reports whether text begins as DXF does: with the group code 0 and the word SECTION.
func isDXF(text []byte) bool {
	code, rest := cutField(text)
	word, _ := cutField(rest)
	return string(code) == "0" && string(word) == "SECTION"
}

// isIGES reports whether the first line is one of the start section: 80 columns with an S in column 73.
func isIGES(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = trimBlanksAfter(line)
	if len(line) != 80 || line[72] != 'S' {
		return false
	}
	number, ok := parseInt(trimBlanks(line[73:]))
	return ok && number == 1
}

// isSTL reports whether head is the beginning of a binary STL file, which has no magic: 80 arbitrary bytes, a
// count, and facets. The first facet must be complete, with a normal of length 1 or 0 and finite corners.
func isSTL(head []byte) bool {
	const countAt, facetAt, facetBytes = 80, 84, 50
	if len(head) < facetAt+facetBytes {
		return false
	}
	count := binary.LittleEndian.Uint32(head[countAt:])
	if count == 0 || count > 1<<28 {
		return false
	}
	var f [12]float64
	extent := 0.0
	for i := range f {
		f[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(head[facetAt+4*i:])))
		if f[i]-f[i] != 0 || math.Abs(f[i]) > 1e12 || f[i] != 0 && math.Abs(f[i]) < 1e-30 {
			return false
		}
		extent = max(extent, math.Abs(f[i]))
	}
	normal := f[0]*f[0] + f[1]*f[1] + f[2]*f[2]
	return extent > 0 && (normal == 0 || math.Abs(normal-1) < 0.01)
}
