package linear

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/phase"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Phase is a step of a build, in this order.
type Phase uint8

// The phases of a build.
const (
	PhaseEncode   = Phase(phase.Encode)   // centres to keys
	PhaseSort     = Phase(phase.Sort)     // keys to order
	PhaseTopology = Phase(phase.Topology) // order to packets and nodes
	PhaseFill     = Phase(phase.Fill)     // objects to columns, boxes upwards
)

// String returns the name of the phase, which is also its label in a profile.
func (p Phase) String() string {
	if p > PhaseFill {
		return fmt.Sprintf("unknown(%d)", uint8(p))
	}
	return phase.Phase(p).String()
}

// MarshalText returns what String does. A value that is none of the constants is an error.
func (p Phase) MarshalText() ([]byte, error) { return enum.Marshal("linear", p) }

// UnmarshalText reads what MarshalText writes. Another text is an error, and the value is as before.
func (p *Phase) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", p, text) }

// RebuildOptions choose how [Tree.Rebuild] and [Tree.Build] work.
type RebuildOptions struct {
	// Frozen packs every packet full and leaves no room for insertions: the
	// smallest and fastest tree for objects that stay. The first change
	// works on it all the same.
	Frozen bool

	// Cut, unless CutAuto, is for this build what [Config.Cut] is for all.
	Cut Cut

	// Progress, unless nil, is called on the caller's goroutine at the start
	// and end of each phase and some times in between, with the share of
	// the phase that is done, from 0 to 1. It must not use the tree, nor a scene that
	// holds it: a view of the scene panics if the tree has changed since the last one.
	Progress func(p Phase, share float64)
}

// fillStep is the number of slots that one worker fills between looks at the context.
// Several do not stop to look: they would wait for each other.
const fillStep = 4096

// job is one build: objects from records or from the packets of the tree, into
// a store that nobody reads yet.
type job struct {
	t        *Tree
	ctx      context.Context
	opt      RebuildOptions
	objects  []soa.Object       // unless from is set
	spheres  [][4]float32       // of the objects; nil: they have none
	from     *soa.PacketColumns // nil: objects are the source
	n        int
	slots    int      // of from whose objects have keys
	encoded  int      // the number of these objects
	union    soa.AABB // holds all boxes
	centres  soa.AABB // holds the centres of all boxes
	into     *soa.Store
	world    morton.World
	code     coder // of that world
	sq       squeeze
	items    []uint64
	progress func(Phase, float64)
}

func (j *job) report(p Phase, share float64) error {
	if j.progress != nil {
		j.progress(p, share)
	}
	if j.ctx != nil {
		return j.ctx.Err()
	}
	return nil
}

// start makes j the tree's job. Goroutines share a job, so it cannot live on the
// stack, and a new one for each build would be an allocation.
func (t *Tree) start(j job) *job {
	j.t = t
	sc := t.buffers()
	sc.job = j
	return &sc.job
}

// end drops what the job refers to. The first build of a few objects, which may be the only
// one, gives its buffers back.
func (t *Tree) end() {
	if n := t.scratch.job.n; !t.tidy && n <= soa.Lanes {
		t.tidy = true
		t.dropBuffers()
		return
	}
	t.scratch.job = job{}
}

// build makes the tree from objects, whose centres and boxes have the given unions, and their
// spheres, if they have any. The tree is empty. After an error or a panic it is as it was.
func (t *Tree) build(ctx context.Context, objects []soa.Object, spheres [][4]float32, centres, union soa.AABB, opt RebuildOptions) error {
	j := t.start(job{
		ctx: ctx, opt: opt, objects: objects, spheres: spheres, n: len(objects), union: union, centres: centres, progress: opt.Progress,
	})
	defer t.end()
	if s := t.store; s.Vacant() { // its own memory serves
		j.into = s
		before, done := *s, false // Progress may panic
		defer func() {
			if !done {
				*s = before
			}
		}()
		if err := j.run(); err != nil {
			return err
		}
		done = true
	} else { // views look at rows that objects have left
		j.into = t.reserve()
		if err := j.run(); err != nil {
			return err
		}
		j.adopt()
	}
	t.frozen = opt.Frozen
	t.ids.NewRun(len(objects))
	t.store.Log.Fill(len(objects))
	t.finish(j)
	return nil
}

