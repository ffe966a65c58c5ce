package query_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// interview runs every query on a view in every form, and digests the results. No result may have more objects than
// there are, or an unknown ID.
type interview struct {
	v       linear.View
	objects int // as many as a result may have
	ids     int // below which all are
	asked   map[string]bool
	heard   digest
	fault   string // the first one
	only    []uint64
	heat    *query.Heat

	buf   []uint32
	hits  []query.Hit
	near  []query.Neighbor
	pairs []collide.Pair

	frusta  query.FrustumBatch
	boxes   query.BoxBatch
	spheres query.SphereBatch
	rays    query.RayBatch
	points  query.NearestBatch
	batch   collide.Batch
	tracker collide.Tracker
	watch   collide.BudgetTracker
}

func (i *interview) say(format string, args ...any) {
	if i.fault == "" {
		i.fault = fmt.Sprintf(format, args...)
	}
}

// count records the length of a result.
func (i *interview) count(form string, n, most int) {
	i.asked[form] = true
	i.heard.mix(uint64(n))
	if n > most {
		i.say("%s: %d of %d", form, n, most)
	}
}

func (i *interview) id(form string, id uint32) {
	i.heard.mix(uint64(id))
	if uint64(id) >= uint64(i.ids) {
		i.say("%s: ID %d of %d", form, id, i.ids)
	}
}

func (i *interview) list(form string, ids []uint32) {
	i.count(form, len(ids), i.objects)
	for _, id := range ids {
		i.id(form, id)
	}
}

// seq records a result that is iterated over, and stops when it is too long.
func (i *interview) seq(form string, ids iter.Seq[uint32]) {
	n := 0
	for id := range ids {
		if i.id(form, id); n > i.objects {
			break
		}
		n++
	}
	i.count(form, n, i.objects)
}

func (i *interview) yes(form string, yes bool) {
	n := 0
	if yes {
		n = 1
	}
	i.count(form, n, 1)
}

func askVolume[Q interface {
	query.Volume
	manyForms
}](i *interview, name string, q Q, flt query.Filter) {
	i.buf = q.Append(i.buf[:0], i.v, flt)
	i.list(name+".Append", i.buf)
	i.count(name+".Count", q.Count(i.v, flt), i.objects)
	i.yes(name+".Any", q.Any(i.v, flt))
	i.seq(name+".All", q.All(i.v, flt))
	n := 0
	q.Ranges(i.v, flt, func(r query.Range) bool {
		for slot := r.First; slot < r.First+r.Count; slot++ {
			n += len(i.v.IDs(slot)) // lanes in the mask or all: more than in the result
		}
		return true
	})
	i.count(name+".Ranges", n, i.objects+soa.Lanes*i.v.Slots())
	i.count(name+".Explain", q.Explain(i.v, flt, i.heat).Ranges, i.v.Slots())
	n = 0
	for id, box := range query.Boxes(q, i.v, flt) {
		i.id("Boxes", id)
		i.heard.mix(uint64(math.Float32bits(box.Max[1])))
		n++
	}
	i.count("Boxes", n, i.objects)
}

// sweepForms are the forms of a ray or a moving shape.
type sweepForms interface {
	All(v linear.View, flt query.Filter) iter.Seq[query.Hit]
	Any(v linear.View, flt query.Filter) bool
	Append(dst []query.Hit, v linear.View, flt query.Filter) []query.Hit
	AppendIDs(dst []uint32, v linear.View, flt query.Filter) []uint32
	Count(v linear.View, flt query.Filter) int
	Explain(v linear.View, flt query.Filter, heat *query.Heat) query.Counters
	FirstID(v linear.View, flt query.Filter) (id uint32, dist float32, ok bool)
	FirstFunc(v linear.View, flt query.Filter, test func(id uint32, tEnter float32) (t float32, hit bool)) (id uint32, dist float32, ok bool)
	First(v linear.View, flt query.Filter) (h query.Hit, ok bool)
}

func (i *interview) sweep(name string, q sweepForms, flt query.Filter) {
	i.hits = q.Append(i.hits[:0], i.v, flt)
	i.count(name+".Append", len(i.hits), i.objects)
	for _, h := range i.hits {
		i.id(name+".Append", h.ID)
		i.heard.mix(uint64(math.Float32bits(h.Dist)))
	}
	i.buf = q.AppendIDs(i.buf[:0], i.v, flt)
	i.list(name+".AppendIDs", i.buf)
	n := 0
	for h := range q.All(i.v, flt) {
		i.id(name+".All", h.ID)
		n++
	}
	i.count(name+".All", n, i.objects)
	i.yes(name+".Any", q.Any(i.v, flt))
	i.count(name+".Count", q.Count(i.v, flt), i.objects)
	i.count(name+".Explain", q.Explain(i.v, flt, i.heat).Ranges, i.objects)
	if h, ok := q.First(i.v, flt); ok {
		i.id(name+".First", h.ID)
	}
	if id, _, ok := q.FirstID(i.v, flt); ok {
		i.id(name+".FirstID", id)
	}
	n = 0
	q.FirstFunc(i.v, flt, func(id uint32, tEnter float32) (t float32, hit bool) {
		i.id(name+".FirstFunc", id)
		n++
		return tEnter, false
	})
	i.count(name+".FirstFunc", n, i.objects)
	i.asked[name+".First"], i.asked[name+".FirstID"] = true, true
}

