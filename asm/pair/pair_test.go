package pair_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/cpu"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/kernel"
	"github.com/zoctree/zoctree/soa"
)

func overlap(a, b kernel.Columns) bool {
	for i := 0; i < 6; i += 2 {
		if !(a[i] <= b[i+1] && b[i] <= a[i+1]) {
			return false
		}
	}
	return true
}

// widened returns a box moved outward by the reach of a walk.
func widened(w *pair.Walk, b kernel.Columns) kernel.Columns {
	for i := 0; i < 6; i += 2 {
		b[i], b[i+1] = b[i]-w.Reach, b[i+1]+w.Reach
	}
	return b
}

// pairSide returns n nodes and n packets in that kind of memory; the lanes of nodes that are packets have tight
// boxes.
func pairSide(t testing.TB, rng *rand.Rand, at kernel.Place, n int, kind testkit.BoxKind) pair.Side {
	packets, counts := kernel.RandomPackets(rng, n, kind)
	nodes, moving := kernel.RandomNodes(rng, n, kind), make([]uint16, n)
	for i := range moving {
		moving[i] = uint16(rng.Uint32()) & (1<<counts[i] - 1)
	}
	for i := range nodes {
		for l, ref := range nodes[i].Child {
			if !ref.IsPacket() {
				continue
			}
			slot := ref.Index() % uint32(n)
			nodes[i].Child[l] = ref&^soa.RefIndex | soa.Ref(slot)
			box := kernel.EmptyBox
			for k := range int(counts[slot]) {
				c := kernel.PacketBox(&packets[slot], k)
				for a := 0; a < 6; a += 2 {
					box[a], box[a+1] = min(box[a], c[a]), max(box[a+1], c[a+1])
				}
			}
			kernel.SetNodeBox(&nodes[i], l, box)
		}
	}
	return pair.Side{Nodes: kernel.Put(t, at, nodes), Packets: &soa.PacketColumns{Bounds: kernel.Put(t, at, packets), Moving: kernel.Put(t, at, moving)}}
}

var reaches = []float32{0x1p-149, 0x1p-30, 0.01, 1, 3.3, 1000}

func randomPairWalk(t testing.TB, rng *rand.Rand, at kernel.Place, n int, kind testkit.BoxKind) *pair.Walk {
	w := &pair.Walk{X: pairSide(t, rng, at, n, kind), Filter: asm.AllNodes, Every: 0xffff * rng.Uint32N(2), Self: rng.Uint32N(2)}
	w.Y = w.X
	if w.Self == 0 && rng.IntN(4) > 0 {
		w.Y = pairSide(t, rng, at, n, kind)
	}
	if rng.IntN(2) == 0 {
		w.Reach = reaches[rng.IntN(len(reaches))]
	}
	if rng.IntN(3) == 0 {
		w.Filter = asm.NodeFilter{Mask: rng.Uint32N(16), Flags: []soa.Ref{soa.RefMoving, soa.RefStatic}[rng.IntN(2)]}
	}
	return w
}

// laneTask is a task or row of one lane of each side; nodes that are opened have
// all of theirs.
type laneTask struct {
	row, x, y, lanes uint32
	within           soa.Up
}

// laneTasks splits tasks and rows into lanes.
func laneTasks(tasks []pair.Task, rows []pair.Row) (all []laneTask) {
	for _, t := range tasks {
		if t.LaneMask>>16 == 0xffff {
			all = append(all, laneTask{0, t.X, t.Y, t.LaneMask, t.Within})
			continue
		}
		for m := t.LaneMask >> 16; m != 0; m &= m - 1 {
			all = append(all, laneTask{0, t.X, t.Y, t.LaneMask&0xffff | (m&-m)<<16, t.Within})
		}
	}
	for _, r := range rows {
		all = append(all, laneTask{1, uint32(r.A), uint32(r.B), 0, 0})
	}
	slices.SortFunc(all, func(a, b laneTask) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y), cmp.Compare(a.lanes, b.lanes))
	})
	return all
}

