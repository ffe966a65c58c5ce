package mem_test

import (
	"runtime"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000, 1 << 20} {
		a := mem.Make[[3]uint32](n)
		if len(a) != n || cap(a) != n || mem.Bytes(a) != 12*n {
			t.Fatalf("Make(%d): len %d, cap %d, %d bytes", n, len(a), cap(a), mem.Bytes(a))
		}
		if n > 0 {
			first := uintptr(unsafe.Pointer(&a[0]))
			if last := first + uintptr(12*n) - 1; first%mem.Line != 0 && first/mem.Line != last/mem.Line {
				t.Errorf("Make(%d) starts at %p", n, &a[0])
			}
		}
		for i := range a {
			a[i][2] = uint32(i)
		}
	}
	if len(mem.Make[struct{}](5)) != 5 {
		t.Error("elements without size")
	}
}

// Make returns memory that is not shared, and is alive as long as it is referred to, though it is allocated by a
// builder of strings.
func TestMakeIsOwn(t *testing.T) {
	const n, each = 200, 5000
	columns := make([][]uint32, n)
	for round := range 4 {
		for i := range columns {
			if (i+round)%3 == 0 {
				columns[i] = nil // for the collector
			}
		}
		runtime.GC()
		for i := range columns {
			if columns[i] == nil {
				columns[i] = mem.Make[uint32](each)
				for k := range columns[i] {
					columns[i][k] = uint32(i)
				}
			}
		}
		for i, column := range columns {
			for k, x := range column {
				if x != uint32(i) {
					t.Fatalf("round %d: element %d of column %d is %d", round, k, i, x)
				}
			}
		}
	}
}
