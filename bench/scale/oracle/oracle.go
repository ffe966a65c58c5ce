// Package oracle provides the reference for the stores of this module: one tree of all rows in memory.
package oracle

import (
	"fmt"
	"slices"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

// Oracle is a tree of rows that are addressed by their numbers.
type Oracle struct {
	Tree  *linear.Tree
	Rows  []row.Row // all rows, in no order
	ids   []uint64  // row numbers by tree ID
	local map[uint64]uint32
	at    map[uint64]int // indices of Rows by row number
}

// New returns an oracle of rows, which must be valid.
func New(rows []row.Row) (*Oracle, error) {
	o := &Oracle{Rows: slices.Clone(rows), local: map[uint64]uint32{}, at: map[uint64]int{}}
	objects := make([]soa.Object, len(rows))
	for i, r := range rows {
		objects[i] = r.Object
		o.ids = append(o.ids, r.ID)
		o.local[r.ID] = uint32(i)
		o.at[r.ID] = i
	}
	var err error
	if o.Tree, err = linear.New(linear.Config{}); err != nil {
		return nil, err
	}
	_, err = o.Tree.InsertBatch(nil, objects)
	return o, err
}

// Put stores an object under a number.
func (o *Oracle) Put(r row.Row) error {
	if _, ok := o.local[r.ID]; ok {
		if err := o.Remove(r.ID); err != nil {
			return err
		}
	}
	id, err := o.Tree.Insert(r.Object)
	if err != nil {
		return err
	}
	o.ids = slices.Grow(o.ids, max(0, int(id)+1-len(o.ids)))[:max(len(o.ids), int(id)+1)]
	o.ids[id], o.local[r.ID], o.at[r.ID] = r.ID, id, len(o.Rows)
	o.Rows = append(o.Rows, r)
	return nil
}

// Move changes the box of an object.
func (o *Oracle) Move(id uint64, box soa.AABB) error {
	o.Rows[o.at[id]].Object.Box = box
	return o.Tree.Move(o.local[id], box)
}

// Remove removes an object.
func (o *Oracle) Remove(id uint64) error {
	i, last := o.at[id], len(o.Rows)-1
	o.Rows[i] = o.Rows[last]
	o.at[o.Rows[i].ID] = i
	o.Rows = o.Rows[:last]
	err := o.Tree.Remove(o.local[id])
	delete(o.local, id)
	delete(o.at, id)
	return err
}

// Append appends the numbers of the objects that overlap a box.
func (o *Oracle) Append(dst []uint64, b soa.AABB, flt query.Filter) ([]uint64, error) {
	box, err := query.NewBox(b.Min, b.Max)
	if err != nil {
		return dst, err
	}
	for _, id := range box.Append(nil, o.Tree.View(), flt) {
		dst = append(dst, o.ids[id])
	}
	return dst, nil
}

// Agree returns an error unless the result of another store equals the oracle's: the same numbers in any
// order, each once.
func (o *Oracle) Agree(got []uint64, b soa.AABB, flt query.Filter) error {
	want, err := o.Append(nil, b, flt)
	if err != nil {
		return err
	}
	got = slices.Sorted(slices.Values(got))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("box %v, filter %v: %d objects, one tree returns %d%s", b, flt, len(got), len(want), difference(got, want))
	}
	return nil
}

// difference describes the first number that only one result has.
func difference(got, want []uint64) string {
	for i := range max(len(got), len(want)) {
		switch {
		case i == len(got) || i < len(want) && want[i] < got[i]:
			return fmt.Sprintf("; %d is missing", want[i])
		case i == len(want) || got[i] < want[i]:
			return fmt.Sprintf("; %d is too much", got[i])
		}
	}
	return ""
}
