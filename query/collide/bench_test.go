package collide_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/micro"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// A frame in which one object of 100 jumps, or all objects drift, then an update of a tracker with a budget, and
// in turns all pairs from scratch: ratio is the quotient of the medians. At budget=all each update checks all
// objects one by one; ns/unit is the time of a packet.
func BenchmarkBudgetTracker(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000) {
		for _, budget := range []int{1000, 10_000, math.MaxInt, 1} {
			name, drift := fmt.Sprint(budget), budget == 1
			if budget == math.MaxInt {
				name = "all"
			} else if drift {
				name += "/drift"
			}
			b.Run(fmt.Sprintf("n=%d/budget=%s", n, name), func(b *testing.B) {
				objects := testkit.SceneByName(b, "uniform").Make(n, 1)
				for i := range objects {
					objects[i].Static = false
				}
				tree := trees.New(b, linear.Config{Workers: 1, Log: true})
				trees.Insert(b, tree, objects)
				rng := testkit.Rand(1)
				watch := collide.BudgetTracker{Budget: budget}
				var pairs []collide.Pair
				var updates, all []time.Duration
				units := 0
				ids, boxes := make([]uint32, n/100), make([]soa.AABB, n/100)
				if drift {
					ids, boxes = make([]uint32, n), make([]soa.AABB, n)
				}
				for b.Loop() {
					for i := range ids {
						if ids[i], boxes[i] = uint32(rng.IntN(n)), objects[rng.IntN(n)].Box; drift {
							box, d := &objects[i].Box, 0.02*(rng.Float32()-0.5)
							box.Min[0], box.Max[0] = box.Min[0]+d, box.Max[0]+d
							ids[i], boxes[i] = uint32(i), *box
						}
					}
					testkit.Must(b, errors.Join(tree.MoveBatch(ids, boxes), tree.Tick()))
					v, start := tree.View(), time.Now()
					testkit.Must(b, watch.Update(v))
					updates = append(updates, time.Since(start))
					units += watch.Stats().Units
					start = time.Now()
					pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{})
					all = append(all, time.Since(start))
				}
				if budget == math.MaxInt && len(watch.Found()) != len(pairs) {
					b.Fatalf("%d pairs, want %d", len(watch.Found()), len(pairs))
				}
				total := time.Duration(0)
				for _, d := range updates {
					total += d
				}
				slices.Sort(updates)
				slices.Sort(all)
				b.ReportMetric(float64(updates[len(updates)/2].Nanoseconds()), "ns/update")
				b.ReportMetric(float64(updates[len(updates)/2])/float64(all[len(all)/2]), "ratio")
				b.ReportMetric(float64(total)/float64(max(units, 1)), "ns/unit")
			})
		}
	}
}

// Contacts and times of impact of pairs, on every tier alike, in a step in which each object moves by a
// tenth of its size. An item is a pair. Impacts with bounds are those of the same objects with a sphere, an
// oriented box, or by turns none and each, in their boxes.
func BenchmarkContacts(b *testing.B) {
	for _, n := range micro.Sizes(100_000) {
		objects := testkit.SceneByName(b, "uniform").Make(n, 1)
		rng := testkit.Rand(1)
		var steps soa.Column[collide.Step]
		for i := range objects {
			var by [3]float32
			for a := range by {
				by[a] = 0.1 * (rng.Float32() - 0.5) * (objects[i].Box.Max[a] - objects[i].Box.Min[a])
			}
			s := collide.Displace(objects[i].Box, by)
			steps.Set(uint32(i), s)
			objects[i].Box = s.Swept()
		}
		tree := trees.Plant(b, objects, true)
		v := tree.View()
		bounds := map[string]linear.View{}
		for _, shape := range []string{"sphere", "oriented", "mixed"} {
			other := tree.Clone()
			for i := range objects {
				box := steps.At(uint32(i)).From
				if shape == "sphere" || shape == "mixed" && i%3 == 1 {
					testkit.Must(b, other.SetSphere(uint32(i), testkit.BallIn(box)))
				}
				if shape == "oriented" || shape == "mixed" && i%3 == 2 {
					testkit.Must(b, other.SetOriented(uint32(i), testkit.OrientedIn(rng, box)))
				}
			}
			bounds[shape] = other.View()
		}
		exact := collide.Filter{StaticPairs: true, Exact: true}
		flt := collide.Filter{StaticPairs: true}
		pairs := collide.Append(nil, collide.Within(v), flt)
		var contacts []collide.Contact
		impacts := collide.AppendImpacts(nil, collide.Within(v), &steps, nil, flt)
		var exactly, sorted []collide.Impact
		for _, x := range []struct {
			op  string
			run func()
		}{
			{"Append", func() { pairs = collide.Append(pairs[:0], collide.Within(v), flt) }},
			{"AppendContacts", func() { contacts = collide.AppendContacts(contacts[:0], collide.Within(v), pairs) }},
			{"AppendImpacts", func() { impacts = collide.AppendImpacts(impacts[:0], collide.Within(v), &steps, nil, flt) }},
			{"AppendImpacts/exact=sphere", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["sphere"]), &steps, nil, exact)
			}},
			{"AppendImpacts/exact=oriented", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["oriented"]), &steps, nil, exact)
			}},
			{"AppendImpacts/exact=mixed", func() {
				exactly = collide.AppendImpacts(exactly[:0], collide.Within(bounds["mixed"]), &steps, nil, exact)
			}},
			{"SortImpacts", func() {
				sorted = append(sorted[:0], impacts...)
				collide.SortImpacts(sorted)
			}},
		} {
			b.Run(fmt.Sprintf("op=%s/n=%d", x.op, n), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: len(pairs), Item: "pair", Run: x.run})
			})
		}
	}
}

