package scene

import (
	"math"

	"github.com/zoctree/zoctree/soa"
)

// Terrain is a height field: a square of cells, each of two triangles, with a corner at the origin.
//
//	heights of corners, row-major, Cells+1 in a row       j*(Cells+1) + i   at i*Cell, j*Cell
//	triangles of cell i, j      (i, j) (i+1, j) (i, j+1)   and   (i, j+1) (i+1, j) (i+1, j+1)
type Terrain struct {
	Cells   int
	Cell    float64 // width of a cell
	Heights []float32
}

// NewTerrain returns a height field of cells*cells cells of a width, with hills some 300 wide and
// 100 high, and smaller hills on them. Heights are multiples of 1/256, so that their differences
// are exact.
func NewTerrain(cells int, cell float64, seed uint64) *Terrain {
	r := newRandom(seed, 20)
	t := &Terrain{Cells: cells, Cell: cell, Heights: make([]float32, (cells+1)*(cells+1))}
	heights := make([]float64, len(t.Heights))
	high := 100.0
	for wide := 300.0; wide >= 2*cell; wide /= 2 {
		// Value noise: a random number at each lattice point, interpolated smoothly.
		n := int(float64(cells)*cell/wide) + 2
		lattice := make([]float64, (n+1)*(n+1))
		for i := range lattice {
			lattice[i] = r.Float64()
		}
		for j := range cells + 1 {
			y, v := smooth(float64(j)*cell/wide, n)
			for i := range cells + 1 {
				x, u := smooth(float64(i)*cell/wide, n)
				at := lattice[y*(n+1)+x:]
				low := at[0] + float64((at[1]-at[0])*u)
				top := at[n+1] + float64((at[n+2]-at[n+1])*u)
				heights[j*(cells+1)+i] += float64(high * (low + float64((top-low)*v)))
			}
		}
		high *= 0.4
	}
	for i, h := range heights {
		t.Heights[i] = float32(math.Floor(h*256) / 256)
	}
	return t
}

// smooth returns the integer part of x, at most n-1, and the smoothstep of the remainder.
func smooth(x float64, n int) (whole int, rest float64) {
	whole = min(int(x), n-1)
	f := x - float64(whole)
	return whole, float64(float64(f*f) * (3 - float64(2*f)))
}

// Triangles returns the corners and triangles of the terrain.
func (t *Terrain) Triangles() (corners [][3]float32, triangles [][3]int32) {
	row := int32(t.Cells + 1)
	for k, h := range t.Heights {
		corners = append(corners, [3]float32{float32(float64(k%int(row)) * t.Cell), float32(float64(k/int(row)) * t.Cell), h})
	}
	for j := range int32(t.Cells) {
		for i := range int32(t.Cells) {
			k := j*row + i
			triangles = append(triangles, [3]int32{k, k + 1, k + row}, [3]int32{k + row, k + 1, k + row + 1})
		}
	}
	return corners, triangles
}

// Height returns the height of the terrain at a point of the square.
func (t *Terrain) Height(x, y float64) float64 {
	i, j := min(int(x/t.Cell), t.Cells-1), min(int(y/t.Cell), t.Cells-1)
	u, v := x/t.Cell-float64(i), y/t.Cell-float64(j)
	a, b := float64(t.Heights[j*(t.Cells+1)+i+1]), float64(t.Heights[(j+1)*(t.Cells+1)+i])
	corner, du, dv := float64(t.Heights[j*(t.Cells+1)+i]), u, v
	if u+v > 1 {
		corner, du, dv, a, b = float64(t.Heights[(j+1)*(t.Cells+1)+i+1]), 1-u, 1-v, b, a
	}
	return corner + float64((a-corner)*du) + float64((b-corner)*dv)
}

// Strewn returns n boxes, 0.2 to 1.5 wide and high, that stand on the ground.
func (t *Terrain) Strewn(n int, seed uint64) (objects []soa.Object) {
	r := newRandom(seed, 21)
	side := float64(t.Cells) * t.Cell
	for range n {
		x, y, w := r.between(1, side-1), r.between(1, side-1), r.between(0.1, 0.75)
		z := t.Height(x, y)
		objects = append(objects, soa.Object{Static: true, Mask: 1, Box: soa.AABB{
			Min: [3]float32{float32(x - w), float32(y - w), float32(z)},
			Max: [3]float32{float32(x + w), float32(y + w), float32(z + 2*w)},
		}})
	}
	return objects
}
