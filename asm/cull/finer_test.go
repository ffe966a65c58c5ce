package cull_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/asm/depth"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// The first test finds a rectangle hidden if all its pixels are nearer, and it has at most 256 columns and 64 rows or
// nearly so. The finer test finds the others, and neither finds a visible one.
func TestHidesFiner(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, size := range [][2]int{{512, 288}, {500, 281}, {64, 17}, {16, 4}, {33, 1}, {1700, 5}} {
		var p depth.Picture
		p.Resize(size[0], size[1])
		p.Clear(0)
		for y := range size[1] {
			row := p.Row(y)
			for x := range row {
				row[x] = 3
				if rng.IntN(300) == 0 {
					row[x] = float32(rng.IntN(4))
				}
			}
		}
		depth.Pyramid(&p)
		more := 0
		for range testkit.Again(20_000, 4000) {
			x0, y0 := float32(rng.IntN(size[0]+4)-2), float32(rng.IntN(size[1]+4)-2)
			x1, y1 := x0+float32(rng.IntN(160<<(rng.IntN(8)/7*3)))/2+0.25, y0+float32(rng.IntN(48))/2+0.25
			if rng.IntN(2) == 0 {
				y1 = y0 + 0.5
			}
			want := true
			for y := max(int(y0), 0); y <= int(y1) && y < size[1]; y++ {
				for x := max(int(x0), 0); x <= int(x1) && x < size[0]; x++ {
					want = want && p.Row(y)[x] > 2
				}
			}
			// a rectangle that ends before the picture touches nothing of it
			first, finer := cull.HidesRect(&p, x0, x1, y0, y1, 2), cull.HidesRectFiner(&p, x0, x1, y0, y1, 2)
			large := x1-x0 > 200 || y1-y0 > 50
			if on := x1 >= 0 && y1 >= 0 && x0 < float32(size[0]) && y0 < float32(size[1]); !on {
				continue
			}
			if (first || finer) != want || finer && !first && !large {
				t.Fatalf("%v: %v..%v, %v..%v hidden: %v and %v, want %v", size, x0, x1, y0, y1, first, finer, want)
			}
			if finer && !first {
				more++
			}
		}
		if (more == 0) != (size[0] < 100) {
			t.Errorf("%v: a finer look finds %d more", size, more)
		}
		nan := float32(math.NaN())
		for _, r := range [][5]float32{{nan, 40, 0, 1, 0}, {0, nan, 0, 1, 0}, {0, 40, nan, 1, 0}, {0, 40, 0, nan, 0}, {0, 39.5, 0, 0.5, nan}} {
			if cull.HidesRectFiner(&p, r[0], r[1], r[2], r[3], r[4]) {
				t.Errorf("%v is hidden", r)
			}
		}
	}
}

// VisibleRangesByPixel takes lanes out of ranges one by one, and ranges that none is left of.
func TestFinerRanges(t *testing.T) {
	var p depth.Picture
	p.Resize(512, 288)
	p.Clear(0)
	for y := range 288 {
		row := p.Row(y)
		for x := range row[:256] {
			row[x] = 1 // depth 1
		}
	}
	p.Row(143)[150] = 0 // a hole, in texels of 4 x 4 from row 140 on
	depth.Pyramid(&p)
	lens := cull.MakeLens([3]float64{}, [3]float64{256, 256, 0}, [3]float64{0, 144, -144}, [3]float64{0, 1, 0}, false)
	// At depth 2 a unit is 128 columns and 72 rows.
	var packets [3]soa.Packet
	for i := range packets {
		for lane := range soa.Lanes {
			packets[i][0][lane], packets[i][1][lane] = float32(math.Inf(1)), float32(math.Inf(-1))
		}
	}
	set := func(slot, lane int, x, z, half float32) {
		for a, c := range [3]float32{x, 2, z} {
			packets[slot][2*a][lane], packets[slot][2*a+1][lane] = c-half, c+half
		}
	}
	large := float32(1.2) // behind the left half, not around the hole, but in its texels
	for y1 := float32(0); y1 < 141; large -= 0.001 {
		set(0, 3, -1.1, large, 0.5)
		_, _, _, y1, _, _ = lens.Rect(&packets[0], 3)
	}
	packets[2] = packets[0]
	set(0, 5, -0.83, 0, 0.1) // around the hole
	set(1, 0, 0.8, 0, 0.1)   // on the right
	ranges := []asm.Range{{First: 0, N: asm.RangeHit | 1<<3 | 1<<5}, {First: 1, N: asm.RangeHit | 1}, {First: 2, N: asm.RangeHit | 1<<3}}
	left, first := cull.VisibleRanges(append([]asm.Range(nil), ranges...), packets[:], &lens, &p)
	left, hidden := cull.VisibleRangesByPixel(left, packets[:], &lens, &p)
	if len(left) != 2 || left[0] != (asm.Range{First: 0, N: asm.RangeHit | 1<<5}) || left[1] != ranges[1] || first+hidden != 2 || hidden == 0 {
		t.Errorf("%x is left, %d and %d hidden", left, first, hidden)
	}
}

// On each tier, a box is visible through a single pixel that touches its rectangle, at each of its borders, and not
// through the next one.
func TestVisibleBorders(t *testing.T) {
	lens := cull.MakeLens([3]float64{}, [3]float64{256, 256, 0}, [3]float64{0, 144, -144}, [3]float64{0, 1, 0}, false)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(testkit.Seed(t))
		var p depth.Picture
		p.Resize(512, 288)
		for range testkit.Budget(t, testkit.Again(6, 2), 200) {
			var b [1]soa.Packet
			for lane := range soa.Lanes {
				at := [3]float32{rng.Float32() - 0.5, 2, rng.Float32() - 0.5}
				for a := range 3 { // up to 1 unit, of 128 columns and 72 rows
					half := rng.Float32() * 0.35
					b[0][2*a][lane], b[0][2*a+1][lane] = at[a]-half, at[a]+half
				}
			}
			seen := func(x, y int) uint32 {
				p.Clear(10)
				if x >= 0 && x < 512 && y >= 0 && y < 288 {
					p.Row(y)[x] = 0
				}
				depth.Pyramid(&p)
				left, _ := cull.VisibleRanges([]asm.Range{{N: asm.RangeHit | 0xffff}}, b[:], &lens, &p)
				if len(left) == 0 {
					return 0
				}
				return left[0].N
			}
			lane := rng.IntN(soa.Lanes)
			x0, x1, y0, y1, _, ok := lens.Rect(&b[0], lane)
			c0, c1, r0, r1 := int(max(x0, 0)), int(min(x1, 511)), int(max(y0, 0)), int(min(y1, 287))
			if !ok || c1-c0 > 200 || r1-r0 > 50 {
				continue
			}
			for range 3 {
				x, y := c0+rng.IntN(c1-c0+1), r0+rng.IntN(r1-r0+1)
				for _, at := range [][2]int{{c0, y}, {c1, y}, {x, r0}, {x, r1}} {
					if seen(at[0], at[1])>>lane&1 == 0 {
						t.Fatalf("%d..%d, %d..%d is not seen through %v", c0, c1, r0, r1, at)
					}
				}
				for _, at := range [][2]int{{c0 - 1, y}, {c1 + 1, y}, {x, r0 - 1}, {x, r1 + 1}} {
					if seen(at[0], at[1])>>lane&1 != 0 {
						t.Fatalf("%d..%d, %d..%d is seen through %v", c0, c1, r0, r1, at)
					}
				}
			}
		}
	})
}
