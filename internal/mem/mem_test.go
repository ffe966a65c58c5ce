package mem

import (
	"testing"
	"unsafe"
)

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, 3, 1000, 1 << 20} {
		a := Make[[3]uint32](n)
		if len(a) != n || cap(a) != n || Bytes(a) != 12*n {
			t.Fatalf("Make(%d): len %d, cap %d, %d bytes", n, len(a), cap(a), Bytes(a))
		}
		if n > 0 && uintptr(unsafe.Pointer(&a[0]))%Line != 0 {
			t.Errorf("Make(%d) starts at %p", n, &a[0])
		}
		for i := range a {
			if a[i] != [3]uint32{} {
				t.Fatalf("Make(%d): element %d is %v", n, i, a[i])
			}
			a[i][2] = uint32(i)
		}
	}
	if len(Make[struct{}](5)) != 5 {
		t.Error("elements without size")
	}
}
