package occlude_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	world "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// hullTown is a town whose houses have hulls, and small boxes all over it.
type hullTown struct {
	objects []soa.Object // houses first
	bodies  []body       // the hulls of houses, the boxes of the others
	hulls   []occlude.Hull
	shapes  linear.Column[occlude.Shape]
	tree    *linear.Tree
	walk    []query.Camera
}

func newHullTown(t testing.TB, houses, small, frames int) *hullTown {
	prisms, boxes := world.PrismTown(houses, small, 1)
	town := &hullTown{hulls: make([]occlude.Hull, houses)}
	var things []thing
	for i := range prisms {
		p := &prisms[i]
		var err error
		if town.hulls[i], err = occlude.NewPrism(p.Base, p.Z0, p.Z1); err != nil {
			t.Fatal(err)
		}
		town.shapes.Set(uint32(i), occlude.Shape{Hull: &town.hulls[i]})
		b := soa.AABB{Min: [3]float32{p.Base[0][0], p.Base[0][1], p.Z0}, Max: [3]float32{p.Base[0][0], p.Base[0][1], p.Z1}}
		for _, c := range p.Base {
			for a := range 2 {
				b.Min[a], b.Max[a] = min(b.Min[a], c[a]), max(b.Max[a], c[a])
			}
		}
		town.objects = append(town.objects, soa.Object{Box: b, Mask: walls, Static: true})
		h := prismThing(uint32(i), p)
		h.body.corners = h.corners
		things, town.bodies = append(things, h), append(town.bodies, h.body)
	}
	for _, o := range boxes {
		town.objects = append(town.objects, soa.Object{Box: o.Box, Mask: 2})
		town.bodies = append(town.bodies, boxBody(o.Box))
	}
	town.tree = plant(t, town.objects, linear.Config{Frozen: true})
	// A walk along a street, and around its corners.
	side := float64(scene2D(boxes))
	rng := rand.New(rand.NewPCG(1, 26))
	for len(town.walk) < frames {
		at, turn := [3]float64{side * (0.2 + 0.6*rng.Float64()), side * (0.2 + 0.6*rng.Float64()), 1.7}, rng.Float64()*2*math.Pi
		for step := 0; step < 15 && len(town.walk) < frames; step++ {
			if slices.ContainsFunc(things, func(h thing) bool { return h.within(at, 0.5) }) {
				break
			}
			turn += 0.03
			c := query.Camera{Eye: at, Forward: [3]float64{math.Cos(turn), math.Sin(turn), 0}, Up: [3]float64{0, 0, 1}, FovY: math.Pi / 3, Aspect: 16. / 9, Near: 0.1, Far: math.Inf(1)}
			town.walk = append(town.walk, c)
			at[0], at[1] = at[0]+0.3*math.Cos(turn), at[1]+0.3*math.Sin(turn)
		}
	}
	return town
}

// scene2D returns the largest coordinate of boxes.
func scene2D(boxes []soa.Object) (side float32) {
	for i := range boxes {
		side = max(side, boxes[i].Box.Max[0], boxes[i].Box.Max[1])
	}
	return side
}

// cullers returns a culler that draws the shapes of the houses itself, and one for drawing by hand.
func (h *hullTown) cullers(t testing.TB) (own, hand *occlude.Culler) {
	own = newCuller(t, occlude.Config{Width: 512, Height: 288, OccluderMask: walls})
	own.SetShapes(&h.shapes)
	return own, newCuller(t, occlude.Config{Width: 512, Height: 288})
}