// all runs every query, with several filters, about some point.
func (i *interview) all(t testing.TB, seed uint64) {
	s := i.v.Store()
	i.objects, i.ids = s.Count, 0
	var buf []soa.Location
	locations := i.v.Locator(&buf)
	for slot := range i.v.Slots() {
		for l, id := range i.v.IDs(uint32(slot)) {
			i.ids = max(i.ids, int(id)+1)
			if at, lane, ok := locations.Locate(id); !ok || at != uint32(slot) || lane != l {
				i.say("object %d of slot %d lane %d is in slot %d lane %d, %v", id, slot, l, at, lane, ok)
			}
		}
	}
	if i.asked == nil {
		i.asked = map[string]bool{}
	}
	i.heat = query.NewHeat(i.v)
	i.asked["NewHeat"] = true
	r := testkit.Rand(seed)
	spot := func() (p [3]float32) {
		for a := range p {
			p[a] = float32((r.Float32() - 0.5) * 60)
		}
		return p
	}
	for len(i.only) < i.ids/64+1 {
		i.only = append(i.only, r.Uint64())
	}
	for _, flt := range []query.Filter{
		{}, {Exact: true},
		{Mask: 3, Motion: query.MovingOnly}, {Motion: query.StaticOnly, Only: i.only, Exact: true},
	} {
		p, q := spot(), spot()
		b := soa.AABB{Min: p, Max: p}.Union(soa.AABB{Min: q, Max: q})
		box := box(t, b)
		planes := [6][4]float32{{1, 0.1, 0, -b.Min[0]}, {-1, 0, 0.2, b.Max[0]}, {0, 1, 0, -b.Min[1]}, {0, -1, 0, b.Max[1]}, {0.3, 0, 1, -b.Min[2]}, {0, 0, -1, b.Max[2]}}
		frustum := frustum(t, planes)
		round := sphere(t, scene.Sphere{Center: p, Radius: 20 * r.Float32()})
		hull := convex(t, planes[:4])
		turned := orientedBox(t, soa.OrientedBox{Center: p, Axes: [3][3]float32{{6, 6, 0}, {-6, 6, 0}, {0, 0, 20}}})
		point := point(t, p)
		askVolume(i, "Frustum", frustum, flt)
		askVolume(i, "Frustum", frustum.Precise(), flt)
		askVolume(i, "Frustum", query.Frustum{}, flt) // everything
		askVolume(i, "Box", box, flt)
		askVolume(i, "Sphere", round, flt)
		askVolume(i, "Convex", hull, flt)
		askVolume(i, "OrientedBox", turned, flt)
		askVolume(i, "Point", point, flt)
		tested := function(t, b, ofBox(b))
		askVolume(i, "Func", tested, flt)
		i.yes("Func.Check", tested.Check(i.v) == nil)
		i.yes("Func.Bounds", tested.Bounds() == b)

		dir := [3]float32{q[0] - p[0], q[1] - p[1], q[2] - p[2]}
		ray := rayOf(t, p, dir, float32(math.Inf(1)))
		moved := sweptBoxOf(t, soa.AABB{Min: p, Max: p}, dir)
		rolled := sweptSphereOf(t, p, 2, dir)
		i.sweep("Ray", &ray, flt)
		i.sweep("SweptBox", &moved, flt)
		i.sweep("SweptSphere", &rolled, flt)
		moved, rolled = moved.Entering(), rolled.Entering()
		i.sweep("SweptBox", &moved, flt)
		i.sweep("SweptSphere", &rolled, flt)

		camera := query.Camera{Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 2, Aspect: 1, Far: query.Unlimited}
		seen, err := camera.Frustum()
		testkit.Must(t, err)
		levels, err := seen.Levels(0.125, 0.5, 0.1, 0.02)
		testkit.Must(t, err)
		i.buf = seen.Append(i.buf[:0], i.v, flt)
		var last linear.Column[uint8]
		for _, level := range levels.Append(nil, i.v, i.buf, &last) {
			i.count("Levels.Append", int(level), 3)
		}

		for _, k := range []int{1, 5, 40, math.MaxInt32} {
			i.near, err = query.AppendNearest(i.near[:0], i.v, p, k, float32(math.Inf(1)), flt)
			testkit.Must(t, err)
			i.neighbours("AppendNearest", i.near)
			c, err := query.ExplainNearest(i.v, p, k, 30, flt, i.heat)
			testkit.Must(t, err)
			i.count("ExplainNearest", c.Ranges, i.objects)
		}
		nearby, err := query.NewNearby(p)
		testkit.Must(t, err)
		i.near = slices.AppendSeq(i.near[:0], nearby.All(i.v, flt))
		i.neighbours("Nearby.All", i.near)

		testkit.Must(t, i.frusta.Find(nil, i.v, []query.Frustum{frustum, frustum.Precise(), {}}, flt))
		testkit.Must(t, i.boxes.Find(nil, i.v, []query.Box{box, box, box, box, box}, flt))
		testkit.Must(t, i.spheres.Find(nil, i.v, []query.Sphere{round, round, round}, flt))
		for k := range 3 {
			i.list("FrustumBatch.Of", i.frusta.Of(k))
			i.list("BoxBatch.Of", i.boxes.Of(k))
			i.list("SphereBatch.Of", i.spheres.Of(k))
		}
		ids, _ := i.frusta.Viewers()
		i.count("FrustumBatch.Viewers", len(ids), i.objects)
		testkit.Must(t, i.rays.Find(nil, i.v, []query.Ray{ray, ray}, flt))
		i.count("RayBatch.Of", len(i.rays.Of(1)), 1)
		testkit.Must(t, i.rays.FindAll(nil, i.v, []query.Ray{ray, ray}, flt))
		i.count("RayBatch.Of", len(i.rays.Of(1)), i.objects)
		testkit.Must(t, i.points.Find(nil, i.v, [][3]float32{p, q}, 9, 100, flt))
		i.neighbours("NearestBatch.Of", i.points.Of(1))
		for _, form := range []string{"FrustumBatch.Find", "BoxBatch.Find", "SphereBatch.Find", "RayBatch.Find", "RayBatch.FindAll", "NearestBatch.Find"} {
			i.asked[form] = true
		}
	}
	i.collisions(t)
	for range 8 {
		slots, ok := i.v.CellOf(morton.Key(r.Uint64()))
		i.yes("CellOf", ok && slots.First < slots.End)
	}
	i.heard.mix(uint64(math.Float32bits(i.v.Bounds().Max[0])))
	for range 8 {
		o, _ := i.v.Object(r.Uint32N(uint32(i.ids + 1)))
		i.heard.mix(uint64(o.Mask))
	}
}

