package scene

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/linear"
)

// Answer holds the objects that a volume meets: IDs in runs, each of the objects of one
// part. The zero value is ready. [Append] adds to it, Reset empties it; it keeps its
// memory. It is of one goroutine at a time.
//
//	Runs   place 0, to 3 | place 1, to 6  | place 3, to 8 |
//	IDs      4   9   2   |   0   5   1    |   7   3       |
//
//	place        0 the scene    1               2               3
//	in           -              0               0               2
//	ID of place  -              12              40              7
//
// Here objects 4, 9 and 2 are the scene's own, 0, 5 and 1 in the part placed as 12, 7 and
// 3 in what is placed as 7 in what is placed as 40.
type Answer struct {
	IDs  []uint32
	Runs []Run // ascending End; none is empty

	places []placed
}

// Run is a run of IDs of one part: from the End of the one before.
type Run struct {
	Instance InstanceRef
	End      int
}

// InstanceRef numbers the parts of an answer: 0 is the scene itself. It is valid until the
// answer is reset.
type InstanceRef uint32

// placed is a place of an answer.
type placed struct {
	in   InstanceRef
	id   uint32
	part uint32
	pose *linear.Transform
}

// Reset empties the answer.
func (a *Answer) Reset() {
	a.IDs, a.Runs = a.IDs[:0], a.Runs[:0]
	clear(a.places)
	a.places = a.places[:0]
}

// Len returns the number of objects.
func (a *Answer) Len() int { return len(a.IDs) }

// Run returns a run, 0 to len(Runs)-1: the place and the IDs of the objects there.
// It panics if there is no such run.
func (a *Answer) Run(i int) (p InstanceRef, ids []uint32) {
	if i < 0 || i >= len(a.Runs) {
		panic(fmt.Sprintf("scene: run %d of an answer of %d", i, len(a.Runs)))
	}
	from := 0
	if i > 0 {
		from = a.Runs[i-1].End
	}
	return a.Runs[i].Instance, a.IDs[from:a.Runs[i].End:a.Runs[i].End]
}

// All returns an iterator over the objects.
func (a *Answer) All() iter.Seq2[InstanceRef, uint32] {
	return func(yield func(InstanceRef, uint32) bool) {
		from := 0
		for _, r := range a.Runs {
			for _, id := range a.IDs[from:r.End] {
				if !yield(r.Instance, id) {
					return
				}
			}
			from = r.End
		}
	}
}

// has panics unless a place is one of the answer.
func (a *Answer) has(p InstanceRef) {
	if uint64(p) > uint64(len(a.places)) {
		panic(fmt.Sprintf("scene: place %d of an answer with places up to %d", p, len(a.places)))
	}
}

// Path returns the path of a place. It panics, as do In, Part and Pose, if the answer has no such place.
func (a *Answer) Path(p InstanceRef) (path Path) {
	a.has(p)
	for at := p; at != 0; at = a.places[at-1].in {
		path.n++
	}
	i := path.n
	for at := p; at != 0; at = a.places[at-1].in {
		i--
		path.ids[i] = a.places[at-1].id
	}
	return path
}

// In returns where a place is: the place that holds it, and its ID there. The scene
// itself is in no other, and told to be in 0.
func (a *Answer) In(p InstanceRef) (outer InstanceRef, id uint32) {
	a.has(p)
	if p == 0 {
		return 0, 0
	}
	return a.places[p-1].in, a.places[p-1].id
}

// Part returns the number of the part that stands at a place, as
// [linear.SceneView.Instance] numbers them: that of a mesh, say. ok is false for the scene
// itself.
func (a *Answer) Part(p InstanceRef) (part uint32, ok bool) {
	a.has(p)
	if p == 0 {
		return 0, false
	}
	return a.places[p-1].part, true
}

// Transform returns the pose under which a place stands in the space of the scene that was
// asked: that of its part, and those of what holds it, rounded level by level as
// [linear.Transform.Then] does, whose error it returns. It reads the poses of the scene, so it
// is valid until the scene changes.
func (a *Answer) Transform(p InstanceRef) (pose linear.Transform, err error) {
	a.has(p)
	for at := p; at != 0 && err == nil; at = a.places[at-1].in {
		pose, err = pose.Then(*a.places[at-1].pose)
	}
	return pose, err
}

// Enter adds a place to an answer and returns its number: id in the place in, where that part stands under
// the pose. It is for those who find objects in a scene by other means than this package, as package
// query/occlude does: they add IDs of the place to a.IDs, then call [Answer.End].
func (a *Answer) Enter(in InstanceRef, id, part uint32, pose *linear.Transform) InstanceRef {
	return a.add(placed{in, id, part, pose})
}

// End ends a run of IDs of a place: from the end of the run before. An empty one is none.
func (a *Answer) End(p InstanceRef) {
	from := 0
	if n := len(a.Runs); n > 0 {
		from = a.Runs[n-1].End
	}
	a.end(p, from)
}

// add adds a place.
func (a *Answer) add(p placed) InstanceRef {
	a.places = append(a.places, p)
	return InstanceRef(len(a.places))
}

// end ends a run, if anything was added to it.
func (a *Answer) end(p InstanceRef, from int) {
	if len(a.IDs) > from {
		a.Runs = append(a.Runs, Run{p, len(a.IDs)})
	}
}
