package nevala

import (
	"math"

	"github.com/zoctree/zoctree/bench/rivals/index"
	"github.com/zoctree/zoctree/soa"
)

// Record is an intersection of two objects.
type Record struct {
	Object, Other uint32

	// Position is the middle of the intersection of the boxes.
	Position [3]float32

	// Normal is the axis of least penetration, from Object to Other; Depth is the distance by which Other has to
	// move along it.
	Normal [3]float32
	Depth  float32
}

// Intersections appends a record of every pair to dst.
func (t *Tree) Intersections(dst []Record) []Record {
	t.pairs(func(a, b *index.Item) { dst = append(dst, record(a, b)) })
	return dst
}

func record(a, b *index.Item) Record {
	common := soa.AABB{}
	r := Record{Object: a.ID, Other: b.ID}
	for k := range 3 {
		common.Min[k], common.Max[k] = max(a.Box.Min[k], b.Box.Min[k]), min(a.Box.Max[k], b.Box.Max[k])
		up, down := a.Box.Max[k]-b.Box.Min[k], b.Box.Max[k]-a.Box.Min[k]
		if d := min(up, down); k == 0 || d < r.Depth {
			r.Depth, r.Normal = d, [3]float32{}
			r.Normal[k] = 1
			if down < up {
				r.Normal[k] = -1
			}
		}
	}
	r.Position = common.Center()
	return r
}

// Strike is an intersection of a ray and an object.
type Strike struct {
	Object uint32

	// Distance is the distance of [index.Hit], Position the point on the box there.
	Distance float32
	Position [3]float32

	// Normal is the normal of the face that contains the position, against the ray; zero if the ray starts in the
	// box.
	Normal [3]float32
}

// Strikes appends records of the hits of the ray to dst, by time, then ID.
func (q Query) Strikes(dst []Strike, r *index.Ray) []Strike {
	for _, h := range q.AppendHits(nil, r) {
		location := q.t.homes[h.ID]
		dst = append(dst, strike(&location.node.objects[location.slot].Box, r, h))
	}
	return dst
}

func strike(b *soa.AABB, r *index.Ray, h index.Hit) Strike {
	s := Strike{Object: h.ID, Distance: h.Dist}
	face, least := -1, math.Inf(1)
	var side [3]float32
	for a := range 3 {
		p := float64(r.Origin[a]) + float64(float64(h.Dist)*float64(r.Dir[a]))
		s.Position[a] = float32(min(max(p, float64(b.Min[a])), float64(b.Max[a])))
		side[a] = b.Min[a]
		if r.Dir[a] < 0 {
			side[a] = b.Max[a]
		}
		// The face entered last is determined by time, not distance.
		if d := math.Abs((p - float64(side[a])) / float64(r.Dir[a])); d < least {
			face, least = a, d
		}
	}
	if h.Dist > 0 && face >= 0 {
		s.Position[face] = side[face]
		s.Normal[face] = -1
		if r.Dir[face] < 0 {
			s.Normal[face] = 1
		}
	}
	return s
}
