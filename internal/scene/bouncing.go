package scene

import "github.com/zoctree/zoctree/soa"

// Bouncing is a dynamic scene: cubes of edge 1 + 99·x^10 in a cube of side 4,000. Each moves in a
// straight line at a speed of 10·y^10 per frame, x and y uniform in 0..1. A cube that hits a side
// of the world is reflected. So nearly all are small and slow, and a few are a hundred times as
// large, or cross a cell in each frame.
type Bouncing struct {
	low   [][3]float64 // lowest corner of each cube
	pace  [][3]float64 // velocity per frame
	edge  []float64
	boxes []soa.AABB
}

const (
	// BouncingCount is the published number of cubes.
	BouncingCount = 65536

	// BouncingSide is the side of their world.
	BouncingSide = 4000
)

// NewBouncing returns n cubes before their first frame.
func NewBouncing(n int, seed uint64) *Bouncing {
	r := newRandom(seed, 12)
	b := &Bouncing{
		low: make([][3]float64, n), pace: make([][3]float64, n),
		edge: make([]float64, n), boxes: make([]soa.AABB, n),
	}
	for i := range n {
		b.edge[i] = 1 + float64(99*tenth(r.Float64()))
		b.low[i] = r.in(BouncingSide - b.edge[i])
		b.pace[i] = scale(r.direction(), 10*tenth(r.Float64()))
		b.setBox(i)
	}
	return b
}

// tenth returns x^10.
func tenth(x float64) float64 {
	x2 := x * x
	x4 := x2 * x2
	return x4 * x4 * x2
}

// Boxes returns the current boxes by index. The next frame changes them in place.
func (b *Bouncing) Boxes() []soa.AABB { return b.boxes }

// Objects returns dynamic objects with the current boxes.
func (b *Bouncing) Objects() []soa.Object {
	objects := make([]soa.Object, len(b.boxes))
	for i := range objects {
		objects[i].Box = b.boxes[i]
	}
	return label(objects, func(int) bool { return false })
}

// Step moves all cubes by one frame and returns Boxes.
func (b *Bouncing) Step() []soa.AABB {
	for i := range b.boxes {
		p, v := &b.low[i], &b.pace[i]
		room := BouncingSide - b.edge[i]
		for a := range 3 {
			p[a] += v[a]
			if p[a] < 0 {
				p[a], v[a] = -p[a], -v[a]
			} else if p[a] > room {
				p[a], v[a] = 2*room-p[a], -v[a]
			}
		}
		b.setBox(i)
	}
	return b.boxes
}

func (b *Bouncing) setBox(i int) {
	half := b.edge[i] / 2
	b.boxes[i] = around(along(b.low[i], [3]float64{1, 1, 1}, half), [3]float64{half, half, half})
}
