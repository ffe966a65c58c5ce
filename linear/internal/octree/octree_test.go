package octree

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// newTestTree returns an empty tree.
func newTestTree(t *testing.T, cfg Config) *Tree {
	t.Helper()
	tree := new(Tree)
	testkit.Must(t, tree.Begin(cfg))
	return tree
}

// insertAll inserts objects and returns their IDs: as a build into an empty tree, else as pending ones.
func insertAll(t *testing.T, tree *Tree, objects []soa.Object) (ids []uint32) {
	t.Helper()
	centres, union, bad := tree.Survey(objects)
	if bad >= 0 {
		t.Fatalf("object %d is not valid", bad)
	}
	if tree.IDs.Len() > 0 {
		return tree.InsertMore(nil, objects, nil, centres, union)
	}
	testkit.Must(t, tree.Build(nil, objects, nil, centres, union, BuildParams{Frozen: tree.Config.Frozen}))
	for i := range objects {
		ids = append(ids, uint32(i))
	}
	return ids
}

// check fails the test if the tree is not sound.
func check(t *testing.T, tree *Tree) {
	t.Helper()
	testkit.Must(t, tree.Validate(MaxErrors))
}

// A tree holds as many objects as a build can sort, exact to one object.
func TestMostObjects(t *testing.T) {
	tree := &Tree{}
	for _, live := range []int{0, 1, 500} {
		for range live - tree.IDs.Len() {
			tree.IDs.New(unplacedLocation)
		}
		room := radix.MaxLen - live
		if err := tree.Admits(room); err != nil {
			t.Errorf("%d objects and %d more: %v", live, room, err)
		}
		if err := tree.Admits(room + 1); !errors.Is(err, soa.ErrFull) {
			t.Errorf("%d objects and %d more: error %v, want %v", live, room+1, err, soa.ErrFull)
		}
	}
}

// Products of counts are equal with an int of 32 bits and of 64 bits.
func TestCountsOf32Bits(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	product := func(x, y int64) *big.Int { return new(big.Int).Mul(big.NewInt(x), big.NewInt(y)) }
	for range 10_000 {
		n, all, percent := r.Int32(), r.Int32(), r.Int32N(101)
		if r.IntN(2) == 0 { // at the limit, or next to it
			n = int32(int64(percent)*int64(all)/100) + r.Int32N(2)
		}
		want := product(100, int64(n)).Cmp(product(int64(percent), int64(all))) >= 0
		if narrow, wide := reaches(n, percent, all), reaches(int(n), int(percent), int(all)); narrow != want || wide != want {
			t.Fatalf("%d are %d %% of %d: %v and %v, want %v", n, percent, all, narrow, wide, want)
		}
		height := uint8(r.Uint32N(256))
		most := product(int64(n), 2*soa.Fan+int64(height))
		if room := big.NewInt(soa.MaxSlots + 1); most.Cmp(room) > 0 {
			most = room
		}
		if narrow, wide := mostSplits(n, height), mostSplits(int(n), height); int64(narrow) != most.Int64() || int64(wide) != most.Int64() {
			t.Fatalf("%d insertions, height %d: %d and %d splits, want %d", n, height, narrow, wide, most)
		}
	}
}

