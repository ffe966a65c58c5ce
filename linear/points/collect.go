package points

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/zoctree/zoctree/soa"
)

const (
	// defaultMaxPoints is used for a MaxPoints of 0. A slice of 24 bytes a point that grows by a quarter takes
	// 54 for the old and the new one: 3.4 GiB.
	defaultMaxPoints = 1 << 26

	// cornersPerPoint times MaxPoints bounds the corners of all faces. A closed mesh of triangles has 6 a vertex.
	cornersPerPoint = 16
	// textPerPoint times MaxPoints bounds the bytes of all texts.
	textPerPoint = 64

	// pointsBetweenChecks is the number of points read between two checks of the context. Reads of the file do
	// not suffice: highly compressed data causes few of them.
	pointsBetweenChecks = 1 << 16
)

// collector collects the objects of a file one by one, and decides which are kept.
type collector struct {
	opt    *Options
	ctx    context.Context // may be nil
	max    int             // largest number of points or boxes
	origin [3]float64      // Options.Origin, else zero
	axes   [3]string       // names of the coordinates, for errors

	raw         [][3]float64
	boxes       []soa.AABB64
	seen        uint64   // objects of the file so far, including skipped ones
	kept        []uint32 // indices in the file of the kept objects; nil while none is left out
	empty       int      // number left out because all coordinates are NaN
	invalid     int      // number left out by Options.SkipInvalid
	columns     []column
	texts       []textColumn
	textBytes   int
	textsBefore int // textBytes at the beginning of the chunk
	before      int // objects of the chunks before

	emit          func() error // hands over a chunk and resets the collector; nil collects all of the file
	faces         faces
	width, height uint32
	skipped       []string
}

func newCollector(ctx context.Context, opt *Options) (*collector, error) {
	k := &collector{opt: opt, ctx: ctx, max: opt.MaxPoints, axes: [3]string{"x", "y", "z"}}
	switch {
	case k.max < 0:
		return nil, fmt.Errorf("points: MaxPoints %d is negative", k.max)
	case k.max == 0:
		k.max = defaultMaxPoints
	}
	k.max = int(min(uint64(k.max), math.MaxUint32)) // indices in Kept and faces have 32 bits
	if opt.Origin != nil {
		k.origin = *opt.Origin
		for _, x := range k.origin {
			if x-x != 0 {
				return nil, fmt.Errorf("points: the origin %v is not finite", k.origin)
			}
		}
	}
	k.columns = newColumns(opt.Columns)
	k.texts = newTexts(opt.Texts)
	k.faces = faces{uncornered: opt.NoFaces, most: cornersPerPoint * uint64(k.max)}
	return k, nil
}

// read reads all of a file in the format of its first bytes or its name, and returns the name of the format.
func (k *collector) read(in io.Reader, name string) (string, error) {
	s, zipped, err := open(k.ctx, in, name)
	if err != nil {
		return "", err
	}
	format, err := detect(s)
	if err != nil {
		return "", err
	}
	kind, err := format(s, k)
	if zipped {
		kind += ", gzip"
	}
	return kind, err
}

// claimed returns an error if a header announces more objects than may be kept, before anything is allocated for
// them.
func (k *collector) claimed(n uint64) error {
	if n > uint64(k.max) {
		return fmt.Errorf("the header counts %d points, at most %d are read: set Options.MaxPoints to read more", n, k.max)
	}
	return nil
}

// room returns an error if no further object may be kept.
func (k *collector) room(n int) error {
	if n >= k.max {
		return fmt.Errorf("at most %d points are read: set Options.MaxPoints to read more", k.max)
	}
	if k.seen == math.MaxUint32 {
		return fmt.Errorf("more than %d points, including skipped ones", uint32(math.MaxUint32))
	}
	if k.seen%pointsBetweenChecks == 0 && k.ctx != nil {
		return k.ctx.Err()
	}
	return nil
}

// point adds a point with the values of its columns. text, unless nil, has the coordinates as spelled in the file.
func (k *collector) point(p [3]float64, text *[3][]byte) error {
	if err := k.room(k.before + len(k.raw)); err != nil {
		return err
	}
	for a, x := range p {
		// A difference of infinities, or with NaN, is NaN.
		if r := float32(x - k.origin[a]); r-r != 0 {
			var spelled [][]byte
			if text != nil {
				spelled = text[:]
			}
			return k.leaveOut(p[:], spelled)
		}
	}
	k.raw = append(k.raw, p)
	return k.keep()
}

