package linear_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// someBall returns a ball in a cube of that side: most are small, few are points, or
// large, or far away.
func someBall(r *rand.Rand, side float32) soa.Ball {
	b := soa.Ball{Mask: 1 << r.IntN(4), Static: r.IntN(3) == 0}
	far := float32(1)
	if r.IntN(60) == 0 {
		far = []float32{5, 1e5}[r.IntN(2)]
	}
	for a := range 3 {
		b.Sphere[a] = float32((r.Float32() - 0.5) * side * far)
	}
	switch r.IntN(30) {
	case 0:
	case 1:
		b.Sphere[3] = side * r.Float32()
	default:
		b.Sphere[3] = 2 * r.Float32()
	}
	return b
}

// allColumns are the columns of a store, byte by byte.
func allColumns(s *soa.Store) map[string]string {
	all := map[string]string{}
	for _, c := range slices.Concat(s.Nodes.Columns(nil), s.Packets.Columns(nil)) {
		all[fmt.Sprintf("%s %d", c.Name, c.RowSize())] = string(c.Bytes())
	}
	return all
}

func objectsOf(balls []soa.Ball) (objects []soa.Object, spheres [][4]float32) {
	for _, b := range balls {
		objects, spheres = append(objects, b.Object()), append(spheres, b.Sphere)
	}
	return objects, spheres
}

// Balls are objects with the box of Ball.Box and a sphere set afterwards: both ways of insertion give trees
// that are equal in every byte, for all calls and all tiers.
func TestBallsAreObjects(t *testing.T) {
	seed := testkit.Seed(t)
	rounds := testkit.Budget(t, testkit.Again(3, 1), 60)
	configs := append(slices.Clone(modelConfigs), placeConfigs[0], linear.Config{Frozen: true})
	testkit.EachTier(t, func(t *testing.T) {
		for k, cfg := range configs {
			if !testkit.OfTier(t, k) {
				continue
			}
			for _, n := range []int{10, 700} {
				r := testkit.Rand(seed + uint64(k))
				balls, objects := newTree(t, cfg), newTree(t, cfg)
				var live []uint32
				same := func(what string) {
					t.Helper()
					valid(t, balls)
					a, b := balls.View().Store(), objects.View().Store()
					if !reflect.DeepEqual(allColumns(a), allColumns(b)) || a.Extent != b.Extent || a.Near != b.Near {
						t.Fatalf("configuration %d, after %s: the trees differ", k, what)
					}
				}
				for range rounds {
					// A batch, which builds an empty tree.
					batch := make([]soa.Ball, 1+r.IntN(n))
					for i := range batch {
						batch[i] = someBall(r, 100)
					}
					o, s := objectsOf(batch)
					ids, err := balls.InsertBallBatch(nil, batch)
					must(t, err)
					again, err := objects.InsertBatch(nil, o)
					must(t, err)
					must(t, objects.SetBounds(again, linear.Bodies{Spheres: s}))
					if !slices.Equal(ids, again) {
						t.Fatalf("IDs %v and %v", ids, again)
					}
					live = append(live, ids...)
					same("a batch of insertions")

					// Moves of few and of most, with some twice.
					for _, movers := range []int{1 + len(live)/10, len(live)} {
						ids, spheres := make([]uint32, movers), make([][4]float32, movers)
						last := map[uint32][4]float32{}
						for i := range ids {
							ids[i] = live[r.IntN(len(live))]
							if movers == len(live) && r.IntN(8) > 0 {
								ids[i] = live[i]
							}
							s, _ := balls.Sphere(ids[i])
							for a := range 3 {
								s[a] += r.Float32() - 0.5
							}
							if r.IntN(20) == 0 {
								s = someBall(r, 100).Sphere
							}
							spheres[i], last[ids[i]] = s, s
						}
						boxes := make([]soa.AABB, movers)
						for i, s := range spheres {
							boxes[i] = soa.Ball{Sphere: s}.Box()
						}
						must(t, balls.MoveBodies(ids, linear.Bodies{Spheres: spheres}))
						must(t, objects.MoveBatch(ids, boxes))
						for i, id := range ids {
							spheres[i] = last[id]
						}
						must(t, objects.SetBounds(ids, linear.Bodies{Spheres: spheres}))
						same("a batch of moves")
					}

					// One by one, and in a batch.
					one := someBall(r, 100)
					id, err := balls.InsertBall(one)
					must(t, err)
					live = append(live, id)
					id, err = objects.Insert(one.Object())
					must(t, err)
					must(t, objects.SetSphere(id, one.Sphere))
					id, one = live[r.IntN(len(live))], someBall(r, 100)
					must(t, balls.MoveSphere(id, one.Sphere))
					must(t, objects.Move(id, one.Box()))
					must(t, objects.SetSphere(id, one.Sphere))
					same("single calls")
					var b, c linear.Batch
					b.InsertBall(one)
					b.MoveSphere(live[0], one.Sphere)
					b.Move(live[1%len(live)], one.Box()) // drops a sphere
					c.Insert(one.Object())
					c.Move(live[0], one.Box())
					c.Move(live[1%len(live)], one.Box())
					ids, err = balls.Apply(&b)
					must(t, err)
					again, err = objects.Apply(&c)
					must(t, err)
					must(t, objects.SetSphere(again[0], one.Sphere))
					if len(live) > 1 {
						must(t, objects.SetSphere(live[0], one.Sphere))
						must(t, balls.MoveSphere(live[1], one.Sphere)) // makes all of them balls again
						must(t, objects.Move(live[1], one.Box()))
						must(t, objects.SetSphere(live[1], one.Sphere))
					} else {
						must(t, balls.Move(live[0], one.Box()))
					}
					live = append(live, ids...)
					same("a recorded batch")
					must(t, balls.Tick())
					must(t, objects.Tick())
					same("a tick")
					for len(live) > 3*n/2 {
						i := r.IntN(len(live))
						must(t, balls.Remove(live[i]))
						must(t, objects.Remove(live[i]))
						live = slices.Delete(live, i, i+1)
					}
				}
			}
		}
	})
}

