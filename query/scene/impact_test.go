package scene_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/rational"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// moving are the motions of a scene during a step.
type moving struct {
	motions linear.Column[[3]float32]
	steps   linear.Column[collide.Step]
}

// vector draws a motion, of whole numbers or of any, sometimes along an axis, and sometimes none.
func vector(rng *rand.Rand, size float64) (m [3]float32) {
	if rng.IntN(3) == 0 {
		return m
	}
	for a := range m {
		if m[a] = float32(size * rng.NormFloat64()); rng.IntN(2) == 0 {
			m[a] = float32(math.Round(float64(m[a])))
		}
		if rng.IntN(4) == 0 {
			m[a] = 0
		}
	}
	return m
}

// setMoving draws motions for the instances and own objects of a scene. Moving own objects lose their bounds, and may
// get spheres.
func setMoving(t testing.TB, rng *rand.Rand, s *linear.Scene, size float64) *moving {
	m := new(moving)
	for _, o := range listed(s.View().Instances()) {
		m.motions.Set(o.id, vector(rng, size))
	}
	for _, o := range listed(s.Tree().View()) {
		by := vector(rng, 2)
		if by == ([3]float32{}) {
			continue
		}
		step := collide.Displace(o.Box, by)
		if rng.IntN(2) == 0 {
			step.To.Max[rng.IntN(3)] += rng.Float32()
		}
		m.steps.Set(o.id, step)
		testkit.Must(t, s.Tree().Move(o.id, step.Swept()))
		if rng.IntN(2) == 0 {
			testkit.Must(t, s.Tree().SetSphere(o.id, testkit.BallIn(o.Box)))
		}
	}
	return m
}

// traveller is an object of a scene in motion.
type traveller struct {
	solid
	boxes [2]soa.AABB // at the start and at the end
	move  [3]float64  // of the image
}

func (m *moving) travellers(v linear.SceneView, mask uint32) (all []traveller) {
	for _, x := range solids(v, mask) {
		y := traveller{solid: x, boxes: [2]soa.AABB{x.has.Box, x.has.Box}}
		if x.Path.Len() == 0 {
			if step := m.steps.Get(x.ID); step != (collide.Step{}) {
				y.boxes = [2]soa.AABB{step.From, step.To}
			}
		} else {
			for a, by := range m.motions.Get(x.Path.At(0)) {
				y.move[a] = float64(by)
			}
		}
		all = append(all, y)
	}
	slices.SortFunc(all, func(a, b traveller) int { return a.Compare(b.Object) })
	return all
}

// interval is the time in [0, 1] in which linear functions are not above 0.
type interval struct{ enter, leave float64 }

func (w *interval) line(f0, f1 float64) {
	switch {
	case f0 > 0 && f1 > 0:
		w.leave = -1
	case f0 > 0:
		w.enter = max(w.enter, f0/(f0-f1))
	case f1 > 0:
		w.leave = min(w.leave, f0/(f0-f1))
	}
}

// window returns the times in which two images surely overlap, and those in which they may.
func window(a, b *traveller) (surely, maybe interval) {
	surely, maybe = interval{0, 1}, interval{0, 1}
	for _, n := range axesOf(a.im, b.im) {
		var f, g, off [2]float64
		for k := range 2 {
			lo, hi, offA := a.im.span(n, &a.boxes[k])
			least, most, offB := b.im.span(n, &b.boxes[k])
			by, size := float64(k)*scalar(n, difference(b.move, a.move)), 0.0
			for i := range 3 {
				size += math.Abs(n[i]) * (math.Abs(a.move[i]) + math.Abs(b.move[i]))
			}
			f[k], g[k], off[k] = least+by-hi, lo-most-by, offA+offB+size*slack
		}
		for _, h := range [][2]float64{f, g} {
			surely.line(h[0]+off[0]*0x1p16, h[1]+off[1]*0x1p16)
			maybe.line(h[0]-off[0], h[1]-off[1])
		}
		if maybe.enter > maybe.leave {
			return maybe, maybe
		}
	}
	return surely, maybe
}

