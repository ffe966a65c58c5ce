package occlude

import (
	"math"

	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// SetCamera begins a frame with a perspective camera and clears the depth buffer. The error is the error of
// [query.Camera.Frustum], or reports that the numbers are too far apart for float32; the Culler is then
// unchanged.
//
// The rays of the image are the camera's rays up to the rounding of float64, some 2^-45 of a pixel. It
// allocates only when the buffer grows.
func (c *Culler) SetCamera(camera query.Camera) error {
	frustum, err := camera.Frustum()
	if err != nil {
		return err
	}
	p := perspective(&camera)
	return c.setCamera(&p, frustum)
}

// perspective returns the projection of a camera that has a frustum.
func perspective(c *query.Camera) projection {
	f := scaled(c.Forward, power3(c.Forward))
	f = scaled(f, 1/length(f))
	u := scaled(c.Up, power3(c.Up))
	r := cross(f, u)
	r = scaled(r, 1/length(r))
	u = cross(r, f)
	ty := math.Tan(c.FovY / 2)
	tx := float64(ty * c.Aspect)
	through := func(n [3]float64) [4]float64 { return [4]float64{n[0], n[1], n[2], -dot(n, c.Eye)} }
	p := projection{x: through(scaled(r, 1/tx)), y: through(scaled(u, 1/ty)), w: through(f), eye: &c.Eye}
	p.near = p.w
	p.near[3] -= c.Near
	return p
}

// SetViewProjectionColumnMajor begins a frame with a projection given by its matrix: perspective, off-centre
// or orthographic, as [query.FrustumColumnMajor] accepts it. It clears the depth buffer. The errors are those
// of that function, and that of a matrix without a usable inverse; the Culler is then unchanged.
//
// The camera is derived from the matrix in float64, so it is as precise as the float32 elements. Where
// coordinates are large, [Culler.SetViewProjectionColumnMajor64] is more precise. An oblique near plane
// counts at its farthest depth on the image.
func (c *Culler) SetViewProjectionColumnMajor(m [16]float32, clip query.Clip) error {
	frustum, err := query.FrustumColumnMajor(m, clip)
	if err != nil {
		return err
	}
	var rows [4][4]float64
	for i, x := range m {
		rows[i%4][i/4] = float64(x)
	}
	p := projectionOf(&rows, clip)
	return c.setCamera(&p, frustum)
}

// SetViewProjectionRowMajor is [Culler.SetViewProjectionColumnMajor] for a matrix as [query.FrustumRowMajor]
// accepts it.
func (c *Culler) SetViewProjectionRowMajor(m [16]float32, clip query.Clip) error {
	frustum, err := query.FrustumRowMajor(m, clip)
	if err != nil {
		return err
	}
	var rows [4][4]float64
	for i, x := range m {
		rows[i/4][i%4] = float64(x)
	}
	p := projectionOf(&rows, clip)
	return c.setCamera(&p, frustum)
}

// SetViewProjectionColumnMajor64 is [Culler.SetViewProjectionColumnMajor] for a matrix of a float64 world
// whose point origin is zero in the tree, as [query.FrustumColumnMajor64] accepts it.
func (c *Culler) SetViewProjectionColumnMajor64(m [16]float64, clip query.Clip, origin [3]float64) error {
	frustum, err := query.FrustumColumnMajor64(m, clip, origin)
	if err != nil {
		return err
	}
	var rows [4][4]float64
	for i, x := range m {
		rows[i%4][i/4] = x
	}
	about(&rows, &origin)
	p := projectionOf(&rows, clip)
	return c.setCamera(&p, frustum)
}

// SetViewProjectionRowMajor64 is [Culler.SetViewProjectionColumnMajor64] for a matrix as
// [query.FrustumRowMajor64] accepts it.
func (c *Culler) SetViewProjectionRowMajor64(m [16]float64, clip query.Clip, origin [3]float64) error {
	frustum, err := query.FrustumRowMajor64(m, clip, origin)
	if err != nil {
		return err
	}
	var rows [4][4]float64
	for i, x := range m {
		rows[i/4][i%4] = x
	}
	about(&rows, &origin)
	p := projectionOf(&rows, clip)
	return c.setCamera(&p, frustum)
}

// about translates the rows of a matrix to an origin.
func about(rows *[4][4]float64, origin *[3]float64) {
	for i := range rows {
		rows[i][3] += dot(lin(&rows[i]), *origin)
	}
}

// projectionOf returns the projection of a matrix with a valid clip range.
func projectionOf(m *[4][4]float64, clip query.Clip) projection {
	p := projection{x: m[0], y: m[1], w: m[3], near: m[2]}
	switch clip &^ query.ClipInfiniteFar {
	case query.ClipMinusOneToOne:
		for i := range p.near {
			p.near[i] += m[3][i]
		}
	case query.ClipReversedZ:
		for i := range p.near {
			p.near[i] = m[3][i] - m[2][i]
		}
	}
	return p
}

// setCamera sets the projection and begins a frame.
func (c *Culler) setCamera(p *projection, frustum query.Frustum) error {
	c.checkNotBusy()
	defer phase.Enter(phase.Clear).Leave()
	frustum, err := frustum.MinSize(c.cfg.MinSize)
	if err != nil {
		return err
	}
	var f frame
	if err := f.set(p, frustum, &c.cfg); err != nil {
		return err
	}
	resized := f.width != c.frame.width || f.height != c.frame.height
	c.frame = f
	(*walk.Frustum)(&frustum).PrepareSize(&c.size)
	c.buffer.begin(resized)
	c.beginFrame()
	return nil
}

// open returns the depth of a pixel that nothing covers.
func (f *frame) open() float32 {
	if f.parallel {
		return float32(math.Inf(-1))
	}
	return 0
}