// A frame: some objects drift by up to the size of the smallest, one in 20 of them jumps anywhere, and a
// tick. Then the pairs by a tracker, and all pairs from scratch, in the same loop; ratio is the quotient of
// the medians. Only Update is counted against Append. static=false lets every object move; static=true
// keeps the static objects of the scene, most of the city, which never move and have no pairs among
// themselves.
func BenchmarkTracker(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			for _, static := range []bool{false, true} {
				for _, share := range []int{1000, 100, 20} {
					b.Run(fmt.Sprintf("scene=%s/n=%d/static=%v/movers=%d", name, n, static, n/share), func(b *testing.B) {
						benchmarkTracker(b, testkit.SceneByName(b, name).Make(n, 1), static, n/share)
					})
				}
			}
		}
	}
}

// Frames in which all objects move, of which each has dozens of partners.
func BenchmarkTrackerDense(b *testing.B) {
	rng := testkit.Rand(1)
	objects := make([]soa.Object, micro.Sizes(4000)[0])
	for i := range objects {
		objects[i].Box = testkit.CubeAt([3]float32{50 * rng.Float32(), 50 * rng.Float32(), 50 * rng.Float32()}, 5)
	}
	benchmarkTracker(b, objects, false, len(objects))
}

func benchmarkTracker(b *testing.B, objects []soa.Object, static bool, movers int) {
	var movable []uint32
	boxes, world := make([]soa.AABB, len(objects)), soa.Empty()
	for i := range objects {
		boxes[i] = objects[i].Box
		world = world.Union(boxes[i])
		if objects[i].Static = objects[i].Static && static; !objects[i].Static {
			movable = append(movable, uint32(i))
		}
	}
	tree := trees.New(b, linear.Config{Workers: 1, Log: true})
	trees.Insert(b, tree, objects)
	rng := testkit.Rand(1)
	ids, to := make([]uint32, movers), make([]soa.AABB, movers)
	var tracker collide.Tracker
	var pairs []collide.Pair
	var updates, all []time.Duration
	began := 0
	frame := func() {
		for i := range ids {
			ids[i] = movable[rng.IntN(len(movable))]
			box, jump := &boxes[ids[i]], rng.IntN(20) == 0
			for a := range 3 {
				d := (rng.Float32() - 0.5) * 2
				if jump {
					d = world.Min[a] + rng.Float32()*(world.Max[a]-world.Min[a]) - box.Min[a]
				}
				box.Min[a], box.Max[a] = box.Min[a]+d, max(box.Max[a]+d, box.Min[a]+d)
			}
			to[i] = *box
		}
		testkit.Must(b, tree.MoveBatch(ids, to))
		testkit.Must(b, tree.Tick())
		v := tree.View()
		t0 := time.Now()
		testkit.Must(b, tracker.Update(v))
		t1 := time.Now()
		pairs = collide.Append(pairs[:0], collide.Within(v), collide.Filter{})
		t2 := time.Now()
		updates, all = append(updates, t1.Sub(t0)), append(all, t2.Sub(t1))
		began += len(tracker.Began())
		if len(pairs) != tracker.Len() {
			b.Fatalf("%d pairs tracked, %d there", tracker.Len(), len(pairs))
		}
	}
	for range 20 { // until the first pairs have begun and lists have their size
		frame()
	}
	updates, all, began = updates[:0], all[:0], 0
	b.ReportAllocs()
	for b.Loop() {
		frame()
	}
	slices.Sort(updates)
	slices.Sort(all)
	update, scratch := float64(updates[len(updates)/2]), float64(all[len(all)/2])
	b.ReportMetric(update/float64(movers), "update-ns/mover")
	b.ReportMetric(scratch/float64(len(objects)), "all-ns/object")
	b.ReportMetric(update/scratch, "ratio")
	b.ReportMetric(float64(updates[0])/float64(all[0]), "ratio-min")
	b.ReportMetric(float64(began)/float64(len(updates))/float64(movers), "began/mover")
	b.ReportMetric(float64(len(pairs))/float64(len(objects)), "pairs/object")
}

