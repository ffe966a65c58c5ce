package linear

import "fmt"

// String returns the numbers of objects and slots, for people: the text may change. It does not panic; the text
// says if the view is stale, closed or released. As for all methods of a view, the tree must not change meanwhile.
func (v View) String() string {
	switch {
	case v.validity == nil:
		return "the zero View"
	case *v.validity != v.at:
		return "a stale View"
	}
	return fmt.Sprintf("View of %d objects in %d slots", v.store.Count, len(v.store.Packets.Counts))
}

// String returns the numbers of objects and instances, for people: the text may change. It does not panic; the text
// says if the view is stale. As for all methods of a view, the scene must not change meanwhile.
func (v SceneView) String() string {
	switch {
	case v.validity == nil:
		return "the zero SceneView"
	case *v.validity != v.at:
		return "a stale SceneView"
	}
	return fmt.Sprintf("SceneView of %v, instances: %v", v.Objects(), v.Instances())
}
