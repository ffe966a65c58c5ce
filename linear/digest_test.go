package linear_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/bits"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// digestStory is a tree under random changes that are the same on every machine.
type digestStory struct {
	name    string
	cfg     linear.Config
	n       int // approximate number of objects
	rounds  int
	steps   int  // operations of a round
	leaving bool // whether every fourth round removes nearly all objects
	regions bool // whether objects are also removed by region
}

func digestStories() (stories []digestStory) {
	for i, cfg := range modelConfigs {
		stories = append(stories,
			digestStory{fmt.Sprintf("config %d small", i), cfg, 30, 4, 60, false, false},
			digestStory{fmt.Sprintf("config %d medium", i), cfg, 400, 4, 60, false, false},
			digestStory{fmt.Sprintf("config %d regions", i), cfg, 400, 2, 60, false, true})
	}
	loose := linear.Config{PendingMin: 50, PendingShare: 1 << 20}
	refined := linear.Config{PendingMin: 50, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, Slack: 20, SplitAbove: 12}
	still := linear.Config{Policy: linear.PolicyIncremental}
	large := map[string]linear.Config{"default": {}, "refined": refined}
	if testkit.Again(true, false) {
		large["late"], large["incremental"] = loose, still
	}
	for name, cfg := range large {
		stories = append(stories, digestStory{name + " large", cfg, 5000, testkit.Again(8, 4), 40, true, false})
	}
	return stories
}

// tell runs the story and calls look after each round.
func (d *digestStory) tell(t testing.TB, look func(round int, tree *linear.Tree)) {
	m := newModel(t, d.cfg, uint64(d.n), 300)
	m.regions = d.regions
	for round := range d.rounds {
		if d.leaving && round%4 == 3 {
			for len(m.ids) > d.n/20 {
				id := m.pick()
				must(t, m.tree.Remove(id))
				m.forget(id)
			}
			tick(t, m.tree)
		}
		for range d.steps {
			m.step(t, d.n)
		}
		look(round, m.tree)
	}
}

// formerNames gives the counts of Work the names that they had when the digests were written.
var formerNames = strings.NewReplacer("Placed:", "Homed:", "Views:", "Looked:", "RemovedOutside:", "Departed:")

// digests is a line for each round of each story: sizes, to locate a difference, and a hash of all stored data
// and of the work of the last tick; if not all, for every second round.
func digests(t testing.TB, all bool) map[string]string {
	lines := map[string]string{}
	for _, d := range digestStories() {
		d.tell(t, func(round int, tree *linear.Tree) {
			v, h := tree.View(), fnv.New64a() // the view is a call of the story
			if !all && round%2 == 0 {
				return
			}
			fmt.Fprint(h, dump(tree, v.Store()))
			work := formerNames.Replace(fmt.Sprintf("%+v", tree.Work()))
			fmt.Fprint(h, strings.Replace(work, " Departed:0", "", 1)) // the file predates the field
			st := tree.Stats()
			lines[fmt.Sprintf("%s %d", d.name, round)] = fmt.Sprintf("objects %d pending %d nodes %d packets %d hash %016x",
				st.Objects, st.Pending, st.Nodes, st.Packets, h.Sum64())
		})
	}
	return lines
}

// A tree is a function of its calls alone. These trees equal the trees in the file, on every machine. Any
// change of a decision about the layout is deliberate, made with -update, since it would break replicas that
// replay calls.
func TestDigests(t *testing.T) {
	if testkit.RaceEnabled {
		t.Skip("one goroutine, told without the race detector, too")
	}
	all := *update || testkit.Long(t)
	golden(t, "testdata/digests.txt", digests(t, all), all)
}

// golden compares named lines, all or some, with the lines of a file, or writes the file.
func golden(t *testing.T, file string, lines map[string]string, all bool) {
	t.Helper()
	if *update && all {
		var text strings.Builder
		for _, name := range slices.Sorted(maps.Keys(lines)) {
			fmt.Fprintf(&text, "%s: %s\n", name, lines[name])
		}
		must(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	text, err := os.ReadFile(file)
	must(t, err)
	seen := 0
	for line := range strings.Lines(string(text)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), ": ")
		got, told := lines[name]
		if told {
			seen++
		}
		if (told || all) && got != want {
			t.Errorf("%s: %s, it was %s", name, got, want)
		}
	}
	if seen != len(lines) {
		t.Errorf("%d lines in %s, %d trees", seen, file, len(lines))
	}
}

