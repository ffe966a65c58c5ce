package exact_test

import (
	"math"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// Balls and boxes intersect exactly if their solids do, in every lane.
func TestMeet(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for _, kind := range testkit.BoxKinds() {
		met := 0
		boxes := testkit.RandomBoxes(rng, 400, kind)
		for i, b := range boxes {
			other := boxes[(i+1)%len(boxes)]
			switch i % 4 {
			case 0: // they touch at a corner
				other.Min = b.Max
			case 1: // that corner is in the box
				other.Min = b.Center()
			case 2:
				other = b
			}
			for a := range 3 {
				other.Max[a] = max(other.Max[a], other.Min[a])
			}
			ball, second := testkit.BallIn(b), testkit.BallIn(other)
			want := testkit.Meet(&testkit.Solid{Ball: &ball}, &testkit.Solid{Ball: &second}, exact.Widen)
			if got := exact.BallsNear(&ball, &second, 0); got != want || got != exact.BallsNear(&second, &ball, 0) {
				t.Errorf("%v: balls %v and %v meet: %v, want %v, and so turned", kind, ball, second, got, want)
			}
			lane := rng.IntN(soa.Lanes)
			var p soa.Packet
			for a := range 3 {
				for l := range soa.Lanes { // no other lane is read
					p[2*a][l], p[2*a+1][l] = float32(math.NaN()), float32(math.NaN())
				}
				p[2*a][lane], p[2*a+1][lane] = other.Min[a], other.Max[a]
			}
			meet := testkit.Meet(&testkit.Solid{Ball: &ball}, &testkit.Solid{Box: other}, exact.Widen)
			if got := exact.BallNearBox(&ball, &p, lane, 0); got != meet {
				t.Errorf("%v: ball %v meets box %v: %v, want %v", kind, ball, other, got, meet)
			}
			if want {
				met++
			}
			if meet {
				met++
			}
		}
		if met == 0 || met == 2*len(boxes) {
			t.Errorf("%v: %d of %d meet", kind, met, 2*len(boxes))
		}
	}
}

// Balls that touch intersect, also after their numbers were rounded, and balls one number further apart do not.
func TestTouch(t *testing.T) {
	a := [4]float32{0, 0, 0, 3}
	for _, gap := range []struct {
		x    float32
		meet bool
	}{{5, true}, {math.Nextafter32(5, 6), false}} {
		if got := exact.BallsNear(&a, &[4]float32{gap.x, 0, 0, 2}, 0); got != gap.meet {
			t.Errorf("balls whose centres are %v apart, of radius 3 and 2: %v", gap.x, got)
		}
		var p soa.Packet
		p[soa.MinX][7], p[soa.MaxX][7] = gap.x-2, gap.x
		if gap.x > 5 {
			p[soa.MinX][7] = math.Nextafter32(3, 4)
		}
		if got := exact.BallNearBox(&a, &p, 7, 0); got != gap.meet {
			t.Errorf("a ball of radius 3 and a box from %v on: %v", p[soa.MinX][7], got)
		}
	}
	if d := exact.Dot([3]float64{1, 2, 3}, [3]float64{4, -5, 6}); d != 12 {
		t.Errorf("a product of %v, want 12", d)
	}
}
