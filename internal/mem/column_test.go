package mem_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

func aligned[T any](col []T) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(col)))%mem.Line == 0
}

func TestResize(t *testing.T) {
	col := mem.Resize([]uint32(nil), 10)
	if len(col) != 10 || cap(col) != 10 || !aligned(col) {
		t.Fatalf("length %d, capacity %d, aligned %v", len(col), cap(col), aligned(col))
	}
	for i := range col {
		col[i] = uint32(i)
	}
	same := mem.Resize(mem.Resize(col, 3), 10)
	if &same[0] != &col[0] || same[9] != 9 {
		t.Error("memory that is large enough was not reused")
	}
	grown := mem.Resize(col, 20)
	if len(grown) != 20 || cap(grown) != 30 || !aligned(grown) || &grown[0] == &col[0] {
		t.Errorf("length %d, capacity %d, aligned %v", len(grown), cap(grown), aligned(grown))
	}
	for i, v := range grown[:10] {
		if v != uint32(i) {
			t.Errorf("element %d is %d", i, v)
		}
	}
	if none := mem.Resize(col, 0); len(none) != 0 || cap(none) != 10 {
		t.Errorf("length %d, capacity %d", len(none), cap(none))
	}
}

func TestFresh(t *testing.T) {
	type packet [6][16]float32
	col := mem.Fresh([]packet(nil), 4)
	if len(col) != 4 || cap(col) != 4 || !aligned(col) {
		t.Fatalf("length %d, capacity %d, aligned %v", len(col), cap(col), aligned(col))
	}
	if same := mem.Fresh(col, 2); &same[0] != &col[0] || len(same) != 2 {
		t.Error("memory that is large enough was not reused")
	}
	if more := mem.Fresh(col, 5); len(more) != 5 || cap(more) != 5 || !aligned(more) {
		t.Errorf("length %d, capacity %d", len(more), cap(more))
	}
	roomy := mem.FreshWithRoom(col, 5, 40)
	if len(roomy) != 5 || cap(roomy) != 45 || !aligned(roomy) {
		t.Errorf("length %d, capacity %d", len(roomy), cap(roomy))
	}
	if same := mem.FreshWithRoom(roomy, 30, 60); &same[0] != &roomy[0] || len(same) != 30 {
		t.Error("memory with room for a quarter of what is to come was not reused")
	}
}

// refuses fails the test unless each way to allocate a column of T panics, for any number of elements and at every
// attempt. The text must name T and the part that holds a pointer.
func refuses[T any](t *testing.T, in string) {
	t.Helper()
	of := reflect.TypeFor[T]().String()
	for name, f := range map[string]func(){
		"Make":          func() { mem.Make[T](1000) },
		"Make of none":  func() { mem.Make[T](0) },
		"Fresh":         func() { mem.Fresh[T](nil, 1) },
		"Resize":        func() { mem.Resize(make([]T, 3), 7) },
		"FreshWithRoom": func() { mem.FreshWithRoom[T](nil, 1, 1) },
	} {
		for range 2 {
			func() {
				defer func() {
					if text := fmt.Sprint(recover()); !strings.Contains(text, "column of "+of+" holds pointers, in a "+in+",") {
						t.Errorf("%s of %s: %s", name, of, text)
					}
				}()
				f()
			}()
		}
	}
}

type (
	list  struct{ Next *list }
	named struct {
		ID   uint32
		Name string
	}
	deep struct {
		Plain [3]float32
		Rows  [2]struct {
			N    int
			Call func()
		}
	}
)

// Columns of types that hold a pointer are rejected: the collector would free the referents.
func TestPointers(t *testing.T) {
	refuses[*int](t, "*int")
	refuses[unsafe.Pointer](t, "unsafe.Pointer")
	refuses[string](t, "string")
	refuses[[]byte](t, "[]uint8")
	refuses[any](t, "interface {}")
	refuses[error](t, "error")
	refuses[map[int]int](t, "map[int]int")
	refuses[chan int](t, "chan int")
	refuses[func()](t, "func()")
	refuses[list](t, "*mem_test.list")
	refuses[named](t, "string")
	refuses[[4]named](t, "string")
	refuses[deep](t, "func()")

	mem.Make[uintptr](3)
	mem.Make[[0]string](3)
	mem.Make[struct {
		a bool
		b [2]complex128
		c struct{}
		d [3]struct{ x, y int8 }
	}](3)
}

// The check allocates nothing for columns made in each frame.
func TestPlainAllocatesNothing(t *testing.T) {
	if n := testing.AllocsPerRun(100, func() { mem.Make[[6][16]float32](0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