// pairNodesRef is the expansion of one task. In one forest static objects are on the side of Y.
func pairNodesRef(w *pair.Walk, t pair.Task) []laneTask {
	var tasks []pair.Task
	var rows []pair.Row
	x, y := &w.X.Nodes[t.X], &w.Y.Nodes[t.Y]
	within := kernel.EmptyBox
	if t.Within != soa.NoParent {
		within = widened(w, kernel.NodeBox(&w.Y.Nodes[t.Within.Node()], t.Within.Lane()))
	}
	wanted := func(n *soa.Node, l int) bool {
		return n.Child[l]&w.Filter.Flags != 0 && (w.Filter.Mask == 0 || n.Mask[l]&w.Filter.Mask != 0)
	}
	for i := range soa.Fan {
		for j := range soa.Fan {
			a, b := x.Child[i], y.Child[j]
			switch {
			case t.LaneMask>>i&1 == 0, t.LaneMask>>16>>j&1 == 0, !wanted(x, i), !wanted(y, j),
				w.Self != 0 && t.X == t.Y && j < i,
				w.Every == 0 && (a|b)&soa.RefMoving == 0,
				t.Within != soa.NoParent && !overlap(kernel.NodeBox(x, i), within):
				continue
			}
			i, j, t, from, to := i, j, t, kernel.NodeBox(x, i), kernel.NodeBox(y, j)
			if w.Self != 0 && w.Every == 0 && a&soa.RefMoving == 0 {
				i, j, a, b, t.X, t.Y, from, to = j, i, b, a, t.Y, t.X, to, from
			}
			if !overlap(from, widened(w, to)) {
				continue
			}
			task := pair.Task{X: t.X, Y: t.Y, LaneMask: 1<<i | 1<<j<<16, Within: soa.NoParent}
			if (a & b).IsPacket() {
				rows = append(rows, pair.Row{A: soa.MakeUp(t.X, i), B: soa.MakeUp(t.Y, j)})
				continue
			}
			if !a.IsPacket() {
				task.X, task.LaneMask = a.Index(), task.LaneMask|0xffff
			}
			if !b.IsPacket() {
				task.Within, task.Y, task.LaneMask = soa.MakeUp(t.Y, j), b.Index(), task.LaneMask|0xffff<<16
			}
			tasks = append(tasks, task)
		}
	}
	return laneTasks(tasks, rows)
}

// Every tier: a task has the right expansion, in the order of the Go tier, within the documented room.
func TestPairNodes(t *testing.T) {
	seed := testkit.Seed(t)
	kernel.EachPlace(t, []int{1, 2, 9}, func(t *testing.T, at kernel.Place, n int) {
		rng := testkit.Rand(seed)
		for _, kind := range testkit.BoxKinds() {
			for range 10 {
				w := randomPairWalk(t, rng, at, n, kind)
				var tasks []pair.Task
				for range 5 {
					lanes := rng.Uint32()
					if rng.IntN(2) == 0 {
						lanes = 0xffffffff
					}
					task := pair.Task{X: rng.Uint32N(uint32(n)), Y: rng.Uint32N(uint32(n)), LaneMask: lanes, Within: soa.NoParent}
					if rng.IntN(2) == 0 {
						task.Within = soa.Up(rng.Uint32N(uint32(soa.Fan * n)))
					}
					if w.Self != 0 && task.X == task.Y { // all lanes of X are then in a box that contains those of Y
						task.LaneMask, task.Within = 0xffffffff, soa.NoParent
					}
					tasks = append(tasks, task)
				}
				want := pairNodesRef(w, tasks[4])
				first := *w // of the Go tier, on any tested tiers
				first.Tasks = slices.Clone(tasks)
				former, err := cpu.Force(cpu.Go)
				if err != nil {
					t.Fatal(err)
				}
				pair.Nodes(&first, 5)
				cpu.Force(former)
				testkit.EachTier(t, func(t *testing.T) {
					g := *w
					g.Tasks = kernel.Room[pair.Task](t, at, len(tasks)+soa.Fan*soa.Fan+pair.TasksStored)
					g.Tasks = g.Tasks[:copy(g.Tasks, tasks)]
					g.Rows = kernel.Room[pair.Row](t, at, soa.Fan*soa.Fan+pair.RowsStored)[:0]
					pair.NodesCall(&g, 1)
					if got := laneTasks(g.Tasks[4:], g.Rows); !slices.Equal(g.Tasks[:4], tasks[:4]) || !slices.Equal(got, want) {
						t.Fatalf("%v: %v, want %v", tasks[4], got, want)
					}
					g.Tasks, g.Rows = slices.Clone(tasks), nil
					pair.Nodes(&g, 5)
					if !slices.Equal(g.Tasks, first.Tasks) || !slices.Equal(g.Rows, first.Rows) {
						t.Fatalf("%v: %v and %v, want %v and %v", tasks, g.Tasks, g.Rows, first.Tasks, first.Rows)
					}
				})
			}
		}
	})
}

