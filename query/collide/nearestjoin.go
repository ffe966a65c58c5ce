package collide

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/trace"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// nearJoin is the state of one call of Nearest. A task is some slots of x, in the order of the tree:
//
//	tasks     slots 0..3, 4..7, …       taken by workers, one after the other
//	workers   neighbours of the tasks of one worker, back to back
//	runs      the location of the neighbours of each object of x, by ID
type nearJoin struct {
	lead    nearSearch
	workers []*nearWorker

	runs []nearRun
	next atomic.Int64 // first task that no worker has taken yet
	left atomic.Bool  // a worker has left its task because of the context
	team team.Team
}

// nearSearch is the part of a join that its workers have in common.
type nearSearch struct {
	x, y     *soa.Store
	self     bool // x is y, and no object is its own neighbour
	k        int
	filter   laneFilter
	nodes    asm.NodeFilter
	static   bool    // pairs of static objects pass
	distance float32 // 0: any
	bound    float32 // of Dist2
	sure     float64 // a Dist2 up to which an object is within the distance; below 0 if none is
}

// nearRun is the location of the neighbours of an object: the worker, and the range within its list.
type nearRun struct {
	worker, n uint32
	first     int
}

// nearWorker searches for the neighbours of one object after the other.
type nearWorker struct {
	nearSearch
	search *walk.Nearest
	list   []Neighbor

	// The object of x that is searched from.
	id       uint32
	mask     uint32 // its type mask
	accepted uint32 // layers that accept it
	moving   bool
	box      soa.AABB

	// The point of the last full answer, and the Dist2 of its furthest object.
	former   [3]float32
	furthest float32 // +Inf if there is none
}

const (
	// nearReserved is the number of neighbours up to which room for as many of each object is reserved.
	nearReserved = 16

	// nearFormer is the k from which a bound by the former answer costs less than it saves.
	nearFormer = 3

	// nearSlots is the number of slots of a task.
	nearSlots = 64 / soa.Lanes

	// nearTasks is the least number of tasks of a worker, and the number after which the caller reports progress.
	nearTasks = 8
)

// append checks the arguments, searches with at most so many workers, and appends the neighbours of all objects.
func (j *nearJoin) append(ctx context.Context, dst []Neighbor, a, b linear.View, k int, flt *Filter, workers int, progress func(float64)) ([]Neighbor, error) {
	x := a.Store()
	y, self := x, b == (linear.View{})
	if !self {
		y = b.Store()
	}
	switch err := flt.Check(); {
	case err != nil:
		return dst, err
	case k < 0:
		return dst, fmt.Errorf("collide: the %d nearest objects, want 0 or more", k)
	case flt.Exact:
		return dst, errExact
	}
	defer phase.Enter(phase.Nearest).Leave() // workers start in it
	if progress != nil {
		progress(0)
	}
	if j.lead.begin(x, y, self, k, flt) {
		defer j.end()
		j.lead.filter.exclude(a, flt.Exclude)
		if err := j.run(ctx, workers, progress); err != nil {
			return dst, err
		}
		dst = j.appendTo(dst)
	}
	if progress != nil {
		progress(1)
	}
	return dst, nil
}

// begin reads the arguments and reports whether any pair can pass.
func (j *nearSearch) begin(x, y *soa.Store, self bool, k int, flt *Filter) (any bool) {
	j.x, j.y, j.self, j.k = x, y, self, k
	if j.nodes, any = j.filter.prepare(flt); any {
		any = j.filter.resolve(&j.nodes, &x.Packets, &y.Packets)
	}
	j.static, j.distance, j.bound = flt.StaticPairs, flt.Distance, float32(math.Inf(1))
	if d := float64(flt.Distance); d > 0 {
		j.bound = trace.NearBound(flt.Distance)
		// Dist2 is at least (1 - 5u) of the exact square, less 2^-148.
		j.sure = float64(d*d*(1-8*0x1p-24)) - 0x1p-146
	}
	return any && k > 0
}

