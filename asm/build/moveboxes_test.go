package build_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// laneOf returns the box in a lane of a packet.
func laneOf(p *soa.Packet, l int) (b soa.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = p[2*a][l], p[2*a+1][l]
	}
	return b
}

// unionOf returns the tight box of a packet, in which no bound is -0.
func unionOf(p *soa.Packet) soa.AABB {
	all := soa.Empty()
	for l := range soa.Lanes {
		all = all.Union(laneOf(p, l))
	}
	for a := range 3 {
		all.Min[a] += 0
		all.Max[a] += 0
	}
	return all
}

// moveRef is a move as documented.
func moveRef(p *soa.Packet, placement soa.AABB, lane int, box soa.AABB) (m build.Moved) {
	old, tight := laneOf(p, lane), unionOf(p)
	if !placement.Contains(old) {
		m.Flags |= build.MovedAway
	}
	if !placement.Contains(box) {
		m.Flags |= build.MovedLeaves
	}
	if !tight.Contains(box) {
		m.Flags |= build.MovedGrows
	}
	for a := range 3 {
		if old.Min[a] == tight.Min[a] || old.Max[a] == tight.Max[a] {
			m.Flags |= build.MovedFromFace
		}
		p[2*a][lane], p[2*a+1][lane] = box.Min[a], box.Max[a]
	}
	tight = unionOf(p)
	m.Min, m.Max = tight.Min, tight.Max
	return m
}

// fewNumbers are numbers of boxes whose faces often touch.
var fewNumbers = []float32{
	float32(math.Copysign(0, -1)), 0, 1, -1, math.Nextafter32(1, 2), math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	math.MaxFloat32, -math.MaxFloat32, 3, 4, 5, -3, -4, -5,
}

// boxOfFew returns a box of such numbers, drawn from the first n.
func boxOfFew(r *rand.Rand, n int) (b soa.AABB) {
	for a := range 3 {
		x, y := fewNumbers[r.IntN(n)], fewNumbers[r.IntN(n)]
		b.Min[a], b.Max[a] = min(x, y), max(x, y)
	}
	return b
}

// randomMoves returns packets with up to 16 boxes, their stay boxes and moves: some of the same objects, or in the
// same packets, and some a part of previous ones.
func randomMoves(r *rand.Rand, packets, n int, few bool) (rows []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB) {
	numbers := 4 + r.IntN(len(fewNumbers)-3)
	box := func() soa.AABB {
		if few {
			return boxOfFew(r, numbers)
		}
		return testkit.RandomBoxes(r, 1, testkit.BoxesSmall)[0]
	}
	rows, placements = make([]soa.Packet, packets), make([]soa.AABB, packets)
	var lived []soa.Location
	for i := range rows {
		count := 1 + r.IntN(soa.Lanes)
		placements[i] = soa.Empty()
		for l := range soa.Lanes {
			b := soa.Empty()
			if l < count {
				b = box()
				if r.IntN(8) > 0 {
					placements[i] = placements[i].Union(b)
				}
				lived = append(lived, soa.MakeLocation(uint32(i), l))
			}
			for a := range 3 {
				rows[i][2*a][l], rows[i][2*a+1][l] = b.Min[a], b.Max[a]
			}
		}
		if r.IntN(10) == 0 {
			placements[i] = soa.Empty()
		}
	}
	at, boxes = make([]soa.Location, n), make([]soa.AABB, n)
	for i := range at {
		at[i], boxes[i] = lived[r.IntN(len(lived))], box()
		old := laneOf(&rows[at[i].Slot()], at[i].Lane())
		switch r.IntN(4) {
		case 0: // anywhere
		case 1: // where it was
			boxes[i] = old
		default: // within the packet, about
			boxes[i] = laneOf(&rows[at[i].Slot()], int(lived[r.IntN(len(lived))])%soa.Lanes)
			if boxes[i] == soa.Empty() {
				boxes[i] = old
			}
		}
	}
	return rows, placements, at, boxes
}