// streetScan returns points of a rotating scanner of 64 rings, 1.8 above a street between two rows of houses, that
// drives along it by 0.7 a turn.
func streetScan(n int) (points [][3]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for x := 0.0; ; x += 0.7 {
		for turn := 0.0; turn < 2*math.Pi; turn += 2 * math.Pi / 2000 {
			for ring := range 64 {
				up := (float64(ring)*28/63 - 25) * math.Pi / 180
				d := [3]float64{math.Cos(turn) * math.Cos(up), math.Sin(turn) * math.Cos(up), math.Sin(up)}
				far := 100.0
				if d[2] < 0 {
					far = min(far, 1.8/-d[2])
				}
				if wall := 9 / math.Abs(d[1]); wall < far && math.Mod(math.Abs(x+wall*d[0]), 20) < 16 && 1.8+wall*d[2] < 8 {
					far = wall
				}
				if far == 100 {
					continue
				}
				far += 0.01 * rng.NormFloat64()
				points = append(points, [3]float32{float32(x + far*d[0]), float32(far * d[1]), float32(1.8 + far*d[2])})
				if len(points) == n {
					return points
				}
			}
		}
	}
}

// The k nearest other points of each point of a scan: by a join, by query.NearestBatch in the order of the tree, and by
// a join of two workers; passes alternate. And the nearest other boxes of the boxes of a city.
func BenchmarkNearest(b *testing.B) {
	points := streetScan(micro.Sizes(500_000)[0])
	tree := trees.New(b, linear.Config{Frozen: true})
	_, err := tree.InsertPoints(nil, points, linear.Labels{})
	testkit.Must(b, err)
	testkit.Must(b, tree.Tick())
	city := testkit.SceneByName(b, "city").Make(micro.Sizes(100_000)[0], 1)
	v, boxes := tree.View(), trees.Plant(b, city, true).View()
	var ordered [][3]float32
	for c, slot := &v.Store().Packets, 0; slot < len(c.Counts); slot++ {
		for lane := range int(c.Counts[slot]) {
			ordered = append(ordered, c.Box(uint32(slot), lane).Min)
		}
	}
	one, two, singles := collide.Batch{Workers: 1}, collide.Batch{Workers: 2}, query.NearestBatch{Workers: 1}
	for _, k := range []int{1, 5, 20} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			var graph []collide.Neighbor
			least := [4]time.Duration{math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				start := time.Now()
				graph, _ = one.Nearest(nil, graph[:0], v, linear.View{}, k, collide.Filter{})
				least[0] = min(least[0], time.Since(start))
				start = time.Now()
				testkit.Must(b, singles.Find(nil, v, ordered, k+1, query.Unlimited, query.Filter{}))
				least[1] = min(least[1], time.Since(start))
				start = time.Now()
				graph, _ = two.Nearest(nil, graph[:0], v, linear.View{}, k, collide.Filter{})
				least[3] = min(least[3], time.Since(start))
				start = time.Now()
				graph, _ = collide.Nearest(graph[:0], boxes, linear.View{}, k, collide.Filter{StaticPairs: true})
				least[2] = min(least[2], time.Since(start))
			}
			b.ReportMetric(float64(least[0].Nanoseconds())/float64(len(points)), "join-ns-min/point")
			b.ReportMetric(float64(least[1].Nanoseconds())/float64(len(points)), "batch-ns-min/point")
			b.ReportMetric(float64(least[3].Nanoseconds())/float64(len(points)), "join2-ns-min/point")
			b.ReportMetric(float64(least[2].Nanoseconds())/float64(len(city)), "join-ns-min/box")
		})
	}
}