// box adds a box. It keeps the exact box of the file; the box rounded outward must be finite.
func (k *collector) box(b *soa.AABB64, text *[6][]byte) error {
	if err := k.room(k.before + len(k.boxes)); err != nil {
		return err
	}
	outward := b.Box(k.origin)
	for a := range 3 {
		if lo, hi := outward.Min[a], outward.Max[a]; lo-lo != 0 || hi-hi != 0 {
			values := [6]float64{b.Min[0], b.Min[1], b.Min[2], b.Max[0], b.Max[1], b.Max[2]}
			return k.leaveOut(values[:], text[:])
		}
	}
	k.boxes = append(k.boxes, *b)
	return k.keep()
}

// keep completes an object that is kept.
func (k *collector) keep() error {
	if k.kept != nil {
		k.kept = append(k.kept, uint32(k.seen))
	}
	k.seen++
	for i := range k.columns {
		if c := &k.columns[i]; c.found {
			c.values = append(c.values, c.now)
		}
	}
	if err := k.keepTexts(); err != nil || k.emit == nil {
		return err
	}
	if len(k.kept) == pointsPerChunk || k.textBytes-k.textsBefore >= textPerChunk {
		return k.emit()
	}
	return nil
}

// leaveOut completes an object that no tree can hold. It is left out if all values are NaN, as for a pixel without
// a measurement, or if Options.SkipInvalid is set. Otherwise the error names the first invalid value.
func (k *collector) leaveOut(values []float64, text [][]byte) error {
	nans := 0
	for _, v := range values {
		if v != v {
			nans++
		}
	}
	switch {
	case nans == len(values):
		k.empty++
	case k.opt.SkipInvalid:
		k.invalid++
	default:
		return k.invalidError(values, text)
	}
	if k.kept == nil {
		k.kept = make([]uint32, k.seen)
		for i := range k.kept {
			k.kept[i] = uint32(i)
		}
	}
	k.seen++
	return nil
}

func (k *collector) invalidError(values []float64, text [][]byte) error {
	for i, v := range values {
		a := i % 3
		r := float32(v - k.origin[a])
		if r-r == 0 && (len(values) == 3 || math.Abs(float64(r)) < math.MaxFloat32) { // a box is rounded outward
			continue
		}
		shown, why := fmt.Sprint(v), "not finite"
		if v-v == 0 {
			why = "beyond float32"
			if k.opt.Origin != nil {
				why += fmt.Sprintf(" about the origin %v", k.origin[a])
			}
		}
		if text != nil {
			if shown = quote(text[i]); len(text[i]) == 0 {
				shown, why = "empty", "not a number"
			}
		}
		return fmt.Errorf("point %d: %s is %s, %s: Options.SkipInvalid skips such points", k.seen, k.axes[a], shown, why)
	}
	return fmt.Errorf("point %d is not finite: Options.SkipInvalid skips such points", k.seen)
}

// skip records a description of data left out.
func (k *collector) skip(n int64, what string) {
	if n > 0 {
		k.skipped = append(k.skipped, fmt.Sprintf("%d %s", n, what))
	}
}

// finish moves the collected data to the cloud.
func (k *collector) finish(c *Cloud) {
	what := "points"
	if k.boxes != nil {
		what = "boxes"
	}
	k.skip(int64(k.empty), what+" with NaN alone")
	k.skip(int64(k.invalid), what+" that are not finite")
	if k.kept != nil && len(k.faces.ends) > 0 {
		k.skip(int64(k.faces.renumber(k.kept)), "faces of such points")
	}
	k.skip(int64(k.faces.small), "faces of fewer than 3 vertices")
	k.skip(int64(k.faces.left), "faces")
	k.fill(c)
}

// fill moves the objects to the cloud.
func (k *collector) fill(c *Cloud) {
	c.raw, c.boxes, c.faces = k.raw, k.boxes, k.faces
	c.Kept, c.Width, c.Height, c.Skipped = k.kept, k.width, k.height, k.skipped
	c.Columns = map[string][]float64{}
	for _, col := range k.columns {
		if col.found {
			c.Columns[col.name] = col.values
		}
	}
	for _, col := range k.texts {
		if col.found {
			if c.Texts == nil {
				c.Texts = map[string][]string{}
			}
			c.Texts[col.name] = col.values
		}
	}
}
