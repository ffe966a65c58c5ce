package livemap

import (
	"math"
	"slices"
)

// voxels is a hash of cells, each a slice of points.
type voxels struct {
	cells map[cell][][3]float32
	n     int
}

// cell is the position of a voxel in units of its side.
type cell [3]int32

// side is the side of a voxel, a power of two: cells of points are exact.
const side = 0.5

func cellOf(p *[3]float32) (c cell) {
	for a, x := range p {
		c[a] = int32(math.Floor(float64(x) / side))
	}
	return c
}

func (x *voxels) name() string { return "voxel hash" }
func (x *voxels) len() int     { return x.n }

func (x *voxels) fill(points [][3]float32) {
	for i := range points {
		c := cellOf(&points[i])
		x.cells[c] = append(x.cells[c], points[i])
	}
	x.n += len(points)
}

func (x *voxels) update(points [][3]float32, w *window) {
	x.fill(points)
	for c, list := range x.cells {
		inside := true
		for a, i := range c {
			lo := float64(i) * side
			inside = inside && lo >= float64(w.min[a]) && lo+side <= float64(w.max[a])
		}
		if inside {
			continue
		}
		kept := slices.DeleteFunc(list, func(p [3]float32) bool { return !w.has(&p) })
		x.n -= len(list) - len(kept)
		if len(kept) == 0 {
			delete(x.cells, c)
		} else {
			x.cells[c] = kept
		}
	}
}

// mostRings is the number of shells of cells that a search visits before it tests all cells.
const mostRings = 8

// nearest searches the shells of cells around the point, until no other cell can have a nearer point.
func (x *voxels) nearest(dst []float32, p [3]float32, k int) []float32 {
	first := len(dst)
	best := func(list [][3]float32) {
		for i := range list {
			d2 := squared(&list[i], &p)
			n := len(dst)
			if n-first == k {
				if d2 >= dst[n-1] {
					continue
				}
				n--
			} else {
				dst = append(dst, 0)
			}
			for ; n > first && dst[n-1] > d2; n-- {
				dst[n] = dst[n-1]
			}
			dst[n] = d2
		}
	}
	middle := cellOf(&p)
	border := side // distance from the point to the border of its cell
	for a, c := range middle {
		inside := float64(p[a]) - float64(c)*side
		border = min(border, inside, side-inside)
	}
	for r := range int32(mostRings) {
		for dz := -r; dz <= r; dz++ {
			for dy := -r; dy <= r; dy++ {
				step := 2 * r // only the two ends, unless the row is on the surface of the shell
				if max(dz, -dz, dy, -dy) == r || step == 0 {
					step = 1
				}
				for dx := -r; dx <= r; dx += step {
					best(x.cells[cell{middle[0] + dx, middle[1] + dy, middle[2] + dz}])
				}
			}
		}
		const rounded = 1 - 1e-6 // of squared distances in float32
		if reach := border + float64(r)*side; len(dst)-first == k && float64(dst[len(dst)-1]) < reach*reach*rounded {
			return dst
		}
	}
	dst = dst[:first]
	for _, list := range x.cells {
		best(list)
	}
	return dst
}

// squared returns the squared distance, rounded as Dist2 of query.Neighbor.
func squared(a, b *[3]float32) float32 {
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return float32(float32(x*x)+float32(y*y)) + float32(z*z)
}
