package linear_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// caller makes the calls of a batch directly on a tree.
type caller struct {
	t    testing.TB
	tree *linear.Tree
	ids  []uint32 // IDs of inserted objects
	gone map[uint32]bool
}

func (c *caller) inserted(id uint32, err error) {
	must(c.t, err)
	c.ids = append(c.ids, id)
}

// live returns the indices of objects that are not removed as outside while the batch is applied.
func (c *caller) live(ids []uint32) (at []int) {
	for i, id := range ids {
		if !c.gone[id] {
			at = append(at, i)
		}
	}
	return at
}

func pickAt[T any](list []T, at []int) (some []T) {
	for _, i := range at {
		some = append(some, list[i])
	}
	return some
}

func one(c *caller, id uint32, call func() error) {
	if !c.gone[id] {
		must(c.t, call())
	}
}

func many[T any](c *caller, ids []uint32, to []T, call func([]uint32, []T) error) {
	at := c.live(ids)
	must(c.t, call(pickAt(ids, at), pickAt(to, at)))
}

func (c *caller) departed(err error) {
	must(c.t, err)
	for _, h := range c.tree.RemovedOutside() {
		c.gone[h.ID] = true
	}
}

func (c *caller) Insert(o soa.Object)   { c.inserted(c.tree.Insert(o)) }
func (c *caller) InsertBall(b soa.Ball) { c.inserted(c.tree.InsertBall(b)) }
func (c *caller) InsertBatch(list []soa.Object) {
	var err error
	c.ids, err = c.tree.InsertBatch(c.ids, list)
	must(c.t, err)
}
func (c *caller) InsertBallBatch(list []soa.Ball) {
	var err error
	c.ids, err = c.tree.InsertBallBatch(c.ids, list)
	must(c.t, err)
}
func (c *caller) InsertPoints(points [][3]float32, labels linear.Labels) {
	var err error
	c.ids, err = c.tree.InsertPoints(c.ids, points, labels)
	must(c.t, err)
}
func (c *caller) InsertPointColumns(xs, ys, zs []float32, labels linear.Labels) {
	var err error
	c.ids, err = c.tree.InsertPointColumns(c.ids, xs, ys, zs, labels)
	must(c.t, err)
}
func (c *caller) Remove(id uint32) { one(c, id, func() error { return c.tree.Remove(id) }) }
func (c *caller) RemoveBatch(ids []uint32) {
	must(c.t, c.tree.RemoveBatch(pickAt(ids, c.live(ids))))
}
func (c *caller) Move(id uint32, to soa.AABB) {
	one(c, id, func() error { return c.tree.Move(id, to) })
}
func (c *caller) MoveBatch(ids []uint32, to []soa.AABB) { many(c, ids, to, c.tree.MoveBatch) }
func (c *caller) MoveDirty(boxes []soa.AABB, dirty []uint64) {
	must(c.t, c.tree.MoveDirty(boxes, c.liveBits(dirty)))
}
func (c *caller) RemoveIn(r linear.Region, flt linear.Filter) {
	_, _, err := c.tree.RemoveIn(nil, r, flt)
	must(c.t, err)
}
func (c *caller) RemoveOutside(r linear.Region, flt linear.Filter) {
	_, _, err := c.tree.RemoveOutside(nil, r, flt)
	must(c.t, err)
}
func (c *caller) RemoveDirty(dirty []uint64) { must(c.t, c.tree.RemoveDirty(c.liveBits(dirty))) }

// liveBits returns the bits of the objects that are not removed as outside.
func (c *caller) liveBits(dirty []uint64) []uint64 {
	dirty = slices.Clone(dirty)
	for id := range c.gone {
		if int(id/64) < len(dirty) {
			dirty[id/64] &^= 1 << (id % 64)
		}
	}
	return dirty
}
func (c *caller) MoveSphere(id uint32, to [4]float32) {
	one(c, id, func() error { return c.tree.MoveSphere(id, to) })
}
func (c *caller) MoveBodies(ids []uint32, to linear.Bodies) {
	at, to := c.liveBodies(ids, to)
	must(c.t, c.tree.MoveBodies(at, to))
}