// end drops references to the caller's data.
func (j *nearJoin) end() {
	j.lead = nearSearch{}
	for _, w := range j.workers {
		w.nearSearch = nearSearch{}
	}
}

// run searches from all objects of x.
func (j *nearJoin) run(ctx context.Context, workers int, progress func(float64)) error {
	p := &j.lead.x.Packets
	ids := 0
	for slot := range p.Counts {
		for _, id := range p.IDs[slot][:p.Counts[slot]] {
			ids = max(ids, int(id)+1)
		}
	}
	j.runs = slices.Grow(j.runs[:0], ids)[:ids]
	clear(j.runs)
	j.next.Store(0)
	tasks := (len(p.Counts) + nearSlots - 1) / nearSlots
	workers = max(min(workers, tasks/nearTasks), 1)
	for len(j.workers) < workers {
		j.workers = append(j.workers, new(nearWorker))
	}
	for _, w := range j.workers[:workers] {
		w.nearSearch, w.list, w.furthest = j.lead, w.list[:0], float32(math.Inf(1))
		if few := min(j.lead.k, j.lead.y.Count); few <= nearReserved {
			w.list = slices.Grow(w.list, few*j.lead.x.Count/workers)
		}
	}
	if workers == 1 {
		return j.work(ctx, 0, tasks, progress)
	}
	var err error
	j.left.Store(false)
	j.team.Run(workers, func(member int) {
		if member == 0 {
			err = j.work(ctx, 0, tasks, progress)
		} else if j.work(ctx, member, tasks, nil) != nil {
			j.left.Store(true)
		}
	}, func() { j.next.Store(int64(tasks)) })
	if err == nil && j.left.Load() {
		err = ctx.Err()
	}
	return err
}

// work lets a worker run tasks until none is left.
func (j *nearJoin) work(ctx context.Context, worker, tasks int, progress func(float64)) error {
	w, p := j.workers[worker], &j.lead.x.Packets
	w.search = walk.TakeNearest()
	defer func() {
		w.search.Release()
		w.search = nil
	}()
	for done := 1; ; done++ {
		task := int(j.next.Add(1)) - 1
		if task >= tasks {
			return nil
		}
		if ctx != nil {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if progress != nil && done%nearTasks == 0 {
			progress(float64(task) / float64(tasks))
		}
		for slot := task * nearSlots; slot < min((task+1)*nearSlots, len(p.Counts)); slot++ {
			for lane := range int(p.Counts[slot]) {
				first := len(w.list)
				if w.take(uint32(slot), lane) {
					w.find()
					j.runs[w.id] = nearRun{uint32(worker), uint32(len(w.list) - first), first}
				}
			}
		}
	}
}

// take makes the object in a lane the one to search from, and reports whether it can have a neighbour.
func (w *nearWorker) take(slot uint32, lane int) bool {
	p, f := &w.x.Packets, &w.filter
	w.id, w.mask, w.moving, w.box = p.IDs[slot][lane], p.MaskAt(slot, lane), p.Moving[slot]>>lane&1 != 0, p.Box(slot, lane)
	if f.isExcluded(w.id) || f.mask != 0 && w.mask&f.mask == 0 {
		return false
	}
	if f.both != nil && !follow.Has(f.both, w.id) || !w.self && f.one != nil && !follow.Has(f.one, w.id) {
		return false // a search would visit all objects
	}
	if f.layered {
		w.accepted = f.partners(w.mask)
		w.nodes.Mask = w.accepted
		if w.accepted == 0 {
			return false
		}
	}
	w.nodes.Flags = soa.RefFlags
	if !w.static && !w.moving {
		w.nodes.Flags = soa.RefMoving
	}
	return true
}

// find appends the neighbours of the object.
func (w *nearWorker) find() {
	if w.box.Min == w.box.Max && !w.filter.on && !w.filter.byID() && (w.static || w.moving) && w.findPoint() {
		return
	}
	w.search.SearchBox(w.y, &w.box, w.k, w.bound, w.nodes, w)
	for _, key := range w.search.Found() {
		n := w.search.Neighbor(key)
		w.list = append(w.list, Neighbor{w.id, n.ID, n.Dist2})
	}
}

// findPoint is find for a point of which all pairs pass that are within the distance. It returns false if an object is
// within its bound alone, for another may have to take its place.
//
// As many objects as are wanted are within the sphere about the former point: so is the answer within the sphere about
// this point that contains it.
func (w *nearWorker) findPoint() bool {
	own := 0
	if w.self {
		own = 1 // it finds itself
	}
	q, first, wanted, bound := w.search, len(w.list), w.k+min(own, math.MaxInt-w.k), w.bound
	if w.k >= nearFormer && w.furthest <= math.MaxFloat32 {
		bound = min(bound, walk.Beyond(w.furthest, distance(&w.box.Min, &w.former)))
	}
	q.Search(w.y, &w.box.Min, wanted, bound, &walk.Everything)
	found, left := q.Found(), w.k
	if len(found) == wanted {
		w.former, w.furthest = w.box.Min, q.Neighbor(found[wanted-1]).Dist2
	}
	for _, key := range found {
		n := q.Neighbor(key)
		if left == 0 {
			break
		}
		if own != 0 && n.ID == w.id {
			continue
		}
		if w.distance != 0 && !(w.y.Extent[0] >= nearSure && float64(n.Dist2) <= w.sure) {
			w.list = w.list[:first]
			return false
		}
		w.list = append(w.list, Neighbor{w.id, n.ID, n.Dist2})
		left--
	}
	return true
}

// distance returns the distance of two points, rounded up by less than 2^-39 of it.
func distance(a, b *[3]float32) float64 {
	d2 := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		d2 += float64(d * d)
	}
	return math.Sqrt(d2) * (1 + 0x1p-40)
}

