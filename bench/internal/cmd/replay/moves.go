package replay

import (
	"slices"
	"time"

	"github.com/zoctree/zoctree/bench/internal/flat"
	"github.com/zoctree/zoctree/bench/internal/lab"
	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// changeFile is a file of changes, and its reader for a scene.
type changeFile struct {
	path string
	load func(path string, boxes []soa.AABB) []change
}

// change is a method to apply the moves of a file.
type change struct {
	name, path string
	steps      [][]flat.Move
	apply      func(s *subject, step *step)
	back       []flat.Move // undoes the steps; nil: each pass uses a new tree
}

// loadMoves reads steps of moves. If a step contains an ID twice, the last box counts.
func loadMoves(path string, boxes []soa.AABB) []change {
	steps := must.Get(flat.Load(path, flat.ReadMoves))
	for i, moves := range steps {
		for k, m := range moves {
			if int(m.ID) >= len(boxes) {
				must.Fail("%s: step %d, move %d: ID %d of %d objects", path, i, k, m.ID, len(boxes))
			}
		}
	}
	return []change{
		{name: "move", path: path, steps: steps, apply: (*subject).move},
		{name: "churn", path: path, steps: steps, apply: (*subject).churn},
	}
}

// loadMoveAll reads a box for each object, from a file of boxes or of a scene.
func loadMoveAll(path string, boxes []soa.AABB) []change {
	to, err := flat.Load(path, flat.ReadBoxes)
	if err != nil {
		var other error
		if to, other = flat.Load(path, flat.ReadScene); other != nil {
			must.Do(err)
		}
	}
	if len(to) != len(boxes) {
		must.Fail("%s: %d boxes for %d objects", path, len(to), len(boxes))
	}
	c := change{name: "moveall", path: path, apply: (*subject).move}
	if len(to) > 0 {
		c.steps, c.back = [][]flat.Move{movesTo(to)}, movesTo(boxes)
	}
	return []change{c}
}

// movesTo returns a move of each object to its box.
func movesTo(boxes []soa.AABB) []flat.Move {
	moves := make([]flat.Move, len(boxes))
	for i, b := range boxes {
		moves[i] = flat.Move{ID: uint32(i), Box: b}
	}
	return moves
}

// subject is a tree whose IDs may differ from the files.
type subject struct {
	tree    *linear.Tree
	buildNs float64
	ids     []uint32   // tree IDs by file ID; nil: the same
	files   []uint32   // file IDs by tree ID
	boxes   []soa.AABB // by tree ID; nil: as in the scene
}

// hash returns [flat.Hash] of the IDs in the files.
func (s *subject) hash(ids []uint32) (sum uint64) {
	if s.files == nil {
		return flat.Hash(ids)
	}
	for _, id := range ids {
		sum += flat.SplitMix64(uint64(s.files[id]))
	}
	return sum
}

// hashPairs hashes pairs of IDs in the files, the lesser one first.
func (s *subject) hashPairs(pairs []collide.Pair) (sum uint64) {
	for _, p := range pairs {
		if s.files != nil {
			p.A, p.B = s.files[p.A], s.files[p.B]
		}
		sum += flat.SplitMix64(uint64(min(p.A, p.B))<<32 | uint64(max(p.A, p.B)))
	}
	return sum
}

// arranged returns the boxes by tree ID.
func (s *subject) arranged(scene []soa.AABB) []soa.AABB {
	if s.boxes == nil {
		return scene
	}
	return s.boxes
}

// step is the prepared data of a step, ready to be timed.
type step struct {
	ids       []uint32 // tree IDs
	boxes     []soa.AABB
	objects   []soa.Object
	files     []uint32 // IDs in the files
	fresh     []uint32 // tree IDs of insertions
	positions []uint32 // by file ID: 1 + position in the step, 0: not in it
}

// prepare keeps the last move of each ID.
func (x *step) prepare(s *subject, moves []flat.Move) {
	x.ids, x.boxes, x.objects, x.files = x.ids[:0], x.boxes[:0], x.objects[:0], x.files[:0]
	x.positions = slices.Grow(x.positions[:0], len(s.ids))[:len(s.ids)]
	for _, m := range moves {
		if k := x.positions[m.ID]; k != 0 {
			x.boxes[k-1], x.objects[k-1].Box = m.Box, m.Box
			continue
		}
		x.ids = append(x.ids, s.ids[m.ID])
		x.boxes = append(x.boxes, m.Box)
		x.objects = append(x.objects, soa.Object{Box: m.Box, Mask: 1})
		x.files = append(x.files, m.ID)
		x.positions[m.ID] = uint32(len(x.files))
	}
	for _, f := range x.files {
		x.positions[f] = 0
	}
}

// record updates the boxes of the subject after a step.
func (x *step) record(s *subject) {
	for k, f := range x.files {
		id := x.ids[k]
		if len(x.fresh) > 0 {
			id = x.fresh[k]
		}
		s.ids[f], s.files[id], s.boxes[id] = id, f, x.boxes[k]
	}
	x.fresh = x.fresh[:0]
}

func (s *subject) move(x *step) {
	must.Do(s.tree.MoveBatch(x.ids, x.boxes))
	must.Do(s.tree.Tick())
}

func (s *subject) churn(x *step) {
	must.Do(s.tree.RemoveBatch(x.ids))
	x.fresh = must.Get(s.tree.InsertBatch(x.fresh[:0], x.objects))
	must.Do(s.tree.Tick())
}

// apply applies a change as often as the flags require, leaves the changed tree in s, and returns the times.
func (r *replay) apply(c *change, s *subject) (line replayRow) {
	times := make([]measure.Series, len(c.steps))
	var x step
	for pass := range r.repeat {
		if pass == 0 || c.back == nil {
			s.restart(r)
		}
		if c.back != nil { // also warms the buffers before the first pass
			x.prepare(s, c.back)
			c.apply(s, &x)
		}
		for i, moves := range c.steps {
			x.prepare(s, moves)
			start := time.Now()
			must.Within(func() { c.apply(s, &x) }, "%s: step %d", c.path, i)
			times[i] = append(times[i], float64(time.Since(start).Nanoseconds())/float64(len(moves)))
			x.record(s)
		}
	}
	line = r.rowOf(c.name, c.path, len(c.steps), s)
	line.hasWorst = true
	var each measure.Series
	moves := 0
	for i := range times {
		each = append(each, times[i].Median())
		moves += len(c.steps[i])
		for _, m := range c.steps[i] {
			line.hash += flat.SplitMix64(uint64(m.ID))
		}
	}
	line.samples = each
	line.median, line.least, line.worst = each.Median(), each.Min(), each.Max()
	line.mean = float64(moves) / float64(max(len(c.steps), 1))
	line.ok = s.sound()
	return line
}

// restart builds a new tree of the scene.
func (s *subject) restart(r *replay) {
	s.tree = nil
	s.boxes = append(s.boxes[:0], r.boxes...)
	s.ids, s.files = s.ids[:0], s.files[:0]
	for i := range r.boxes {
		s.ids, s.files = append(s.ids, uint32(i)), append(s.files, uint32(i))
	}
	s.tree = must.Get(lab.Build(objectsOf(r.boxes), 1, make([]uint32, 0, len(r.boxes))))
	must.Do(lab.Settle(s.tree)) // later ticks only end the frames of moves
}

// sound reports whether the tree is valid and holds exactly the boxes.
func (s *subject) sound() bool {
	if s.tree.Len() != len(s.boxes) || s.tree.Validate() != nil {
		return false
	}
	for id, want := range s.boxes {
		if got, ok := s.tree.Object(uint32(id)); !ok || got.Box != want {
			return false
		}
	}
	return true
}
