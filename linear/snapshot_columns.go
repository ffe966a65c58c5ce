package linear

import (
	"math"
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/bitset"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/soa"
)

// What a snapshot holds of a tree is this list of sections, for saving, opening and
// digests alike: the columns of the store, and what a tree keeps in lists and numbers
// beside them. Hot ones are what queries read; others are for who changes the tree.
//
//	State    uint64        all numbers: see snapshot_state.go
//	         columns       of nodes and packets, under their names: see package soa
//	Pending  uint32        slots of the pending list
//	Where    Place         of objects by ID; free IDs: see soa.IDs
//	Gen      uint32
//	Strays   uint32        IDs
//	Graves   2 x uint32    node, tick
//	Departed 2 x uint32    handles
//	Dirty, Thin, Worn, Leaving  uint64    sets, as bits; no zero words at the end
//	Tall     uint64        the sets of nodes to refit, one behind the other
//	TallEnds uint32        where each ends, in words
//	Changes  13 x uint32   of the log: see packChange
//	Born     uint64        of the log

// Groups of sections. In a file of a scene each part has one of its own: see
// snapshot_scene.go.
const (
	groupTree = 0
	groupUser = 1<<32 - 1
)

// section is a column that can be saved, or made of what was saved.
type section struct {
	name string
	hot  bool
	col  column
}

// column is what [soa.AnyColumn] says of columns of other types, too.
type column interface {
	Len() int
	RowSize() int
	WordSize() int
	Bytes() []byte
	Adopt([]byte)
}

// coldColumns are those of the store that no query reads.
var coldColumns = map[string]bool{"Area": true, "Life": true, "Dies": true, "Homes": true}

// lists are what a tree keeps beside its store, in the form in which it is saved.
type lists struct {
	state []uint64
	where []soa.Place
	gen   []uint32

	strays                     []uint32
	graves                     []grave
	departed                   []soa.Handle
	dirty, thin, worn, leaving []uint64
	tall                       []uint64
	tallEnds                   []uint32
	changes                    []packedChange
	born                       []uint64
}

// sections lists all that is saved of a tree with that store. It is the only place that
// names it.
func (l *lists) sections(s *soa.Store) (list []section) {
	list = append(list, section{"State", true, listOf(&l.state)})
	for _, col := range s.Packets.Columns(s.Nodes.Columns(nil)) {
		if !coldColumns[col.Name] {
			list = append(list, section{col.Name, true, col})
		}
	}
	list = append(list, section{"Pending", true, listOf(&s.Pending)}, section{"Where", true, listOf(&l.where)})
	for _, col := range s.Packets.Columns(s.Nodes.Columns(nil)) {
		if coldColumns[col.Name] {
			list = append(list, section{col.Name, false, col})
		}
	}
	cold := func(name string, col column) { list = append(list, section{name, false, col}) }
	cold("Gen", listOf(&l.gen))
	cold("Strays", listOf(&l.strays))
	cold("Graves", listOf(&l.graves))
	cold("Departed", listOf(&l.departed))
	cold("Dirty", listOf(&l.dirty))
	cold("Thin", listOf(&l.thin))
	cold("Worn", listOf(&l.worn))
	cold("Leaving", listOf(&l.leaving))
	cold("Tall", listOf(&l.tall))
	cold("TallEnds", listOf(&l.tallEnds))
	cold("Changes", listOf(&l.changes))
	cold("Born", listOf(&l.born))
	return list
}

// words are the sizes of the words of a row, as package snap takes them.
func (s *section) words() []uint8 { return []uint8{uint8(s.col.WordSize())} }

// layout tells rows of words of one size apart from others.
func (s *section) layout() uint32 { return uint32(s.col.WordSize()) }

// asSection is the form in which a column is written.
func (s *section) asSection(group uint32) snap.Section {
	flags := snap.ToChange
	if s.hot {
		flags |= snap.ToRead
	}
	return snap.Section{
		Group: group, Name: s.name, Row: s.col.RowSize(), Layout: s.layout(),
		Flags: flags, Words: s.words(), Data: s.col.Bytes(),
	}
}

// treeImage is what is saved of a tree.
type treeImage struct {
	store *soa.Store
	lists *lists
}

func (i *treeImage) sections() []section { return i.lists.sections(i.store) }

// image returns that of a tree. What need not be packed is not copied.
func (t *Tree) image() treeImage {
	l := new(lists)
	l.of(t)
	l.log(t.store.Log)
	return treeImage{t.store, l}
}

