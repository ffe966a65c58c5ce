package scene_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// The rough test of a ray rejects only parts that its clipped image misses, and most of these: not those beside a ray
// that is parallel to their faces.
func TestRoughMisses(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, family := range families {
		rough, misses := 0, 0
		for range testkit.Budget(t, 20_000, 200_000) {
			p := transformOf(rng, family)
			var box soa.AABB
			var target, from, dir [3]float64
			for a := range 3 {
				lo := float32(rng.NormFloat64() * 3)
				box.Min[a], box.Max[a] = lo, lo+float32(rng.IntN(3))*rng.Float32()
				target[a] = float64(box.Min[a])
				if rng.IntN(2) == 0 {
					target[a] = float64(box.Max[a]) + float64(rng.IntN(2))*rng.NormFloat64()
				}
			}
			// The ray goes from a point to the target, or begins there; it may be parallel to faces.
			point, begins, parallel := target, rng.IntN(4) == 0, rng.IntN(8)
			rows := p.Rows()
			for a := range 3 {
				if parallel>>a&1 == 0 {
					point[a] = 10 * rng.NormFloat64()
				}
			}
			if begins {
				point, target = target, point
			}
			for i := range 3 {
				r := rows[4*i:]
				from[i] = r[3] + r[0]*point[0] + r[1]*point[1] + r[2]*point[2]
				dir[i] = r[3] + r[0]*target[0] + r[1]*target[1] + r[2]*target[2] - from[i]
			}
			until := 2 * rng.Float64()
			if rng.IntN(2) == 0 {
				until = 1
			}
			r, m := scene.Misses(from, dir, &p, box, until)
			if r && !m {
				t.Fatalf("%s: %v + t*%v, t <= %v, is said to miss %v under %v", family, from, dir, until, box, rows)
			}
			if m {
				misses++
			}
			if r {
				rough++
			}
		}
		switch family {
		case "turned", "scaled", "affine", "mirrored":
			if rough*4 < misses*3 || misses == 0 {
				t.Errorf("%s: %d rejected of %d that miss", family, rough, misses)
			}
		}
	}
}
