package build_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// imageBox returns the box as [build.ImageBox] defines it, and the smallest distance of a side from a float32 in units
// of the error that may change it.
func imageBox(numbers *[13]float64, b *soa.AABB) (image soa.AABB, room float64) {
	room = math.Inf(1)
	largest := 0.0
	for a := range 3 {
		lo, hi := float64(b.Min[a]), float64(b.Max[a])
		largest += float64((math.Abs(lo+hi)/2 + (hi-lo)/2) * numbers[12])
	}
	for i := range 3 {
		var middle, reach float64
		for j, r := range numbers[3+3*i : 6+3*i] {
			lo, hi := float64(b.Min[j]), float64(b.Max[j])
			middle += float64(r * ((lo + hi) / 2))
			reach += float64(math.Abs(r) * ((hi - lo) / 2))
		}
		middle += numbers[i]
		least, most := middle-reach, middle+reach
		below, above := float32(least), float32(most)
		off := float64((math.Abs(numbers[i]) + largest) * 0x1p-48)
		room = min(room, math.Abs(float64(below)-least)/off, math.Abs(float64(above)-most)/off)
		if float64(below) > least {
			below = math.Nextafter32(below, float32(math.Inf(-1)))
		}
		if float64(above) < most {
			above = math.Nextafter32(above, float32(math.Inf(1)))
		}
		image.Min[i], image.Max[i] = below+0, above+0
	}
	return image, room
}

// The kernel has the bits of the definition, and refuses boxes with a side near a float32: of maps of any magnitude,
// boxes at 0 and far from it, and images that exceed float32 or are denormal.
func TestImageBox(t *testing.T) {
	seed := testkit.Seed(t)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		image, numbers, b := guarded[soa.AABB](t), guarded[[13]float64](t), guarded[soa.AABB](t)
		written, refused, beyond, denormal := 0, 0, 0, 0
		n := testkit.Budget(t, 50_000, 2_000_000)
		for range n {
			scale, far := math.Ldexp(1, rng.IntN(3)*(rng.IntN(60)-30)), math.Ldexp(1, rng.IntN(60)-30)
			coarse := rng.IntN(16) == 0
			number := func(size float64) float64 {
				x := rng.NormFloat64()
				if coarse {
					x = math.Round(4 * x)
				}
				return x * size
			}
			numbers[12] = 0
			for i := range 3 {
				numbers[i] = number(scale * far)
				square := 0.0
				for j := range 3 {
					x := number(scale)
					numbers[3+3*i+j] = x
					square += x * x
				}
				numbers[12] += math.Sqrt(square)
			}
			if rng.IntN(4) == 0 {
				clear(numbers[:3])
			}
			size := math.Ldexp(1, rng.IntN(3)*(rng.IntN(80)-40))
			for a := range 3 {
				b.Min[a] = float32(number(size))
				b.Max[a] = b.Min[a] + float32(math.Abs(number(size*math.Ldexp(1, -rng.IntN(24)))))
			}
			ok := build.ImageBox(image, numbers, b)
			want, room := imageBox(numbers, b)
			switch {
			case ok && (room < 0.99 || !sameBox(*image, want)):
				t.Fatalf("%v under %v: %v, want %v, which is certain by a factor of %v", *b, *numbers, *image, want, room)
			case !ok && room > 1.01 && (cpu.Active == cpu.AVX2 || cpu.Active == cpu.AVX512):
				t.Fatalf("%v under %v is refused: %v is certain by a factor of %v", *b, *numbers, want, room)
			case !ok:
				refused++
				continue
			}
			written++
			for a := range 3 {
				if most := max(-float64(want.Min[a]), float64(want.Max[a])); most > math.MaxFloat32 {
					beyond++
				} else if most < 0x1p-126 {
					denormal++
				}
			}
		}
		if written > 0 && (refused < n/100 || min(beyond, denormal) == 0) {
			t.Errorf("%d written, %d refused, %d sides beyond float32, %d denormal", written, refused, beyond, denormal)
		}
		if (cpu.Active == cpu.AVX2 || cpu.Active == cpu.AVX512) && written < n/2 {
			t.Errorf("%d of %d written", written, n)
		}
	})
}