// of makes the lists what a tree keeps beside its store. What need not be packed is not
// copied, and memory for what is packed is used again.
func (l *lists) of(t *Tree) {
	*l = lists{
		state: l.state[:0], tall: l.tall[:0], tallEnds: l.tallEnds[:0],
		where: t.ids.Where, gen: t.ids.Gen,
		strays: t.strays, graves: t.graves, departed: t.departed,
		dirty: trimmed(&t.dirty), thin: trimmed(&t.thin), worn: trimmed(&t.worn), leaving: trimmed(&t.leaving),
	}
	for h := range t.tall {
		l.tall = append(l.tall, trimmed(&t.tall[h])...)
		l.tallEnds = append(l.tallEnds, uint32(len(l.tall)))
	}
	for n := len(l.tallEnds); n > 0 && (n > 1 && l.tallEnds[n-1] == l.tallEnds[n-2] || l.tallEnds[n-1] == 0); n-- {
		l.tallEnds = l.tallEnds[:n-1] // sets that have been used and are empty
	}
	s := scalars{words: l.state}
	s.of(t)
	l.state = s.words
}

// log adds that of a store, if it has one.
func (l *lists) log(log *soa.Log) {
	if log == nil {
		return
	}
	l.born = log.Born
	for i := range log.Changes {
		l.changes = append(l.changes, packChange(&log.Changes[i]))
	}
}

// give gives a tree, whose numbers are those of the state, what was saved of it. The tree
// shares memory with the lists but for sets and the log.
func (l *lists) give(t *Tree) {
	t.ids.Where, t.ids.Gen = l.where, l.gen
	t.strays, t.graves, t.departed = l.strays, l.graves, l.departed
	t.dirty, t.thin, t.worn, t.leaving = bitset.Of(l.dirty), bitset.Of(l.thin), bitset.Of(l.worn), bitset.Of(l.leaving)
	t.tall = t.tall[:0]
	first := uint32(0)
	for _, end := range l.tallEnds {
		t.tall = append(t.tall, bitset.Of(l.tall[first:end:end]))
		first = end
	}
	if log := t.store.Log; log != nil {
		log.Born = l.born
		log.Changes = log.Changes[:0]
		for i := range l.changes {
			log.Changes = append(log.Changes, l.changes[i].unpack())
		}
	}
}

// trimmed returns the bits of a set without zero words at the end: how far it once reached
// is nothing to anybody.
func trimmed(b *bitset.Set) []uint64 {
	w := b.Words()
	for len(w) > 0 && w[len(w)-1] == 0 {
		w = w[:len(w)-1]
	}
	return w
}

// packedChange is an entry of the log:
//
//	box 6 | sphere 4 | mask | ID | 1: static, 2: gone, 4: oriented
type packedChange [13]uint32

func packChange(c *soa.Change) (p packedChange) {
	for a := range 3 {
		p[a], p[3+a] = math.Float32bits(c.Object.Box.Min[a]), math.Float32bits(c.Object.Box.Max[a])
	}
	for k, x := range c.Sphere {
		p[6+k] = math.Float32bits(x)
	}
	p[10], p[11] = c.Object.Mask, c.ID
	for k, is := range [...]bool{c.Object.Static, c.Gone, c.Oriented} {
		if is {
			p[12] |= 1 << k
		}
	}
	return p
}

func (p *packedChange) unpack() (c soa.Change) {
	for a := range 3 {
		c.Object.Box.Min[a], c.Object.Box.Max[a] = math.Float32frombits(p[a]), math.Float32frombits(p[3+a])
	}
	for k := range c.Sphere {
		c.Sphere[k] = math.Float32frombits(p[6+k])
	}
	c.Object.Mask, c.ID = p[10], p[11]
	c.Object.Static, c.Gone, c.Oriented = p[12]&1 != 0, p[12]&2 != 0, p[12]&4 != 0
	return c
}

// slice is a column that is no column of a store.
type slice[T any] []T

func listOf[T any](list *[]T) column { return (*slice[T])(list) }

func (s *slice[T]) Len() int     { return len(*s) }
func (s *slice[T]) RowSize() int { return sizeOf[T]() }

// WordSize returns that of the numbers of which a row consists: lists have rows of numbers
// alike, of 4 bytes if there are several.
func (s *slice[T]) WordSize() int {
	if t := reflect.TypeFor[T](); t.Kind() != reflect.Struct && t.Kind() != reflect.Array {
		return int(t.Size())
	}
	return 4
}

func (s *slice[T]) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*s))), len(*s)*sizeOf[T]())
}

func (s *slice[T]) Adopt(b []byte) {
	n := len(b) / sizeOf[T]()
	*s = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)[:n:n]
}
