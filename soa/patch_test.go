package soa_test

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// rowsOf returns the bytes of the rows lo to hi-1 of a column.
func rowsOf(column reflect.Value, lo, hi int) []byte {
	size := int(column.Type().Elem().Size())
	lo, hi = min(lo, column.Len()), min(hi, column.Len())
	return unsafe.Slice((*byte)(column.UnsafePointer()), column.Len()*size)[lo*size : hi*size]
}

// scribble fills the rows lo to hi-1 of columns with random bytes that make no NaN.
func scribble(r *rand.ChaCha8, columns any, lo, hi int, only func(name string) bool) {
	v := reflect.ValueOf(columns).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() > 0 && only(v.Type().Field(i).Name) {
			b := rowsOf(f, lo, hi)
			r.Read(b)
			for k := range b {
				b[k] &= 0x7f
			}
		}
	}
}

func everyColumn(string) bool { return true }
func boxColumn(name string) bool {
	return name == "Bounds" || name == "Spheres" || name == "OrientedBoxes"
}
func otherColumn(name string) bool { return !boxColumn(name) }

func mark(rows soa.Rows, row int) { rows[row>>6] |= 1 << (row & 63) }

func randomStore(r *rand.ChaCha8, nodes, slots int, spheres bool) *soa.Store {
	var s soa.Store
	s.Nodes.Resize(nodes)
	s.Packets.Resize(slots)
	if s.Packets.Mask = uint32(r.Uint64()); spheres {
		s.Packets.FreshMasks(slots, 0)
		s.Packets.UseSpheres()
		s.Packets.UseOriented()
	}
	scribble(r, &s.Nodes, 0, nodes, everyColumn)
	scribble(r, &s.Packets, 0, slots, everyColumn)
	s.Pending = []uint32{5, 6}[:r.Uint64()%3]
	s.Count, s.Version, s.Extent[1] = int(r.Uint64()%99), r.Uint64(), 3
	return &s
}

// equal fails unless the stores are equal in every field and row.
func equal(t *testing.T, what string, got, want *soa.Store) {
	t.Helper()
	a, b := *got, *want
	for _, v := range [][2]reflect.Value{
		{reflect.ValueOf(&a.Nodes).Elem(), reflect.ValueOf(&b.Nodes).Elem()},
		{reflect.ValueOf(&a.Packets).Elem(), reflect.ValueOf(&b.Packets).Elem()},
	} {
		for i := range v[0].NumField() {
			x, y := v[0].Field(i), v[1].Field(i)
			if x.Kind() != reflect.Slice {
				continue
			}
			if x.Len() != y.Len() || x.Len() > 0 && !bytes.Equal(rowsOf(x, 0, x.Len()), rowsOf(y, 0, y.Len())) {
				t.Fatalf("%s: column %s differs", what, v[0].Type().Field(i).Name)
			}
			x.SetZero()
			y.SetZero()
		}
	}
	if !slices.Equal(a.Pending, b.Pending) {
		t.Fatalf("%s: loose slots %v, want %v", what, a.Pending, b.Pending)
	}
	if a.Pending, b.Pending = nil, nil; !reflect.DeepEqual(a, b) {
		t.Fatalf("%s: %+v, want %+v", what, a, b)
	}
}

// A patched copy equals its original, for any changed or new rows, and rows that are not listed are left alone.
func TestPatch(t *testing.T) {
	seed := testkit.Seed(t)
	r, bits := testkit.Rand(seed), rand.NewChaCha8([32]byte{byte(seed)})
	for _, n := range []int{0, 1, 21, 63, 64, 65, 130} {
		for round := range 6 {
			from := randomStore(bits, n, 3*n, round%2 == 0)
			var s soa.Store
			s.CopyFrom(from)
			equal(t, "copy", &s, from)

			// Longer, at times, as by Alloc and Resize.
			had := len(s.Nodes.Hot)
			from.Nodes.Resize(n + r.IntN(3)*n)
			from.Packets.Resize(3*n + r.IntN(3)*n)
			from.Nodes.SetLimit(r.IntN(99))
			from.Packets.SetLimit(r.IntN(99))
			scribble(bits, &from.Nodes, had, len(from.Nodes.Hot), everyColumn)
			scribble(bits, &from.Packets, 3*had, len(from.Packets.Counts), everyColumn)
			nodes, packets, boxes := make(soa.Rows, 20), make(soa.Rows, 20), make(soa.Rows, 20)
			if round%5 == 0 { // all
				for i := range 3 * n {
					mark(packets, i)
				}
				scribble(bits, &from.Packets, 0, 3*n, otherColumn)
			}
			for range r.IntN(2*n + 1) {
				i := r.IntN(n)
				mark(nodes, i)
				scribble(bits, &from.Nodes, i, i+1, everyColumn)
				mark(packets, 3*i)
				scribble(bits, &from.Packets, 3*i, 3*i+1, otherColumn)
				mark(boxes, 2*i)
				scribble(bits, &from.Packets, 2*i, 2*i+1, boxColumn)
			}
			from.Count++
			from.Version++
			s.Patch(from, nodes, packets, boxes)
			equal(t, "patch", &s, from)
			if n > 2 {
				// A row that is not listed is not read.
				before := s.Packets.Counts[1]
				from.Packets.Counts[1]++
				s.Patch(from, nil, make(soa.Rows, 1), boxes)
				if s.Packets.Counts[1] != before {
					t.Fatal("a row was copied that is in no set")
				}
			}
		}
	}
}

// Spheres that are added or removed are patched, too; a shorter original makes the copy shorter.
func TestPatchSpheres(t *testing.T) {
	r := rand.NewChaCha8([32]byte{})
	with, without, short := randomStore(r, 9, 40, true), randomStore(r, 9, 40, false), randomStore(r, 3, 8, false)
	var s soa.Store
	for _, from := range []*soa.Store{without, with, short, with, without} {
		s.CopyFrom(from)
		equal(t, "copy", &s, from)
	}
	s.Packets.UseSpheres()
	s.Packets.SetSphere(3, 1, [4]float32{1, 2, 3, 4})
	s.Packets.UseOriented()
	s.Packets.SetOriented(5, 2, &soa.OrientedBox{Center: [3]float32{1, 2, 3}})
	var c soa.Store
	c.CopyFrom(without)
	c.Patch(&s, nil, nil, nil)
	equal(t, "spheres", &c, &s)

	nodes, packets, boxes := soa.Rows{7}, soa.Rows{1 << 39}, soa.Rows{5}
	testkit.Allocs(t, 20, func() {
		c.CopyFrom(with)
		c.Patch(with, nodes, packets, boxes)
	})
}
