package linear_test

import (
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

// A rejected call of a scene changes neither the scene nor its parts, and earlier views stay valid: for every
// method that can reject a call, in every configuration.
func TestRefusedSceneCallsChangeNothing(t *testing.T) {
	seed := testkit.Seed(t)
	covered := false
	for i := range testkit.Count(t, 4, 100) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		s, upper := newScene(t, refusingConfig(t, r)), newScene(t, linear.Config{})
		crate := treeOf(t, goodBox, cube(9, 9, 9, 1))
		closed := openedOf(t, goodBox)
		must(t, closed.Close())
		var ids []uint32
		for k := range r.IntN(20) {
			ids = append(ids, place(t, s, crate, at(float64(k), 2, 3), linear.InstanceOptions{Turns: k%3 == 0}))
		}
		place(t, upper, s, at(1, 2, 3), linear.InstanceOptions{})
		dead := []uint32{1 << 30, linear.None}
		if len(ids) > 0 {
			must(t, s.Remove(ids[0]))
			dead, ids = append(dead, ids[0]), ids[1:]
		}
		if r.IntN(2) == 0 {
			must(t, upper.Tick())
		}
		far := at(math.MaxFloat64/4, 0, 0)
		transforms := slices.Repeat([]linear.Transform{at(5, 5, 5)}, len(ids))
		calls := map[string][]func() error{"Resolve": nil, "Save": nil, "Validate": nil, "WriteSnapshot": nil, "WriteTo": nil, "Tick": nil}
		add := func(name string, call func() error) { calls[name] = append(calls[name], call) }
		for _, part := range []linear.Part{nil, (*linear.Tree)(nil), closed, s, upper} {
			add("AddInstance", func() error { _, err := s.AddInstance(part, at(0, 0, 0), linear.InstanceOptions{}); return err })
			add("AddInstances", func() error {
				_, err := s.AddInstances(nil, part, []linear.Transform{at(0, 0, 0)}, linear.InstanceOptions{})
				return err
			})
		}
		add("AddInstance", func() error { _, err := s.AddInstance(crate, far, linear.InstanceOptions{Turns: true}); return err })
		add("AddInstances", func() error {
			_, err := s.AddInstances(nil, crate, []linear.Transform{at(1, 1, 1), far}, linear.InstanceOptions{})
			return err
		})
		for _, id := range dead {
			add("Move", func() error { return s.Move(id, at(1, 1, 1)) })
			add("MoveBatch", func() error {
				return s.MoveBatch(append(slices.Clone(ids), id), append(slices.Clone(transforms), at(1, 1, 1)))
			})
			add("Remove", func() error { return s.Remove(id) })
			add("RemoveBatch", func() error { return s.RemoveBatch(append(slices.Clone(ids), id)) })
			add("SetMask", func() error { return s.SetMask(id, 3) })
		}
		if len(ids) > 0 {
			add("Move", func() error { return s.Move(ids[0], far) })
			add("MoveBatch", func() error { return s.MoveBatch(ids, append(slices.Clone(transforms[1:]), far)) })
			add("RemoveBatch", func() error { return s.RemoveBatch(append(slices.Clone(ids), ids[0])) })
		}
		if !covered {
			covers(t, reflect.TypeFor[*linear.Scene](), keysOf(calls), nil)
			covered = true
		}
		for name, list := range calls {
			for k, call := range list {
				v, above := s.View(), upper.View()
				before := fmt.Sprint(s.LayoutDigest(), upper.LayoutDigest(), crate.LayoutDigest())
				if err := call(); err == nil {
					t.Fatalf("scene %d: %s, bad call %d, is taken", i, name, k)
				}
				if after := fmt.Sprint(s.LayoutDigest(), upper.LayoutDigest(), crate.LayoutDigest()); after != before {
					t.Fatalf("scene %d: %s, bad call %d, makes %s of %s", i, name, k, after, before)
				}
				v.Total() // panics if the view is stale
				above.Total()
				validScene(t, upper)
			}
		}
	}
}

// A rejected call of a map changes neither its objects nor its values, and invalid bytes leave a batch
// unchanged.
func TestRefusedMapCallsChangeNothing(t *testing.T) {
	seed := testkit.Seed(t)
	for i := range testkit.Count(t, 4, 100) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		cfg := refusingConfig(t, r)
		m, err := linear.NewMap[int](cfg)
		must(t, err)
		var handles []soa.Handle
		for k := range 1 + r.IntN(20) {
			h, err := m.Insert(goodBox, k)
			must(t, err)
			handles = append(handles, h)
		}
		stale := handles[0]
		must(t, m.Delete(stale))
		x := &refusal{outside: cfg.Outside != linear.OutsideKeep, moves: cfg.Outside == linear.OutsideReject}
		calls := map[string][]func() error{}
		add := func(name string, call func() error) { calls[name] = append(calls[name], call) }
		for _, box := range x.badBoxes(false) {
			add("Insert", func() error {
				h, err := m.Insert(box, 7)
				if h != (soa.Handle{}) {
					t.Errorf("Insert of a bad box returns %v", h)
				}
				return err
			})
			add("InsertBatch", func() error {
				dst, err := m.InsertBatch([]soa.Handle{stale}, []soa.Object{{Box: goodBox}, {Box: box}}, []int{8, 9})
				if len(dst) != 1 || dst[0] != stale || err != nil && !strings.Contains(err.Error(), "object 1") {
					t.Errorf("InsertBatch of a bad object 1 returns %v, %v", dst, err)
				}
				return err
			})
		}
		for _, box := range x.badBoxes(true) {
			if len(handles) > 1 {
				add("Move", func() error { return m.Move(handles[1], box) })
			}
		}
		for _, h := range []soa.Handle{stale, {ID: 1 << 30}, {ID: linear.None, Gen: 3}} {
			add("Move", func() error { return m.Move(h, goodBox) })
			add("Set", func() error { return m.Set(h, 5) })
			add("Delete", func() error { return m.Delete(h) })
		}
		covers(t, reflect.TypeFor[*linear.Map[int]](), keysOf(calls), nil)
		content := func() string {
			text := linear.StateOf(m.Tree())
			for h, value := range m.All() {
				text += fmt.Sprint(h, value)
			}
			return text
		}
		for name, list := range calls {
			for k, call := range list {
				v, before := m.View(), content()
				if err := call(); err == nil {
					t.Fatalf("map %d: %s, bad call %d, is taken", i, name, k)
				}
				if after := content(); after != before {
					t.Fatalf("map %d: %s, bad call %d, makes\n%s\nof\n%s", i, name, k, after, before)
				}
				v.Len()
			}
		}
	}
	covers(t, reflect.TypeFor[*linear.Batch](), []string{"UnmarshalBinary"}, []string{"AppendBinary", "MarshalBinary"})
}

func keysOf[T any](m map[string]T) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	return keys
}
