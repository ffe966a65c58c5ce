package query_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
	"github.com/zoctree/zoctree/soa"
)

// envSnapCases is the number of hostile files that TestSnapshotHostile makes.
const envSnapCases = "ZOCTREE_SNAP_CASES"

// saboteur corrupts the structure of a store by consistent changes, which random bits do not find.
type saboteur struct {
	*rand.Rand
	s *soa.Store
}

// node returns a node that has lanes.
func (r *saboteur) node() uint32 {
	for range 50 {
		if i := r.Uint32N(uint32(len(r.s.Nodes.Hot))); r.s.Nodes.Used[i] > 0 {
			return i
		}
	}
	return 0
}

func (r *saboteur) lane(node uint32) int { return r.IntN(max(int(r.s.Nodes.Used[node]), 1)) }
func (r *saboteur) slot() uint32         { return r.Uint32N(uint32(len(r.s.Packets.Counts))) }

// refer makes a lane refer to a child, which refers back.
func (r *saboteur) refer(node uint32, l int, child soa.Ref) {
	r.s.Nodes.Hot[node].Child[l] = child
	if at := child.Index(); child.IsPacket() {
		r.s.Packets.Parents[at] = soa.MakeUp(node, l)
	} else {
		r.s.Nodes.Parents[at] = soa.MakeUp(node, l)
	}
}

// number returns an arbitrary float.
func (r *saboteur) number() float32 {
	switch r.IntN(6) {
	case 0:
		return float32(math.NaN())
	case 1:
		return float32(math.Inf(1 - 2*r.IntN(2)))
	case 2:
		return math.Float32frombits(r.Uint32())
	case 3:
		return math.MaxFloat32
	}
	return float32((r.Float32() - 0.5) * 100)
}

// recount makes sums of counts right again, below all nodes, so that tests reach the other faults. It stops where
// children are shared so often, or are so deep, that it would not end.
func (r *saboteur) recount() {
	n := &r.s.Nodes
	visits := 64 * len(n.Hot)
	var sum func(i uint32, depth int) uint32
	sum = func(i uint32, depth int) (k uint32) {
		if visits--; visits < 0 || depth > 40 || n.Used[i] > soa.Fan {
			return 0
		}
		span := soa.Span{First: soa.None}
		for _, ref := range n.Hot[i].Child[:n.Used[i]] {
			at := ref.Index()
			switch {
			case ref.IsPacket() && int(at) < len(r.s.Packets.Counts):
				k += uint32(r.s.Packets.Counts[at])
				span.First, span.End = min(span.First, at), max(span.End, at+1)
			case !ref.IsPacket() && at > 0 && int(at) < len(n.Hot):
				k += sum(at, depth+1)
			}
		}
		n.Below[i] = k
		return k
	}
	total := sum(0, 0)
	for _, slot := range r.s.Pending {
		if int(slot) < len(r.s.Packets.Counts) {
			total += uint32(r.s.Packets.Counts[slot])
		}
	}
	r.s.Count = int(total)
}

// do makes one change, if the store, which is already corrupt, allows it.
func (r *saboteur) do(sabotage func(r *saboteur)) {
	defer func() { _ = recover() }()
	sabotage(r)
}