// A batch of moves leaves the lanes of packets exact, so that a refit only updates the nodes above; for an ID
// that is in the batch twice, the last box counts. This also holds after far objects are inserted and removed,
// and on each tier.
func TestMovedLanes(t *testing.T) {
	for _, scene := range testkit.Scenes() {
		testkit.EachTier(t, func(t *testing.T) {
			r := testkit.Rand(1)
			objects := scene.Make(3000, 1)
			tree := newTestTree(t, Config{Policy: PolicyIncremental, Log: true})
			ids := insertAll(t, tree, objects)
			boxes := make([]soa.AABB, len(objects))
			for i := range objects {
				boxes[i] = objects[i].Box
			}
			for round := range testkit.Budget(t, 4, 40) {
				tree.Refit()
				var movers []uint32
				var to []soa.AABB
				for range 200 + 300*(round%2) {
					id := ids[r.IntN(len(ids))]
					box := boxes[id]
					if round%4 > 0 { // else it stays unchanged
						for a := range 3 {
							by := (r.Float32() - 0.5) * float32(round)
							box.Min[a], box.Max[a] = box.Min[a]+by, box.Max[a]+by
						}
					}
					if round == 5 && r.IntN(20) == 0 {
						box = testkit.Cube(1e7, 0, 0, 1)
					}
					if round == 7 && box.Min[0] > 1e6 {
						box = objects[id].Box
					}
					if box.Check() != nil {
						continue
					}
					boxes[id] = box
					movers, to = append(movers, id), append(to, box)
				}
				testkit.Must(t, tree.moveUnflushed(movers, to))
				for _, id := range movers {
					slot, lane := tree.Locate(id)
					if box := tree.Store.Packets.Box(slot, lane); box != boxes[id] {
						t.Fatalf("%s, round %d: object %d has the box %v, was given %v", scene.Name, round, id, box, boxes[id])
					}
				}
				checkMovedLanes(t, tree)
				check(t, tree)
				if round%3 == 2 {
					testkit.Must(t, tree.EndFrame())
				}
			}
		})
	}
}

// moveUnflushed moves objects and leaves displaced objects in their packets, for any number of them.
func (t *Tree) moveUnflushed(ids []uint32, boxes []soa.AABB) error {
	to := Bodies{Boxes: boxes}
	m, _ := t.SurveyMoves(&to)
	t.BeginChange()
	if t.IsWhole(ids) {
		return t.MakeWhole(ids, &to, m)
	}
	t.CountMoves(ids, &to, m)
	var d Deferred
	d.AddBatch(t, ids, &to, d.Follow(t, ids))
	return t.MakeMoves(&d)
}

// checkMovedLanes compares the lanes of packets that need no refit with their boxes.
func checkMovedLanes(t *testing.T, tree *Tree) {
	t.Helper()
	s := tree.Store
	for slot, up := range s.Packets.Parents {
		if up == soa.NoParent || tree.Dirty.Has(uint32(slot)) {
			continue
		}
		tight := soa.Empty()
		for l := range int(s.Packets.Counts[slot]) {
			tight = tight.Union(s.Packets.Box(uint32(slot), l))
		}
		if box := LaneBox(&s.Nodes.Hot[up.Node()], up.Lane()); box != tight {
			t.Fatalf("slot %d is in a lane with the box %v, holds %v", slot, box, tight)
		}
	}
	if n := tree.Dirty.Len(); n > tree.Pending { // a far object has been removed from each of these packets
		t.Fatalf("%d packets are to be refitted, %d objects are pending", n, tree.Pending)
	}
}

// deepTree is a tree whose height exceeds the length of a trail: of many cells, each for a few objects.
func deepTree(t *testing.T, n int) *Tree {
	t.Helper()
	tree := newTestTree(t, Config{Policy: PolicyIncremental, SplitAbove: 2, PendingMin: 1 << 20})
	r := testkit.Rand(1)
	objects := make([]soa.Object, n)
	for i := range objects {
		at := math.Ldexp(1, -i*40/n) // around a corner
		for a := range 3 {
			x := float32(at * (1 + r.Float64()))
			objects[i].Box.Min[a], objects[i].Box.Max[a] = x, x
		}
	}
	for part := range slices.Chunk(objects, 100) {
		insertAll(t, tree, part)
		testkit.Must(t, tree.Flush())
	}
	return tree
}

