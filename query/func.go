package query

import (
	"fmt"
	"iter"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/soa"
)

// Func is a volume query by a function of the program, for volumes that are none of the others: a torus, a height
// field, a union of volumes. Make one with [NewFunc], or a shape with [NewCapsule], [NewCylinder] or [NewCone]. The
// zero value finds nothing. Piko3D's octree has query objects of this kind.
//
// The function tests boxes: those of nodes, and of packets or their parts in bounds, to exclude or to take what is in
// them, and those of objects. An object is reported when its box intersects bounds and the function does not return
// [Outside] for it, nor for a box around it.
//
// # The promise of the test
//
// bounds contains the volume. Outside and Inside for a box hold for every box in it: the volume has no point, or all
// points, of them too. The test returns the same for the same box. A test that returns Partly in doubt keeps the
// promise. If the promise is broken, objects may be missing or be reported by mistake; nothing else is harmed.
// [Func.Check] verifies the promise for all boxes of a tree.
//
// The test is called on the goroutine of the query, from one call of a method at a time, and may run other queries.
// If it changes the tree, the query panics when it returns. A panic of the test passes through, and leaves the tree
// and its views as they were. A result that is none of the three constants is a panic with its number.
//
// In a scene ([Func] in package scene) the test receives boxes of the space of the scene, whatever the part of an
// object.
//
// # Cost
//
// The box kernels search bounds, so the test is not called for boxes beyond bounds, for objects that a mask or a
// motion excludes, or for anything below a node or packet that is Inside. For boxes of 450 results of 100,000 objects,
// a test of the box itself is called for 0.15 boxes a result (TestFuncTests), and the query takes 3.5 µs, that of a
// [Box] 0.7 µs (go test ./query -run xxx -bench 'Func|Box$'). A query does not allocate.
//
// Filter.Exact has no effect: the test has the box alone. A Func cannot be written as text and read again.
//
// # Rounding of the shapes
//
// The tests of the capsule, the cylinder and the cone are exact in exact arithmetic, and computed in float64. There
// are no false negatives. With S the sum of the edges of the box around the shape ([Func.Bounds]), a box that is
// reported is within 2^-24 * S of the shape. A box without a point in the shape and within 2^-24 * S of it is reported
// or not, which also depends on the boxes of nodes around it. The result is the same on every CPU.
type Func walk.Func

// userTest is the test of a program.
type userTest func(box linear.AABB) Relation

// Relate calls the test, and panics if a result is none of the constants.
func (f userTest) Relate(boxes []soa.AABB, to []exact.Relation) {
	for i, b := range boxes {
		r := f(b)
		if r > Inside {
			f.refuse(r)
		}
		to[i] = exact.Relation(r)
	}
}

//go:noinline
func (f userTest) refuse(r Relation) {
	panic(fmt.Sprintf("query: the test of a Func returned the Relation %d, which is not 0 to %d", r, Inside))
}

// NewFunc returns the volume in a box, bounds, that a function tests: see [Func]. A number of bounds that is NaN or
// infinite, a minimum above its maximum, or no function, is an error.
func NewFunc(bounds linear.AABB, test func(box linear.AABB) Relation) (f Func, err error) {
	b, err := NewBox(bounds.Min, bounds.Max)
	switch {
	case err != nil:
		return Func{}, err
	case test == nil:
		return Func{}, fmt.Errorf("query: a Func in %v has no test", bounds)
	}
	b2 := (*walk.Box)(&b).Bounds()
	(*walk.Func)(&f).Set(&b2.Min, &b2.Max, userTest(test))
	return f, nil
}

// funcCall is the test of a query in progress, which ends it when the test has changed the tree.
type funcCall struct {
	view linear.View
	test userTest
}

var funcCalls = sync.Pool{New: func() any { return new(funcCall) }}

// Relate calls the test, and panics if the tree has changed.
//
// A box is copied to a variable, and from there to the stack of the test. The variable is written one call before:
// reading a box that has just been written delays a call by a third.
func (c *funcCall) Relate(boxes []soa.AABB, to []exact.Relation) {
	even, odd, test, view := boxes[0], soa.AABB{}, c.test, c.view
	for i := range boxes {
		var r Relation
		if i&1 == 0 {
			if i+1 < len(boxes) {
				odd = boxes[i+1]
			}
			r = test(even)
		} else {
			if i+1 < len(boxes) {
				even = boxes[i+1]
			}
			r = test(odd)
		}
		view.Store()
		if r > Inside {
			test.refuse(r)
		}
		to[i] = exact.Relation(r)
	}
}

// Release returns the call to the pool.
func (c *funcCall) Release() {
	*c = funcCall{}
	funcCalls.Put(c)
}

// begin takes a walk from the pool and prepares the volume for the view.
func (f *Func) begin(v linear.View) *walk.Walk {
	q := (*walk.Func)(f)
	w := q.Begin(v.Store())
	if test, ok := q.Tester().(userTest); ok {
		c := funcCalls.Get().(*funcCall)
		c.view, c.test = v, test
		w.SetTester(c)
	}
	return w
}

