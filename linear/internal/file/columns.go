package file

import (
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// A snapshot of a tree consists of the following sections. The list is used for saving, opening and
// digests: the columns of the store, and the lists and numbers that a tree keeps beside them. Hot
// sections are read by queries; the others are needed only to change the tree.
//
//	State, StateNames      the configuration and all numbers: see state.go
//	Version  uint64        number of changes; it is not part of the layout
//	         columns       of nodes and packets, under their names: see package soa. The
//	                       parents of packets are PacketParents
//	Pending  uint32        slots of the pending list
//	Locations  uint32      of objects by ID; free IDs: see soa.IDs
//	Generations  uint32    by ID
//	Displaced  uint32      IDs of objects outside their placement boxes
//	EmptyNodes  2 x uint32 node, tick at which it is freed
//	RemovedOutside  2 x uint32  handles
//	Dirty, Underfull, Degraded, Leaving  uint64  sets, as bits; no zero words at the end
//	RefitByHeight  uint64  the sets of nodes to refit, concatenated
//	RefitEnds  uint32      end of each of these sets, in words
//	Changes  13 x uint32   of the log: see packChange
//	Born     uint64        of the log

// Groups of sections. In a file of a scene each part has its own: see scene.go.
const (
	groupTree = 0
	GroupUser = 1<<32 - 1
)

// VersionSection is the section of the number of changes, which is not part of the layout.
const VersionSection = "Version"

// Section is a column that can be saved, or set from a file.
type Section struct {
	Name string
	Hot  bool
	Col  Column
}

// Column is the part of [soa.AnyColumn] that other column types implement, too.
type Column interface {
	Len() int
	RowSize() int
	WordSize() int
	Bytes() []byte
	Adopt([]byte)
}

// listColumn is a column that does not belong to a store.
type listColumn interface {
	Column
	copyTo(other Column)
	memory() int
}

// coldColumns are the columns of the store that no query reads.
var coldColumns = map[string]bool{"Area": true, "MinTicks": true, "FreeAtTick": true, "PlacementBoxes": true}

// Lists holds the state of a tree beside its store, in the form in which it is saved.
type Lists struct {
	State   []uint64
	Names   []byte // names of the numbers in state
	version []uint64
	Where   []soa.Location
	Gen     []uint32 // both halves of soa.Generations

	displaced      []uint32
	emptyNodes     []octree.EmptyNode
	removedOutside []soa.Handle
	sets           [4][]uint64 // see octree.Lists.Sets
	refitByHeight  []uint64
	RefitEnds      []uint32
	Changes        []packedChange
	Born           []uint64
}

// columns lists all lists with the names of their sections. No other code lists them. The ones from copied on are
// copied for a checkpoint, up to those from packed on. These and the generations are packed.
func (l *Lists) columns() [16]Section {
	set := func(i int) Column { return ListOf(&l.sets[i]) }
	return [...]Section{
		{"State", true, ListOf(&l.State)}, {"StateNames", true, ListOf(&l.Names)}, {VersionSection, true, ListOf(&l.version)},
		{"Locations", true, ListOf(&l.Where)},
		{"Generations", false, ListOf(&l.Gen)}, {"Displaced", false, ListOf(&l.displaced)}, {"EmptyNodes", false, ListOf(&l.emptyNodes)},
		{"RemovedOutside", false, ListOf(&l.removedOutside)},
		{"Dirty", false, set(0)}, {"Underfull", false, set(1)}, {"Degraded", false, set(2)}, {"Leaving", false, set(3)},
		{"RefitByHeight", false, ListOf(&l.refitByHeight)}, {"RefitEnds", false, ListOf(&l.RefitEnds)},
		{"Changes", false, ListOf(&l.Changes)}, {"Born", false, ListOf(&l.Born)},
	}
}

// Indices of columns.
const (
	locations   = 3
	generations = locations + 1
	copied      = generations + 1
	packed      = copied + 7
)

// CopyTo replaces the lists of pending work by copies in the memory of other lists.
func (l *Lists) CopyTo(other *Lists) {
	to, from := other.columns(), l.columns()
	for i := copied; i < packed; i++ {
		from[i].Col.(listColumn).copyTo(to[i].Col)
	}
}

// Sections lists all sections of a tree with that store.
func (l *Lists) Sections(s *soa.Store) (list []Section) {
	own := l.columns()
	list = append(list, own[:locations]...)
	stored := s.Packets.Columns(s.Nodes.Columns(nil))
	for _, col := range stored {
		if !coldColumns[col.Name] {
			list = append(list, Section{col.Name, true, col})
		}
	}
	list = append(list, Section{"Pending", true, ListOf(&s.Pending)}, own[locations])
	for _, col := range stored {
		if coldColumns[col.Name] {
			list = append(list, Section{col.Name, false, col})
		}
	}
	return append(list, own[generations:]...)
}

// Words returns the sizes of the words of a row, as package snap expects them.
func (s *Section) Words() []uint8 { return []uint8{uint8(s.Col.WordSize())} }

// layout returns the layout code of a row, its word size.
func (s *Section) layout() uint32 { return uint32(s.Col.WordSize()) }

// asSection returns the form in which a column is written.
func (s *Section) asSection(group uint32) snap.Section {
	flags := snap.ToChange
	if s.Hot {
		flags |= snap.ToRead
	}
	return snap.Section{
		Group: group, Name: s.Name, Row: s.Col.RowSize(), Layout: s.layout(),
		Flags: flags, Words: s.Words(), Data: s.Col.Bytes(),
	}
}

// Image is the saved form of a tree.
type Image struct {
	Store *soa.Store
	Lists *Lists
}

// Sections lists all sections of the tree.
func (i *Image) Sections() []Section { return i.Lists.Sections(i.Store) }

// ImageOf returns the saved form of a tree. Lists that need no packing are shared, not copied.
func ImageOf(t *octree.Tree) Image {
	l := new(Lists)
	l.Of(t)
	l.Log(t.Store.Log)
	return Image{t.Store, l}
}

// Of sets the lists to the state of a tree. Lists that need no packing are shared, not copied, and
// memory of packed ones is reused.
func (l *Lists) Of(t *octree.Tree) {
	*l = Lists{
		State: l.State[:0], Names: l.Names[:0], version: append(l.version[:0], t.Store.Version), refitByHeight: l.refitByHeight[:0], RefitEnds: l.RefitEnds[:0],
		Where: t.IDs.Where, Gen: joinedInto(l.Gen, &t.IDs.Gen),
		displaced: t.Displaced, emptyNodes: t.EmptyNodes, removedOutside: t.RemovedOutside,
	}
	for i, set := range t.Sets() {
		l.sets[i] = trimmed(set)
	}
	for h := range t.RefitByHeight {
		l.refitByHeight = append(l.refitByHeight, trimmed(&t.RefitByHeight[h])...)
		l.RefitEnds = append(l.RefitEnds, uint32(len(l.refitByHeight)))
	}
	for n := len(l.RefitEnds); n > 0 && (n > 1 && l.RefitEnds[n-1] == l.RefitEnds[n-2] || l.RefitEnds[n-1] == 0); n-- {
		l.RefitEnds = l.RefitEnds[:n-1] // trailing empty sets
	}
	s := Numbers{Words: l.State, Names: l.Names}
	s.Of(t)
	l.State, l.Names = s.Words, s.Names
}

// Log appends the changes of a log; it may be nil.
func (l *Lists) Log(log *soa.Log) {
	if log == nil {
		return
	}
	l.Born = log.Born
	for i := range log.Changes {
		l.Changes = append(l.Changes, packChange(&log.Changes[i]))
	}
}

// LoadInto sets the state of a tree, whose numbers have been loaded, to the lists. The tree shares
// memory with them, except for sets and the log.
func (l *Lists) LoadInto(t *octree.Tree) {
	t.IDs.Where = l.Where
	t.IDs.SetGenerations(l.Gen)
	t.Displaced, t.EmptyNodes, t.RemovedOutside = l.displaced, l.emptyNodes, l.removedOutside
	for i, set := range t.Sets() {
		*set = bitset.Of(l.sets[i])
	}
	t.RefitByHeight = t.RefitByHeight[:0]
	t.FindFree()
	first := uint32(0)
	for _, end := range l.RefitEnds {
		t.RefitByHeight = append(t.RefitByHeight, bitset.Of(l.refitByHeight[first:end:end]))
		first = end
	}
	if log := t.Store.Log; log != nil {
		log.Born = l.Born
		log.Changes = log.Changes[:0]
		for i := range l.Changes {
			log.Changes = append(log.Changes, l.Changes[i].unpack())
		}
	}
}

// trimmed returns the words of a set without zero words at the end, so that equal sets are saved alike.
func trimmed(b *bitset.Set) []uint64 {
	w := b.Words()
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	return w
}

// packedChange is an entry of the log, in words of 4 bytes.
type packedChange struct {
	box      soa.AABB
	sphere   [4]float32
	mask, id uint32
	flags    uint32 // 1: static, 2: gone, 4: oriented
}

func packChange(c *soa.Change) packedChange {
	p := packedChange{box: c.Object.Box, sphere: c.Sphere, mask: c.Object.Mask, id: c.ID}
	for k, is := range [...]bool{c.Object.Static, c.Removed, c.Oriented} {
		if is {
			p.flags |= 1 << k
		}
	}
	return p
}

func (p *packedChange) unpack() soa.Change {
	return soa.Change{
		Object: soa.Object{Box: p.box, Mask: p.mask, Static: p.flags&1 != 0},
		Sphere: p.sphere, ID: p.id, Removed: p.flags&2 != 0, Oriented: p.flags&4 != 0,
	}
}

// slice is a column that does not belong to a store.
type slice[T any] []T

// ListOf returns a list as a column.
func ListOf[T any](list *[]T) Column { return (*slice[T])(list) }

func (s *slice[T]) Len() int     { return len(*s) }
func (s *slice[T]) RowSize() int { return mem.SizeOf[T]() }

// WordSize returns the size of the numbers in a row. All numbers of a row have one size, 4 bytes if there are several.
func (s *slice[T]) WordSize() int {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Struct && t.Kind() != reflect.Array {
		return int(t.Size())
	}
	return 4
}

func (s *slice[T]) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*s))), len(*s)*mem.SizeOf[T]())
}

