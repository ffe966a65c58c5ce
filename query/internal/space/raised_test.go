package space

import (
	"math"
	"math/big"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// exactValue returns the value of a plane at a point.
func exactValue(p *[4]float64, x *[3]*big.Float) *big.Float {
	sum := new(big.Float).SetPrec(2000).SetFloat64(p[3])
	for a := range 3 {
		sum.Add(sum, new(big.Float).SetPrec(2000).Mul(big.NewFloat(p[a]), x[a]))
	}
	return sum
}

// In exact arithmetic each plane of a cell is not below the face of the box query, at each corner of the bounds of the
// part, and the lowered plane is not above it: after a move into a part, and after a second one from there.
func TestLoweredPlanes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	planes, deeper := 0, 0
	for range testkit.Budget(t, 3000, 100_000) {
		first, rows, outer := randomTurn(rng)
		from := walk.Volume{Kind: walk.KindBox}
		image := first.Box(&outer)
		if image.Check() != nil {
			continue // it is beyond float32
		}
		var e Extent
		e.Set(&outer)
		var on [3]float64 // a point of the part on a face of the box
		for a := range 3 {
			on[a] = e.center[a] + e.half[a]*(rng.Float64()-0.5)
		}
		at := rng.IntN(6)
		for a := range 3 {
			middle, size := rows[4*a+3], float64(image.Max[a])-float64(image.Min[a])
			for j := range 3 {
				middle += rows[4*a+j] * on[j]
			}
			from.Min[a], from.Max[a] = middle-size*rng.Float64()/4, middle+size*rng.Float64()/4
			switch at {
			case 2 * a:
				from.Min[a] = middle
			case 2*a + 1:
				from.Max[a] = middle
			}
		}
		from.SetMiddle()
		check := func(cell *walk.Volume, face, i int, x, local *[3]*big.Float) {
			a := face / 2
			p := [4]float64{3: -from.Min[a]}
			if p[a] = 1; face%2 == 1 {
				p[a], p[3] = -1, from.Max[a]
			}
			want, lowered := exactValue(&p, x), cell.Lowered(i)
			if high, low := exactValue(&cell.Planes[i], local), exactValue(&lowered, local); low.Cmp(want) > 0 || high.Cmp(want) < 0 {
				t.Fatalf("face %d of %v to %v under %v is %g, plane %v %g, lowered %g",
					face, from.Min, from.Max, rows, want, cell.Planes[i], high, low)
			}
			planes++
		}
		move := func(rows *[12]float64, x *[3]*big.Float) (to [3]*big.Float) {
			for i := range to {
				row := [4]float64(rows[4*i : 4*i+4])
				to[i] = exactValue(&row, x)
			}
			return to
		}
		// faceOf returns the face of a plane: normals are rows of the matrix, or nearly so.
		faceOf := func(p *[4]float64) int {
			for a := range 3 {
				if n := [3]float64(rows[4*a : 4*a+3]); n == [3]float64(p[:3]) {
					return 2 * a
				} else if n == [3]float64{-p[0], -p[1], -p[2]} {
					return 2*a + 1
				}
			}
			t.Fatalf("plane %v under %v is of no face", p, rows)
			return 0
		}
		var cell walk.Volume
		Move(&cell, &from, first, &e)
		if cell.Kind != walk.KindCell {
			continue
		}
		var faces [6]int
		for i := range cell.N {
			faces[i] = faceOf(&cell.Planes[i])
			for corner := range 8 {
				var local [3]*big.Float
				for a := range 3 {
					local[a] = big.NewFloat([2]float64{e.Min[a], e.Max[a]}[corner>>a&1])
				}
				x := move(&rows, &local)
				check(&cell, faces[i], i, &x, &local)
			}
		}
		// A part in that part, about the point of a face, whose image is within the bounds of the first one.
		var second xform.Transform
		var inward [12]float64
		var part soa.AABB
		shrink := math.Ldexp(1, -rng.IntN(60))
		for a := range 3 {
			part.Min[a] = float32(-rng.Float64())
			part.Max[a] = float32(rng.Float64())
			for j := range 3 {
				inward[4*a+j] = rng.NormFloat64() / 16 * shrink * min(e.half[0], e.half[1], e.half[2])
			}
			inward[4*a+3] = on[a]
		}
		if fault, _ := second.Set(&inward); fault != xform.None {
			continue
		}
		var in Extent
		in.Set(&part)
		var deep walk.Volume
		for i := range cell.N { // one at a time, since planes that are dropped shift others
			one := cell
			one.N, one.Planes[0], one.Raised[0] = 1, cell.Planes[i], cell.Raised[i]
			if Move(&deep, &one, &second, &in) != exact.Partly || deep.N == 0 {
				continue
			}
			deeper++
			for corner := range 8 {
				var local [3]*big.Float
				for a := range 3 {
					local[a] = big.NewFloat([2]float64{in.Min[a], in.Max[a]}[corner>>a&1])
				}
				middle := move(&inward, &local)
				x := move(&rows, &middle)
				check(&deep, faces[i], 0, &x, &local)
			}
		}
	}
	if planes < 1000 || deeper < 300 {
		t.Errorf("%d planes were compared, %d moved twice", planes, deeper)
	}
}
