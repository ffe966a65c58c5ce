package query_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
)

// Any matrix, origin, pixels: if not rejected, the result is a ray of finite numbers and length 1, and a frustum of
// finite planes.
func FuzzViewport(f *testing.F) {
	seed := func(p projection, clip query.Clip, more ...float64) {
		var data []byte
		m := p.matrix(clip)
		for _, x := range append(m[:], more...) {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
		}
		f.Add(data, uint8(clip), p.width, p.height)
	}
	rng := testkit.Rand(1)
	for kind := range 12 {
		seed(randomProjection(rng, kind), query.Clip(kind%3), 1, 2, 3, 100, 200, 300, 400)
	}
	p := randomProjection(rng, 0)
	seed(p, query.ClipZeroToOne, 1e300, -1e300, 0, math.NaN(), 1e-300, math.Inf(1), 0)
	p.near, p.far = 0, 1e30
	seed(p, query.ClipMinusOneToOne|query.ClipInfiniteFar, 0, 0, 0, 1e17, -1e17, 1e308, 0)
	f.Fuzz(func(t *testing.T, data []byte, clip uint8, width, height int) {
		var x [16 + 3 + 4]float64
		for i := range x {
			if len(data) >= 8 {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data))
				data = data[8:]
			}
		}
		m, origin, at := [16]float64(x[:]), [3]float64(x[16:]), x[19:]
		var m32 [16]float32
		for i, x := range m {
			m32[i] = float32(x)
		}
		wide, err := query.ViewportColumnMajor64(m, query.Clip(clip), origin, width, height)
		if _, err2 := query.FrustumColumnMajor64(m, query.Clip(clip), origin); err == nil && err2 != nil {
			t.Fatalf("the matrix has a viewport and no frustum: %v", err2)
		}
		plain, err2 := query.ViewportRowMajor(m32, query.Clip(clip), width, height)
		for _, v := range []struct {
			query.Viewport
			error
		}{{wide, err}, {plain, err2}} {
			if v.error != nil && v.Viewport != (query.Viewport{}) {
				t.Fatalf("a viewport beside the error %v", v.error)
			}
			from, dir, dist, err := v.PickLine(at[0], at[1])
			if err == nil {
				d := testkit.Wide(dir)
				if _, err := query.NewRay(from, dir, dist); err != nil || math.Abs(inner(d, d)-1) > 0x1p-20 {
					t.Fatalf("from %v along %v for %v: %v", from, dir, dist, err)
				}
			}
			if _, err2 := v.PickRay(at[0], at[1]); (err == nil) != (err2 == nil) {
				t.Fatalf("a ray: %v, its numbers: %v", err2, err)
			}
			if f, err := v.PickFrustum(at[0], at[1], at[2], at[3]); err == nil {
				if again, err := query.FrustumPlanes(f.Planes()); err != nil || again.Planes() != f.Planes() {
					t.Fatalf("planes %x, made again %x, %v", f.Planes(), again.Planes(), err)
				}
				f.Corners()
			}
		}
	})
}
