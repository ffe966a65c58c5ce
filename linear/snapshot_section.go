package linear

import (
	"fmt"
	"hash/crc32"
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
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
	if name == "" || len(name) > 31 {
		panic(fmt.Sprintf("linear: a section is named %q: not 1 to 31 bytes", name))
	}
	for _, c := range []byte(name) {
		if c == 0 {
			panic(fmt.Sprintf("linear: a section is named %q, with a zero byte", name))
		}
	}
	l := layoutOf[T]()
	return Section{snap.Section{
		Group: groupUser, Name: name, Row: mem.SizeOf[T](), Layout: l.hash(), Words: l.sizes,
		Data: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*mem.SizeOf[T]()),
	}}
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
	l := layoutOf[T]()
	if s.closed() {
		return nil, ErrClosed
	}
	i := s.file.Find(groupUser, name)
	if i < 0 {
		return nil, fmt.Errorf("linear: the snapshot has no section %q", name)
	}
	have, bytes, _ := s.file.Section(i)
	if have.Row != mem.SizeOf[T]() || have.Layout != l.hash() {
		return nil, fmt.Errorf("linear: section %q of the snapshot has rows of %d bytes, of another type than %v", name, have.Row, reflect.TypeFor[T]())
	}
	if s.level != CheckNone {
		if err := s.file.Check(i); err != nil {
			return nil, fault.Errorf("linear: %w", err)
		}
	}
	rows, err := s.file.Rows(i, l.sizes)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	for row := 0; len(l.bools) > 0 && row < len(rows); row += have.Row {
		for _, at := range l.bools {
			if x := rows[row+at]; x > 1 {
				return nil, fault.Errorf("linear: %w", notSound("byte %d of section %q is %d, of a bool", row+at, name, x))
			}
		}
	}
	values := make([]T, int(bytes)/have.Row)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(rows)), rows)
	return values, nil
}

// layout is the memory layout of a row of some type.
type layout struct {
	kinds []byte  // a letter for each word
	sizes []uint8 // sizes of the words
	bools []int   // offsets of the bools
	end   uintptr // end of the words
}

func (l *layout) hash() uint32 {
	return crc32.ChecksumIEEE(append(append([]byte{}, l.kinds...), l.sizes...))
}

// layoutOf returns the layout of a type, and panics unless it is the same on all machines.
func layoutOf[T any]() (l layout) {
	t := reflect.TypeFor[T]()
	l.add(t, t, 0)
	most := uintptr(1)
	for _, size := range l.sizes {
		most = max(most, uintptr(size))
	}
	if size := t.Size(); size == 0 || l.end != size || size%most != 0 {
		l.refuse(t, fmt.Sprintf("of its %d bytes %d are in fields, of up to %d", size, l.end, most))
	}
	return l
}

func (l *layout) refuse(t reflect.Type, why string) {
	panic(fmt.Sprintf("linear: %v cannot be in a snapshot: %s", t, why))
}

// add appends the words of a component of a type, which begins at an offset.
func (l *layout) add(of, t reflect.Type, at uintptr) {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			l.add(of, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			l.add(of, t.Field(i).Type, at+t.Field(i).Offset)
		}
	case reflect.Bool:
		l.bools = append(l.bools, int(at))
		l.word(of, at, 'b', t.Size())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		l.word(of, at, 'i', t.Size())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		l.word(of, at, 'u', t.Size())
	case reflect.Float32, reflect.Float64:
		l.word(of, at, 'f', t.Size())
	case reflect.Complex64, reflect.Complex128:
		l.word(of, at, 'f', t.Size()/2)
		l.word(of, at+t.Size()/2, 'f', t.Size()/2)
	default:
		l.refuse(of, fmt.Sprintf("there is a %v in it", t))
	}
}

func (l *layout) word(of reflect.Type, at uintptr, kind byte, size uintptr) {
	if at != l.end || at%size != 0 {
		l.refuse(of, fmt.Sprintf("there is a gap of other sizes elsewhere before byte %d", at))
	}
	l.kinds, l.sizes, l.end = append(l.kinds, kind), append(l.sizes, uint8(size)), at+size
}
