package picture

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// The animation: objects are inserted, some of them outside the world, and removed.
const (
	animationKind = "animation"

	animationSide    = 64 // side of the first world, a power of two
	animationFill    = 16 // steps with insertions inside the world
	animationInsert  = 26 // objects inserted in a step
	animationOutside = 4  // steps with insertions outside the world
	animationRemove  = 56 // objects removed in a step
	animationLeft    = 30 // objects at the end
)

// animation draws the animation of a small tree, which depends only on the seed.
func (d *drawer) animation(e *command.Env) error {
	f, err := grow(d.source.Seed)
	if err != nil {
		return err
	}
	f.About = fmt.Sprintf("the library's own steps: a tick after each, seed %d, from above", d.source.Seed)
	f.Width = d.width
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		return err
	}
	return d.write(e, b.Bytes())
}

// grow returns the states of a tree that splits, grows and merges.
func grow(seed uint64) (*show.Animation, error) {
	tree, err := linear.New(linear.Config{
		World: soa.AABB{Max: [3]float32{animationSide - 1, animationSide - 1, animationSide - 1}}, Policy: linear.PolicyIncremental, Workers: 1,
	})
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(seed, 22))
	f := &show.Animation{Step: 0.9}
	var ids []uint32
	step := func(caption string, do func() error) error {
		if err := do(); err != nil {
			return err
		}
		if err := tree.Tick(); err != nil {
			return err
		}
		f.Add(tree, caption)
		return nil
	}
	// insert inserts objects in a square with the lower corner x, y.
	insert := func(x, y, side float64) error {
		for range animationInsert {
			var b soa.AABB
			for a, low := range [2]float64{x, y} {
				at, edge := low+float64((side-1.6)*r.Float64()), 0.5+float64(1.1*r.Float64())
				b.Min[a], b.Max[a] = float32(at), float32(at+edge)
			}
			id, err := tree.Insert(soa.Object{Box: b, Mask: 1})
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
		return nil
	}
	for i := range animationFill {
		side := float64(animationSide) / 2
		if i%3 == 0 { // a dense cluster in a corner, for cells of several levels
			side /= 2
		}
		x, y := float64((animationSide-side)*r.Float64()), float64((animationSide-side)*r.Float64())
		if err := step(fmt.Sprintf("%d inserted", animationInsert), func() error { return insert(x, y, side) }); err != nil {
			return nil, err
		}
	}
	for i := range animationOutside {
		x, y := animationSide*1.05, 0.0
		if i%2 > 0 {
			x, y = y, x
		}
		if err := step(fmt.Sprintf("%d inserted outside", animationInsert), func() error { return insert(x, y, animationSide*0.8) }); err != nil {
			return nil, err
		}
	}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for len(ids) > animationLeft {
		n := min(animationRemove, len(ids)-animationLeft)
		removed := ids[:n]
		if err := step(fmt.Sprintf("%d removed", n), func() error { return tree.RemoveBatch(removed) }); err != nil {
			return nil, err
		}
		ids = ids[n:]
	}
	return f, tree.Validate()
}
