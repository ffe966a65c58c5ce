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

// Options configure the reading of point clouds by [Open] and [Read]; the zero value reads all points and faces of a
// file, relative to an origin that is chosen from the data.
type Options struct {
	// Origin, unless nil, is subtracted from the coordinates of the file. With nil the origin is chosen from
	// the data: see the package comment. The zero origin keeps the coordinates of the file, rounded to float32.
	Origin *[3]float64

	// NoFaces reads the vertices of a mesh without its faces. If it is false, faces are read.
	NoFaces bool

	// SkipInvalid leaves out points and boxes with a coordinate that is NaN, infinite or beyond float32.
	// Without it the first of them is an error. Points whose coordinates are all NaN are left out either way.
	// Cloud.Kept has the indices in the file of the other points.
	SkipInvalid bool

	// MaxPoints is the largest number of points, or boxes, that is read. 0 means 67,108,864, which take up to
	// 3.4 GiB while they are read: set it lower for untrusted files. A file with more is an error, even if only
	// its header claims them. The number of corners of all faces is limited to 16 times MaxPoints, the bytes of
	// all texts to 64 times.
	MaxPoints int

	// Columns names the columns to keep as numbers in addition to the coordinates, Texts the columns of a CSV
	// file to keep as text. Names that the file lacks are missing from the cloud. nil means none.
	Columns, Texts []string

	// Axes, unless empty, names the columns x, y and z of the points of a CSV file. Columns with the given
	// spelling are preferred; otherwise case is ignored. An empty third name makes z 0.
	Axes [3]string

	// Comma separates the fields of a CSV file. 0 means the first of comma, semicolon, tab and blank with which
	// the header line has the columns. A blank stands for any run of blanks and tabs.
	Comma rune

	// Progress, unless nil, is called now and then by the reading goroutine, with the bytes of the file read so
	// far and its size, which is 0 when unknown.
	Progress func(done, total int64)
}

// Cloud is a point cloud or mesh, the content of a file. The caller owns it.
type Cloud struct {
	Format string     // for example "PLY ascii, gzip"
	Origin [3]float64 // subtracted from the coordinates of the file

	// Points are the points of the file in its order, relative to the origin: the vertices of a mesh; nil for a
	// file of boxes.
	Points [][3]float32
	// Boxes are the boxes of a CSV file, relative to the origin and rounded outward.
	Boxes []soa.AABB

	// Bounds is the exact bounding box of all points, or boxes, in the coordinates of the file. Without any it
	// is inverted, from +Inf to -Inf.
	Bounds soa.AABB64

	// Kept has the indices in the file of the points, or boxes, counted from 0: point i of the cloud is point
	// Kept[i] of the file. It is nil when none was left out; then the indices are equal.
	Kept []uint32
	// Width and Height are the size of the grid of a PCD file: point k of the file is in column k % Width of
	// row k / Width. Height is 1 if the file is not a grid. Both are 0 for other formats.
	Width, Height uint32

	// Columns and Texts hold the columns that the options name and the file has, by the name in the options,
	// with one value for each point or box. Numbers may be infinite or NaN if they are so in the file; an empty
	// field of a CSV file is NaN.
	Columns map[string][]float64
	Texts   map[string][]string

	Skipped []string // descriptions of the data left out

	faces faces
	raw   [][3]float64 // points before the origin is subtracted
	boxes []soa.AABB64 // boxes before the origin is subtracted
}

// At returns point i in the coordinates of the file: the sum of origin and point, in float64. The package comment
// states its rounding error. At panics if there is no such point.
func (c *Cloud) At(i int) (p [3]float64) {
	for a, v := range c.Points[i] {
		p[a] = c.Origin[a] + float64(v)
	}
	return p
}

// Faces returns the number of faces of a mesh, 0 for other files. Faces of fewer than three vertices are left out,
// and counted in Skipped.
func (c *Cloud) Faces() int { return len(c.faces.ends) }

// Face returns the indices of the points of face i: three or more. The slice belongs to the cloud. Face panics if
// there is no such face.
func (c *Cloud) Face(i int) []uint32 {
	start := uint64(0)
	if i > 0 {
		start = c.faces.ends[i-1]
	}
	return slices.Clip(c.faces.corners[start:c.faces.ends[i]])
}

// AppendTriangles triangulates the faces and appends the triangles to dst, as indices of points. A face of n
// vertices becomes a fan of n - 2 triangles around its first vertex, in the order of the faces. Use it to make an
// occluder: see occlude.NewMesh. Faces that are not convex are not detected. It panics if an index is beyond int32.
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

// Open reads a point cloud or mesh from the file at path. It returns the error of the context when that is done;
// the context may be nil. A path to anything but a regular file, such as a folder or a named pipe, is an error, and
// is not opened: use [Read] for streams. The package comment describes the other errors.
//
// It makes one pass over the file and one over its points, on one core. A server reads 190 MB a second of CSV, and
// 280 to 410 of the other formats (go test ./linear/points -bench Read). Any number of goroutines may call it at a
// time.
func Open(ctx context.Context, path string, opt Options) (*Cloud, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(ctx, f, path, info.Size(), &opt)
}

// Read reads a point cloud or mesh from r, up to its end, as [Open] does. The name is used in errors, and its
// ending determines the format if the first bytes do not. It may be empty; then the first line determines the
// format.
func Read(ctx context.Context, r io.Reader, name string, opt Options) (*Cloud, error) {
	return read(ctx, r, name, 0, &opt)
}

func read(ctx context.Context, r io.Reader, name string, size int64, opt *Options) (*Cloud, error) {
	k, err := newCollector(ctx, opt)
	if err != nil {
		return nil, err
	}
	c := &Cloud{}
	if c.Format, err = k.read(&meter{ctx: ctx, in: r, total: size, progress: opt.Progress}, name); err != nil {
		return nil, err
	}
	k.finish(c)
	c.place(opt.Origin)
	return c, nil
}
