package octree

import (
	"context"
	"sync/atomic"

	"github.com/zoctree/zoctree/asm/build"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// BuildParams configure a build, as linear.RebuildOptions do.
type BuildParams struct {
	Frozen   bool
	Cut      Cut
	Progress func(p phase.Phase, share float64)
}

// fillStep is the number of slots that a single worker fills between checks of the context. Several
// workers do not check it in between, because each check would be a barrier.
const fillStep = 4096

// job is the state of one build: from objects, or from the packets of the tree, into a store that
// no reader uses yet.
type job struct {
	t       *Tree
	ctx     context.Context
	opt     BuildParams
	objects []soa.Object       // the source, unless from is set
	spheres [][4]float32       // of the objects; nil if they have none
	ids     []uint32           // IDs of the objects, if these are pending records; nil: their indices
	from    *soa.PacketColumns // the source of a rebuild; nil: objects
	n       int
	slots   int      // leading slots of from that have been encoded
	encoded int      // the number of objects in these slots
	union   soa.AABB // a box that contains all boxes
	centres soa.AABB // a box that contains the centres of all boxes
	into    *soa.Store
	world   morton.World
	code    Coder // the key encoder of world
	cut     Cut   // CutAuto: along the curve, and ticks cut the nodes in space
	sq      squeeze
	items   []uint64
	masked  uint32 // 1: two of the objects have different masks; workers set it
}

func (j *job) report(p phase.Phase, share float64) error {
	if j.opt.Progress != nil {
		j.opt.Progress(p, share)
	}
	if j.ctx != nil {
		return j.ctx.Err()
	}
	return nil
}

// startJob stores j in the tree's buffers and returns it. Goroutines share a job, so it would escape
// to the heap: one allocation per build.
func (t *Tree) startJob(j job) *job {
	j.t = t
	sc := t.Buffers()
	sc.job = j
	return &sc.job
}

// end drops the references of the job. The first build of at most 16 objects, which may be the only
// build, also frees the tree's buffers.
func (t *Tree) end() {
	if n := t.scratch.job.n; !t.Tidy && n <= soa.Lanes {
		t.Tidy = true
		t.dropBuffers()
		return
	}
	t.scratch.job = job{}
}

// Build builds an empty tree from objects. centres and union contain the centres and the boxes of
// all objects; spheres are their bounding spheres, or nil. After an error or a panic the tree is
// unchanged.
func (t *Tree) Build(ctx context.Context, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB, opt BuildParams) error {
	j := t.startJob(job{
		ctx: ctx, opt: opt, objects: objects, spheres: spheres, n: len(objects), union: union, centres: centres,
	})
	defer t.end()
	if t.Store.Vacant() { // no view reads the rows: build in place
		if err := j.runInPlace(); err != nil {
			return err
		}
	} else { // older views still read the rows of removed objects
		j.into = t.reserve()
		if err := j.run(); err != nil {
			return err
		}
		j.adopt()
	}
	t.Frozen = opt.Frozen
	t.IDs.NewRun(len(objects))
	t.touchAllIDs()
	t.Store.Log.Fill(len(objects))
	t.finish(j)
	return nil
}

// runInPlace performs the phases in the store of the tree, which has no rows. After an error or a panic it has none,
// either.
func (j *job) runInPlace() error {
	s := j.t.Store
	j.into = s
	before, done := *s, false // Progress may panic
	defer func() {
		if !done {
			*s = before
		}
	}()
	err := j.run()
	done = err == nil
	return err
}

// Rebuild builds the tree again from its objects: see linear.Tree.Rebuild.
func (t *Tree) Rebuild(ctx context.Context, opt BuildParams) error {
	t.ApplyRemovals()
	if n := t.Unpacked(); n > 0 && n == t.IDs.Len() && t.Store.Vacant() {
		objects, ids := t.records.list()
		centres, union, _ := t.Survey(objects)
		j := t.startJob(job{ctx: ctx, opt: opt, objects: objects, ids: ids, n: n, union: union, centres: centres})
		defer t.end()
		return t.buildRecords(j)
	}
	t.Pack()
	s := t.Store
	union := t.union()
	j := t.startJob(job{
		ctx: ctx, opt: opt, n: t.IDs.Len(), union: union, centres: t.gather(union), into: t.reserve(),
	})
	defer t.end()
	// The gather kernel reads the Moving column in pairs of words.
	s.Packets.Moving = mem.Resize(s.Packets.Moving, len(s.Packets.Counts)+1)[:len(s.Packets.Counts)]
	j.from = &s.Packets
	if err := j.run(); err != nil {
		return err
	}
	t.Frozen = opt.Frozen
	j.adopt()
	t.finish(j)
	return nil
}

// renew rebuilds the tree because of its changes. It cuts in space at once, which costs less than a build along the
// curve and the cuts of ticks, unless it is a first build, or rebuilds follow one another too soon for these, or the
// work of a call is to be limited. A tree of Config.Frozen is always cut in space.
func (t *Tree) renew() error {
	opt := BuildParams{}
	if t.Config.Cut == CutAuto && t.Config.TickBudget == 0 && len(t.Store.Nodes.Hot) > 0 && (t.Config.Frozen || !t.builtSoon()) {
		opt.Cut = CutSpace
	}
	return t.Rebuild(nil, opt)
}

// reserve returns the tree's spare store, as the target of a build.
func (t *Tree) reserve() *soa.Store {
	if t.Spare == nil {
		t.Spare = NewStore()
	}
	return t.Spare
}

// adopt swaps the stores of the tree: queries read the store of the job from now on.
func (j *job) adopt() {
	t, s := j.t, j.t.Store
	t.Store, t.Spare = j.into, s
	j.into.Version = max(j.into.Version, s.Version)
	j.into.Log, j.into.Tree = s.Log, s.Tree
	s.Version++
}

// finish makes the store of a completed job the state of the tree.
func (t *Tree) finish(j *job) {
	defer phase.Enter(phase.Fill).Leave()
	s := j.into
	t.BeginChange()
	s.Pending = s.Pending[:0]
	s.Count, s.Counted = t.IDs.Len(), true
	t.World, t.Code, t.FastBounds, t.Centres = j.world, j.code, none, j.centres
	t.forget()
	t.touchAll()
	t.Arrangement++
	t.forgetFree() // nodes have all slots
	if j.cut == CutAuto {
		t.Uncut = uint32(len(s.Nodes.Hot))
	}
	t.Work.Rebuilt += j.n
	t.BuiltAtTick = t.Tick
	t.reserveRemovals(j.n)
	j.place()
	t.tightenExtent()
}

// union returns a box that contains all boxes, the smallest such box after a refit.
func (t *Tree) union() soa.AABB { return BoundsOf(t.Store) }

// fitWorld returns the world that contains a box and Config.World.
func (t *Tree) fitWorld(box soa.AABB) (morton.World, error) {
	if t.Config.World != (soa.AABB{}) {
		box = box.Union(t.Config.World)
	}
	return morton.Fit(box.Min, box.Max)
}

// NodeBox returns the union of the boxes of a node's lanes.
func NodeBox(n *soa.Node) soa.AABB {
	b := soa.Empty()
	for a := range 3 {
		least, most := b.Min[a], b.Max[a]
		lows, highs := &n.Bounds[2*a], &n.Bounds[2*a+1]
		for l := range soa.Fan { // comparisons: the built-in functions order NaNs, too
			if lows[l] < least {
				least = lows[l]
			}
			if highs[l] > most {
				most = highs[l]
			}
		}
		b.Min[a], b.Max[a] = least, most
	}
	return b
}

// run performs the phases. It changes no state that a query can read.
func (j *job) run() error {
	m := phase.Enter(phase.Encode)
	defer m.Leave()
	t := j.t
	sc := t.Buffers()
	j.world, j.cut = t.World, j.howToCut()
	if !t.Config.Fixed && j.n > 0 {
		w, err := j.fit()
		if err != nil {
			return err
		}
		j.world = w
	}
	j.code = NewCoder(j.world, t.Config.MinCell)
	j.code.Outlier = j.n > 0 && !j.code.Near(&j.union)
	if err := j.report(phase.Encode, 0); err != nil {
		return err
	}
	sc.keys = mem.Fresh(sc.keys, j.n)
	if err := j.encode(); err != nil {
		return err
	}
	m.Next(phase.Sort)
	if err := j.report(phase.Sort, 0); err != nil {
		return err
	}
	j.squeeze()
	opt := radix.Options{Workers: t.Config.Workers, Context: j.ctx}
	if j.opt.Progress != nil {
		opt.Progress = sortProgress(j.opt.Progress)
	}
	items, err := sc.sort.Order(sc.keys, opt)
	if err != nil {
		return err
	}
	j.items = items
	m.Next(phase.Topology)
	if err := j.report(phase.Topology, 0); err != nil {
		return err
	}
	topo := &sc.topo
	topo.items, topo.keys, topo.sq, topo.outlier, topo.nodes = items, sc.keys, j.sq, j.code.Outlier, &j.into.Nodes
	topo.frozen, topo.curve = j.opt.Frozen, j.cut != CutSpace
	topo.lone = !topo.outlier && (j.n <= t.freshFill() || j.opt.Frozen && j.n <= soa.Lanes)
	topo.run()
	if topo.n > j.into.Nodes.Limit() || len(topo.owner) > j.into.Packets.Limit() {
		return fault.Errorf("linear: %w: %d objects need %d nodes and %d packets, at most %d and %d",
			soa.ErrFull, j.n, topo.n, len(topo.owner), j.into.Nodes.Limit(), j.into.Packets.Limit())
	}
	if !topo.curve {
		j.cutCells()
	}
	m.Next(phase.Fill)
	if err := j.report(phase.Fill, 0); err != nil {
		return err
	}
	return j.fill()
}

// sortProgress is a separate function so that a job does not escape to the heap.
func sortProgress(f func(phase.Phase, float64)) func(done, total int) {
	return func(done, total int) { f(phase.Sort, float64(done)/float64(total)) }
}

// encode computes the key of every object.
func (j *job) encode() error {
	sc := j.t.Buffers()
	if j.from == nil {
		const step = 1 << 20
		for i := 0; i < j.n; i += step {
			end := min(i+step, j.n)
			j.inParts(i, end, EncodeMin, (*job).encodeRecords)
			if err := j.report(phase.Encode, float64(end)/float64(j.n)); err != nil {
				return err
			}
		}
		return nil
	}
	sc.locations = mem.Fresh(sc.locations, j.n)
	p := j.from
	step := 1 << 14 * j.t.Config.Workers
	for i := 0; i < len(p.Counts); i += step {
		end := min(i+step, len(p.Counts))
		j.inParts(i, end, FillMin, (*job).encodePackets)
		j.encoded += lanesOf(p.Counts[i:end])
		j.slots = end
		if err := j.report(phase.Encode, float64(j.encoded)/float64(j.n)); err != nil {
			return err
		}
	}
	return nil
}

// encodeBlock is the number of objects that encodeRecords reads twice, the second time from the cache.
const encodeBlock = 1 << 10

// encodeRecords computes the keys of objects lo to hi-1, and compares their masks.
func (j *job) encodeRecords(lo, hi int) {
	keys, differ := j.t.Buffers().keys, uint32(0)
	for ; lo < hi; lo += encodeBlock {
		end := min(lo+encodeBlock, hi)
		j.code.boxes(keys[lo:end], soa.Words(j.objects)[8*lo:], 8)
		for i := lo; i < end; i++ {
			differ |= j.objects[i].Mask ^ j.objects[0].Mask
		}
	}
	if differ != 0 {
		atomic.StoreUint32(&j.masked, 1)
	}
}

// encodePackets computes the keys of the objects in slots lo to hi-1.
func (j *job) encodePackets(lo, hi int) {
	sc := j.t.Buffers()
	at := j.encoded + lanesOf(j.from.Counts[j.slots:lo])
	j.code.packets(sc.keys[at:], sc.locations[at:], j.from, lo, hi-lo, lo)
}

// lanesOf returns the number of live lanes of packets with these counts.
func lanesOf(counts []uint8) (n int) {
	for _, c := range counts {
		n += int(c)
	}
	return n
}

// squeeze compresses the keys for the sort if that pays. The keys of packets are nearly sorted, so
// few pairs are compared in all their bits. The keys of far objects are recognized by their bits, so
// a build with far objects does not squeeze.
func (j *job) squeeze() {
	keys := j.t.Buffers().keys
	if j.from != nil || j.n < squeezeKeys || j.code.Outlier {
		return
	}
	vary := differing(keys[:squeezeKeys], keys[0]) // a sample suffices in most scenes
	if !pays(vary) {
		return
	}
	if vary |= differing(keys[squeezeKeys:], keys[0]); !pays(vary) {
		return
	}
	j.sq = squeezing(keys[0], vary)
	j.inParts(0, j.n, EncodeMin, (*job).squeezePart)
}

func (j *job) squeezePart(lo, hi int) { j.sq.squeeze(j.t.Buffers().keys[lo:hi]) }

// growNodesOneIn and growSlotsOneIn are the spare capacity of the columns of a tree with room for insertions: one row
// in so many, before the columns must be copied to grow. A node that outgrows its slots takes single ones.
const growNodesOneIn, growSlotsOneIn = 8, 6

// fill writes the columns of packets and nodes.
func (j *job) fill() error {
	topo := &j.t.Buffers().topo
	nodes, packets := &j.into.Nodes, &j.into.Packets
	nodes.Forget()
	nodes.ResizeCold(topo.n)
	slots := len(topo.owner)
	// Spare capacity lets the first splits run without a copy of the tree. It costs only address
	// space until it is used.
	spareNodes, spareSlots := 0, 0
	if !j.opt.Frozen {
		spareNodes, spareSlots = topo.n/growNodesOneIn, slots/growSlotsOneIn
	}
	nodes.Hot = mem.FreshWithRoom(nodes.Hot, topo.n, spareNodes)
	packets.Moving = mem.FreshWithRoom(packets.Moving, slots, spareSlots+1) // see Rebuild
	packets.Fresh(slots, spareSlots)
	if mask, uniform := j.uniformMask(); uniform {
		packets.DropMasks(mask)
	} else {
		packets.FreshMasks(slots, spareSlots)
	}
	copy(packets.Parents, topo.owner)
	j.inParts(0, topo.n, LeafMin, (*job).clearNodes)
	step := fillStep
	if j.workers(slots, FillMin) > 1 {
		step = slots
	}
	for first := 0; first < slots; first += step {
		end := min(first+step, slots)
		j.inParts(first, end, FillMin, (*job).fillRange)
		if err := j.report(phase.Fill, float64(end)/float64(slots)); err != nil {
			return err
		}
	}
	if err := j.report(phase.Fill, 1); err != nil {
		return err
	}

	j.close()
	return nil
}

// clearNodes clears nodes lo to hi-1.
func (j *job) clearNodes(lo, hi int) {
	nodes := j.into.Nodes.Hot[lo:hi]
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
}

// fillRange fills slots lo to hi-1.
func (j *job) fillRange(lo, hi int) {
	out, nodes := &j.into.Packets, j.into.Nodes.Hot
	sc := j.t.Buffers()
	starts := sc.topo.starts[lo : hi+1]
	if j.from == nil {
		build.FillRecords(out, nodes, lo, starts, j.items, records(j.objects))
	} else {
		build.FillPackets(out, nodes, lo, starts, j.items, j.from, sc.locations)
	}
}
