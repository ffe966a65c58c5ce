package demo

import (
	"fmt"
	"math"

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
	loop, err := s.scan(frustum, 0)
	if err != nil {
		return err
	}
	a.Equal = s.same(visible, loop(nil))
	a.say("%s of %s found by testing %s boxes", len(visible), len(s.objects), boxes(counters))
	a.tested(counters, len(s.objects))
	found := visible
	a.versus(q, func() { visible = frustum.Append(visible[:0], v, all) }, func() { found = loop(found[:0]) })
	return nil
}

// scan returns a loop over all objects, with the planes moved outward by a number of steps, each larger than the
// rounding errors.
func (s *Stage) scan(f query.Frustum, steps float64) (func(dst []uint32) []uint32, error) {
	planes, extent := f.Planes(), s.tree.View().Store().Extent
	for i := range planes {
		p := &planes[i]
		size := math.Abs(float64(p[3]))
		for a, x := range extent {
			size += math.Abs(float64(p[a]) * float64(x))
		}
		p[3] += float32(steps * size * 0x1p-18)
	}
	lens, err := baseline.NewLens(planes)
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
		subtrees++
		a.outline(all)
		return true
	})
	return subtrees, inside
}

// outline adds the outline of a subtree that is not empty, up to a limit.
func (a *Answer) outline(b soa.AABB) {
	if len(a.Boxes) < 6*maxOutlines && b.Min[0] <= b.Max[0] {
		for _, x := range append(b.Min[:], b.Max[:]...) {
			a.Boxes = append(a.Boxes, Float(x))
		}
	}
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
	a.say("%s of %s visible, %s more occluded", len(visible), len(s.objects), len(ahead)-len(visible))
	loop, err := s.scan(frustum, 0)
	if err != nil {
		return err
	}
	var found, kept []uint32
	loopAll := func() {
		found, kept = loop(found[:0]), kept[:0]
		for _, id := range found {
			if !culler.Occluded(s.objects[id].Box) {
				kept = append(kept, id)
			}
		}
	}
	loopAll()
	rays, wrong := s.behind(q, frustum)
	a.Equal = s.same(ahead, found) && s.contains(ahead, visible) && wrong == 0
	a.Check = fmt.Sprintf("Of %d rays to centres of occluded objects, each hits another object first.", rays)
	a.bar("visible", "objects to draw", Float(len(visible)))
	a.loop("in the frustum", "objects to draw", Float(len(ahead)))
	a.tested(c.Counters, len(s.objects))
	a.versus(q, func() {
		err = culler.SetCamera(camera)
		visible = culler.Append(visible[:0], tree.View(), all)
	}, loopAll)
	a.Note = "The time of the octree includes drawing the occluders. The loop is given the depth buffer."
	return err
}

// sampledRays is the number of occluded objects that are checked with a ray.
const sampledRays = 300

// behind casts rays from the eye to the centres of some occluded objects in the frustum, and counts the rays that hit
// no other object first.
func (s *Stage) behind(q *Question, f query.Frustum) (rays, wrong int) {
	planes, v := f.Planes(), s.tree.View()
	eye := [3]float32{float32(q.Eye[0]), float32(q.Eye[1]), float32(q.Eye[2])}
	step := max(1, len(s.objects)/sampledRays)
next:
	for at := range step {
		for id := at; id < len(s.objects); id += step {
			if rays == sampledRays {
				break next
			}
			c := s.objects[id].Box.Center()
			if s.States[id] != Hidden || !inside(&planes, c) {
				continue
			}
			ray, err := query.NewRay(eye, [3]float32{c[0] - eye[0], c[1] - eye[1], c[2] - eye[2]}, 2)
			if err != nil {
				continue // the eye is at the centre
			}
			rays++
			if hit, ok := ray.First(v, query.Filter{}); !ok || hit.ID == uint32(id) {
				wrong++
			}
		}
	}
	return rays, wrong
}

// inside reports whether a point is well inside all planes.
func inside(planes *[6][4]float32, c [3]float32) bool {
	for _, p := range planes {
		x, y, z, d := p[0]*c[0], p[1]*c[1], p[2]*c[2], p[3]
		if x+y+z+d < 1e-4*(max(x, -x)+max(y, -y)+max(z, -z)+max(d, -d)) {
			return false
		}
	}
	return true
}

// contains reports whether all IDs of part are in list.
func (s *Stage) contains(list, part []uint32) bool {
	in := make([]bool, len(s.objects))
	for _, id := range list {
		in[id] = true
	}
	for _, id := range part {
		if !in[id] {
			return false
		}
	}
	return true
}
