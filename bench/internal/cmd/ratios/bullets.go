package ratios

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/measure"
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
func newGunfire(objects []soa.Object, lifespan int) (*gunfire, error) {
	tree, err := linear.New(linear.Config{Workers: 1, Lifespan: lifespan, Policy: linear.PolicyIncremental})
	if err != nil {
		return nil, err
	}
	if _, err = tree.InsertBatch(nil, objects); err != nil {
		return nil, err
	}
	g := &gunfire{
		Bullets: scene.Bullets{Volley: len(objects)/64 + 1, Pause: 6, Life: 4, Muzzle: [3]float32{20, 20, 20}, Step: 3},
		tree:    tree,
	}
	return g, tree.Tick()
}

// next advances the bullets by one frame: it inserts a new volley if it is due, removes an expired one, and
// moves the others.
func (g *gunfire) next() error {
	if g.frame%g.Pause == 0 {
		g.objects = g.objects[:0]
		for k := range g.Volley {
			g.objects = append(g.objects, soa.Object{Box: g.Box(g.frame/g.Pause, k, 0), Mask: 1})
		}
		ids, err := g.tree.InsertBatch(g.spare[:0], g.objects)
		if err != nil {
			return err
		}
		g.volleys, g.spare = append(g.volleys, ids), nil
	}
	if len(g.volleys) > 0 && g.frame-g.first*g.Pause == g.Life {
		g.spare = g.volleys[0]
		if err := g.tree.RemoveBatch(g.spare); err != nil {
			return err
		}
		g.volleys = append(g.volleys[:0], g.volleys[1:]...)
		g.first++
	}
	for i, ids := range g.volleys {
		v := g.first + i
		g.boxes = g.boxes[:0]
		for k := range ids {
			g.boxes = append(g.boxes, g.Box(v, k, g.frame-v*g.Pause))
		}
		if err := g.tree.MoveBatch(ids, g.boxes); err != nil {
			return err
		}
	}
	g.frame++
	return g.tree.Tick()
}

// flight runs frames and returns the number of nodes that they allocated.
func (g *gunfire) flight(frames int) (allocated int, err error) {
	for range frames {
		if err = g.next(); err != nil {
			return allocated, err
		}
		allocated += g.tree.Work().Allocated
	}
	return allocated, nil
}

// bulletFrames is the number of frames of a measurement: a whole number of volleys.
const bulletFrames = 60

// allocatedPerFrame is the unit of node counts that may be zero.
const allocatedPerFrame = "nodes/frame"

// measureBullets compares frames with and without lifespans.
func measureBullets(s *session, name string, objects []soa.Object) (rows []row, err error) {
	var failed error
	var tasks []measure.Task
	var fires []*gunfire
	var nodes [2]measure.Series
	for i, lifespan := range []int{0, linear.Off} {
		g, err := newGunfire(objects, lifespan)
		if err != nil {
			return nil, err
		}
		fires = append(fires, g)
		// With a Before, a sample is one call: whole volleys.
		tasks = append(tasks, measure.Task{Units: bulletFrames, Before: func() {}, Do: func() uint64 {
			k, e := g.flight(bulletFrames)
			if e != nil {
				failed = e
			}
			nodes[i] = append(nodes[i], float64(k)/bulletFrames)
			return uint64(k)
		}})
	}
	times := measure.Interleave(s.rounds, tasks...)
	if failed != nil {
		return nil, failed
	}
	for _, g := range fires {
		if err := g.tree.Validate(); err != nil {
			return nil, err
		}
	}
	const ns = 1e3
	for i, what := range []string{"lifespans", "no lifespans"} {
		rows = append(rows,
			figure{name: fmt.Sprintf("%s: %s", name, what), values: times[i].Each(func(x float64) float64 { return x / ns }), unit: "us/frame"},
			figure{name: fmt.Sprintf("%s: %s, allocated", name, what), values: nodes[i][1:], unit: allocatedPerFrame}) // without the first flight
	}
	return append(rows, figure{name: name + ": with / without lifespans", values: times[0].Over(times[1]), unit: "x"}), nil
}
