package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// replayConfigs are the configurations in which trees replay calls.
func replayConfigs() []linear.Config {
	fixed := linear.Config{World: cube(0, 0, 0, 30), Fixed: true, PendingMin: 6, PendingShare: 1 << 20, Log: true}
	refuse, remove := fixed, fixed
	refuse.Outside, remove.Outside = linear.OutsideReject, linear.OutsideRemove
	return append(slices.Clone(modelConfigs), refuse, remove,
		linear.Config{Frozen: true, Log: true, PendingMin: 20, PendingShare: 1 << 20},
		linear.Config{MinCell: 2, Cut: linear.CutCurve, PendingMin: 8, PendingShare: 1 << 20, GrowShare: 2, ShrinkShare: 2, Lifespan: linear.Off})
}

// script records random batches for a tree that accepts all of them, and tracks the expected contents of the
// tree.
type script struct {
	r     *rand.Rand
	tree  *linear.Tree // tree of the batches; the test does not read it
	boxes map[uint32]soa.AABB
	ids   []uint32 // live before the batch
	cfg   linear.Config
	kinds map[string]int // recorded calls by kind
	last  region         // of the last removal by region
}

func newScript(cfg linear.Config, tree *linear.Tree, seed uint64) *script {
	return &script{
		r: testkit.Rand(seed), tree: tree, cfg: cfg, boxes: map[uint32]soa.AABB{}, kinds: map[string]int{},
	}
}

// object returns an object that every tree accepts.
func (s *script) object() soa.Object {
	return soa.Object{Box: s.box(s.r.IntN(8) == 0), Mask: s.r.Uint32N(16), Static: s.r.IntN(3) == 0}
}

// box returns a box in the fixed world, or perhaps outside if the configuration allows it.
func (s *script) box(far bool) soa.AABB {
	var c [3]float32
	for a := range c {
		c[a] = s.r.Float32()*50 - 25
		if far && s.cfg.Outside == linear.OutsideKeep {
			c[a] *= 8
		}
	}
	if far && s.cfg.Outside == linear.OutsideKeep && s.r.IntN(8) == 0 {
		return cube(c[0]*1e4, c[1], c[2], 1)
	}
	return cube(c[0], c[1], c[2], 0.25+s.r.Float32())
}

// next returns the next box of an object: nearby, anywhere, or outside the world.
func (s *script) next(id uint32) soa.AABB {
	b := s.boxes[id]
	if s.r.IntN(3) == 0 {
		b = s.box(true)
	}
	by := s.r.Float32() - 0.5
	if c := b.Center(); c[0]+by > 25 || c[0]+by < -25 {
		by = 0
	}
	b.Min[0], b.Max[0] = b.Min[0]+by, b.Max[0]+by
	if s.cfg.Outside == linear.OutsideRemove && s.r.IntN(10) == 0 {
		b = cube(40, s.r.Float32(), 0, 1)
	}
	s.boxes[id] = b
	return b
}

// points returns points that every tree accepts.
func (s *script) points(n int) (points [][3]float32, labels linear.Labels) {
	labels = linear.Labels{Mask: s.r.Uint32N(16), Static: s.r.IntN(3) == 0}
	for range n {
		points = append(points, s.box(s.r.IntN(8) == 0).Min)
	}
	if s.r.IntN(2) == 0 {
		labels.Masks = make([]uint32, n)
		for i := range labels.Masks {
			labels.Masks[i] = s.r.Uint32N(16)
		}
	}
	return points, labels
}

// region returns a box or a sphere of about that size.
func (s *script) region(size float32) linear.Region {
	b := s.box(false)
	s.last = region{box: cube(b.Min[0]/4, b.Min[1]/4, b.Min[2]/4, size)}
	if s.r.IntN(2) == 0 {
		s.last = region{center: b.Min, radius: size, ball: true}
	}
	return s.last.linear()
}

func (s *script) filter() linear.Filter {
	return []linear.Filter{{}, {}, {Mask: 3}, {Motion: linear.StaticOnly}, {Mask: 8, Motion: linear.MovingOnly}}[s.r.IntN(5)]
}