func (i *interview) neighbours(form string, near []query.Neighbor) {
	i.count(form, len(near), i.objects)
	for _, n := range near {
		i.id(form, n.ID)
		i.heard.mix(uint64(math.Float32bits(n.Dist2)))
	}
}

func (i *interview) collisions(t testing.TB) {
	most := i.objects * (i.objects - 1) / 2
	between := i.objects * i.objects // of two views, which are the same
	var err error
	for _, flt := range []collide.Filter{{}, {Exact: true}, {Distance: 1}, {Distance: 1, Exact: true}} {
		i.pairs = collide.Append(i.pairs[:0], collide.Between(i.v, i.v), flt)
		i.count("collide.Append", len(i.pairs), between)
		for _, p := range i.pairs {
			i.id("collide.Append", p.A)
			i.id("collide.Append", p.B)
		}
		contacts := collide.AppendContacts(nil, collide.Between(i.v, i.v), i.pairs)
		i.count("collide.AppendContacts", len(contacts), between)
		i.count("collide.Count", collide.Count(collide.Between(i.v, i.v), flt), between)
		n := 0
		for range collide.All(collide.Between(i.v, i.v), flt) {
			n++
		}
		i.count("collide.All", n, between)
		i.pairs, err = i.batch.Append(nil, i.pairs[:0], collide.Between(i.v, i.v), flt)
		testkit.Must(t, err)
		i.count("collide.Batch.Append", len(i.pairs), between)
	}
	near, err := collide.Nearest(nil, i.v, linear.View{}, 3, collide.Filter{})
	testkit.Must(t, err)
	i.count("collide.Nearest", len(near), 3*i.objects)
	for _, n := range near {
		i.id("collide.Nearest", n.A)
		i.id("collide.Nearest", n.B)
	}
	near, err = i.batch.Nearest(nil, near[:0], i.v, linear.View{}, 3, collide.Filter{})
	testkit.Must(t, err)
	i.count("collide.Batch.Nearest", len(near), 3*i.objects)
	for _, n := range near {
		i.id("collide.Batch.Nearest", n.A)
		i.id("collide.Batch.Nearest", n.B)
	}
	var steps soa.Column[collide.Step]
	for slot := range i.v.Slots() {
		for l, id := range i.v.IDs(uint32(slot)) {
			if id%8 == 0 {
				steps.Set(id, collide.Displace(i.v.Box(uint32(slot), l), [3]float32{3, 1, 0}))
			}
		}
	}
	impacts := collide.AppendImpacts(nil, collide.Between(i.v, i.v), &steps, &steps, collide.Filter{})
	i.count("collide.AppendImpacts", len(impacts), between)
	if err := i.tracker.Update(i.v); err != nil && !errors.Is(err, collide.ErrNoLog) {
		i.say("Tracker.Update: %v", err)
	}
	i.asked["collide.Tracker.Update"] = true
	i.watch.Budget = 1 << 20
	if err := i.watch.Update(i.v); err != nil && !errors.Is(err, collide.ErrNoLog) {
		i.say("Watch.Update: %v", err)
	}
	i.count("collide.BudgetTracker.Update", len(i.watch.Found()), 2*most) // a pair may be reported by both
}

