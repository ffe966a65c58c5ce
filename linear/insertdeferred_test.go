package linear_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// insertStory is a tree that is read only where its state is compared, a tree that gets the same calls and reads in
// between, which pack new objects, and the objects of both.
type insertStory struct {
	*testing.T
	unread, read *linear.Tree
	r            *rand.Rand
	live         []uint32
	objects      map[uint32]soa.Object
	pending      int  // at most as many objects are pending
	removed      bool // an object has been removed since both trees were read
}

// call makes the same call in both trees.
func (s *insertStory) call(f func(tree *linear.Tree) error) {
	s.Helper()
	must(s, f(s.unread))
	must(s, f(s.read))
}

// insert inserts objects with the same call in both trees.
func (s *insertStory) insert(objects []soa.Object, f func(tree *linear.Tree, dst []uint32) ([]uint32, error)) {
	s.Helper()
	ids, err := f(s.unread, nil)
	must(s, err)
	other, err := f(s.read, nil)
	must(s, err)
	if !slices.Equal(ids, other) {
		s.Fatalf("IDs %v, and with reads %v", ids, other)
	}
	for i, id := range ids {
		s.objects[id] = objects[i]
	}
	s.live = append(s.live, ids...)
	s.pending += len(ids)
}

// insertOne inserts an object by Insert.
func (s *insertStory) insertOne() {
	o := s.object()
	s.insert([]soa.Object{o}, func(tree *linear.Tree, dst []uint32) ([]uint32, error) {
		id, err := tree.Insert(o)
		return append(dst, id), err
	})
}

func (s *insertStory) object() soa.Object {
	var at [3]float32
	for a := range at {
		at[a] = 100*s.r.Float32() - 50
	}
	if s.r.IntN(20) == 0 {
		at[s.r.IntN(3)] *= 1e6
	}
	return soa.Object{Box: cube(at[0], at[1], at[2], 1), Mask: 1 << s.r.IntN(8), Static: s.r.IntN(3) == 0}
}

func (s *insertStory) removeOne() {
	k := s.r.IntN(len(s.live))
	id := s.live[k]
	s.live[k] = s.live[len(s.live)-1]
	s.live = s.live[:len(s.live)-1]
	delete(s.objects, id)
	s.call(func(tree *linear.Tree) error { return tree.Remove(id) })
	s.removed = true
}

func (s *insertStory) forget() {
	clear(s.objects)
	s.live, s.pending = s.live[:0], 0
}

// settle ends a frame, and compares the trees to each other and to the objects.
func (s *insertStory) settle() {
	s.Helper()
	s.call((*linear.Tree).Tick)
	s.pending = 0
	s.compare()
}

func (s *insertStory) compare() {
	s.Helper()
	if s.unread.LayoutDigest() != s.read.LayoutDigest() {
		s.Fatal("the trees differ")
	}
	valid(s, s.unread)
	for id, o := range s.objects {
		if have, ok := s.unread.Object(id); !ok || have != o {
			s.Fatalf("object %d is %+v, %v, want %+v", id, have, ok, o)
		}
	}
}

// Insertions leave the same tree whether or not reads pack the new objects in between: into an empty tree and into
// one with packets, beside removals of old and of new objects, with far and negative boxes, until a flush or a build.
func TestInsertionsDeferred(t *testing.T) {
	for i, cfg := range []linear.Config{
		{}, {Log: true, Workers: 2}, {PendingMin: 1 << 20}, {Policy: linear.PolicyIncremental, Log: true}, {World: cube(-40, -40, -40, 90), Fixed: true},
		{TickBudget: 50}, {TickBudget: 500, Policy: linear.PolicyIncremental},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := &insertStory{T: t, unread: newTree(t, cfg), read: newTree(t, cfg), r: testkit.Rand(testkit.Seed(t)), objects: map[uint32]soa.Object{}}
			most := s.unread.Config().PendingMin
			for step := range testkit.Budget(t, 32, 400) {
				n := []int{1, 7, 40, 300}[s.r.IntN(4)]
				if step%25 == 24 {
					n = 3000
				}
				for range n {
					s.insertOne()
					if s.r.IntN(8) == 0 {
						s.removeOne()
					}
					if s.r.IntN(20) == 0 && s.pending <= most {
						s.read.View()
						if s.removed { // an insertion may take the place of a removed object, unless a read has applied the removal
							s.unread.View()
							s.removed = false
						}
					}
				}
				s.step()
			}
			s.settle()
		})
	}
}

func (s *insertStory) step() {
	switch s.r.IntN(13) {
	case 0, 1, 2, 3:
		s.settle()
	case 4:
		s.call((*linear.Tree).Flush)
		s.pending = 0
		s.compare()
	case 5:
		some := []soa.Object{s.object(), s.object(), s.object()}
		s.insert(some, func(tree *linear.Tree, dst []uint32) ([]uint32, error) { return tree.InsertBatch(dst, some) })
	case 6:
		ball := soa.Ball{Sphere: [4]float32{s.r.Float32(), s.r.Float32(), s.r.Float32(), 0.5}, Mask: 1}
		s.insert([]soa.Object{ball.Object()}, func(tree *linear.Tree, dst []uint32) ([]uint32, error) {
			id, err := tree.InsertBall(ball)
			return append(dst, id), err
		})
	case 7:
		s.call(func(tree *linear.Tree) error { tree.Clear(); return nil })
		s.forget()
	case 8: // later IDs are not in ascending order
		s.call(func(tree *linear.Tree) error { return tree.RemoveBatch(s.live) })
		s.forget()
		s.settle()
	case 9:
		if len(s.live) == 0 {
			break
		}
		id := s.live[s.r.IntN(len(s.live))]
		o := s.objects[id]
		o.Mask = 3
		s.objects[id] = o
		s.call(func(tree *linear.Tree) error { return tree.SetMask(id, 3) })
	case 10:
		s.compare()
	}
}

// Each insertion is in the log, and another one invalidates the views of a scene that holds the tree, also if the tree
// only records the object: its box is inside the bounds of others, and earlier insertions have left room.
func TestInsertsAreNotified(t *testing.T) {
	logged, held := newTree(t, linear.Config{Log: true}), newTree(t, linear.Config{})
	scene, err := linear.NewScene(linear.Config{})
	must(t, err)
	place(t, scene, held, linear.Transform{}, linear.InstanceOptions{})
	for _, tree := range []*linear.Tree{logged, held} {
		_, err = tree.InsertBatch(nil, []soa.Object{
			{Box: soa.AABB{Max: [3]float32{2, 2, 2}}}, {Box: soa.AABB{Min: [3]float32{90, 90, 90}, Max: [3]float32{99, 99, 99}}},
		})
		must(t, err)
	}
	for i := range 600 {
		x := float32(i%80) + 4
		o := soa.Object{Box: soa.AABB{Min: [3]float32{x, x, x}, Max: [3]float32{x + 1, x + 1, x + 1}}}
		_, since, _ := logged.View().Changes(0)
		id, err := logged.Insert(o)
		must(t, err)
		changes, _, ok := logged.View().Changes(since)
		if !ok || len(changes) != 1 || changes[0].ID != id || changes[0].Object != o {
			t.Fatalf("insertion %d of ID %d: changes %v, %v", i, id, changes, ok)
		}
		before := scene.View()
		_, err = held.Insert(o)
		must(t, err)
		if testkit.Panic(func() { before.Bounds() }) == nil {
			t.Fatalf("a view of the scene outlives insertion %d", i)
		}
		if i%100 == 50 {
			must(t, logged.Tick())
			must(t, held.Tick())
		}
	}
}
