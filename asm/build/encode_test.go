package build

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/guard"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// onEncodeTiers runs f on every tier of the machine above Go.
func onEncodeTiers(t *testing.T, f func(t *testing.T)) {
	for _, tier := range cpu.Available()[1:] {
		t.Run(tier.String(), func(t *testing.T) {
			former, err := cpu.Force(tier)
			if err != nil {
				t.Fatal(err)
			}
			defer cpu.Force(former)
			f(t)
		})
	}
}

// encodeLengths are the lengths around a register and around one call.
func encodeLengths(perCall int) []int {
	return []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65,
		perCall - 1, perCall, perCall + 1, 2*perCall + 17}
}

var encodeGrids = []Grid{
	{Inv: 1},
	{Inv: 1, Origin: [3]float32{-1 << 20, -1 << 20, -1 << 20}},
	{Inv: 64, Origin: [3]float32{-1 << 24, 15 << 20, 1<<24 - 1<<21}},
	{Inv: 1.0 / 1024, Origin: [3]float32{-1 << 20, 0, -1 << 20}},
	{Inv: 0x1p-108, Origin: [3]float32{-1 << 20, -1 << 20, -1 << 20}},
	{Inv: 0x1p127, Origin: [3]float32{-1, -3, 5}},
}

// encodeFloats fills b with numbers of the order of a cube of any of the
// grids, and a special value here and there.
func encodeFloats(rng *rand.Rand, b []float32) {
	for i := range b {
		switch rng.IntN(8) {
		case 0:
			b[i] = kernel.Specials[rng.IntN(len(kernel.Specials))]
		case 1:
			b[i] = math.Float32frombits(rng.Uint32())
		default:
			b[i] = float32(rng.NormFloat64()) * float32(math.Ldexp(1, rng.IntN(30)-6))
		}
	}
}

func TestGridKey(t *testing.T) {
	// The definition, a bit at a time, in float64.
	cell := func(c float32, g *Grid, a int) (k uint64) {
		f := math.Floor(float64(c)*float64(g.Inv)) - float64(g.Origin[a])
		if f != f {
			return 0
		}
		return uint64(min(max(f, 0), lastCell))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	p := make([]float32, 3)
	for i := range 20000 {
		g := &encodeGrids[i%len(encodeGrids)]
		encodeFloats(rng, p)
		var want uint64
		for bit := range 21 {
			for a := range 3 {
				want |= cell(p[a], g, a) >> bit & 1 << (3*bit + a)
			}
		}
		if got := g.Key(p[0], p[1], p[2]); got != want {
			t.Fatalf("Key%v on %v = %#x, want %#x", p, *g, got, want)
		}
	}
}

func TestEncodeBoxes(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(2, 2))
		for _, n := range encodeLengths(encodePerCall) {
			for _, stride := range []int{6, 8, 11} {
				for i := range encodeGrids {
					if !testkit.Long(t) && (i+n+stride)%3 != 0 {
						continue
					}
					boxes := make([]float32, n*stride)
					encodeFloats(rng, boxes)
					checkEncodeBoxes(t, make([]uint64, n), &encodeGrids[i], boxes, stride)
				}
			}
		}
	})
}

// checkEncodeBoxes compares the active tier with Go.
func checkEncodeBoxes(t *testing.T, keys []uint64, g *Grid, boxes []float32, stride int) {
	t.Helper()
	want := make([]uint64, len(keys))
	encodeBoxesGo(want, g, boxes, stride)
	EncodeBoxes(keys, g, boxes, stride)
	for i, k := range keys {
		if k != want[i] {
			t.Fatalf("n %d, stride %d, grid %v: key %d of box %v is %#x, want %#x",
				len(keys), stride, *g, i, boxes[i*stride:][:6], k, want[i])
		}
	}
}

// Every special value, as both corners of a box, in every lane.
func TestEncodeBoxesSpecials(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		keys := make([]uint64, 33)
		for i := range encodeGrids {
			for _, lo := range kernel.Specials {
				for _, hi := range kernel.Specials {
					boxes := make([]float32, 6*len(keys))
					for j := range boxes {
						boxes[j] = []float32{lo, hi}[j%6/3]
					}
					checkEncodeBoxes(t, keys, &encodeGrids[i], boxes, 6)
				}
			}
		}
	})
}

func TestEncodeBoxesGuard(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(3, 3))
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65} {
			for _, stride := range []int{6, 8} {
				size := (n-1)*stride + 6 // the last record needs only its box
				for _, s := range []struct {
					boxes []float32
					keys  []uint64
				}{
					{guard.Tail[float32](t, size), guard.Tail[uint64](t, n)},
					{guard.Head[float32](t, size), guard.Head[uint64](t, n)},
				} {
					encodeFloats(rng, s.boxes)
					checkEncodeBoxes(t, s.keys, &encodeGrids[1], s.boxes, stride)
				}
			}
		}
	})
}

