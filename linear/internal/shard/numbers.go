package shard

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// A shard has two sections in addition to those of its tree:
//
//	numbers   [ID] → the number that the program has given to an object
//	order     IDs in ascending order of their numbers
//
// IDs follow the curve, so that the numbers of neighbouring objects are adjacent, too: for a query result a few
// lines of numbers are read, however the program has numbered its objects. To find a number, the order is searched
// by bisection.
const (
	numbersName = "numbers"
	orderName   = "order"
)

// numbering holds the numbers of the objects of a shard, in the memory of its file.
type numbering struct {
	Of    []uint64 // by ID
	Order []uint32
}

// newNumbering returns the numbering of numbers by ID. If two numbers are equal, distinct is false and twice is one
// of them.
func newNumbering(numbers []uint64) (n numbering, twice uint64, distinct bool) {
	n = numbering{numbers, make([]uint32, len(numbers))}
	for i := range n.Order {
		n.Order[i] = uint32(i)
	}
	slices.SortFunc(n.Order, func(a, b uint32) int { return cmp.Compare(numbers[a], numbers[b]) })
	for i := 1; i < len(n.Order); i++ {
		if a := numbers[n.Order[i]]; a == numbers[n.Order[i-1]] {
			return n, a, false
		}
	}
	return n, 0, true
}

// sections returns the sections of a shard file.
func (n *numbering) sections() []snap.Section {
	return []snap.Section{file.ColumnOf(numbersName, n.Of), file.ColumnOf(orderName, n.Order)}
}

// min and most return the smallest and the largest number. The numbering must not be empty.
func (n *numbering) min() uint64 { return n.Of[n.Order[0]] }
func (n *numbering) max() uint64 { return n.Of[n.Order[len(n.Order)-1]] }

// Find returns the ID of the object that has the number.
func (n *numbering) Find(number uint64) (id uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(n.Order, number, func(id uint32, number uint64) int { return cmp.Compare(n.Of[id], number) })
	if !ok {
		return soa.None, false
	}
	return n.Order[i], true
}

// Shard is an open shard.
type Shard struct {
	file.Snapshot
	Numbers numbering
	Users   int // number of editions
}

// OpenShard opens a shard and checks it against its row.
func (l *Listing) OpenShard(i int, level file.Level) (s *Shard, err error) {
	row := &l.Rows[i]
	path := row.Path(l.path)
	s = new(Shard)
	f, err := file.OpenMapped(path)
	if err = s.Open(f, err, level); err == nil {
		if err = s.check(row); err != nil {
			_ = s.Close()
		}
	}
	if err != nil {
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return s, nil
}

func (s *Shard) check(row *Row) (err error) {
	if s.Numbers, err = numberingOf(s.File, row, s.Level); err != nil {
		return err
	}
	if n := len(s.Lists.Where); n != len(s.Numbers.Of) {
		return file.NotSound("%d numbers for %d IDs", len(s.Numbers.Of), n)
	}
	if s.Level == file.CheckNone { // the bounds refer to unchecked columns
		return nil
	}
	if n, b := s.Tree.Store.Count, octree.BoundsOf(s.View().Store); uint64(n) != row.Count || b != row.AABB() {
		return file.NotSound("%d objects in %v to %v, the manifest names %d in %v", n, b.Min, b.Max, row.Count, row.Box)
	}
	return nil
}

// object returns an object by its ID.
func (s *Shard) object(id uint32) (o soa.Object, ok bool) {
	p := &s.Tree.Store.Packets
	slot, lane, ok := octree.Locate(s.Tree.IDs.Where, p, id)
	if ok {
		o = p.Object(slot, lane)
	}
	return o, ok
}

// numberingOf returns the numbers of the objects in a file, if it is the one that the manifest names. Except at
// CheckNone the order is verified to be a permutation of all IDs.
func numberingOf(f *snap.File, row *Row, level file.Level) (n numbering, err error) {
	if sums := f.Sums(); sums != row.Sums || uint64(f.Bytes) != row.Bytes {
		return n, file.NotSound("it is not the file of the manifest: it has %d bytes with sums %#x, not %d with %#x", f.Bytes, sums, row.Bytes, row.Sums)
	}
	if err := adoptColumn(f, numbersName, &n.Of, row.Count, level); err != nil {
		return n, err
	}
	if err := adoptColumn(f, orderName, &n.Order, row.Count, level); err != nil {
		return n, err
	}
	if level != file.CheckNone {
		err = n.check(row)
	}
	return n, err
}

// adoptColumn makes a list a section of the file, if it has as many rows as there are objects.
func adoptColumn[T uint32 | uint64](f *snap.File, name string, to *[]T, count uint64, level file.Level) error {
	i := f.Find(file.GroupUser, name)
	if i < 0 {
		return file.NotSound("there is no section %s", name)
	}
	size := uint64(file.ListOf(to).RowSize())
	if have, bytes, _ := f.Section(i); uint64(have.Row) != size || uint64(bytes) != size*count {
		return file.NotSound("section %s has %d bytes in rows of %d for %d objects", name, bytes, have.Row, count)
	}
	rows, err := file.CheckedRows(f, i, []uint8{uint8(size)}, level)
	if err == nil {
		file.ListOf(to).Adopt(rows)
	}
	return err
}

// check verifies that the order has all IDs, and that their numbers ascend from the smallest to the largest one in
// the manifest, as find requires. Ascending numbers are distinct, so the IDs are.
func (n *numbering) check(row *Row) error {
	for i, id := range n.Order {
		if uint64(id) >= uint64(len(n.Of)) {
			return file.NotSound("the order has the ID %d of %d", id, len(n.Of))
		}
		if i > 0 {
			if a, b := n.Of[n.Order[i-1]], n.Of[id]; b <= a {
				return file.NotSound("the number %d follows %d", b, a)
			}
		}
	}
	if least, most := n.min(), n.max(); least != row.Least || most != row.Most {
		return file.NotSound("numbers %d to %d, the manifest names %d to %d", least, most, row.Least, row.Most)
	}
	return nil
}
