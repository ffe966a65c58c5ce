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
//	CSV   a header line that names the columns
//
// A file that begins with the line "ply" is PLY. Any other is told by the end of its name
// (.ply .pcd .obj .csv), or by its first line where the name says nothing. A file that
// begins with the gzip magic is unpacked on the way, whatever its name. Text is UTF-8, with a
// byte order mark or without; lines end with \n or \r\n.
//
// PLY: properties of any type and order. The element vertex needs x, y and z;
// the element face needs the list vertex_indices or vertex_index. Everything
// else is skipped, unparsed. In ascii each record is a line.
//
// PCD: the fields x, y and z are F4 or F8 with COUNT 1; others are skipped. A
// padding field, named _, takes no room in binary_compressed data.
//
// OBJ: what follows x, y and z, a weight or a colour, must be numbers and is skipped. Corners
// are v, v/vt, v//vn or v/vt/vn, counted from 1, or backwards from the last vertex when
// negative. A backslash continues a line.
//
// CSV: columns minx miny minz maxx maxy maxz make boxes; else x y z, else
// x_m y_m z_m, make points. Upper and lower case are the same. A missing z is 0.
//
// Other numbers of a point, such as intensity or red, are kept where [Options.Columns] names
// them: columns of CSV, properties of PLY's vertices that are no lists, and fields of PCD with
// COUNT 1.
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
// The first fault ends the reading, with the file's name and the line in text,
// the byte offset (after unpacking) in binary data. Faults are: a value that is
// no number, is infinite or lies beyond float32, less the origin where that is given; an
// inverted box; an index out of range; a file that ends early; and anything after the last
// record but blank lines (in binary data, anything at all), because then the header's
// counts cannot be trusted. A NaN is a fault too, except in PCD, where it marks
// a point without a return: such points are skipped and counted.
//
// Memory grows with what is kept of the data that arrives: never by a count in
// a header or the length of a list, nor with what is skipped. Of text one line
// is in memory at a time, of at most 4 MiB, a record of CSV of at most 1 MiB and
// a line of a header of at most 64 KiB; longer ones are faults. While a file is read, a point
// takes 24 bytes and the room to grow, after it 12.
package points
