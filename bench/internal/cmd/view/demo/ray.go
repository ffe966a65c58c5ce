package demo

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/query"
)

// shoot casts a ray.
func (s *Stage) shoot(q *Question, a *Answer) error {
	v, all, dir, length := s.tree.View(), query.Filter{}, q.forward(), 0.0
	for _, d := range dir {
		length += float64(d * d)
	}
	if length = math.Sqrt(length); !(length > 0) {
		return fmt.Errorf("a ray without a direction")
	}
	var unit, from [3]float32
	for i := range unit {
		unit[i], from[i] = float32(dir[i]/length), float32(q.Eye[i])
	}
	far := float32(q.Far)
	var hits []query.Hit
	//show ray
	ray, err := query.NewRay(from, unit, far)
	if err != nil {
		return err
	}
	hits = ray.Append(hits[:0], v, all) // in order
	first, ok := ray.First(v, all)
	//end
	heat := query.NewHeat(v)
	c := ray.Explain(v, all, heat)
	ids := make([]uint32, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	s.paint(ids, Hit)
	if ok {
		s.States[first.ID] = Whole
		a.point(q.Eye, first.Pos)
	}
	a.count("hits", len(hits), int(Hit))
	a.count("first", b2i(ok), int(Whole))
	a.count("false positives", s.candidates(heat), int(Candidate))
	a.count("nodes visited", c.Nodes, none)
	a.count("packets tested", c.Packets, none)
	loop := func(dst []uint32) []uint32 { return s.slabs(dst, from, unit, far) }
	a.Equal = s.same(ids, loop(nil))
	a.say("%s of %s hit, found by testing %s boxes", len(hits), len(s.objects), boxes(c))
	a.tested(c, len(s.objects))
	a.versus(q, func() { hits = ray.Append(hits[:0], v, all) }, func() { ids = loop(ids[:0]) })
	return nil
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// point adds a line.
func (a *Answer) point(from [3]float64, to [3]float32) {
	a.Lines = append(a.Lines, from[0], from[1], from[2], Float(to[0]), Float(to[1]), Float(to[2]))
}

// slabs is the loop of ray casts, by the definition of query.Ray.
func (s *Stage) slabs(dst []uint32, from, dir [3]float32, far float32) []uint32 {
	var near, away [3]float32
	for a, d := range dir {
		near[a] = 1 / d
		away[a] = near[a] * (1 + 5*0x1p-23)
	}
next:
	for i := range s.objects {
		b := &s.objects[i].Box
		enter, leave := float32(0), far
		for a, d := range dir {
			n, f := b.Min[a], b.Max[a]
			switch {
			case d == 0:
				if from[a] < n || from[a] > f {
					continue next
				}
				continue
			case d < 0:
				n, f = f, n
			}
			if t := (n - from[a]) * near[a]; t > enter {
				enter = t
			}
			if t := (f - from[a]) * away[a]; t < leave {
				leave = t
			}
		}
		if enter <= leave {
			dst = append(dst, uint32(i))
		}
	}
	return dst
}

// nearest runs a k-nearest-neighbour search.
func (s *Stage) nearest(q *Question, a *Answer) error {
	v, all, k, point := s.tree.View(), query.Filter{}, q.K, [3]float32{float32(q.Eye[0]), float32(q.Eye[1]), float32(q.Eye[2])}
	far := float32(math.Inf(1))
	var near []query.Neighbor
	//show nearest
	near, err := query.AppendNearest(near[:0],
		v, point, k, far, all)
	if err != nil {
		return err
	}
	heat := query.NewHeat(v) // visited nodes and packets
	c, err := query.ExplainNearest(
		v, point, k, far, all, heat)
	//end
	if err != nil {
		return err
	}
	for i, n := range near {
		s.States[n.ID] = Hit
		if i == 0 {
			s.States[n.ID] = Whole
		}
		if i < maxOutlines {
			o, _ := v.Object(n.ID)
			for axis, p := range point {
				o.Box.Min[axis] = min(max(p, o.Box.Min[axis]), o.Box.Max[axis])
			}
			a.point(q.Eye, o.Box.Min)
		}
	}
	a.count("found", len(near), int(Hit))
	a.count("the nearest", min(len(near), 1), int(Whole))
	a.count("false positives", s.candidates(heat), int(Candidate))
	a.count("nodes visited", c.Nodes, none)
	a.count("packets tested", c.Packets, none)
	a.Equal = s.sameNear(near, s.closest(nil, point, k))
	a.say("%s nearest of %s found by testing %s boxes", len(near), len(s.objects), boxes(c))
	a.tested(c, len(s.objects))
	var found []query.Neighbor
	a.versus(q, func() { near, _ = query.AppendNearest(near[:0], v, point, k, far, all) },
		func() { found = s.closest(found[:0], point, k) })
	return nil
}

// closest is the loop of neighbours: it keeps the k best in order.
func (s *Stage) closest(dst []query.Neighbor, p [3]float32, k int) []query.Neighbor {
	for i := range s.objects {
		b := &s.objects[i].Box
		if b.Min[0] > b.Max[0] {
			continue // removed
		}
		n := query.Neighbor{ID: uint32(i), Dist2: dist2(b, &p)}
		if len(dst) == k && n.Dist2 >= dst[k-1].Dist2 {
			continue
		}
		at, _ := slices.BinarySearchFunc(dst, n, func(x, n query.Neighbor) int {
			if x.Dist2 <= n.Dist2 {
				return -1
			}
			return 1
		})
		if len(dst) == k {
			dst = dst[:k-1]
		}
		dst = slices.Insert(dst, at, n)
	}
	return dst
}

// sameNear reports whether two lists have the same distances: at equal distances IDs may differ.
func (s *Stage) sameNear(ours, loop []query.Neighbor) bool {
	return slices.EqualFunc(ours, loop, func(a, b query.Neighbor) bool { return a.Dist2 == b.Dist2 })
}
