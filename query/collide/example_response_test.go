package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/collide"
)

// The types of objects in the game, as bits of the type masks.
const (
	wallBit = 1 << iota
	crateBit
	rocketBit
	blastBit
)

// game is a world in which rockets explode.
type game struct {
	tree    *linear.Tree
	pairs   []collide.Pair
	changes linear.Batch
	spent   map[uint32]bool // objects removed in this frame
}

func cubeBox(x, y, half float32) linear.AABB {
	return linear.AABB{Min: [3]float32{x - half, y - half, 0}, Max: [3]float32{x + half, y + half, 2 * half}}
}

// frame handles the pairs of a frame and applies the resulting changes. While pairs are handled the tree
// does not change, so each pair is handled exactly once; inserted objects take part from the next frame on.
func (g *game) frame() error {
	g.pairs = collide.Append(g.pairs[:0], collide.Within(g.tree.View()), collide.Filter{})
	g.changes.Reset()
	clear(g.spent)
	for _, p := range g.pairs {
		a, _ := g.tree.Object(p.A)
		b, _ := g.tree.Object(p.B)
		if a.Mask > b.Mask { // the smaller bit first: half the cases
			p.A, p.B, a, b = p.B, p.A, b, a
		}
		if a.Mask == rocketBit {
			g.explode(p.A, a.Box.Center())
		}
		if b.Mask == rocketBit {
			g.explode(p.B, b.Box.Center())
		}
		if a.Mask == crateBit && b.Mask == blastBit { // pushed away by the blast
			by := a.Box.Center()[0] - b.Box.Center()[0]
			g.changes.Move(p.A, collide.Displace(a.Box, [3]float32{by, 0, 0}).To)
		}
	}
	for id, o := range g.tree.All() {
		if o.Mask == blastBit { // the blast has lasted a frame
			g.changes.Remove(id)
		}
	}
	_, err := g.tree.Apply(&g.changes)
	if err == nil {
		err = g.tree.Tick()
	}
	return err
}

// explode replaces a rocket by a blast, once, however many objects it hits.
func (g *game) explode(rocket uint32, at [3]float32) {
	if g.spent[rocket] {
		return
	}
	g.spent[rocket] = true
	g.changes.Remove(rocket)
	g.changes.Insert(linear.Object{Box: cubeBox(at[0], at[1], 3), Mask: blastBit})
}

// A rocket hits two crates at once and becomes a blast, which pushes them apart
// in the next frame.
func Example_response() {
	g := game{spent: map[uint32]bool{}}
	g.tree, _ = linear.New(linear.Config{})
	g.tree.InsertBatch(nil, []linear.Object{
		{Box: cubeBox(0, 10, 1), Mask: wallBit, Static: true},
		{Box: cubeBox(-1, 0, 0.75), Mask: crateBit},
		{Box: cubeBox(1, 0, 0.75), Mask: crateBit},
		{Box: cubeBox(0, 0, 0.5), Mask: rocketBit},
	})
	for frame := range 4 {
		fmt.Print("frame ", frame, ":")
		for _, o := range g.tree.All() {
			switch o.Mask {
			case crateBit:
				fmt.Print(" crate at ", o.Box.Center()[0])
			case rocketBit:
				fmt.Print(" rocket")
			case blastBit:
				fmt.Print(" blast")
			}
		}
		fmt.Println()
		if err := g.frame(); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// frame 0: crate at -1 crate at 1 rocket
	// frame 1: crate at -1 crate at 1 blast
	// frame 2: crate at -2 crate at 2
	// frame 3: crate at -2 crate at 2
}
