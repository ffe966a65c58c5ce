package instance

import (
	"math"
	"math/bits"
	"slices"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/xform"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Scene holds the instances of a scene, beside the trees of its own objects and of the boxes of its instances, which
// are its first two parts.
type Scene struct {
	Face  any   // the scene of the program; nil if it is immutable
	boxes Boxes // tree of the boxes of the instances; nil if the scene is immutable

	In         []uint32          // entry of each instance, by ID; None: the ID is free
	Transforms []xform.Transform // transform of each instance, by ID
	Rows       []Placement       // by ID
	Wrote      []uint64          // number of the last write to the columns that views read, by ID
	Writes     uint64            // number of writes to these columns
	Entries    []Entry           // the own trees, then the parts
	EntryOf    map[*Part]uint32  // entry of each part
	Held       bitset.Set        // entries of parts
	Free       []uint32          // entries without a part
	Depth      int               // instances on the longest path down, at most MaxDepth
	Parts      [MaxDepth + 1]int // number of parts of each depth
	Shape      uint64            // number that is renewed whenever the parts of the entries change

	Epoch uint64     // number of changes that invalidate views
	Ticks uint32     // number of calls of Tick
	Due   bitset.Set // entries that the next tick has to process: see tick.go

	Part  Part  // the scene as a part
	Table Table // levels of the scene's views

	scratch scratch
}

// Boxes is the tree of the boxes of instances, whose caller may defer changes.
type Boxes interface {
	InsertBatch(dst []uint32, objects []soa.Object) ([]uint32, error)
	Move(id uint32, box soa.AABB) error
	MoveBatch(ids []uint32, boxes []soa.AABB) error
}

// Entries of the scene's own trees. They have no instances.
const (
	OwnEntry = iota
	BoxesEntry
	FirstPart
)

// Entry is a part of a scene, with its instances.
type Entry struct {
	Part   *Part    // nil: the entry is free
	At     uint32   // index in Part.By
	IDs    []uint32 // IDs of the instances
	mixed  bool     // IDs may be unsorted
	Turns  int      // number of instances with Turns
	Bounds Bounds
	Ticked uint32 // tick count of the part at the scene's last tick
}

// Placement is the private row of an instance: no view reads it.
type Placement struct {
	Index uint32  // position in Entry.IDs
	Reach float64 // radius of the ball in the box, for an instance with Turns; else Stays
}

// scratch holds the reusable buffers of batches.
type scratch struct {
	objects []soa.Object
	ids     []uint32
	boxes   []soa.AABB
	reaches []float64
}

// Init makes a zero scene one without entries.
func (s *Scene) Init() {
	s.EntryOf, s.Shape = make(map[*Part]uint32), nextShape()
	s.Part.Scene = s
	s.Part.Stale.Store(true)
}

// Begin initializes a zero scene as an empty one with its own trees.
func (s *Scene) Begin(face any, boxes Boxes, own, boxesPart *Part) {
	s.Init()
	s.Face, s.boxes = face, boxes
	s.hold(own)
	s.hold(boxesPart)
}

// SetBoxes sets the tree of the boxes of a scene that has been loaded.
func (s *Scene) SetBoxes(boxes Boxes) { s.boxes = boxes }

// Level returns the level of the current state of the scene.
func (s *Scene) Level() *Level {
	st := s.Part.Sync()
	if s.Table.shape.Load() != st.Shape {
		s.Table.renew(&s.Part)
	}
	return &s.Table.Levels[0]
}

// Own returns the part of the scene's own objects.
func (s *Scene) Own() *Part { return s.Entries[OwnEntry].Part }

// Boxes returns the part of the boxes of the instances.
func (s *Scene) Boxes() *Part { return s.Entries[BoxesEntry].Part }

// IsLive reports whether an instance has the ID.
func (s *Scene) IsLive(id uint32) bool { return s.Boxes().Tree.IDs.Alive(id) }

// change invalidates all views.
func (s *Scene) change() {
	s.Epoch++
	s.Part.Changed()
}

// hold makes an entry for a part.
func (s *Scene) hold(u *Part) uint32 {
	i := uint32(len(s.Entries))
	if n := len(s.Free); n > 0 {
		i, s.Free = s.Free[n-1], s.Free[:n-1]
	} else {
		s.Entries = append(s.Entries, Entry{})
	}
	e := &s.Entries[i]
	*e = Entry{Part: u, At: u.Add(Use{s, i}), IDs: e.IDs[:0], Ticked: u.ticks()}
	if i >= FirstPart {
		s.Parts[u.Depth()]++
		s.Held.Add(i)
	}
	s.Shape = nextShape()
	s.notifyHolders(i)
	s.change()
	return i
}

// drop frees an entry without instances.
func (s *Scene) drop(i uint32) {
	e := &s.Entries[i]
	u := e.Part
	u.remove(e.At)
	s.Parts[u.Depth()]--
	delete(s.EntryOf, u)
	*e = Entry{IDs: e.IDs[:0]}
	s.Free = append(s.Free, i)
	s.Held.Remove(i)
	s.Due.Remove(i)
	s.Shape = nextShape()
	s.change()
	s.lower(u.Depth())
}

// A scene with at least compactMin entries renumbers them when fewer than one in compactOneIn is of
// a part, unless it has more instances than entries. The cost is thus proportional to the number of
// parts that have been removed since the last time.
const (
	compactMin   = 64
	compactOneIn = 4
)

// compactIfSparse renumbers the entries after removals if most are free.
func (s *Scene) compactIfSparse() {
	if n := len(s.Entries); n >= compactMin && compactOneIn*(n-len(s.Free)) < n && s.Boxes().Tree.IDs.Len() <= n {
		s.compact()
	}
}

// compact renumbers the entries so that none is free. Their order stays the same. It frees the memory of the free ones.
func (s *Scene) compact() {
	old := s.Entries
	s.Entries = make([]Entry, len(old)-len(s.Free))
	s.EntryOf = make(map[*Part]uint32, len(s.Entries)-FirstPart) // a map never shrinks
	s.Free = nil
	s.Held.Clear()
	next := uint32(0)
	for i := range old {
		if old[i].Part == nil {
			continue
		}
		e := &s.Entries[next]
		*e = old[i]
		e.IDs = slices.Clone(e.IDs)
		if s.Due.Has(uint32(i)) {
			s.Due.Remove(uint32(i))
			s.Due.Add(next)
		}
		if next >= FirstPart {
			s.Held.Add(next)
			s.EntryOf[e.Part] = next
		}
		if i != int(next) {
			e.Part.renumber(e.At, next)
			for _, id := range e.IDs {
				s.write(id, next, &s.Transforms[id])
			}
		}
		next++
	}
	s.Due.Trim()
	s.Held.Trim()
	s.Shape = nextShape() // tables have room for each entry
	s.change()
}

// Reserve gives the columns by instance ID n rows, on huge pages if they are large: moves access them at random. New
// rows are unspecified.
func (s *Scene) Reserve(n int) {
	s.In, s.Transforms = mem.Resize(s.In, n), mem.Resize(s.Transforms, n)
	s.Rows, s.Wrote = mem.Resize(s.Rows, n), mem.Resize(s.Wrote, n)
}

// write sets the entry and the transform of an instance.
func (s *Scene) write(id, entry uint32, transform *xform.Transform) {
	if have := len(s.Rows); int(id) >= have {
		s.Reserve(int(id) + 1)
		for free := have; free < int(id); free++ {
			s.In[free], s.Transforms[free], s.Rows[free], s.Wrote[free] = soa.None, xform.Transform{}, Placement{}, 0
		}
		s.Rows[id] = Placement{}
	}
	s.In[id] = entry
	s.rewrite(id, transform)
}

// rewrite sets the transform of an instance that has a row.
func (s *Scene) rewrite(id uint32, transform *xform.Transform) {
	s.Writes++
	s.Wrote[id] = s.Writes
	s.Transforms[id] = *transform
}

// order sorts the IDs of a part's instances.
func (s *Scene) order(e *Entry) {
	if !e.mixed {
		return
	}
	e.mixed = false
	slices.Sort(e.IDs)
	for k, id := range e.IDs {
		s.Rows[id].Index = uint32(k) // no view reads it
	}
}

// renew updates the state of a scene.
func (s *Scene) renew(st *State) {
	own, instances := s.Entries[OwnEntry].Part.Sync(), s.Entries[BoxesEntry].Part.Sync()
	st.Objects, st.Instances, st.In, st.Transforms = own.Objects, instances.Objects, s.In, s.Transforms
	st.Bounds, st.Radius = own.Bounds.Union(instances.Bounds), max(own.Radius, instances.Radius)
	st.Total, st.Shape, st.Outgrown = own.Total, s.Shape, st.Outgrown[:0]
	for i, ok := s.Held.Next(0); ok; i, ok = s.Held.Next(i + 1) {
		e := &s.Entries[i]
		inner := e.Part.Sync()
		st.Shape = max(st.Shape, inner.Shape)
		st.Total = sumOf(st.Total, productOf(uint64(len(e.IDs)), inner.Total))
		turning := e.Turns > 0 && !e.Bounds.holdsRadius(inner)
		others := e.Turns < len(e.IDs) && !e.Bounds.holdsBounds(inner)
		if !turning && !others {
			continue
		}
		for _, id := range e.IDs {
			row := &s.Rows[id]
			if turns := row.Turns(); turns && !turning || !turns && !others {
				continue
			}
			box := imageOf(&s.Transforms[id], &inner.Bounds)
			st.Bounds = st.Bounds.Union(box)
			st.Radius = max(st.Radius, CornerOf(&box))
			st.Outgrown = append(st.Outgrown, id)
		}
	}
	slices.Sort(st.Outgrown)
}

// CornerOf returns an upper bound of the distance to the farthest corner of a box, 0 for an empty one.
func CornerOf(b *soa.AABB) float64 {
	square := 0.0
	for a := range 3 {
		x := float64(max(-b.Min[a], b.Max[a], 0))
		square += float64(x * x)
	}
	return octree.Radius(square)
}

// sumOf returns a + b, at most 2^64 - 1.
func sumOf(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// productOf returns a * b, at most 2^64 - 1.
func productOf(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high > 0 {
		return math.MaxUint64
	}
	return low
}

// Clear removes all entries of parts, and all rows of instances. The caller has cleared the own trees.
func (s *Scene) Clear() {
	for i := len(s.Entries) - 1; i >= FirstPart; i-- {
		if s.Entries[i].Part != nil {
			s.drop(uint32(i))
		}
	}
	s.In, s.Transforms, s.Rows, s.Wrote = s.In[:0], s.Transforms[:0], s.Rows[:0], s.Wrote[:0]
	s.Entries, s.Free = s.Entries[:FirstPart], s.Free[:0]
	s.change()
}

// Trim frees memory that the scene does not need. The caller has trimmed the own trees.
func (s *Scene) Trim() {
	n := min(len(s.Rows), s.Boxes().Tree.IDs.Cap())
	s.In, s.Transforms = first(s.In, n), first(s.Transforms, n)
	s.Rows, s.Wrote = first(s.Rows, n), first(s.Wrote, n)
	s.compact()
	s.scratch = scratch{}
}

// first returns a copy of n rows of a column.
func first[T any](col []T, n int) []T {
	to := mem.Make[T](n)
	copy(to, col)
	return to
}

// Counts are the numbers of instances with Turns, and of bytes.
type Counts struct {
	Turning                    int
	Transforms, Lists, Scratch int
}

// Count returns the numbers of a scene without its parts.
func (s *Scene) Count() (c Counts) {
	c.Transforms = mem.Bytes(s.In) + mem.Bytes(s.Transforms) + mem.Bytes(s.Rows) + mem.Bytes(s.Wrote)
	c.Lists = mem.Bytes(s.Entries) + mem.Bytes(s.Free) + mem.Bytes(s.Due.Words()) + mem.Bytes(s.Held.Words())
	for i := range s.Entries {
		c.Turning += s.Entries[i].Turns
		c.Lists += mem.Bytes(s.Entries[i].IDs)
	}
	sc := &s.scratch
	c.Scratch = mem.Bytes(sc.objects) + mem.Bytes(sc.ids) + mem.Bytes(sc.boxes) + mem.Bytes(sc.reaches)
	return c
}
