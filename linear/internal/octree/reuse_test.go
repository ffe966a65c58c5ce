package octree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// replacer makes the same replacements in two trees, whose states must be equal: one may reuse records, and removes
// objects together; the other removes them one by one, and is published, so that it may not reuse records.
type replacer struct {
	fast, slow *Tree
	objects    []soa.Object // by ID
	live       []uint32
	r          *rand.Rand
}

func newReplacer(t *testing.T, cfg Config, n int, r *rand.Rand) *replacer {
	x := &replacer{newTestTree(t, cfg), newTestTree(t, cfg), nil, nil, r}
	for range n {
		x.objects = append(x.objects, x.object())
	}
	x.live = insertAll(t, x.fast, x.objects)
	insertAll(t, x.slow, x.objects)
	x.slow.Touched = new(Touched)
	return x
}

// object returns an object on a grid, on which many boxes are at faces of others, of the origin also as -0.
func (x *replacer) object() (o soa.Object) {
	for a := range 3 {
		lo := float32(x.r.IntN(80)-40) / 2
		o.Box.Min[a], o.Box.Max[a] = lo, lo+float32(1+x.r.IntN(2))/2
	}
	o.Mask, o.Static = 1<<x.r.IntN(3), x.r.IntN(4) == 0
	return o
}

// next returns the object that replaces another one: most are near it, and have its mask and its flag.
func (x *replacer) next(o soa.Object) soa.Object {
	switch x.r.IntN(8) {
	case 0:
		return x.object()
	case 1:
		o.Mask, o.Static = 1<<x.r.IntN(3), !o.Static
	}
	for a := range 3 {
		d := float32(x.r.IntN(3)-1) / 2
		o.Box.Min[a], o.Box.Max[a] = o.Box.Min[a]+d, o.Box.Max[a]+d
		for _, v := range []*float32{&o.Box.Min[a], &o.Box.Max[a]} {
			if *v == 0 && x.r.IntN(2) == 0 {
				*v = float32(math.Copysign(0, -1))
			}
		}
	}
	return o
}

// replace removes n objects and inserts others, in an order that is given by its name.
func (x *replacer) replace(t *testing.T, n int, order string) {
	t.Helper()
	x.r.Shuffle(len(x.live), func(i, j int) { x.live[i], x.live[j] = x.live[j], x.live[i] })
	gone := slices.Clone(x.live[:n])
	x.live = x.live[n:]
	var added []soa.Object
	for _, id := range gone {
		added = append(added, x.next(x.objects[id]))
	}
	var ids, other []uint32
	if order == "single" {
		for i, id := range gone {
			x.fast.Remove(id)
			x.slow.Remove(id)
			if x.r.IntN(50) == 0 {
				continue // for good
			}
			ids = append(ids, insertAll(t, x.fast, added[i:i+1])...)
			other = append(other, insertAll(t, x.slow, added[i:i+1])...)
			x.objects = append(x.objects, soa.Object{}) // a tree has no more IDs than this
			x.objects[ids[len(ids)-1]] = added[i]
		}
	} else {
		x.fast.RemoveAll(gone)
		for _, id := range gone {
			x.slow.Remove(id)
		}
		switch order {
		case "reversed":
			slices.Reverse(added)
		case "mixed": // the second half has IDs of others
			slices.Reverse(added[:n/2])
		case "more":
			for range n / 3 {
				added = append(added, x.object())
			}
		case "fewer":
			slices.Reverse(added)
			added = added[:n/2]
		}
		ids, other = insertAll(t, x.fast, added), insertAll(t, x.slow, added)
		x.objects = append(x.objects, make([]soa.Object, len(added))...)
		for i, id := range ids {
			x.objects[id] = added[i]
		}
	}
	if !slices.Equal(ids, other) {
		t.Fatalf("%s: IDs %v, want %v", order, ids, other)
	}
	x.live = append(x.live, ids...)
}

