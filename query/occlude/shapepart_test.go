package occlude_test

import (
	"bytes"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

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
