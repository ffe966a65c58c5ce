package linear_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// movesTo are all calls that move objects, here all of them to points.
var movesTo = map[string]func(t *linear.Tree, ids []uint32, to [][3]float32) error{
	"Move": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return eachPoint(ids, to, func(id uint32, p [3]float32) error { return t.Move(id, pointBox(p)) })
	},
	"MoveSphere": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return eachPoint(ids, to, func(id uint32, p [3]float32) error { return t.MoveSphere(id, pointSphere(p)) })
	},
	"MoveOriented": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return eachPoint(ids, to, func(id uint32, p [3]float32) error { return t.MoveOriented(id, soa.OrientedBox{Center: p}) })
	},
	"MoveBatch": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return t.MoveBatch(ids, mapped(to, pointBox))
	},
	"MoveBodies of spheres": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return t.MoveBodies(ids, linear.Bodies{Spheres: mapped(to, pointSphere)})
	},
	"MoveBodies of boxes": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return t.MoveBodies(ids, linear.Bodies{Oriented: mapped(to, func(p [3]float32) soa.OrientedBox { return soa.OrientedBox{Center: p} })})
	},
	"MoveDirty": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		return t.MoveDirty(dirtyOf(ids, func(id uint32) soa.AABB { return pointBox(to[slices.Index(ids, id)]) }))
	},
	"MoveInOrder": func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		order, arrangement := t.Order(nil)
		var boxes []soa.AABB
		for _, id := range order {
			o, _ := t.Object(id)
			if i := slices.Index(ids, id); i >= 0 {
				o.Box = pointBox(to[i])
			}
			boxes = append(boxes, o.Box)
		}
		return t.MoveInOrder(arrangement, boxes)
	},
	"Apply of Move": applied(func(b *linear.Batch, ids []uint32, to [][3]float32) {
		for i, id := range ids {
			b.Move(id, pointBox(to[i]))
		}
	}),
	"Apply of MoveSphere": applied(func(b *linear.Batch, ids []uint32, to [][3]float32) {
		for i, id := range ids {
			b.MoveSphere(id, pointSphere(to[i]))
		}
	}),
	"Apply of MoveOriented": applied(func(b *linear.Batch, ids []uint32, to [][3]float32) {
		for i, id := range ids {
			b.MoveOriented(id, soa.OrientedBox{Center: to[i]})
		}
	}),
	"Apply of MoveBatch": applied(func(b *linear.Batch, ids []uint32, to [][3]float32) { b.MoveBatch(ids, mapped(to, pointBox)) }),
}

// insertsOf are all calls that insert, here points, except InsertPointColumns, which equals InsertPoints.
var insertsOf = map[string]func(t *linear.Tree, points [][3]float32) error{
	"Insert": func(t *linear.Tree, points [][3]float32) error {
		return eachPoint(make([]uint32, len(points)), points, func(_ uint32, p [3]float32) error {
			_, err := t.Insert(soa.Object{Box: pointBox(p)})
			return err
		})
	},
	"InsertBall": func(t *linear.Tree, points [][3]float32) error {
		return eachPoint(make([]uint32, len(points)), points, func(_ uint32, p [3]float32) error {
			_, err := t.InsertBall(soa.Ball{Sphere: pointSphere(p)})
			return err
		})
	},
	"InsertBatch": func(t *linear.Tree, points [][3]float32) error {
		_, err := t.InsertBatch(nil, pointBoxes(points, linear.Labels{}))
		return err
	},
	"InsertBallBatch": func(t *linear.Tree, points [][3]float32) error {
		_, err := t.InsertBallBatch(nil, mapped(points, func(p [3]float32) soa.Ball { return soa.Ball{Sphere: pointSphere(p)} }))
		return err
	},
	"InsertPoints": func(t *linear.Tree, points [][3]float32) error {
		_, err := t.InsertPoints(nil, points, linear.Labels{})
		return err
	},
	"Apply of Insert": func(t *linear.Tree, points [][3]float32) error {
		return applied(func(b *linear.Batch, _ []uint32, points [][3]float32) {
			for _, p := range points {
				b.Insert(soa.Object{Box: pointBox(p)})
			}
		})(t, nil, points)
	},
	"Apply of InsertBall": func(t *linear.Tree, points [][3]float32) error {
		return applied(func(b *linear.Batch, _ []uint32, points [][3]float32) {
			for _, p := range points {
				b.InsertBall(soa.Ball{Sphere: pointSphere(p)})
			}
		})(t, nil, points)
	},
	"Apply of InsertPoints": func(t *linear.Tree, points [][3]float32) error {
		return applied(func(b *linear.Batch, _ []uint32, points [][3]float32) { b.InsertPoints(points, linear.Labels{}) })(t, nil, points)
	},
}

func applied(record func(b *linear.Batch, ids []uint32, to [][3]float32)) func(*linear.Tree, []uint32, [][3]float32) error {
	return func(t *linear.Tree, ids []uint32, to [][3]float32) error {
		var b linear.Batch
		record(&b, ids, to)
		_, err := t.Apply(&b)
		return err
	}
}