// exactWindow returns the time in which two images overlap in exact arithmetic.
func exactWindow(a, b *traveller) (enter *rational.Rat, ok bool) {
	type vector = [3]*rational.Rat
	column := func(im *image, j int) vector {
		rows := im.exactly()
		return vector{rows[0][j], rows[1][j], rows[2][j]}
	}
	enter, leave := rat(0), rat(1)
	line := func(f0, f1 *rational.Rat) {
		at := func() *rational.Rat { return new(rational.Rat).Quo(f0, new(rational.Rat).Sub(f0, f1)) }
		switch {
		case f0.Sign() > 0 && f1.Sign() > 0:
			leave = rat(-1)
		case f0.Sign() > 0:
			if x := at(); x.Cmp(enter) > 0 {
				enter = x
			}
		case f1.Sign() > 0:
			if x := at(); x.Cmp(leave) < 0 {
				leave = x
			}
		}
	}
	narrow := func(x, y vector) {
		var n vector
		for i := range n {
			j, k := (i+1)%3, (i+2)%3
			n[i] = new(rational.Rat).Sub(product(x[j], y[k]), product(x[k], y[j]))
		}
		by := rat(0)
		for i := range n {
			by.Add(by, product(n[i], new(rational.Rat).Sub(rat(b.move[i]), rat(a.move[i]))))
		}
		var f, g [2]*rational.Rat
		for k := range 2 {
			lo, hi := a.im.exactSpan(n, &a.boxes[k])
			least, most := b.im.exactSpan(n, &b.boxes[k])
			f[k], g[k] = new(rational.Rat).Sub(least, hi), new(rational.Rat).Sub(lo, most)
			if k == 1 {
				f[k].Add(f[k], by)
				g[k].Sub(g[k], by)
			}
		}
		line(f[0], f[1])
		line(g[0], g[1])
	}
	for i := range 3 {
		narrow(column(a.im, i), column(a.im, (i+1)%3))
		narrow(column(b.im, i), column(b.im, (i+1)%3))
		for j := range 3 {
			narrow(column(a.im, i), column(b.im, j))
		}
	}
	return enter, enter.Cmp(leave) <= 0
}

// impactsByPair are impacts by their pairs.
func impactsByPair(t testing.TB, impacts []scene.Impact) map[scene.Pair]float64 {
	got := map[scene.Pair]float64{}
	for _, h := range impacts {
		key := scene.Pair{A: h.A, B: h.B}
		if _, twice := got[key]; twice || h.A.Compare(h.B) >= 0 || !(h.Time >= 0 && h.Time <= 1) {
			t.Fatalf("impact %v, twice: %v", h, twice)
		}
		got[key] = float64(h.Time)
	}
	return got
}

// No pair of images that touch during a step in exact arithmetic is lost, none is late, and none beyond the bound is
// kept; on every tier in the same order.
func TestImpactsByDefinition(t *testing.T) {
	seed := testkit.Seed(t)
	judged, later, atStart, doubts := 0, 0, 0, 0
	body := func(t *testing.T, known func(...any) bool) {
		for i, family := range append(families[:len(families):len(families)], "touching") {
			rng := testkit.Rand(seed<<8 + uint64(i))
			for range testkit.Budget(t, 3, 20) {
				s, f := denseScene(t, rng, family, 1+rng.IntN(3), 2+rng.IntN(8)), pairFilter(rng)
				bounds := s.View().Bounds()
				m := setMoving(t, rng, s, 0.2*float64(bounds.Max[0]-bounds.Min[0])*rng.Float64())
				if rng.IntN(2) == 0 {
					testkit.Must(t, s.Tick())
				}
				if rng.IntN(4) == 0 {
					f.Live, f.LiveInstances, f.LiveBoth, f.LiveBothInstances = someIDs(rng), someIDs(rng), someIDs(rng), someIDs(rng)
				}
				v := s.View()
				impacts := scene.AppendImpacts(nil, v, &m.motions, &m.steps, f)
				if known(impacts) {
					continue
				}
				got, own := impactsByPair(t, impacts), map[scene.Pair]float64{}
				flat := f.Filter
				flat.Live, flat.LiveBoth = nil, nil
				for _, h := range collide.AppendImpacts(nil, collide.Within(v.Objects()), &m.steps, nil, flat) {
					own[scene.Pair{A: scene.Object{ID: h.A}, B: scene.Object{ID: h.B}}] = float64(h.Time)
				}
				all := m.travellers(v, f.Mask)
				for k := range all {
					for _, b := range all[k+1:] {
						a := &all[k]
						key := scene.Pair{A: a.Object, B: b.Object}
						if n := a.Path.Len(); n > 0 && a.Path.At(0) == b.Path.At(0) || !keepsLive(&f, &key) || !accepts(&f, &a.has, &b.has) {
							continue
						}
						time, found := got[key]
						delete(got, key)
						if b.Path.Len() == 0 {
							if want, ok := own[key]; found != ok || time != want {
								t.Fatalf("%s: %v of one tree at %v, want %v", family, key, time, want)
							}
							continue
						}
						judged++
						surely, maybe := window(a, &b)
						sure, may := surely.enter <= surely.leave, maybe.enter <= maybe.leave
						switch {
						case found && !may:
							t.Fatalf("%s: %v is kept, of %v and %v", family, key, a.boxes, b.boxes)
						case sure && !found:
							t.Fatalf("%s %+v: %v is lost, of %v and %v, motions %v and %v", family, f, key, a.boxes, b.boxes, a.move, b.move)
						case found && time < maybe.enter*(1-0x1p-23)-0x1p-100, found && sure && time > surely.enter*(1+0x1p-23):
							t.Fatalf("%s: %v at %v, want %v to %v", family, key, time, maybe.enter, surely.enter)
						}
						if may && !sure || found && judged%64 == 0 {
							doubts++
							enter, ok := exactWindow(a, &b)
							exactly, _ := enter.Float64()
							if ok && (!found || time > exactly*(1+0x1p-23)) {
								t.Fatalf("%s: %v at %v, found %v, want exactly %v", family, key, time, found, exactly)
							}
						}
						if found && time > 0 {
							later++
						} else if found {
							atStart++
						}
					}
				}
				for key := range got {
					t.Fatalf("%s %+v: %v is kept by no rule", family, f, key)
				}
			}
		}
	}
	for want := cases(t, 1, 1); judged < want; seed++ {
		testkit.TiersAgree(t, body)
	}
	t.Logf("%d judged, %d later, %d at the start, %d in doubt", judged, later, atStart, doubts)
	if later < 50 || atStart < 50 || doubts < 10 {
		t.Errorf("%d judged, %d later, %d at the start, %d in doubt", judged, later, atStart, doubts)
	}
}