// sabotages are its changes by name.
var sabotages = map[string]func(r *saboteur){
	"two children change places": func(r *saboteur) {
		a, b := r.node(), r.node()
		k, l := r.lane(a), r.lane(b)
		x, y := r.s.Nodes.Hot[a].Child[k], r.s.Nodes.Hot[b].Child[l]
		r.refer(a, k, y)
		r.refer(b, l, x)
	},
	"a child in two lanes": func(r *saboteur) {
		a, b := r.node(), r.node()
		r.refer(a, r.lane(a), r.s.Nodes.Hot[b].Child[r.lane(b)])
	},
	"a node below one that is below it": func(r *saboteur) {
		a := r.node()
		if up := r.s.Nodes.Parents[a]; up != soa.NoParent {
			r.refer(a, r.lane(a), soa.Ref(up.Node())|soa.RefFlags)
			r.s.Nodes.Height[a] = r.s.Nodes.Height[up.Node()] + 1
		}
	},
	"the root below itself":  func(r *saboteur) { a := r.node(); r.s.Nodes.Hot[a].Child[r.lane(a)] = soa.RefFlags },
	"a span of another node": func(r *saboteur) { s := r.s.Nodes.Slots; s[r.node()] = s[r.node()] },
	"a span of anything": func(r *saboteur) {
		r.s.Nodes.Slots[r.node()] = soa.Span{First: r.slot(), End: r.slot() + r.Uint32N(3)}
	},
	"a span of all":         func(r *saboteur) { r.s.Nodes.Slots[r.node()] = soa.Span{End: uint32(len(r.s.Packets.Counts))} },
	"a span that is none":   func(r *saboteur) { r.s.Nodes.Slots[r.node()] = soa.Span{} },
	"a sum that lies":       func(r *saboteur) { r.s.Nodes.Below[r.node()] += r.Uint32N(5) },
	"all sums counted":      func(r *saboteur) { r.s.Counted = !r.s.Counted },
	"more objects":          func(r *saboteur) { r.s.Count += r.IntN(3) - 1 },
	"a count that lies":     func(r *saboteur) { r.s.Packets.Counts[r.slot()] = uint8(r.IntN(18)) },
	"owners change places":  func(r *saboteur) { o := r.s.Packets.Parents; a, b := r.slot(), r.slot(); o[a], o[b] = o[b], o[a] },
	"parents change places": func(r *saboteur) { u := r.s.Nodes.Parents; a, b := r.node(), r.node(); u[a], u[b] = u[b], u[a] },
	"nodes change places but for the lanes above": func(r *saboteur) {
		n := &r.s.Nodes
		a, b := r.node(), r.node()
		n.Hot[a], n.Hot[b] = n.Hot[b], n.Hot[a]
		n.Used[a], n.Used[b] = n.Used[b], n.Used[a]
		n.Height[a], n.Height[b] = n.Height[b], n.Height[a]
		n.Cells[a], n.Cells[b] = n.Cells[b], n.Cells[a]
		n.Keys[a], n.Keys[b] = n.Keys[b], n.Keys[a]
		for _, i := range []uint32{a, b} {
			for l := range n.Used[i] {
				r.refer(i, int(l), n.Hot[i].Child[l])
			}
		}
	},
	"a node without lanes": func(r *saboteur) { r.s.Nodes.Used[r.node()] = 0 },
	"a lane less, or more": func(r *saboteur) { r.s.Nodes.Used[r.node()] += uint8(2*r.IntN(2) - 1) },
	"the last lane is gone": func(r *saboteur) {
		n, i := &r.s.Nodes, r.node()
		l := int(n.Used[i]) - 1
		if l < 1 || l >= soa.Fan {
			return
		}
		if ref := n.Hot[i].Child[l]; ref.IsPacket() {
			r.s.Packets.Parents[ref.Index()] = soa.NoParent
		}
		n.Used[i]--
		n.Keys[i][l], n.Hot[i].Child[l], n.Hot[i].Mask[l] = soa.NoKey, 0, 0
		for a := range 6 {
			n.Hot[i].Bounds[a][l] = soa.EmptyNode.Bounds[a][l]
		}
	},
	"a free lane has a box": func(r *saboteur) {
		n, i := &r.s.Nodes, r.node()
		l := r.IntN(soa.Fan)
		n.Hot[i].Bounds = r.s.Nodes.Hot[r.node()].Bounds
		n.Hot[i].Child[l] |= soa.RefFlags
	},
	"a height": func(r *saboteur) { r.s.Nodes.Height[r.node()] = uint8(r.IntN(256)) },
	"a cell":   func(r *saboteur) { r.s.Nodes.Cells[r.node()] = soa.KeySpan{High: 1 << r.IntN(63)} },
	"no cell":  func(r *saboteur) { r.s.Nodes.Cells[r.node()] = soa.NoSpan },
	"a key":    func(r *saboteur) { r.s.Nodes.Keys[r.node()][r.IntN(soa.Fan)] = r.Uint64() >> r.IntN(64) },
	"flags": func(r *saboteur) {
		i := r.node()
		r.s.Nodes.Hot[i].Child[r.lane(i)] ^= soa.RefMoving << r.IntN(2) >> r.IntN(2)
	},
	"a box of a node": func(r *saboteur) {
		i := r.node()
		r.s.Nodes.Hot[i].Bounds[r.IntN(6)][r.lane(i)] = r.number()
	},
	"a box of everything": func(r *saboteur) {
		i := r.node()
		for l := r.lane(i); ; {
			b := &r.s.Nodes.Hot[i].Bounds
			for a := range 3 {
				b[2*a][l], b[2*a+1][l] = -math.MaxFloat32, math.MaxFloat32
			}
			up := r.s.Nodes.Parents[i]
			if up == soa.NoParent || int(up.Node()) >= len(r.s.Nodes.Hot) || up.Node() == i || r.IntN(20) == 0 {
				break
			}
			i, l = up.Node(), up.Lane()
		}
		r.s.Extent = [3]float32{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}
	},
	"a box of an object": func(r *saboteur) {
		r.s.Packets.Bounds[r.slot()][r.IntN(6)][r.IntN(soa.Lanes)] = r.number()
	},
	"an inverted box": func(r *saboteur) {
		b, l := &r.s.Packets.Bounds[r.slot()], r.IntN(soa.Lanes)
		for a := range 3 {
			if b[2*a][l] < b[2*a+1][l] && r.IntN(2) == 0 {
				b[2*a][l], b[2*a+1][l] = b[2*a+1][l], b[2*a][l]
			}
		}
	},
	"all boxes alike": func(r *saboteur) {
		b := r.s.Packets.Box(r.slot(), 0)
		for slot, n := range r.s.Packets.Counts {
			for l := range min(n, soa.Lanes) {
				r.s.Packets.SetBox(uint32(slot), int(l), &b)
			}
		}
	},
	"a bound of coordinates": func(r *saboteur) { r.s.Extent[r.IntN(3)] = r.number() },
	"a near bound":           func(r *saboteur) { r.s.Near[r.IntN(3)] = r.number() },
	"no bounds":              func(r *saboteur) { r.s.Near, r.s.Extent = [3]float32{}, [3]float32{} },
	"a sphere": func(r *saboteur) {
		if len(r.s.Packets.Spheres) > 0 {
			r.s.Packets.Spheres[r.slot()][r.IntN(4)][r.IntN(soa.Lanes)] = r.number()
		}
	},
	"an oriented box": func(r *saboteur) {
		if len(r.s.Packets.OrientedBoxes) > 0 {
			b := &r.s.Packets.OrientedBoxes[r.slot()][r.IntN(soa.Lanes)]
			b.Axes[r.IntN(3)][r.IntN(3)] = r.number()
			b.Center[r.IntN(3)] = r.number()
		}
	},
	"moving lanes": func(r *saboteur) { r.s.Packets.Moving[r.slot()] ^= 1 << r.IntN(16) },
	"an ID":        func(r *saboteur) { r.s.Packets.IDs[r.slot()][r.IntN(soa.Lanes)] = r.Uint32() >> r.IntN(32) },
	"IDs change places": func(r *saboteur) {
		i := r.s.Packets.IDs
		a, b, k, l := r.slot(), r.slot(), r.IntN(4), r.IntN(4)
		i[a][k], i[b][l] = i[b][l], i[a][k]
	},
	"a pending slot": func(r *saboteur) { r.s.Pending = append(r.s.Pending, r.slot()+r.Uint32N(2)) },
	"none pending":   func(r *saboteur) { r.s.Pending = nil },
	"a slot is pending, and in the tree no more": func(r *saboteur) {
		slot := r.slot()
		r.s.Packets.Parents[slot] = soa.NoParent
		r.s.Pending = append(r.s.Pending, slot)
	},
	"a bit": func(r *saboteur) { b := r.column(); b[r.IntN(len(b))] ^= 1 << r.IntN(8) },
	"a word": func(r *saboteur) {
		b := r.column()
		for i := range b[r.IntN(len(b)):] {
			if b[i] = byte(r.Uint32()); i == 3 {
				break
			}
		}
	},
	"two rows change places": func(r *saboteur) {
		cols := r.s.Packets.Columns(r.s.Nodes.Columns(nil))
		c := cols[r.IntN(len(cols))]
		if c.Len() == 0 {
			return
		}
		b, size := c.Bytes(), c.RowSize()
		x, y := b[r.IntN(c.Len())*size:][:size], b[r.IntN(c.Len())*size:][:size]
		for i := range x {
			x[i], y[i] = y[i], x[i]
		}
	},
	"sums are right": func(r *saboteur) { r.recount() },
}

