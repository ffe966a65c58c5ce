package linear

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/zoctree/zoctree/soa"
)

// Part is what a [Scene] holds under poses: a *[Tree], a *[Snapshot] or a *[Scene], and
// nothing else can be one.
type Part interface {
	// Bounds returns the smallest box that is known to hold all that is in the part, an
	// empty one if there is nothing. It is a look: see [Tree.View].
	Bounds() AABB

	// Radius returns a distance from the origin of the part's space, and nothing in the
	// part is farther away; 0 if there is nothing. It is a look.
	Radius() float64

	asPart() *uses
}

// uses is what a part and the scenes that hold it know of each other. Changes are told
// upwards, looks go downwards:
//
//	change   the first since the last look tells each scene that holds the part, which is
//	         a change of that one; later ones find the part stale, and everybody told
//	look     renews the state of what is stale, inner parts first, and nothing else
//
// So of a part that is stale all holders know that it has changed since they looked, and a
// part with work that waits for a look ([waiting]) is stale: a look tells nobody.
//
// A snapshot never changes. It does not know who holds it: so goroutines that change scenes
// which have nothing else in common may share it.
type uses struct {
	tree  *Tree // this,
	scene *Scene
	snap  *Snapshot // or this
	by    []use     // who holds it; of a snapshot nobody

	stale atomic.Bool // it has changed since the state was written
	lock  sync.Mutex  // of writing it
	state state
}

// use is an entry of a scene.
type use struct {
	scene *Scene
	entry uint32
}

// state is what queries see of a part: of a tree, a scene without places.
type state struct {
	bounds          AABB
	total           uint64 // objects through all places
	objects, places View
	in              []uint32    // by the ID of the place: its entry, or None
	poses           []Transform // by the ID of the place
	still           []state     // in place of both, by the ID of the place: of trees under the identity, levels 1, 2, …
	outgrown        []uint32    // IDs of places that may stick out of their boxes, ascending
	radius          float64
	shape           uint64 // changes when there are other parts below
}

// changed tells the scenes that hold a part that it changes.
func (u *uses) changed() {
	if !u.stale.Load() {
		u.tell()
	}
}

//go:noinline
func (u *uses) tell() {
	u.stale.Store(true)
	for _, by := range u.by {
		by.scene.mark(by.entry)
		by.scene.change()
	}
}

// look returns the state of a part as it is now. Any number of goroutines may look.
func (u *uses) look() *state {
	if u.stale.Load() {
		u.renew()
	}
	return &u.state
}

func (u *uses) renew() {
	u.lock.Lock()
	defer u.lock.Unlock()
	if !u.stale.Load() {
		return // another has done it
	}
	if u.scene != nil {
		u.scene.renew(&u.state)
		u.stale.Store(false)
		return
	}
	v := u.view()
	if u.tree != nil && !u.tree.waits.calm.Load() {
		// The tree would stay stale, and the scenes that hold it would not: no change would be told to them.
		panic("linear: a scene was viewed amid a build of a tree in it: a Progress function must not use the tree")
	}
	s := v.Store()
	u.state.objects, u.state.places = v, nowhere
	u.state.bounds, u.state.radius, u.state.total = boundsOf(s), radiusOf(s), uint64(s.Count)
	u.stale.Store(false)
}

// view returns that of a part that is no scene.
func (u *uses) view() View {
	if u.snap != nil {
		return u.snap.View()
	}
	return u.tree.View()
}

// add tells a part of one more holder, and returns which one of its holders that is.
func (u *uses) add(by use) (at uint32) {
	if u.snap != nil {
		return 0
	}
	u.by = append(u.by, by)
	return uint32(len(u.by) - 1)
}

// remove takes a holder from what a part knows.
func (u *uses) remove(at uint32) {
	if u.snap != nil {
		return
	}
	last := len(u.by) - 1
	u.by[at] = u.by[last]
	u.by[last] = use{}
	u.by = u.by[:last]
	if int(at) < last {
		moved := u.by[at]
		moved.scene.entries[moved.entry].at = at
	}
	u.forget()
}

