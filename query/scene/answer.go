package scene

import (
	"fmt"
	"iter"

	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear"
)

// Answer is the result of a volume query of a scene: IDs of the objects that intersect the
// volume, in runs that each belong to one instance. The zero value is ready to use. [Append] adds
// to it, Reset empties it and keeps its memory. One goroutine at a time may use it.
//
//	Runs   ref 0, to 3   | ref 1, to 6    | ref 3, to 8   |
//	IDs      4   9   2   |   0   5   1    |   7   3       |
//
//	ref          0 the scene    1               2               3
//	in           -              0               0               2
//	ID           -              12              40              7
//
// Here objects 4, 9 and 2 are the scene's own, 0, 5 and 1 are in instance 12, and 7 and 3 are in
// instance 7 of instance 40.
type Answer struct {
	IDs  []uint32
	Runs []Run // ascending End; no run is empty

	instances []instance
}

// Run is a range of IDs of one instance: from the End of the previous run.
type Run struct {
	Instance InstanceRef
	End      int
}

// InstanceRef is the number of an instance in an answer: 0 is the scene itself. It is valid until
// the answer is reset.
type InstanceRef uint32

// instance is an instance in an answer.
type instance struct {
	in        InstanceRef
	id        uint32
	part      uint32
	transform *xform.Transform
}

// instanceOf returns an instance of a view, with its transform in the type of package xform.
func instanceOf(v linear.SceneView, id uint32) (part linear.SceneView, number uint32, transform *xform.Transform) {
	part, number, t := v.Instance(id)
	return part, number, (*xform.Transform)(t)
}

// Reset empties the answer.
func (a *Answer) Reset() {
	a.IDs, a.Runs = a.IDs[:0], a.Runs[:0]
	clear(a.instances)
	a.instances = a.instances[:0]
}

// Len returns the number of objects.
func (a *Answer) Len() int { return len(a.IDs) }

// Run returns the instance and the IDs of a run, 0 to len(Runs)-1. It panics if there is no such
// run.
func (a *Answer) Run(i int) (ref InstanceRef, ids []uint32) {
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

// has panics if the answer does not hold an instance.
func (a *Answer) has(p InstanceRef) {
	if uint64(p) > uint64(len(a.instances)) {
		panic(fmt.Sprintf("scene: instance %d of an answer with instances up to %d", p, len(a.instances)))
	}
}

// Path returns the path of an instance. It panics, as do In, Part and Transform, if the answer
// does not hold the instance.
func (a *Answer) Path(ref InstanceRef) (path Path) {
	a.has(ref)
	for at := ref; at != 0; at = a.instances[at-1].in {
		path.n++
	}
	i := path.n
	for at := ref; at != 0; at = a.instances[at-1].in {
		i--
		path.ids[i] = a.instances[at-1].id
	}
	return path
}

// In returns the instance that holds an instance, and its ID there. For the scene itself it
// returns 0.
func (a *Answer) In(ref InstanceRef) (outer InstanceRef, id uint32) {
	a.has(ref)
	if ref == 0 {
		return 0, 0
	}
	return a.instances[ref-1].in, a.instances[ref-1].id
}

// Part returns the number of the part of an instance, as [linear.SceneView.Instance] numbers
// them, for example to select a mesh. ok is false for the scene itself.
func (a *Answer) Part(ref InstanceRef) (part uint32, ok bool) {
	a.has(ref)
	if ref == 0 {
		return 0, false
	}
	return a.instances[ref-1].part, true
}

// Transform returns the transform from the space of an instance to that of the queried scene. It
// composes the transforms along the path level by level, rounded as [linear.Transform.Then] does,
// and returns its error. It reads the transforms of the scene, so it is valid until the scene
// changes.
func (a *Answer) Transform(ref InstanceRef) (transform linear.Transform, err error) {
	a.has(ref)
	for at := ref; at != 0 && err == nil; at = a.instances[at-1].in {
		transform, err = transform.Then(linear.Transform(*a.instances[at-1].transform))
	}
	return transform, err
}

// Enter adds an instance to an answer and returns its reference: id in the instance in, with the
// given part and transform. It is for packages that search a scene by other means, such as
// query/occlude: they add IDs of the instance to a.IDs, then call [Answer.End].
func (a *Answer) Enter(in InstanceRef, id, part uint32, transform *linear.Transform) InstanceRef {
	return a.add(instance{in, id, part, (*xform.Transform)(transform)})
}

// End ends a run of IDs of an instance, from the end of the previous run. It adds no empty run.
func (a *Answer) End(ref InstanceRef) {
	from := 0
	if n := len(a.Runs); n > 0 {
		from = a.Runs[n-1].End
	}
	a.end(ref, from)
}

// add adds an instance.
func (a *Answer) add(p instance) InstanceRef {
	a.instances = append(a.instances, p)
	return InstanceRef(len(a.instances))
}

// end ends a run, if anything was added to it.
func (a *Answer) end(p InstanceRef, from int) {
	if len(a.IDs) > from {
		a.Runs = append(a.Runs, Run{p, len(a.IDs)})
	}
}