// column returns the bytes of a column that has some.
func (r *saboteur) column() []byte {
	cols := r.s.Packets.Columns(r.s.Nodes.Columns(nil))
	for {
		if b := cols[r.IntN(len(cols))].Bytes(); len(b) > 0 {
			return b
		}
	}
}

// spoil changes words of the sections of a file, after the columns, and makes its sums right.
func (r *saboteur) spoil(file []byte) {
	e := binary.LittleEndian
	n := int(e.Uint32(file[24:]))
	sums, head := 64+64*n, int(e.Uint64(file[32:]))
	for range 1 + r.IntN(3) {
		row := file[64+64*r.IntN(n):]
		if offset, bytes := e.Uint64(row[48:]), e.Uint64(row[56:]); bytes > 0 {
			at := offset + r.Uint64N(bytes)&^3
			switch r.IntN(3) {
			case 0:
				file[at] ^= 1 << r.IntN(8)
			case 1:
				file[at] = byte(r.Uint32())
			default:
				copy(file[at:offset+bytes], []byte{byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32()), byte(r.Uint32())})
			}
		}
	}
	table := crc32.MakeTable(crc32.Castagnoli)
	for i := range n {
		row := file[64+64*i:]
		section := file[e.Uint64(row[48:]):][:e.Uint64(row[56:])]
		for len(section) > 0 {
			chunk := section[:min(len(section), 1<<18)]
			e.PutUint32(file[sums:], crc32.Checksum(chunk, table))
			section, sums = section[len(chunk):], sums+4
		}
	}
	e.PutUint32(file[56:], crc32.Checksum(file[64:head], table))
	e.PutUint32(file[60:], crc32.Checksum(file[:60], table))
}

