// Package points reads point clouds and meshes that other programs wrote, in float64,
// takes the origin off, and hands them on in float32, ready for a tree.
//
//	cloud, err := points.Open(ctx, "terrain.pcd.gz", points.Options{})
//	if err != nil {
//		log.Fatal(err) // terrain.pcd.gz: line 17: y: "half" is not a number
//	}
//	ids, err := tree.InsertPoints(nil, cloud.Points, linear.Labels{Mask: 1})
//
// Questions are asked relative to [Cloud.Origin], as query.NewSphere64 and its like do, and
// [Cloud.At] gives the places of the answers in the file's own coordinates.
//
// # Formats
//
//	PLY   1.0 ascii, binary_little_endian, binary_big_endian
//	PCD   0.6 and 0.7 ascii, binary, binary_compressed
//	OBJ   the statements v and f
//	CSV   a header line that names the columns; any separator
//
// Programs write these, and this is read:
//
//	CloudCompare   PLY, PCD, OBJ; .asc, .txt and .csv with "columns title", also with the point count
//	MeshLab        PLY and OBJ, with normals, colours and texture lists skipped
//	Blender        PLY and OBJ
//	Open3D         PLY and PCD
//	PCL            PCD, organised or not, and PLY
//	ParaView       CSV of a spreadsheet view: Points:0 or Points_0
//	Ouster         PCD, with padding of COUNT 0
//	Velodyne       CSV of VeloView: Points_m_XYZ:0
//	ROS            PCD of pcl_ros; bags and MCAP are not read
//	Excel          CSV with comma, semicolon or tab, decimal commas, "sep=;", empty rows
//	QGIS           CSV with the geometry as AS_XYZ or AS_XY
//	NumPy, pandas  CSV of savetxt with a header, of to_csv
//	surveying      CSV with Easting, Northing, Elevation
//
// A first line "ply" or "# .PCD" determines the format, else the end of the name (.ply .pcd .obj .csv), else the
// first line that is no comment. A file that begins with the gzip magic is unpacked on the way, whatever its
// name. Text is UTF-8, with a byte order mark or without. Lines end with \n, \r\n or \r, as the first one does.
//
// LAS and LAZ, E57, STL, glTF, VTK, STEP, archives, captures of sensors, and text of numbers without a header
// (.xyz, .pts) are not read. The error names the format and a program that converts it.
//
// Numbers are decimal, of any length, and are the nearest float64. The exponent may be Fortran's, 1.0D+02.
// A number is the whole field: 1#2, 1_0 and 0x1p3 are errors. NaN and infinities are understood as
// programs write them, also as 1.#INF and -nan(ind).
//
// PLY: properties of any type and order. The element vertex needs x, y and z;
// the element face needs the list vertex_indices or vertex_index. Everything
// else is skipped, unparsed. In ascii each record is a line.
//
// PCD: the fields x, y and z are F4 or F8 with COUNT 1; others are skipped. A field of COUNT 0 takes
// no room; a padding field, named _, takes none in binary_compressed data.
//
// OBJ: what follows x, y and z, a weight or a colour, must be numbers and is skipped. Corners
// are v, v/vt, v//vn or v/vt/vn, counted from 1, or backwards from the last vertex when
// negative. A comment begins with # at the start of a line or after a blank. A backslash at the end
// of a v or f line continues it.
//
// CSV: columns minx miny minz maxx maxy maxz make boxes; else x y z make points, or x_m y_m z_m, the names of the
// table above, or those of [Options.Axes]. Upper and lower case are the same. Where a file has both x, y and X, Y, Z,
// the set with all three is taken. A unit in brackets is no part of a name. A missing column z is 0. The separator is
// the first of comma, semicolon, tab and blank with which the header has the columns, unless [Options.Comma] gives
// it. With any other separator a comma within a number is a decimal comma. Lines that begin with # or // are
// comments; the header may be one. Rows without any value are left out.
//
// Other numbers of a point, such as intensity or red, are kept where [Options.Columns] names
// them: columns of CSV, properties of PLY's vertices that are no lists, and fields of PCD with
// COUNT 1.
//
// # Points without a place
//
// Depth cameras and spinning sensors write a point of NaN for each pixel without a return. A point whose coordinates
// are all NaN, or all empty in CSV, is left out in every format. Any other point with a coordinate that is NaN,
// infinite or beyond float32 is an error, unless [Options.SkipInvalid] leaves it out, too. Where points were left
// out, [Cloud.Kept] has the indices in the file of the others. With [Cloud.Width] they give the row and column of a
// PCD file that is a grid. Faces with a vertex that is left out are dropped. [Cloud.Skipped] counts all of them.
//
// # Origin and rounding
//
// A float32 has 24 bits: at 5,400,000, a northing in metres, it counts in halves. So
// coordinates are parsed as the nearest float64, and the origin is subtracted there, before
// what is left is rounded to float32:
//
//	file      5403580.127                 float64, steps of 1e-9
//	origin    5403648                     a round number, exact
//	point         -67.873                 float32, steps of 8e-6
//
// Unless it is given, the origin is chosen from the bounds. With L the longest edge, an axis
// that lies within L of zero keeps 0: so a model about zero has the coordinates of its file,
// and those that the file has in float32 stay as they are, bit by bit. On any other axis it is
// the middle of the bounds, rounded to a multiple of the greatest power of two up to L; of L = 0,
// the place of all points itself. Either way no point is farther from the origin than L on any axis.
//
// So origin + point, in float64, is within half a step of float32 at L from the coordinate
// of the file, at most 2^-24 of L, besides the roundings of float64: 0.06 mm over a kilometre.
// With an origin that is given, it is 2^-24 of the distance from there on that axis. The
// columns of a box are rounded outward: the box holds that of the file.
//
// # Errors
//
// The first fault ends the reading, with the file's name and the line in text, the byte offset (after unpacking) in
// binary data. Faults are: a field that is no number; a point that is not finite, as above; an inverted box; an
// index out of range; a file that ends early; more than [Options.MaxPoints]; and anything after the last record but
// blank lines (in binary data, anything at all), because then the header's counts cannot be trusted.
//
// Memory grows with what is kept of the data that arrives: never by a count in a header or the length of a list,
// nor with what is skipped. [Options.MaxPoints] bounds it, because a small file may unpack to a large one. Of text
// one line or record is in memory at a time, of at most 4 MiB, and a line of a header of PLY or PCD of at most
// 64 KiB; longer ones are faults. While a file is read, a point takes 24 bytes and the room to grow, after it 12;
// where points are left out, 4 more.
package points
