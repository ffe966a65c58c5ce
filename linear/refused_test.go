package linear_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// refusal is the input of bad calls of a tree.
type refusal struct {
	live, dead []uint32
	outside    bool // new objects outside the world are rejected
	moves      bool // and moves out of it
	full       bool // there is no room for an object
}

var (
	nan32, inf32 = float32(math.NaN()), float32(math.Inf(1))
	goodBox      = cube(1, 2, 3, 0.5)
	outBox       = cube(500, 2, 3, 0.5)
)

// badBoxes are invalid boxes, of new objects or of moves.
func (x *refusal) badBoxes(moves bool) []soa.AABB {
	bad := []soa.AABB{cube(nan32, 0, 0, 1), cube(0, inf32, 0, 1), {Min: [3]float32{1, 1, 1}}, {Max: [3]float32{0, 0, -1}}}
	if moves && x.moves || !moves && x.outside {
		bad = append(bad, outBox)
	}
	if !moves && x.full {
		bad = append(bad, goodBox, outBox)
	}
	return bad
}

func (x *refusal) badSpheres(moves bool) [][4]float32 {
	bad := [][4]float32{{0, 0, 0, -1}, {0, 0, nan32, 1}, {0, 0, 0, nan32}, {0, 0, 0, inf32}, {math.MaxFloat32, 0, 0, 1e38}}
	if moves && x.moves || !moves && x.outside {
		bad = append(bad, [4]float32{500, 0, 0, 1})
	}
	if !moves && x.full {
		bad = append(bad, [4]float32{0, 0, 0, 1}, [4]float32{500, 0, 0, 1})
	}
	return bad
}

func (x *refusal) badOriented() []soa.OrientedBox {
	skewed := soa.OrientedBox{Axes: [3][3]float32{{1, 0, 0}, {1, 1, 0}, {0, 0, 1}}}
	bad := []soa.OrientedBox{{Center: [3]float32{nan32}}, skewed, {Axes: [3][3]float32{{inf32, 0, 0}}}}
	if x.moves {
		bad = append(bad, soa.OrientedBox{Center: [3]float32{500}})
	}
	return bad
}

type treeCall = func(t *linear.Tree) error

func callsOf[T any](bad []T, call func(t *linear.Tree, x T) error) (calls []treeCall) {
	for _, x := range bad {
		calls = append(calls, func(t *linear.Tree) error { return call(t, x) })
	}
	return calls
}

// byID are calls with one ID: dead IDs with good arguments, and live IDs with bad arguments.
func byID[T any](x *refusal, good T, bad []T, call func(t *linear.Tree, id uint32, to T) error) (calls []treeCall) {
	for _, id := range x.dead {
		calls = append(calls, func(t *linear.Tree) error { return call(t, id, good) })
	}
	for _, id := range x.live[:min(1, len(x.live))] {
		calls = append(calls, callsOf(bad, func(t *linear.Tree, to T) error { return call(t, id, to) })...)
	}
	return calls
}

// byIDs are calls with all IDs, including a dead ID or a bad argument.
func byIDs[T any](x *refusal, good T, bad []T, call func(t *linear.Tree, ids []uint32, to []T) error) (calls []treeCall) {
	all := slices.Repeat([]T{good}, len(x.live))
	for _, at := range []int{0, len(x.live) / 2, len(x.live)} {
		for _, id := range x.dead {
			ids, to := slices.Insert(slices.Clone(x.live), at, id), slices.Insert(slices.Clone(all), at, good)
			calls = append(calls, func(t *linear.Tree) error { return call(t, ids, to) })
		}
		if at < len(x.live) {
			calls = append(calls, callsOf(bad, func(t *linear.Tree, b T) error {
				to := slices.Clone(all)
				to[at] = b
				return call(t, x.live, to)
			})...)
		}
	}
	return calls
}

