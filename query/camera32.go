package query

// Camera32 is a perspective camera with float32 fields; see [Camera]. Its numbers are converted to
// float64 exactly, and the conditions of Camera apply. So FovY, as a float32, must be below pi;
// the float32 nearest to pi is above it.
type Camera32 struct {
	Eye     [3]float32
	Forward [3]float32 // viewing direction, of any length
	Up      [3]float32 // need not be perpendicular to Forward
	FovY    float32    // vertical field of view in radians, below pi
	Aspect  float32    // width / height
	Near    float32
	Far     float32 // may be [Unlimited]
}

// Camera returns the same camera with float64 fields, without rounding: the form that
// Culler.SetCamera of package query/occlude takes. It checks nothing and does not allocate.
func (c Camera32) Camera() Camera {
	return Camera{
		wide(&c.Eye), wide(&c.Forward), wide(&c.Up),
		float64(c.FovY), float64(c.Aspect), float64(c.Near), float64(c.Far),
	}
}

// Frustum is [Camera.Frustum] of [Camera32.Camera]: the same bits and the same errors.
func (c Camera32) Frustum() (Frustum, error) { return c.Camera().Frustum() }

// Viewport is [Camera.Viewport] of [Camera32.Camera]: the same bits and the same errors.
func (c Camera32) Viewport(width, height int) (Viewport, error) {
	return c.Camera().Viewport(width, height)
}

// About returns a camera of a float64 world in the coordinates of a tree whose zero is the world's
// origin. Use the result with [Camera.Frustum], [Camera.Viewport] and the Culler of package
// query/occlude.
//
// Only Eye changes, by a difference that is rounded to float64, a relative 2^-53; with a near
// origin the planes lose no precision. About checks nothing: an origin or an eye that is not
// finite is rejected where the camera is used. It does not allocate.
func (c Camera) About(origin [3]float64) Camera {
	for a := range 3 {
		c.Eye[a] -= origin[a]
	}
	return c
}

func wide(v *[3]float32) [3]float64 {
	return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
}
