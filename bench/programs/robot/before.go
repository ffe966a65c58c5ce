package robot

import (
	_ "embed"
	"math"
)

// Before is the source of Octree.
//
//go:embed before.go
var Before string

// Octree is the map before the move. It covers a cube; points outside are lost.
type Octree struct {
	root  node
	count int
}

type node struct {
	center   Point
	half     float32
	children *[8]node
	points   []Point
}

const leafSize = 32

// NewOctree returns an empty map of a cube.
func NewOctree(center Point, half float32) *Octree {
	return &Octree{root: node{center: center, half: half}}
}

// Insert adds the points of a scan.
func (o *Octree) Insert(scan []Point) error {
	for _, p := range scan {
		if o.root.distance(p) > 0 {
			continue
		}
		o.root.insert(p)
		o.count++
	}
	return nil
}

func (n *node) insert(p Point) {
	for n.children != nil {
		n = &n.children[n.octant(p)]
	}
	n.points = append(n.points, p)
	if len(n.points) > leafSize && n.half > 1e-3 {
		n.split()
	}
}

func (n *node) octant(p Point) (i int) {
	for d := range p {
		if p[d] >= n.center[d] {
			i |= 1 << d
		}
	}
	return i
}

func (n *node) split() {
	n.children = new([8]node)
	for i := range n.children {
		child := &n.children[i]
		child.half = n.half / 2
		for d := range child.center {
			child.center[d] = n.center[d] - child.half
			if i>>d&1 == 1 {
				child.center[d] = n.center[d] + child.half
			}
		}
	}
	for _, p := range n.points {
		n.children[n.octant(p)].insert(p)
	}
	n.points = nil
}

// distance returns the squared distance of a point from the cube.
func (n *node) distance(p Point) (sum float32) {
	for d := range p {
		if x := max(n.center[d]-n.half-p[d], p[d]-n.center[d]-n.half, 0); x > 0 {
			sum += x * x
		}
	}
	return sum
}

// Within returns the number of points within a radius.
func (o *Octree) Within(p Point, radius float32) (count int, err error) {
	return o.root.within(p, radius*radius), nil
}

func (n *node) within(p Point, r2 float32) (count int) {
	if n.distance(p) > r2*(1+1e-5) {
		return 0
	}
	if n.children != nil {
		for i := range n.children {
			count += n.children[i].within(p, r2)
		}
	}
	for _, q := range n.points {
		if dist2(p, q) <= r2 {
			count++
		}
	}
	return count
}

// Clearance returns the distance of the nearest point, or +Inf without one within a distance.
func (o *Octree) Clearance(p Point, limit float32) (dist float32, err error) {
	best := o.root.nearest(p, limit*limit)
	if best > limit*limit {
		return float32(math.Inf(1)), nil
	}
	return float32(math.Sqrt(float64(best))), nil
}

func (n *node) nearest(p Point, limit float32) (best float32) {
	best = math.Nextafter32(limit, math.MaxFloat32)
	if n.distance(p) > best*(1+1e-5) {
		return best
	}
	for _, q := range n.points {
		best = min(best, dist2(p, q))
	}
	if n.children != nil {
		first := n.octant(p) // nearest child first
		for i := range n.children {
			best = min(best, n.children[first^i].nearest(p, min(best, limit)))
		}
	}
	return best
}

// Len returns the number of points.
func (o *Octree) Len() int { return o.count }
