package demo

import (
	"github.com/zoctree/zoctree/bench/internal/baseline"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// maxOutlines is the limit of outlined subtrees.
const maxOutlines = 3000

// see runs a frustum query.
func (s *Stage) see(q *Question, a *Answer) error {
	tree, camera, all := s.tree, q.camera(), query.Filter{}
	var visible []uint32
	//show camera
	frustum, err := camera.Frustum()
	if err != nil {
		return err
	}
	v := tree.View() // until the next change
	visible = frustum.Append(visible[:0], v, all)
	heat := query.NewHeat(v) // visited nodes and packets
	counters := frustum.Explain(v, all, heat)
	//end
	subtrees, inside := s.ranges(frustum, a)
	a.count("visible", len(visible), none)
	a.count("in fully contained subtrees, untested", inside, int(Whole))
	a.count("tested and visible", len(visible)-inside, int(Hit))
	a.count("false positives", s.candidates(heat), int(Candidate))
	a.count("not tested", len(s.objects)-inside-counters.Tested, int(Miss))
	a.count("fully contained ranges", subtrees, none)
	a.count("nodes visited", counters.Nodes, none)
	a.count("packets tested", counters.Packets, none)
	loop, err := s.scan(frustum)
	if err != nil {
		return err
	}
	a.Equal = s.same(visible, loop(nil))
	a.tested(counters, len(s.objects))
	found := visible
	a.versus(q, func() { visible = frustum.Append(visible[:0], v, all) }, func() { found = loop(found[:0]) })
	return nil
}

// scan returns a loop over all objects.
func (s *Stage) scan(f query.Frustum) (func(dst []uint32) []uint32, error) {
	lens, err := baseline.NewLens(f.Planes())
	extent := s.tree.View().Store().Extent
	return func(dst []uint32) []uint32 { return baseline.Scalar(dst, s.objects, extent, &lens) }, err
}

// ranges paints the parts of a result, and returns the number of whole subtrees and of the objects in them.
func (s *Stage) ranges(f query.Frustum, a *Answer) (subtrees, inside int) {
	v := s.tree.View()
	f.Ranges(v, query.Filter{}, func(r query.Range) bool {
		if r.Mask != 0 {
			for lane, id := range v.IDs(r.First) {
				if r.Mask>>lane&1 != 0 {
					s.States[id] = Hit
				}
			}
			return true
		}
		all := soa.Empty()
		for slot := r.First; slot < r.First+r.Count; slot++ {
			for lane, id := range v.IDs(slot) {
				s.States[id] = Whole
				all = all.Union(v.Box(slot, lane))
				inside++
			}
		}
		if subtrees++; subtrees <= maxOutlines && all.Min[0] <= all.Max[0] {
			for _, x := range append(all.Min[:], all.Max[:]...) {
				a.Boxes = append(a.Boxes, Float(x))
			}
		}
		return true
	})
	return subtrees, inside
}

// occlude runs occlusion culling; here every object is an occluder.
func (s *Stage) occlude(q *Question, a *Answer) error {
	tree, camera, all := s.tree, q.camera(), query.Filter{}
	var visible []uint32
	//show occlusion
	cfg := occlude.Config{Width: 256}
	cfg.OccluderMask = ^uint32(0)   // every object
	culler, err := occlude.New(cfg) // once
	if err != nil {
		return err
	}
	if err := culler.SetCamera(camera); err != nil {
		return err
	}
	visible = culler.Append(visible[:0], tree.View(), all)
	//end
	frustum := culler.Frustum()
	ahead := frustum.Append(nil, tree.View(), query.Filter{})
	s.paint(ahead, Hidden)
	s.paint(visible, Hit)
	culler.Reset() // excludes the occluders of former frames
	if err := culler.SetCamera(camera); err != nil {
		return err
	}
	c := culler.Explain(tree.View(), query.Filter{}, nil)
	a.count("visible", len(visible), int(Hit))
	a.count("in the frustum, but occluded", len(ahead)-len(visible), int(Hidden))
	a.count("outside", len(s.objects)-len(ahead), int(Miss))
	a.count("occluders drawn", c.Occluders, none)
	a.count("subtrees occluded", c.HiddenNodes, none)
	a.count("packets occluded", c.HiddenPackets, none)
	a.count("nodes visited", c.Nodes, none)
	loop, err := s.scan(frustum)
	if err != nil {
		return err
	}
	a.Equal = s.same(ahead, loop(nil))
	a.bar("to draw", "objects", Float(len(visible)))
	a.loop("in the frustum", "objects", Float(len(ahead)))
	a.Note = "The loop returns all objects in the frustum, occluded or not: less work, but more to draw."
	a.tested(c.Counters, len(s.objects))
	a.versus(q, func() {
		if culler.SetCamera(camera) == nil {
			visible = culler.Append(visible[:0], tree.View(), all)
		}
	}, func() { ahead = loop(ahead[:0]) })
	return nil
}