// refusals are bad calls of each method of a tree that can reject a call.
var refusals = map[string]func(x *refusal) []treeCall{
	"Insert": func(x *refusal) []treeCall {
		return callsOf(x.badBoxes(false), func(t *linear.Tree, b soa.AABB) error { _, err := t.Insert(soa.Object{Box: b}); return err })
	},
	"InsertBall": func(x *refusal) []treeCall {
		return callsOf(x.badSpheres(false), func(t *linear.Tree, s [4]float32) error { _, err := t.InsertBall(soa.Ball{Sphere: s}); return err })
	},
	"InsertBatch": func(x *refusal) []treeCall {
		return callsOf(x.badBoxes(false), func(t *linear.Tree, b soa.AABB) error {
			dst, err := t.InsertBatch([]uint32{7}, []soa.Object{{Box: goodBox}, {Box: b}, {Box: b}})
			if len(dst) != 1 || dst[0] != 7 || err != nil && !x.full && !strings.Contains(err.Error(), "object 1:") {
				panic(fmt.Sprintf("InsertBatch of a bad object 1 returns %v, %v", dst, err))
			}
			return err
		})
	},
	"InsertBallBatch": func(x *refusal) []treeCall {
		return callsOf(x.badSpheres(false), func(t *linear.Tree, s [4]float32) error {
			_, err := t.InsertBallBatch(nil, []soa.Ball{{}, {Sphere: s}})
			return err
		})
	},
	"InsertPoints": func(x *refusal) []treeCall {
		calls := callsOf(x.badBoxes(false), func(t *linear.Tree, b soa.AABB) error {
			_, err := t.InsertPoints(nil, [][3]float32{{}, b.Min, {nan32}}, linear.Labels{})
			return err
		})
		return append(calls, func(t *linear.Tree) error {
			_, err := t.InsertPoints(nil, make([][3]float32, 3), linear.Labels{Masks: []uint32{1}})
			return err
		})
	},
	"InsertPointColumns": func(x *refusal) []treeCall {
		calls := callsOf(x.badBoxes(false), func(t *linear.Tree, b soa.AABB) error {
			_, err := t.InsertPointColumns(nil, []float32{1, b.Min[0]}, []float32{2, b.Min[1]}, []float32{3, nan32}, linear.Labels{})
			return err
		})
		return append(calls, func(t *linear.Tree) error {
			_, err := t.InsertPointColumns(nil, []float32{1}, []float32{2}, []float32{3, 4}, linear.Labels{})
			return err
		})
	},
	"Build": func(x *refusal) (calls []treeCall) {
		build := func(objects []soa.Object, opt linear.RebuildOptions) treeCall {
			return func(t *linear.Tree) error { return t.Build(nil, objects, opt) }
		}
		calls = append(calls, build([]soa.Object{{Box: goodBox}}, linear.RebuildOptions{Cut: 9}))
		for _, b := range x.badBoxes(false) {
			calls = append(calls, build([]soa.Object{{Box: goodBox}, {Box: b}}, linear.RebuildOptions{Frozen: true}))
		}
		return calls
	},
	"Rebuild": func(x *refusal) []treeCall {
		done, cancel := context.WithCancel(context.Background())
		cancel()
		calls := []treeCall{func(t *linear.Tree) error { return t.Rebuild(nil, linear.RebuildOptions{Cut: 9}) }}
		if len(x.live) > 0 {
			calls = append(calls, func(t *linear.Tree) error { return t.Rebuild(done, linear.RebuildOptions{Frozen: true}) })
		}
		return calls
	},
	"Remove": func(x *refusal) []treeCall {
		return callsOf(x.dead, func(t *linear.Tree, id uint32) error { return t.Remove(id) })
	},
	"RemoveBatch": func(x *refusal) []treeCall {
		calls := callsOf(x.dead, func(t *linear.Tree, id uint32) error { return t.RemoveBatch(append(slices.Clone(x.live), id)) })
		if len(x.live) > 0 {
			calls = append(calls, func(t *linear.Tree) error { return t.RemoveBatch(append(slices.Clone(x.live), x.live[0])) })
		}
		return calls
	},
	"RemoveDirty": func(x *refusal) []treeCall {
		return callsOf(x.dead, func(t *linear.Tree, id uint32) error {
			if hugeIDs(id) {
				return linear.ErrUnknown
			}
			return t.RemoveDirty(bitsOfIDs(append(slices.Clone(x.live), id)))
		})
	},
	"RemoveIn": func(x *refusal) []treeCall {
		return callsOf(badSelections(), func(t *linear.Tree, s selection) error {
			dst, n, err := t.RemoveIn([]uint32{7}, s.region, s.filter)
			if len(dst) != 1 || n != 0 {
				panic(fmt.Sprintf("RemoveIn of a bad region returns %v, %d", dst, n))
			}
			return err
		})
	},
	"RemoveOutside": func(x *refusal) []treeCall {
		return callsOf(badSelections(), func(t *linear.Tree, s selection) error {
			_, _, err := t.RemoveOutside(nil, s.region, s.filter)
			return err
		})
	},
	"Move": func(x *refusal) []treeCall {
		return byID(x, goodBox, x.badBoxes(true), (*linear.Tree).Move)
	},
	"MoveBatch": func(x *refusal) []treeCall {
		return byIDs(x, goodBox, x.badBoxes(true), (*linear.Tree).MoveBatch)
	},
	"MoveDirty": func(x *refusal) []treeCall {
		return byIDs(x, goodBox, x.badBoxes(true), func(t *linear.Tree, ids []uint32, to []soa.AABB) error {
			if hugeIDs(ids...) {
				return linear.ErrUnknown
			}
			return t.MoveDirty(dirtyOf(ids, func(id uint32) soa.AABB { return to[slices.Index(ids, id)] }))
		})
	},
	"MoveInOrder": func(x *refusal) []treeCall {
		calls := callsOf([]uint64{0, 1 << 40}, func(t *linear.Tree, arrangement uint64) error {
			return t.MoveInOrder(arrangement, make([]soa.AABB, t.Len()))
		})
		if len(x.live) == 0 {
			return calls
		}
		return append(calls, callsOf(x.badBoxes(true), func(t *linear.Tree, b soa.AABB) error {
			order, arrangement := t.Order(nil)
			boxes := slices.Repeat([]soa.AABB{goodBox}, len(order))
			boxes[len(order)/2] = b
			return t.MoveInOrder(arrangement, boxes)
		})...)
	},
	"MoveSphere": func(x *refusal) []treeCall {
		return byID(x, [4]float32{0, 0, 0, 1}, x.badSpheres(true), (*linear.Tree).MoveSphere)
	},
	"MoveBodies": func(x *refusal) []treeCall {
		calls := slices.Concat(
			byIDs(x, [4]float32{0, 0, 0, 1}, x.badSpheres(true), func(t *linear.Tree, ids []uint32, s [][4]float32) error {
				return t.MoveBodies(ids, linear.Bodies{Spheres: s})
			}),
			byIDs(x, soa.OrientedBox{}, x.badOriented(), func(t *linear.Tree, ids []uint32, b []soa.OrientedBox) error {
				return t.MoveBodies(ids, linear.Bodies{Oriented: b})
			}))
		return append(calls, mixed(x)...)
	},
	"MoveOriented": func(x *refusal) []treeCall {
		return byID(x, soa.OrientedBox{}, x.badOriented(), (*linear.Tree).MoveOriented)
	},
	"SetMask": func(x *refusal) []treeCall {
		return callsOf(x.dead, func(t *linear.Tree, id uint32) error { return t.SetMask(id, 7) })
	},
	"SetStatic": func(x *refusal) []treeCall {
		return callsOf(x.dead, func(t *linear.Tree, id uint32) error { return t.SetStatic(id, true) })
	},
	"SetSphere": func(x *refusal) []treeCall {
		return byID(x, [4]float32{}, append(x.badSpheres(false), [4]float32{1e30, 0, 0, 1}), (*linear.Tree).SetSphere)
	},
	"SetBounds": func(x *refusal) []treeCall {
		return slices.Concat(
			byIDs(x, [4]float32{}, [][4]float32{{0, 0, 0, -1}, {nan32}, {1e30, 0, 0, 1}}, func(t *linear.Tree, ids []uint32, s [][4]float32) error {
				return t.SetBounds(ids, linear.Bodies{Spheres: s})
			}),
			byIDs(x, soa.OrientedBox{}, append(x.badOriented(), soa.OrientedBox{Center: [3]float32{1e30}}),
				func(t *linear.Tree, ids []uint32, b []soa.OrientedBox) error {
					return t.SetBounds(ids, linear.Bodies{Oriented: b})
				}))
	},
	"SetOriented": func(x *refusal) []treeCall {
		return byID(x, soa.OrientedBox{}, append(x.badOriented(), soa.OrientedBox{Center: [3]float32{1e30}}), (*linear.Tree).SetOriented)
	},
	"Apply": func(x *refusal) (calls []treeCall) {
		apply := func(record func(b *linear.Batch)) {
			calls = append(calls, func(t *linear.Tree) error {
				var b linear.Batch
				for _, id := range x.live[:len(x.live)/2] {
					b.Move(id, goodBox)
				}
				if !x.full {
					b.Insert(soa.Object{Box: goodBox})
				}
				record(&b)
				b.Tick()
				_, err := t.Apply(&b)
				return err
			})
		}
		for _, box := range x.badBoxes(false) {
			apply(func(b *linear.Batch) { b.Insert(soa.Object{Box: box}) })
			apply(func(b *linear.Batch) { b.InsertBatch([]soa.Object{{Box: goodBox}, {Box: box}}) })
		}
		for _, s := range x.badSpheres(false) {
			apply(func(b *linear.Batch) { b.InsertBall(soa.Ball{Sphere: s}) })
			apply(func(b *linear.Batch) { b.InsertBallBatch([]soa.Ball{{}, {Sphere: s}}) })
		}
		for _, id := range x.dead {
			apply(func(b *linear.Batch) { b.Remove(id) })
			apply(func(b *linear.Batch) { b.RemoveBatch([]uint32{id}) })
			apply(func(b *linear.Batch) { b.Move(id, goodBox) })
			apply(func(b *linear.Batch) { b.MoveSphere(id, [4]float32{}) })
			apply(func(b *linear.Batch) { b.SetMask(id, 1) })
			apply(func(b *linear.Batch) { b.SetOriented(id, soa.OrientedBox{}) })
		}
		for _, id := range x.live[:min(1, len(x.live))] {
			for _, box := range x.badBoxes(true) {
				apply(func(b *linear.Batch) { b.Move(id, box) })
				apply(func(b *linear.Batch) { b.MoveBatch([]uint32{id, id}, []soa.AABB{goodBox, box}) })
			}
			for _, o := range x.badOriented() {
				apply(func(b *linear.Batch) { b.MoveOriented(id, o) })
			}
			apply(func(b *linear.Batch) { b.SetSphere(id, [4]float32{1e30, 0, 0, 1}) })
			apply(func(b *linear.Batch) { b.Remove(id); b.Remove(id) })
			apply(func(b *linear.Batch) { b.RemoveAll(); b.SetStatic(id, true) })
			apply(func(b *linear.Batch) {
				b.Move(id, goodBox)
				b.RemoveIn(linear.BoxRegion(goodBox), linear.Filter{})
				b.MoveBatch([]uint32{id}, []soa.AABB{goodBox})
			})
		}
		for _, s := range badSelections() {
			apply(func(b *linear.Batch) { b.RemoveIn(s.region, s.filter) })
			apply(func(b *linear.Batch) { b.RemoveOutside(s.region, s.filter) })
		}
		apply(func(b *linear.Batch) { b.Rebuild(linear.RebuildOptions{Cut: 9}) })
		return calls
	},
}

