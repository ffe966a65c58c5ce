package occlude_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	world "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
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
