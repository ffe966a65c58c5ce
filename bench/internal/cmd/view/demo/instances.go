package demo

import (
	"fmt"
	"math"

	generated "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

const (
	partObjects = 250 // of each part
	partKinds   = 4
)

// blocks is a scene of instances, with the boxes of all objects as the stage has them: object j of instance i is
// object partObjects*i + j.
type blocks struct {
	scene *linear.Scene
	bytes int // of the scene and its parts
}

// newBlocks makes instances of a few blocks of buildings on a grid, each turned by a multiple of 90 degrees, every
// third mirrored, with about n objects in all.
func newBlocks(n int, seed uint64) (*Stage, error) {
	s, parts, side := &Stage{}, [partKinds]*linear.Tree{}, 0.0
	city, _ := generated.ByName("city")
	var lists [partKinds][]soa.Object
	for k := range parts {
		lists[k] = city.Make(partObjects, seed+uint64(k))
		all := generated.Bounds(lists[k])
		middle := all.Center()
		for i := range lists[k] {
			b := &lists[k][i].Box
			for a, low := range [3]float32{middle[0], middle[1], all.Min[2]} {
				b.Min[a], b.Max[a] = b.Min[a]-low, b.Max[a]-low
			}
		}
		side = max(side, float64(all.Max[0])-float64(all.Min[0]), float64(all.Max[1])-float64(all.Min[1]))
	}
	side = math.Ceil(1.1 * side)
	count := max(1, n/partObjects)
	columns := int(math.Ceil(math.Sqrt(float64(count))))
	placed := make([]int, count) // kinds
	var transforms []linear.Transform
	for i := range count {
		placed[i] = i * 7 % 11 % partKinds
		x, y, mirror := [4]float64{1, 0, -1, 0}[i%4], [4]float64{0, 1, 0, -1}[i%4], 1.0
		if i%3 == 0 {
			mirror = -1
		}
		t, err := linear.NewTransform([12]float64{
			mirror * x, -y, 0, side * float64(i%columns),
			mirror * y, x, 0, side * float64(i/columns),
			0, 0, 1, 0,
		})
		if err != nil {
			return nil, err
		}
		transforms = append(transforms, t)
		for _, o := range lists[placed[i]] {
			s.objects = append(s.objects, soa.Object{Box: t.Box(o.Box), Mask: 1})
		}
	}
	err := s.build(Blocks)
	if err != nil {
		return nil, err
	}
	s.blocks = &blocks{}
	if s.blocks.scene, err = linear.NewScene(linear.Config{Cut: linear.CutSpace}); err != nil {
		return nil, err
	}
	for k := range parts {
		if parts[k], err = linear.New(linear.Config{Cut: linear.CutSpace}); err != nil {
			return nil, err
		}
		if _, err = parts[k].InsertBatch(nil, lists[k]); err != nil {
			return nil, err
		}
		s.blocks.bytes += parts[k].Stats().LiveBytes()
	}
	for i, t := range transforms {
		id, err := s.blocks.scene.AddInstance(parts[placed[i]], t, linear.InstanceOptions{})
		if err != nil {
			return nil, err
		}
		if id != uint32(i) {
			return nil, fmt.Errorf("instance %d has ID %d", i, id)
		}
	}
	if err := s.blocks.scene.Tick(); err != nil {
		return nil, err
	}
	s.blocks.bytes += s.blocks.scene.Stats().Bytes()
	return s, nil
}

// place runs a frustum query of the scene of instances.
func (s *Stage) place(q *Question, a *Answer) error {
	if s.blocks == nil {
		return errNoInstances
	}
	all, town, camera := query.Filter{}, s.blocks.scene, q.camera()
	var visible scene.Answer
	draw := func(instance scene.InstanceRef, ids []uint32) { s.paintInstance(&visible, instance, ids) }
	//show instances
	frustum, err := camera.Frustum()
	if err != nil {
		return err
	}
	v := town.View() // until the next change
	visible.Reset()
	scene.Append(&visible, frustum, v, all)
	for i := range visible.Runs { // one part each
		instance, ids := visible.Run(i)
		draw(instance, ids)
	}
	//end
	c := scene.Explain(frustum, v, all, nil)
	st, n := town.Stats(), len(s.objects)
	a.count("visible", visible.Len(), none)
	untested := s.contained(frustum, a)
	a.count("in fully contained ranges, untested", untested, int(Whole))
	a.count("tested and visible", visible.Len()-untested, int(Hit))
	a.count("outside", n-visible.Len(), int(Miss))
	a.count("instances", st.Instances, none)
	a.count("parts", st.Parts, none)
	a.count("instances fully contained", c.Whole, none)
	a.count("instances searched", c.Entered, none)
	a.count("nodes visited", c.Nodes, none)
	a.count("packets tested", c.Packets, none)
	if a.Equal, err = s.bracket(frustum, &visible); err != nil {
		return err
	}
	tested := boxes(c.Counters)
	a.say("%s of %s found in "+grouped(st.Instances)+" instances by testing %s boxes", visible.Len(), n, tested)
	a.bar("instances", "boxes tested", Float(tested))
	a.loop("loop over all", "boxes tested", Float(n))
	a.bar("instances", "bytes", Float(s.blocks.bytes))
	a.loop("one tree of all", "bytes", Float(s.tree.Stats().LiveBytes()))
	loop, err := s.scan(frustum, 0)
	if err != nil {
		return err
	}
	var found []uint32
	if q.Time {
		us, loops := inTurns(func() {
			visible.Reset()
			scene.Append(&visible, frustum, v, all)
		}, func() { found = loop(found[:0]) })
		a.bar("instances", "µs", us)
		a.loop("loop over all", "µs", loops)
	}
	return nil
}

// paintInstance sets the states of objects of an instance.
func (s *Stage) paintInstance(visible *scene.Answer, instance scene.InstanceRef, ids []uint32) {
	_, i := visible.In(instance)
	for _, id := range ids {
		s.States[partObjects*i+id] = Hit
	}
}

// contained paints the objects in ranges that are inside the frustum, and returns their number.
func (s *Stage) contained(f query.Frustum, a *Answer) (objects int) {
	scene.Ranges(f, s.blocks.scene.View(), query.Filter{}, func(p scene.Part, r query.Range) bool {
		if r.Mask != 0 || p.Path.Len() == 0 {
			return true
		}
		all := soa.Empty()
		for slot := r.First; slot < r.First+r.Count; slot++ {
			for _, id := range p.View.Objects().IDs(slot) {
				i := partObjects*p.Path.At(0) + id
				s.States[i] = Whole
				all = all.Union(s.objects[i].Box)
				objects++
			}
		}
		a.outline(all)
		return true
	})
	return objects
}

// bracket compares the result with a loop over all objects, which has other rounding: the result has all
// objects in a slightly smaller frustum, and none outside a slightly larger one.
func (s *Stage) bracket(f query.Frustum, visible *scene.Answer) (bool, error) {
	var ids []uint32
	for i := range visible.Runs {
		ref, list := visible.Run(i)
		_, instance := visible.In(ref)
		for _, id := range list {
			ids = append(ids, partObjects*instance+id)
		}
	}
	inner, err := s.scan(f, -1)
	if err != nil {
		return false, err
	}
	outer, err := s.scan(f, 1)
	if err != nil {
		return false, err
	}
	return s.contains(ids, inner(nil)) && s.contains(outer(nil), ids), nil
}