// mixed are moves to bodies of all kinds, including a dead ID or one invalid body.
func mixed(x *refusal) (calls []treeCall) {
	n := len(x.live)
	if n < 3 {
		return nil
	}
	good := func() linear.Bodies {
		return linear.Bodies{
			Boxes: slices.Repeat([]soa.AABB{goodBox}, n/3), Spheres: slices.Repeat([][4]float32{{0, 0, 0, 1}}, n/3),
			Oriented: make([]soa.OrientedBox, n-n/3*2),
		}
	}
	for _, id := range x.dead {
		for _, at := range []int{0, n / 2, n - 1} {
			ids := slices.Clone(x.live)
			ids[at] = id
			calls = append(calls, func(t *linear.Tree) error { return t.MoveBodies(ids, good()) })
		}
	}
	calls = append(calls, callsOf(x.badBoxes(true), func(t *linear.Tree, b soa.AABB) error {
		to := good()
		to.Boxes[n/3-1] = b
		return t.MoveBodies(x.live, to)
	})...)
	calls = append(calls, callsOf(x.badSpheres(true), func(t *linear.Tree, s [4]float32) error {
		to := good()
		to.Spheres[0] = s
		return t.MoveBodies(x.live, to)
	})...)
	return append(calls, callsOf(x.badOriented(), func(t *linear.Tree, b soa.OrientedBox) error {
		to := good()
		to.Oriented[n-n/3*2-1] = b
		return t.MoveBodies(x.live, to)
	})...)
}

