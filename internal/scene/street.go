package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

const (
	eyeHeight = 1.7 // above the ground, which is at 0
	elbowRoom = 0.7 // free distance on all sides of an eye
	stride    = 0.5 // distance walked per frame
	turning   = 0.01
	tries     = 1000 // number of attempts to find a free path
)

// Street returns cameras at eye height on the ground of a city, outside of all boxes, with a random
// level direction and no far plane. If some thousand attempts find no free ground, the eye is in a
// box.
func Street(objects []soa.Object, count int, seed uint64) []Camera {
	s := newSurvey(objects, seed)
	r := newRandom(seed, 97)
	cameras := make([]Camera, count)
	for i := range cameras {
		cameras[i] = s.stroll(r, objects, 1)[0]
	}
	return cameras
}

// Walk returns the frames of a street camera that walks half a unit and turns 0.6 degrees a frame,
// in a bend first to one side and then to the other.
func Walk(objects []soa.Object, frames int, seed uint64) []Camera {
	s := newSurvey(objects, seed)
	return s.stroll(newRandom(seed, 96), objects, frames)
}

// stroll returns the frames of a walk that begins at a random point in the inner part of the scene.
func (s *survey) stroll(r random, objects []soa.Object, frames int) []Camera {
	for try := 1; ; try++ {
		var eye [3]float64
		for a := range 2 {
			margin := (s.max[a] - s.min[a]) / 8
			eye[a] = r.between(s.min[a]+margin, s.max[a]-margin)
		}
		eye[2] = eyeHeight
		forward := r.heading()
		path := make([]Camera, frames)
		for i := range path {
			path[i] = NewCamera(eye, forward, 0.1, math.Inf(1))
			side := turning
			if i >= frames/2 {
				side = -turning
			}
			forward = unit(along(forward, path[i].Right, side))
			eye = along(eye, forward, stride)
		}
		if roomy(objects, path) || try == tries {
			return path
		}
	}
}

// roomy reports whether no box is near an eye of a path.
func roomy(objects []soa.Object, path []Camera) bool {
	near := soa.Empty()
	for i := range path {
		near = near.Union(around(path[i].Eye, [3]float64{elbowRoom, elbowRoom, elbowRoom}))
	}
	for i := range objects {
		b := &objects[i].Box
		if !b.Overlaps(near) {
			continue
		}
		for k := range path {
			if b.Overlaps(around(path[k].Eye, [3]float64{elbowRoom, elbowRoom, elbowRoom})) {
				return false
			}
		}
	}
	return true
}