func pointBox(p [3]float32) soa.AABB      { return soa.AABB{Min: p, Max: p} }
func pointSphere(p [3]float32) [4]float32 { return [4]float32{p[0], p[1], p[2], 0} }
func mapped[T, U any](list []T, f func(T) U) (to []U) {
	for _, x := range list {
		to = append(to, f(x))
	}
	return to
}

// eachPoint makes calls until one is rejected.
func eachPoint(ids []uint32, to [][3]float32, call func(id uint32, p [3]float32) error) error {
	for i, id := range ids {
		if err := call(id, to[i]); err != nil {
			return err
		}
	}
	return nil
}

// A fixed world is the given box, on each axis by itself, not the cube of the keys around it: for every call
// that inserts or moves, before and after a Save and a Clone. Config returns that box, and it never changes.
func TestOutsideOfGivenBox(t *testing.T) {
	worlds := []soa.AABB{
		{Max: [3]float32{64, 64, 64}},
		{Min: [3]float32{-10, -10, -10}, Max: [3]float32{10, 20, 30}},
		{Max: [3]float32{1000, 50, 1000}},
		{Min: [3]float32{-5, 7, -5}, Max: [3]float32{5, 7, 5}}, // flat
	}
	for _, world := range worlds {
		middle := world.Center()
		// The tested positions: each face, and the next number beyond it. The centre of a box at the least
		// number of float32 is 0.
		var in, out [][3]float32
		for a := range 3 {
			p := middle
			p[a] = world.Min[a]
			in = append(in, p)
			p[a] = min(math.Nextafter32(p[a], -1e9), p[a]-1e-30)
			out = append(out, p)
			p[a] = world.Max[a]
			in = append(in, p)
			p[a] = max(math.Nextafter32(p[a], 1e9), p[a]+1e-30)
			out = append(out, p)
		}
		for _, choice := range []linear.Outside{linear.OutsideKeep, linear.OutsideReject, linear.OutsideRemove} {
			cfg := linear.Config{World: world, Fixed: true, Outside: choice, PendingMin: 4, Workers: 1}
			first := newTree(t, cfg)
			var all [][3]float32
			for len(all) < 60 {
				all = append(append(all, in...), middle)
			}
			ids := insert(t, first, pointBoxes(all, linear.Labels{}))
			tick(t, first)
			for how, original := range map[string]*linear.Tree{"it": first, "loaded": loaded(t, written(t, first), linear.CheckFull)} {
				again := original.Clone
				for _, n := range []int{6, 40} { // a part, and the majority
					for name, move := range movesTo {
						tree := again()
						if got := tree.Config(); got.World != world || !got.Fixed || got.Outside != choice {
							t.Fatalf("the configuration has become %+v", got)
						}
						ids := ids[:n]
						must(t, move(tree, ids, all[:n]))
						tick(t, tree)
						if len(tree.RemovedOutside()) > 0 {
							t.Errorf("%v, %v, %s, %s of %d: %v departed from the world", world, choice, how, name, n, tree.RemovedOutside())
						}
						for k, p := range out {
							tree := again()
							to := slices.Clone(all[:n])
							to[n-1] = p
							judgeOutside(t, fmt.Sprintf("%v, %v, %s, %s of %d, place %d", world, choice, how, name, n, k), tree, move(tree, ids, to), choice, ids[n-1])
							if tree.World() != first.World() {
								t.Errorf("%v, %v, %s, %s: the world became %v", world, choice, how, name, tree.World())
							}
						}
					}
				}
				for name, add := range insertsOf {
					for _, empty := range []bool{false, true} {
						tree := again()
						if empty {
							tree.Clear()
						}
						must(t, add(tree, in))
						for k, p := range out {
							n := tree.Len()
							err := add(tree, [][3]float32{middle, p})
							if refused := choice != linear.OutsideKeep; refused != errors.Is(err, linear.ErrOutside) || !refused && err != nil {
								t.Errorf("%v, %v, %s, %s, empty %v, place %d: error %v", world, choice, how, name, empty, k, err)
							}
							if single := name == "Insert" || name == "InsertBall"; choice != linear.OutsideKeep && !single && tree.Len() != n {
								t.Errorf("%v, %v, %s, %s, empty %v: %d objects, there were %d", world, choice, how, name, empty, tree.Len(), n)
							}
						}
						tick(t, tree)
						valid(t, tree)
						if len(tree.RemovedOutside()) > 0 {
							t.Errorf("%v, %v, %s, %s: %v departed", world, choice, how, name, tree.RemovedOutside())
						}
					}
				}
			}
		}
	}
}

// judgeOutside fails unless a call that moved an object out has the right error, and the object is removed if
// it should be.
func judgeOutside(t *testing.T, what string, tree *linear.Tree, err error, choice linear.Outside, id uint32) {
	t.Helper()
	if refused := choice == linear.OutsideReject; refused != errors.Is(err, linear.ErrOutside) || !refused && err != nil {
		t.Errorf("%s: error %v", what, err)
	}
	tick(t, tree)
	valid(t, tree)
	gone := mapped(tree.RemovedOutside(), func(h soa.Handle) uint32 { return h.ID })
	if want := map[linear.Outside][]uint32{linear.OutsideRemove: {id}}[choice]; !slices.Equal(gone, want) {
		t.Errorf("%s: %v departed, want %v", what, gone, want)
	}
}
