package linear

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
)

// Section is a column of the program's own data, saved in a snapshot with the tree: see
// [SaveColumn].
type Section struct{ s snap.Section }

// SaveColumn returns a section with the program's own values, for [SnapshotOptions], such as
// payload by ID from [Column.Values]. [LoadColumn] returns them. It copies nothing: the values must
// not be written until the snapshot has been saved.
//
// T is a number of fixed size, a bool, or an array or struct of such, nested or not; the name has 1
// to 31 bytes, none of them zero. Anything else panics. That includes pointers, strings and slices;
// int, uint and uintptr, whose size depends on the machine; and structs with gaps between fields,
// or with a layout that depends on the machine. Order the fields by size, or fill the gaps with
// fields of your own.
func SaveColumn[T any](name string, values []T) Section {
	return Section{file.ColumnOf(name, values)}
}

// LoadColumn reads a column of the program from a snapshot: a copy of the values that [SaveColumn] has saved under
// that name. It compares
// the checksums of the section, unless the level of the snapshot is [CheckNone].
//
// It is an error if there is no such section, if its checksums are wrong, or if it was saved with
// another type, with other kinds of numbers or in another order. The rules for T are those of
// SaveColumn; LoadColumn panics otherwise.
func LoadColumn[T any](s *Snapshot, name string) ([]T, error) {
	s.opened()
	l := file.LayoutOf[T]()
	if s.closed() {
		return nil, ErrClosed
	}
	i := s.from.File.Find(file.GroupUser, name)
	if i < 0 {
		return nil, fmt.Errorf("linear: the snapshot has no section %q", name)
	}
	have, bytes, _ := s.from.File.Section(i)
	if have.Row != mem.SizeOf[T]() || have.Layout != l.Hash() {
		return nil, fmt.Errorf("linear: section %q of the snapshot has rows of %d bytes, of another type than %v", name, have.Row, reflect.TypeFor[T]())
	}
	if s.from.Level != file.CheckNone {
		if err := s.from.File.Check(i); err != nil {
			return nil, fault.Errorf("linear: %w", err)
		}
	}
	rows, err := s.from.File.Rows(i, l.Sizes)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	for row := 0; len(l.Bools) > 0 && row < len(rows); row += have.Row {
		for _, at := range l.Bools {
			if x := rows[row+at]; x > 1 {
				return nil, fault.Errorf("linear: %w", file.NotSound("byte %d of section %q is %d, of a bool", row+at, name, x))
			}
		}
	}
	values := make([]T, int(bytes)/have.Row)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(rows)), rows)
	return values, nil
}
