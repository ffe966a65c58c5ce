package query

// Camera32 is a [Camera] for programs that keep their vectors in float32. Every float32
// is a float64: what is told there holds for these numbers, so that FovY, as float32,
// must be below pi, which is less than float32 has for pi.
type Camera32 struct {
	Eye     [3]float32
	Forward [3]float32 // need not have length 1
	Up      [3]float32 // need not be perpendicular to Forward
	FovY    float32    // vertical field of view in radians, below pi
	Aspect  float32    // width / height
	Near    float32
	Far     float32 // may be [Unlimited]
}

// Camera returns the same camera with float64 numbers, without rounding: what
// Eye.SetCamera of package query/occlude takes. It checks nothing and does not allocate.
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

// About returns the camera of a world in float64 as the tree sees it whose zero is the
// world's origin: the door for float64 of [Camera.Frustum], [Camera.Viewport] and the Eye
// of package query/occlude. Only Eye changes: by a difference that is rounded to float64,
// a relative 2^-53, so a near origin loses nothing that a plane would keep. An origin or
// an eye that is not finite is refused where the camera is used. It does not allocate.
func (c Camera) About(origin [3]float64) Camera {
	for a := range 3 {
		c.Eye[a] -= origin[a]
	}
	return c
}

func wide(v *[3]float32) [3]float64 {
	return [3]float64{float64(v[0]), float64(v[1]), float64(v[2])}
}
