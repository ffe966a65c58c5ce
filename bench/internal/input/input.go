// Package input reads what package points does, and snapshots, and turns it into objects of
// a tree.
//
//	data, err := input.Read("dragon.ply.gz", input.Options{})
//	if err != nil {
//		log.Fatal(err) // dragon.ply.gz: line 17: face index 9 out of range (5 vertices)
//	}
//	fmt.Println(data)
//	ids, err := tree.InsertBatch(nil, data.Objects)
//
// A file that begins with the magic bytes of a snapshot, as [linear.Tree.Save] writes it,
// is that, also gzipped; any other is for [points.Open]. The origin stays at zero: objects
// are where the file says, rounded to float32.
//
// A snapshot is checked at level [linear.CheckSafe]. What else than boxes, masks and
// static flags is in it is left out, spheres and oriented boxes with a count. All of it is in
// memory for the while.
//
// # Objects
//
// A mesh gives one box for each face, around all its vertices; face i is object
// i. A mesh without faces, or read with [Options.Points], gives one box without extent for
// each vertex, as points do. Every object has mask 1. Those of a snapshot have their own
// masks, and come in the order of IDs: object i has ID i where none had been removed, else
// the gaps are closed and counted.
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

// Options says what to read. The zero value reads a file as it is.
type Options struct {
	// Points takes the vertices of a mesh and leaves its faces.
	Points bool

	// Columns and Texts are those of [points.Options].
	Columns, Texts []string

	// Progress, unless nil, is called now and then with the bytes of the file
	// read so far and its size.
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

	Cloud *points.Cloud // what the objects are made of; nil of a snapshot
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

// ReadFrom reads what Read does from a stream. Errors begin with the name, and it tells the kind of file
// where its bytes do not.
func ReadFrom(r io.Reader, name string, opt Options) (*Data, error) { return read(r, 0, name, opt) }

// read reads a file of a size, 0 if nobody knows.
func read(r io.Reader, size int64, path string, opt Options) (*Data, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, _ := in.Peek(4096) // an error comes again
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

// isSnapshot tells whether a file begins like a snapshot, packed or not.
func isSnapshot(head []byte) bool {
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		head = make([]byte, len(snap.Magic))
		n, _ := io.ReadFull(z, head)
		head = head[:n]
	}
	return bytes.HasPrefix(head, []byte(snap.Magic))
}

// fromCloud makes objects of a cloud.
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
