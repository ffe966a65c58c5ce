package build_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// sameUniform compares packets without a column of masks with packets that have one, and the nodes over both.
func sameUniform(t *testing.T, got, want *filled) {
	t.Helper()
	if got.Masks != nil {
		t.Fatalf("%d rows of masks", len(got.Masks))
	}
	got.Masks = want.Masks
	sameColumns(t, got, want)
	got.Masks = nil
}

// Without a column of masks the fill and reduce kernels write what they write with one in which all objects have the
// same mask, and nothing else: from records, from packets with and without the column, and over packets.
func TestUniformMasks(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(build.FillPerCall), func(t *testing.T, at kernel.Place, n int) {
			for _, mask := range []uint32{0, 1, 0x80000005, rng.Uint32()} {
				starts, items := randomItems(rng, n, -1, 50)
				records := randomRecords(rng, 50, testkit.BoxesSmall)
				for i := range records {
					records[i] = makeRecord(soa.AABB{Min: [3]float32(records[i][:3]), Max: [3]float32(records[i][3:6])}, mask, [4]byte{byte(i % 2)})
				}
				first := n % 3
				uniform := func() (got, want *filled) {
					got = makeColumns(t, at, first+n)
					want = cloneColumns(got)
					got.Masks, got.Mask = nil, mask
					return got, want
				}
				got, want := uniform()
				got.fillRecords(first, starts, items, records)
				fillRef(want, first, starts, items, func(index uint32) object { return recordObject(records, index) })
				sameUniform(t, got, want)

				from := randomSource(t, rng, at, 1+n%4, 50, testkit.BoxesSmall)
				for i := range from.Masks {
					for l := range from.Masks[i] {
						from.Masks[i][l] = mask
					}
				}
				got, want = uniform()
				fillRef(want, first, starts, items, func(index uint32) object { return sourceObject(from, index) })
				got.fillPackets(first, starts, items, from)
				sameUniform(t, got, want)
				got, _ = uniform()
				from.Masks, from.Mask = nil, mask
				got.fillPackets(first, starts, items, from)
				sameUniform(t, got, want)

				var list []uint32
				for slot := first; slot < first+n; slot++ {
					if up := got.Parents[slot]; up != soa.NoParent {
						got.Nodes[up.Node()].Mask[up.Lane()] = rng.Uint32()
						list = append(list, uint32(slot))
					}
				}
				got.reduce(list)
				sameUniform(t, got, want)
			}
		})
	})
}

// Packets of one mask are no source of packets of another one.
func TestUniformSource(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	from := randomSource(t, rng, kernel.Heap, 3, 50, testkit.BoxesSmall)
	from.Masks, from.Mask = nil, 4
	starts, items := randomItems(rng, 5, -1, 50)
	for _, damage := range []func(c *filled){func(*filled) {}, func(c *filled) { c.Masks = nil }} {
		c := makeColumns(t, kernel.Heap, 5)
		damage(c)
		if got := testkit.Panic(func() { c.fillPackets(0, starts, items, from) }); got == nil {
			t.Error("no panic")
		}
	}
}
