package guard

import (
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"
)

type line [16]float32

func TestSlices(t *testing.T) {
	for _, n := range []int{0, 1, 7, 63, 64, 65, 1023, 1024, 1025, 5000} {
		checkSlice(t, Tail[byte](t, n), n)
		checkSlice(t, Tail[uint32](t, n), n)
		checkSlice(t, Tail[line](t, n), n)
		checkSlice(t, Head[byte](t, n), n)
		checkSlice(t, Head[line](t, n), n)
		checkSlice(t, Tail[struct{}](t, n), n)
		for _, align := range []int{1, 8, 64, 4096} {
			s := AlignedTail[uint32](t, n, align)
			checkSlice(t, s, n)
			if a := address(s); a%uintptr(align) != 0 {
				t.Errorf("AlignedTail of %d, alignment %d, starts at %#x", n, align, a)
			}
		}
	}
}

// checkSlice writes every byte of s: none of it may fault or be a canary.
func checkSlice[T comparable](t *testing.T, s []T, n int) {
	t.Helper()
	if len(s) != n || cap(s) != n {
		t.Fatalf("length %d, capacity %d, want %d", len(s), cap(s), n)
	}
	size := n * int(unsafe.Sizeof(*new(T)))
	for i, v := range s {
		if v != *new(T) {
			t.Fatalf("element %d of a fresh slice is %v", i, v)
		}
	}
	for i, all := 0, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), size); i < size; i++ {
		all[i] = 0xFF
	}
}

func address[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

func TestAlignment(t *testing.T) {
	for n := 1; n < 200; n++ {
		if a := address(Tail[line](t, n)); a%64 != 0 {
			t.Fatalf("Tail of %d lines starts at %#x", n, a)
		}
		want := min(bits.TrailingZeros(uint(4*n)), 12)
		if a := address(Tail[uint32](t, n)); bits.TrailingZeros64(uint64(a)) < want {
			t.Fatalf("Tail of %d words starts at %#x, want %d zero bits", n, a, want)
		}
		if a := address(Head[uint32](t, n)); a%4096 != 0 {
			t.Fatalf("Head of %d words starts at %#x", n, a)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for name, f := range map[string]func(){
		"negative count": func() { Tail[byte](t, -1) },
		"alignment 0":    func() { AlignedTail[byte](t, 1, 0) },
		"alignment 48":   func() { AlignedTail[byte](t, 1, 48) },
		"alignment 8192": func() { AlignedTail[byte](t, 1, 8192) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// recorder is a test that keeps the reports of a cleanup.
type recorder struct {
	testing.TB
	cleanups []func()
	errors   []string
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func TestCanaries(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(testing.TB) []uint32
		at   int // byte, from the start of the slice
		want string
	}{
		{"tail, untouched", func(t testing.TB) []uint32 { return Tail[uint32](t, 3) }, 0, ""},
		{"tail, before", func(t testing.TB) []uint32 { return Tail[uint32](t, 3) }, -1, "1 bytes before"},
		{"tail, far before", func(t testing.TB) []uint32 { return Tail[uint32](t, 3) }, -4084, "4084 bytes before"},
		{"head, beyond", func(t testing.TB) []uint32 { return Head[uint32](t, 3) }, 12, "at byte 0 beyond"},
		{"aligned tail, beyond", func(t testing.TB) []uint32 { return AlignedTail[uint32](t, 3, 64) }, 13, "at byte 1 beyond"},
		{"aligned tail, before", func(t testing.TB) []uint32 { return AlignedTail[uint32](t, 3, 64) }, -1, "1 bytes before"},
	} {
		r := &recorder{TB: t}
		b := (*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(c.make(r))), c.at))
		*b ^= 0xFF
		r.end()
		got := strings.Join(r.errors, "\n")
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: reported %q, want %q", c.name, got, c.want)
		}
	}
}

// touches are accesses that must kill the process, each one byte out of range.
var touches = map[string]func(t *testing.T) (at unsafe.Pointer, write bool){
	"tail read":  func(t *testing.T) (unsafe.Pointer, bool) { return edge(Tail[byte](t, 5), 5), false },
	"tail write": func(t *testing.T) (unsafe.Pointer, bool) { return edge(Tail[line](t, 3), 192), true },
	"head read":  func(t *testing.T) (unsafe.Pointer, bool) { return edge(Head[byte](t, 5), -1), false },
	"head write": func(t *testing.T) (unsafe.Pointer, bool) { return edge(Head[line](t, 3), -1), true },
	"page tail":  func(t *testing.T) (unsafe.Pointer, bool) { return edge(Tail[line](t, 4096), 4096*64), false },
	"page head":  func(t *testing.T) (unsafe.Pointer, bool) { return edge(Head[line](t, 4096), -1), false },
	"empty tail": func(t *testing.T) (unsafe.Pointer, bool) { return edge(Tail[line](t, 0), 0), false },
	"empty head": func(t *testing.T) (unsafe.Pointer, bool) { return edge(Head[line](t, 0), 0), false },
	"below both": func(t *testing.T) (unsafe.Pointer, bool) { return edge(Tail[line](t, 0), -1), false },
}

func edge[T any](s []T, at int) unsafe.Pointer {
	return unsafe.Add(unsafe.Pointer(unsafe.SliceData(s)), at)
}

const childEnv = "ZOCTREE_GUARD_TOUCH"

// TestFaults runs this test binary again for each touch and expects it to crash at the address that the child
// announces.
func TestFaults(t *testing.T) {
	if !Enforced {
		t.Skip("pages cannot be protected here")
	}
	if name := os.Getenv(childEnv); name != "" {
		at, write := touches[name](t)
		fmt.Printf("touching 0x%x\n", at)
		b := (*byte)(at)
		if write {
			*b = 1
		} else {
			fmt.Println("read", *b)
		}
		fmt.Println("survived")
		return
	}
	for name := range touches {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestFaults$")
			cmd.Env = append(os.Environ(), childEnv+"="+name)
			out, err := cmd.CombinedOutput()
			_, after, _ := strings.Cut(string(out), "touching ")
			at, _, _ := strings.Cut(after, "\n")
			if err == nil || at == "" || !strings.Contains(string(out), "unexpected fault address "+at) {
				t.Fatalf("the child did not fault at %q (%v):\n%s", at, err, out)
			}
		})
	}
}

// A slice in the memory of a test that has ended is zero, in canary bytes of its own.
func TestReused(t *testing.T) {
	const n = 700
	all := map[uintptr]bool{}
	for range 20 {
		r := &recorder{TB: t}
		s := Head[uint32](r, n)
		checkSlice(t, s, n)
		all[address(s)] = true
		r.end()
		r.cleanups = nil
		tail := Tail[uint32](r, n-1)
		checkSlice(t, tail, n-1)
		r.end()
		if len(r.errors) > 0 {
			t.Fatal(r.errors)
		}
	}
	if Enforced && len(all) > 1 {
		t.Errorf("one slice at a time is at %d addresses", len(all))
	}
}
