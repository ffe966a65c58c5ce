package cull_test

import (
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// benchVisible measures kernels on packets of boxes of some pixels each, half of them hidden, in the view of a
// camera at 512 x 288.
func benchVisible(b *testing.B, prepare func(packets []soa.Packet, l *cull.Lens, p *depth.Picture) func()) {
	micro.Each(b, 24, func(b *testing.B, n int) micro.Kernel {
		rng := testkit.Rand(1)
		x, y, z := [3]float64{300, 0, 256}, [3]float64{0, 300, 144}, [3]float64{0, 0, 1}
		lens := cull.MakeLens([3]float64{}, x, y, z, false)
		picture := new(depth.Picture)
		picture.Resize(512, 288)
		picture.Clear(0)
		for r := range 288 {
			row := picture.Row(r)
			for c := range row {
				row[c] = 1.0 / 20
			}
		}
		depth.Pyramid(picture)
		packets := make([]soa.Packet, max(n/soa.Lanes, 1))
		for i := range packets {
			for l := range soa.Lanes {
				t := 5 + 30*rng.Float64()
				at := [3]float64{(rng.Float64() - 0.5) * t * 1.6, (rng.Float64() - 0.5) * t * 0.9, t}
				for a := range 3 {
					h := 0.5 * rng.Float64()
					packets[i][2*a][l], packets[i][2*a+1][l] = float32(at[a]-h), float32(at[a]+h)
				}
			}
		}
		return micro.Kernel{Items: soa.Lanes * len(packets), Item: "box", Run: prepare(packets, &lens, picture)}
	})
}

// BenchmarkVisibleBoxes tests boxes against the picture alone.
func BenchmarkVisibleBoxes(b *testing.B) {
	benchVisible(b, func(packets []soa.Packet, l *cull.Lens, p *depth.Picture) func() {
		all, some := make([]asm.Range, len(packets)), make([]asm.Range, len(packets))
		for i := range all {
			all[i] = asm.Range{First: uint32(i), N: asm.RangeHit | 0xffff}
		}
		return func() {
			copy(some, all)
			cull.VisibleRanges(some, packets, l, p)
		}
	})
}

// BenchmarkVisiblePackets tests packets against six planes and the picture.
func BenchmarkVisiblePackets(b *testing.B) {
	benchVisible(b, func(packets []soa.Packet, l *cull.Lens, p *depth.Picture) func() {
		extent := [3]float32{100, 100, 100}
		planes := cull.MakePlanes(&[6][4]float32{{0, 0, 0.2, 0}, {0, 0, -0.2, 20}, {0.2, 0, 0.2, 0}, {-0.2, 0, 0.2, 0}, {0, 0.2, 0.2, 0}, {0, -0.2, 0.2, 0}}, extent, extent)
		slots := make([]uint32, len(packets))
		for i := range slots {
			slots[i] = uint32(i)
		}
		out := make([]asm.Range, 0, len(packets))
		var w cull.VisibleWalk
		return func() { out = w.AppendHits(out[:0], packets, slots, &planes, l, p) }
	})
}

// BenchmarkVisibleAreas measures the sizes of boxes on the picture.
func BenchmarkVisibleAreas(b *testing.B) {
	benchVisible(b, func(packets []soa.Packet, l *cull.Lens, p *depth.Picture) func() {
		var areas [soa.Lanes]float32
		return func() {
			for i := range packets {
				cull.VisibleAreas(&areas, &packets[i], 0xffff, l, p)
			}
		}
	})
}
