package linear_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// frameStory is a world of many frames: some objects move, a few jump, and some are inserted and removed. Now
// and then all objects drift, half of them are removed, or a crowd is inserted.
type frameStory struct {
	name, scene string
	cfg         linear.Config
	n, frames   int
	publish     bool // publishes a version each frame
}

func frameStories() []frameStory {
	return []frameStory{
		{name: "default", scene: "uniform", n: 9000, frames: 80},
		{name: "city", scene: "city", n: 9000, frames: 80},
		{name: "large", scene: "clustered", n: 1<<15 + 4000, frames: 32},
		{name: "soon", scene: "surface", cfg: linear.Config{PendingMin: 32, PendingShare: 1 << 10}, n: 5000, frames: 96},
		{name: "packets of 14", scene: "uniform", cfg: linear.Config{SplitAbove: 14, MergeBelow: 9, Lifespan: 2}, n: 4000, frames: 96},
		{name: "packets of 5", scene: "clustered", cfg: linear.Config{SplitAbove: 5, PendingMin: 64, PendingShare: 1 << 10, Lifespan: linear.Off}, n: 3000, frames: 96},
		{name: "packets of 2", scene: "surface", cfg: linear.Config{SplitAbove: 2, MergeBelow: 1, PendingMin: 64, PendingShare: 1 << 10}, n: 900, frames: 96},
		{name: "fixed", scene: "uniform", cfg: linear.Config{Fixed: true, World: soa.AABB{Min: [3]float32{-40, -40, -40}, Max: [3]float32{40, 40, 40}}}, n: 4000, frames: 64},
		{name: "refit", scene: "city", cfg: linear.Config{Policy: linear.PolicyRefit}, n: 4000, frames: 96},
		{name: "one by one", scene: "far", cfg: linear.Config{Policy: linear.PolicyIncremental, Slack: 30, PendingMin: 100}, n: 4000, frames: 96},
		{name: "budget", scene: "far", cfg: linear.Config{TickBudget: 20, PendingMin: 8, Log: true}, n: 5000, frames: 96, publish: true},
		{name: "rebuilt", scene: "points", cfg: linear.Config{Policy: linear.PolicyRebuild, Slack: linear.Off, Log: true}, n: 3000, frames: 24, publish: true},
		{name: "published", scene: "uniform", cfg: linear.Config{Log: true, MinCell: 2, PendingMin: 64, PendingShare: 1 << 10}, n: 5000, frames: 40, publish: true},
		{name: "on a curve", scene: "sorted", cfg: linear.Config{Cut: linear.CutCurve, GrowShare: 4, ShrinkShare: 2}, n: 4000, frames: 96},
	}
}

// play is the state of a story.
type play struct {
	t       *testing.T
	r       *rand.Rand
	tree    *linear.Tree
	ids     []uint32
	objects []soa.Object // objects of ids
	spare   []soa.Object // objects not yet inserted
}

// near returns the box moved by a share of its size.
func (p *play) near(b soa.AABB, by float32) soa.AABB {
	for a := range 3 {
		d := float32((b.Max[a] - b.Min[a] + 0.01) * by * (p.r.Float32() - 0.5)) // never fused
		b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
	}
	return b
}

// moves moves one object in every by a share of its size, and one in twenty of them to the position of another
// object.
func (p *play) moves(every int, by float32) {
	var ids []uint32
	var boxes []soa.AABB
	for i := p.r.IntN(every); i < len(p.ids); i += 1 + p.r.IntN(2*every-1) {
		box := p.near(p.objects[i].Box, by)
		if p.r.IntN(20) == 0 {
			box = p.near(p.objects[p.r.IntN(len(p.ids))].Box, 1)
		}
		p.objects[i].Box = box
		ids, boxes = append(ids, p.ids[i]), append(boxes, box)
	}
	must(p.t, p.tree.MoveBatch(ids, boxes))
}

