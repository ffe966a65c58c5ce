package livemap

import (
	"math"
	"math/rand/v2"
)

// town is a LiDAR that drives along a street of an endless town. Blocks of buildings stand between streets on a
// grid; cars and poles stand along the streets. All is a function of the seed.
type town struct {
	azimuths int // points of a ring
	reach    float64
	seed     uint64
	rings    [rings][2]float64 // cosine and sine of the elevation
	buffers  [2][][3]float32
	turn     int
}

const (
	rings = 64

	// Elevations of the rings in degrees, as in an HDL-64E.
	highest, lowest = 2.0, -24.8

	height = 1.8  // of the LiDAR above the ground, in metres
	step   = 1.5  // between two scans
	noise  = 0.02 // of a distance, at most

	tile   = 8.0 // side of a cell of the town
	block  = 6   // cells between the middles of two streets
	street = 1   // cells on each side of the middle of a street
)

// newTown returns a town whose window has about that many points. A point ahead is in the window for as long as one
// behind is not: on average for as many scans as the LiDAR takes for half of the window.
func newTown(points int, half float64, seed uint64) *town {
	t := &town{azimuths: 64, reach: half, seed: seed}
	for i := range t.rings {
		elevation := (highest + float64(lowest-highest)*float64(i)/(rings-1)) * math.Pi / 180
		t.rings[i][1], t.rings[i][0] = math.Sincos(elevation)
	}
	sample := 0
	for i := range 4 {
		sample += len(t.scan(10 * i).points)
	}
	share := float64(max(sample, 1)) / float64(4*rings*t.azimuths)
	t.azimuths = max(1, int(float64(points)*step/half/rings/share))
	return t
}

// hash returns 64 bits of the seed and two numbers.
func (t *town) hash(a, b int64) uint64 {
	return rand.NewPCG(t.seed^uint64(a)*0x9e3779b97f4a7c15, uint64(b)*0xbf58476d1ce4e5b9).Uint64()
}

func unit(h uint64) float64 { return float64(h>>11) / (1 << 53) }

// scan returns turn i of the LiDAR.
func (t *town) scan(i int) scan {
	t.turn ^= 1
	s := scan{points: t.buffers[t.turn][:0], at: [3]float64{float64(i) * step, 0, height}}
	r := rand.New(rand.NewPCG(t.seed, uint64(i)))
	begin := r.Float64()
	for a := range t.azimuths {
		sin, cos := math.Sincos((float64(a) + begin) / float64(t.azimuths) * 2 * math.Pi)
		for _, e := range t.rings {
			d := [3]float64{e[0] * cos, e[0] * sin, e[1]}
			if far := t.cast(&s.at, &d); far > 0 {
				far += (float64(2*r.Float64()) - 1) * noise
				s.points = append(s.points, [3]float32{
					float32(s.at[0] + float64(far*d[0])), float32(s.at[1] + float64(far*d[1])), float32(s.at[2] + float64(far*d[2])),
				})
			}
		}
	}
	t.buffers[t.turn] = s.points
	return s
}

// cast returns the distance of the first surface along a ray of unit length, 0 if there is none within reach.
func (t *town) cast(at, d *[3]float64) float64 {
	first := t.reach
	hit := false
	if d[2] < 0 {
		if ground := -at[2] / d[2]; ground < first {
			first, hit = ground, true
		}
	}
	// The cells along the ray, one after the other.
	var c, forward [2]int64
	var next, every [2]float64
	for a := range 2 {
		c[a] = int64(math.Floor(at[a] / tile))
		forward[a], every[a], next[a] = 1, math.Inf(1), math.Inf(1)
		if d[a] < 0 {
			forward[a] = -1
		}
		if d[a] != 0 {
			border := float64(c[a]+max(forward[a], 0)) * tile
			every[a], next[a] = tile/math.Abs(d[a]), (border-at[a])/d[a]
		}
	}
	for enter := 0.0; enter < first; {
		t.boxes(c[0], c[1], func(lo, hi *[3]float64) {
			if far, ok := clip(at, d, lo, hi); ok && far < first {
				first, hit = far, true
			}
		})
		a := 0
		if next[1] < next[0] {
			a = 1
		}
		enter = next[a]
		next[a] += every[a]
		c[a] += forward[a]
	}
	if !hit {
		return 0
	}
	return first
}

// clip returns the distance at which a ray from outside enters a box.
func clip(at, d, lo, hi *[3]float64) (enter float64, ok bool) {
	leave := math.Inf(1)
	for a := range 3 {
		if d[a] == 0 {
			if at[a] < lo[a] || at[a] > hi[a] {
				return 0, false
			}
			continue
		}
		near, far := (lo[a]-at[a])/d[a], (hi[a]-at[a])/d[a]
		enter, leave = max(enter, min(near, far)), min(leave, max(near, far))
	}
	return enter, enter > 0 && enter <= leave
}

// boxes calls use with the boxes in a cell: the part of a building, or a car and a pole.
func (t *town) boxes(x, y int64, use func(lo, hi *[3]float64)) {
	inBlock := func(i int64) int64 { return ((i+street)%block + block) % block } // 0 and 1 are the street
	corner := [3]float64{float64(x) * tile, float64(y) * tile, 0}
	bx, by := inBlock(x), inBlock(y)
	if bx >= 2*street && by >= 2*street { // lots of two by two cells
		h := t.hash((x+street)>>1, (y+street)>>1)
		lo, hi := corner, [3]float64{corner[0] + tile, corner[1] + tile, 6 + float64(unit(h)*24)}
		inset := unit(h<<20) * 2
		for a, i := range [2]int64{bx, by} {
			if i%2 == 0 {
				lo[a] += inset
			} else {
				hi[a] -= inset
			}
		}
		use(&lo, &hi)
		return
	}
	if h := t.hash(x, y); by < 2*street && bx >= 2*street && h%2 == 0 { // along a street of direction x
		outer := 5.0 // from the inner to the outer side of the cell
		if by == 0 {
			outer = tile - 5 - 1.8
		}
		lo := [3]float64{corner[0] + float64(unit(h)*3), corner[1] + outer, 0.2}
		use(&lo, &[3]float64{lo[0] + 4.4, lo[1] + 1.8, 1.5})
		lo = [3]float64{corner[0] + 7, corner[1] + outer, 0}
		use(&lo, &[3]float64{lo[0] + 0.3, lo[1] + 0.3, 5})
	}
}
