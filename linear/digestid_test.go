package linear_test

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

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
		for frame := range testkit.Budget(t, 40, 250) {
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