// at returns a bound of a moving object at a time.
func (x bound) at(move [3]float64, time float64) bound {
	for a := range 3 {
		by := time * move[a]
		x.center[a] += by
		x.shape.t[a] += by
		x.shape.far[a] += math.Abs(by)
	}
	return x
}

// gapAt returns the largest distance between two bounds of two moving objects at a time.
func gapAt(a, b *traveller, time float64) (gap, size float64) {
	alike := alikeAll(a.at.transforms) && alikeAll(b.at.transforms)
	gap = math.Inf(-1)
	bounds := func(x *traveller) (all []bound) {
		for _, y := range boundsOf(x.at.view, x.im, x.ID, alike) {
			move := x.move
			for k := range 3 {
				if from, to := x.boxes[0], x.boxes[1]; x.Path.Len() == 0 {
					move[k] = (float64(to.Min[k]) - float64(from.Min[k]) + float64(to.Max[k]) - float64(from.Max[k])) / 2
				}
			}
			if y.kind == "box" {
				move = x.move
				for k := range 3 { // growing
					from, to := x.boxes[0], x.boxes[1]
					y.shape.box.Min[k] = float32(float64(from.Min[k]) + time*(float64(to.Min[k])-float64(from.Min[k])))
					y.shape.box.Max[k] = float32(float64(from.Max[k]) + time*(float64(to.Max[k])-float64(from.Max[k])))
				}
			}
			all = append(all, y.at(move, time))
		}
		return all
	}
	y := bounds(b)
	for _, p := range bounds(a) {
		for _, q := range y {
			gap = max(gap, p.apart(&q))
			size = max(size, sizeOf(&p.shape.image, &p.shape.box)+p.radius+sizeOf(&q.shape.image, &q.shape.box)+q.radius)
		}
	}
	return gap, size
}