// liveBodies returns the objects that are not removed as outside, with their bodies.
func (c *caller) liveBodies(ids []uint32, all linear.Bodies) (live []uint32, to linear.Bodies) {
	n := len(all.Boxes)
	k := n + len(all.Spheres)
	to.Boxes, to.Spheres = pickAt(all.Boxes, c.live(ids[:n])), pickAt(all.Spheres, c.live(ids[n:k]))
	to.Oriented = pickAt(all.Oriented, c.live(ids[k:]))
	return pickAt(ids, c.live(ids)), to
}
func (c *caller) MoveOriented(id uint32, to soa.OrientedBox) {
	one(c, id, func() error { return c.tree.MoveOriented(id, to) })
}
func (c *caller) SetMask(id, mask uint32) {
	one(c, id, func() error { return c.tree.SetMask(id, mask) })
}
func (c *caller) SetStatic(id uint32, static bool) {
	one(c, id, func() error { return c.tree.SetStatic(id, static) })
}
func (c *caller) SetSphere(id uint32, s [4]float32) {
	one(c, id, func() error { return c.tree.SetSphere(id, s) })
}
func (c *caller) SetBounds(ids []uint32, to linear.Bodies) {
	at, to := c.liveBodies(ids, to)
	must(c.t, c.tree.SetBounds(at, to))
}
func (c *caller) SetOriented(id uint32, b soa.OrientedBox) {
	one(c, id, func() error { return c.tree.SetOriented(id, b) })
}
func (c *caller) RemoveAll()                        { c.tree.Clear() }
func (c *caller) Flush()                            { c.departed(c.tree.Flush()) }
func (c *caller) Tick()                             { c.departed(c.tree.Tick()) }
func (c *caller) Refit()                            { c.tree.Refit() }
func (c *caller) Rebuild(opt linear.RebuildOptions) { must(c.t, c.tree.Rebuild(nil, opt)) }
func (c *caller) Trim()                             { c.tree.Trim() }

// A batch has the effect of its calls one by one: the same objects under the same IDs, and the same removals of
// outside objects.
func TestApplyIsCalls(t *testing.T) {
	seed := testkit.Seed(t)
	skipped := 0
	for i, cfg := range replayConfigs() {
		cfg.Workers = 1
		applied, called := newTree(t, cfg), newTree(t, cfg)
		s := newScript(cfg, applied, seed+uint64(i))
		for frame := range testkit.Budget(t, 25, 400) {
			list := s.batch(true)
			var b linear.Batch
			s.record(&b, list)
			ids, err := applied.Apply(&b)
			must(t, err)
			c := &caller{t: t, tree: called, gone: map[uint32]bool{}}
			s.record(c, list)
			if !slices.Equal(ids, c.ids) {
				t.Fatalf("config %d, frame %d: IDs %v, one by one %v", i, frame, ids, c.ids)
			}
			if applied.Digest() != called.Digest() || applied.Len() != called.Len() || !slices.Equal(applied.RemovedOutside(), called.RemovedOutside()) {
				t.Fatalf("config %d, frame %d: %d objects with the digest %#x, %v departed; one by one %d, %#x, %v",
					i, frame, applied.Len(), applied.Digest(), applied.RemovedOutside(), called.Len(), called.Digest(), called.RemovedOutside())
			}
			valid(t, applied)
			skipped += len(c.gone)
			s.placed(t)
		}
	}
	if skipped == 0 {
		t.Error("nothing has departed")
	}
}

