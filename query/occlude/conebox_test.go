package occlude_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// TestBoxCones makes cones of boxes by the kernel of each tier and by Go alone: the results are
// bit-identical. Boxes lie about the viewpoint, also flat, tiny and huge ones, in its planes and around it;
// viewpoints are near zero and far from it.
func TestBoxCones(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		drawn, level := 0, 0
		for range testkit.Budget(t, 200, 20_000) {
			scale := math.Ldexp(1, rng.IntN(24)-8)
			if rng.IntN(10) == 0 { // so that depths are nearly zero
				scale = 0x1p105
			}
			eye := [3]float64{(rng.Float64() - 0.5) * scale * 8, (rng.Float64() - 0.5) * scale * 8, (rng.Float64() - 0.5) * scale}
			if rng.IntN(3) == 0 { // where boxes may have a face
				eye = [3]float64{float64(float32(eye[0])), float64(float32(eye[1])), 0}
			}
			dir := [3]float64{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64() / 4}
			switch rng.IntN(4) {
			case 0:
				dir[2] = 0
			case 1:
				dir = [3]float64{1, 0, 0}
			}
			v := viewOf(kinds[rng.IntN(len(kinds))], eye, dir, 0.1+2.5*rng.Float64(), 0.3+3*rng.Float64(), scale/64, 64*scale)
			e := newCuller(t, occlude.Config{Width: 1 + rng.IntN(600), Height: 1 + rng.IntN(300)})
			if v.look(e) != nil {
				continue
			}
			for range 100 {
				b := boxAbout(rng, eye, scale)
				kernel, plain, ok, want := e.BoxCones(&b)
				if ok != want {
					t.Fatalf("%s: a box %v of an eye at %v is drawn: %v, without a kernel %v", v.kind, b, eye, ok, want)
				}
				if !ok {
					continue
				}
				drawn++
				if e.ConeUnknown(&b) {
					level++
				}
				if !sameCone(&kernel, &plain) {
					t.Fatalf("%s: a box %v of an eye at %v: cone\n%v, without a kernel\n%v", v.kind, b, eye, kernel, plain)
				}
			}
		}
		if drawn < 1000 {
			t.Fatalf("only %d boxes were drawn", drawn)
		}
		if cpu.Active == cpu.AVX512 && 2*level > drawn {
			t.Errorf("of %d boxes %d are left to Go", drawn, level)
		}
		t.Logf("%d boxes drawn, %d of them not by a kernel", drawn, level)
	})
}

// boxAbout returns a box about a viewpoint.
func boxAbout(rng *rand.Rand, eye [3]float64, scale float64) (b soa.AABB) {
	size := math.Ldexp(scale, rng.IntN(12)-8)
	for a := range 3 {
		lo := eye[a] + (rng.Float64()-0.5)*4*scale
		switch rng.IntN(12) {
		case 0:
			lo = eye[a] // a face in a plane of the viewpoint
		case 1:
			lo = eye[a] - size*rng.Float64()
		}
		hi := lo + size*rng.Float64()
		if rng.IntN(10) == 0 {
			hi = lo
		}
		b.Min[a], b.Max[a] = float32(lo), float32(hi)
		if rng.IntN(40) == 0 {
			b.Min[a] = -b.Max[a]
		}
		if b.Min[a] > b.Max[a] {
			b.Min[a], b.Max[a] = b.Max[a], b.Min[a]
		}
	}
	return b
}

// sameCone reports whether two cones are equal in the fields that count.
func sameCone(a, b *depth.Cone) bool {
	if a.Y0 != b.Y0 || a.Y1 != b.Y1 || a.Lefts != b.Lefts || a.Rights != b.Rights || a.Planes != b.Planes || a.Limit != b.Limit {
		return false
	}
	same := true
	for i := range a.Lefts {
		same = same && a.LM[i] == b.LM[i] && a.LC[i] == b.LC[i]
	}
	for i := range a.Rights {
		same = same && a.RM[i] == b.RM[i] && a.RC[i] == b.RC[i]
	}
	for i := range a.Planes {
		same = same && a.P0[i] == b.P0[i] && a.PX[i] == b.PX[i] && a.PY[i] == b.PY[i]
	}
	return same
}
