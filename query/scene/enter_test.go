package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// The kernel that moves a ray into a part and clips it has the bits of the motion in Go: of rays through the part,
// beside it, along its faces and from inside, of any magnitude, under transforms that are not aligned. Where it leaves
// the ray to the caller, an axis is at rest up to rounding, or beyond float64.
func TestEnterKernel(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		var results [4]int
		for range testkit.Budget(t, 40_000, 400_000) {
			p := transformOf(rng, families[rng.IntN(len(families))])
			if p.Kind() < linear.TransformSimilarity {
				continue
			}
			from, dir, box, until := enteringRay(rng, &p)
			if rng.IntN(20) == 0 { // a short ray that begins at the origin of the part: a side of its box is near 0
				from, until = p.Point([3]float64{}), math.Ldexp(until, -140)
				box = soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{1, 1, 1}}
			}
			e, enters, kernel, want, ray, wantRay := scene.EnterTwice(from, dir, &p, box, until)
			results[e]++
			switch {
			case e >= trace.Crosses && !enters || e == trace.Misses && enters:
				t.Fatalf("%v + t*%v until %v in %v under %v: result %d, and it enters: %v", from, dir, until, box, p.Rows(), e, enters)
			case e >= trace.Crosses:
				for i := range kernel {
					if math.Float64bits(kernel[i]) != math.Float64bits(want[i]) {
						t.Fatalf("%v + t*%v until %v in %v under %v: number %d is %v, want %v", from, dir, until, box, p.Rows(), i, kernel[i], want[i])
					}
				}
				if e == trace.Enters && fmt.Sprintf("%x", ray) != fmt.Sprintf("%x", wantRay) {
					t.Fatalf("%v + t*%v until %v in %v under %v: box %+v, want %+v", from, dir, until, box, p.Rows(), ray, wantRay)
				}
				if e == trace.Crosses && !isUnusual(&wantRay) {
					t.Fatalf("%v + t*%v until %v in %v under %v: the box %+v is left to the caller", from, dir, until, box, p.Rows(), wantRay)
				}
			case e == trace.Unknown && cpu.Active >= cpu.AVX2:
				rests := false
				for a := range 3 {
					rests = rests || !(math.Abs(want[6+a]) > 2*want[9+a]) || math.Abs(want[a]) > 0x1p900 || math.Abs(want[6+a]) > 0x1p900
				}
				if !rests {
					t.Fatalf("%v + t*%v until %v in %v under %v is left to the caller", from, dir, until, box, p.Rows())
				}
			}
		}
		if min(results[trace.Enters], results[trace.Crosses], results[trace.Misses]) == 0 && (results[trace.Enters]+results[trace.Misses] > 0 || cpu.Active == cpu.AVX2 || cpu.Active == cpu.AVX512) {
			t.Errorf("results %v", results)
		}
	})
}

// A part that lies behind the beginning of a ray by so little that its time rounds to 0 is not hit, and one at the
// beginning is.
func TestEnterBehind(t *testing.T) {
	p, err := linear.Similarity([3]float64{}, [4]float64{0.3, 0.3, 0.3, 0.8}, 1) // about the diagonal
	testkit.Must(t, err)
	testkit.EachTier(t, func(t *testing.T) {
		for _, sign := range []float64{1, -1} {
			diagonal := func(x float64) [3]float64 { return [3]float64{sign * x, sign * x, sign * x} }
			cube := func(x float64) [3]float32 { return [3]float32{float32(x), float32(x), float32(x)} }
			for _, far := range []float64{0, 0x1p-101} {
				box := soa.AABB{Min: cube(min(-sign*far, -2*sign*far)), Max: cube(max(-sign*far, -2*sign*far))}
				e, enters, _, _, _, _ := scene.EnterTwice([3]float64{}, diagonal(0x1p1000), &p, box, math.Inf(1))
				if enters != (far == 0) || e != trace.Unknown && (e >= trace.Crosses) != enters || e == trace.Unknown && cpu.Active >= cpu.AVX2 {
					t.Errorf("direction %v, %v: result %d, and it enters: %v", sign, box, e, enters)
				}
			}
		}
	})
}