// A rejected batch changes nothing at all, and the error names the change, after earlier changes of any kind in
// the batch.
func TestApplyRefuses(t *testing.T) {
	seed := testkit.Seed(t)
	nan := float32(math.NaN())
	r := testkit.Rand(seed)
	bad := map[string]struct {
		record func(b *linear.Batch, id, dead uint32)
		want   string
		is     error
	}{
		"insert":          {func(b *linear.Batch, _, _ uint32) { b.Insert(soa.Object{Box: cube(nan, 0, 0, 1)}) }, "Insert:", nil},
		"insert ball":     {func(b *linear.Batch, _, _ uint32) { b.InsertBall(soa.Ball{Sphere: [4]float32{0, 0, 0, -1}}) }, "InsertBall:", nil},
		"insert batch":    {func(b *linear.Batch, _, _ uint32) { b.InsertBatch([]soa.Object{{}, {}, {Box: cube(nan, 0, 0, 1)}}) }, "InsertBatch: object 2", nil},
		"insert balls":    {func(b *linear.Batch, _, _ uint32) { b.InsertBallBatch([]soa.Ball{{}, {Sphere: [4]float32{3: nan}}}) }, "InsertBallBatch: object 1", nil},
		"insert far ball": {func(b *linear.Batch, _, _ uint32) { b.InsertBallBatch([]soa.Ball{{}, {Sphere: [4]float32{0: nan}}}) }, "InsertBallBatch: object 1", nil},
		"remove":          {func(b *linear.Batch, _, dead uint32) { b.Remove(dead) }, "Remove:", linear.ErrUnknown},
		"remove twice":    {func(b *linear.Batch, id, _ uint32) { b.RemoveBatch([]uint32{id, id}) }, "RemoveBatch: object 1, ID", linear.ErrUnknown},
		"remove dirty":    {func(b *linear.Batch, _, dead uint32) { b.RemoveDirty(bitsOfIDs([]uint32{dead})) }, "RemoveBatch: object 0, ID", linear.ErrUnknown},
		"remove, move":    {func(b *linear.Batch, id, _ uint32) { b.Remove(id); b.Move(id, cube(0, 0, 0, 1)) }, "Move:", linear.ErrUnknown},
		"move":            {func(b *linear.Batch, id, _ uint32) { b.Move(id, cube(0, nan, 0, 1)) }, "Move:", nil},
		"move dead":       {func(b *linear.Batch, _, dead uint32) { b.Move(dead, cube(0, 0, 0, 1)) }, "Move:", linear.ErrUnknown},
		"move batch": {func(b *linear.Batch, id, dead uint32) {
			b.MoveBatch([]uint32{id, dead}, make([]soa.AABB, 2))
		}, "MoveBatch: object 1, ID", linear.ErrUnknown},
		"move batch box": {func(b *linear.Batch, id, _ uint32) {
			b.MoveBatch([]uint32{id, id}, []soa.AABB{{}, cube(0, nan, 0, 1)})
		}, "MoveBatch: object 1, ID", nil},
		"move dirty": {func(b *linear.Batch, _, dead uint32) {
			b.MoveDirty(dirtyOf([]uint32{dead}, func(uint32) soa.AABB { return cube(0, 0, 0, 1) }))
		}, "MoveBatch: object 0, ID", linear.ErrUnknown},
		"move sphere": {func(b *linear.Batch, id, _ uint32) { b.MoveSphere(id, [4]float32{nan, 0, 0, 1}) }, "MoveSphere:", nil},
		"move spheres": {func(b *linear.Batch, id, _ uint32) {
			b.MoveBodies([]uint32{id}, linear.Bodies{Spheres: [][4]float32{{3: -1}}})
		}, "MoveBodies: object 0, ID", nil},
		"move oriented": {func(b *linear.Batch, id, _ uint32) { b.MoveOriented(id, soa.OrientedBox{Center: [3]float32{nan}}) }, "MoveOriented:", nil},
		"move all oriented": {func(b *linear.Batch, id, _ uint32) {
			b.MoveBodies([]uint32{id}, linear.Bodies{Oriented: []soa.OrientedBox{{Center: [3]float32{nan}}}})
		}, "MoveBodies: object 0, ID", nil},
		"mask":   {func(b *linear.Batch, _, dead uint32) { b.SetMask(dead, 0) }, "SetMask:", linear.ErrUnknown},
		"static": {func(b *linear.Batch, _, dead uint32) { b.SetStatic(dead, true) }, "SetStatic:", linear.ErrUnknown},
		"sphere": {func(b *linear.Batch, id, _ uint32) { b.SetSphere(id, [4]float32{1e6, 0, 0, 1}) }, "SetSphere:", nil},
		"sphere where it was": {func(b *linear.Batch, id, _ uint32) {
			b.Move(id, cube(20, 0, 0, 1))
			b.SetSphere(id, [4]float32{20, 0, 0, 1})
			b.MoveBatch([]uint32{id, id}, []soa.AABB{cube(20, 0, 0, 1), cube(-20, 0, 0, 1)})
			b.SetBounds([]uint32{id, id}, linear.Bodies{Spheres: [][4]float32{{-20, 0, 0, 1}, {20, 0, 0, 1}}})
		}, "SetBounds: object 1, ID", nil},
		"oriented": {func(b *linear.Batch, id, _ uint32) {
			b.MoveBodies([]uint32{id}, linear.Bodies{Spheres: [][4]float32{{20, 0, 0, 2}}})
			b.SetOriented(id, soa.OrientedBox{Center: [3]float32{20}, Axes: [3][3]float32{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}})
			b.SetBounds([]uint32{id}, linear.Bodies{Oriented: []soa.OrientedBox{{Center: [3]float32{-20}}}})
		}, "SetBounds: object 0, ID", nil},
		"cleared":       {func(b *linear.Batch, id, _ uint32) { b.RemoveAll(); b.Insert(soa.Object{}); b.SetMask(id, 1) }, "SetMask:", linear.ErrUnknown},
		"cleared batch": {func(b *linear.Batch, id, _ uint32) { b.RemoveAll(); b.MoveBatch([]uint32{id}, make([]soa.AABB, 1)) }, "MoveBatch: object 0, ID", linear.ErrUnknown},
		"cut":           {func(b *linear.Batch, _, _ uint32) { b.Rebuild(linear.RebuildOptions{Cut: 77}) }, "Rebuild:", nil},
	}
	for i, cfg := range replayConfigs() {
		tree := newTree(t, cfg)
		s := newScript(cfg, tree, seed+uint64(i))
		for range 8 {
			var b linear.Batch
			s.record(&b, s.batch(false))
			b.InsertBatch([]soa.Object{s.object(), s.object(), s.object()})
			_, err := tree.Apply(&b)
			must(t, err)
			s.placed(t)
		}
		for name, x := range bad {
			var b linear.Batch
			list := s.batch(false)
			for len(s.ids) == 0 { // all objects may have been removed by region
				list = s.batch(false)
			}
			if cfg.Outside == linear.OutsideKeep {
				b.Insert(soa.Object{Box: cube(500, 0, 0, 1)}) // outside, and counted
			}
			s.record(&b, list)
			s.placed(t)
			id := slices.Min(s.ids)
			x.record(&b, id, 3999)
			at := b.Len() - 1
			if r.IntN(2) == 0 {
				b.Tick()
			}
			before := linear.StateOf(tree)
			ids, err := tree.Apply(&b)
			if err == nil || len(ids) > 0 || !strings.HasPrefix(err.Error(), fmt.Sprintf("linear: change %d of the batch, %s", at, x.want)) {
				t.Fatalf("config %d, %s: IDs %v, error %v, want that of change %d, %s", i, name, ids, err, at, x.want)
			}
			if x.is != nil && !errors.Is(err, x.is) {
				t.Errorf("%s: error %v is not %v", name, err, x.is)
			}
			if after := linear.StateOf(tree); after != before {
				t.Fatalf("config %d, %s: a batch that was refused has made the tree\n%s\nit was\n%s", i, name, after, before)
			}
			must(t, tree.Validate())
		}
	}
}