// pairPacketsRef returns the hits of one row.
func pairPacketsRef(w *pair.Walk, r pair.Row) (hits []pair.Hit) {
	a := w.X.Nodes[r.A.Node()].Child[r.A.Lane()].Index()
	b := w.Y.Nodes[r.B.Node()].Child[r.B.Lane()].Index()
	near := widened(w, kernel.NodeBox(&w.Y.Nodes[r.B.Node()], r.B.Lane())) // the box of the packet
	for i := range soa.Lanes {
		h := pair.Hit{A: soa.MakeLocation(a, i), B: b}
		for j := range soa.Lanes {
			static := w.X.Packets.Moving[a]>>i&1 == 0 && w.Y.Packets.Moving[b]>>j&1 == 0
			if overlap(kernel.PacketBox(&w.X.Packets.Bounds[a], i), near) && overlap(widened(w, kernel.PacketBox(&w.X.Packets.Bounds[a], i)), kernel.PacketBox(&w.Y.Packets.Bounds[b], j)) &&
				!(w.Self != 0 && r.A == r.B && j <= i) && (w.Every != 0 || !static) {
				h.Mask |= 1 << j
			}
		}
		if h.Mask != 0 {
			hits = append(hits, h)
		}
	}
	return hits
}

// randomRows returns n rows of lanes of Y that are packets, and of lanes of X that are
// packets or of any.
func randomRows(rng *rand.Rand, w *pair.Walk, n int, packets bool) (rows []pair.Row) {
	for range n {
		r := pair.Row{A: soa.Up(rng.Uint32N(uint32(soa.Fan * len(w.X.Nodes)))), B: soa.Up(rng.Uint32N(uint32(soa.Fan * len(w.Y.Nodes))))}
		if w.Y.Nodes[r.B.Node()].Child[r.B.Lane()].IsPacket() && (!packets || w.X.Nodes[r.A.Node()].Child[r.A.Lane()].IsPacket()) {
			rows = append(rows, r)
		}
	}
	return rows
}

// Every tier: rows become the right hits, in calls of any size and within the documented room.
func TestPairPackets(t *testing.T) {
	seed := testkit.Seed(t)
	kernel.EachPlace(t, []int{1, 2, 9}, func(t *testing.T, at kernel.Place, n int) {
		rng := testkit.Rand(seed)
		for _, kind := range testkit.BoxKinds() {
			for range testkit.Again(20, 5) {
				w := randomPairWalk(t, rng, at, n, kind)
				rows := randomRows(rng, w, rng.IntN(40), true)
				var want []pair.Hit
				for _, r := range rows {
					want = append(want, pairPacketsRef(w, r)...)
				}
				testkit.EachTier(t, func(t *testing.T) {
					for _, step := range []int{1, 3, len(rows)} {
						g := *w
						g.Rows = kernel.Put(t, at, rows)
						g.Notes(&kernel.Room[pair.Notes](t, at, 1)[0])
						var got []pair.Hit
						for ; g.Head < len(g.Rows); g.Head += step {
							g.Hits = kernel.Room[pair.Hit](t, at, step*soa.Lanes)[:0]
							pair.PacketsCall(&g, min(step, len(g.Rows)-g.Head))
							got = append(got, g.Hits...)
						}
						if !slices.Equal(got, want) {
							t.Fatalf("%v, %d at a time: %v, want %v", rows, step, got, want)
						}
					}
					g := *w
					g.Rows = slices.Clone(rows)
					pair.Packets(&g)
					if !slices.Equal(g.Hits, want) || len(g.Rows) != 0 || g.Head != 0 {
						t.Fatalf("%v: %v, want %v", rows, g.Hits, want)
					}
				})
			}
		}
	})
}