// snapshotForest is a tree of some levels with all properties that queries read: pending objects, spheres, oriented
// boxes, masks, static objects, far ones.
func snapshotForest(t testing.TB, cfg linear.Config, n int) *linear.Tree {
	t.Helper()
	tree := trees.New(t, cfg)
	r := testkit.Rand(uint64(n))
	some := func(n int) (objects []linear.Object) {
		for k := range n {
			var at [3]float32
			for a := range at {
				at[a] = float32((r.Float32() - 0.5) * 60)
			}
			o := linear.Object{Box: linear.AABB{Min: at, Max: at}, Mask: 1 << (k % 4), Static: k%3 == 0}
			for a := range at {
				o.Box.Max[a] += 1 + 2*r.Float32()
			}
			objects = append(objects, o)
		}
		return objects
	}
	objects := some(n)
	if n > 100 {
		objects[7].Box.Max = [3]float32{1e5, 1e5, 1e5}
	}
	trees.Insert(t, tree, objects)
	for id := range uint32(n / 5) {
		o, _ := tree.Object(id)
		if id%2 == 0 {
			c := o.Box.Center()
			testkit.Must(t, tree.SetSphere(id, [4]float32{c[0], c[1], c[2], 0.4}))
		} else {
			c := o.Box.Center()
			testkit.Must(t, tree.SetOriented(id, linear.OrientedBox{Center: c, Axes: [3][3]float32{{0.2, 0.2, 0}, {-0.2, 0.2, 0}, {0, 0, 0.25}}}))
		}
	}
	testkit.Must(t, tree.Tick())
	trees.Insert(t, tree, some(n/16))
	testkit.Must(t, tree.Validate())
	return tree
}

// A snapshot has the results of the tree for every query in every form, in the same order, on every tier, however it
// was opened.
func TestSnapshotAnswers(t *testing.T) {
	testkit.EachTier(t, func(t *testing.T) {
		asked := map[string]bool{}
		for _, n := range []int{0, 1, 16, 100, 700} {
			tree := snapshotForest(t, linear.Config{Frozen: n%3 == 0, SplitAbove: 8}, n)
			want := interview{v: tree.View(), asked: asked}
			want.all(t, 1)
			var file snapBuffer
			_, err := tree.WriteTo(&file)
			testkit.Must(t, err)
			for level := linear.CheckSafe; level <= linear.CheckNone; level++ {
				s, err := linear.FromBytes(file, level)
				testkit.Must(t, err)
				got := interview{v: s.View(), asked: asked}
				if got.all(t, 1); got.heard != want.heard || got.fault != "" || want.fault != "" {
					t.Errorf("%d objects, level %v: %x, of the tree %x; %s%s", n, level, got.heard, want.heard, got.fault, want.fault)
				}
			}
		}
		for _, folder := range asking {
			for _, form := range formsOf(t, folder) {
				switch form {
				case "HitOf", "collide.Batch.Find", // of scenes
					"collide.Tracker.Began", "collide.Tracker.Ended", "collide.Tracker.Len", "collide.Tracker.Of", "collide.Tracker.Pairs",
					"collide.Tracker.Reset", "collide.Tracker.Stayed",
					"collide.BudgetTracker.Check", "collide.BudgetTracker.Checked", "collide.BudgetTracker.Found", "collide.BudgetTracker.Stats", "collide.BudgetTracker.ClassStats", // need a log
					"Frustum.Corners", "Frustum.Levels", "Frustum.MinSize", "Frustum.Planes", "Frustum.Precise", "Nearby.Point",
					"SweptBox.Entering", "SweptSphere.Entering": // query no view
				default:
					if !asked[form] {
						t.Errorf("%s is not asked", form)
					}
				}
			}
		}
	})
}

// snapBuffer is a file in memory.
type snapBuffer []byte

func (b *snapBuffer) Write(p []byte) (int, error) { *b = append(*b, p...); return len(p), nil }
