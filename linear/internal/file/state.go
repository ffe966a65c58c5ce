package file

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"sync"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Numbers visits the named numbers of a tree, a word each, in one order for saving and loading. A file contains only
// nonzero numbers, and a missing number is zero. A number of a later version is therefore accepted as long as it is
// zero. A nonzero number that this version does not have is rejected by name.
//
//	State       uint64    the numbers
//	StateNames  bytes     their names in the same order, a zero byte after each:
//	                      Config.World.Max.0, Pending, Work.Moved
type Numbers struct {
	Words   []uint64
	Names   []byte
	path    []byte            // path of the current number, up to its last dot
	Visit   func(name string) // unless nil, is called with the names of all numbers, and nothing else is done
	Loading bool
	err     error
}

// Of visits all numbers of a tree that are saved. The configuration and the world are first. State
// that is neither here nor in lists nor in the section Version is not saved: buffers, deferred
// changes, which have been applied by then, and limits, which only tests set.
func (s *Numbers) Of(t *octree.Tree) {
	s.fields("Config", &t.Config, "Workers") // a loaded tree uses the workers of its machine
	s.world(t)
	s.box("Centres", &t.Centres)
	s.box("FastBounds", &t.FastBounds.Boxes)
	s.box("FastCentres", &t.FastBounds.Centres)
	s.each(&t.Numbers)

	ids := t.IDs.State()
	s.number("IDs.Free", &ids.Free)
	s.number("IDs.Floor", &ids.Floor)
	s.number("IDs.Live", &ids.Live)
	c := t.Store
	nodes, form := c.Nodes.FreeList(), slotForm
	s.number("FreeNodes.First", &nodes.First)
	s.number("FreeNodes.Unused", &nodes.Unused)
	if s.number("SlotForm", &form); form > slotForm {
		s.fail("SlotForm", uint64(form))
	}
	s.number("Mask", &c.Packets.Mask)
	if s.Loading { // a tree that is saved may be read concurrently
		t.IDs.SetState(ids)
		c.Nodes.SetFreeList(nodes)
	}
	s.array("Near", &c.Near)
	s.array("Extent", &c.Extent)
	s.number("Count", &c.Count)
	s.number("Counted", &c.Counted)
	s.log(t)
	synced := t.Ticked == c.Version // no change since the last tick
	s.number("UnchangedSinceTick", &synced)
	if s.Loading && synced {
		t.Ticked = c.Version
	}
}

func (s *Numbers) world(t *octree.Tree) {
	exp, origin := t.World.Exp(), t.World.Origin()
	s.number("World.Exp", &exp)
	for a := range origin {
		s.number(axisNames["World.Origin"][a], &origin[a])
	}
	far := t.Code.Outlier
	s.number("Far", &far)
	if !s.Loading || s.err != nil {
		return
	}
	if s.err = t.Config.Complete(); s.err != nil {
		return
	}
	w, err := morton.NewWorld(exp, origin)
	if err == nil && t.Config.World != (soa.AABB{}) {
		var given morton.World
		given, err = morton.Fit(t.Config.World.Min, t.Config.World.Max)
		if err == nil && (t.Config.Fixed && w != given || !w.Inside(t.Config.World.Min) || !w.Inside(t.Config.World.Max)) {
			err = fmt.Errorf("the world %v, which must contain %v to %v, fixed: %v", w, t.Config.World.Min, t.Config.World.Max, t.Config.Fixed)
		}
	}
	s.err = err
	t.World, t.Code = w, octree.NewCoder(w, t.Config.MinCell)
	t.Code.Outlier = far
}

// axisNames maps names of numbers with one value per axis to the names of these values.
var axisNames = func() map[string][3]string {
	names := map[string][3]string{}
	for _, name := range [...]string{"World.Origin", "Min", "Max", "Near", "Extent"} {
		names[name] = [3]string{name + ".0", name + ".1", name + ".2"}
	}
	return names
}()

// log visits the log of a tree, if it has one.
func (s *Numbers) log(t *octree.Tree) {
	if s.Loading && t.Config.Log && t.Store.Log == nil {
		t.Store.Log = soa.NewLog()
	}
	l := t.Store.Log
	if l == nil {
		l = &soa.Log{}
	}
	full := l.Full()
	s.number("Log.First", &l.First)
	s.number("Log.Frame", &l.Frame)
	s.number("Log.Births", &l.Births)
	s.number("Log.Full", &full)
	if s.Loading {
		l.SetFull(full)
	}
}

func (s *Numbers) array(name string, x *[3]float32) {
	names := axisNames[name]
	for a := range x {
		s.number(names[a], &x[a])
	}
}

func (s *Numbers) box(name string, b *soa.AABB) {
	end := s.enter(name)
	s.array("Min", &b.Min)
	s.array("Max", &b.Max)
	s.path = s.path[:end]
}

// enter appends a name to the path, and returns the previous length of the path.
func (s *Numbers) enter(name string) (end int) {
	end = len(s.path)
	s.path = append(append(s.path, name...), '.')
	return end
}

// fields visits the numbers of a named struct, except for the named one.
func (s *Numbers) fields(name string, of any, but ...string) {
	end := s.enter(name)
	s.each(of, but...)
	s.path = s.path[:end]
}

