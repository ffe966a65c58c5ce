package linear

import "fmt"

// String returns the numbers of objects and slots, for people: the text may change.
// It does not panic: a view that is stale, or of what has been closed or released, says so.
// As with all that a view is asked, the tree must not change meanwhile.
func (v View) String() string {
	switch {
	case v.life == nil:
		return "the zero View"
	case *v.life != v.at:
		return "a stale View"
	}
	return fmt.Sprintf("View of %d objects in %d slots", v.store.Count, len(v.store.Packets.Counts))
}

// String returns the numbers of objects and places, for people: the text may change. It
// does not panic: a view that is stale says so. As with all that a view is asked, the scene
// must not change meanwhile.
func (v SceneView) String() string {
	switch {
	case v.life == nil:
		return "the zero SceneView"
	case *v.life != v.at:
		return "a stale SceneView"
	}
	return fmt.Sprintf("SceneView of %v, places: %v", v.Objects(), v.Instances())
}
