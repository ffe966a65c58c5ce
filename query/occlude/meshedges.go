package occlude

import (
	"cmp"
	"slices"
)

// halfEdge is an edge of a triangle: the one that starts at corner side.
type halfEdge struct {
	to             int32 // the corner with the larger number
	triangle, side int32
}

// join finds the triangles on both sides of each edge, and orients them so that both traverse the edge in
// opposite directions.
func (m *Mesh) join() {
	m.beside = make([][3]int32, len(m.triangles))
	// Edges are sorted by the corner with the smaller number.
	first := make([]int32, len(m.points)+1)
	for _, t := range m.triangles {
		for i := range 3 {
			first[min(t[i], t[(i+1)%3])+1]++
		}
	}
	for i := range m.points {
		first[i+1] += first[i]
	}
	edges := make([]halfEdge, 3*len(m.triangles))
	next := slices.Clone(first)
	for k, t := range m.triangles {
		for i := range 3 {
			from, to := t[i], t[(i+1)%3]
			at := min(from, to)
			edges[next[at]] = halfEdge{max(from, to), int32(k), int32(i)}
			next[at]++
			m.beside[k][i] = -1
		}
	}
	for i := range m.points {
		here := edges[first[i]:first[i+1]]
		slices.SortFunc(here, func(a, b halfEdge) int {
			return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.triangle, b.triangle))
		})
		for len(here) > 0 {
			n := 1
			for n < len(here) && here[n].to == here[0].to {
				n++
			}
			switch n {
			case 1:
				m.counts.BoundaryEdges++
			case 2:
				a, b := here[0], here[1]
				m.beside[a.triangle][a.side], m.beside[b.triangle][b.side] = b.triangle, a.triangle
			default:
				m.counts.NonManifoldEdges++
			}
			here = here[n:]
		}
	}
	m.orient()
}

// orient orients the triangles of each connected part alike. Triangles of a closed part are then
// counterclockwise seen from outside. Where that is impossible, as on a Möbius strip, an edge becomes a fork.
func (m *Mesh) orient() {
	done := make([]bool, len(m.triangles))
	var part []int32
	for start := range m.triangles {
		if done[start] {
			continue
		}
		done[start] = true
		part = append(part[:0], int32(start))
		for i := 0; i < len(part); i++ {
			k := part[i]
			for side, other := range m.beside[k] {
				if other >= 0 && !done[other] {
					done[other] = true
					if m.along(k, other, side) {
						m.turn(other)
					}
					part = append(part, other)
				}
			}
		}
		volume := 0.0
		origin := m.points[m.triangles[start][0]]
		for _, k := range part {
			t := m.triangles[k]
			p, q, r := minus(m.points[t[0]], origin), minus(m.points[t[1]], origin), minus(m.points[t[2]], origin)
			volume += dot(p, cross(q, r))
		}
		for _, k := range part {
			if volume < 0 {
				m.turn(k)
			}
		}
		for _, k := range part {
			for side, other := range m.beside[k] {
				if other >= 0 && m.along(k, other, side) {
					m.counts.NonManifoldEdges++
					m.beside[k][side] = -1
					m.unpair(other, k, m.triangles[k][side], m.triangles[k][(side+1)%3])
				}
			}
		}
	}
}

// unpair removes other as the neighbour of triangle k along an edge.
func (m *Mesh) unpair(k, other, from, to int32) {
	t := &m.triangles[k]
	for i := range 3 {
		if m.beside[k][i] == other && t[i] == from && t[(i+1)%3] == to {
			m.beside[k][i] = -1
		}
	}
}

// along reports whether both triangles traverse an edge of the first in the same direction.
func (m *Mesh) along(k, other int32, side int) bool {
	from, to := m.triangles[k][side], m.triangles[k][(side+1)%3]
	t := m.triangles[other]
	for i := range 3 {
		if t[i] == from && t[(i+1)%3] == to {
			return true
		}
	}
	return false
}

// turn reverses the orientation of a triangle.
func (m *Mesh) turn(k int32) {
	t, b := &m.triangles[k], &m.beside[k]
	t[1], t[2] = t[2], t[1]
	b[0], b[2] = b[2], b[0]
}
