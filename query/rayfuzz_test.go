package query_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
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
