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