// nearSure is the size of the coordinates of a tree from which the bound sure holds.
const nearSure = 0x1p-40

// Keep implements [walk.Candidates].
func (w *nearWorker) Keep(slot, m uint32) uint32 {
	p, f := &w.y.Packets, &w.filter
	if f.mask != 0 {
		m &= asm.PacketMaskLanes(p, slot, f.mask)
	}
	if f.layered {
		m &= asm.PacketMaskLanes(p, slot, w.accepted)
	}
	if !w.static && !w.moving {
		m &= uint32(p.Moving[slot])
	}
	if !w.self && !f.byID() {
		return m
	}
	ids := &p.IDs[slot]
	for left := m; left != 0; left &= left - 1 {
		l := bits.TrailingZeros32(left) & (soa.Lanes - 1)
		if w.self && ids[l] == w.id || !f.passes(w.id, ids[l], w.self) {
			m &^= 1 << l
		}
	}
	return m
}

// Within implements [walk.Candidates].
func (w *nearWorker) Within(slot uint32, lane int, d2 float32) bool {
	if w.distance == 0 || w.y.Extent[0] >= nearSure && float64(d2) <= w.sure {
		return true
	}
	a := [6]float32{w.box.Min[0], w.box.Max[0], w.box.Min[1], w.box.Max[1], w.box.Min[2], w.box.Max[2]}
	b := laneOf(&w.y.Packets.Bounds[slot], lane)
	return exact.BoxesNear(&a, &b, w.distance)
}

// appendTo appends the neighbours of all objects, in ascending ID.
func (j *nearJoin) appendTo(dst []Neighbor) []Neighbor {
	total := 0
	for i := range j.runs {
		total += int(j.runs[i].n)
	}
	dst = slices.Grow(dst, total)
	for i := range j.runs {
		if r := &j.runs[i]; r.n > 0 {
			dst = append(dst, j.workers[r.worker].list[r.first:r.first+int(r.n)]...)
		}
	}
	return dst
}