// equal fails the test unless the states of both trees are equal, and compares the objects.
func (x *replacer) equal(t *testing.T, when string) {
	t.Helper()
	fast, slow := x.fast.State, x.slow.State
	compare := func(a, b any) {
		v, w := reflect.ValueOf(a), reflect.ValueOf(b)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && f.Name != "Tree" && f.Name != "Store" && f.Name != "Log" && !reflect.DeepEqual(v.Field(i).Interface(), w.Field(i).Interface()) {
				t.Fatalf("%s: %s differs", when, f.Name)
			}
		}
	}
	compare(fast, slow)
	compare(*fast.Store, *slow.Store)
	if fast.Store.Log != nil && !slices.Equal(fast.Store.Log.Changes, slow.Store.Log.Changes) {
		t.Fatalf("%s: the logs differ", when)
	}
	for node := range fast.Store.Nodes.Hot {
		for c, lanes := range fast.Store.Nodes.Hot[node].Bounds {
			for l, v := range lanes {
				if w := slow.Store.Nodes.Hot[node].Bounds[c][l]; math.Float32bits(v) != math.Float32bits(w) { // -0 is not 0
					t.Fatalf("%s: lane %d of node %d has the bound %v on side %d, want %v", when, l, node, v, c, w)
				}
			}
		}
	}
	if n := x.fast.Unpacked(); n != x.slow.Unpacked() {
		t.Fatalf("%s: %d records, want %d", when, n, x.slow.Unpacked())
	} else if n > 0 {
		objects, ids := x.fast.records.list()
		if o, i := x.slow.records.list(); !slices.Equal(objects, o) || !slices.Equal(ids, i) || !slices.Equal(x.fast.records.slots, x.slow.records.slots) {
			t.Fatalf("%s: records %v %v, want %v %v", when, ids, objects, i, o)
		}
	}
}

// New objects take the lanes of removed ones with the same result whether they are read as records of many removals
// or one by one.
func TestReuseRecords(t *testing.T) {
	for i, cfg := range []Config{{}, {Policy: PolicyIncremental}, {Frozen: true, Policy: PolicyIncremental}, {Log: true}, {Slack: 100}} {
		for _, order := range []string{"single", "same", "reversed", "mixed", "more", "fewer"} {
			t.Run(fmt.Sprintf("%d %s", i, order), func(t *testing.T) {
				r := testkit.Rand(testkit.Seed(t))
				x := newReplacer(t, cfg, 6000, r)
				reused := 0
				for step := range testkit.Budget(t, 6, 60) {
					if len(x.live) < 100 { // after many steps of fewer
						break
					}
					n := 1 + r.IntN(min(600, len(x.live)/2))
					if step == 2 {
						n = reuseMin - r.IntN(2)
					}
					if step == 4 && len(x.live) > removalsMax+100 {
						n = removalsMax + r.IntN(100)
					}
					x.replace(t, n, order)
					if x.fast.canReuseRecords() {
						reused++
					}
					if x.slow.canReuseRecords() {
						t.Fatal("the published tree reuses records")
					}
					for _, tree := range []*Tree{x.fast, x.slow} {
						tree.BeginChange()
						tree.ApplyRemovals()
					}
					x.equal(t, fmt.Sprintf("step %d, %d removals", step, n))
					if r.IntN(3) == 0 {
						x.fast.Pack()
						x.slow.Pack()
						check(t, x.fast)
					}
					if r.IntN(3) > 0 {
						testkit.Must(t, x.fast.EndFrame())
						testkit.Must(t, x.slow.EndFrame())
						x.equal(t, fmt.Sprintf("step %d, after the tick", step))
						check(t, x.fast)
					}
					for _, id := range x.live {
						if x.fast.IDs.Where[id] == unplacedLocation {
							continue
						}
						slot, lane := x.fast.Locate(id)
						if o := x.fast.Store.Packets.Object(slot, lane); o != x.objects[id] {
							t.Fatalf("step %d: object %d is %v, want %v", step, id, o, x.objects[id])
						}
					}
				}
				if reused < 2 {
					t.Errorf("records were reused in %d steps", reused)
				}
			})
		}
	}
}

// Records are not reused where an object in the placement box of a packet may be elsewhere, as far objects have keys of
// their own, nor where a removed object may leave its bounds.
func TestReuseRecordsRefused(t *testing.T) {
	r := testkit.Rand(1)
	x := newReplacer(t, Config{}, 2000, r)
	x.replace(t, 100, "reversed")
	if !x.fast.canReuseRecords() {
		t.Error("records of near objects are not reused")
	}
	x.fast.SetBounds(x.live[:1], &Bodies{Spheres: [][4]float32{{0, 0, 0, 0}}})
	if x.fast.canReuseRecords() {
		t.Error("records are reused beside a sphere")
	}
	insertAll(t, x.slow, []soa.Object{{Box: testkit.Cube(1e9, 0, 0, 1)}})
	x.slow.Touched = nil
	if x.slow.canReuseRecords() {
		t.Error("records are reused beside a far object")
	}
}
