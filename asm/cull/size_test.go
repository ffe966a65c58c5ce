package cull_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// sizing is the input of a Size.
type sizing struct {
	depth, near [4]float32
	scale       [3]float32
	least       float32
}

func (s *sizing) size() (z cull.Size) {
	z.Set(&s.depth, &s.near, &s.scale, s.least)
	return z
}

// lowest is the row of the lowest corner, as the documentation has it: the least of all eight,
// for each operation is monotone.
func lowest(row [4]float32, b soa.AABB) float32 {
	least := float32(math.Inf(1))
	for corner := range 8 {
		var c [3]float32
		for a := range 3 {
			c[a] = [2]float32{b.Min[a], b.Max[a]}[corner>>a&1]
		}
		x, y, z := float32(row[0]*c[0]), float32(row[1]*c[1]), float32(row[2]*c[2])
		s := float32(x + y)
		s = float32(s + z)
		least = min(least, float32(s+row[3]))
	}
	return least
}

// small is the documented formula.
func (s *sizing) small(b soa.AABB) bool {
	edge := float32(0)
	for a := range 3 {
		e := float32(b.Max[a] - b.Min[a])
		edge = max(edge, float32(s.scale[a]*e))
	}
	return edge < float32(s.least*lowest(s.depth, b)) && lowest(s.near, b) > 0
}

// randomSizing draws rows whose normals have components up to 1, including zeros of both signs and denormals. Many
// boxes of the kind are on both sides of them.
func randomSizing(rng *rand.Rand, boxes []soa.AABB) (s sizing) {
	row := func() (r [4]float32) {
		for a := range 3 {
			switch rng.IntN(6) {
			case 0:
				r[a] = [...]float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-130}[rng.IntN(6)]
			default:
				r[a] = 2*rng.Float32() - 1
			}
		}
		b := boxes[rng.IntN(len(boxes))]
		r[3] = min(max(-lowest(r, b), -math.MaxFloat32), math.MaxFloat32)
		if rng.IntN(3) == 0 {
			r[3] *= 2 * rng.Float32()
			r[3] = min(r[3], math.MaxFloat32)
		}
		return r
	}
	s.depth = row()
	if s.near = s.depth; rng.IntN(3) == 0 {
		s.near = row()
	}
	s.scale = [3]float32{1, 1, 1}
	if rng.IntN(3) == 0 {
		for a := range s.scale {
			s.scale[a] = math.Float32frombits(1 + rng.Uint32N(math.Float32bits(math.MaxFloat32)))
		}
	}
	switch rng.IntN(4) {
	case 0:
		s.least = math.Float32frombits(1 + rng.Uint32N(math.Float32bits(math.MaxFloat32)))
	case 1: // the depth of a box, about
		b, edge := boxes[rng.IntN(len(boxes))], float32(0)
		for a := range 3 {
			edge = max(edge, float32(s.scale[a]*float32(b.Max[a]-b.Min[a])))
		}
		s.least = min(edge/lowest(s.depth, b), math.MaxFloat32)
	default:
		s.least = float32(math.Ldexp(rng.Float64(), rng.IntN(12)-8))
	}
	if !(s.least > 0) {
		s.least = 1
	}
	return s
}

// Every tier finds the small boxes of the documented formula.
func TestSizeFormula(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		for _, kind := range testkit.BoxKinds() {
			small, not := 0, 0
			for range testkit.Budget(t, 1000, 100_000) {
				boxes := testkit.RandomBoxes(rng, 1+rng.IntN(soa.Lanes), kind)
				packet := kernel.Put(t, kernel.Heap, []soa.Packet{packetOf(boxes)})
				s := randomSizing(rng, boxes)
				z := s.size()
				all := uint32(1)<<len(boxes) - 1
				keep := z.Large(&packet[0], all)
				for l, b := range boxes {
					want := s.small(b)
					if keep>>l&1 == 0 != want {
						t.Fatalf("%+v: box %x is small: %v, want %v", s, b, !want, want)
					}
					if want {
						small++
					} else {
						not++
					}
					if z.Holds(&b) == want {
						t.Fatalf("%+v: box %x alone is held: %v", s, b, want)
					}
				}
				if some := rng.Uint32() & all; z.Large(&packet[0], some) != keep&some {
					t.Fatalf("lanes %x of %x: %x", some, keep, z.Large(&packet[0], some))
				}
			}
			if small*20 < not || not*20 < small {
				t.Errorf("%v: %d boxes are small, %d are not", kind, small, not)
			}
		}
	})
}

func packetOf(boxes []soa.AABB) (p soa.Packet) {
	for l := range soa.Lanes {
		c := kernel.EmptyBox
		if l < len(boxes) {
			c = kernel.ColumnsOf(boxes[l])
		}
		kernel.SetPacketBox(&p, l, c)
	}
	return p
}