// some returns different live IDs.
func (s *script) some(n int) []uint32 {
	s.r.Shuffle(len(s.ids), func(i, j int) { s.ids[i], s.ids[j] = s.ids[j], s.ids[i] })
	return slices.Clone(s.ids[:min(n, len(s.ids))])
}

func (s *script) ball(id uint32) [4]float32 {
	c := s.next(id).Center()
	sphere := [4]float32{c[0], c[1], c[2], 0.5}
	s.boxes[id] = soa.Ball{Sphere: sphere}.Box()
	return sphere
}

func (s *script) turned(id uint32) soa.OrientedBox {
	b := soa.OrientedBox{Center: s.next(id).Center(), Axes: [3][3]float32{{0.5, 0.5, 0}, {-0.25, 0.25, 0}, {0, 0, 0.5}}}
	s.boxes[id] = b.Box()
	return b
}

func (s *script) sphereIn(id uint32) [4]float32 {
	c := s.boxes[id].Center()
	return [4]float32{c[0], c[1], c[2], s.extent(id, 0.125)}
}

func (s *script) turnedIn(id uint32) soa.OrientedBox {
	h := s.extent(id, 0.0625)
	return soa.OrientedBox{Center: s.boxes[id].Center(), Axes: [3][3]float32{{h, 0, 0}, {0, h, 0}, {0, 0, h}}}
}

// extent returns the half-size of an object about its centre: 0 for a point.
func (s *script) extent(id uint32, length float32) float32 {
	if b := s.boxes[id]; b.Min == b.Max {
		return 0
	}
	return length
}

// part divides n objects into those with boxes, spheres and oriented boxes, any of them possibly none.
func (s *script) part(n int) (boxes, spheres int) {
	i, j := s.r.IntN(n+1), s.r.IntN(n+1)
	switch s.r.IntN(6) {
	case 0:
		i, j = 0, n
	case 1:
		i, j = 0, 0
	}
	return min(i, j), max(i, j)
}

