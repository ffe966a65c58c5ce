package show

import (
	"fmt"
	"io"
	"slices"

	"github.com/google/pprof/profile"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// The sample types of the profile, in this order.
const (
	Objects = iota
	Packets // packets that hold objects
	Nodes
	Bytes  // live bytes, as Stats.Live
	Visits // visits of queries to nodes and packets

	NumValues // number of sample types
)

// WriteProfile writes a pprof profile of the tree of a view, gzipped, for
//
//	go tool pprof -http=: FILE
//
// heat, unless nil, adds the visits of queries. See [Profile].
func WriteProfile(w io.Writer, v linear.View, heat *query.Heat) error {
	p, err := Profile(v, heat)
	if err != nil {
		return err
	}
	return p.Write(w)
}

// Profile returns a pprof profile of the tree of a view, for programs that extend it. The sums of
// its values are Objects, Packets, Nodes and LiveBytes of [linear.View.Stats]. heat, unless nil,
// adds the visits of queries since the last change of the tree; the error reports that it was
// made for another tree.
//
// It takes time and memory proportional to the number of packets.
func Profile(v linear.View, heat *query.Heat) (*profile.Profile, error) {
	s := v.Store()
	if heat != nil && (len(heat.Nodes) != len(s.Nodes.Hot) || len(heat.Slots) != len(s.Packets.Counts)) {
		return nil, fmt.Errorf("show: the heat is of %d nodes and %d slots, the tree has %d and %d: make a new one after a change",
			len(heat.Nodes), len(heat.Slots), len(s.Nodes.Hot), len(s.Packets.Counts))
	}
	w := &writer{
		store: s, heat: heat, stats: v.Stats(),
		functions: map[function]*profile.Location{}, cells: map[morton.Cell]*profile.Location{}, samples: map[stackKey]*profile.Sample{},
		named: make([]bool, len(s.Packets.Counts)),
	}
	w.p = &profile.Profile{
		SampleType: []*profile.ValueType{
			Objects: {Type: "objects", Unit: "count"},
			Packets: {Type: "packets", Unit: "count"},
			Nodes:   {Type: "nodes", Unit: "count"},
			Bytes:   {Type: "bytes", Unit: "bytes"},
			Visits:  {Type: "visits", Unit: "count"},
		},
		DefaultSampleType: "objects",
		PeriodType:        &profile.ValueType{Type: "objects", Unit: "count"},
		Period:            1,
		// Names are complete: pprof need not search for a binary.
		Mapping: []*profile.Mapping{{ID: 1, File: "octree", HasFunctions: true, HasFilenames: true}},
	}
	if n := len(s.Nodes.Hot); n > 0 {
		w.nodeBytes = (w.stats.NodesHot + w.stats.NodesCold) / n
	}
	if n := len(s.Packets.Counts); n > 0 {
		w.slotBytes = (w.stats.Bounds + w.stats.IDs + w.stats.Masks + w.stats.PacketRest) / n
	}
	if w.stats.Nodes > 0 {
		w.node(0, soa.NoSpan)
	}
	w.rest()
	return w.p, nil
}

// writer is a builder of a profile.
type writer struct {
	store     *soa.Store
	heat      *query.Heat
	stats     linear.Stats
	nodeBytes int
	slotBytes int

	p         *profile.Profile
	functions map[function]*profile.Location
	cells     map[morton.Cell]*profile.Location // the functions of cells
	samples   map[stackKey]*profile.Sample
	named     []bool // slots that have been counted
	bytes     int    // bytes counted so far
}

// stackKey is the key of a stack: a kind of data in a cell.
type stackKey struct {
	cell morton.Cell
	data string
}

// function is the key of a location: the name of a function, and its level.
type function struct {
	name  string
	level int
}

// values are those of one sample.
type values [NumValues]int64

// add adds values to the sample of a stack.
func (w *writer) add(at stackKey, v values) {
	s := w.samples[at]
	if s == nil {
		s = &profile.Sample{Location: w.stack(at), Value: make([]int64, NumValues)}
		w.samples[at] = s
		w.p.Sample = append(w.p.Sample, s)
	}
	for i := range v {
		s.Value[i] += v[i]
	}
	w.bytes += int(v[Bytes])
}

// stack returns the stack of a key, innermost first: its data, its cell, and the enclosing
// octants.
func (w *writer) stack(at stackKey) []*profile.Location {
	var room [64]*profile.Location
	list := append(room[:0], w.location(at.data, at.cell.Level()))
	for c, ok := at.cell, true; ok; c, ok = c.Parent() {
		l := w.cells[c]
		if l == nil {
			l = w.location(name(c), c.Level())
			w.cells[c] = l
		}
		list = append(list, l)
	}
	return slices.Clone(list)
}

// name returns the name of a cell.
func name(c morton.Cell) string {
	switch {
	case c.Bits() == 0:
		return "root"
	case c.IsOctant():
		return "octant " + c.String()[1:]
	}
	return "part " + c.String()[1:]
}

// location returns the location of a function of that name at a level.
func (w *writer) location(name string, level int) *profile.Location {
	key := function{name, level}
	l := w.functions[key]
	if l == nil {
		id := uint64(len(w.p.Location) + 1)
		f := &profile.Function{ID: id, Name: name, SystemName: name, Filename: fmt.Sprintf("level %d", level)}
		l = &profile.Location{ID: id, Mapping: w.p.Mapping[0], Address: id, Line: []profile.Line{{Function: f}}}
		w.functions[key] = l
		w.p.Function = append(w.p.Function, f)
		w.p.Location = append(w.p.Location, l)
	}
	return l
}

// packetNames and nodeNames are the names of packets by objects, and of nodes by lanes.
var packetNames, nodeNames = numbered("packet of %d", soa.Lanes), numbered("node of %d", soa.Fan)

// numbered returns the names of that format with the numbers 0 to most.
func numbered(format string, most int) (names []string) {
	for n := range most + 1 {
		names = append(names, fmt.Sprintf(format, n))
	}
	return names
}

// node adds a subtree, of the cell with the keys or above cells if these are soa.NoSpan, and
// returns the interval of its keys.
func (w *writer) node(index uint32, keys soa.KeySpan) soa.KeySpan {
	n, p := &w.store.Nodes, &w.store.Packets
	lanes := uint32(n.Used[index])
	if keys == soa.NoSpan {
		keys = n.Cells[index]
	}
	inCell := keys != soa.NoSpan
	for l, ref := range n.Hot[index].Child[:lanes] {
		switch at := ref.Index(); {
		case ref.IsPacket():
			w.packet(at, stackKey{cellOf(keys), packetNames[p.Counts[at]]})
		case inCell:
			w.node(at, keys)
		default:
			below := w.node(at, soa.NoSpan)
			if l == 0 {
				keys.Low = below.Low
			}
			keys.High = below.High
		}
	}
	cell := cellOf(keys)
	v := values{Nodes: 1, Bytes: int64(w.nodeBytes)}
	if w.heat != nil {
		v[Visits] = int64(w.heat.Nodes[index])
	}
	w.add(stackKey{cell, nodeNames[lanes]}, v)
	// The unused rest of the block of a node of packets.
	if span := n.Slots[index]; n.Height[index] == 0 {
		for slot := span.First; slot < span.End; slot++ {
			if !w.named[slot] {
				w.packet(slot, stackKey{cell, freeSlot})
			}
		}
	}
	return keys
}

// freeSlot is the name of slots without a parent node.
const freeSlot = "free slot"

// cellOf returns the cell of an interval of keys.
func cellOf(k soa.KeySpan) morton.Cell { return morton.Common(morton.Key(k.Low), morton.Key(k.High)) }

// packet adds a slot.
func (w *writer) packet(slot uint32, at stackKey) {
	w.named[slot] = true
	count := int64(w.store.Packets.Counts[slot])
	v := values{Objects: count, Packets: min(count, 1), Bytes: int64(w.slotBytes)}
	if w.heat != nil {
		v[Visits] = int64(w.heat.Slots[slot])
	}
	w.add(at, v)
}

// rest adds data without a cell, so that the sums equal those of Stats.
func (w *writer) rest() {
	var root morton.Cell
	for _, slot := range w.store.Pending {
		w.packet(slot, stackKey{root, "pending packet"})
	}
	for slot := range w.named {
		if !w.named[slot] {
			w.packet(uint32(slot), stackKey{root, freeSlot})
		}
	}
	if free := w.store.Nodes.Unused(); free > 0 {
		w.add(stackKey{root, "free nodes"}, values{Bytes: int64(free * w.nodeBytes)})
	}
	if w.stats.Where > 0 {
		w.add(stackKey{root, "locations of IDs"}, values{Bytes: int64(w.stats.Where)})
	}
	if left := w.stats.LiveBytes() - w.bytes; left != 0 {
		w.add(stackKey{root, "lists"}, values{Bytes: int64(left)})
	}
}

// Sums returns the sums of all values of a profile.
func Sums(p *profile.Profile) (sum [NumValues]int64) {
	for _, s := range p.Sample {
		for i, x := range s.Value[:NumValues] {
			sum[i] += x
		}
	}
	return sum
}

// Levels returns the values of each level of cells, from the root down: the sums over the nodes
// and packets whose cell has that level.
func Levels(p *profile.Profile) (levels [][NumValues]int64) {
	for _, s := range p.Sample {
		level := 0
		fmt.Sscanf(s.Location[0].Line[0].Function.Filename, "level %d", &level)
		for len(levels) <= level {
			levels = append(levels, [NumValues]int64{})
		}
		for i, x := range s.Value[:NumValues] {
			levels[level][i] += x
		}
	}
	return levels
}
