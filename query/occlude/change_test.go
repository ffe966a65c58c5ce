package occlude_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// ahead is a camera along x in front of a town of that side length.
func ahead(side float64) view {
	return viewOf("camera", [3]float64{-10, side / 2, 3}, [3]float64{1, 0.05, 0}, 1, 16./9, 0.1, 4*side)
}

// A wall that has moved away, or was removed, hides nothing in the next query, without a call of SetCamera.
func TestWallGoes(t *testing.T) {
	none := query.Filter{}
	wall := soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{10, -20, -20}, Max: [3]float32{11, 20, 20}}}
	ball := soa.Object{Mask: 2, Box: testkit.Cube(20, 0, 0, 1)}
	away := soa.AABB{Min: [3]float32{-90, -20, -20}, Max: [3]float32{-89, 20, 20}}
	v := viewOf("camera", [3]float64{}, [3]float64{1, 0, 0}, 1, 1, 0.1, 100)
	for name, change := range map[string]func(tree *linear.Tree) error{
		"move":   func(tree *linear.Tree) error { return tree.Move(0, away) },
		"remove": func(tree *linear.Tree) error { return tree.Remove(0) },
		"mask":   func(tree *linear.Tree) error { return tree.SetMask(0, 2) },
		"sphere": func(tree *linear.Tree) error { return tree.SetSphere(0, [4]float32{10.5, 0, 0, 0.5}) },
		"rebuild": func(tree *linear.Tree) error {
			if err := tree.Move(0, away); err != nil {
				return err
			}
			return tree.Rebuild(context.Background(), linear.RebuildOptions{})
		},
		"several": func(tree *linear.Tree) error { return tree.MoveBatch([]uint32{0}, []soa.AABB{away}) },
	} {
		for _, byHand := range []bool{false, true} {
			tree := plant(t, []soa.Object{wall, ball}, linear.Config{})
			s := newScene(t)
			place(t, s, tree, linear.Transform{})
			culler := newCuller(t, occlude.Config{Width: 64, Height: 64, OccluderMask: walls})
			within := newCuller(t, occlude.Config{Width: 64, Height: 64, OccluderMask: walls})
			for _, e := range []*occlude.Culler{culler, within} {
				testkit.Must(t, v.look(e))
				if byHand { // it hides nothing, and stays
					testkit.Must(t, e.DrawBoxes(soa.AABB{Min: [3]float32{5, 1, 1}, Max: [3]float32{6, 3, 3}}))
				}
			}
			ask := func() (ids []uint32, inScene int, hides bool) {
				var a scene.Answer
				within.AppendScene(&a, s.View(), none)
				ids = culler.Append(nil, tree.View(), none)
				return ids, a.Len(), culler.Occluded(ball.Box)
			}
			if ids, n, hides := ask(); !slices.Equal(ids, []uint32{0}) || n != 1 || !hides {
				t.Errorf("%s: before, %d and %d in the scene are visible, hidden %v", name, ids, n, hides)
			}
			testkit.Must(t, change(tree))
			if ids, n, hides := ask(); !slices.Contains(ids, 1) || n != len(ids) || hides {
				t.Errorf("%s, by hand %v: after, %d and %d in the scene are visible, hidden %v", name, byHand, ids, n, hides)
			}
			if byHand && !culler.Occluded(testkit.Cube(8, 3, 3, 0.2)) {
				t.Errorf("%s: what was drawn by hand has gone", name)
			}
		}
	}
}