// calls are the calls that batches record and that a tree has as methods. Each receives the IDs that it may
// use.
var calls = map[string]func(s *script, ids []uint32) func(to changer){
	"Insert": func(s *script, _ []uint32) func(changer) { o := s.object(); return func(c changer) { c.Insert(o) } },
	"InsertBall": func(s *script, _ []uint32) func(changer) {
		b := soa.Ball{Sphere: [4]float32{s.r.Float32(), 2, 3, 1}, Mask: 3}
		return func(c changer) { c.InsertBall(b) }
	},
	"InsertBatch": func(s *script, _ []uint32) func(changer) {
		list := make([]soa.Object, s.r.IntN(30))
		for i := range list {
			list[i] = s.object()
		}
		return func(c changer) { c.InsertBatch(list) }
	},
	"InsertBallBatch": func(s *script, _ []uint32) func(changer) {
		list := make([]soa.Ball, s.r.IntN(10))
		for i := range list {
			list[i] = soa.Ball{Sphere: [4]float32{s.r.Float32() * 20, 2, 3, 1}, Static: i%2 == 0}
		}
		return func(c changer) { c.InsertBallBatch(list) }
	},
	"InsertPoints": func(s *script, _ []uint32) func(changer) {
		points, labels := s.points(s.r.IntN(30))
		return func(c changer) { c.InsertPoints(points, labels) }
	},
	"InsertPointColumns": func(s *script, _ []uint32) func(changer) {
		points, labels := s.points(s.r.IntN(30))
		xs, ys, zs := columnsOf(points)
		return func(c changer) { c.InsertPointColumns(xs, ys, zs, labels) }
	},
	"Remove": func(s *script, ids []uint32) func(changer) { return each(ids, changer.Remove) },
	"RemoveBatch": func(s *script, ids []uint32) func(changer) {
		return func(c changer) { c.RemoveBatch(ids) }
	},
	"RemoveDirty": func(s *script, ids []uint32) func(changer) {
		dirty := bitsOfIDs(ids)
		return func(c changer) { c.RemoveDirty(dirty) }
	},
	"Move": func(s *script, ids []uint32) func(changer) { return eachTo(ids, s.next, changer.Move) },
	"MoveBatch": func(s *script, ids []uint32) func(changer) {
		return allTo(ids, s.next, changer.MoveBatch)
	},
	"MoveDirty": func(s *script, ids []uint32) func(changer) {
		boxes, dirty := dirtyOf(ids, s.next)
		return func(c changer) { c.MoveDirty(boxes, dirty) }
	},
	"MoveSphere": func(s *script, ids []uint32) func(changer) { return eachTo(ids, s.ball, changer.MoveSphere) },
	"MoveBodies": func(s *script, ids []uint32) func(changer) {
		n, k := s.part(len(ids))
		to := linear.Bodies{Boxes: toAll(ids[:n], s.next), Spheres: toAll(ids[n:k], s.ball), Oriented: toAll(ids[k:], s.turned)}
		return func(c changer) { c.MoveBodies(ids, to) }
	},
	"MoveOriented": func(s *script, ids []uint32) func(changer) { return eachTo(ids, s.turned, changer.MoveOriented) },
	"SetMask": func(s *script, ids []uint32) func(changer) {
		return eachTo(ids, func(uint32) uint32 { return s.r.Uint32() }, changer.SetMask)
	},
	"SetStatic": func(s *script, ids []uint32) func(changer) {
		return eachTo(ids, func(uint32) bool { return s.r.IntN(2) == 0 }, changer.SetStatic)
	},
	"SetSphere": func(s *script, ids []uint32) func(changer) { return eachTo(ids, s.sphereIn, changer.SetSphere) },
	"SetBounds": func(s *script, ids []uint32) func(changer) {
		_, k := s.part(len(ids))
		to := linear.Bodies{Spheres: toAll(ids[:k], s.sphereIn), Oriented: toAll(ids[k:], s.turnedIn)}
		return func(c changer) { c.SetBounds(ids, to) }
	},
	"SetOriented": func(s *script, ids []uint32) func(changer) { return eachTo(ids, s.turnedIn, changer.SetOriented) },
	"RemoveIn": func(s *script, _ []uint32) func(changer) {
		r, flt := s.region(s.r.Float32()*8), s.filter()
		return func(c changer) { c.RemoveIn(r, flt) }
	},
	"RemoveOutside": func(s *script, _ []uint32) func(changer) {
		r, flt := s.region(20+s.r.Float32()*20), s.filter()
		return func(c changer) { c.RemoveOutside(r, flt) }
	},
	"RemoveAll": func(*script, []uint32) func(changer) { return changer.RemoveAll },
	"Flush":     func(*script, []uint32) func(changer) { return changer.Flush },
	"Tick":      func(*script, []uint32) func(changer) { return changer.Tick },
	"Refit":     func(*script, []uint32) func(changer) { return changer.Refit },
	"Trim":      func(*script, []uint32) func(changer) { return changer.Trim },
	"Rebuild": func(s *script, _ []uint32) func(changer) {
		opt := linear.RebuildOptions{Frozen: s.r.IntN(2) == 0, Cut: linear.Cut(s.r.IntN(3))}
		return func(c changer) { c.Rebuild(opt) }
	},
}

