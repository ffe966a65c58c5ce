package occlude_test

import (
	"bytes"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
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
		s, _ := linear.NewScene(linear.Config{})
		inner, _ := linear.NewScene(linear.Config{})
		outerAt, innerAt := randomTransform(t, rng, [3]float64{40, 3, 2}), randomTransform(t, rng, [3]float64{rng.NormFloat64(), 0, 1})
		mask := []uint32{0, walls | 2, 2}[rng.IntN(3)]
		if _, err := inner.AddInstance(tree, innerAt, linear.InstanceOptions{Mask: mask}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.AddInstance(inner, outerAt, linear.InstanceOptions{}); err != nil {
			t.Fatal(err)
		}
		var shapes linear.Column[occlude.Shape]
		for part, v := range s.View().Parts() {
			if part > 0 && v.Objects().Len() == 1 {
				shapes.Set(part, own)
			}
		}
		rows := rowsAfter(rowsAfter(outerAt.Rows(), innerAt.Rows()), own.Transform.Rows())
		composed, err := linear.NewTransform(rows)
		if err != nil {
			t.Fatal(err)
		}
		culler, _ := occlude.New(occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
		hand, _ := occlude.New(occlude.Config{Width: 160, Height: 90})
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
				if err := culler.DrawBoxes(soa.AABB{Min: [3]float32{230, -20, -20}, Max: [3]float32{250, 20, 20}}); err != nil {
					t.Fatal(err)
				}
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
