package scene

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/internal/nth"
	"github.com/zoctree/zoctree/soa"
)

const (
	// attempts is the largest number of random cameras to try when the share is not visible.
	attempts = 64
	// tolerance is the relative error of the share within the sample.
	tolerance = 0.1
)

// Cameras returns count random cameras whose frustum contains about the given share of the objects
// (0 < share <= 1) by the p-vertex test. The error is within 20 % of the share if any of 64 draws
// has it; identical boxes, or a handful of them, may have none.
//
// Up to a share of a quarter the eye is near an object, else outside the scene. The direction is
// random; in flat scenes it is level and slightly down. Then the far plane is moved until the share
// is visible.
func Cameras(objects []soa.Object, share float64, count int, seed uint64) []Camera {
	a := newAudience(objects, share, seed)
	cameras := make([]Camera, count)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), count) {
		workers.Go(func() {
			var depths []float64
			for i := next.Add(1) - 1; i < int64(count); i = next.Add(1) - 1 {
				// One random stream for each camera, so that the number of workers does not change
				// the result.
				cameras[i], depths = a.draw(newRandom(seed, 100+uint64(i)), depths)
			}
		})
	}
	workers.Wait()
	return cameras
}

// CameraPath returns the frames of one camera that moves and turns smoothly through the objects.
// Each frame sees about the given share, as in [Cameras].
func CameraPath(objects []soa.Object, share float64, frames int, seed uint64) []Camera {
	a := newAudience(objects, share, seed)
	r := newRandom(seed, 99)
	path := make([]Camera, 0, frames)
	var depths []float64
	var velocity, turn [3]float64
	for len(path) < frames {
		if len(path) == 0 {
			var c Camera
			c, depths = a.draw(r, depths)
			path = append(path, c)
			velocity, turn = a.steer(r)
			continue
		}
		last := path[len(path)-1]
		next := last // a still camera sees the objects of the last frame
		for range attempts {
			c := NewCamera(along(last.Eye, velocity, 1), along(last.Forward, turn, 1), a.near, 0)
			var miss float64
			if miss, depths = a.focus(&c, depths); miss <= tolerance {
				next = c
				break
			}
			velocity, turn = a.steer(r)
		}
		path = append(path, next)
	}
	return path
}

// audience holds the objects that cameras should see.
type audience struct {
	survey
	target  int // boxes of the sample that a camera should see
	outside bool
	near    float64
}

func newAudience(objects []soa.Object, share float64, seed uint64) *audience {
	a := &audience{survey: newSurvey(objects, seed), outside: share > 0.25}
	a.target = max(1, int(math.Round(float64(share*float64(len(a.sample))))))
	a.near = min(0.1, a.radius/50)
	if a.near == 0 {
		a.near = 0.1
	}
	return a
}

// draw returns a camera that sees the target or, of all attempts, the one with the least error. It
// uses depths as a buffer and returns it.
func (a *audience) draw(r random, depths []float64) (best Camera, _ []float64) {
	least := math.Inf(1)
	for range attempts {
		eye, forward := a.viewpoint(r)
		c := NewCamera(eye, forward, a.near, 0)
		var miss float64
		if miss, depths = a.focus(&c, depths); miss < least {
			best, least = c, miss
		}
		if least <= tolerance {
			break
		}
	}
	return best, depths
}

// viewpoint returns a random eye and viewing direction.
func (a *audience) viewpoint(r random) (eye, forward [3]float64) {
	forward = r.direction()
	if a.flat {
		forward = r.heading()
	}
	if a.outside {
		eye = along(a.middle, forward, -a.radius*r.between(1, 1.6))
		forward = along(forward, r.direction(), 0.2)
	} else {
		eye = a.nearObject(r)
	}
	if a.flat {
		forward[2] = -r.between(0.02, 0.25)
		eye[2] = a.middle[2] + float64(a.spacing*r.between(1, 3))
	}
	return eye, forward
}

// steer returns a new velocity and rate of turn of a moving camera, per frame.
func (a *audience) steer(r random) (velocity, turn [3]float64) {
	velocity = scale(r.direction(), a.radius*r.between(0.001, 0.004))
	turn = scale(r.direction(), r.between(0, 0.02))
	if a.flat {
		velocity[2], turn[2] = 0, 0
	}
	return velocity, turn
}

// focus moves the far plane of c so that the target is visible, or as much of it as possible, and
// returns the relative error.
func (a *audience) focus(c *Camera, depths []float64) (miss float64, _ []float64) {
	depths = c.depths(a.sample, depths[:0])
	c.Far = 100 * c.Near
	if len(depths) > 0 {
		c.Far = max(2*c.Near, nth.Element(depths, min(a.target, len(depths))-1)*(1+1e-6))
	}
	visible := 0
	for _, d := range depths {
		if d <= c.Far {
			visible++
		}
	}
	return math.Abs(float64(visible-a.target)) / float64(a.target), depths
}

// depths appends, for each box that is visible with an infinite far plane, the distance of a far
// plane that just touches it.
func (c *Camera) depths(boxes []soa.AABB, dst []float64) []float64 {
	open := *c
	open.Far = math.Inf(1)
	planes := open.Planes()
	var side [5][4]float64
	for i := range side {
		for j := range 4 {
			side[i][j] = float64(planes[i][j])
		}
	}
	front := [4]float64{c.Forward[0], c.Forward[1], c.Forward[2], -dot(c.Forward, c.Eye)}
next:
	for i := range boxes {
		b := &boxes[i]
		for p := range side {
			if extreme(&side[p], &b.Min, &b.Max) < 0 {
				continue next
			}
		}
		dst = append(dst, extreme(&front, &b.Max, &b.Min))
	}
	return dst
}

// extreme returns n*p + d for the corner p of a box that has the coordinate of lo where the normal
// is negative, else the coordinate of hi. With lo the minimum this is the largest value on the box,
// with lo the maximum the smallest.
func extreme(n *[4]float64, lo, hi *[3]float32) float64 {
	sum := n[3]
	for a := range 3 {
		p := hi[a]
		if n[a] < 0 {
			p = lo[a]
		}
		sum += float64(n[a] * float64(p))
	}
	return sum
}