// changer is a Batch, or a tree whose methods are called directly.
type changer interface {
	Insert(soa.Object)
	InsertBall(soa.Ball)
	InsertBatch([]soa.Object)
	InsertBallBatch([]soa.Ball)
	InsertPoints([][3]float32, linear.Labels)
	InsertPointColumns(xs, ys, zs []float32, labels linear.Labels)
	Remove(uint32)
	RemoveBatch([]uint32)
	RemoveDirty([]uint64)
	RemoveIn(linear.Region, linear.Filter)
	RemoveOutside(linear.Region, linear.Filter)
	Move(uint32, soa.AABB)
	MoveBatch([]uint32, []soa.AABB)
	MoveDirty([]soa.AABB, []uint64)
	MoveSphere(uint32, [4]float32)
	MoveBodies([]uint32, linear.Bodies)
	MoveOriented(uint32, soa.OrientedBox)
	SetMask(id, mask uint32)
	SetStatic(uint32, bool)
	SetSphere(uint32, [4]float32)
	SetBounds([]uint32, linear.Bodies)
	SetOriented(uint32, soa.OrientedBox)
	RemoveAll()
	Flush()
	Tick()
	Refit()
	Rebuild(linear.RebuildOptions)
	Trim()
}

func each(ids []uint32, call func(changer, uint32)) func(changer) {
	return func(c changer) {
		for _, id := range ids {
			call(c, id)
		}
	}
}

func eachTo[T any](ids []uint32, make func(uint32) T, call func(changer, uint32, T)) func(changer) {
	to := toAll(ids, make)
	return func(c changer) {
		for i, id := range ids {
			call(c, id, to[i])
		}
	}
}

func allTo[T any](ids []uint32, make func(uint32) T, call func(changer, []uint32, []T)) func(changer) {
	to := toAll(ids, make)
	return func(c changer) { call(c, ids, to) }
}

func toAll[T any](ids []uint32, make func(uint32) T) (to []T) {
	for _, id := range ids {
		to = append(to, make(id))
	}
	return to
}

// names are the names of the calls, in order; frequent calls appear several times.
var names = func() (names []string) {
	for name := range calls {
		names = append(names, name)
		if strings.HasPrefix(name, "Insert") || strings.HasPrefix(name, "Move") {
			names = append(names, name, name)
		}
	}
	slices.Sort(names)
	return names
}()

// batch returns the calls of a batch that the tree accepts. Many calls may use one object until its removal.
func (s *script) batch(tidy bool) (list []func(changer)) {
	s.ids = s.ids[:0]
	for id := range uint32(4000) {
		if s.tree.Has(id) {
			s.ids = append(s.ids, id)
		}
	}
	for range s.r.IntN(9) {
		name := names[s.r.IntN(len(names))]
		rare := name == "RemoveAll" || name == "Trim" || name == "Rebuild"
		if rare && s.r.IntN(4) > 0 || !tidy && (name == "Flush" || name == "Tick" || name == "RemoveAll" || name == "Rebuild") {
			continue
		}
		n := 1 + s.r.IntN(12)
		switch s.r.IntN(12) {
		case 0:
			n = len(s.ids)
		case 1:
			n = len(s.ids) / 3
		}
		if strings.HasPrefix(name, "Remove") {
			n = max(0, len(s.ids)-300) + min(n, 12)
		}
		ids := s.some(n)
		s.kinds[name]++
		list = append(list, calls[name](s, ids))
		switch {
		case name == "RemoveAll":
			s.ids = s.ids[:0]
		case name == "RemoveIn" || name == "RemoveOutside": // not those that the filter may keep
			in := func(id uint32) bool { return s.last.in(s.boxes[id]) != (name == "RemoveOutside") }
			s.ids = slices.DeleteFunc(s.ids, in)
		case strings.HasPrefix(name, "Remove"):
			s.ids = slices.DeleteFunc(s.ids, func(id uint32) bool { return slices.Contains(ids, id) })
		}
	}
	return list
}

// record makes the calls of a batch.
func (s *script) record(to changer, list []func(changer)) {
	for _, call := range list {
		call(to)
	}
}

// placed updates the boxes of the objects after an Apply.
func (s *script) placed(t testing.TB) {
	c := s.tree.Clone()
	for id, o := range c.All() {
		s.boxes[id] = o.Box
	}
	must(t, c.Validate())
}