// never are the methods with an error that never reject a call: read-only methods, and Flush and Tick, which
// leave objects without room pending and do the rest of their work. ValidateAll belongs to the tests.
var never = []string{"Resolve", "Save", "Validate", "WriteSnapshot", "WriteTo", "Flush", "Tick", "ValidateAll"}

// withErrors returns the names of the exported methods of a type whose last result is an error.
func withErrors(t reflect.Type) (names []string) {
	for i := range t.NumMethod() {
		m := t.Method(i)
		if n := m.Type.NumOut(); n > 0 && m.Type.Out(n-1) == reflect.TypeFor[error]() {
			names = append(names, m.Name)
		}
	}
	return names
}

// covers fails unless a table and a list of exceptions have all methods that return an error.
func covers(t *testing.T, of reflect.Type, table, exceptions []string) {
	t.Helper()
	have := slices.Sorted(slices.Values(slices.Concat(table, exceptions)))
	want := withErrors(of)
	if !slices.Equal(have, want) {
		t.Errorf("%v: the table has %q, the type %q", of, have, want)
	}
}

// refusingConfig draws a configuration that New accepts, usually with a world that may reject objects outside.
func refusingConfig(t testing.TB, r *rand.Rand) linear.Config {
	for {
		cfg := randomConfig(t, r)
		cfg.Thin = linear.Thin{} // see TestThinModel
		if r.IntN(3) > 0 {
			cfg.World, cfg.Fixed, cfg.Outside = cube(0, 0, 0, 30), true, linear.Outside(r.IntN(3))
			cfg.MinCell = 0
		}
		if _, err := linear.New(cfg); err == nil && (cfg.Outside == linear.OutsideKeep || cfg.World == cube(0, 0, 0, 30)) {
			return cfg
		}
	}
}

