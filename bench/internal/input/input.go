// Package input reads files that other programs wrote, and snapshots, and turns
// them into objects of a tree.
//
//	data, err := input.Read("dragon.ply.gz", input.Options{})
//	if err != nil {
//		log.Fatal(err) // dragon.ply.gz: line 17: face index 9 out of range (5 vertices)
//	}
//	fmt.Println(data)
//	ids, err := tree.InsertBatch(nil, data.Objects)
//
// # Formats
//
//	PLY   1.0 ascii, binary_little_endian, binary_big_endian
//	PCD   0.6 and 0.7 ascii, binary, binary_compressed
//	OBJ   the statements v and f
//	CSV   a header line that names the columns
//	      a snapshot, as [linear.Tree.Save] writes it
//
// A file that begins with the line "ply" is PLY, and one that begins with the magic
// bytes of a snapshot is that. Any other is told by the end
// of its name (.ply .pcd .obj .csv), or by its first line where the name says
// nothing. A file that begins with the gzip magic is unpacked on the way,
// whatever its name.
//
// PLY: properties of any type and order. The element vertex needs x, y and z;
// the element face needs the list vertex_indices or vertex_index. Everything
// else is skipped, unparsed. In ascii each record is a line.
//
// PCD: the fields x, y and z are F4 or F8 with COUNT 1; others are skipped. A
// padding field, named _, takes no room in binary_compressed data.
//
// OBJ: corners are v, v/vt, v//vn or v/vt/vn, counted from 1, or backwards from
// the last vertex when negative. A backslash continues a line.
//
// CSV: columns minx miny minz maxx maxy maxz make boxes; else x y z, else
// x_m y_m z_m, make points. Upper and lower case are the same. A missing z is 0.
// Other columns are skipped unless [Options] names them.
//
// A snapshot is checked at level [linear.CheckSafe]. What else than boxes, masks and
// static flags is in it is left out, spheres and oriented boxes with a count.
//
// # Objects
//
// A mesh gives one box for each face, around all its vertices; face i is object
// i. A face of fewer than three vertices is skipped and counted. A mesh without
// faces, or read with [Options.Points], gives one box without extent for each
// vertex. Every object has mask 1. Those of a snapshot have their own masks, and come
// in the order of IDs: object i has ID i where none had been removed, else the gaps are
// closed and counted.
//
// # Rounding
//
// A decimal becomes the nearest float32, rounded once, and a float64 the
// nearest float32: for points, and for the vertices of a mesh before the box of
// a face is taken. The columns of a box are read as float64 and rounded
// outward: minima down, maxima up, so the object holds the box of the file.
//
// # Errors
//
// The first fault ends the reading, with the file's name and the line in text,
// the byte offset (after unpacking) in binary data. Faults are: a value that is
// no number, is infinite or lies beyond float32; an inverted box; an index out
// of range; a file that ends early; and anything after the last record but
// blank lines (in binary data, anything at all), because then the header's
// counts cannot be trusted. A NaN is a fault too, except in PCD, where it marks
// a point without a return: such points are skipped and counted.
//
// Memory grows with what is kept of the data that arrives: never by a count in
// a header or the length of a list, nor with what is skipped, but for a snapshot, all of
// which is in memory for the while. Of text one line
// is in memory at a time, of at most 4 MiB, a record of CSV of at most 1 MiB and
// a line of a header of at most 64 KiB; longer ones are faults.
package input

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zoctree/zoctree/soa"
)

// Options says what to read. The zero value reads a file as it is.
type Options struct {
	// Points takes the vertices of a mesh and leaves its faces.
	Points bool

	// Floats and Texts name columns of a CSV file to keep, as numbers or as
	// text, besides the coordinates. Data lacks those that the file lacks.
	Floats, Texts []string

	// Progress, unless nil, is called now and then with the bytes of the file
	// read so far and its size, which is 0 when unknown.
	Progress func(done, total int64)

	// Context, unless nil, ends the reading with its error once it is done.
	Context context.Context
}

// Kind says what the objects of a file are.
type Kind int

// The kinds of objects.
const (
	Points    Kind = iota // boxes without extent
	Triangles             // boxes of the faces of a mesh
	Boxes                 // boxes as the file gives them, or a snapshot
)

// String returns the plural noun.
func (k Kind) String() string {
	return [...]string{"points", "triangles", "boxes"}[k]
}

// Data is the content of a file.
type Data struct {
	Format  string // for example "PLY ascii, gzip"
	Kind    Kind
	Objects []soa.Object
	Bounds  soa.AABB // of all objects; soa.Empty() without any
	Skipped []string // what was left out, in words
	Mesh    *Mesh    // of Triangles, else nil

	// The columns that the options named and the file has, by the name in the
	// options, one value for each object.
	Floats map[string][]float64
	Texts  map[string][]string
}

// String returns one line: format, counts, bounds and what was skipped.
func (d *Data) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d %v", d.Format, len(d.Objects), d.Kind)
	if d.Mesh != nil {
		fmt.Fprintf(&b, " of %d vertices", len(d.Mesh.Vertices))
	}
	if len(d.Objects) > 0 {
		fmt.Fprintf(&b, " in %v .. %v", d.Bounds.Min, d.Bounds.Max)
	}
	if len(d.Skipped) > 0 {
		fmt.Fprintf(&b, "; skipped %s", strings.Join(d.Skipped, ", "))
	}
	return b.String()
}

// add appends an object. The box is finite and not inverted.
func (d *Data) add(box soa.AABB) {
	d.Objects = append(d.Objects, soa.Object{Box: box, Mask: 1})
	d.Bounds = d.Bounds.Union(box)
}

// Read reads the file at path.
func Read(path string, opt Options) (*Data, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var size int64
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	return read(f, path, size, opt)
}

// ReadFrom reads a file from r. The name tells the format and stands in errors.
func ReadFrom(r io.Reader, name string, opt Options) (*Data, error) {
	return read(r, name, 0, opt)
}

func read(r io.Reader, name string, size int64, opt Options) (*Data, error) {
	s, zipped, err := open(&meter{in: r, total: size, opt: &opt}, name)
	if err != nil {
		return nil, err
	}
	format, err := detect(s)
	if err != nil {
		return nil, err
	}
	d := &Data{Bounds: soa.Empty()}
	if err := format(s, d, &opt); err != nil {
		return nil, err
	}
	if zipped {
		d.Format += ", gzip"
	}
	return d, nil
}
