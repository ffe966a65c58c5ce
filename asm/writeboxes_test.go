package asm_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// Lanes that have a number below that of the boxes, and are live, are written;
// all others stay, and nothing else is read or written.
func TestWriteBoxes(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		eachPlace(t, sizes(32), func(t *testing.T, at place, n int) {
			for _, many := range []int{0, 1, 7, 500} {
				r := testkit.Rand(uint64(n*1000 + many))
				packets, index, counts := room[soa.Packet](t, at, n), room[idRow](t, at, n), room[uint8](t, at, n)
				boxes := room[float32](t, at, 6*many)
				for i := range boxes {
					boxes[i] = r.Float32()
				}
				for i := range packets {
					counts[i] = uint8(r.IntN(soa.Lanes + 1))
					for l := range soa.Lanes {
						for c := range packets[i] {
							packets[i][c][l] = -r.Float32()
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
				want := slices.Clone(packets)
				for i := range want {
					for l := range int(counts[i]) {
						if k := uint64(index[i][l]); k < uint64(many) {
							for a := range 3 {
								want[i][2*a][l], want[i][2*a+1][l] = boxes[6*k+uint64(a)], boxes[6*k+3+uint64(a)]
							}
						}
					}
				}
				asm.WriteBoxes(packets, counts, index, boxes)
				if !slices.Equal(packets, want) {
					t.Errorf("%d boxes: packets differ", many)
				}
			}
		})
	})
}

// Short columns are misuse.
func TestWriteBoxesPanics(t *testing.T) {
	for _, n := range [][2]int{{3, 4}, {4, 3}} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			asm.WriteBoxes(make([]soa.Packet, 4), make([]uint8, n[0]), make([][soa.Lanes]uint32, n[1]), make([]float32, 6))
		})
	}
}
