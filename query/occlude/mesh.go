package occlude

import (
	"fmt"
)

// Mesh is a triangle mesh that occludes: terrain, a building, a ship. Both sides of a triangle are opaque.
// The surface may be closed or open, connected or not, and may intersect itself. Make one with [NewMesh] and
// draw it with [Culler.DrawMesh], any number of times and under any transform. It is immutable: any number of
// goroutines may use it. The zero Mesh is empty.
type Mesh struct {
	points    [][3]float64 // all different
	triangles [][3]int32   // both triangles of an edge traverse it in opposite directions
	beside    [][3]int32   // neighbours: the triangle across the edge from corner i on, or -1
	size      float64      // the largest sum of absolute coordinates of a point
	parts     []meshPart
	blocks    []int32 // blocks of the points of each part
	counts    MeshCounts
}

// MeshCounts counts the elements of a triangle mesh.
type MeshCounts struct {
	Corners          int // different corners in use
	Triangles        int // triangles with an area
	Degenerate       int // triangles that were dropped: their corners are collinear
	BoundaryEdges    int // edges of a single triangle
	NonManifoldEdges int // edges of more than two triangles, or of two that cannot be oriented consistently
}

// Counts returns the counts of the mesh. The mesh is closed if it has neither boundary edges nor
// non-manifold edges.
func (m *Mesh) Counts() MeshCounts { return m.counts }

// MaxTriangles is the maximum number of triangles of a [Mesh].
const MaxTriangles = 1 << 20

// NewMesh returns the triangle mesh of corners and triangles. A triangle lists three of the corners, in any
// sense. Equal corners are merged. Triangles whose corners are collinear, in float64, are dropped and
// counted. It is an error, which names the numbers, if there are more than [MaxTriangles], if a corner is not
// finite, used or not, or if a triangle lists a corner that does not exist.
//
// The surface hides up to its borders, so the fewer borders the better. Triangles at an edge of more than two
// end there. Neither is an error.
//
// Time and memory are linear, except for sorting at corners of many triangles: some microseconds and 100
// bytes a triangle. The arguments are not retained.
func NewMesh(corners [][3]float32, triangles [][3]int32) (*Mesh, error) {
	if len(triangles) > MaxTriangles {
		return nil, fmt.Errorf("occlude: a mesh of %d triangles, at most %d are possible", len(triangles), MaxTriangles)
	}
	for i, p := range corners {
		if s := float64(p[0]-p[0]) + float64(p[1]-p[1]) + float64(p[2]-p[2]); s != 0 {
			return nil, fmt.Errorf("occlude: corner %d of a mesh, %v, is not finite", i, p)
		}
	}
	for i, t := range triangles {
		for _, k := range t {
			if uint64(uint32(k)) >= uint64(len(corners)) {
				return nil, fmt.Errorf("occlude: triangle %d of a mesh of %d corners, %v, names a corner that does not exist", i, len(corners), t)
			}
		}
	}
	m := &Mesh{}
	m.weld(corners, triangles)
	m.join()
	m.part()
	m.counts.Corners, m.counts.Triangles = len(m.points), len(m.triangles)
	return m, nil
}

// weld numbers the different corners in the order of their use, and keeps the triangles that have an area.
func (m *Mesh) weld(corners [][3]float32, triangles [][3]int32) {
	byPlace := make(map[[3]float32]int32)
	number := make([]int32, len(corners)) // number plus 1
	for _, t := range triangles {
		var p [3][3]float64
		for i, k := range t {
			for a := range 3 {
				p[i][a] = float64(corners[k][a])
			}
		}
		n := cross(minus(p[1], p[0]), minus(p[2], p[0]))
		if n == [3]float64{} {
			m.counts.Degenerate++
			continue
		}
		for i, k := range t {
			if number[k] == 0 {
				at := corners[k] // as a key, -0 is 0
				n, ok := byPlace[at]
				if !ok {
					n = int32(len(m.points))
					byPlace[at] = n
					m.points = append(m.points, p[i])
					m.size = max(m.size, sum(p[i]))
				}
				number[k] = n + 1
			}
			t[i] = number[k] - 1
		}
		m.triangles = append(m.triangles, t)
	}
}