// A trail leads ascending keys, at any distance, to their cells.
func TestTrail(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	s := deepTree(t, 20_000).Store
	above := 0
	for steps := range uint64(60) {
		way, at := newTrail(), uint64(0)
		for range 200 {
			got, end := way.cell(s, at)
			if want := LastCell(s, at); got != want {
				t.Fatalf("key %#x: cell %d, want %d", at, got, want)
			}
			last := min(end-1, uint64(morton.MaxKey))
			if last < at || LastCell(s, last) != got || last < uint64(morton.MaxKey) && LastCell(s, end) == got {
				t.Fatalf("key %#x: cell %d up to the key %#x, where it is %d, and then %d", at, got, last, LastCell(s, last), LastCell(s, end))
			}
			above = max(above, way.last)
			if at = at + r.Uint64N(1<<steps); at > uint64(morton.MaxKey) {
				break
			}
		}
	}
	if above < 2 {
		t.Errorf("cells are %d nodes below the root", above)
	}
}

// laneOf is the last lane whose first key is not larger.
func TestLaneOf(t *testing.T) {
	for used := 1; used <= soa.Fan; used++ {
		keys := soa.NoKeys
		for l := range used {
			keys[l] = uint64(10 * l)
		}
		for key := range uint64(10*used + 5) {
			if got, want := laneOf(&keys, key), min(int(key/10), used-1); got != want {
				t.Fatalf("%d lanes, key %d: lane %d, want %d", used, key, got, want)
			}
		}
	}
}

// A flush that splits many cells puts each object into the cell of its key, also the objects whose cell was
// found before it was split.
func TestFlushIntoPartedCells(t *testing.T) {
	for number, sc := range scene.All() {
		objects := sc.Make(6000, 1)
		for _, c := range testkit.Turn(t, number, []struct {
			built  int
			frozen bool
		}{{600, false}, {2000, false}, {4000, false}, {600, true}, {4000, true}}) {
			tree := newTestTree(t, Config{Policy: PolicyIncremental, PendingMin: 1 << 20})
			insertAll(t, tree, objects[:c.built])
			testkit.Must(t, tree.Rebuild(nil, BuildParams{Frozen: c.frozen}))
			for i := range objects[c.built:] {
				tree.InsertOne(&objects[c.built+i], &NoSphere)
			}
			testkit.Must(t, tree.Flush())
			for id := range uint32(tree.IDs.Len()) {
				slot, lane := tree.Locate(id)
				box := tree.Store.Packets.Box(slot, lane)
				cell := tree.Store.Nodes.Cells[tree.cellAbove(slot)]
				if key := tree.Code.Key(&box); key < cell.Low || key > cell.High {
					t.Fatalf("%s, frozen %v: object %d has the key %#x and is in the cell of %#x to %#x", sc.Name, c.frozen, id, key, cell.Low, cell.High)
				}
			}
			check(t, tree)
		}
	}
}

// One ID is not that of a live object, or not the next number, at any index of batches of all small sizes.
func TestListsOfIDs(t *testing.T) {
	const n = 300
	tree := newTestTree(t, Config{})
	for range n {
		tree.IDs.New(soa.NoLocation)
	}
	for _, full := range []bool{true, false} {
		if !full {
			tree.IDs.Free(17)
		}
		for size := range 12 {
			ids := make([]uint32, size)
			for i := range ids {
				ids[i] = uint32(n - size + i)
			}
			if dead := tree.FirstDead(ids); dead != size || !areFrom(uint32(n-size), ids) {
				t.Fatalf("%d live consecutive IDs: the first dead one is %d, consecutive %v", size, dead, areFrom(uint32(n-size), ids))
			}
			for i, good := range ids {
				for _, bad := range []uint32{17, n, n + 1, 1 << 31, soa.None} {
					ids[i] = bad
					want := i
					if full && bad == 17 {
						want = size
					}
					if dead := tree.FirstDead(ids); dead != want || areFrom(uint32(n-size), ids) {
						t.Fatalf("ID %d at index %d of %d: the first dead one is %d, consecutive %v", bad, i, size, dead, areFrom(uint32(n-size), ids))
					}
				}
				ids[i] = good
			}
		}
	}
}