// innerBox returns a box in b: of some of its corners, of their neighbours, of any numbers between.
func innerBox(rng *rand.Rand, b soa.AABB) soa.AABB {
	for a := range 3 {
		lo, hi := b.Min[a], b.Max[a]
		between := func() float32 {
			switch x := lo + float32(rng.Float32()*(hi-lo)); rng.IntN(5) {
			case 0:
				return lo
			case 1:
				return hi
			case 2:
				return min(math.Nextafter32(lo, hi), hi)
			default:
				return min(max(x, lo), hi)
			}
		}
		p, q := between(), between()
		b.Min[a], b.Max[a] = min(p, q), max(p, q)
	}
	return b
}

// A small box holds only small boxes: rounding is never stricter with a node than with its subtree.
func TestSizeMonotone(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, kind := range testkit.BoxKinds() {
		seen := 0
		for range testkit.Budget(t, testkit.Again(5000, 1000), 500_000) {
			boxes := testkit.RandomBoxes(rng, 2, kind)
			s := randomSizing(rng, boxes)
			z := s.size()
			for _, outer := range boxes {
				inner := innerBox(rng, outer)
				if !z.Holds(&outer) {
					seen++
					if z.Holds(&inner) {
						t.Fatalf("%+v: box %x is small, %x in it is not", s, outer, inner)
					}
				}
			}
		}
		if seen == 0 {
			t.Errorf("%v: no box is small", kind)
		}
	}
}

// FuzzSize reads rows, scales and two boxes of any finite numbers: all tiers agree with the formula, and
// the box around both is not small unless both are.
func FuzzSize(f *testing.F) {
	f.Add(make([]byte, 96))
	for _, kind := range testkit.BoxKinds() {
		rng := testkit.Rand(uint64(kind))
		for range 4 {
			boxes := testkit.RandomBoxes(rng, 2, kind)
			s := randomSizing(rng, boxes)
			var data []byte
			for _, list := range [][]float32{s.depth[:], s.near[:], s.scale[:], {s.least},
				boxes[0].Min[:], boxes[0].Max[:], boxes[1].Min[:], boxes[1].Max[:]} {
				for _, x := range list {
					data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
				}
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in := kernel.Reader(data)
		finite := func() float32 {
			x := in.Float()
			if !(math.Abs(float64(x)) <= math.MaxFloat32) {
				return 1
			}
			return x
		}
		positive := func() float32 { return max(float32(math.Abs(float64(finite()))), 0x1p-149) }
		var s sizing
		for _, row := range []*[4]float32{&s.depth, &s.near} {
			for a := range row {
				if row[a] = finite(); a < 3 {
					row[a] = min(max(row[a], -1), 1)
				}
			}
		}
		s.scale, s.least = [3]float32{positive(), positive(), positive()}, positive()
		var boxes [3]soa.AABB
		for i := range 2 {
			for a := range 3 {
				p, q := finite(), finite()
				boxes[i].Min[a], boxes[i].Max[a] = min(p, q), max(p, q)
			}
		}
		boxes[2] = boxes[0].Union(boxes[1])
		packet, z := packetOf(boxes[:]), s.size()
		kernel.OnTiers(t, func() {
			keep := z.Large(&packet, 7)
			for l, b := range boxes {
				if keep>>l&1 == 0 != s.small(b) {
					t.Errorf("%+v: box %x is small: %v", s, b, s.small(b))
				}
			}
			if keep&4 == 0 && keep != 0 {
				t.Errorf("%+v: %x is small, not all of %x", s, boxes[2], boxes[:2])
			}
		})
	})
}

// sizeNodes returns nodes of random boxes, whose children are nodes after them, or packets.
func sizeNodes(rng *rand.Rand, n int) (nodes []soa.Node, boxes []soa.AABB) {
	nodes = make([]soa.Node, n)
	for i := range nodes {
		used := 1 + rng.IntN(soa.Fan)
		for l := range soa.Fan {
			if l >= used {
				kernel.SetNodeBox(&nodes[i], l, kernel.EmptyBox)
				continue
			}
			b := testkit.RandomBoxes(rng, 1, testkit.BoxesSmall)[0]
			boxes = append(boxes, b)
			kernel.SetNodeBox(&nodes[i], l, kernel.ColumnsOf(b))
			ref := soa.RefPacket | soa.Ref(i*soa.Fan+l)
			if child := soa.Fan*i + l + 1; child < n {
				ref = soa.Ref(child)
			}
			nodes[i].Child[l], nodes[i].Mask[l] = ref|soa.RefStatic, 1
		}
	}
	return nodes, boxes
}

// Prune removes small entries from the lists of a walk, except visited ones, and keeps the order of the rest.
func TestSizePrune(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		removed, left := 0, 0
		for range testkit.Budget(t, 100, 10_000) {
			nodes, boxes := sizeNodes(rng, 1+rng.IntN(60))
			s := randomSizing(rng, boxes)
			z := s.size()
			stays := map[soa.Ref]bool{}
			for i := range nodes {
				for l, ref := range nodes[i].Child {
					if ref != 0 {
						stays[ref&(soa.RefPacket|soa.RefIndex)] = !s.small(boxIn(&nodes[i].Bounds, l))
					}
				}
			}
			var v cull.Volume
			v.Planes.Set(&[6][4]float32{{0.25, 0, 0, -8}, {0, 0.25, 0, -2}, {0, 0, -0.25, 20}}, &[3]float32{100, 100, 100}, &[3]float32{100, 100, 100})
			var w asm.VolumeWalk
			w.Reset(0)
			w.Packets = append(w.Packets, 99999) // as a pending one
			for !w.Done() {
				head, q, p, in := w.Head, len(w.Queue), len(w.Packets), len(w.Inside)
				v.Nodes(&w, nodes, &asm.AllNodes)
				want := [3][]soa.Ref{}
				for i, at := range w.Queue[q:] {
					if q+i < w.Head { // it has been visited
						want[0] = append(want[0], soa.Ref(at))
						continue
					}
					want[0] = keepRef(want[0], soa.Ref(at), stays)
				}
				for _, at := range w.Packets[p:] {
					want[1] = keepRef(want[1], soa.PacketRef(at), stays)
				}
				for _, ref := range w.Inside[in:] {
					want[2] = keepRef(want[2], ref, stays)
				}
				before := len(w.Queue) - q + len(w.Packets) - p + len(w.Inside) - in
				z.PruneWalk(&w, nodes, head, q, p, in)
				got := [3][]soa.Ref{}
				for _, at := range w.Queue[q:] {
					got[0] = append(got[0], soa.Ref(at))
				}
				for _, at := range w.Packets[p:] {
					got[1] = append(got[1], soa.PacketRef(at))
				}
				got[2] = append(got[2], w.Inside[in:]...)
				for k := range got {
					if !slices.Equal(got[k], want[k]) {
						t.Fatalf("list %d: %x, want %x", k, got[k], want[k])
					}
					left += len(got[k])
					before -= len(got[k])
				}
				removed += before
			}
			if w.Packets[0] != 99999 {
				t.Fatalf("what was in the list became %d", w.Packets[0])
			}
		}
		if removed == 0 || left == 0 {
			t.Errorf("%d removed, %d left", removed, left)
		}
	})
}