// glance reads a tree by some of the methods.
func glance(t testing.TB, r *rand.Rand, tree *linear.Tree) {
	v := tree.View()
	looks := []func(){
		func() { tree.Stats() },
		func() {
			for range tree.Cells() {
			}
		},
		func() {
			for range tree.Packets() {
				break
			}
		},
		func() { valid(t, tree) },
		func() { tree.Clone().Clear() },
		func() { tree.Order(nil) },
		func() { tree.Bounds(); tree.Radius(); tree.World(); tree.Key(cube(1, 1, 1, 1)) },
		func() { tree.Object(3); tree.Sphere(3); tree.Oriented(3); tree.Handle(3); tree.Digest() },
		func() { v.Changes(0); v.Object(2) },
		func() {
			b, err := query.NewBox([3]float32{-8, -8, -8}, [3]float32{8, 8, 8})
			must(t, err)
			b.Append(nil, v, query.Filter{})
			query.AppendNearest(nil, v, [3]float32{1, 2, 3}, 5, 1e9, query.Filter{})
		},
	}
	for range 1 + r.IntN(4) {
		looks[r.IntN(len(looks))]()
	}
}

// Trees with the same calls of Apply and Tick are identical after each call, in all columns and all deciding
// state. They are read in between, published and held, cloned, run with one goroutine or two, or decode the
// batches from bytes. No read finds deferred work.
func TestStateIsCalls(t *testing.T) {
	seed := testkit.Seed(t)
	frames := testkit.Budget(t, 25, 400)
	done := map[string]int{}
	for i, cfg := range replayConfigs() {
		t.Run(fmt.Sprint("config ", i), func(t *testing.T) {
			cfg.Workers = 1
			quiet := newTree(t, cfg)
			looked, shared, bytes := newTree(t, cfg), newTree(t, cfg), newTree(t, cfg)
			cfg.Workers = 2
			wide := newTree(t, cfg)
			p := linear.NewPublisher(shared)
			var held []linear.Version
			s := newScript(cfg, quiet, seed+uint64(i))
			r := testkit.Rand(seed + 77)
			var b, decoded linear.Batch
			for frame := range frames {
				apply := func(name string, tree *linear.Tree, b *linear.Batch) {
					if b == nil {
						must(t, tree.Tick())
					} else if _, err := tree.Apply(b); err != nil {
						t.Fatalf("frame %d, %s: %v", frame, name, err)
					}
					if linear.LookPending(tree) {
						t.Fatalf("frame %d, %s: something waits for a look", frame, name)
					}
				}
				now := &b
				b.Reset()
				if r.IntN(4) == 0 {
					now = nil
				} else {
					s.record(&b, s.batch(true))
				}
				apply("quiet", quiet, now)
				want := linear.StateOf(quiet)
				if r.IntN(3) > 0 {
					glance(t, r, looked)
					p.Publish()
				}
				apply("looked at", looked, now)
				apply("shared", shared, now)
				if r.IntN(2) == 0 {
					glance(t, r, looked)
					glance(t, r, shared)
					p.Publish()
					held = append(held, p.Acquire())
					if len(held) > 3 {
						held[0].Release()
						held = held[1:]
					}
				}
				apply("two workers", wide, now)
				if now != nil {
					data, err := now.MarshalBinary()
					must(t, err)
					must(t, decoded.UnmarshalBinary(data))
					now = &decoded
				}
				apply("bytes", bytes, now)
				if r.IntN(20) == 0 {
					looked = looked.Clone()
				}
				for name, tree := range map[string]*linear.Tree{"looked at": looked, "shared": shared, "two workers": wide, "bytes": bytes} {
					if got := linear.StateOf(tree); got != want {
						t.Fatalf("frame %d: the tree %s is\n%s\nwant\n%s", frame, name, got, want)
					}
				}
				if looked.Digest() != shared.Digest() {
					t.Fatalf("frame %d: digests differ", frame)
				}
				s.placed(t)
			}
			for name, n := range s.kinds {
				done[name] += n
			}
			for len(held) > 0 {
				held[0].Release()
				held = held[1:]
			}
		})
	}
	for name := range calls {
		if done[name] == 0 {
			t.Errorf("%s has not been recorded", name)
		}
	}
}