// Insertions after a Clear need only the room of an empty tree; insertions before it need none.
func TestApplyClearMakesRoom(t *testing.T) {
	objects := grid(8)
	tree := newTree(t, linear.Config{})
	tree.SetLimits(600, 0, 0)
	insert(t, tree, objects)
	var b linear.Batch
	b.Insert(objects[0])
	b.RemoveAll()
	b.InsertBatch(objects)
	b.InsertBatch(objects[:88])
	ids, err := tree.Apply(&b)
	must(t, err)
	if tree.Len() != 600 || len(ids) != 601 || ids[1] != 0 || ids[600] != 599 {
		t.Errorf("%d objects, %d IDs", tree.Len(), len(ids))
	}
	valid(t, tree)
	state := linear.StateOf(tree)
	b.Reset()
	b.Insert(objects[0])
	b.RemoveAll()
	if _, err := tree.Apply(&b); !errors.Is(err, soa.ErrFull) {
		t.Errorf("error %v before a Clear", err)
	}
	b.Reset()
	b.RemoveAll()
	b.InsertBatch(append(objects, objects[:89]...))
	if _, err := tree.Apply(&b); !errors.Is(err, soa.ErrFull) {
		t.Errorf("error %v after a Clear", err)
	}
	if linear.StateOf(tree) != state {
		t.Error("the tree has changed")
	}
	tree.SetLimits(0, 32, 0)
	state = linear.StateOf(tree)
	if _, err := tree.Apply(&b); !errors.Is(err, soa.ErrFull) {
		t.Errorf("error %v in 32 slots", err)
	}
	if linear.StateOf(tree) != state {
		t.Error("the tree has changed")
	}
	// Objects that a batch cannot build into the tree are pending, and are flushed when there is room.
	tree.SetLimits(0, 48, 2)
	b.Reset()
	b.RemoveAll()
	b.InsertBatch(objects)
	ids, err = tree.Apply(&b)
	must(t, err)
	if linear.LookPending(tree) {
		t.Error("something waits for a look")
	}
	check(t, tree, ids, objects)
	if err := tree.Tick(); !errors.Is(err, soa.ErrFull) {
		t.Errorf("Tick: %v", err)
	}
	if linear.LookPending(tree) {
		t.Error("something waits for a look after a tick that found no room")
	}
	tree.SetLimits(0, 0, 0)
	tick(t, tree)
	valid(t, tree)
	check(t, tree, ids, objects)
}