// The first ball may be inserted by any call, into a tree that never had an object, or never a sphere.
func TestFirstBall(t *testing.T) {
	b := soa.Ball{Sphere: [4]float32{1, 2, 3, 0.1}, Mask: 3, Static: true}
	for _, before := range []int{0, 1, 300} {
		for what, call := range map[string]func(*linear.Tree) (uint32, error){
			"InsertBall": func(tree *linear.Tree) (uint32, error) { return tree.InsertBall(b) },
			"InsertBallBatch": func(tree *linear.Tree) (uint32, error) {
				ids, err := tree.InsertBallBatch(nil, []soa.Ball{b})
				return ids[0], err
			},
			"Apply": func(tree *linear.Tree) (uint32, error) {
				var batch linear.Batch
				batch.InsertBall(b)
				ids, err := tree.Apply(&batch)
				return ids[0], err
			},
			"MoveSphere": func(tree *linear.Tree) (uint32, error) {
				id, err := tree.Insert(soa.Object{Mask: 3, Static: true})
				return id, errors.Join(err, tree.MoveSphere(id, b.Sphere))
			},
			"MoveBodies": func(tree *linear.Tree) (uint32, error) {
				id, err := tree.Insert(soa.Object{Mask: 3, Static: true})
				return id, errors.Join(err, tree.MoveBodies([]uint32{id}, linear.Bodies{Spheres: [][4]float32{b.Sphere}}))
			},
		} {
			tree := newTree(t, linear.Config{})
			insert(t, tree, grid(7)[:before])
			s := linear.NewPublisher(tree)
			id, err := call(tree)
			must(t, err)
			for range 2 {
				valid(t, tree)
				got, ok := tree.Sphere(id)
				if o, _ := tree.Object(id); !ok || got != b.Sphere || o != b.Object() {
					t.Errorf("%s into %d: %v with sphere %v, %v", what, before, o, got, ok)
				}
				s.Publish()
				if diff := s.Differs(); diff != nil {
					t.Errorf("%s into %d: %v", what, before, diff)
				}
				tick(t, tree)
			}
		}
	}
}

