package query_test

import (
	"fmt"
	"math"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/collide"
)

// contacts judges the contacts of the first pairs, and of some that do not
// overlap.
func (p *pairJudge) contacts(ask func(pairs []collide.Pair) []collide.Contact) error {
	pairs := append([]collide.Pair(nil), p.got[:min(len(p.got), 500)]...)
	for k := range min(len(p.left.c.ids), len(p.right.c.ids), 40) {
		i, j := k*k%len(p.left.c.ids), (k*7+3)%len(p.right.c.ids)
		pairs = append(pairs, collide.Pair{A: p.left.c.ids[i], B: p.right.c.ids[j]})
	}
	got := ask(pairs)
	if len(got) != len(pairs) {
		return fmt.Errorf("%d contacts of %d pairs", len(got), len(pairs))
	}
	for i, pair := range pairs {
		a, b := p.left.solid(p.left.c.at(pair.A)), p.right.solid(p.right.c.at(pair.B))
		if got[i].A != pair.A || got[i].B != pair.B {
			return fmt.Errorf("contact %d is of %d and %d, want %v", i, got[i].A, got[i].B, pair)
		}
		if p.left.c.turned[p.left.c.at(pair.A)] != nil || p.right.c.turned[p.right.c.at(pair.B)] != nil {
			n := testkit.Wide(got[i].Normal) // the rest is tested by its own
			if length := dotProduct(n, n); math.Abs(length-1) > 1e-5 || got[i].Depth-got[i].Depth != 0 {
				return fmt.Errorf("a normal of length² %v: %+v", length, got[i])
			}
			continue
		}
		if what := wrongContact(&a, &b, &got[i]); what != "" {
			return fmt.Errorf("%s: %+v of %x %x and %x %x", what, got[i], a.Box, a.Ball, b.Box, b.Ball)
		}
	}
	return nil
}

// wrongContact describes the contradiction with the documentation: of boxes to the bit, of balls up to rounding.
func wrongContact(a, b *testkit.Solid, c *collide.Contact) string {
	var pos, normal [3]float64
	depth, size := 0.0, 0.0
	switch {
	case a.Ball == nil && b.Ball == nil:
		depth = math.Inf(1)
		for k := range 3 {
			for side, d := range []float64{
				float64(a.Box.Max[k]) - float64(b.Box.Min[k]), float64(b.Box.Max[k]) - float64(a.Box.Min[k]),
			} {
				if d < depth {
					depth, normal = d, [3]float64{}
					normal[k] = float64(1 - 2*side)
				}
			}
			lo := max(float64(a.Box.Min[k]), float64(b.Box.Min[k]))
			pos[k] = (lo + min(float64(a.Box.Max[k]), float64(b.Box.Max[k]))) / 2
		}
	case a.Ball != nil && b.Ball != nil:
		pos, normal, depth = ballContact(a, b)
		size = sizeOf(a.Ball[:]...) + sizeOf(b.Ball[:]...)
	case a.Ball != nil:
		pos, normal, depth = ballContact(a, b)
		size = sizeOf(a.Ball[:]...) + sizeOf(b.Box.Min[:]...) + sizeOf(b.Box.Max[:]...)
	default:
		pos, normal, depth = ballContact(b, a)
		size = sizeOf(b.Ball[:]...) + sizeOf(a.Box.Min[:]...) + sizeOf(a.Box.Max[:]...)
		for k := range normal {
			normal[k] = -normal[k]
		}
	}
	fits := func(x float64) float32 { return float32(min(max(x, -math.MaxFloat32), math.MaxFloat32)) }
	near := func(x float32, want float64) bool {
		return x == fits(want) || size > 0 && math.Abs(float64(x)-want) <= size*0x1p-40+math.Abs(want)*0x1p-23+0x1p-149 ||
			math.Abs(want) > math.MaxFloat32 && x == fits(want)
	}
	if !near(c.Depth, depth) {
		return fmt.Sprintf("Depth, want %v", depth)
	}
	for k := range 3 {
		if !near(c.Pos[k], pos[k]) {
			return fmt.Sprintf("Pos, want %v", pos)
		}
		if math.Abs(float64(c.Normal[k])-normal[k]) > 1e-6 || c.Normal[k] != float32(normal[k]) && size == 0 {
			return fmt.Sprintf("Normal, want %v", normal)
		}
	}
	return ""
}

// ballContact is the contact of a ball with another or with a box, along the normal from the ball.
func ballContact(a, b *testkit.Solid) (pos, normal [3]float64, depth float64) {
	center, r := [3]float64{}, float64(a.Ball[3])
	var to [3]float64 // the nearest point, or the other centre
	inner := math.Inf(1)
	side := [3]float64{1}
	for k := range 3 {
		center[k] = float64(a.Ball[k])
		if b.Ball != nil {
			to[k] = float64(b.Ball[k])
			continue
		}
		lo, hi := float64(b.Box.Min[k]), float64(b.Box.Max[k])
		to[k] = min(max(center[k], lo), hi)
		if d := center[k] - lo; d < inner {
			inner, side = d, [3]float64{}
			side[k] = 1
		}
		if d := hi - center[k]; d < inner {
			inner, side = d, [3]float64{}
			side[k] = -1
		}
	}
	dist := 0.0
	for k := range 3 {
		normal[k] = to[k] - center[k]
		dist += normal[k] * normal[k]
	}
	dist = math.Sqrt(dist)
	near := dist // of the surface of b, along the normal from the centre of a
	switch {
	case b.Ball != nil:
		near = dist - float64(b.Ball[3])
	case dist == 0:
		near = -inner
	}
	for k := range 3 {
		if normal[k] /= dist; dist == 0 {
			normal[k] = side[k]
		}
		pos[k] = center[k] + normal[k]*(r+near)/2
	}
	return pos, normal, r - near
}