// forget takes what a tree knows of scenes from it if none holds it.
func (u *uses) forget() {
	if u.tree != nil && len(u.by) == 0 {
		u.tree.uses = nil
	}
}

// what returns the part.
func (u *uses) what() Part {
	switch {
	case u.scene != nil:
		return u.scene
	case u.snap != nil:
		return u.snap
	}
	return u.tree
}

// depth returns how often one may go from a place into its part.
func (u *uses) depth() int {
	if u.scene != nil {
		return u.scene.depth
	}
	return 0
}

// nowhere is a view of no object.
var nowhere = func() View {
	s := newStore()
	return View{s, &s.Version, 0, &index{ids: &soa.IDs{}}}
}()

func (t *Tree) asPart() *uses {
	if t == nil {
		return nil
	}
	if t.uses == nil {
		t.uses = &uses{tree: t}
		t.uses.stale.Store(true)
	}
	return t.uses
}

func (s *Snapshot) asPart() *uses {
	if s == nil {
		return nil
	}
	s.opened()
	return &s.uses
}

// Bounds returns the smallest box that is known to hold all objects, pending ones
// included; it is exact after a [Tree.Tick], and empty, as soa.Empty has it, without objects.
// It is a look ([Tree.View]), and takes constant time and that of the pending objects.
func (t *Tree) Bounds() AABB { return t.View().Bounds() }

// Bounds returns the smallest box that is known to hold all objects of the view: see
// [Tree.Bounds].
func (v View) Bounds() AABB { return boundsOf(v.Store()) }

// Radius returns a distance from the origin, and no point of a box is farther from it: that
// of the farthest corner of 16 boxes that hold the tree, and of those of pending objects.
// It is 0 without objects. It is a look ([Tree.View]), and takes constant time and that of
// the pending objects.
func (t *Tree) Radius() float64 { return radiusOf(t.View().Store()) }

// Bounds returns what [Tree.Bounds] of the tree that was saved does. The first call takes
// the time of that. It panics when the snapshot has been closed before.
func (s *Snapshot) Bounds() AABB {
	s.opened()
	return s.uses.look().bounds
}

// Radius returns what [Tree.Radius] of the tree that was saved does: see
// [Snapshot.Bounds].
func (s *Snapshot) Radius() float64 {
	s.opened()
	return s.uses.look().radius
}

// boundsOf returns the union of all boxes, the smallest one after a refit.
func boundsOf(s *soa.Store) soa.AABB {
	box := soa.Empty()
	if len(s.Nodes.Hot) > 0 {
		box = nodeBox(&s.Nodes.Hot[0])
	}
	for _, slot := range s.Pending {
		b, n := &s.Packets.Bounds[slot], int(s.Packets.Counts[slot])
		for a := range 3 {
			least, most := box.Min[a], box.Max[a]
			for l := range n { // few widen it: branches cost less than minima
				if x := b[2*a][l]; x < least {
					least = x
				}
				if x := b[2*a+1][l]; x > most {
					most = x
				}
			}
			box.Min[a], box.Max[a] = least, most
		}
	}
	return box
}

// radiusOf returns a bound of the distance of all boxes from the origin.
func radiusOf(s *soa.Store) float64 {
	square := 0.0
	if len(s.Nodes.Hot) > 0 {
		square = farthest(&s.Nodes.Hot[0].Bounds, int(s.Nodes.Used[0]))
	}
	for _, slot := range s.Pending {
		square = max(square, farthest(&s.Packets.Bounds[slot], int(s.Packets.Counts[slot])))
	}
	return radius(square)
}

// radius returns a bound of the root of a sum of three squares that was rounded.
func radius(square float64) float64 { return float64(math.Sqrt(square) * (1 + 0x1p-50)) }

// farthest returns the square of the distance of the farthest corner of n boxes from the
// origin.
func farthest(b *soa.Packet, n int) (square float64) {
	for l := range n {
		sum := 0.0
		for a := range 3 {
			x := float64(max(-b[2*a][l], b[2*a+1][l], 0)) // 0 of an empty box
			sum += float64(x * x)
		}
		square = max(square, sum)
	}
	return square
}