// balls turns some objects into balls, and gives others a sphere of radius 0 in their box.
func (p *play) balls() {
	var ids []uint32
	var balls [][4]float32
	for i := p.r.IntN(7); i < len(p.ids); i += 1 + p.r.IntN(15) {
		o := &p.objects[i]
		c := o.Box.Center()
		if i%3 == 0 {
			must(p.t, p.tree.SetSphere(p.ids[i], [4]float32{c[0], c[1], c[2], 0}))
			continue
		}
		r := 2 * p.r.Float32() // exact, so never fused
		ids, balls = append(ids, p.ids[i]), append(balls, [4]float32{c[0], c[1], c[2], r})
		for a := range 3 {
			o.Box.Min[a], o.Box.Max[a] = c[a]-r, c[a]+r
		}
	}
	must(p.t, p.tree.MoveBodies(ids, linear.Bodies{Spheres: balls}))
}

// arrive inserts k of the spare objects, at positions of other objects.
func (p *play) arrive(k int, single bool) {
	var come []soa.Object
	for range k {
		o := p.spare[p.r.IntN(len(p.spare))]
		o.Box, o.Mask, o.Static = p.near(o.Box, 2), uint32(p.r.IntN(9)), p.r.IntN(5) == 0
		come = append(come, o)
	}
	if single {
		for _, o := range come {
			id, err := p.tree.Insert(o)
			must(p.t, err)
			p.ids = append(p.ids, id)
		}
	} else {
		ids, err := p.tree.InsertBatch(p.ids, come)
		must(p.t, err)
		p.ids = ids
	}
	p.objects = append(p.objects, come...)
}

// leave removes k objects, at random or a group that was inserted together.
func (p *play) leave(k int, together bool) {
	at := p.r.IntN(len(p.ids) - k + 1)
	for range k {
		if !together {
			at = p.r.IntN(len(p.ids))
		}
		must(p.t, p.tree.Remove(p.ids[at]))
		last := len(p.ids) - 1
		p.ids[at], p.objects[at] = p.ids[last], p.objects[last]
		p.ids, p.objects = p.ids[:last], p.objects[:last]
		at = min(at, last-1)
	}
}

func (d *frameStory) tell(t *testing.T) string {
	objects := testkit.SceneByName(t, d.scene).Make(d.n, 3)
	p := &play{t: t, r: testkit.Rand(uint64(d.n)), tree: newTree(t, d.cfg), spare: objects}
	p.arrive(d.n*3/4, false)
	h := fnv.New64a()
	var shared *linear.Publisher
	if d.publish {
		shared = linear.NewPublisher(p.tree)
	}
	for f := range d.frames {
		switch {
		case f%16 == 7: // all objects drift
			p.moves(1, 0.5)
		case f%16 == 11:
			p.leave(len(p.ids)/2, f%32 == 11)
		case f%16 == 13:
			p.arrive(d.n/3, false)
		default:
			p.moves(30, 0.25)
		}
		if f%3 == 0 {
			p.arrive(1+d.n/200, f%2 == 0)
			p.leave(1+d.n/250, f%6 == 0)
		}
		if f%7 == 5 {
			p.balls()
		}
		for range 12 {
			i := p.r.IntN(len(p.ids))
			p.objects[i].Box = p.near(p.objects[i].Box, 3)
			must(t, p.tree.Move(p.ids[i], p.objects[i].Box))
		}
		if f%5 == 4 {
			p.tree.View()
			p.arrive(20, true)
		}
		if f%4 != 3 {
			tick(t, p.tree)
		}
		if shared != nil {
			shared.Publish()
		}
		fmt.Fprintln(h, formerNames.Replace(fmt.Sprintf("%+v", p.tree.Work())))
	}
	s := p.tree.View().Store()
	must(t, p.tree.Validate())
	fmt.Fprint(h, dump(p.tree, s))
	for _, id := range p.ids {
		sphere, ok := p.tree.Sphere(id)
		fmt.Fprint(h, sphere, ok)
	}
	return fmt.Sprintf("objects %d nodes %d packets %d hash %016x", s.Count, len(s.Nodes.Hot), len(s.Packets.Counts), h.Sum64())
}

// Each decision of a change shows in one of these trees: the positions of objects, the splitting, joining and
// freeing of nodes, and rebuilds. The trees equal the trees in the file, on every machine. Changes are
// deliberate, made with -update.
func TestFrames(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("one goroutine, told without the race detector, too")
	}
	lines := map[string]string{}
	told := testkit.Turn(t, 0, frameStories())
	for _, d := range told {
		lines[d.name] = d.tell(t)
	}
	golden(t, "testdata/frames.txt", lines, len(told) == len(frameStories()))
}