// looks are the methods of a tree that change nothing; unrecorded are the methods that a batch does not record,
// with the reason in its doc comment.
var (
	looks = []string{"All", "Bounds", "Cells", "Clone", "Config", "Digest", "Handle", "Has", "Key", "LayoutDigest", "Len", "Object", "Order",
		"Oriented", "Packets", "PacketsOf", "Radius", "RemovedOutside", "Resolve", "Save", "Sphere", "Stats", "Thinned", "Validate", "View", "Work", "World", "WriteSnapshot", "WriteTo"}
	unrecorded = []string{"Apply", "Build", "MoveInOrder"}
)

// A batch records every change of a tree: each method of a tree is a method of a batch, or is listed here. A
// method listed as a read leaves the tree unchanged after Apply or Tick.
func TestBatchRecordsAll(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true, PendingMin: 4, PendingShare: 1 << 20})
	var b linear.Batch
	b.InsertBatch(grid(4))
	_, err := tree.Apply(&b)
	must(t, err)
	b.Reset()
	b.Insert(soa.Object{})
	b.Move(3, cube(9, 9, 9, 9))
	b.SetSphere(0, [4]float32{})
	_, err = tree.Apply(&b)
	must(t, err)
	on := reflect.TypeFor[*linear.Tree]()
	seen, ours := map[string]bool{}, methodsOfTree(t)
	for i := range on.NumMethod() {
		name := on.Method(i).Name
		if !ours[name] {
			continue // a method of test files
		}
		seen[name] = true
		as := name
		if name == "Clear" {
			as = "RemoveAll" // a name that is not confused with Reset
		}
		_, recorded := reflect.TypeFor[*linear.Batch]().MethodByName(as)
		if name == "Len" {
			recorded = false // Batch.Len counts changes, not objects
		}
		n := 0
		for _, is := range []bool{recorded, slices.Contains(looks, name), slices.Contains(unrecorded, name)} {
			if is {
				n++
			}
		}
		if n != 1 {
			t.Errorf("Tree.%s is in %d of Batch, looks and exceptions, want 1", name, n)
		}
		if _, called := calls[as]; called != recorded {
			t.Errorf("the scripts of this test have %s: %v; batches record it: %v", name, called, recorded)
		}
		if !slices.Contains(looks, name) {
			continue
		}
		before := linear.StateOf(tree)
		method := reflect.ValueOf(tree).MethodByName(name)
		var args []reflect.Value
		for k := range method.Type().NumIn() {
			arg := reflect.Zero(method.Type().In(k))
			switch method.Type().In(k) {
			case reflect.TypeFor[io.Writer]():
				arg = reflect.ValueOf(io.Discard)
			case reflect.TypeFor[context.Context]():
				arg = reflect.ValueOf(t.Context())
			case reflect.TypeFor[string]():
				arg = reflect.ValueOf(filepath.Join(t.TempDir(), "tree"))
			}
			args = append(args, arg)
		}
		for _, out := range method.Call(args) {
			if out.Kind() == reflect.Func {
				out.Call([]reflect.Value{reflect.MakeFunc(out.Type().In(0), func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(true)} })})
			}
		}
		if linear.StateOf(tree) != before {
			t.Errorf("%s has changed the tree", name)
		}
	}
	for _, name := range slices.Concat(looks, unrecorded) {
		if !seen[name] {
			t.Errorf("a tree has no method %s", name)
		}
	}
}

// methodsOfTree returns the exported methods that the sources, without tests, give a tree.
func methodsOfTree(t *testing.T) map[string]bool {
	methods := map[string]bool{}
	files, err := filepath.Glob("*.go")
	must(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		must(t, err)
		for _, m := range regexp.MustCompile(`(?m)^func \(t \*Tree\) ([A-Z]\w*)`).FindAllStringSubmatch(string(text), -1) {
			methods[m[1]] = true
		}
	}
	return methods
}