// copyTo replaces the list by a copy in the memory of another list of its type.
func (s *slice[T]) copyTo(other Column) { *s = copyInto(*other.(*slice[T]), *s) }

// memory returns the memory of the list in bytes.
func (s *slice[T]) memory() int { return mem.Bytes(*s) }

func (s *slice[T]) Adopt(b []byte) {
	n := len(b) / mem.SizeOf[T]()
	if n == 0 { // a row that begins at the end of b would lie outside its memory
		*s = []T{}
		return
	}
	*s = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n]
}

// joinedInto returns a list of generations, in the memory of to if it has capacity.
func joinedInto(to []uint32, gens *soa.Generations) []uint32 {
	to = withRoom(to, gens.Len())
	gens.CopyTo(to)
	return to
}

// copyInto returns a copy of from, in the memory of to if it has capacity.
func copyInto[T any](to, from []T) []T {
	to = withRoom(to, len(from))
	copy(to, from)
	return to
}

// withRoom returns a list of n elements, unspecified, in the memory of to if it has capacity.
func withRoom[T any](to []T, n int) []T {
	if cap(to) < n {
		to = mem.Fresh[T](nil, n+n/8)
	}
	return to[:n]
}

// Bytes returns the memory of lists that are copies.
func (l *Lists) Bytes() (sum int) {
	columns := l.columns()
	for i := range columns[:len(columns)-1] { // Born belongs to the version
		sum += columns[i].Col.(listColumn).memory()
	}
	return sum
}
