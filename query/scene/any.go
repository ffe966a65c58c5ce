package scene

import (
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// Any is the any-hit query of a scene, for example for shadow rays: it reports whether any object
// intersects a volume, or is hit by a ray or a moving shape. That is the case if [Count] of the
// volume is not 0, or if [First] of the ray or shape finds a hit.
//
// It stops at the first object found, in no particular order. It does not allocate.
func Any[Q query.Volume | query.Sweep](q Q, v linear.SceneView, flt query.Filter) bool {
	switch sweep := any(&q).(type) {
	case *query.Ray:
		return anySweep((*walk.Sweep)(sweep), v, &flt)
	case *query.SweptBox:
		return anySweep((*walk.Sweep)(sweep), v, &flt)
	case *query.SweptSphere:
		return anySweep((*walk.Sweep)(sweep), v, &flt)
	}
	w := begin(askAny, &q, v, &flt)
	w.run(&flt)
	found := w.count > 0
	w.release()
	return found
}

func anySweep(sweep *walk.Sweep, v linear.SceneView, flt *query.Filter) bool {
	c := launch(wantAny, sweep, v, flt)
	c.run()
	found := c.any
	c.release()
	return found
}
