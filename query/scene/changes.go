package scene

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/changes"
	"github.com/zoctree/zoctree/query/internal/follow"
)

// sceneChanges are the objects and instances of a scene that have changed between two updates.
type sceneChanges struct{ changes.Scene[struct{}] }

// some reports whether anything has changed.
func (c *sceneChanges) some() bool { return len(c.Own.List)+len(c.Instances.List) > 0 }

// most reports whether at least half of the own objects and instances have changed.
func (c *sceneChanges) most(v linear.SceneView) bool {
	return len(c.Own.List)+len(c.Instances.List) > (v.Objects().Len()+v.Instances().Len())/2
}

// has reports whether an object has changed, or the instance of the scene that it is in.
func (c *sceneChanges) has(o *Object) bool {
	if o.Path.n == 0 {
		return follow.Has(c.Own.Bits, o.ID)
	}
	return follow.Has(c.Instances.Bits, o.Path.ids[0])
}

// renewed reports whether a pair has an object that is another one than at the last update.
func (c *sceneChanges) renewed(v linear.SceneView, p *Pair) bool {
	return !c.Known || c.Renews && (c.reused(v, &p.A) || c.reused(v, &p.B))
}

func (c *sceneChanges) reused(v linear.SceneView, o *Object) bool {
	part := c.Parts[0]
	for _, id := range o.Path.ids[:o.Path.n] {
		if follow.Has(part.Reused[1].Bits, id) {
			return true
		}
		inner, number, _ := v.Instance(id)
		v, part = inner, c.Parts[number]
	}
	return follow.Has(part.Reused[0].Bits, o.ID)
}