// The same for published versions of a tree and of a scene that contains it, one of which may be held for
// long.
func TestWallGoesFromVersions(t *testing.T) {
	none := query.Filter{}
	wall := soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{10, -20, -20}, Max: [3]float32{11, 20, 20}}}
	ball := soa.Object{Mask: 2, Box: testkit.Cube(20, 0, 0, 1)}
	away := shifted([]soa.Object{wall}, -100, 0, 0)[0].Box
	v := viewOf("camera", [3]float64{}, [3]float64{1, 0, 0}, 1, 1, 0.1, 100)
	for _, long := range []bool{false, true} {
		tree := plant(t, []soa.Object{wall, ball}, linear.Config{})
		s := newScene(t)
		place(t, s, tree, linear.Transform{})
		pub, scenes := linear.NewPublisher(tree), linear.NewScenePublisher(s)
		culler := newCuller(t, occlude.Config{Width: 64, Height: 64, OccluderMask: walls})
		within := newCuller(t, occlude.Config{Width: 64, Height: 64, OccluderMask: walls})
		for _, e := range []*occlude.Culler{culler, within} {
			testkit.Must(t, v.look(e))
			// The drawn box is beside the other objects; a frame with occluders drawn by the program has no
			// back-off.
			testkit.Must(t, e.DrawBoxes(soa.AABB{Min: [3]float32{5, 1.5, 1.5}, Max: [3]float32{6, 2.5, 2.5}}))
		}
		want := [2][]uint32{{0}, {1}}
		for round := range 9 {
			h, hs := pub.Acquire(), scenes.Acquire()
			var a scene.Answer
			within.AppendScene(&a, hs.View(), none)
			if ids := culler.Append(nil, h.View(), none); !slices.Equal(ids, want[round%2]) || !slices.Equal(a.IDs, ids) {
				t.Fatalf("round %d: %d and %d in the scene are visible", round, ids, a.IDs)
			}
			if !long || round%3 > 0 {
				h.Release()
				hs.Release()
			}
			testkit.Must(t, tree.Move(0, []soa.AABB{away, wall.Box}[round%2]))
			pub.Publish()
			scenes.Publish()
		}
	}
}

// Occluders drawn by the program stay through changes, whenever they are drawn, and no others do: when a
// tree has lost its occluders, the depth buffer is bit-identical to that of the drawn occluders.
func TestChangeLeavesWhatIsDrawnByHand(t *testing.T) {
	seed := testkit.Seed(t)
	for round := range testkit.Budget(t, 20, 3000) {
		rng := testkit.Rand(seed + uint64(round)<<32)
		const side = 60
		tree := plant(t, town(rng, 20, 5, side), linear.Config{})
		cfg := occlude.Config{Width: 90, Height: 50, OccluderMask: walls, MinPixels: 1, Workers: 1 + round%2}
		culler := newCuller(t, cfg)
		cfg.OccluderMask = 0
		hand := newCuller(t, cfg)
		v := ahead(side)
		for _, e := range []*occlude.Culler{culler, hand} {
			testkit.Must(t, v.look(e))
		}
		solid := uint32(walls)
		for step := range 12 {
			b := town(rng, 1, 0, side)[0].Box
			switch rng.IntN(7) {
			case 6: // occluders are drawn again
				culler.Append(nil, tree.View(), query.Filter{})
			case 5: // nothing: the occluder is behind the camera
				for _, e := range []*occlude.Culler{culler, hand} {
					testkit.Must(t, e.DrawBoxes(testkit.Cube(-50, 30, 3, 1)))
				}
			case 0, 1: // occluders of the tree, or none
				solid ^= walls
				for id := range uint32(20) {
					testkit.Must(t, tree.SetMask(id, solid|4))
				}
				culler.Append(nil, tree.View(), query.Filter{})
			case 2:
				for _, e := range []*occlude.Culler{culler, hand} {
					testkit.Must(t, e.DrawBoxes(b))
				}
			case 3:
				b.Max[0] = b.Min[0]
				m, err := occlude.NewMesh([][3]float32{b.Min, {b.Min[0], b.Max[1], b.Min[2]}, b.Max, {b.Min[0], b.Min[1], b.Max[2]}}, [][3]int32{{0, 1, 2}, {0, 2, 3}})
				testkit.Must(t, err)
				for _, e := range []*occlude.Culler{culler, hand} {
					e.DrawMesh(m, linear.Transform{})
				}
			case 4:
				if hull, err := occlude.NewPrism([][2]float32{{b.Min[0], b.Min[1]}, {b.Max[0], b.Min[1]}, {b.Max[0], b.Max[1] + 1}}, 0, 9); err == nil {
					for _, e := range []*occlude.Culler{culler, hand} {
						e.DrawHulls([]occlude.Hull{hull}, nil)
					}
				}
			}
			if solid == 0 && !slices.Equal(bytesOf(culler), bytesOf(hand)) {
				t.Fatalf("round %d, step %d: the picture is not that of what was drawn by hand", round, step)
			}
		}
	}
}

