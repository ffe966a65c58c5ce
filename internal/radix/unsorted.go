package radix

const (
	// strayShare and strayFree bound the strays of a nearly sorted input: at most 1 key in
	// strayShare, plus strayFree.
	strayShare = 8
	strayFree  = 32

	// backMax is the number of kept keys that one smaller key may turn into strays. It must be more
	// than one: else a few neighbours that jumped ahead would make a stray of every key up to their
	// new position.
	backMax = 4
)

// strays are the keys out of order: without them the other keys ascend. Equal keys are in order of
// index.
type strays struct {
	keys  []uint64
	index []uint32
	items []uint64 // items of the sorted keys
}

func (x *strays) add(key uint64, index uint32) {
	x.keys = append(x.keys, key)
	x.index = append(x.index, index)
}

// ascend packs the ascending keys into the front of items in one sweep and collects the others as
// strays. It returns false when there are too many strays; in random order that is soon.
//
//	keys   3 4 9 9 5 6 1 7 8          9 9 jumped ahead, 1 back
//	items  3 4 5 6 7 8                kept = 6
//	stray  9 9 1
func (s *Scratch) ascend(keys []uint64) (kept int, ok bool) {
	items, x := s.items, &s.stray
	x.keys, x.index = x.keys[:0], x.index[:0]
	last := uint64(0)
	for i, key := range keys {
		key &= keyMask
		if key < last {
			// Skip back over the larger kept keys.
			back := 1
			for back < kept && back <= backMax && keys[Index(items[kept-1-back])]&keyMask > key {
				back++
			}
			if back == kept || back > backMax {
				x.add(key, uint32(i))
			} else {
				for _, item := range items[kept-back : kept] {
					x.add(keys[Index(item)], Index(item))
				}
				kept -= back
				last = 0
			}
			if len(x.keys) > i/strayShare+strayFree {
				return 0, false
			}
		}
		if key >= last {
			items[kept] = pack(key, i)
			kept++
			last = key
		}
	}
	return kept, true
}

// mergeStrays merges the kept items with the sorted strays from the end, so that no item is
// overwritten before it has moved.
func (s *Scratch) mergeStrays(keys []uint64, kept int) {
	items, x := s.items, &s.stray
	k := kept - 1
	for d := len(x.items) - 1; d >= 0; d-- {
		at := Index(x.items[d])
		key, index := x.keys[at]&keyMask, x.index[at]
		for ; k >= 0; k-- {
			i := Index(items[k])
			if other := keys[i] & keyMask; other < key || other == key && i < index {
				break
			}
			items[k+d+1] = items[k]
		}
		items[k+d+1] = pack(key, int(index))
	}
}
