package file

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"
	"strings"
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
		return nil, fmt.Errorf("linear: the snapshot has no section %q, it has %q", name, s.userSections())
	}
	have, bytes, _ := s.File.Section(i)
	if have.Row != mem.SizeOf[T]() || have.Layout != l.Hash() {
		return nil, fmt.Errorf("linear: section %q of the snapshot has rows of %d bytes, of another type than %v: %s", name, have.Row, reflect.TypeFor[T](), savedAs(have.Row, have.Layout))
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

// userSections returns the names of the first sections of the program, at most 8.
func (s *Snapshot) userSections() (names []string) {
	for i := 0; i < s.File.Sections() && len(names) < 8; i++ {
		if c, _, _ := s.File.Section(i); c.Group == GroupUser {
			names = append(names, c.Name)
		}
	}
	return names
}

// savedAs returns how a section can be loaded: as a number or an array, if all words of a row are of one kind.
func savedAs(row int, hash uint32) string {
	for _, t := range []struct {
		name string
		size int
	}{
		{"bool", 1}, {"int8", 1}, {"int16", 2}, {"int32", 4}, {"int64", 8}, {"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"uint64", 8},
		{"float32", 4}, {"float64", 8},
	} {
		n := row / t.size
		if n > maxWords || n*t.size != row {
			continue
		}
		l := Layout{kinds: bytes.Repeat([]byte{t.name[0]}, n), Sizes: bytes.Repeat([]byte{byte(t.size)}, n)}
		switch {
		case l.Hash() != hash:
		case n == 1:
			return "load it as " + t.name
		default:
			return fmt.Sprintf("load it as [%d]%s", n, t.name)
		}
	}
	return "load it with the type that was saved, or one with the same kinds of numbers in the same order"
}

// maxWords bounds the work of savedAs on corrupt files.
const maxWords = 1024

// LayoutOf returns the layout of a type, and panics unless it is the same on all machines.
func LayoutOf[T any]() (l Layout) {
	t := reflect.TypeFor[T]()
	l.add(t, t, "", 0)
	if t.Size() == 0 {
		l.refuse(t, "it has no bytes")
	}
	return l
}

// refuse panics with the reason and a remedy.
func (l *Layout) refuse(t reflect.Type, format string, args ...any) {
	panic(fmt.Sprintf("linear: %v cannot be in a snapshot: %s", t, fmt.Sprintf(format, args...)))
}

// add appends the words of a component of a type, which is in a field and begins at an offset.
func (l *Layout) add(of, t reflect.Type, field string, at uintptr) {
	switch t.Kind() {
	case reflect.Array:
		for i := range t.Len() {
			l.add(of, t.Elem(), field, at+uintptr(i)*t.Elem().Size())
		}
	case reflect.Struct:
		first := len(l.Sizes)
		for i := range t.NumField() {
			f := t.Field(i)
			name := strings.TrimPrefix(field+"."+f.Name, ".")
			gap := at + f.Offset - l.end
			l.end += gap
			l.add(of, f.Type, name, at+f.Offset)
			l.padded(of, name, gap)
		}
		most := uintptr(slices.Max(append(l.Sizes[first:], 1)))
		if end := at + t.Size(); l.end != end || t.Size()%most != 0 {
			l.refuse(of, "%v ends with %d bytes of padding, on some machines: add a field of type [%[2]d]uint8 at its end", t, max(end-l.end, (most-t.Size()%most)%most))
		}
	case reflect.Bool:
		l.bools = append(l.bools, int(at))
		l.word(of, field, at, 'b', t.Size())
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		l.word(of, field, at, 'i', t.Size())
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		l.word(of, field, at, 'u', t.Size())
	case reflect.Float32, reflect.Float64:
		l.word(of, field, at, 'f', t.Size())
	case reflect.Complex64, reflect.Complex128:
		l.word(of, field, at, 'f', t.Size()/2)
		l.word(of, field, at+t.Size()/2, 'f', t.Size()/2)
	default:
		what := "field " + field + " is of type " + t.String()
		if field == "" {
			what = "it is no type of fixed size"
		}
		l.refuse(of, "%s: %s", what, insteadOf(t.Kind()))
	}
}

// insteadOf returns a remedy for a value of a kind that cannot be saved.
func insteadOf(k reflect.Kind) string {
	switch k {
	case reflect.Int:
		return "use int64 or int32, whose size is the same on all machines"
	case reflect.Uint, reflect.Uintptr:
		return "use uint64 or uint32, whose size is the same on all machines"
	case reflect.String, reflect.Slice:
		return "use an array, or save the elements in a column of their own, and an offset and a length here"
	}
	return "save an index or an ID in its place"
}

// padded refuses the type if n is not 0.
func (l *Layout) padded(of reflect.Type, field string, n uintptr) {
	if n != 0 {
		l.refuse(of, "there are %d bytes of padding before field %s, on some machines: put larger fields first, or add a field of type [%[1]d]uint8 before it", n, field)
	}
}

func (l *Layout) word(of reflect.Type, field string, at uintptr, kind byte, size uintptr) {
	l.padded(of, field, (size-at%size)%size) // where larger words are aligned to less than their size
	l.kinds, l.Sizes, l.end = append(l.kinds, kind), append(l.Sizes, uint8(size)), at+size
}