// With Exact, bounds touch at the time of an impact, and do not overlap before it, nor at any time if there is no
// impact.
func TestExactImpacts(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	found, missed := 0, 0
	for _, family := range []string{"identity", "steps", "turned", "mirrored", "scaled", "affine", "touching"} {
		for range testkit.Budget(t, 6, 50) {
			s, f := denseScene(t, rng, family, 1+rng.IntN(2), 2+rng.IntN(6)), pairFilter(rng)
			bounds := s.View().Bounds()
			m := setMoving(t, rng, s, 0.2*float64(bounds.Max[0]-bounds.Min[0])*rng.Float64())
			f.Exact = true
			v := s.View()
			got := impactsByPair(t, scene.AppendImpacts(nil, v, &m.motions, &m.steps, f))
			all := m.travellers(v, f.Mask)
			for k := range all {
				for _, b := range all[k+1:] {
					a := &all[k]
					if n := a.Path.Len(); b.Path.Len() == 0 || n > 0 && a.Path.At(0) == b.Path.At(0) || !accepts(&f, &a.has, &b.has) {
						continue
					}
					time, ok := got[scene.Pair{A: a.Object, B: b.Object}]
					until := 1.0
					if ok {
						found++
						until = time
						if gap, size := gapAt(a, &b, time); gap > size*0x1p-12 {
							t.Fatalf("%s: %v and %v at %v have a gap of %v, sizes %v", family, a.Object, b.Object, time, gap, size)
						}
					} else if _, maybe := window(a, &b); maybe.enter > maybe.leave {
						continue // the boxes do not touch
					}
					for i := range 9 {
						at := until * (float64(i) + rng.Float64()) / 9
						if gap, size := gapAt(a, &b, at); gap < -size*0x1p-20 && at < until*(1-0x1p-20) {
							t.Fatalf("%s: %v and %v overlap at %v by %v, sizes %v, impact %v at %v", family, a.Object, b.Object, at, gap, size, ok, time)
						}
					}
					if !ok {
						missed++
					}
				}
			}
		}
	}
	if found < 100 || missed < 100 {
		t.Errorf("%d impacts, %d boxes that touch without one", found, missed)
	}
}

// With Instances, the pairs inside of each instance follow at time 0; impacts are sorted by time; a search allocates
// nothing, and misuse panics.
func TestImpactsForms(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	for range testkit.Budget(t, 10, 100) {
		s, f := denseScene(t, rng, "turned", 1+rng.IntN(3), 2+rng.IntN(6)), pairFilter(rng)
		m := setMoving(t, rng, s, 2)
		v := s.View()
		want := scene.AppendImpacts(nil, v, &m.motions, &m.steps, f)
		f.Instances = true
		for _, p := range scene.AppendPairs(nil, v, f) {
			if p.A.Path.Len() > 0 && p.B.Path.Len() > 0 && p.A.Path.At(0) == p.B.Path.At(0) {
				want = append(want, scene.Impact{A: p.A, B: p.B})
			}
		}
		got := scene.AppendImpacts([]scene.Impact{{Time: 2}}, v, &m.motions, &m.steps, f)
		if got[0].Time != 2 || !slices.Equal(got[1:], want) {
			t.Fatalf("%d impacts, want %d", len(got)-1, len(want))
		}
		scene.SortImpacts(got)
		if !slices.IsSortedFunc(got, func(x, y scene.Impact) int {
			if x.Time != y.Time {
				return int(math.Copysign(1, float64(x.Time-y.Time)))
			}
			if c := x.A.Compare(y.A); c != 0 {
				return c
			}
			return x.B.Compare(y.B)
		}) {
			t.Error("impacts are not in order")
		}
	}
	s := newScene(t)
	part := trees.Plant(t, crowded(rng, 30), false)
	for i := range 20 {
		place(t, s, part, translation(t, float64(9*i), 0, 0), linear.InstanceOptions{})
	}
	testkit.Must(t, s.Tick())
	var motions linear.Column[[3]float32]
	motions.Set(3, [3]float32{9, 1, 0})
	var impacts []scene.Impact
	v := s.View()
	search := func() {
		impacts = scene.AppendImpacts(impacts[:0], v, &motions, nil, scene.PairFilter{Instances: true})
	}
	search()
	if testkit.Allocs(t, 4, search); len(impacts) == 0 {
		t.Error("no impacts")
	}
	for name, misuse := range map[string]func(){
		"a distance": func() {
			scene.AppendImpacts(nil, v, nil, nil, scene.PairFilter{Filter: collide.Filter{Distance: 1}})
		},
		"a filter out of range": func() {
			scene.AppendImpacts(nil, v, nil, nil, scene.PairFilter{Filter: collide.Filter{Distance: -1}})
		},
		"an infinite motion": func() {
			motions.Set(4, [3]float32{0, float32(math.Inf(1)), 0})
			scene.AppendImpacts(nil, v, &motions, nil, scene.PairFilter{})
		},
	} {
		if testkit.Panic(misuse) == nil {
			t.Errorf("no panic for %s", name)
		}
	}
}
