package interest_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/soa"
)

// A frame: one object in a hundred drifts by up to the size of the smallest, and a tick. Then
// what viewers with boxes of 398 objects are told, by a tracker, and by what programs do by
// themselves: a query of each viewer, and
//
//	sort     sort it, merge it with the last one
//	map      look each up in a set of the last one, and the other way round
//	naive    look each up in the list of the last one (few viewers, scaled up)
//	query    nothing: the queries alone
//
// in the same loop; ratios are those of medians. The objects are cubes of 0.4 to 2.4 in one of
// 1,000. moving is the share of the viewers that walk by up to two units along each axis.
func BenchmarkInterest(b *testing.B) {
	for _, size := range micro.Sizes(1, 10) {
		for _, moving := range []float64{1, 0.1, 0} {
			n, viewers := 100_000*size, 1000*size
			b.Run(fmt.Sprintf("n=%d/viewers=%d/moving=%v", n, viewers, moving), func(b *testing.B) {
				benchmarkInterest(b, n, viewers, moving)
			})
		}
	}
}

// plain is what a program does by itself.
type plain struct {
	was, now      [][]uint32
	set           map[uint32]struct{}
	entered, left int
}

func benchmarkInterest(b *testing.B, n, viewers int, moving float64) {
	world := soa.AABB{Max: [3]float32{1000, 1000, 1000}}
	objects, boxes := make([]soa.Object, n), make([]soa.AABB, n)
	r := testkit.Rand(3)
	for i := range objects {
		boxes[i] = testkit.CubeAt(within(r, world, 3), 0.2+r.Float32())
		objects[i].Box = boxes[i]
	}
	tree, err := linear.New(linear.Config{Workers: 1, Log: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		b.Fatal(err)
	}
	rng := testkit.Rand(1)
	at := make([][3]float32, viewers)
	side := sideOf(tree.View(), world, 398)
	for i := range at {
		at[i] = within(rng, world, side)
	}
	box := func(i int) linear.AABB {
		var x linear.AABB
		for a := range 3 {
			x.Min[a], x.Max[a] = at[i][a]-side/2, at[i][a]+side/2
		}
		return x
	}
	tracker := interest.Tracker{Workers: 1}
	for i := range at {
		a, err := interest.Box(box(i), box(i))
		if err != nil {
			b.Fatal(err)
		}
		tracker.Add(a)
	}
	forms := []string{"tracker", "query", "sort", "map", "naive"}
	plains := map[string]*plain{}
	for _, form := range forms[1:] {
		plains[form] = &plain{was: make([][]uint32, viewers), now: make([][]uint32, viewers), set: map[uint32]struct{}{}}
	}
	times := map[string][]time.Duration{}
	ids, to := make([]uint32, n/100), make([]soa.AABB, n/100)
	told, seen := 0, 0
	frame := func() {
		for i := range ids {
			ids[i] = uint32(rng.IntN(n))
			x := &boxes[ids[i]]
			for a := range 3 {
				d := (rng.Float32() - 0.5) * 2
				x.Min[a], x.Max[a] = x.Min[a]+d, x.Max[a]+d
			}
			to[i] = *x
		}
		if err := tree.MoveBatch(ids, to); err != nil {
			b.Fatal(err)
		}
		if err := tree.Tick(); err != nil {
			b.Fatal(err)
		}
		v := tree.View()
		for i := range at {
			if rng.Float64() < moving {
				for a := range 3 {
					at[i][a] += (rng.Float32() - 0.5) * 4
				}
			}
		}
		t0 := time.Now()
		for i := range at {
			a, err := interest.Box(box(i), box(i))
			if err == nil {
				err = tracker.Move(uint32(i), a)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		if err := tracker.Update(v); err != nil {
			b.Fatal(err)
		}
		times["tracker"] = append(times["tracker"], time.Since(t0))
		told, seen = 0, 0
		for i := range uint32(viewers) {
			told += len(tracker.Entered(i)) + len(tracker.Left(i))
		}
		for _, form := range forms[1:] {
			p := plains[form]
			some := viewers
			if form == "naive" {
				some = viewers / 100
			}
			t0 := time.Now()
			p.frame(v, form, some, box)
			times[form] = append(times[form], time.Since(t0)*time.Duration(viewers/some))
			if form == "sort" || form == "map" {
				if p.entered+p.left != told {
					b.Fatalf("%s: %d entered, %d left; the tracker told %d in all", form, p.entered, p.left, told)
				}
				for _, ids := range p.was {
					seen += len(ids)
				}
			}
		}
	}
	for range 3 {
		frame()
	}
	clear(times)
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	median := func(form string) float64 {
		slices.Sort(times[form])
		return float64(times[form][len(times[form])/2])
	}
	ours := median("tracker")
	b.ReportMetric(ours/1e6, "tracker-ms")
	b.ReportMetric(float64(times["tracker"][0])/1e6, "tracker-min-ms")
	for _, form := range forms[1:] {
		b.ReportMetric(median(form)/ours, form+"/tracker")
	}
	b.ReportMetric(float64(told)/float64(viewers), "told/viewer")
	b.ReportMetric(float64(seen)/2/float64(viewers), "seen/viewer")
}

// frame finds what some of the viewers are told.
func (p *plain) frame(v linear.View, form string, some int, box func(i int) linear.AABB) {
	p.entered, p.left = 0, 0
	for i := range some {
		x := box(i)
		q, _ := query.NewBox(x.Min, x.Max)
		now, was := q.Append(p.now[i][:0], v, query.Filter{}), p.was[i]
		both := 0
		switch form {
		case "query":
			both = len(now)
		case "sort":
			slices.Sort(now)
			for a, b := 0, 0; a < len(now) && b < len(was); {
				switch {
				case now[a] == was[b]:
					a, b, both = a+1, b+1, both+1
				case now[a] < was[b]:
					a++
				default:
					b++
				}
			}
		case "map":
			clear(p.set)
			for _, id := range was {
				p.set[id] = struct{}{}
			}
			for _, id := range now {
				if _, ok := p.set[id]; ok {
					both++
				}
			}
		case "naive":
			for _, id := range now {
				if slices.Contains(was, id) {
					both++
				}
			}
		}
		p.entered += len(now) - both
		p.left += len(was) - both
		p.now[i], p.was[i] = was, now
	}
}

// within returns a point at which a box of that side is in the world.
func within(rng *rand.Rand, world soa.AABB, side float32) (at [3]float32) {
	for a := range at {
		at[a] = world.Min[a] + side/2 + rng.Float32()*(world.Max[a]-world.Min[a]-side)
	}
	return at
}

// sideOf returns the side of a box with about so many objects in it.
func sideOf(v linear.View, world soa.AABB, want int) float32 {
	lo, hi := float32(0), world.Max[0]-world.Min[0]
	for range 20 {
		side, rng, sum := (lo+hi)/2, testkit.Rand(2), 0
		for range 50 {
			c := within(rng, world, side)
			q, err := query.NewBox([3]float32{c[0] - side/2, c[1] - side/2, c[2] - side/2}, [3]float32{c[0] + side/2, c[1] + side/2, c[2] + side/2})
			if err != nil {
				panic(err)
			}
			sum += q.Count(v, query.Filter{})
		}
		if sum < 50*want {
			lo = side
		} else {
			hi = side
		}
	}
	return hi
}