// checkMoveBoxes compares moves with the reference, bit by bit.
func checkMoveBoxes(t testing.TB, dst []build.Moved, rows []soa.Packet, placements []soa.AABB, at []soa.Location, boxes []soa.AABB) (flags uint32) {
	t.Helper()
	wantRows := slices.Clone(rows)
	var want []build.Moved
	for i := range boxes {
		m := moveRef(&wantRows[at[i].Slot()], placements[at[i].Slot()], at[i].Lane(), boxes[i])
		flags |= 1 << m.Flags
		if m.Index = uint32(i); m.Flags > build.MovedAway {
			want = append(want, m)
		}
	}
	got := build.MoveBoxes(dst, rows, placements, at, boxes)
	for i := range min(len(got), len(want)) {
		g, w := &got[i], &want[i]
		if g.Index != w.Index || g.Flags != w.Flags || !sameBox(soa.AABB{Min: g.Min, Max: g.Max}, soa.AABB{Min: w.Min, Max: w.Max}) {
			t.Fatalf("move %d of %d listed:\n%+v, want\n%+v", i, len(want), got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d moves of %d listed, want %d", len(got), len(boxes), len(want))
	}
	samePackets(t, rows, wantRows)
	return flags
}

// Moves are listed as documented, with the same bits on all tiers, and nothing else is read or written; each possible
// combination of flags occurs.
func TestMoveBoxes(t *testing.T) {
	rounds := 6
	if testkit.RaceEnabled { // which takes fewer sizes
		rounds = 18
	}
	testkit.EachTier(t, func(t *testing.T) {
		r := testkit.Rand(testkit.Seed(t))
		flags := uint32(0)
		kernel.EachPlace(t, kernel.Sizes(build.MovesPerCall), func(t *testing.T, place kernel.Place, n int) {
			for round := range rounds {
				rows, placements, at, boxes := randomMoves(r, 1+n/(1+round), n+n*(round%3)/2, round%2 == 0)
				rows, placements, at, boxes = kernel.Put(t, place, rows), kernel.Put(t, place, placements), kernel.Put(t, place, at), kernel.Put(t, place, boxes[:n])
				flags |= checkMoveBoxes(t, kernel.Room[build.Moved](t, place, n), rows, placements, at, boxes)
			}
		})
		for round := 0; flags != 1<<16-1 && round < 1000; round++ { // some combinations are rare
			rows, placements, at, boxes := randomMoves(r, 5, 100, round%2 == 0)
			flags |= checkMoveBoxes(t, make([]build.Moved, len(boxes)), rows, placements, at, boxes)
		}
		if flags != 1<<16-1 {
			t.Errorf("combinations of flags that occurred: %#b", flags)
		}
	})
}

// Each lane bears, and grows, the tight box on each side alone, unless another lane
// reaches as far, or farther.
func TestMoveBoxesLanes(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		dst, placement := make([]build.Moved, 1), testkit.Cube(0, 0, 0, 9)
		for column := range len(kernel.Columns{}) {
			sign := float32(2*(column%2) - 1)
			for lane := range soa.Lanes {
				for other := range soa.Lanes {
					if !testkit.Long(t) && (other-lane+soa.Lanes)%5 != 0 {
						continue // itself, a neighbour, and some between
					}
					for reach := float32(1); reach <= 3; reach++ { // of the other one; the lane's is 2
						var p soa.Packet
						for c := range p { // the other columns are borne by another lane
							p[c][(lane+1)%soa.Lanes] = float32(2*(c%2)-1) * 5
						}
						p[column][(lane+1)%soa.Lanes] = 0
						p[column][other], p[column][lane] = reach*sign, 2*sign
						for x := float32(1); x <= 4; x++ {
							box := laneOf(&p, lane)
							if column%2 == 0 {
								box.Min[column/2] = x * sign
							} else {
								box.Max[column/2] = x * sign
							}
							if other != lane {
								want := uint32(0)
								if reach <= 2 {
									want |= build.MovedFromFace
								}
								if x > max(reach, 2) {
									want |= build.MovedGrows
								}
								q := p
								if m := moveRef(&q, placement, lane, box); m.Flags != want {
									t.Fatalf("column %d, lane %d to %g, lane %d at %g: the reference has flags %#b, want %#b", column, lane, x, other, reach, m.Flags, want)
								}
							}
							checkMoveBoxes(t, dst, []soa.Packet{p}, []soa.AABB{placement}, []soa.Location{soa.Location(lane)}, []soa.AABB{box})
						}
					}
				}
			}
		}
	})
}

// Too few locations and too little room are misuse.
func TestMoveBoxesPanics(t *testing.T) {
	for _, n := range [][2]int{{1, 2}, {2, 1}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if testkit.Panic(func() {
				build.MoveBoxes(make([]build.Moved, n[0]), make([]soa.Packet, 1), make([]soa.AABB, 1), make([]soa.Location, n[1]), make([]soa.AABB, 2))
			}) == nil {
				t.Error("no panic")
			}
		})
	}
}

// FuzzMoveBoxes reads a packet, its stay box and moves in it.
func FuzzMoveBoxes(f *testing.F) {
	f.Add([]byte("a box that moves among the boxes of a packet, and back again, and so on"), uint8(3))
	f.Add([]byte{0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 128, 63}, uint8(70))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		in := kernel.Reader(data)
		box := func() soa.AABB {
			x := in.Numbers(6)
			return soa.AABB{Min: [3]float32(x), Max: [3]float32(x[3:])}
		}
		var p soa.Packet
		for l := range soa.Lanes {
			b := soa.Empty()
			if in.Byte() != 0 || l == 0 {
				b = box()
			}
			for a := range 3 {
				p[2*a][l], p[2*a+1][l] = b.Min[a], b.Max[a]
			}
		}
		placement := box()
		at, boxes := make([]soa.Location, n), make([]soa.AABB, n)
		for i := range at {
			at[i], boxes[i] = soa.Location(in.Byte()%soa.Lanes), box()
		}
		kernel.OnTiers(t, func() {
			checkMoveBoxes(t, make([]build.Moved, n), []soa.Packet{p}, []soa.AABB{placement}, at, boxes)
		})
	})
}

// Boxes that move a little, in packets from anywhere.
func BenchmarkMoveBoxes(b *testing.B) {
	micro.Each(b, 384+24+4+24, func(_ *testing.B, n int) micro.Kernel {
		r := testkit.Rand(1)
		rows, placements, _, _ := randomMoves(r, n, 0, false)
		at, boxes := make([]soa.Location, n), make([]soa.AABB, n)
		for i, slot := range kernel.Shuffled(r, n) {
			at[i] = soa.MakeLocation(uint32(slot), 0)
			boxes[i] = laneOf(&rows[slot], 0)
		}
		dst := make([]build.Moved, n)
		return micro.Kernel{Items: n, Item: "box", Bytes: (384 + 24 + 4 + 24) * n, Run: func() {
			kernel.Sink += uint64(len(build.MoveBoxes(dst, rows, placements, at, boxes)))
		}}
	})
}