// With right sums, any file is rejected, or every query of it ends, without a panic or a fault, and finds no more
// than there is. A tree that is made of it is sound, and can be changed. ZOCTREE_SNAP_CASES is the number of files; a
// failure names the case, which is a function of the seed.
func TestSnapshotHostile(t *testing.T) {
	seed := testkit.Seed(t)
	cases := testkit.Budget(t, 250, 5000)
	if s := os.Getenv(envSnapCases); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", envSnapCases, err)
		}
		cases = n
	}
	debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(false)
	var names []string
	for name := range sabotages {
		names = append(names, name)
	}
	slices.Sort(names)
	var trees []*linear.Tree
	for _, cfg := range []linear.Config{
		{SplitAbove: 4, MergeBelow: 2, Policy: linear.PolicyIncremental}, {}, {Frozen: true, Log: true},
	} {
		trees = append(trees, snapshotForest(t, cfg, 150), snapshotForest(t, cfg, 20))
	}
	accepted, loaded := 0, 0
	var file snapBuffer // of a case at a time: a tree loaded from it is a copy
	one := func(seed uint64, k int) {
		r := rand.New(rand.NewPCG(seed, uint64(k)))
		tree := trees[r.IntN(len(trees))].Clone()
		s := &saboteur{r, tree.View().Store()}
		told := ""
		for range r.IntN(4) {
			name := names[r.IntN(len(names))]
			told += name + "; "
			s.do(sabotages[name])
		}
		if r.IntN(3) == 0 {
			s.recount()
		}
		file = file[:0]
		if _, err := tree.WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		if told == "" || r.IntN(4) == 0 {
			told += "words"
			s.spoil(file)
		}
		done := make(chan bool)
		go watch(done, fmt.Sprintf("seed %d, case %d, %s: no end", seed, k, told))
		ok, whole, fault := hostileCase(t, file, r.Uint64())
		close(done)
		if fault != "" {
			t.Errorf("seed %d, case %d, %s: %s", seed, k, told, fault)
		}
		if ok {
			accepted++
		}
		if whole {
			loaded++
		}
	}
	one(20261124, 197_321) // keys that fall: Nearby.All yielded some twice
	for k := range cases {
		one(seed, k)
	}
	t.Logf("%d files, %d accepted, %d loaded", cases, accepted, loaded)
	if accepted == 0 || accepted == cases || loaded == 0 {
		t.Errorf("%d files, %d accepted, %d loaded", cases, accepted, loaded)
	}
}

// watch panics after half a minute in which the machine lets the test run: many short naps, each counted once
// regardless of its real length.
func watch(done chan bool, says string) {
	for range 300 {
		select {
		case <-done:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	panic(says)
}

// hostileCase opens a file, queries it, and loads it.
func hostileCase(t *testing.T, file []byte, seed uint64) (ok, whole bool, fault string) {
	defer func() {
		if e := recover(); e != nil {
			fault = fmt.Sprintf("%v\n%s", e, debug.Stack())
		}
	}()
	s, err := linear.FromBytes(file, linear.CheckSafe)
	if err != nil {
		return false, false, ""
	}
	i := interview{v: s.View()}
	i.all(t, seed)
	if i.fault != "" {
		return true, false, i.fault
	}
	tree, err := s.Load()
	if err != nil {
		return true, false, ""
	}
	r := testkit.Rand(seed)
	for range 10 {
		box := soa.AABB{Max: [3]float32{1, 1, float32(r.IntN(40))}}
		id, err := tree.Insert(soa.Object{Box: box})
		if err != nil {
			continue
		}
		_ = tree.Move(id/2, box)
		_ = tree.Remove(id / 3)
		if err := tree.Tick(); err != nil {
			return true, true, err.Error()
		}
	}
	if err := tree.Validate(); err != nil {
		return true, true, err.Error()
	}
	collide.Count(collide.Between(tree.View(), tree.View()), collide.Filter{})
	return true, true, ""
}