// A town of houses with hulls, none of them drawn by hand: at least 99 % of the objects are found hidden that
// are found if all hulls are drawn by hand in each frame. Rays to random points of all hidden objects pass a
// hull first.
func TestShapesOfTown(t *testing.T) {
	long := testkit.Long(t)
	houses, small, frames := 900, 9_000, 30
	if long {
		houses, small, frames = 10_000, 200_000, 30
	}
	town := newHullTown(t, houses, small, frames)
	own, hand := town.cullers(t)
	h := &hiddenPoints{rng: testkit.Rand(testkit.Seed(t)), objects: town.objects, bodies: town.bodies}
	want := max(samples(t)/10, 20_000)
	hidden, byHand, drawn := 0, 0, 0
	v := town.tree.View()
	for round := 0; round == 0 || h.points < want; round++ {
		for i, c := range town.walk {
			testkit.Must(t, own.SetCamera(c))
			visible := own.Append(nil, v, query.Filter{})
			all := own.Frustum().Append(nil, v, query.Filter{})
			testkit.NothingLost(t, all, visible)
			if round == 0 {
				testkit.Must(t, hand.SetCamera(c))
				hand.DrawHulls(town.hulls, nil)
				hidden += len(all) - len(visible)
				byHand += len(all) - hand.Count(v, query.Filter{})
				testkit.Must(t, own.SetCamera(c))
				drawn += own.Explain(v, query.Filter{}, nil).Occluders
			} else if h.points >= want {
				break
			}
			is := setOf(visible)
			h.rays, h.near = own.Rays(), c.Near*(1-1e-12)
			h.pixels = pixelsOf(&h.rays)
			h.grid = gridOf(&h.rays, h.near, h.bodies, all)
			points := 1 + (want-h.points)/(len(town.walk)-i)/max(len(all)-len(visible), 1)
			for _, id := range all {
				if is[id] {
					continue
				}
				for range min(points, 64) {
					if p := h.somewhere(&town.objects[id].Box); !h.behind(id, p) {
						t.Fatalf("frame %d: object %d, box %v, is not visible, but its point %v is", i, id, town.objects[id].Box, p)
					}
				}
			}
		}
	}
	share := 100 * float64(hidden) / float64(byHand)
	t.Logf("%d houses, %d frames: %d objects are hidden, %d by all hulls: %.2f %%; %d hulls drawn a frame; %d rays",
		houses, frames, hidden, byHand, share, drawn/frames, h.points)
	if !(share >= 99) || byHand == 0 {
		t.Errorf("%.2f %% of what all hulls hide is found, want 99 %%", share)
	}
}

// BenchmarkTownShapes is the mean of a frame of a walk through a town of 10,000 houses with hulls: with all of
// them drawn by hand, and with those that the culler draws.
func BenchmarkTownShapes(b *testing.B) {
	town := newHullTown(b, 10_000, 200_000, 60)
	own, hand := town.cullers(b)
	dst := make([]uint32, 0, len(town.objects)+16)
	for name, frame := range map[string]func(c query.Camera){
		"hand": func(c query.Camera) {
			hand.SetCamera(c)
			hand.DrawHulls(town.hulls, nil)
			dst = hand.Append(dst[:0], town.tree.View(), query.Filter{})
		},
		"own": func(c query.Camera) {
			own.SetCamera(c)
			dst = own.Append(dst[:0], town.tree.View(), query.Filter{})
		},
	} {
		b.Run("draw="+name, func(b *testing.B) {
			found := 0
			for b.Loop() {
				found = 0
				for _, c := range town.walk {
					frame(c)
					found += len(dst)
				}
			}
			report(b, len(town.walk), found)
		})
	}
}