// Rebuild builds the tree anew from its objects, pending ones included: the
// world is fitted to them, packets are cut again, and the pending list is
// empty afterwards. IDs and handles stay valid, views do not.
//
// It takes O(n) time and uses the memory of a second tree, which is kept: a
// rebuild in steady state with one worker allocates nothing. When ctx is
// cancelled the error is its error and the tree is as it was, also after a
// panic of opt.Progress: earlier views go on. A nil ctx is never cancelled. The
// other errors are a Cut that is none, and [soa.ErrFull]: see [Tree.Flush].
func (t *Tree) Rebuild(ctx context.Context, opt RebuildOptions) error {
	if opt.Cut > CutCurve {
		return fmt.Errorf("linear: RebuildOptions.Cut %d, want at most %d", opt.Cut, CutCurve)
	}
	t.catchUp()
	defer t.waits.occupy(t.waits.busy)
	t.waits.busy = true
	s := t.store
	union := t.union()
	j := t.start(job{
		ctx: ctx, opt: opt, n: t.Len(), union: union, centres: t.gather(union), into: t.reserve(), progress: opt.Progress,
	})
	defer t.end()
	// The gathering kernel reads the moving column in pairs of words.
	s.Packets.Moving = mem.Resize(s.Packets.Moving, len(s.Packets.Counts)+1)[:len(s.Packets.Counts)]
	j.from = &s.Packets
	if err := j.run(); err != nil {
		return err
	}
	t.frozen = opt.Frozen
	j.adopt()
	t.finish(j)
	return nil
}

// reserve returns the store that is not the tree's, for a build to write to.
func (t *Tree) reserve() *soa.Store {
	if t.spare == nil {
		t.spare = newStore()
	}
	return t.spare
}

// adopt exchanges the stores of the tree: that of the job is what queries read from now on.
func (j *job) adopt() {
	t, s := j.t, j.t.store
	t.store, t.spare = j.into, s
	j.into.Version = max(j.into.Version, s.Version)
	j.into.Log, j.into.Tree = s.Log, s.Tree
	s.Version++
}

// finish makes the store of a job the state of the tree.
func (t *Tree) finish(j *job) {
	defer phase.Enter(phase.Fill).Leave()
	s := j.into
	t.change()
	s.Pending = s.Pending[:0]
	s.Count, s.Counted = t.ids.Len(), true
	t.world, t.code, t.door, t.centres = j.world, j.code, closed, j.centres
	t.forget()
	t.touchAll()
	t.arrangement++
	t.dead = t.buffers().topo.dead
	t.work.Rebuilt += j.n
	t.built, t.moves = t.tick, -t.work.Moved
	t.waits.expect(j.n)
	j.place()
	t.heal()
}

// union returns a box that holds all boxes, the smallest one after a refit.
func (t *Tree) union() soa.AABB { return boundsOf(t.store) }

// fitWorld returns the world of a box and of the given one.
func (t *Tree) fitWorld(box soa.AABB) (morton.World, error) {
	if t.cfg.World != (soa.AABB{}) {
		box = box.Union(t.cfg.World)
	}
	return morton.Fit(box.Min, box.Max)
}

// nodeBox returns the union of a node's lanes.
func nodeBox(n *soa.Node) soa.AABB {
	b := soa.Empty()
	for a := range 3 {
		for l := range soa.Fan {
			b.Min[a] = min(b.Min[a], n.Bounds[2*a][l])
			b.Max[a] = max(b.Max[a], n.Bounds[2*a+1][l])
		}
	}
	return b
}

