package file

import (
	"fmt"
	"hash/crc32"
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
)

// Layout is the memory layout of a row of some type.
type Layout struct {
	kinds []byte  // a letter for each word
	Sizes []uint8 // sizes of the words
	bools []int   // offsets of the bools
	end   uintptr // end of the words
}

// Hash returns the layout code of a section.
func (l *Layout) Hash() uint32 {
	return crc32.ChecksumIEEE(append(append([]byte{}, l.kinds...), l.Sizes...))
}

// ColumnOf returns a column of the program as a section: see linear.SaveColumn.
func ColumnOf[T any](name string, values []T) snap.Section {
	if name == "" || len(name) > 31 {
		panic(fmt.Sprintf("linear: a section is named %q: not 1 to 31 bytes", name))
	}
	for _, c := range []byte(name) {
		if c == 0 {
			panic(fmt.Sprintf("linear: a section is named %q, with a zero byte", name))
		}
	}
	l := LayoutOf[T]()
	return snap.Section{
		Group: GroupUser, Name: name, Row: mem.SizeOf[T](), Layout: l.Hash(), Words: l.Sizes,
		Data: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*mem.SizeOf[T]()),
	}
}

// LoadColumn returns a copy of a column of the program in a snapshot: see linear.LoadColumn.
func LoadColumn[T any](s *Snapshot, name string) ([]T, error) {
	l := LayoutOf[T]()
	if s.IsClosed() {
		return nil, ErrClosed
	}
	i := s.File.Find(GroupUser, name)
	if i < 0 {
		return nil, fmt.Errorf("linear: the snapshot has no section %q", name)
	}
	have, bytes, _ := s.File.Section(i)
	if have.Row != mem.SizeOf[T]() || have.Layout != l.Hash() {
		return nil, fmt.Errorf("linear: section %q of the snapshot has rows of %d bytes, of another type than %v", name, have.Row, reflect.TypeFor[T]())
	}
	rows, err := CheckedRows(s.File, i, l.Sizes, s.Level)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	for row := 0; len(l.bools) > 0 && row < len(rows); row += have.Row {
		for _, at := range l.bools {
			if x := rows[row+at]; x > 1 {
				return nil, fault.Errorf("linear: %w", NotSound("byte %d of section %q is %d, of a bool", row+at, name, x))
			}
		}
	}
	values := make([]T, int(bytes)/have.Row)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(rows)), rows)
	return values, nil
}

// LayoutOf returns the layout of a type, and panics unless it is the same on all machines.
func LayoutOf[T any]() (l Layout) {
	t := reflect.TypeFor[T]()
	l.add(t, t, 0)
	most := uintptr(1)
	for _, size := range l.Sizes {
		most = max(most, uintptr(size))
	}
	if size := t.Size(); size == 0 || l.end != size || size%most != 0 {
		l.refuse(t, fmt.Sprintf("of its %d bytes %d are in fields, of up to %d", size, l.end, most))
	}
	return l
}

func (l *Layout) refuse(t reflect.Type, why string) {
	panic(fmt.Sprintf("linear: %v cannot be in a snapshot: %s", t, why))
}

// add appends the words of a component of a type, which begins at an offset.
func (l *Layout) add(of, t reflect.Type, at uintptr) {
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

func (l *Layout) word(of reflect.Type, at uintptr, kind byte, size uintptr) {
	if at != l.end || at%size != 0 {
		l.refuse(of, fmt.Sprintf("there is a gap of other sizes elsewhere before byte %d", at))
	}
	l.kinds, l.Sizes, l.end = append(l.kinds, kind), append(l.Sizes, uint8(size)), at+size
}
