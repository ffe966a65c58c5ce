package occlude

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Culler is what a camera sees of a tree, or of a scene, when solid things hide others. It keeps a small picture
// of depths and the memory of its last answers, and is meant to live as long as its camera:
// one for each view, shadow cascade or half of a split screen. Make one with [New].
//
//	eye, err := occlude.New(occlude.Config{Solid: walls})
//	every frame:
//		err = eye.Look(camera)                            // clears the picture
//		eye.DrawMesh(terrain, linear.Transform{})              // if any: solids that are no objects
//		seen = eye.Append(seen[:0], tree.View(), query.Filter{})
//
// What an answer leaves out, and what it does not, is told in the package comment. While the
// camera rests Look need not be called: an answer about a tree that has changed draws its
// solids anew. Memory does not depend on the number of answers.
//
// An Eye belongs to one goroutine at a time, and what it calls back, of All and Ranges, must
// not use it: that panics. After the first frames nothing allocates but what is said at a method.
type Culler struct {
	cfg   Config
	frame frame

	picture asm.Picture
	cones   []asm.Cone // to draw
	byHand  int        // solids drawn by hand since Look
	layers  layers
	asked   []linear.Stamp // of what has been asked about since Look, or since a change
	open    bool           // nothing has been drawn since Look
	flat    bool           // the pyramid lacks what was drawn last
	stale   bool           // the picture has not been cleared since Look
	busy    bool           // in a yield

	walk    asm.Seen
	planes  asm.Planes
	size    asm.Size
	ranges  []asm.Range // seen
	kept    []asm.Range // of these, what the filter keeps
	place   placed
	answers int // since Look, or since a change
	rest    backoff
	sum     tested   // of the answer that is made
	memory  []memory // of the first answer after Look, the second, ...
	picks   []pick
	looked  []asm.Range // what is seen before a second look
	large   []pick      // the large solids of that
	stack   []uint32
	sizes   []float32
	drawn   []uint32 // places of the tree whose solids are in the picture, of this answer
	sorted  int      // of these in order
	gaveUp  bool     // the answer that is made, which counts
	gather  func(query.Range) bool
	from    linear.View // of gather
	tally   Counters
	within  *within // unless no scene has been asked about

	mesh meshDraw

	team team.Team
	band func(i int) // calls work, bound once
	work func(e *Culler, i int)
}

// Config says how an [Culler] works. Zero fields are good defaults.
type Config struct {
	// Width and Height are those of the picture of depths, not of the screen; its pixels
	// need not be square. 0 means what the other one and the ratio of the camera's sides
	// make it, or if both are 0 a Width of 320. At most 4096 each. It takes some 4.5 bytes a
	// pixel, 8 more with meshes, and the first question after a Look takes time for each. Solids have
	// to cover whole pixels: the finer, the more is found hidden.
	Width, Height int

	// OccluderMask says which objects of a tree or a scene are opaque throughout: those whose type mask
	// has one of these bits, in a scene in places whose gates have one, too. An object with an oriented box is solid in that, one with only a sphere
	// is not. 0 means none; solids are then drawn by hand.
	OccluderMask uint32

	// MaxOccluders bounds the solids of a tree that are drawn for one answer, and once more those
	// that are drawn after a first look at it, or because a pause has ended. 0 means 256.
	MaxOccluders int

	// MinPixels is the size of the rectangle around a solid of a tree, in pixels, below
	// which it is not drawn. 0 means 1/2048 of the picture.
	MinPixels int

	// MinSize leaves out what is small on the picture, as [query.Frustum.MinSize] does, from the
	// answers and, where it is a whole subtree, from the solids of the tree that are drawn. 0 means
	// nothing. Above 0, parallel projections are errors.
	MinSize float32

	// Workers is the number of goroutines that draw. 0 means 1: that of the caller; more than
	// 1,024 mean as many. The picture does not depend on it.
	Workers int
}

const (
	defaultWidth  = 320
	defaultSolids = 256
	pixelShare    = 2048
)

// check returns the error of [New].
func (c *Config) check() error {
	if min(c.Width, c.Height, c.MaxOccluders, c.MinPixels, c.Workers) < 0 || max(c.Width, c.Height) > asm.MaxPixels {
		return fmt.Errorf("occlude: a picture of %d x %d pixels, %d solids of %d pixels, %d workers: want none negative, and at most %d pixels a side",
			c.Width, c.Height, c.MaxOccluders, c.MinPixels, c.Workers, asm.MaxPixels)
	}
	if !(c.MinSize >= 0 && c.MinSize <= math.MaxFloat32) {
		return fmt.Errorf("occlude: a least size of %v, want a finite one of 0 or more", c.MinSize)
	}
	return nil
}

// Check returns the error of [New], or of [Culler.SetCamera] of an Eye that is made so. It makes none, allocates nothing and
// takes the time to make a frustum.
func (c Config) Check(camera query.Camera) error {
	if err := c.check(); err != nil {
		return err
	}
	frustum, err := camera.Frustum()
	if err != nil {
		return err
	}
	if frustum, err = frustum.MinSize(c.MinSize); err != nil {
		return err
	}
	var f frame
	p := perspective(&camera)
	return f.set(&p, frustum, &c)
}

// New returns an Eye, for which [Culler.SetCamera] is the first call. A number that is negative, a
// width or height above 4096, or a least size that is not finite, is an error.
func New(cfg Config) (*Culler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	e := &Culler{cfg: cfg}
	if cfg.MaxOccluders == 0 {
		e.cfg.MaxOccluders = defaultSolids
	}
	e.gather = e.gatherRange
	e.cfg.Workers = team.Size(max(cfg.Workers, 1))
	e.band = func(i int) { e.work(e, i) }
	return e, nil
}

// size returns the size of the picture.
func (c *Config) size(aspect float64) (width, height int) {
	width, height = c.Width, c.Height
	if width == 0 && height == 0 {
		width = defaultWidth
	}
	side := func(x float64) int { return int(min(max(math.Round(x), 1), asm.MaxPixels)) }
	if width == 0 {
		return side(float64(height) * aspect), height
	}
	if height == 0 {
		height = side(float64(width) / aspect)
	}
	return width, height
}

// Reset drops the memory of former answers, as it is of no use after a cut to another camera, and ends a
// pause. What is right never depends on it: stale memory costs time alone.
func (e *Culler) Reset() {
	e.free()
	e.rest = backoff{}
	for i := range e.memory {
		e.memory[i] = memory{e.memory[i].places[:0], e.memory[i].within[:0]}
	}
}

// Frustum returns the frustum of the last Look, of whose answer those of the Eye are a part. It is
// as [query.Camera.Frustum] or the function of query for the matrix makes it, with the least size
// that was configured.
func (e *Culler) Frustum() query.Frustum {
	e.looking()
	return e.frame.frustum
}

// looking panics unless there is a camera.
func (e *Culler) looking() {
	e.free()
	if e.frame.width == 0 {
		panic("occlude: an Eye was asked before its first Look")
	}
}

// free panics if the Eye is in a yield of its own.
func (e *Culler) free() {
	if e.busy {
		panic("occlude: an Eye was used in what it calls back")
	}
}