// Append appends the IDs of the objects in the volume to dst and returns it, in an order that is a function of the
// calls that made the tree and of the results of the test. It allocates as [Frustum.Append].
func (f Func) Append(dst []uint32, v linear.View, flt Filter) []uint32 {
	var keep walk.Filter
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return f.begin(v).Append(dst, &keep)
}

// Count returns the number of objects in the volume, without reading IDs.
func (f Func) Count(v linear.View, flt Filter) int {
	var keep walk.Filter
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return f.begin(v).Count(&keep)
}

// Any reports whether an object is in the volume. It stops at the first one found.
func (f Func) Any(v linear.View, flt Filter) bool {
	var keep walk.Filter
	flt.prepare(&keep)
	flt.resolve(v, &keep)
	return f.begin(v).Any(&keep)
}

// All returns an iterator over the IDs of the objects in the volume, in the order of [Func.Append]. The walk runs,
// with all calls of the test, when the iteration starts. Changing the tree during the iteration makes it panic.
func (f Func) All(v linear.View, flt Filter) iter.Seq[uint32] {
	return func(yield func(uint32) bool) { each(f.begin(v), v, flt, yield) }
}

// Ranges calls yield with the answer as ranges of packet slots, in the order of [Func.Append], until yield returns
// false, as [Frustum.Ranges] does.
func (f Func) Ranges(v linear.View, flt Filter, yield func(Range) bool) {
	parts(f.begin(v), v, flt, yield)
}

// Explain runs the query as [Func.Ranges] does and returns its work counters, as [Frustum.Explain]. Tested counts the
// objects of the packets that the box kernels test, not the calls of the test.
func (f Func) Explain(v linear.View, flt Filter, heat *Heat) Counters {
	return explain(f.begin(v), v, flt, heat)
}

// Bounds returns the box that contains the volume.
func (f Func) Bounds() linear.AABB { return (*walk.Func)(&f).Bounds() }

// String returns the shape, or the box of a volume of the program.
func (f Func) String() string {
	q := (*walk.Func)(&f)
	if s, ok := q.Tester().(fmt.Stringer); ok {
		return s.String()
	}
	return "function in " + q.Bounds().String()
}

// Check verifies the promise of the test for the boxes of all nodes and objects of a tree, for tests of programs. The
// error names the first two boxes of which the outer one is Outside or Inside and the inner one is not, or the first
// box that is not Outside although it is beyond bounds. It calls the test once for each box, and does not change the
// tree. It panics as the other methods do.
func (f Func) Check(v linear.View) error {
	s := v.Store()
	c := promise{view: v, test: (*walk.Func)(&f).Tester(), bounds: f.Bounds()}
	for _, slot := range s.Pending {
		if err := c.packet(slot, c.bounds, exact.Partly); err != nil {
			return err
		}
	}
	if len(s.Nodes.Hot) == 0 {
		return nil
	}
	return c.node(0, soa.AABB{}, exact.Partly)
}

// promise verifies the promise of a test.
type promise struct {
	view   linear.View
	test   walk.Tester
	bounds soa.AABB
}

// node verifies the boxes below a node, whose own box has a known relation.
func (c *promise) node(at uint32, outer soa.AABB, known exact.Relation) error {
	n := &c.view.Store().Nodes.Hot[at]
	for l, ref := range n.Child[:c.view.Store().Nodes.Used[at]] {
		box := laneBox(&n.Bounds, l)
		r, err := c.box(box, outer, known)
		if err == nil {
			if ref.IsPacket() {
				err = c.packet(ref.Index(), box, r)
			} else {
				err = c.node(ref.Index(), box, r)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// packet verifies the boxes of the objects in a packet.
func (c *promise) packet(slot uint32, outer soa.AABB, known exact.Relation) error {
	p := &c.view.Store().Packets
	for l := range int(p.Counts[slot]) {
		if _, err := c.box(p.Box(slot, l), outer, known); err != nil {
			return err
		}
	}
	return nil
}

// box verifies one box within another one of a known relation.
func (c *promise) box(box, outer soa.AABB, known exact.Relation) (exact.Relation, error) {
	var one [1]exact.Relation
	c.test.Relate([]soa.AABB{box}, one[:])
	c.view.Store()
	r := one[0]
	switch {
	case known != exact.Partly && r != known:
		return r, fmt.Errorf("query: the test of a Func returns %v for the box %v and %v for %v in it, want %[1]v", Relation(known), outer, Relation(r), box)
	case r != exact.Outside && !c.bounds.Overlaps(box):
		return r, fmt.Errorf("query: the test of a Func in %v returns %v for the box %v beyond it, want outside", c.bounds, Relation(r), box)
	}
	return r, nil
}

// laneBox returns the box in a lane.
func laneBox(b *soa.Packet, l int) (box soa.AABB) {
	for a := range 3 {
		box.Min[a], box.Max[a] = b[2*a][l], b[2*a+1][l]
	}
	return box
}
