package testkit

import (
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/soa"
)

// HostileScenes returns scenes of edge-case geometry for trees and queries: boxes without extent,
// at both ends of float32, on the borders of cells, coincident, nested, or one outlier. All boxes
// are finite. Masks are any bits, including 0.
func HostileScenes() []scene.Scene {
	var scenes []scene.Scene
	for _, kind := range BoxKinds()[1:] { // small boxes are not hostile
		scenes = append(scenes, scene.Scene{Name: "kind-" + kind.String(), Make: func(n int, seed uint64) []soa.Object {
			rng := Rand(seed)
			boxes := RandomBoxes(rng, n, kind)
			return labelled(rng, n, func(i int) soa.AABB { return boxes[i] })
		}})
	}
	for _, h := range []struct {
		name string
		box  func(rng *rand.Rand, i, n int) soa.AABB
	}{
		{"denormal", denormalBox},
		{"zeros", zeroBox},
		{"borders", borderBox},
		{"equal", equalBox},
		{"giant", giantBox},
		{"line", lineBox},
		{"flat", flatBox},
		{"nested", nestedBox},
		{"largest", largestBox},
		{"mixed", mixedBox},
		{"straggler", stragglerBox},
		{"descending", descendingBox},
	} {
		scenes = append(scenes, scene.Scene{Name: h.name, Make: func(n int, seed uint64) []soa.Object {
			rng := Rand(seed)
			return labelled(rng, n, func(i int) soa.AABB { return h.box(rng, i, n) })
		}})
	}
	return scenes
}

// labelled returns objects with the given boxes and any masks; two of five are static.
func labelled(rng *rand.Rand, n int, box func(i int) soa.AABB) []soa.Object {
	objects := make([]soa.Object, n)
	for i := range objects {
		o := &objects[i]
		o.Box = box(i)
		o.Static = rng.IntN(5) < 2
		switch rng.IntN(8) {
		case 0: // no layer
		case 1:
			o.Mask = rng.Uint32()
		case 2:
			o.Mask = 1 << 31
		default:
			o.Mask = 1 << rng.IntN(5)
		}
	}
	return objects
}

// eachAxis returns the box of one interval per axis.
func eachAxis(interval func() (lo, hi float32)) (b soa.AABB) {
	for a := range 3 {
		x, y := interval()
		b.Min[a], b.Max[a] = min(x, y), max(x, y)
	}
	return b
}

func sign(rng *rand.Rand, x float32) float32 {
	if rng.IntN(2) == 0 {
		return -x
	}
	return x
}

// denormalBox returns a box with coordinates below the smallest normal number.
func denormalBox(rng *rand.Rand, _, _ int) soa.AABB {
	denormal := func() float32 { return sign(rng, math.Float32frombits(rng.Uint32N(1<<uint(1+rng.IntN(23))))) }
	return eachAxis(func() (float32, float32) {
		lo := denormal()
		if rng.IntN(4) == 0 {
			return lo, lo
		}
		return lo, lo + denormal()/64
	})
}

// zeroBox returns a box with one of two positions on each axis, one of them 0 of either sign.
func zeroBox(rng *rand.Rand, _, _ int) soa.AABB {
	return eachAxis(func() (float32, float32) {
		switch rng.IntN(6) {
		case 0:
			return 0, sign(rng, 1)
		case 1:
			return 1, 1
		}
		return sign(rng, 0), sign(rng, 0)
	})
}

// borderBox returns a box that begins and ends on borders of cells, which are multiples of powers
// of two.
func borderBox(rng *rand.Rand, _, _ int) soa.AABB {
	return eachAxis(func() (float32, float32) {
		cell := float32(math.Ldexp(1, rng.IntN(9)-2))
		lo := sign(rng, cell*float32(rng.IntN(int(128/cell)+1)))
		if rng.IntN(8) == 0 {
			lo = math.Nextafter32(lo, sign(rng, 1000))
		}
		return lo, lo + cell*float32(rng.IntN(3))
	})
}

// equalBox returns the same point for every i, except one in a hundred.
func equalBox(rng *rand.Rand, i, _ int) soa.AABB {
	p := float32(1) / 3
	if i%100 == 99 {
		p = math.Nextafter32(p, 1)
	}
	return eachAxis(func() (float32, float32) { return p, p })
}

// giantBox returns a small box in a cube of side 100, and once the largest possible box.
func giantBox(rng *rand.Rand, i, n int) soa.AABB {
	if i == n/2 {
		return eachAxis(func() (float32, float32) { return -math.MaxFloat32, math.MaxFloat32 })
	}
	return RandomBoxes(rng, 1, BoxesSmall)[0]
}

// lineBox returns a box that touches its neighbours in a row along x.
func lineBox(rng *rand.Rand, i, _ int) soa.AABB {
	x := float32(i)
	return soa.AABB{Min: [3]float32{x, -1, 5}, Max: [3]float32{x + float32(rng.IntN(3)), 1, 5}}
}

// flatBox returns a box without thickness in one of a few planes across an axis.
func flatBox(rng *rand.Rand, i, _ int) soa.AABB {
	b := RandomBoxes(rng, 1, BoxesSmall)[0]
	a := i % 3
	z := float32(rng.IntN(3) * 32)
	b.Min[a], b.Max[a] = z, z
	return b
}

// nestedBox returns a box that contains all smaller ones, in 60 sizes that double.
func nestedBox(rng *rand.Rand, _, _ int) soa.AABB {
	h := float32(math.Ldexp(1, rng.IntN(60)-30))
	return eachAxis(func() (float32, float32) { return 1 - h, 1 + h })
}

// largestBox returns a box within a few thousand steps of the ends of float32.
func largestBox(rng *rand.Rand, _, _ int) soa.AABB {
	return eachAxis(func() (float32, float32) {
		at := func() float32 {
			return math.Float32frombits(math.Float32bits(math.MaxFloat32) - rng.Uint32N(4096)*rng.Uint32N(2))
		}
		lo := sign(rng, at())
		if rng.IntN(16) == 0 {
			return lo, -lo
		}
		return lo, float32(math.Copysign(float64(at()), float64(lo)))
	})
}

// mixedBox returns a tiny or a huge box: 1e-30 next to 1e30.
func mixedBox(rng *rand.Rand, _, _ int) soa.AABB {
	size := [...]float32{1e-30, 1e-3, 1, 1e10, 1e30}[rng.IntN(5)]
	return eachAxis(func() (float32, float32) {
		lo := sign(rng, float32(size*rng.Float32()))
		return lo, lo + float32(size*rng.Float32()/8)
	})
}

// stragglerBox returns a small box in a cube of side 100, or an outlier far away for one in a
// hundred.
func stragglerBox(rng *rand.Rand, i, _ int) soa.AABB {
	b := RandomBoxes(rng, 1, BoxesSmall)[0]
	if i%100 == 50 {
		for a := range 3 {
			far := sign(rng, [...]float32{1e6, 1e15, 1e30, 3e38}[rng.IntN(4)])
			b.Min[a], b.Max[a] = far, far
		}
	}
	return b
}

// descendingBox returns boxes in descending order of coordinates.
func descendingBox(rng *rand.Rand, i, n int) soa.AABB {
	at := float32(n - i)
	return eachAxis(func() (float32, float32) { return at, at + 3*rng.Float32() })
}
