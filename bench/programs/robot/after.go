package robot

import (
	_ "embed"
	"math"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// After is the source of Map.
//
//go:embed after.go
var After string

// Map is the map after the move. It has no bounds, and a point that is not finite is an error.
type Map struct {
	tree linear.Tree
	ids  []uint32
}

// Insert adds the points of a scan.
func (m *Map) Insert(scan []Point) (err error) {
	m.ids, err = m.tree.InsertPoints(m.ids[:0], scan, linear.Labels{})
	if err != nil {
		return err
	}
	return m.tree.Tick()
}

// Within returns the number of points within a radius.
func (m *Map) Within(p Point, radius float32) (count int, err error) {
	ball, err := query.NewSphere(p, radius)
	if err != nil {
		return 0, err
	}
	return ball.Count(m.tree.View(), query.Filter{}), nil
}

// Clearance returns the distance of the nearest point, or +Inf without one within a distance.
func (m *Map) Clearance(p Point, limit float32) (dist float32, err error) {
	var one [1]query.Neighbor
	near, err := query.AppendNearest(one[:0], m.tree.View(), p, 1, limit, query.Filter{})
	if len(near) == 0 {
		return float32(math.Inf(1)), err
	}
	return float32(math.Sqrt(float64(near[0].Dist2))), nil
}

// Len returns the number of points.
func (m *Map) Len() int { return m.tree.Len() }