func keepRef(list []soa.Ref, ref soa.Ref, stays map[soa.Ref]bool) []soa.Ref {
	if stays[ref] {
		list = append(list, ref)
	}
	return list
}

// Ranges become hit ranges of the lanes that are not small, also ranges without a mask.
func TestSizeRanges(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		var out []asm.Range
		for range testkit.Budget(t, 200, 20_000) {
			var p soa.PacketColumns
			var boxes []soa.AABB
			for range 1 + rng.IntN(20) {
				some := testkit.RandomBoxes(rng, rng.IntN(soa.Lanes+1), testkit.BoxesSmall)
				boxes = append(boxes, some...)
				p.Bounds, p.Counts = append(p.Bounds, packetOf(some)), append(p.Counts, uint8(len(some)))
			}
			if len(boxes) == 0 {
				continue
			}
			s := randomSizing(rng, boxes)
			z := s.size()
			var ranges, want []asm.Range
			add := func(slot uint32, m uint32) {
				keep := uint32(0)
				for l := range int(p.Counts[slot]) {
					if m>>l&1 != 0 && !s.small(boxIn(&p.Bounds[slot], l)) {
						keep |= 1 << l
					}
				}
				if keep != 0 {
					want = append(want, asm.Range{First: slot, N: asm.RangeHit | keep})
				}
			}
			for slot := uint32(0); int(slot) < len(p.Counts); {
				if m := rng.Uint32() & (1<<p.Counts[slot] - 1); m != 0 && rng.IntN(2) == 0 {
					ranges = append(ranges, asm.Range{First: slot, N: asm.RangeHit | m})
					add(slot, m)
					slot++
					continue
				}
				n := 1 + rng.Uint32N(uint32(len(p.Counts))-slot)
				ranges = append(ranges, asm.Range{First: slot, N: n})
				for range n {
					add(slot, 0xffff)
					slot++
				}
			}
			if out = z.AppendRanges(out[:0], ranges, &p); !slices.Equal(out, want) {
				t.Fatalf("%x of %x, want %x", out, ranges, want)
			}
		}
	})
}

func boxIn(p *soa.Packet, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = p[2*a][l], p[2*a+1][l]
	}
	return b
}

func BenchmarkSize(b *testing.B) {
	rng := testkit.Rand(1)
	packets := make([]soa.Packet, 64)
	for i := range packets {
		packets[i] = packetOf(testkit.RandomBoxes(rng, soa.Lanes, testkit.BoxesSmall))
	}
	z := (&sizing{[4]float32{1, 0, 0, 60}, [4]float32{1, 0, 0, 60}, [3]float32{1, 1, 1}, 0.02}).size()
	for _, tier := range cpu.Available() {
		b.Run(tier.String(), func(b *testing.B) {
			former, err := cpu.Force(tier)
			if err != nil {
				b.Fatal(err)
			}
			defer cpu.Force(former)
			for i := 0; b.Loop(); i++ {
				z.Large(&packets[i%len(packets)], 0xffff)
			}
		})
	}
}