// A rejected call changes nothing and counts nothing: no column, list or number of the tree, and no deferred
// change. Earlier views stay valid. This holds for every method of a tree that can reject a call, in every
// configuration, and for every kind of tree: zero, empty, small, full, and with deferred moves and removals.
func TestRefusedCallsChangeNothing(t *testing.T) {
	covers(t, reflect.TypeFor[*linear.Tree](), keysOf(refusals), never)
	seed := testkit.Seed(t)
	made := map[string]int{}
	for i := range testkit.Count(t, 5, 200) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		cfg := refusingConfig(t, r)
		tree := newTree(t, cfg)
		var log []string
		if i%8 == 1 {
			cfg, tree = linear.Config{}, new(linear.Tree)
		} else if i%8 > 2 {
			for range r.IntN(40) {
				var live []uint32
				for id := range tree.All() {
					live = append(live, id)
				}
				name, do := randomChange(r, live)
				log = append(log, name)
				_ = do(tree) // may be outside
			}
			_, err := tree.InsertBatch(nil, slices.Repeat([]soa.Object{{Box: goodBox}}, 1+r.IntN(30)))
			must(t, err)
		}
		x := &refusal{outside: cfg.Outside != linear.OutsideKeep, moves: cfg.Outside == linear.OutsideReject, dead: []uint32{1 << 30, linear.None}}
		for id := range tree.All() {
			x.live = append(x.live, id)
		}
		if len(x.live) > 0 {
			gone := x.live[len(x.live)-1]
			must(t, tree.Remove(gone))
			x.live, x.dead = x.live[:len(x.live)-1], append(x.dead, gone)
		}
		if x.full = i%3 == 0 && len(x.live) > 0; x.full {
			x.dead = x.dead[:2] // the free IDs are reused by other objects
		}
		// Deferred work: equal changes of equal trees.
		deferring := func() *linear.Tree {
			to := tree.Clone()
			if i%8 == 1 {
				to = new(linear.Tree)
			}
			for _, id := range x.live[:min(3, len(x.live))] {
				must(t, to.Move(id, goodBox))
			}
			if x.full {
				to.SetLimits(uint32(linear.PlacesOf(to).Cap()), 0, 0)
				for to.Len() < linear.PlacesOf(to).Cap() {
					_, err := to.Insert(soa.Object{Box: goodBox})
					must(t, err)
				}
			}
			return to
		}
		want := deferring().LayoutDigest()
		for name, bad := range refusals {
			if name == "Build" && len(x.live) > 0 && !x.full {
				continue // every such call is rejected
			}
			for k, call := range bad(x) {
				made[name]++
				what := func() string {
					return fmt.Sprintf("tree %d, %+v, after %q: %s, bad call %d", i, cfg, log, name, k)
				}
				subject := deferring()
				if err := call(subject); err == nil {
					t.Fatalf("%s is taken", what())
				}
				if subject.LayoutDigest() != want {
					t.Fatalf("%s has changed the tree", what())
				}
				// And with a view, which is the last read.
				v, before := subject.View(), linear.StateOf(subject)
				if err := call(subject); err == nil {
					t.Fatalf("%s is taken the second time", what())
				}
				if after := linear.StateOf(subject); after != before {
					t.Fatalf("%s has made the tree\n%s\nit was\n%s", what(), after, before)
				}
				v.Len() // panics if the view is stale
				valid(t, subject)
			}
		}
	}
	for name := range refusals {
		if made[name] == 0 {
			t.Errorf("%s was never refused", name)
		}
	}
}
