package picture

import (
	"fmt"
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/must"
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
func (d *drawer) animation(e *command.Env) {
	f := grow(d.source.Seed)
	f.About = fmt.Sprintf("the library's own steps: a tick after each, seed %d, from above", d.source.Seed)
	f.Width = d.width
	d.write(e, f)
}

// grow returns the states of a tree that splits, grows and merges.
func grow(seed uint64) *show.Animation {
	tree := must.Get(linear.New(linear.Config{
		World: soa.AABB{Max: [3]float32{animationSide - 1, animationSide - 1, animationSide - 1}}, Policy: linear.PolicyIncremental, Workers: 1,
	}))
	r := rand.New(rand.NewPCG(seed, 22))
	f := &show.Animation{Step: 0.9}
	var ids []uint32
	step := func(caption string, do func()) {
		do()
		must.Do(tree.Tick())
		f.Add(tree, caption)
	}
	// insert inserts objects in a square with the lower corner x, y.
	insert := func(x, y, side float64) {
		for range animationInsert {
			var b soa.AABB
			for a, low := range [2]float64{x, y} {
				at, edge := low+float64((side-1.6)*r.Float64()), 0.5+float64(1.1*r.Float64())
				b.Min[a], b.Max[a] = float32(at), float32(at+edge)
			}
			ids = append(ids, must.Get(tree.Insert(soa.Object{Box: b, Mask: 1})))
		}
	}
	for i := range animationFill {
		side := float64(animationSide) / 2
		if i%3 == 0 { // a dense cluster in a corner, for cells of several levels
			side /= 2
		}
		x, y := float64((animationSide-side)*r.Float64()), float64((animationSide-side)*r.Float64())
		step(fmt.Sprintf("%d inserted", animationInsert), func() { insert(x, y, side) })
	}
	for i := range animationOutside {
		x, y := animationSide*1.05, 0.0
		if i%2 > 0 {
			x, y = y, x
		}
		step(fmt.Sprintf("%d inserted outside", animationInsert), func() { insert(x, y, animationSide*0.8) })
	}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for len(ids) > animationLeft {
		n := min(animationRemove, len(ids)-animationLeft)
		removed := ids[:n]
		step(fmt.Sprintf("%d removed", n), func() { must.Do(tree.RemoveBatch(removed)) })
		ids = ids[n:]
	}
	must.Do(tree.Validate())
	return f
}