// digestOf is the documented digest, object by object.
func digestOf(tree *linear.Tree) (sum uint64) {
	for id, o := range tree.All() {
		h := uint64(0)
		word := func(low, high uint32) {
			h = (bits.RotateLeft64(h, 23) ^ (uint64(high)<<32 + uint64(low))) * 0x9e3779b97f4a7c15
		}
		floats := func(f ...float32) {
			for pair := range slices.Chunk(f, 2) {
				word(math.Float32bits(pair[0]+0), math.Float32bits(pair[1]+0))
			}
		}
		handle, _ := tree.Handle(id)
		sphere, ball := tree.Sphere(id)
		b, turned := tree.Oriented(id)
		kind := uint32(0)
		for i, is := range []bool{o.Static, ball, turned} {
			if is {
				kind |= 1 << i
			}
		}
		word(id, handle.Gen)
		for a := range 3 {
			floats(o.Box.Min[a], o.Box.Max[a])
		}
		word(o.Mask, kind)
		if ball {
			floats(sphere[:]...)
		}
		if turned {
			floats(slices.Concat(b.Center[:], b.Axes[0][:], b.Axes[1][:], b.Axes[2][:])...)
		}
		h ^= h >> 32
		h *= 0xd6e8feb86659fd93
		sum += h ^ h>>32
	}
	return sum
}

// The digest equals its documented definition, after any history, and equals the digest of a tree that reached
// the same objects in another way.
func TestDigestByID(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range replayConfigs() {
		cfg.Workers = 1
		tree := newTree(t, cfg)
		s := newScript(cfg, tree, seed+uint64(i))
		for range testkit.Budget(t, 20, 300) {
			var b linear.Batch
			s.record(&b, s.batch(true))
			_, err := tree.Apply(&b)
			must(t, err)
			s.placed(t)
			digest := tree.Digest()
			if want := digestOf(tree); digest != want {
				t.Fatalf("config %d: digest %#x, want %#x", i, digest, want)
			}
			other := tree.Clone()
			rebuild(t, other, i%2 == 0)
			if other.Digest() != digest {
				t.Fatalf("config %d: digest %#x, rebuilt %#x", i, digest, other.Digest())
			}
		}
		testkit.Allocs(t, 20, func() { tree.Digest() })
	}
}

// The digest depends on every part of an object, and on the generations of IDs.
func TestDigestDiffers(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(4))
	must(t, tree.SetSphere(1, [4]float32{1.25, 0.25, 0.25, 0.125}))
	seen := map[uint64]string{tree.Digest(): "as it was"}
	o, _ := tree.Object(5)
	c := o.Box.Center()
	changes := map[string]func(c *linear.Tree) error{
		"mask":   func(c *linear.Tree) error { return c.SetMask(5, o.Mask+1) },
		"static": func(c *linear.Tree) error { return c.SetStatic(5, !o.Static) },
		"moved back": func(c *linear.Tree) error { // drops its sphere
			b, _ := c.Object(1)
			return c.Move(1, b.Box)
		},
		"another sphere": func(t *linear.Tree) error { return t.SetSphere(1, [4]float32{1.25, 0.25, 0.25, 0.0625}) },
		"sphere":         func(t *linear.Tree) error { return t.SetSphere(5, [4]float32{c[0], c[1], c[2], 0}) },
		"oriented":       func(t *linear.Tree) error { return t.SetOriented(5, soa.OrientedBox{Center: c}) },
		"removed":        func(t *linear.Tree) error { return t.Remove(5) },
		"anew": func(t *linear.Tree) error {
			must2 := t.Remove(5)
			_, err := t.Insert(o)
			if must2 != nil {
				return must2
			}
			return err
		},
	}
	for a := range 6 {
		box := o.Box
		if a < 3 {
			box.Min[a] = math.Nextafter32(box.Min[a], -9)
		} else {
			box.Max[a-3] = math.Nextafter32(box.Max[a-3], 9)
		}
		changes["side "+string(rune('0'+a))] = func(t *linear.Tree) error { return t.Move(5, box) }
	}
	for a := range 12 {
		b := soa.OrientedBox{Center: c, Axes: [3][3]float32{{0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}}}
		if a < 3 {
			b.Center[a] += 0.01
		} else if a%4 == 3 {
			b.Axes[(a-3)/3][(a-3)%3] = 0.05
		} else {
			continue
		}
		changes["oriented "+string(rune('a'+a))] = func(t *linear.Tree) error { return t.SetOriented(5, b) }
	}
	for name, change := range changes {
		other := tree.Clone()
		must(t, change(other))
		if same, is := seen[other.Digest()]; is {
			t.Errorf("%s has the digest of %s", name, same)
		}
		seen[other.Digest()] = name
	}
	swapped := tree.Clone()
	p, _ := tree.Object(6)
	must(t, swapped.MoveBatch([]uint32{5, 6}, []soa.AABB{p.Box, o.Box}))
	if _, is := seen[swapped.Digest()]; is {
		t.Error("who has which box is nothing to the digest")
	}
	// The number is the same on all machines.
	if got, want := tree.Digest(), uint64(0x2de83778dac9c8f7); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}

