package points

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zoctree/zoctree/internal/regular"
	"github.com/zoctree/zoctree/soa"
)

// Options say what to read. The zero value reads a file as it is.
type Options struct {
	// Origin, unless nil, is what to subtract; else it is chosen from the data, as the
	// package comment tells. Zero leaves the coordinates of the file, rounded to float32.
	Origin *[3]float64

	// NoFaces takes the vertices of a mesh and leaves its faces.
	NoFaces bool

	// SkipInvalid leaves out points and boxes with a coordinate that is NaN, infinite or beyond
	// float32. Without it the first of them is an error. Points whose coordinates are all NaN are
	// left out either way. Cloud.Kept has the indices in the file of those that are kept.
	SkipInvalid bool

	// MaxPoints bounds the points, or boxes, of a file. 0 stands for 67,108,864, which take up to
	// 3.4 GiB while they are read: set it lower for files that are not trusted. A file of more is
	// an error, also where only its header claims them. The corners of all faces are bounded by 16
	// times as many, the bytes of all texts by 64 times.
	MaxPoints int

	// Columns and Texts name what to keep as numbers besides the coordinates, and columns
	// of a CSV file to keep as text. The cloud lacks those that the file lacks.
	Columns, Texts []string

	// Axes, unless empty, name the columns of a CSV file that are x, y and z of its points. Those of
	// the spelling given are preferred, then upper and lower case are the same. An empty third name
	// makes z 0.
	Axes [3]string

	// Comma separates the fields of a CSV file; 0 is the first of comma, semicolon, tab and blank with
	// which the header line has the columns. A blank stands for any run of blanks and tabs.
	Comma rune

	// Progress, unless nil, is called now and then by the goroutine that reads, with the
	// bytes of the file read so far and its size, which is 0 when unknown.
	Progress func(done, total int64)
}

// Cloud is the content of a file. It is the caller's own: nothing else refers to it.
type Cloud struct {
	Format string     // for example "PLY ascii, gzip"
	Origin [3]float64 // what has been subtracted from the coordinates of the file

	// Points are those of the file, in its order, relative to the origin: the vertices of a
	// mesh; none of a file of boxes.
	Points [][3]float32
	// Boxes are those of a CSV file of boxes, relative to the origin and rounded outward.
	Boxes []soa.AABB

	// Bounds are those of all points, or boxes, in the coordinates of the file and exact;
	// inverted, from +Inf to -Inf, without any.
	Bounds soa.AABB64

	// Kept are the indices in the file of the points, or boxes, counted from 0: point i of the cloud
	// is point Kept[i] of the file. It is nil when none was left out, and then they are the same.
	Kept []uint32
	// Width and Height are the grid of a PCD file: point k of the file is in column k % Width of
	// row k / Width. Height is 1 of a file that is no grid. Both are 0 of other formats.
	Width, Height uint32

	// Columns and Texts are what the options named and the file has, by the name in the
	// options, one value for each point or box that is kept. Numbers may be infinite or NaN where the
	// file has them so; a field of CSV that is empty is NaN.
	Columns map[string][]float64
	Texts   map[string][]string

	Skipped []string // what was left out, in words

	faces faces
	raw   [][3]float64 // points before the origin is off
	boxes []soa.AABB64 // boxes before
}

// At returns the place of point i in the coordinates of the file: origin and point, added in
// float64. It is as far from what the file says as the package comment tells. It panics if
// there is no such point.
func (c *Cloud) At(i int) (p [3]float64) {
	for a, v := range c.Points[i] {
		p[a] = c.Origin[a] + float64(v)
	}
	return p
}

// Faces returns the number of faces of a mesh, 0 of other files. Those of fewer than three
// vertices are skipped and counted.
func (c *Cloud) Faces() int { return len(c.faces.ends) }

// Face returns the points of face i, by index: three or more. The slice is the cloud's own.
// It panics if there is no such face.
func (c *Cloud) Face(i int) []uint32 {
	start := uint64(0)
	if i > 0 {
		start = c.faces.ends[i-1]
	}
	return slices.Clip(c.faces.corners[start:c.faces.ends[i]])
}

// AppendTriangles appends the faces to dst as triangles, by index of points: of a face of n
// vertices n - 2, all with its first, in the order of the faces. It is what an occluder is made
// of: see occlude.NewMesh. A face that is not convex is not told apart. It panics if an index is
// beyond int32.
func (c *Cloud) AppendTriangles(dst [][3]int32) [][3]int32 {
	if most := uint64(len(c.Points)); most > 1<<31 {
		panic(fmt.Sprintf("points: triangles of %d points, at most %d are possible", most, uint64(1<<31)))
	}
	dst = slices.Grow(dst, len(c.faces.corners)-2*c.Faces())
	for i := range c.Faces() {
		f := c.Face(i)
		for k := 2; k < len(f); k++ {
			dst = append(dst, [3]int32{int32(f[0]), int32(f[k-1]), int32(f[k])})
		}
	}
	return dst
}

// String returns one line: format, counts, bounds and what was skipped.
func (c *Cloud) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", c.Format)
	switch n := len(c.Points) + len(c.Boxes); {
	case c.Boxes != nil:
		fmt.Fprintf(&b, "%d boxes", n)
	case c.Faces() > 0:
		fmt.Fprintf(&b, "%d faces of %d vertices", c.Faces(), n)
	default:
		fmt.Fprintf(&b, "%d points", n)
	}
	if c.Bounds.Min[0] <= c.Bounds.Max[0] {
		fmt.Fprintf(&b, " in %v .. %v", c.Bounds.Min, c.Bounds.Max)
	}
	if len(c.Skipped) > 0 {
		fmt.Fprintf(&b, "; skipped %s", strings.Join(c.Skipped, ", "))
	}
	return b.String()
}

// Open reads the file at path. A context that is done ends it with its error; nil never is. A path that
// leads to no regular file, such as a folder or a named pipe, is an error, and is not opened: [Read] reads
// streams.
// It costs one pass over the file and one over its points, on one core: of a server 190 MB a second
// of CSV, 280 to 410 of the others (go test ./linear/points -bench Read). Calls may run on any
// number of goroutines at a time. Errors are told in the package comment.
func Open(ctx context.Context, path string, opt Options) (*Cloud, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, path, info.Size(), &opt)
}

// Read is [Open] of what r has, up to its end. The name stands in errors, and tells the format
// where the first bytes do not; it may be empty, for the first line to tell it.
func Read(ctx context.Context, r io.Reader, name string, opt Options) (*Cloud, error) {
	return read(ctx, r, name, 0, &opt)
}

func read(ctx context.Context, r io.Reader, name string, size int64, opt *Options) (*Cloud, error) {
	k, err := newCollector(ctx, opt)
	if err != nil {
		return nil, err
	}
	s, zipped, err := open(ctx, &meter{ctx: ctx, in: r, total: size, progress: opt.Progress}, name)
	if err != nil {
		return nil, err
	}
	format, err := detect(s)
	if err != nil {
		return nil, err
	}
	kind, err := format(s, k)
	if err != nil {
		return nil, err
	}
	c := &Cloud{Format: kind}
	if zipped {
		c.Format += ", gzip"
	}
	k.finish(c)
	c.place(opt.Origin)
	return c, nil
}