// A call of as many rows as it may take, in which all boxes overlap, fills its notes and its results to the last.
func TestPairPacketsFull(t *testing.T) {
	const rows = pair.PacketsPerCall
	side := pair.Side{Nodes: make([]soa.Node, 1), Packets: &soa.PacketColumns{Moving: make([]uint16, soa.Fan)}}
	side.Packets.Bounds = make([]soa.Packet, soa.Fan) // every box is the origin
	for l := range soa.Fan {
		side.Nodes[0].Child[l] = soa.PacketRef(uint32(l))
	}
	kernel.EachPlace(t, []int{rows}, func(t *testing.T, at kernel.Place, n int) {
		testkit.EachTier(t, func(t *testing.T) {
			w := pair.Walk{X: side, Y: side, Every: 0xffff, Rows: make([]pair.Row, n)}
			for i := range w.Rows {
				w.Rows[i] = pair.Row{A: soa.MakeUp(0, i%soa.Fan), B: soa.MakeUp(0, i/soa.Fan%soa.Fan)}
			}
			w.Notes(&kernel.Room[pair.Notes](t, at, 1)[0])
			w.Hits = kernel.Room[pair.Hit](t, at, n*soa.Lanes)[:0]
			pair.PacketsCall(&w, n)
			if len(w.Hits) != n*soa.Lanes || pair.CountHits(w.Hits) != n*soa.Lanes*soa.Lanes {
				t.Fatalf("%d pairs in %d hits, want %d in %d", pair.CountHits(w.Hits), len(w.Hits), n*soa.Lanes*soa.Lanes, n*soa.Lanes)
			}
		})
	})
}

// Rows of pairs are taken from the first one on, tasks from the last.
func TestPairBudgets(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	w := randomPairWalk(t, rng, kernel.Heap, 5, testkit.BoxesSmall)
	for i := range w.X.Nodes {
		for l := range soa.Fan {
			w.X.Nodes[i].Child[l] = soa.PacketRef(rng.Uint32N(5))
			w.Y.Nodes[i].Child[l] = soa.PacketRef(rng.Uint32N(5))
		}
	}
	for _, most := range []int{1, 7, pair.NodesPerCall, pair.NodesPerCall + 1} {
		testkit.EachTier(t, func(t *testing.T) {
			g := *w
			g.Rows, g.Tasks = nil, make([]pair.Task, 3*pair.NodesPerCall)
			pair.Nodes(&g, most) // packets alone, which become rows
			if taken := 3*pair.NodesPerCall - len(g.Tasks); taken != min(most, pair.NodesPerCall) {
				t.Fatalf("%d tasks taken, want %d", taken, min(most, pair.NodesPerCall))
			}
		})
	}
	rows := randomRows(rng, w, 3*pair.PacketsPerCall/2, true)
	for _, take := range []func(*pair.Walk){pair.Packets, pair.Objects} {
		testkit.EachTier(t, func(t *testing.T) {
			g := *w
			g.Rows = slices.Clone(rows)
			if take(&g); g.Head != pair.PacketsPerCall || len(g.Rows) != len(rows) {
				t.Fatalf("%d of %d rows taken, want %d", g.Head, len(g.Rows), pair.PacketsPerCall)
			}
			if take(&g); g.Head != 0 || len(g.Rows) != 0 {
				t.Fatalf("%d of %d rows taken, want all", g.Head, len(g.Rows))
			}
		})
	}
}
