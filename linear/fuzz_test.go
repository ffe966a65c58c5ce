package linear_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// tape is a string of bytes that is decoded as operations and boxes.
type tape struct{ b []byte }

func (t *tape) byte() (v byte) {
	if len(t.b) > 0 {
		v, t.b = t.b[0], t.b[1:]
	}
	return v
}

// float decodes the raw bits of a float32, including NaN and infinities.
func (t *tape) float() float32 {
	var w [4]byte
	t.b = t.b[copy(w[:], t.b):]
	return math.Float32frombits(binary.LittleEndian.Uint32(w[:]))
}

// object decodes a box and labels. The form byte selects corners as they are, in order, or as one point: raw
// bits are rarely a valid box.
func (t *tape) object() (o soa.Object) {
	form := t.byte()
	o.Mask, o.Static = uint32(form>>2), form&2 != 0
	for a := range 3 {
		o.Box.Min[a] = t.float()
		o.Box.Max[a] = o.Box.Min[a]
		if form&1 != 0 {
			o.Box.Max[a] = t.float()
			if form&128 == 0 {
				o.Box.Min[a], o.Box.Max[a] = min(o.Box.Min[a], o.Box.Max[a]), max(o.Box.Min[a], o.Box.Max[a])
			}
		}
	}
	return o
}

// FuzzTree runs operations decoded from bytes on a tree and on a plain slice,
// and compares the two and validates the tree after each. The first byte
// chooses the bound of the pending list, the world and the workers.
func FuzzTree(f *testing.F) {
	one := []byte{0, 0, 0x80, 0x3f} // 1
	f.Add([]byte{})
	f.Add([]byte{0, 0, 5})
	f.Add(append([]byte{1, 0, 40, 2}, one...))
	f.Add([]byte{7, 1, 200, 3, 0, 0, 0x80, 0x7f, 2, 0, 30, 4, 3, 1, 17, 5}) // an infinity
	f.Add([]byte("\x02\x00\x20 boxes of letters, which are numbers near 1e20 \x02\x00\x30 and more of them \x03"))
	f.Add([]byte("\x05\x05\xff\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x05\xff\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		in := tape{data}
		setup := in.byte()
		cfg := linear.Config{PendingMin: 1 + int(setup&31)*8, PendingShare: 1 << 20, Workers: 1 + int(setup>>7)}
		if setup&64 != 0 {
			cfg.World = soa.AABB{Min: [3]float32{-1, -1, -1}, Max: [3]float32{3, 2, 1}}
		}
		tree := newTree(t, cfg)
		var model []soa.Object // by ID
		var ids []uint32
		// Each operation checks everything, so their product is bounded.
		for ops := 0; len(in.b) > 0 && ops < 100 && len(model) < 2000; ops++ {
			switch op := in.byte(); op % 6 {
			case 0, 1: // a batch of objects
				batch := make([]soa.Object, in.byte())
				var bad error
				for i := range batch {
					batch[i] = in.object()
					if err := batch[i].Box.Check(); err != nil && bad == nil {
						bad = err
					}
				}
				got, err := tree.InsertBatch(ids, batch)
				if (err != nil) != (bad != nil) {
					t.Fatalf("batch of %d: error %v, want %v", len(batch), err, bad)
				}
				if err == nil {
					model = append(model, batch...)
				}
				if ids = got; len(ids) != len(model) {
					t.Fatalf("%d IDs of %d objects", len(ids), len(model))
				}
			case 2:
				rebuild(t, tree, true)
			case 3:
				rebuild(t, tree, false)
			case 4:
				must(t, tree.Flush())
				if p := tree.Stats().Pending; p != 0 {
					t.Fatalf("%d objects pending after Flush", p)
				}
			case 5: // copies of one object
				batch := make([]soa.Object, in.byte())
				one := in.object()
				if one.Box.Check() != nil {
					continue
				}
				for i := range batch {
					batch[i] = one
				}
				ids = append(ids, insert(t, tree, batch)...)
				model = append(model, batch...)
			}
			if p := tree.Stats().Pending; p > cfg.PendingMin {
				t.Fatalf("%d objects pending, at most %d may be", p, cfg.PendingMin)
			}
			check(t, tree, ids, model)
		}
		for i, id := range ids {
			if id != uint32(i) {
				t.Fatalf("object %d has ID %d", i, id)
			}
		}
		cells := 0
		for c := range tree.Cells() {
			cells += c.Count
		}
		if cells != len(model)-tree.Stats().Pending {
			t.Fatalf("cells hold %d of %d objects", cells, len(model))
		}
	})
}