// The shape of a part gives the picture, up to rounding, of the same shape drawn by the program under the composed
// transforms: in an instance and in one inside it, with all filters, and if the masks on the path allow it.
func TestPartShapesByHand(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	covered := 0
	for round := range testkit.Budget(t, 60, 2000) {
		form := randomShape(t, rng)
		own := occlude.Shape{Transform: randomTransform(t, rng, [3]float64{rng.NormFloat64(), rng.NormFloat64(), 0})}
		if rng.IntN(2) == 0 {
			own.Hull = &form.hull
		} else {
			own.Mesh = form.mesh(t)
		}
		box := soa.AABB{Min: [3]float32{-40, -40, -40}, Max: [3]float32{40, 40, 40}} // the part is large, so is its box
		tree := plant(t, []soa.Object{{Box: box, Mask: 2}}, linear.Config{})
		s := newScene(t)
		inner := newScene(t)
		outerAt, innerAt := randomTransform(t, rng, [3]float64{40, 3, 2}), randomTransform(t, rng, [3]float64{rng.NormFloat64(), 0, 1})
		mask := []uint32{0, walls | 2, 2}[rng.IntN(3)]
		if _, err := inner.AddInstance(tree, innerAt, linear.InstanceOptions{Mask: mask}); err != nil {
			t.Fatal(err)
		}
		place(t, s, inner, outerAt)
		var shapes linear.Column[occlude.Shape]
		for part, v := range s.View().Parts() {
			if part > 0 && v.Objects().Len() == 1 {
				shapes.Set(part, own)
			}
		}
		rows := rowsAfter(rowsAfter(outerAt.Rows(), innerAt.Rows()), own.Transform.Rows())
		composed, err := linear.NewTransform(rows)
		testkit.Must(t, err)
		culler := newCuller(t, occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
		hand := newCuller(t, occlude.Config{Width: 160, Height: 90})
		culler.SetPartShapes(&shapes)
		v := randomView(rng, kinds[round%len(kinds)], [3]float64{0, rng.NormFloat64(), 2}, [3]float64{40, 3, 2}, 0.1, 300)
		if v.look(hand) != nil {
			t.Fatal("no view")
		}
		if own.Hull != nil {
			hand.DrawHulls([]occlude.Hull{form.hull}, []linear.Transform{composed})
		} else {
			hand.DrawMesh(own.Mesh, composed)
		}
		b, width, height, stride := hand.DepthBuffer()
		for _, f := range []query.Filter{{}, {Mask: 1 << 20}} {
			culler.Reset()
			if v.look(culler) != nil {
				t.Fatal("no view")
			}
			if mask == 2 {
				testkit.Must(t, culler.DrawBoxes(soa.AABB{Min: [3]float32{230, -20, -20}, Max: [3]float32{250, 20, 20}}))
				before := bytesOf(culler)
				if culler.CountScene(s.View(), f); !bytes.Equal(bytesOf(culler), before) {
					t.Errorf("round %d: a part is drawn that the mask of its instance excludes", round)
				}
				continue
			}
			culler.CountScene(s.View(), f)
			a, _, _, _ := culler.DepthBuffer()
			pixels, differ, drawn := 0, 0, 0
			open := min(b[0], a[0])
			for y := range height {
				for x := range width {
					p, q := a[y*stride+x], b[y*stride+x]
					open = min(open, p, q)
					if q != p && !(float64(abs32(p-q)) < 1e-4*float64(abs32(q))) {
						differ++
					}
				}
			}
			for y := range height {
				for x := range width {
					if b[y*stride+x] != open {
						pixels++
					}
					if a[y*stride+x] != open {
						drawn++
					}
				}
			}
			if drawn == 0 && v.kind == "parallel" {
				continue // a part about the reference point of a parallel projection has no lens
			}
			if covered += pixels; differ*50 > pixels+100 {
				t.Errorf("round %d, filter %v: %d pixels differ of %d, %d are drawn", round, f, differ, pixels, drawn)
			}
		}
	}
	if covered < 1000 {
		t.Errorf("%d pixels are covered: this tests little", covered)
	}
}

func abs32(x float32) float32 { return max(x, -x) }

// Parts of scenes occlude as a whole by shapes of their own, under transforms of all kinds, at any depth, if
// all masks on the path allow it; no false culls by rays.
func TestPartShapesContract(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	left, drawn, met, hulls := 0, 0, 0, 0
	for round := range testkit.Budget(t, 12, 400) {
		s := sceneOf(t, rng, 1+rng.IntN(3), func() string { return transformKinds[rng.IntN(len(transformKinds)-3)] })
		v := s.View()
		var shapes linear.Column[occlude.Shape]
		forms, at := map[uint32]shape{}, map[uint32]linear.Transform{}
		for part := range v.Parts() {
			if part == 0 || rng.IntN(4) == 0 {
				continue
			}
			form, transform := randomShape(t, rng), randomTransform(t, rng, [3]float64{rng.NormFloat64() * 8, rng.NormFloat64() * 8, 2})
			own := occlude.Shape{Transform: transform}
			if rng.IntN(3) > 0 {
				own.Hull = &form.hull
			} else {
				own.Mesh = form.mesh(t)
			}
			forms[part], at[part] = form, transform
			shapes.Set(part, own)
		}
		things := membersIn(v)
		objects, bodies := make([]soa.Object, len(things)), make([]body, len(things))
		for i := range things {
			objects[i], bodies[i] = things[i].object, things[i].body
			if objects[i].Mask &^= walls; things[i].solid {
				objects[i].Mask |= walls
			}
		}
		// the shapes of all instances whose masks allow it
		var extra []body
		var into func(v linear.SceneView, m [12]float64)
		into = func(v linear.SceneView, m [12]float64) {
			for _, id := range new(query.Frustum).Append(nil, v.Instances(), query.Filter{Mask: walls}) {
				inner, part, transform := v.Instance(id)
				rows := rowsAfter(m, transform.Rows())
				if form, ok := forms[part]; ok {
					if composed, err := linear.NewTransform(rowsAfter(rows, at[part].Rows())); err == nil {
						extra = append(extra, form.body(composed))
					}
				}
				into(inner, rows)
			}
		}
		into(v, [12]float64{0: 1, 5: 1, 10: 1})
		hulls += len(extra)
		culler := newCuller(t, occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
		plain := newCuller(t, occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
		culler.SetPartShapes(&shapes)
		for i, kind := range kinds {
			from := [3]float64{rng.NormFloat64() * 40, rng.NormFloat64() * 40, 1 + rng.Float64()*5}
			view := randomView(rng, kind, from, [3]float64{rng.NormFloat64() * 30, rng.NormFloat64() * 30, 2}, []float64{0.05, 1}[i&1], 300)
			for range 2 {
				if view.look(culler) != nil || view.look(plain) != nil {
					t.Fatal("no view")
				}
				f := []query.Filter{{}, {Mask: 4}}[rng.IntN(2)]
				drawn += culler.ExplainScene(v, f, nil).Occluders - plain.ExplainScene(v, f, nil).Occluders
				var a, b scene.Answer
				culler.AppendScene(&a, v, f)
				plain.AppendScene(&b, v, f)
				visible := indicesOf(t, things, namesOf(&a))
				b.Reset()
				scene.Append(&b, culler.Frustum(), v, f)
				all := indicesOf(t, things, namesOf(&b))
				testkit.NothingLost(t, all, visible)
				left += len(all) - len(visible)
				is, kept := setOf(visible), setOf(all)
				b.Reset()
				scene.Append(&b, culler.Frustum(), v, query.Filter{})
				whole := indicesOf(t, things, namesOf(&b))
				for _, id := range whole {
					is[id] = is[id] || !kept[id]
				}
				met += witness(t, rng, culler.Rays(), nearOf(culler, &view), objects, bodies, whole, extra, is, 150)
				if t.Failed() {
					t.Fatalf("round %d, %s: from %v", round, kind, from)
				}
			}
		}
	}
	t.Logf("%d objects hidden, %d meetings of rays, %d instances with shapes, %d occluders more than without", left, met, hulls, drawn)
	if left == 0 || hulls == 0 || drawn <= 0 {
		t.Error("this tests little")
	}
}
