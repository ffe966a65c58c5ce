// Package input reads the file formats of package points, and snapshots, and converts them to objects of a
// tree.
//
//	data, err := input.Read("dragon.ply.gz", input.Options{})
//	if err != nil {
//		log.Fatal(err) // dragon.ply.gz: line 17: face index 9 out of range (5 vertices)
//	}
//	fmt.Println(data)
//	ids, err := tree.InsertBatch(nil, data.Objects)
//
// A file that begins with the magic bytes of a snapshot, as [linear.Tree.Save] writes it, is read as a
// snapshot, also if it is gzipped; any other file is read by [points.Open]. The origin stays at zero:
// coordinates are those of the file, rounded to float32.
//
// A snapshot is checked at level [linear.CheckSafe]. Only its boxes, masks and static flags are read; skipped
// spheres and oriented boxes are counted. The whole snapshot is in memory while it is read.
//
// # Objects
//
// A mesh gives one box for each face, around all its vertices; face i is object i. A mesh without faces, or
// read with [Options.Points], gives one box without extent for each vertex, as points do. Every object has
// mask 1. Objects of a snapshot have their own masks and are in the order of their IDs: object i has ID i if
// no object had been removed; otherwise the gaps are closed and counted.
package input

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/points"
	"github.com/zoctree/zoctree/soa"
)

// Options selects the content to read. The zero value reads a file unchanged.
type Options struct {
	// Points reads the vertices of a mesh and ignores its faces.
	Points bool

	// Columns and Texts are the fields of [points.Options].
	Columns, Texts []string

	// Progress, unless nil, is called repeatedly with the bytes of the file read so far and its size.
	Progress func(done, total int64)

	// Context, unless nil, stops the reading with its error once it is done.
	Context context.Context
}

// Kind is the kind of the objects of a file.
type Kind int

// The kinds of objects.
const (
	Points    Kind = iota // boxes without extent
	Triangles             // boxes of the faces of a mesh
	Boxes                 // boxes of a file or a snapshot
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
	Bounds  soa.AABB // bounds of all objects; soa.Empty() without any
	Skipped []string // descriptions of skipped content

	Cloud *points.Cloud // source of the objects; nil for a snapshot
}

// String returns one line: format, counts, bounds and what was skipped.
func (d *Data) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d %v", d.Format, len(d.Objects), d.Kind)
	if d.Kind == Triangles {
		fmt.Fprintf(&b, " of %d vertices", len(d.Cloud.Points))
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
func (d *Data) add(o soa.Object) {
	d.Objects = append(d.Objects, o)
	d.Bounds = d.Bounds.Union(o.Box)
}

// Read reads the file at path, once.
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
	return read(f, size, path, opt)
}

// ReadFrom is Read from a stream. Errors begin with the name, which also determines the format if the bytes
// do not.
func ReadFrom(r io.Reader, name string, opt Options) (*Data, error) { return read(r, 0, name, opt) }

// read reads a file of a size, 0 if it is unknown.
func read(r io.Reader, size int64, path string, opt Options) (*Data, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, _ := in.Peek(4096) // an error recurs in the next read
	if isSnapshot(head) {
		return readSnapshot(&meter{in: in, total: size, opt: &opt}, path)
	}
	want := points.Options{Origin: new([3]float64), NoFaces: opt.Points, Columns: opt.Columns, Texts: opt.Texts}
	if opt.Progress != nil {
		want.Progress = func(done, _ int64) { opt.Progress(done, size) }
	}
	cloud, err := points.Read(opt.Context, in, path, want)
	if err != nil {
		return nil, err
	}
	return fromCloud(cloud), nil
}

// isSnapshot reports whether a file begins like a snapshot, gzipped or not.
func isSnapshot(head []byte) bool {
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		head = make([]byte, len(snap.Magic))
		n, _ := io.ReadFull(z, head)
		head = head[:n]
	}
	return bytes.HasPrefix(head, []byte(snap.Magic))
}

// fromCloud converts a cloud to objects.
func fromCloud(c *points.Cloud) *Data {
	d := &Data{Format: c.Format, Bounds: soa.Empty(), Skipped: c.Skipped, Cloud: c}
	d.Objects = make([]soa.Object, 0, max(len(c.Boxes), len(c.Points), c.Faces()))
	switch {
	case c.Boxes != nil:
		d.Kind = Boxes
		for _, b := range c.Boxes {
			d.add(soa.Object{Box: b, Mask: 1})
		}
	case c.Faces() > 0:
		d.Kind = Triangles
		for i := range c.Faces() {
			box := soa.Empty()
			for _, k := range c.Face(i) {
				box = box.Union(soa.AABB{Min: c.Points[k], Max: c.Points[k]})
			}
			d.add(soa.Object{Box: box, Mask: 1})
		}
	default:
		for _, p := range c.Points {
			d.add(soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: 1})
		}
	}
	return d
}