// isUnusual reports whether the kernel leaves a box to the caller: it is so large or far that its coordinates or times
// are beyond float32, one of its sides is at most 2^-100 away from 0, or its direction is rounded up to a power of two.
func isUnusual(box *trace.BoxRay) bool {
	unusual := box.Back != 2 || !(box.Most < math.MaxFloat32)
	for a := range 3 {
		unusual = unusual || math.Abs(float64(box.Ray.Far[a])) <= 0x1p-100 || math.Abs(float64(box.Ray.InvNear[a])) >= 0x1p99
	}
	return unusual
}

// enteringRay draws a box, and a ray near its image.
func enteringRay(rng *rand.Rand, p *linear.Transform) (from, dir [3]float64, box soa.AABB, until float64) {
	scale := math.Ldexp(1, rng.IntN(3)*(rng.IntN(200)-100))
	var start, target [3]float64
	for a := range 3 {
		lo := float32(rng.NormFloat64() * 3)
		box.Min[a], box.Max[a] = lo, lo+float32(rng.IntN(3))*rng.Float32()
		target[a] = float64(box.Min[a]) + rng.Float64()*float64(box.Max[a]-box.Min[a])
		if rng.IntN(3) == 0 {
			target[a] += rng.NormFloat64()
		}
		if start[a] = target[a]; rng.IntN(8) > 0 {
			start[a] += 10 * rng.NormFloat64()
		}
	}
	from, dir = p.Point(start), p.Point(target)
	for a := range 3 {
		dir[a] = float64(float32((dir[a] - from[a]) * scale))
		from[a] = float64(float32(from[a]))
	}
	if rng.IntN(20) == 0 {
		dir[rng.IntN(3)] = 0
	}
	if rng.IntN(20) == 0 {
		for a := range 3 {
			box.Min[a], box.Max[a] = -math.MaxFloat32, math.MaxFloat32
		}
	}
	if until = math.Inf(1); rng.IntN(2) == 0 {
		until = 2 * rng.Float64() / scale
	}
	return from, dir, box, until
}

// The kernel that moves a point into a part has the bits of the code in Go, and leaves points and parts beyond 2^60 to
// it.
func TestArriveKernel(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		moved, left, inside := 0, 0, 0
		for range testkit.Budget(t, 40_000, 400_000) {
			p := transformOf(rng, families[rng.IntN(len(families))])
			if p.Kind() < linear.TransformSimilarity {
				continue
			}
			point, _, box, _ := enteringRay(rng, &p)
			if rng.IntN(8) == 0 {
				box.Max[rng.IntN(3)] = float32(math.Ldexp(1+rng.Float64(), 50+rng.IntN(20)))
			}
			if rng.IntN(8) == 0 {
				point[rng.IntN(3)] *= math.Ldexp(1, rng.IntN(120))
			}
			ok, got, want := scene.ArriveTwice(point, &p, box)
			far := false
			for a := range 3 {
				far = far || max(math.Abs(want.Center[a]), math.Abs(float64(box.Min[a])), math.Abs(float64(box.Max[a]))) > 0x1p60
			}
			switch {
			case ok && far || !ok && !far && cpu.Active >= cpu.AVX2:
				t.Fatalf("%v in %v under %v: moved: %v, far: %v", point, box, p.Rows(), ok, far)
			case ok:
				if bitsOf(&got) != bitsOf(&want) {
					t.Fatalf("%v in %v under %v: %v, want %v", point, box, p.Rows(), got, want)
				}
				if moved++; got.Dist == 0 {
					inside++
				}
			case far:
				left++
			}
		}
		if left == 0 || cpu.Active >= cpu.AVX2 && min(moved, inside) == 0 {
			t.Errorf("%d moved, %d inside, %d left to the caller", moved, inside, left)
		}
	})
}

func bitsOf(r *trace.Arrival) (bits [11]uint64) {
	for a := range 3 {
		bits[a], bits[3+a] = math.Float64bits(r.Center[a]), math.Float64bits(r.Off[a])
		bits[6+a] = uint64(math.Float32bits(r.Point[a]))
	}
	bits[9], bits[10] = math.Float64bits(r.Gap), math.Float64bits(r.Dist)
	return bits
}
