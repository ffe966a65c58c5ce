package interest

// viewer is a viewer with the IDs in its view.
type viewer struct {
	area   Area
	view   []uint32  // IDs in view
	runs   []viewRun // in a scene: runs of the view, which is ascending by path and ID
	known  bool      // the number is in use
	asked  bool      // the view is the result of the area at the last update
	sorted bool      // the view is ascending
	listed bool      // its number is in the order of the tracker

	seen *[2]seen // visible objects of the area in the current update; nil if it needs none

	// The events of the update of that number, in the part of that number.
	update uint64
	part   int
	events viewerEvents
}

// viewerEvents holds the ranges of the events of a viewer: entered from first, left from left, touched from touched,
// up to end.
type viewerEvents struct{ first, left, touched, end int }

// seen is the range of the visible objects of a camera in a part; in a scene, the number of an answer.
type seen struct {
	by       *part
	from, to int
}

// replace sets the view to a copy of a list. It keeps spare room for an eighth more, and frees memory if it
// needs less than half.
func (w *viewer) replace(list []uint32) {
	w.view = append(fitting(w.view, len(list))[:0], list...)
	w.sorted = false
}

// viewKept is the capacity that a view always keeps.
const viewKept = 64

// fitting returns a list with room for n elements, not much more, with its first elements, at most n.
func fitting[T any](list []T, n int) []T {
	if n <= cap(list) && (cap(list) <= viewKept || 2*n >= cap(list)-viewKept) {
		return list
	}
	grown := make([]T, 0, n+n/8+8)
	return append(grown, list[:min(len(list), n)]...)
}
