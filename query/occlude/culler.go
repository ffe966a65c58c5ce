package occlude

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// Culler performs occlusion culling for one camera: it finds the objects of a tree or a scene that are in the
// camera's frustum and not hidden behind occluders. It keeps a small depth buffer and remembers the large
// occluders of its last queries, so it should be kept as long as its camera: one for each view, shadow
// cascade or half of a split screen. Make one with [New].
//
//	c, err := occlude.New(occlude.Config{OccluderMask: walls})
//	every frame:
//		err = c.SetCamera(camera)                         // clears the depth buffer
//		c.DrawMesh(terrain, linear.Transform{})           // if any: occluders that are not objects
//		visible = c.Append(visible[:0], tree.View(), query.Filter{})
//
// The package comment states the contract: which objects are culled, and which hidden objects are not. While
// the camera rests, SetCamera need not be called: a query of a tree that has changed redraws its occluders.
// Memory does not depend on the number of queries.
//
// A Culler may be used by one goroutine at a time. The functions that All and Ranges call must not use it:
// that panics. After the first frames no method allocates, except as documented at the method.
type Culler struct {
	cfg    Config
	frame  frame
	buffer buffer
	size   cull.Size // of the frame

	stamps  []linear.Stamp // of the trees and scenes queried since SetCamera, or since a change
	queries int            // number of queries since SetCamera, or since a change
	rest    backoff
	busy    bool // a callback is running

	// Of the current query
	number int // queries before it since SetCamera, or since a change
	results
	selection
	ownShapes
	walk         cull.VisibleWalk
	bounds       boundsTest
	planes       cull.Planes
	sum          tested
	stop, found  bool // stop at the first visible object; one was found
	counts       bool // the query counts for the back-off and for the memory
	stoppedEarly bool // the query counts, and was abandoned
	explain      explain
	tally        SceneCounters
}

// Config configures a [Culler], with a default for each field that is 0. The zero value selects no occluders
// from the tree and a depth buffer 320 pixels wide.
type Config struct {
	// Width and Height are the size of the depth buffer in pixels, not of the screen; its pixels need not be
	// square. If one is 0, it follows from the other and the aspect ratio of the camera; if both are 0, Width
	// is 320. At most 4096 each. The buffer takes some 4.5 bytes a pixel, 8 more with meshes, and the first
	// query after SetCamera takes time for each pixel. Occluders have to cover whole pixels: a finer buffer
	// culls more.
	Width, Height int

	// OccluderMask selects the objects of a tree or a scene that are opaque throughout: their type mask has
	// one of these bits. In a scene the masks of all instances on the path must have one, too. An object with
	// an oriented box occludes by that box; an object with only a sphere does not occlude. With
	// [Culler.SetShapes] the objects occlude by their shapes alone. 0 selects none; occluders are then drawn
	// by the program.
	OccluderMask uint32

	// MaxOccluders is the maximum number of occluders of a tree that are drawn for one query. As many may be
	// drawn again after the first pass of the query, or at the end of a pause. A mesh of [Culler.SetShapes]
	// counts once, and once more for each 64 triangles. 0 means 256.
	MaxOccluders int

	// MinPixels is the size of the rectangle around an occluder of a tree, in pixels, below which the
	// occluder is not drawn. 0 means 1/2048 of the buffer.
	MinPixels int

	// MinSize culls objects that are small on the image, as [query.Frustum.MinSize] does. Small subtrees are
	// also skipped in the search for occluders. 0 culls none. Above 0, parallel projections are errors.
	MinSize float32

	// Workers is the number of goroutines that draw. 0 means 1: the caller's goroutine; more than 1,024 mean
	// 1,024. The depth buffer does not depend on it.
	Workers int
}

const (
	defaultWidth     = 320
	defaultOccluders = 256
	pixelShare       = 2048
)

// check returns the error of [New].
func (c *Config) check() error {
	if min(c.Width, c.Height, c.MaxOccluders, c.MinPixels, c.Workers) < 0 || max(c.Width, c.Height) > depth.MaxPixels {
		return fmt.Errorf("occlude: a depth buffer of %d x %d pixels, %d occluders of %d pixels, %d workers: want none negative, and at most %d pixels a side",
			c.Width, c.Height, c.MaxOccluders, c.MinPixels, c.Workers, depth.MaxPixels)
	}
	if !(c.MinSize >= 0 && c.MinSize <= math.MaxFloat32) {
		return fmt.Errorf("occlude: a minimum size of %v, want a finite one of 0 or more", c.MinSize)
	}
	return nil
}

// Check returns the error of [New], or of [Culler.SetCamera] of a Culler with this configuration. It makes no
// Culler, does not allocate, and costs as much as making a frustum.
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

// New returns a Culler. Its first call must be [Culler.SetCamera] or a form of SetViewProjection. A negative
// number, a width or height above 4096, or a minimum size that is not finite, is an error.
func New(cfg Config) (*Culler, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Culler{cfg: cfg}
	if cfg.MaxOccluders == 0 {
		c.cfg.MaxOccluders = defaultOccluders
	}
	b := &c.buffer
	b.frame, b.workers = &c.frame, team.Size(max(cfg.Workers, 1))
	b.drawBands, b.drawTiles = b.drawBand, b.drawMeshTiles
	return c, nil
}

// size returns the size of the depth buffer in pixels.
func (c *Config) size(aspect float64) (width, height int) {
	width, height = c.Width, c.Height
	if width == 0 && height == 0 {
		width = defaultWidth
	}
	side := func(x float64) int { return int(min(max(math.Round(x), 1), depth.MaxPixels)) }
	if width == 0 {
		return side(float64(height) * aspect), height
	}
	if height == 0 {
		height = side(float64(width) / aspect)
	}
	return width, height
}

// Reset drops the memory of earlier queries, which is useless after a cut to another camera, and ends a
// pause. Correctness never depends on that memory: stale memory only costs time.
func (c *Culler) Reset() {
	c.checkNotBusy()
	c.rest = backoff{}
	for _, m := range c.memory {
		for i := range m {
			m[i].reset()
		}
	}
}

// Frustum returns the frustum of the last SetCamera, as [query.Camera.Frustum] or the function of query for
// the matrix makes it, with Config.MinSize. The results of the Culler are a subset of its results.
func (c *Culler) Frustum() query.Frustum {
	c.checkCamera()
	return c.frame.frustum
}

// checkCamera panics unless a camera has been set.
func (c *Culler) checkCamera() {
	c.checkNotBusy()
	if c.frame.width == 0 {
		panic("occlude: a Culler was queried before its first SetCamera")
	}
}

// checkNotBusy panics if a callback of this Culler is running.
func (c *Culler) checkNotBusy() {
	if c.busy {
		panic("occlude: a Culler was used inside its own callback")
	}
}