// A move of a ball is one entry of the log, with its sphere; held versions have it, too.
func TestSpheresAreLogged(t *testing.T) {
	tree := newTree(t, linear.Config{Log: true})
	var batch []soa.Ball
	r := testkit.Rand(3)
	for range 300 {
		batch = append(batch, someBall(r, 50))
	}
	ids, err := tree.InsertBallBatch(nil, batch)
	must(t, err)
	tick(t, tree)
	s := linear.NewPublisher(tree)
	_, next, _ := tree.View().Changes(0)
	spheres := [][4]float32{{1, 2, 3, 1}, {4, 5, 6, 2}}
	must(t, tree.MoveBodies(ids[:2], linear.Bodies{Spheres: spheres}))
	must(t, tree.MoveSphere(ids[2], spheres[0]))
	id, err := tree.InsertBall(soa.Ball{Sphere: spheres[1], Mask: 8})
	must(t, err)
	late, err := tree.InsertBallBatch(nil, []soa.Ball{{Sphere: spheres[0]}})
	must(t, err)
	var want []soa.Change
	for i, id := range append([]uint32{ids[0], ids[1], ids[2], id}, late...) {
		o, _ := tree.Object(id)
		want = append(want, soa.Change{ID: id, Object: o, Sphere: spheres[i%2]})
	}
	if got, _, ok := tree.View().Changes(next); !ok || !slices.Equal(got, want) {
		t.Errorf("the log has %v, %v; want %v", got, ok, want)
	}
	s.Publish()
	if diff := s.Differs(); diff != nil {
		t.Error(diff)
	}
	all := make([][4]float32, len(ids)) // most, in the order of packets
	for i := range all {
		all[i] = someBall(r, 50).Sphere
	}
	must(t, tree.MoveBodies(ids, linear.Bodies{Spheres: all}))
	s.Publish()
	if diff := s.Differs(); diff != nil {
		t.Error(diff)
	}
}

// Moves and insertions of balls allocate nothing in steady state.
func TestBallsAllocate(t *testing.T) {
	tree := newTree(t, linear.Config{Workers: 1})
	balls := make([]soa.Ball, 3000)
	r := testkit.Rand(1)
	for i := range balls {
		balls[i] = soa.Ball{Sphere: [4]float32{r.Float32() * 50, r.Float32() * 50, r.Float32() * 50, 1}}
	}
	ids, err := tree.InsertBallBatch(nil, balls)
	must(t, err)
	spheres := make([][4]float32, len(ids))
	var b linear.Batch
	more := make([]uint32, 0, 64)
	frame := func() {
		for i := range spheres {
			balls[i].Sphere[0] += (r.Float32() - 0.5) / 10
			spheres[i] = balls[i].Sphere
		}
		must(t, tree.MoveBodies(ids[:200], linear.Bodies{Spheres: spheres[:200]}))
		must(t, tree.MoveBodies(ids, linear.Bodies{Spheres: spheres}))
		must(t, tree.MoveSphere(ids[9], spheres[9]))
		b.Reset()
		b.MoveSphere(ids[8], spheres[8])
		b.InsertBall(balls[0])
		added, err := tree.Apply(&b)
		must(t, err)
		must(t, tree.Remove(added[0]))
		more, err = tree.InsertBallBatch(more[:0], balls[:50])
		must(t, err)
		tick(t, tree)
		must(t, tree.RemoveBatch(more))
	}
	for range 100 {
		frame()
	}
	testkit.Allocs(t, 30, frame)
}