// A checkpoint and the later records are sufficient: a copy of the tree, made at any time, becomes the present
// tree by the later batches, to the last bit, after each of them.
func TestCheckpointAndLog(t *testing.T) {
	seed := testkit.Seed(t)
	for i, cfg := range replayConfigs() {
		tree := newTree(t, cfg)
		s := newScript(cfg, tree, seed+uint64(i))
		var log [][]byte
		var states []string
		copies := map[int]*linear.Tree{}
		for frame := range testkit.Budget(t, 25, 250) {
			if s.r.IntN(12) == 0 {
				copies[frame] = tree.Clone()
			}
			var b linear.Batch
			s.record(&b, s.batch(true))
			log = append(log, encode(t, &b))
			_, err := tree.Apply(&b)
			must(t, err)
			states = append(states, linear.StateOf(tree))
			s.placed(t)
		}
		for from, tree := range copies {
			var b linear.Batch
			for frame := from; frame < len(log); frame++ {
				must(t, b.UnmarshalBinary(log[frame]))
				_, err := tree.Apply(&b)
				must(t, err)
				if linear.StateOf(tree) != states[frame] {
					t.Fatalf("config %d: the copy of frame %d is another tree after frame %d:\n%s\nwant\n%s", i, from, frame, linear.StateOf(tree), states[frame])
				}
			}
		}
	}
}

// A map of the objects that follows the change log equals the tree, after operations of every kind. It starts
// again when the log has dropped its changes.
func TestChanges(t *testing.T) {
	seed := testkit.Seed(t)
	steps := 3000
	if !testkit.Long(t) {
		steps = 600
	}
	for k, cfg := range modelConfigs {
		cfg.Log = true
		m := newModel(t, cfg, seed+uint64(k), 100)
		mirror := map[uint32]soa.Object{}
		var at uint64
		read, missed := 0, 0
		tree := m.tree
		for range steps {
			m.step(t, 40)
			changes, next, ok := m.tree.View().Changes(at)
			if m.tree != tree {
				tree, ok = m.tree, false
			}
			if next < at {
				t.Fatalf("number %d after %d", next, at)
			}
			if !ok {
				missed++
				clear(mirror)
				for id, o := range m.tree.All() {
					mirror[id] = o
				}
			}
			for _, c := range changes {
				read++
				if c.Removed {
					delete(mirror, c.ID)
				} else {
					mirror[c.ID] = c.Object
				}
			}
			at = next
			if len(mirror) != len(m.live) {
				t.Fatalf("%d objects by the log, want %d, after %v", len(mirror), len(m.live), m.log)
			}
			for id, o := range m.live {
				if mirror[id] != o {
					t.Fatalf("object %d is %v by the log, want %v, after %v", id, mirror[id], o, m.log)
				}
			}
		}
		if missed > steps/20 || read < steps {
			t.Errorf("config %d: %d changes read, the log was of no use %d times in %d", k, read, missed, steps)
		}
		if s := m.tree.Stats(); s.Log < 8*s.Objects {
			t.Errorf("config %d: %d bytes of log for %d objects", k, s.Log, s.Objects)
		}
	}
}

// A tree without a log has no changes. A tick that drops changes that a view may have returned invalidates the
// view.
func TestChangesNone(t *testing.T) {
	tree := newTree(t, linear.Config{})
	insert(t, tree, grid(2))
	if c, next, ok := tree.View().Changes(0); ok || next != 0 || c != nil {
		t.Errorf("changes without a log: %v, %d, %v", c, next, ok)
	}
	tree = newTree(t, linear.Config{Log: true})
	insert(t, tree, grid(2))
	must(t, tree.SetMask(1, 5))
	must(t, tree.Tick())
	v := tree.View()
	must(t, tree.Tick())
	if testkit.Panic(func() { v.Changes(0) }) == nil {
		t.Error("a view outlived the changes that it handed out")
	}
}
