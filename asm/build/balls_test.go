package build_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

// ballsOf returns spheres of every kind: of all sizes, with numbers that cancel, are denormal or zeros of both signs,
// or vanish in a sum.
func ballsOf(seed uint64, n int) [][4]float32 {
	r := testkit.Rand(seed)
	word := func() float32 {
		switch r.IntN(8) {
		case 0:
			return []float32{0, float32(math.Copysign(0, -1)), 1, 0x1p-149, 0x1p-126, 0x1p24, 0x1p100, 3e38}[r.IntN(8)]
		case 1:
			return math.Float32frombits(r.Uint32() & 0x807fffff) // denormal
		case 2:
			return float32(math.Ldexp(r.Float64()-0.5, r.IntN(240)-120))
		}
		return 100 * (r.Float32() - 0.5)
	}
	spheres := make([][4]float32, n)
	for i := range spheres {
		s := &spheres[i]
		*s = [4]float32{word(), word(), word(), float32(math.Abs(float64(word())))}
		if r.IntN(4) == 0 {
			s[r.IntN(3)] = s[3] // the box touches 0
			s[r.IntN(3)] = -s[3]
		}
		if r.IntN(64) == 0 { // no sum of it is +0
			zero := float32(math.Copysign(0, -1))
			*s = [4]float32{zero, zero, zero, zero}
		}
	}
	return spheres
}

func sameBox(a, b soa.AABB) bool {
	for k := range 3 {
		if math.Float32bits(a.Min[k]) != math.Float32bits(b.Min[k]) || math.Float32bits(a.Max[k]) != math.Float32bits(b.Max[k]) {
			return false
		}
	}
	return true
}

// The boxes of balls have the bits of soa.Ball.Box on every tier.
func TestBallBoxes(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(4096), func(t *testing.T, at kernel.Place, n int) {
			spheres := kernel.Put(t, at, ballsOf(uint64(n), n))
			boxes := kernel.Room[soa.AABB](t, at, n)
			build.BallBoxes(boxes, spheres)
			for i, s := range spheres {
				if want := (soa.Ball{Sphere: s}).Box(); want.Check() == nil && !sameBox(boxes[i], want) {
					t.Fatalf("sphere %v has the box %v, want %v", s, boxes[i], want)
				}
			}
		})
	})
}

// A sphere that has no finite box gets none on any tier.
func TestBallBoxesRefused(t *testing.T) {
	inf, nan := float32(math.Inf(1)), math.Float32frombits(0x7fffffff)
	bad := []float32{inf, -inf, nan, -nan, math.Float32frombits(0xffffffff), float32(math.NaN()), math.Float32frombits(0x7fa00001)}
	var spheres [][4]float32
	for _, x := range bad {
		for a := range 4 {
			for _, s := range [][4]float32{{1, 2, 3, 1}, {}, {-5, 1e30, 1e-40, 0x1p-149}} {
				s[a] = x
				if s[3] >= 0 { // others are rejected before
					spheres = append(spheres, s)
				}
			}
		}
	}
	for a := range 3 {
		s := [4]float32{1, 2, 3, math.MaxFloat32}
		s[a] = 0x1p103
		spheres = append(spheres, s)
		s[a] = -s[a]
		spheres = append(spheres, s)
		s[a], s[3] = math.MaxFloat32, 1
		spheres = append(spheres, s)
		s[a] = -s[a]
		spheres = append(spheres, s)
	}
	testkit.EachTier(t, func(t *testing.T) {
		boxes := make([]soa.AABB, len(spheres))
		build.BallBoxes(boxes, spheres)
		for i, b := range boxes {
			if b.Check() == nil {
				t.Errorf("sphere %v has the box %v", spheres[i], b)
			}
		}
	})
}

// WriteBalls writes the sphere and its box to live lanes with a number below that of the spheres. All others stay,
// and nothing else is read or written.
func TestWriteBalls(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		kernel.EachPlace(t, kernel.Sizes(32), func(t *testing.T, at kernel.Place, n int) {
			for _, many := range []int{0, 1, 7, 500} {
				r := testkit.Rand(uint64(n*1000 + many))
				packets, lanes, index, counts := kernel.Room[soa.Packet](t, at, n), kernel.Room[soa.SphereLanes](t, at, n), kernel.Room[kernel.IDRow](t, at, n), kernel.Room[uint8](t, at, n)
				spheres := kernel.Put(t, at, ballsOf(uint64(many), many))
				for i := range packets {
					counts[i] = uint8(r.IntN(soa.Lanes + 1))
					for l := range soa.Lanes {
						for c := range packets[i] {
							packets[i][c][l] = -r.Float32()
						}
						for c := range lanes[i] {
							lanes[i][c][l] = -r.Float32()
						}
						switch r.IntN(4) {
						case 0:
							index[i][l] = ^uint32(0)
						case 1:
							index[i][l] = uint32(many) + uint32(r.IntN(2))*r.Uint32()/2
						default:
							index[i][l] = uint32(r.IntN(max(many, 1)))
						}
					}
				}
				want, round := slices.Clone(packets), slices.Clone(lanes)
				for i := range want {
					for l := range int(counts[i]) {
						k := uint64(index[i][l])
						if k >= uint64(many) {
							continue
						}
						box := soa.Ball{Sphere: spheres[k]}.Box()
						for a := range 3 {
							want[i][2*a][l], want[i][2*a+1][l] = box.Min[a], box.Max[a]
						}
						for c, x := range spheres[k] {
							round[i][c][l] = x
						}
					}
				}
				build.WriteBalls(packets, lanes, counts, index, spheres)
				for i := range want {
					for l := range soa.Lanes {
						for c := range want[i] {
							if got, want := packets[i][c][l], want[i][c][l]; math.Float32bits(got) != math.Float32bits(want) &&
								want-want == 0 {
								t.Fatalf("%d spheres: packet %d, lane %d, column %d is %v, want %v", many, i, l, c, got, want)
							}
						}
						for c := range round[i] {
							if math.Float32bits(lanes[i][c][l]) != math.Float32bits(round[i][c][l]) {
								t.Fatalf("%d spheres: packet %d, lane %d: sphere column %d is %v, want %v", many, i, l, c, lanes[i][c][l], round[i][c][l])
							}
						}
					}
				}
			}
		})
	})
}

// Short columns are misuse.
func TestBallsPanic(t *testing.T) {
	panics := func(name string, f func()) {
		t.Run(name, func(t *testing.T) {
			if testkit.Panic(f) == nil {
				t.Error("no panic")
			}
		})
	}
	panics("boxes", func() { build.BallBoxes(make([]soa.AABB, 2), make([][4]float32, 3)) })
	for _, n := range [][3]int{{3, 4, 4}, {4, 3, 4}, {4, 4, 3}} {
		panics(fmt.Sprint(n), func() {
			build.WriteBalls(make([]soa.Packet, 4), make([]soa.SphereLanes, n[0]), make([]uint8, n[1]), make([][soa.Lanes]uint32, n[2]), make([][4]float32, 1))
		})
	}
}
