package linear

import (
	"cmp"
	"slices"

	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
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
	of    []uint64 // by ID
	order []uint32
}

// newNumbering returns the numbering of numbers by ID. If two numbers are equal, distinct is false and twice is one
// of them.
func newNumbering(numbers []uint64) (n numbering, twice uint64, distinct bool) {
	n = numbering{numbers, make([]uint32, len(numbers))}
	for i := range n.order {
		n.order[i] = uint32(i)
	}
	slices.SortFunc(n.order, func(a, b uint32) int { return cmp.Compare(numbers[a], numbers[b]) })
	for i := 1; i < len(n.order); i++ {
		if a := numbers[n.order[i]]; a == numbers[n.order[i-1]] {
			return n, a, false
		}
	}
	return n, 0, true
}

// sections returns the sections of a shard file.
func (n *numbering) sections() []snap.Section {
	return []snap.Section{file.ColumnOf(numbersName, n.of), file.ColumnOf(orderName, n.order)}
}

// min and most return the smallest and the largest number. The numbering must not be empty.
func (n *numbering) min() uint64 { return n.of[n.order[0]] }
func (n *numbering) max() uint64 { return n.of[n.order[len(n.order)-1]] }

// find returns the ID of the object that has the number.
func (n *numbering) find(number uint64) (id uint32, ok bool) {
	i, ok := slices.BinarySearchFunc(n.order, number, func(id uint32, number uint64) int { return cmp.Compare(n.of[id], number) })
	if !ok {
		return soa.None, false
	}
	return n.order[i], true
}

// numberingOf returns the numbers of the objects in a file, if it is the one that the manifest names. Except at
// CheckNone the order is verified to be a permutation of all IDs.
func numberingOf(f *snap.File, row *shardRow, level file.Level) (n numbering, err error) {
	if sums := f.Sums(); sums != row.Sums || uint64(f.Bytes) != row.Bytes {
		return n, file.NotSound("it is not the file of the manifest: it has %d bytes with sums %#x, not %d with %#x", f.Bytes, sums, row.Bytes, row.Sums)
	}
	if err := adoptColumn(f, numbersName, &n.of, row.Count, level); err != nil {
		return n, err
	}
	if err := adoptColumn(f, orderName, &n.order, row.Count, level); err != nil {
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
	if level != file.CheckNone {
		if err := f.Check(i); err != nil {
			return err
		}
	}
	rows, err := f.Rows(i, []uint8{uint8(size)})
	if err == nil {
		file.ListOf(to).Adopt(rows)
	}
	return err
}

// check verifies that the order has all IDs, and that their numbers ascend from the smallest to the largest one in
// the manifest, as find requires. Ascending numbers are distinct, so the IDs are.
func (n *numbering) check(row *shardRow) error {
	for i, id := range n.order {
		if uint64(id) >= uint64(len(n.of)) {
			return file.NotSound("the order has the ID %d of %d", id, len(n.of))
		}
		if i > 0 {
			if a, b := n.of[n.order[i-1]], n.of[id]; b <= a {
				return file.NotSound("the number %d follows %d", b, a)
			}
		}
	}
	if least, most := n.min(), n.max(); least != row.Least || most != row.Most {
		return file.NotSound("numbers %d to %d, the manifest names %d to %d", least, most, row.Least, row.Most)
	}
	return nil
}