// run performs the phases. It changes nothing that a query can see.
func (j *job) run() error {
	m := phase.Enter(phase.Encode)
	defer m.Leave()
	t := j.t
	sc := t.buffers()
	j.world = t.world
	if !t.cfg.Fixed && j.n > 0 {
		w, err := j.fit()
		if err != nil {
			return err
		}
		j.world = w
	}
	j.code = newCoder(j.world, t.cfg.MinCell)
	j.code.far = j.n > 0 && !j.code.near(&j.union)
	if err := j.report(PhaseEncode, 0); err != nil {
		return err
	}
	sc.keys = mem.Fresh(sc.keys, j.n)
	if err := j.encode(); err != nil {
		return err
	}
	m.Next(phase.Sort)
	if err := j.report(PhaseSort, 0); err != nil {
		return err
	}
	j.squeeze()
	opt := radix.Options{Workers: t.cfg.Workers, Context: j.ctx}
	if j.progress != nil {
		opt.Progress = sortProgress(j.progress)
	}
	items, err := sc.sort.Order(sc.keys, opt)
	if err != nil {
		return err
	}
	j.items = items
	m.Next(phase.Topology)
	if err := j.report(PhaseTopology, 0); err != nil {
		return err
	}
	topo := &sc.topo
	topo.items, topo.keys, topo.sq, topo.far, topo.nodes = items, sc.keys, j.sq, j.code.far, &j.into.Nodes
	topo.frozen, topo.curve = j.opt.Frozen, j.alongCurve()
	topo.lone = !topo.far && (j.n <= t.freshFill() || j.opt.Frozen && j.n <= soa.Lanes)
	topo.run()
	if topo.n > j.into.Nodes.Limit() || len(topo.owner) > j.into.Packets.Limit() {
		return fault.Errorf("linear: %w: %d objects need %d nodes and %d packets, at most %d and %d",
			soa.ErrFull, j.n, topo.n, len(topo.owner), j.into.Nodes.Limit(), j.into.Packets.Limit())
	}
	if !topo.curve {
		j.cutCells()
	}
	m.Next(phase.Fill)
	if err := j.report(PhaseFill, 0); err != nil {
		return err
	}
	return j.fill()
}

// sortProgress is a function of its own so that a job need not escape.
func sortProgress(f func(Phase, float64)) func(done, total int) {
	return func(done, total int) { f(PhaseSort, float64(done)/float64(total)) }
}

// encode computes the key of every object.
func (j *job) encode() error {
	sc := j.t.buffers()
	if j.from == nil {
		const step = 1 << 20
		for i := 0; i < j.n; i += step {
			end := min(i+step, j.n)
			j.inParts(i, end, encodeMin, (*job).encodeRecords)
			if err := j.report(PhaseEncode, float64(end)/float64(j.n)); err != nil {
				return err
			}
		}
		return nil
	}
	sc.places = mem.Fresh(sc.places, j.n)
	p := j.from
	step := 1 << 14 * j.t.cfg.Workers
	for i := 0; i < len(p.Counts); i += step {
		end := min(i+step, len(p.Counts))
		j.inParts(i, end, fillMin, (*job).encodePackets)
		j.encoded += lanesOf(p.Counts[i:end])
		j.slots = end
		if err := j.report(PhaseEncode, float64(j.encoded)/float64(j.n)); err != nil {
			return err
		}
	}
	return nil
}

// encodeRecords computes the keys of the objects lo to hi-1.
func (j *job) encodeRecords(lo, hi int) {
	j.code.boxes(j.t.buffers().keys[lo:hi], soa.Words(j.objects)[8*lo:], 8)
}

// encodePackets computes the keys of the objects in the slots lo to hi-1.
func (j *job) encodePackets(lo, hi int) {
	sc := j.t.buffers()
	at := j.encoded + lanesOf(j.from.Counts[j.slots:lo])
	j.code.packets(sc.keys[at:], sc.places[at:], j.from, lo, hi-lo, lo)
}

// lanesOf returns the number of live lanes.
func lanesOf(counts []uint8) (n int) {
	for _, c := range counts {
		n += int(c)
	}
	return n
}

// squeeze squeezes the keys if that is worth it. Those of packets come nearly sorted,
// so that few are compared in all their bits; those of far objects are told by what
// they are.
func (j *job) squeeze() {
	keys := j.t.buffers().keys
	if j.from != nil || j.n < squeezeKeys || j.code.far {
		return
	}
	vary := differing(keys[:squeezeKeys], keys[0]) // enough to tell in most scenes
	if !pays(vary) {
		return
	}
	if vary |= differing(keys[squeezeKeys:], keys[0]); !pays(vary) {
		return
	}
	j.sq = squeezing(keys[0], vary)
	j.inParts(0, j.n, encodeMin, (*job).squeezePart)
}