func TestEncodeBoxesPanics(t *testing.T) {
	mustPanic := func(name string, f func()) {
		if testkit.Panic(f) == nil {
			t.Errorf("%s: no panic", name)
		}
	}
	g := &encodeGrids[0]
	mustPanic("short", func() { EncodeBoxes(make([]uint64, 3), g, make([]float32, 17), 6) })
	mustPanic("stride 5", func() { EncodeBoxes(make([]uint64, 1), g, make([]float32, 17), 5) })
	mustPanic("negative n", func() { Survey(nil, 6, -1) })
	mustPanic("counts", func() { EncodePackets(nil, nil, g, make([]soa.Packet, 2), make([]uint8, 1), 0) })
	mustPanic("17 lanes", func() {
		EncodePackets(make([]uint64, 99), make([]soa.Location, 99), g, make([]soa.Packet, 1), []uint8{17}, 0)
	})
	mustPanic("few keys", func() {
		EncodePackets(make([]uint64, 4), make([]soa.Location, 5), g, make([]soa.Packet, 1), []uint8{5}, 0)
	})
	mustPanic("few sources", func() {
		EncodePackets(make([]uint64, 5), make([]soa.Location, 4), g, make([]soa.Packet, 1), []uint8{5}, 0)
	})
	mustPanic("slot", func() { EncodePackets(nil, nil, g, make([]soa.Packet, 1), []uint8{0}, 1<<28) })
}

// encodePacketsCase is random packets: full, partly filled and free ones.
func encodePacketsCase(rng *rand.Rand, packets []soa.Packet, counts []uint8) (live int) {
	for i := range packets {
		for c := range packets[i] {
			encodeFloats(rng, packets[i][c][:])
		}
		counts[i] = []uint8{0, 1, 7, 8, 9, 14, 15, 16}[rng.IntN(8)]
		live += int(counts[i])
	}
	return live
}

// checkEncodePackets compares the active tier with Go; the elements of keys and
// src beyond the live lanes must keep their values.
func checkEncodePackets(t *testing.T, keys []uint64, src []soa.Location, g *Grid, packets []soa.Packet, counts []uint8, first int) {
	t.Helper()
	wantKeys, wantSrc := make([]uint64, len(keys)), make([]soa.Location, len(src))
	for i := range keys {
		keys[i], wantKeys[i] = 0xDEAD, 0xDEAD
	}
	for i := range src {
		src[i], wantSrc[i] = 0xBEEF, 0xBEEF
	}
	want := 0
	for _, c := range counts {
		want += int(c)
	}
	encodePacketsGo(wantKeys, wantSrc, g, packets, counts, first)
	if got := EncodePackets(keys, src, g, packets, counts, first); got != want {
		t.Fatalf("%d packets gave %d keys, want %d", len(packets), got, want)
	}
	for i := range keys {
		if keys[i] != wantKeys[i] {
			t.Fatalf("%d packets from slot %d: key %d of %d is %#x, want %#x", len(packets), first, i, want, keys[i], wantKeys[i])
		}
	}
	for i := range src {
		if src[i] != wantSrc[i] {
			t.Fatalf("%d packets from slot %d: source %d of %d is %#x, want %#x", len(packets), first, i, want, src[i], wantSrc[i])
		}
	}
}

func TestEncodePackets(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(4, 4))
		for _, n := range encodeLengths(encodePacketsPerCall) {
			for _, first := range []int{0, 5, 1<<28 - n} {
				packets, counts := make([]soa.Packet, n), make([]uint8, n)
				live := encodePacketsCase(rng, packets, counts)
				for _, slack := range []int{0, 1, 15, 16, 40} {
					g := &encodeGrids[rng.IntN(len(encodeGrids))]
					checkEncodePackets(t, make([]uint64, live+slack), make([]soa.Location, live+slack), g, packets, counts, first)
				}
			}
		}
	})
}

func TestEncodePacketsGuard(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, n := range []int{1, 2, 3, 7, 20} {
			for _, s := range []struct {
				packets []soa.Packet
				counts  []uint8
			}{
				{guard.Tail[soa.Packet](t, n), guard.Tail[uint8](t, n)},
				{guard.Head[soa.Packet](t, n), guard.Head[uint8](t, n)},
			} {
				live := encodePacketsCase(rng, s.packets, s.counts)
				checkEncodePackets(t, guard.Tail[uint64](t, live), guard.Tail[soa.Location](t, live), &encodeGrids[1], s.packets, s.counts, 3)
				checkEncodePackets(t, guard.Head[uint64](t, live), guard.Head[soa.Location](t, live), &encodeGrids[1], s.packets, s.counts, 3)
			}
		}
	})
}

