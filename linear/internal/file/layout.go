package file

import (
	"fmt"
	"hash/crc32"
	"reflect"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/snap"
)

// Layout is the memory layout of a row of some type.
type Layout struct {
	kinds []byte  // a letter for each word
	Sizes []uint8 // sizes of the words
	Bools []int   // offsets of the bools
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
		l.Bools = append(l.Bools, int(at))
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