// each visits the numbers of a struct, except for the named one.
func (s *Numbers) each(of any, but ...string) {
	v := reflect.ValueOf(of).Elem()
	for i, name := range fieldNames(v.Type()) {
		if len(but) == 0 || name != but[0] {
			s.field(name, v.Field(i))
		}
	}
}

// fieldNames returns the names of the fields of a struct. It allocates once.
func fieldNames(t reflect.Type) []string {
	if names, ok := knownFields.Load(t); ok {
		return names.([]string)
	}
	names := make([]string, t.NumField())
	for i := range names {
		names[i] = t.Field(i).Name
	}
	knownFields.Store(t, names)
	return names
}

var knownFields sync.Map // names by reflect.Type

func (s *Numbers) field(name string, v reflect.Value) {
	switch of := v.Addr().Interface().(type) {
	case *soa.AABB:
		s.box(name, of)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		s.fields(name, v.Addr().Interface())
	case reflect.Uint8:
		x := uint32(v.Uint())
		switch s.number(name, &x); {
		case !s.Loading: // a tree that is saved may be read concurrently
		case x <= math.MaxUint8:
			v.SetUint(uint64(x))
		default:
			s.fail(name, uint64(x))
		}
	default:
		s.number(name, v.Addr().Interface())
	}
}

// number visits one number.
func (s *Numbers) number(name string, to any) {
	if s.Visit != nil {
		s.Visit(string(s.path) + name)
		return
	}
	if !s.Loading {
		if w := wordOf(to); w != 0 {
			s.Words = append(s.Words, w)
			s.Names = append(append(append(s.Names, s.path...), name...), 0)
		}
		return
	}
	w := uint64(0)
	if s.next(name) {
		w = s.Words[0]
		s.Words, s.Names = s.Words[1:], s.Names[len(s.path)+len(name)+1:]
	}
	if !setWord(to, w) {
		s.fail(name, w)
	}
}

// next reports whether the next number of a file has that name.
func (s *Numbers) next(name string) bool {
	n := len(s.path) + len(name)
	return len(s.Names) > n && s.Names[n] == 0 && bytes.Equal(s.Names[:len(s.path)], s.path) && string(s.Names[len(s.path):n]) == name
}

func (s *Numbers) fail(name string, w uint64) {
	if s.err == nil {
		s.err = fmt.Errorf("%s%s is %#x", s.path, name, w)
	}
}

// wordOf returns a number as a word.
func wordOf(of any) uint64 {
	switch x := of.(type) {
	case *bool:
		if *x {
			return 1
		}
		return 0
	case *int:
		return uint64(*x)
	case *int32:
		return uint64(*x)
	case *uint32:
		return uint64(*x)
	case *uint64:
		return *x
	case *float32:
		return uint64(math.Float32bits(*x))
	case *float64:
		return math.Float64bits(*x)
	}
	panic(fmt.Sprintf("linear: a %T is not a number of a snapshot", of))
}

// setWord sets a number to a word, and reports whether the word is in its range.
func setWord(to any, w uint64) bool {
	switch x := to.(type) {
	case *bool:
		*x = w == 1
	case *int:
		*x = int(w)
	case *int32:
		*x = int32(w)
	case *uint32:
		*x = uint32(w)
	case *uint64:
		*x = w
	case *float32:
		*x = math.Float32frombits(uint32(w))
	case *float64:
		*x = math.Float64frombits(w)
	}
	return wordOf(to) == w
}

// slotForm is the form of the slots of nodes: 1, any slots. Before it was saved, the slots of a node of packets were
// contiguous.
const slotForm = uint32(1)

// formerNumbers are numbers that only earlier versions have saved. They are dropped. Without Area, which they saved
// during bulk motion, the next tick rebuilds the tree; Moves chose between the ways to cut in a rebuild. Free slots
// were listed in blocks, and are found when a tree is loaded.
var formerNumbers = map[string]bool{"Area": true, "Moves": true, "Dead": true, "FreeBlocks.First": true, "FreeBlocks.Unused": true}

// stateNames holds the names of all numbers of a tree.
var stateNames = func() map[string]bool {
	all := map[string]bool{}
	t := &octree.Tree{State: octree.State{Store: octree.NewStore()}}
	s := Numbers{Visit: func(name string) { all[name] = true }}
	s.Of(t)
	return all
}()

// load sets the numbers of a tree to a saved state.
func (s *Numbers) load(t *octree.Tree, words []uint64, names []byte) error {
	s.Words, s.Names, s.Loading = nil, nil, true
	for left := names; ; {
		name, rest, more := bytes.Cut(left, []byte{0})
		if !more {
			if len(name) > 0 || len(words) > 0 {
				return fmt.Errorf("%d numbers have no name, or %q no number", len(words), name)
			}
			break
		}
		if len(words) == 0 {
			return fmt.Errorf("%q has no number", name)
		}
		if w := words[0]; w != 0 && !formerNumbers[string(name)] {
			if !stateNames[string(name)] {
				return fmt.Errorf("%w: State: %s is %#x, and this version of the library has no such number", snap.ErrVersion, name, w)
			}
			s.Words, s.Names = append(s.Words, w), append(append(s.Names, name...), 0)
		}
		words, left = words[1:], rest
	}
	s.Of(t)
	if s.err == nil && len(s.Words) > 0 {
		name, _, _ := bytes.Cut(s.Names, []byte{0})
		s.err = fmt.Errorf("%s is there twice, or out of order", name)
	}
	return s.err
}