// goodBoxes fills boxes with closed, finite ones, among them special values.
func goodBoxes(rng *rand.Rand, boxes []float32) {
	encodeFloats(rng, boxes)
	for i := range boxes {
		if x := boxes[i]; !(x >= -math.MaxFloat32 && x <= math.MaxFloat32) {
			boxes[i] = 0
		}
	}
	for ; len(boxes) >= 6; boxes = boxes[min(8, len(boxes)):] {
		for a := range 3 {
			boxes[a], boxes[a+3] = min(boxes[a], boxes[a+3]), max(boxes[a], boxes[a+3])
		}
	}
}

// checkSurvey compares the active tier with Go, to the bit.
func checkSurvey(t *testing.T, boxes []float32, stride, n int) {
	t.Helper()
	var e extremes
	e.clear()
	want := surveyGo(&e, boxes, stride, n)
	centres, union, bad := Survey(boxes, stride, n)
	if bad != want {
		t.Fatalf("%d boxes of stride %d: bad %d, want %d", n, stride, bad, want)
	}
	if want >= 0 {
		return
	}
	for i, w := range [2][6]float32{e.bounds(6), e.bounds(0)} {
		for j, got := range [2][6]float32{centres, union}[i] {
			if math.Float32bits(got) != math.Float32bits(w[j]) {
				t.Fatalf("%d boxes of stride %d: bounds %v %v, want %v %v", n, stride, centres, union, e.bounds(6), e.bounds(0))
			}
		}
	}
}

func TestSurvey(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(6, 6))
		for _, n := range encodeLengths(surveyPerCall) {
			boxes := make([]float32, 8*n)
			goodBoxes(rng, boxes)
			checkSurvey(t, boxes, 8, n)
			tiny := make([]float32, 6*n) // zeros of both signs only
			for i := range tiny {
				tiny[i] = kernel.Specials[rng.IntN(2)]
			}
			checkSurvey(t, tiny, 6, n)
		}
	})
}

// A bad number of each kind, at each position of a box, in each lane and in the tail, and two bad boxes, the first of
// which counts.
func TestSurveyBad(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	step := 1
	if !testkit.Long(t) {
		step = 5
	}
	onEncodeTiers(t, func(t *testing.T) {
		for _, n := range []int{1, 16, 39, surveyPerCall + 20} {
			for _, x := range []float32{inf, -inf, nan, 2, -2} { // -1..1 becomes inverted by the last two
				for at := range 6 {
					for i := max(0, n-39); i < n; i += step {
						boxes := make([]float32, 6*n)
						for j := range boxes {
							boxes[j] = []float32{-1, 1}[j%6/3]
						}
						boxes[6*i+at] = x
						boxes[6*(n-1)+1] = nan
						checkSurvey(t, boxes, 6, n)
					}
				}
			}
		}
	})
}

func TestSurveyGuard(t *testing.T) {
	onEncodeTiers(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(7, 7))
		for _, n := range []int{1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65} {
			for _, stride := range []int{6, 8} {
				size := (n-1)*stride + 6
				for _, boxes := range [][]float32{guard.Tail[float32](t, size), guard.Head[float32](t, size)} {
					goodBoxes(rng, boxes)
					checkSurvey(t, boxes, stride, n)
				}
			}
		}
	})
}

func TestEncodeAllocations(t *testing.T) {
	keys, src := make([]uint64, 100), make([]soa.Location, 100)
	boxes, packets, counts := make([]float32, 600), make([]soa.Packet, 4), []uint8{16, 3, 0, 9}
	g := encodeGrids[1]
	if n := testing.AllocsPerRun(10, func() {
		EncodeBoxes(keys, &g, boxes, 6)
		EncodePackets(keys, src, &g, packets, counts, 0)
		_, _, _ = Survey(boxes, 6, 100)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzEncode reads floats from the input: two for the grid, the rest boxes.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("a few bytes that are far too few"), uint8(0))
	seed := make([]byte, 4*6*40)
	for i := range seed {
		seed[i] = byte(i * 37)
	}
	f.Add(seed, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, grid uint8) {
		boxes := make([]float32, len(data)/4)
		for i := range boxes {
			boxes[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		g := &encodeGrids[int(grid)%len(encodeGrids)]
		packets := make([]soa.Packet, len(boxes)/96)
		counts := make([]uint8, len(packets))
		live := 0
		for i := range packets {
			for j := range 96 {
				packets[i][j/16][j%16] = boxes[96*i+j]
			}
			counts[i] = data[i] % 17
			live += int(counts[i])
		}
		onEncodeTiers(t, func(t *testing.T) {
			for _, stride := range []int{6, 8} {
				n := len(boxes) / stride
				checkEncodeBoxes(t, make([]uint64, n), g, boxes, stride)
				checkSurvey(t, boxes, stride, n)
			}
			checkEncodePackets(t, make([]uint64, live), make([]soa.Location, live), g, packets, counts, int(grid))
		})
	})
}
