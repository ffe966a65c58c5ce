package collide_test

import (
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// Seven bytes are an object on a small grid: corner, size, mask and static flag.
// Every form of tree gives the pairs of the double loop.
func FuzzPairs(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x00\x00\x00\x01\x01\x01\x02\x01\x01\x01\x00\x00\x00\x03"))
	rng := testkit.Rand(1)
	for _, n := range []int{16, 17, 130, 300} {
		data := make([]byte, 7*n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var objects []soa.Object
		for ; len(data) >= 7 && len(objects) < 400; data = data[7:] {
			var o soa.Object
			for a := range 3 {
				o.Box.Min[a] = float32(int8(data[a]) >> 2)
				o.Box.Max[a] = o.Box.Min[a] + float32(data[3+a]>>5)
			}
			o.Mask, o.Static = uint32(data[6]>>1&31), data[6]&1 != 0
			objects = append(objects, o)
		}
		f := trees.PlantAll(t, objects)
		reference := testkit.ReferencePairs(objects)
		flt := pairFilters[len(objects)%len(pairFilters)]
		want := testkit.KeepPairs(reference, objects, objects, func(a, b *soa.Object) bool { return passes(flt, a, b) })
		for form, tree := range f.Trees {
			if !checkPairs(t, collide.Append(nil, collide.Within(tree.View()), flt), want) {
				t.Fatalf("tree %s, filter %+v, boxes %v", form, flt, objects)
			}
		}
	})
}

// Ten bytes are a box on a small grid and its step: corner, size, motion, and growth. The impacts equal the
// double loop's, and are all impacts by definition.
func FuzzImpacts(f *testing.F) {
	f.Add([]byte{})
	rng := testkit.Rand(1)
	for _, n := range []int{2, 17, 60} {
		data := make([]byte, 10*n)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := &moving{}
		for ; len(data) >= 10 && len(m.objects) < 80; data = data[10:] {
			var b soa.AABB
			var by [3]float32
			for a := range 3 {
				b.Min[a] = float32(int8(data[a]) >> 3)
				b.Max[a] = b.Min[a] + float32(data[3+a]>>5)
				by[a] = float32(int8(data[6+a])) / 4
			}
			s := collide.Displace(b, by)
			s.To.Max[data[9]%3] += float32(data[9] >> 6)
			m.steps.Set(uint32(len(m.objects)), s)
			m.objects = append(m.objects, soa.Object{Box: s.Swept(), Mask: 1})
			m.paths = append(m.paths, [2]soa.AABB{s.From, s.To})
		}
		want := m.reference(collide.Filter{})
		got := collide.AppendImpacts(nil, collide.Within(trees.Plant(t, m.objects, len(data)%2 == 0).View()), &m.steps, nil, collide.Filter{})
		collide.SortImpacts(got)
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%d impacts, want %d; they differ at %d: %v, %v", len(got), len(want), i, got, want)
			}
		}
		times := map[collide.Pair]float32{}
		for _, h := range got {
			times[collide.Pair{A: h.A, B: h.B}] = h.Time
		}
		for j := range m.paths {
			for i := range j {
				_, ok := times[collide.Pair{A: uint32(i), B: uint32(j)}]
				if testkit.DefinitionImpact(m.paths[i], m.paths[j], 0) != nil && !ok {
					t.Fatalf("%v and %v touch and were lost", m.paths[i], m.paths[j])
				}
			}
		}
	})
}
