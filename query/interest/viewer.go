package interest

// viewer is a viewer and what is in its view.
type viewer struct {
	area   Area
	view   []uint32 // what is in view
	known  bool     // there is such a viewer
	asked  bool     // the view is that of the area at the last update
	sorted bool     // the view is ascending
	listed bool     // its number is in the order of the tracker

	seen *[2]seen // in the sights of the area, at the update that is under way; nil: it is none

	// What the update of that number has told: a part has it.
	update uint64
	part   int
	told   told
}

// told says where the events of a viewer are: what entered from first, then what left, then
// what was touched.
type told struct{ first, left, touched, end int }

// seen says where a part has what is seen in a sight.
type seen struct {
	by       *part
	from, to int
}

// replace makes the view a copy of a list. It keeps room for an eighth more than it needs, and
// gives memory back when it needs less than half.
func (w *viewer) replace(list []uint32) {
	w.view = append(fitting(w.view, len(list))[:0], list...)
	w.sorted = false
}

// viewKept is how many IDs a view has room for in any case.
const viewKept = 64

// fitting returns a list with room for n elements, not much more, and what it held as far as
// that goes.
func fitting(list []uint32, n int) []uint32 {
	if n <= cap(list) && (cap(list) <= viewKept || 2*n >= cap(list)-viewKept) {
		return list
	}
	grown := make([]uint32, 0, n+n/8+8)
	return append(grown, list[:min(len(list), n)]...)
}
