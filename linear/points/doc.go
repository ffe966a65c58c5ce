// Package points reads point clouds and meshes from files: LAS, PLY, PCD, OBJ, CSV, XYZ and PTS. It parses coordinates
// in float64, subtracts an origin, and returns float32 coordinates, ready for a tree.
//
//	cloud, err := points.Open(ctx, "terrain.pcd.gz", points.Options{})
//	if err != nil {
//		log.Fatal(err) // terrain.pcd.gz: line 17: y: "half" is not a number
//	}
//	ids, err := tree.InsertPoints(nil, cloud.Points, linear.Labels{Mask: 1})
//
// Query relative to [Cloud.Origin], as with query.NewSphere64. [Cloud.At] returns the points found in the
// coordinates of the file. [Chunks] reads files that do not fit into memory.
//
// # Formats
//
//	LAS   1.2 to 1.4, point formats 0 to 10
//	PLY   1.0 ascii, binary_little_endian, binary_big_endian
//	PCD   0.6 and 0.7 ascii, binary, binary_compressed
//	OBJ   the statements v and f
//	CSV   a header line that names the columns; any separator
//	XYZ   rows of three or more numbers, without a header; any separator
//	PTS   the same after a line with their number
//
// The output of these programs is read:
//
//	CloudCompare   LAS, PLY, PCD, OBJ, .xyz; .asc, .txt and .csv with "columns title", also with the point count
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
//	PDAL, LAStools LAS, with extra bytes and waveforms skipped
//	Leica Cyclone  PTS of one scan
//	surveying      CSV with Easting, Northing, Elevation
//
// The first bytes "LASF" or a first line "ply" or "# .PCD" determine the format, else the end of the name (.ply .pcd
// .obj .csv .xyz .pts), else the first line that is not a comment. A file that begins with the gzip magic is
// decompressed, whatever its name. Text is UTF-8, with or without a byte order mark. Lines end with \n, \r\n or \r,
// as the first one does.
//
// LAZ (compressed LAS), E57, STL, glTF, VTK, STEP, archives and captures of sensors are not read. The error names the
// format and a program that converts it.
//
// Numbers are decimal, of any length, and are rounded to the nearest float64. The exponent may be in Fortran's
// form, 1.0D+02. A number is the whole field: 1#2, 1_0 and 0x1p3 are errors. NaN and infinities are parsed in the
// spellings of common programs, including 1.#INF and -nan(ind).
//
// LAS: a coordinate is the integer of the file times the scale factor, plus the offset, each rounded to float64
// (ASPRS, LAS Specification 1.4-R15, section 2.4). The fields of points are columns, under these names, as far as the
// point format has them (section 2.6): x, y, z, intensity, return_number, number_of_returns, scan_direction_flag,
// edge_of_flight_line, classification (without its flags), synthetic, key_point, withheld, overlap, scanner_channel,
// scan_angle (in degrees), user_data, point_source_id, gps_time, red, green, blue and nir. Points that are withheld
// are read as all others. Records of variable length before and after the points, extra bytes and waveforms are
// skipped. The bounds and the numbers of returns in the header are ignored.
//
// PLY: properties of any type and order. The element vertex needs x, y and z; the element face needs the list
// vertex_indices or vertex_index. All other data is skipped, unparsed. In ascii each record is a line.
//
// PCD: the fields x, y and z are F4 or F8 with COUNT 1; others are skipped. A field of COUNT 0 takes no space; a
// padding field, named _, takes none in binary_compressed data.
//
// OBJ: values after x, y and z, a weight or a colour, must be numbers and are skipped. Corners are v, v/vt, v//vn
// or v/vt/vn, counted from 1, or backwards from the last vertex when negative. A comment begins with # at the start
// of a line or after a blank. A backslash at the end of a v or f line continues it.
//
// CSV: columns minx miny minz maxx maxy maxz make boxes; else x y z make points, or x_m y_m z_m, the names of the
// table above, or those of [Options.Axes]. Case is ignored. Where a file has both x, y and X, Y, Z, the set with
// all three is used. A unit in brackets is not part of a name. A missing column z is 0. The separator is the first
// of comma, semicolon, tab and blank with which the header has the columns, unless [Options.Comma] sets it. With
// any other separator a comma within a number is a decimal comma. Lines that begin with # or // are comments; the
// header may be one, among the first 32 KiB of those that contain names of x and y. Rows without any value are left
// out.
//
// XYZ, PTS: a file with a header line is read as CSV. The other rows are numbers, three or more, as many in each. The
// columns are x, y, z, 4, 5, and so on. In a PTS file of 4, 6 or 7 columns the others are intensity, red, green and
// blue; of 6, without intensity. A first line of one number is the number of rows.
//
// Other numbers of a point, such as intensity or red, are kept if [Options.Columns] names them: fields of LAS,
// columns of CSV, properties of PLY vertices that are not lists, and fields of PCD with COUNT 1.
//
// # Invalid points
//
// Depth cameras and spinning sensors write a point of NaN for each pixel without a return. A point whose
// coordinates are all NaN, or all empty in CSV, is left out in every format. Any other point with a coordinate that
// is NaN, infinite or beyond float32 is an error, unless [Options.SkipInvalid] leaves it out, too. If points were
// left out, [Cloud.Kept] has the indices in the file of the others. With [Cloud.Width] they give the row and column
// of a PCD file that is a grid. Faces with a vertex that is left out are dropped. [Cloud.Skipped] counts all of
// them.
//
// # Origin and rounding
//
// A float32 has 24 bits: at 5,400,000, a northing in metres, its step is a half. So coordinates are parsed as the
// nearest float64, and the origin is subtracted in float64, before the difference is rounded to float32:
//
//	file      5403580.127                 float64, steps of 1e-9
//	origin    5403648                     a round number, exact
//	point         -67.873                 float32, steps of 8e-6
//
// Unless it is given, the origin is chosen from the bounds. With L the longest edge, an axis that lies within L of
// zero keeps 0: so a model about zero has the coordinates of its file, and float32 coordinates of the file are kept
// bit by bit. On any other axis it is the middle of the bounds, rounded to a multiple of the greatest power of two
// up to L; if L = 0, it is the common position of all points. Either way no point is farther from the origin than L
// on any axis.
//
// So origin + point, in float64, is within half a step of float32 at L from the coordinate of the file, at most
// 2^-24 of L, plus the rounding errors of float64: 0.06 mm over a kilometre. With a given origin, it is 2^-24 of
// the distance from there on that axis. The columns of a box are rounded outward: the box contains that of the
// file.
//
// # Errors
//
// Reading stops at the first fault. The error has the file's name, and the line in text or the byte offset (after
// decompression) in binary data. Faults are: a field that is not a number; a point that is not finite, as above; an
// inverted box; an index out of range; a file that ends early; more than [Options.MaxPoints]; and anything after
// the last record except blank lines (in binary data, anything at all), because then the header's counts cannot be
// trusted.
//
// Memory grows only with the data that is kept: never by a count in a header or the length of a list, nor with
// skipped data. [Options.MaxPoints] bounds it, because a small file may decompress to a large one. One line or
// record of text is in memory at a time, of at most 4 MiB, and one header line of PLY or PCD of at most 64 KiB;
// longer ones are faults. While a file is read, a point takes 24 bytes and the room to grow, after it 12; where
// points are left out, 4 more.
package points