// All pairs of a frozen tree, static ones too. ns-min/object is the fastest
// pass.
func BenchmarkPairs(b *testing.B) {
	for _, name := range []string{"uniform", "city"} {
		for _, n := range micro.Sizes(100_000, 1_000_000) {
			objects := testkit.SceneByName(b, name).Make(n, 1)
			v := trees.Plant(b, objects, true).View()
			flt := collide.Filter{StaticPairs: true}
			pairs := collide.Append(nil, collide.Within(v), flt)
			batch := collide.Batch{}
			for _, form := range []string{"append", "count", "batch"} {
				b.Run(fmt.Sprintf("scene=%s/n=%d/form=%s", name, n, form), func(b *testing.B) {
					b.ReportAllocs()
					least := time.Duration(math.MaxInt64)
					for b.Loop() {
						start := time.Now()
						switch form {
						case "append":
							pairs = collide.Append(pairs[:0], collide.Within(v), flt)
						case "count":
							collide.Count(collide.Within(v), flt)
						default:
							pairs = batched(b, &batch, pairs[:0], collide.Within(v), flt)
						}
						least = min(least, time.Since(start))
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/object")
					b.ReportMetric(float64(least.Nanoseconds())/float64(n), "ns-min/object")
					b.ReportMetric(float64(len(pairs))/float64(n), "pairs/object")
				})
			}
		}
	}
}

// Pairs of points of a scan within 0.05: by Filter.Distance, and of balls with half of it as radius; passes alternate.
func BenchmarkPairsNear(b *testing.B) {
	const distance = float32(0.05)
	points := streetScan(micro.Sizes(1_000_000)[0])
	tree, balls := trees.New(b, linear.Config{Frozen: true}), trees.New(b, linear.Config{Frozen: true})
	_, err := tree.InsertPoints(nil, points, linear.Labels{})
	testkit.Must(b, err)
	for _, p := range points {
		_, err := balls.InsertBall(linear.Ball{Sphere: [4]float32{p[0], p[1], p[2], distance / 2}})
		testkit.Must(b, err)
	}
	testkit.Must(b, tree.Tick())
	testkit.Must(b, balls.Tick())
	v, w := tree.View(), balls.View()
	var near, touching []collide.Pair
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	for b.Loop() {
		start := time.Now()
		near = collide.Append(near[:0], collide.Within(v), collide.Filter{StaticPairs: true, Distance: distance})
		least[0] = min(least[0], time.Since(start))
		start = time.Now()
		touching = collide.Append(touching[:0], collide.Within(w), collide.Filter{StaticPairs: true, Exact: true})
		least[1] = min(least[1], time.Since(start))
	}
	if len(near) != len(touching) {
		b.Errorf("%d pairs, of balls %d", len(near), len(touching))
	}
	for i, unit := range []string{"near-ns-min/point", "balls-ns-min/point"} {
		b.ReportMetric(float64(least[i].Nanoseconds())/float64(len(points)), unit)
	}
	b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
	b.ReportMetric(float64(len(near))/float64(len(points)), "pairs/point")
}

// All pairs of a few live objects, spread over the tree.
func BenchmarkPairsLive(b *testing.B) {
	for _, n := range micro.Sizes(10_000, 100_000) {
		v := trees.Plant(b, testkit.SceneByName(b, "uniform").Make(n, 1), false).View()
		for _, oneIn := range []int{1000, 100, 17, 15} {
			flt := collide.Filter{StaticPairs: true, Live: make([]uint64, n/64+1)}
			for id := 0; id < n; id += oneIn {
				flt.Live[id/64] |= 1 << (id % 64)
			}
			pairs := collide.Append(nil, collide.Within(v), flt)
			b.Run(fmt.Sprintf("n=%d/live=1:%d", n, oneIn), func(b *testing.B) {
				micro.Measure(b, micro.Kernel{Items: (n + oneIn - 1) / oneIn, Item: "live", Run: func() {
					pairs = collide.Append(pairs[:0], collide.Within(v), flt)
				}})
			})
		}
	}
}
