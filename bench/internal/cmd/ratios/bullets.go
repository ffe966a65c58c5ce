package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// gunfire is a tree with volleys of short-lived bullets.
type gunfire struct {
	scene.Bullets
	tree    *linear.Tree
	volleys [][]uint32 // IDs of the bullets in the air, oldest volley first
	spare   []uint32   // memory for the IDs of the next volley
	first   int        // number of the oldest volley
	boxes   []soa.AABB
	objects []soa.Object
	frame   int
}

// newGunfire returns a tree of objects without bullets; next adds them.
func newGunfire(objects []soa.Object, lifespan int) *gunfire {
	tree := must.Get(linear.New(linear.Config{Workers: 1, Lifespan: lifespan, Policy: linear.PolicyIncremental}))
	must.Get(tree.InsertBatch(nil, objects))
	g := &gunfire{
		Bullets: scene.Bullets{Volley: len(objects)/64 + 1, Pause: 6, Life: 4, Muzzle: [3]float32{20, 20, 20}, Step: 3},
		tree:    tree,
	}
	must.Do(tree.Tick())
	return g
}

// next advances the bullets by one frame: it inserts a new volley if it is due, removes an expired one, and
// moves the others.
func (g *gunfire) next() {
	if g.frame%g.Pause == 0 {
		g.objects = g.objects[:0]
		for k := range g.Volley {
			g.objects = append(g.objects, soa.Object{Box: g.Box(g.frame/g.Pause, k, 0), Mask: 1})
		}
		ids := must.Get(g.tree.InsertBatch(g.spare[:0], g.objects))
		g.volleys, g.spare = append(g.volleys, ids), nil
	}
	if len(g.volleys) > 0 && g.frame-g.first*g.Pause == g.Life {
		g.spare = g.volleys[0]
		must.Do(g.tree.RemoveBatch(g.spare))
		g.volleys = append(g.volleys[:0], g.volleys[1:]...)
		g.first++
	}
	for i, ids := range g.volleys {
		v := g.first + i
		g.boxes = g.boxes[:0]
		for k := range ids {
			g.boxes = append(g.boxes, g.Box(v, k, g.frame-v*g.Pause))
		}
		must.Do(g.tree.MoveBatch(ids, g.boxes))
	}
	g.frame++
	must.Do(g.tree.Tick())
}

// flight runs frames and returns the number of nodes that they allocated.
func (g *gunfire) flight(frames int) (allocated int) {
	for range frames {
		g.next()
		allocated += g.tree.Work().Allocated
	}
	return allocated
}

// bulletFrames is the number of frames of a measurement: a whole number of volleys.
const bulletFrames = 60

// allocatedPerFrame is the unit of node counts that may be zero.
const allocatedPerFrame = "nodes/frame"

// measureBullets compares frames with and without lifespans.
func measureBullets(s *session, name string, objects []soa.Object) (rows []row) {
	var tasks []measure.Task
	var fires []*gunfire
	var nodes [2]measure.Series
	for i, lifespan := range []int{0, linear.Off} {
		g := newGunfire(objects, lifespan)
		fires = append(fires, g)
		// With a Before, a sample is one call: whole volleys.
		tasks = append(tasks, measure.Task{Units: bulletFrames, Before: func() {}, Do: func() uint64 {
			k := g.flight(bulletFrames)
			nodes[i] = append(nodes[i], float64(k)/bulletFrames)
			return uint64(k)
		}})
	}
	times := measure.Interleave(s.rounds, tasks...)
	for _, g := range fires {
		must.Do(g.tree.Validate())
	}
	const ns = 1e3
	for i, what := range []string{"lifespans", "no lifespans"} {
		rows = append(rows,
			figure{name: fmt.Sprintf("%s: %s", name, what), values: times[i].Each(func(x float64) float64 { return x / ns }), unit: "us/frame"},
			figure{name: fmt.Sprintf("%s: %s, allocated", name, what), values: nodes[i][1:], unit: allocatedPerFrame}) // without the first flight
	}
	return append(rows, figure{name: name + ": with / without lifespans", values: times[0].Over(times[1]), unit: "x"})
}