func (j *job) squeezePart(lo, hi int) { j.sq.squeeze(j.t.buffers().keys[lo:hi]) }

// growOneIn is the share of a roomy tree, one in so many, by which its columns
// can grow before they must be copied.
const growOneIn = 8

// fill writes the columns of packets and nodes.
func (j *job) fill() error {
	topo := &j.t.buffers().topo
	nodes, packets := &j.into.Nodes, &j.into.Packets
	nodes.Forget()
	packets.Forget()
	nodes.ResizeCold(topo.n)
	slots := len(topo.owner)
	// A roomy tree has columns with room to grow, which costs address space
	// until it is used, so that the first split does not copy the tree.
	spareNodes, spareSlots := 0, 0
	if !j.opt.Frozen {
		spareNodes, spareSlots = topo.n/growOneIn, slots/growOneIn&^(soa.BlockSlots-1)
	}
	nodes.Hot = mem.FreshWithRoom(nodes.Hot, topo.n, spareNodes)
	packets.Moving = mem.FreshWithRoom(packets.Moving, slots, spareSlots+1) // see Rebuild
	packets.Fresh(slots, spareSlots)
	copy(packets.Owner, topo.owner)
	j.inParts(0, topo.n, leafMin, (*job).clearNodes)
	step := fillStep
	if j.workers(slots, fillMin) > 1 {
		step = slots
	}
	for first := 0; first < slots; first += step {
		end := min(first+step, slots)
		j.inParts(first, end, fillMin, (*job).fillRange)
		if err := j.report(PhaseFill, float64(end)/float64(slots)); err != nil {
			return err
		}
	}
	if err := j.report(PhaseFill, 1); err != nil {
		return err
	}

	j.close()
	return nil
}

// clearNodes makes the nodes lo to hi-1 empty ones.
func (j *job) clearNodes(lo, hi int) {
	nodes := j.into.Nodes.Hot[lo:hi]
	for i := range nodes {
		nodes[i] = soa.EmptyNode
	}
}

// fillRange fills the slots lo to hi-1.
func (j *job) fillRange(lo, hi int) {
	out, nodes := &j.into.Packets, j.into.Nodes.Hot
	sc := j.t.buffers()
	starts := sc.topo.starts[lo : hi+1]
	if j.from == nil {
		asm.FillRecords(out, nodes, lo, starts, j.items, records(j.objects))
	} else {
		asm.FillPackets(out, nodes, lo, starts, j.items, j.from, sc.places)
	}
}

// bringBounds copies the bounds of the objects, whose places are still those of the
// source, to the packets that they are in now.
func (j *job) bringBounds() {
	p, from := &j.into.Packets, j.from
	if from == nil {
		from = new(soa.PacketColumns)
	}
	p.UseBoundsOf(from)
	if j.spheres != nil {
		p.UseSpheres()
	}
	if !p.Bounded() {
		return
	}
	for slot, n := range p.Counts {
		for l, id := range p.IDs[slot][:n] {
			if j.spheres != nil { // the IDs of objects are their indices
				p.SetSphere(uint32(slot), l, j.spheres[id])
				continue
			}
			w := j.t.ids.Where[id]
			p.CopyBounds(uint32(slot), l, from, w.Slot(), w.Lane())
		}
	}
}

// place tells every object where it lives now.
func (j *job) place() {
	j.bringBounds()
	j.inParts(0, len(j.into.Packets.Counts), fillMin, (*job).placeRange)
}

// placeRange tells the objects in the slots lo to hi-1 where they live.
func (j *job) placeRange(lo, hi int) {
	where := j.t.ids.Where
	p := &j.into.Packets
	for slot := lo; slot < hi; slot++ {
		n, ids := p.Counts[slot], &p.IDs[slot]
		for l := range int(n) & 31 {
			where[ids[l&(soa.Lanes-1)]] = soa.MakeLocation(uint32(slot), l)
		}
	}
}

// records views objects as the eight-word records of the fill kernel.
func records(objects []soa.Object) [][8]float32 {
	return unsafe.Slice((*[8]float32)(unsafe.Pointer(unsafe.SliceData(objects))), len(objects))
}