// changing is a tree or scene that is queried while it changes.
type changing struct {
	*testing.T
	rng  *rand.Rand
	side float64

	tree  *linear.Tree
	ids   []uint32
	scene *linear.Scene // that the tree is a part of, or nil
	place []uint32
	pub   *linear.Publisher // of the tree, or nil
	solid []body            // occluders at the last query
}

func (c *changing) failed(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

// newChanging makes a tree, a published one, or one that is a part of a scene.
func newChanging(t *testing.T, rng *rand.Rand, side float64) *changing {
	c := &changing{T: t, rng: rng, side: side}
	objects := town(rng, 12, 80, side)
	c.tree = plant(t, objects, linear.Config{Workers: 1})
	for i := range objects {
		c.ids = append(c.ids, uint32(i))
	}
	switch rng.IntN(3) {
	case 0:
		c.pub = linear.NewPublisher(c.tree)
	case 1:
		s, err := linear.NewScene(linear.Config{Workers: 1})
		c.failed(err)
		c.scene = s
		_, err = s.Tree().InsertBatch(nil, town(rng, 2, 20, side))
		c.failed(err)
		for range 2 {
			id, err := s.AddInstance(c.tree, steps(rng.NormFloat64()*side/4, rng.NormFloat64()*side/4, 0), linear.InstanceOptions{})
			c.failed(err)
			c.place = append(c.place, id)
		}
	}
	return c
}

// change changes some objects of the tree.
func (c *changing) change() {
	rng := c.rng
	fresh := town(rng, 1, 1, c.side)
	switch k := rng.IntN(len(c.ids)); rng.IntN(8) {
	case 0, 1: // a house moves: the first objects are houses
		k = rng.IntN(min(12, len(c.ids)))
		o, _ := c.tree.View().Object(c.ids[k])
		c.failed(c.tree.Move(c.ids[k], shifted([]soa.Object{o}, float32(rng.NormFloat64()*c.side/4), float32(rng.NormFloat64()*c.side/4), 0)[0].Box))
	case 2:
		if len(c.ids) > 20 {
			c.failed(c.tree.Remove(c.ids[k]))
			c.ids = slices.Delete(c.ids, k, k+1)
		}
	case 3:
		id, err := c.tree.Insert(fresh[rng.IntN(2)])
		c.failed(err)
		c.ids = append(c.ids, id)
	case 4:
		c.failed(c.tree.Rebuild(context.Background(), linear.RebuildOptions{Frozen: rng.IntN(2) == 0}))
	case 5:
		c.failed(c.tree.SetMask(c.ids[k], uint32(1+rng.IntN(2))))
	case 6:
		if c.scene == nil {
			c.failed(c.tree.Tick())
			break
		}
		c.failed(c.scene.Move(c.place[rng.IntN(2)], steps(rng.NormFloat64()*c.side/4, rng.NormFloat64()*c.side/4, 0)))
	case 7:
		if c.scene != nil {
			c.failed(c.scene.Tick())
		} else {
			var boxes []soa.AABB
			some := c.ids[:len(c.ids)/2]
			for _, id := range some {
				o, _ := c.tree.View().Object(id)
				boxes = append(boxes, shifted([]soa.Object{o}, float32(rng.NormFloat64()), float32(rng.NormFloat64()), 0)[0].Box)
			}
			c.failed(c.tree.MoveBatch(some, boxes))
		}
	}
}

// ask runs a query and checks it by rays. No object is missing that a ray enters before every occluder: the
// current ones, the drawn ones, and the others as of the last query.
func (c *changing) ask(culler *occlude.Culler, others []body) (hidden int) {
	none := query.Filter{}
	var objects []soa.Object
	var bodies []body
	var all, visible []uint32
	if c.scene != nil {
		v := c.scene.View()
		things := membersIn(v)
		for i := range things {
			objects, bodies = append(objects, things[i].object), append(bodies, things[i].body)
			if objects[i].Mask &^= walls; things[i].solid {
				objects[i].Mask |= walls
			}
		}
		switch c.rng.IntN(6) { // no query changes the state that counts
		case 0:
			culler.AnyScene(v, none)
		case 1:
			culler.ExplainScene(v, none, nil)
		}
		var a, b scene.Answer
		culler.AppendScene(&a, v, none)
		scene.Append(&b, culler.Frustum(), v, none)
		visible, all = indicesOf(c.T, things, namesOf(&a)), indicesOf(c.T, things, namesOf(&b))
	} else {
		v := c.tree.View()
		if c.pub != nil {
			c.pub.Publish()
			h := c.pub.Acquire()
			defer h.Release()
			v = h.View()
		}
		objects = make([]soa.Object, slices.Max(c.ids)+1)
		for _, id := range c.ids {
			objects[id], _ = v.Object(id)
		}
		bodies = bodiesOf(objects)
		switch c.rng.IntN(6) {
		case 0:
			culler.Any(v, none)
		case 1:
			culler.Explain(v, none, nil)
		}
		all = culler.Frustum().Append(nil, v, none)
		switch c.rng.IntN(3) {
		case 0:
			visible = culler.Append(nil, v, none)
		case 1:
			visible = slices.Collect(culler.All(v, none))
		case 2:
			n := culler.Count(v, none)
			if visible = culler.Append(nil, v, none); n < len(visible) { // the second query has the same occluders, or more
				c.Errorf("%d objects are counted, then %d visible", n, len(visible))
			}
		}
	}
	testkit.NothingLost(c.T, all, visible)
	witness(c.T, c.rng, culler.Rays(), 0.1, objects, bodies, all, others, setOf(visible), 60)
	c.solid = c.solid[:0]
	for _, id := range all {
		if objects[id].Mask&walls != 0 {
			c.solid = append(c.solid, bodies[id])
		}
	}
	return len(all) - len(visible)
}

// Many queries after one SetCamera are right while the trees change and the program draws occluders in
// between.
func TestChangesAfterCamera(t *testing.T) {
	seed := testkit.Seed(t)
	hidden, answers := 0, 0
	for round := range testkit.Budget(t, 4, 400) {
		rng := testkit.Rand(seed + uint64(round)<<32)
		const side = 60
		culler := newCuller(t, occlude.Config{Width: 96, Height: 54, OccluderMask: walls, MinPixels: 1, Workers: 1 + round%2})
		v := ahead(side)
		testkit.Must(t, v.look(culler))
		var list []*changing
		for range 1 + round%3 {
			list = append(list, newChanging(t, rng, side))
		}
		var byHand []body
		for step := range 30 {
			switch rng.IntN(12) {
			case 0:
				b := town(rng, 1, 0, side)[0].Box
				testkit.Must(t, culler.DrawBoxes(b))
				byHand = append(byHand, boxBody(b))
			case 1:
				b := town(rng, 1, 0, side)[0].Box
				b.Max[0] = b.Min[0]
				m, err := occlude.NewMesh([][3]float32{b.Min, {b.Min[0], b.Max[1], b.Min[2]}, b.Max, {b.Min[0], b.Min[1], b.Max[2]}}, [][3]int32{{0, 1, 2}, {0, 2, 3}})
				testkit.Must(t, err)
				culler.DrawMesh(m, linear.Transform{})
				byHand = append(byHand, boxBody(b))
			case 2:
				if rng.IntN(4) == 0 {
					testkit.Must(t, v.look(culler))
					byHand = nil
					for _, c := range list {
						c.solid = nil
					}
				}
			case 3:
				culler.Reset()
			}
			c := list[rng.IntN(len(list))]
			for range rng.IntN(3) {
				c.change()
			}
			others := slices.Clone(byHand)
			for _, o := range list {
				if o != c {
					others = append(others, o.solid...)
				}
			}
			hidden += c.ask(culler, others)
			if answers++; t.Failed() {
				t.Fatalf("round %d, step %d", round, step)
			}
		}
	}
	t.Logf("%d answers hide %d objects", answers, hidden)
	if hidden < answers {
		t.Error("too little is hidden")
	}
}
