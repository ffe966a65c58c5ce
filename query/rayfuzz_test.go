package query_test

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// A ray along an axis has the hits of the thin box that it covers.
func TestRayIsThinBox(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, sc := range testkit.Scenes() {
		objects := sc.Make(500, 1)
		v := plant(t, objects, true).View()
		for i := range 60 {
			o := objects[rng.IntN(len(objects))].Box
			at, axis, length := o.Min, i%3, float32(rng.IntN(200))
			if i%2 == 0 {
				at = o.Center()
			}
			end, dir := at, [3]float32{}
			end[axis] += length
			dir[axis] = 1
			r := rayOf(t, at, dir, end[axis]-at[axis])
			var got, want []uint32
			for h := range r.All(v, query.Filter{}) {
				got = append(got, h.ID)
			}
			thin := soa.AABB{Min: at, Max: end}
			for id := range objects {
				if objects[id].Box.Overlaps(thin) {
					want = append(want, uint32(id))
				}
			}
			if !testkit.NothingLost(t, got, want) {
				t.Fatalf("%s: ray from %v along axis %d for %v", sc.Name, at, axis, length)
			}
		}
	}
}

// Bytes as float32: a sweep, then boxes.
func FuzzSweep(f *testing.F) {
	f.Add(make([]byte, 40+24*20))
	seed := make([]byte, 0, 40+24*33)
	for i := range cap(seed) / 4 {
		seed = binary.LittleEndian.AppendUint32(seed, math.Float32bits(float32(i%7)-3))
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, data []byte) {
		var words []float32
		for ; len(data) >= 4 && len(words) < 10+6*300; data = data[4:] {
			x := math.Float32frombits(binary.LittleEndian.Uint32(data))
			if !(math.Abs(float64(x)) <= math.MaxFloat32) {
				x = 0
			}
			words = append(words, x)
		}
		if len(words) < 10 {
			return
		}
		s := testkit.RaySweep([3]float32(words), [3]float32(words[3:]), 1)
		for a, h := range words[6:9] {
			s.Hi[a] = min(s.Lo[a]+float32(math.Abs(float64(h))), math.MaxFloat32)
		}
		if s.Hi == s.Lo {
			s.MaxT = float32(math.Abs(float64(words[9])))
		}
		var objects []soa.Object
		for words = words[10:]; len(words) >= 6; words = words[6:] {
			var b soa.AABB
			for a := range 3 {
				b.Min[a], b.Max[a] = min(words[a], words[3+a]), max(words[a], words[3+a])
			}
			objects = append(objects, soa.Object{Box: b})
		}
		want := testkit.ReferenceSweep(objects, endless(s))
		testkit.NothingLost(t, indices(want), testkit.DefinitionSweep(objects, endless(s)))
		v := plant(t, objects, len(objects)%2 == 0).View()
		c, ok := casterOf(t, s)
		if !ok {
			return
		}
		former := asm.Info().Tier
		defer asm.SetTier(former)
		for _, tier := range asm.Info().Available {
			asm.SetTier(tier)
			checkHits(t, c, v, query.Filter{}, want)
		}
	})
}

// FuzzVolumes reads objects and volumes as raw numbers and compares with the
// oracles on every tier.
func FuzzVolumes(f *testing.F) {
	f.Add([]byte("zero-size and touching boxes, all alike........................"), uint16(40), uint8(0))
	f.Add([]byte{0, 0, 128, 63, 0, 0, 128, 191, 255, 255, 127, 127, 1, 0, 0, 0, 0, 0, 0, 128}, uint16(200), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint16, coarse uint8) {
		at := 0
		number := func() float32 {
			var bits uint32
			for k := range 4 {
				if len(data) > 0 {
					bits |= uint32(data[at%len(data)]) << (8 * k)
					at++
				}
			}
			if coarse&1 != 0 { // small integers intersect more often
				return float32(int8(bits))
			}
			x := math.Float32frombits(bits + uint32(at)*2654435761)
			if x-x != 0 {
				return 0
			}
			return x
		}
		next := func() (b soa.AABB) {
			for a := range 3 {
				x, y := number(), number()
				b.Min[a], b.Max[a] = min(x, y), max(x, y)
			}
			return b
		}
		objects := make([]soa.Object, n%300)
		for i := range objects {
			objects[i] = soa.Object{Box: next(), Mask: 1 << (i % 3), Static: i%2 == 0}
		}
		forest := plantAll(t, objects)
		b, s := next(), scene.Sphere{Center: next().Min, Radius: float32(math.Abs(float64(number())))}
		planes := make([][4]float32, int(coarse)%(query.MaxPlanes+1))
		for i := range planes {
			planes[i] = [4]float32{number(), number(), number(), number()}
		}
		for _, p := range []probe{
			{numbers: b, query: box(t, b), reference: testkit.ReferenceBox(objects, b)},
			{"sphere", sphere(t, s), testkit.ReferenceSphere(objects, s.Center, s.Radius), testkit.DefinitionSphere(objects, s.Center, s.Radius), nil},
			{"convex", convex(t, planes), testkit.ReferenceConvex(objects, planes), testkit.DefinitionConvex(objects, planes), planes},
		} {
			for form, tree := range forest.Trees {
				v := tree.View()
				for _, tier := range asm.Info().Available {
					former, err := asm.SetTier(tier)
					testkit.Must(t, err)
					got := forms(t, p.query, p.query.All(v, query.Filter{}), v, query.Filter{})
					asm.SetTier(former)
					sorted := slices.Sorted(slices.Values(got))
					testkit.SameIDs(t, sorted, p.referenceOf(objects, v))
					testkit.NothingLost(t, sorted, p.definition)
					if t.Failed() {
						t.Fatalf("%s, tree %s, tier %s", p.name(), form, tier)
					}
				}
			}
		}
	})
}
