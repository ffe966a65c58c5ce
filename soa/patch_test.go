package soa_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

// scribble fills a row of each column of nodes, or of packets, with random bytes.
func scribble(r *rand.Rand, columns any, row int, only func(name string) bool) {
	v := reflect.ValueOf(columns).Elem()
	for i := range v.NumField() {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.Len() > row && only(v.Type().Field(i).Name) {
			e := f.Index(row)
			for k := range e.Type().Size() {
				*(*byte)(unsafe.Add(e.Addr().UnsafePointer(), k)) = byte(r.IntN(128))
			}
		}
	}
}

func everyColumn(string) bool { return true }
func boxColumn(name string) bool {
	return name == "Bounds" || name == "Spheres"
}
func otherColumn(name string) bool { return !boxColumn(name) }

func mark(rows soa.Rows, row int) { rows[row>>6] |= 1 << (row & 63) }

func randomStore(r *rand.Rand, nodes, slots int, spheres bool) *soa.Store {
	var s soa.Store
	s.Nodes.Resize(nodes)
	s.Packets.Resize(slots)
	if spheres {
		s.Packets.UseSpheres()
	}
	for i := range max(nodes, slots) {
		scribble(r, &s.Nodes, i, everyColumn)
		scribble(r, &s.Packets, i, everyColumn)
	}
	s.Loose = []uint32{r.Uint32(), r.Uint32()}[:r.IntN(3)]
	s.Live, s.Version, s.Extent[1] = r.IntN(99), r.Uint64(), r.Float32()
	return &s
}

// equal fails unless the stores are equal in every field and row.
func equal(t *testing.T, what string, got, want *soa.Store) {
	t.Helper()
	if len(got.Loose) == 0 && len(want.Loose) == 0 {
		got.Loose, want.Loose = nil, nil
	}
	if len(got.Packets.Spheres) == 0 && len(want.Packets.Spheres) == 0 {
		got.Packets.Spheres, want.Packets.Spheres = nil, nil
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: the copy differs", what)
	}
}

// A patched copy equals its original, whichever rows have changed or are new, and
// rows that are not named are left alone.
func TestPatch(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	for _, n := range []int{0, 1, 21, 63, 64, 65, 130} {
		for round := range 6 {
			from := randomStore(r, n, 3*n, round%2 == 0)
			var s soa.Store
			s.CopyFrom(from)
			equal(t, "copy", &s, from)

			// Longer, at times, as by Alloc and AllocBlock.
			had := len(s.Nodes.Hot)
			from.Nodes.Resize(n + r.IntN(3)*n)
			from.Packets.Resize(3*n + r.IntN(3)*n)
			from.Nodes.SetLimit(r.IntN(99))
			from.Packets.SetLimit(r.IntN(99))
			for i := had; i < len(from.Nodes.Hot); i++ {
				scribble(r, &from.Nodes, i, everyColumn)
			}
			for i := 3 * had; i < len(from.Packets.Counts); i++ {
				scribble(r, &from.Packets, i, everyColumn)
			}
			nodes, packets, boxes := make(soa.Rows, 20), make(soa.Rows, 20), make(soa.Rows, 20)
			if round%5 == 0 { // all
				for i := range 3 * n {
					mark(packets, i)
					scribble(r, &from.Packets, i, otherColumn)
				}
			}
			for range r.IntN(2*n + 1) {
				i := r.IntN(n)
				mark(nodes, i)
				scribble(r, &from.Nodes, i, everyColumn)
				mark(packets, 3*i)
				scribble(r, &from.Packets, 3*i, otherColumn)
				mark(boxes, 2*i)
				scribble(r, &from.Packets, 2*i, boxColumn)
			}
			from.Live++
			from.Version++
			s.Patch(from, nodes, packets, boxes)
			equal(t, "patch", &s, from)
			if n > 2 {
				// A row that is not named is not looked at.
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

// Spheres that come into use or go out of it are patched, too; a shorter
// original makes the copy shorter.
func TestPatchSpheres(t *testing.T) {
	r := testkit.Rand(1)
	with, without, short := randomStore(r, 9, 40, true), randomStore(r, 9, 40, false), randomStore(r, 3, 8, false)
	var s soa.Store
	for _, from := range []*soa.Store{without, with, short, with, without} {
		s.CopyFrom(from)
		equal(t, "copy", &s, from)
	}
	s.Packets.UseSpheres()
	s.Packets.SetSphere(3, 1, [4]float32{1, 2, 3, 4})
	var c soa.Store
	c.CopyFrom(without)
	c.Patch(&s, nil, nil, nil)
	equal(t, "spheres", &c, &s)

	testkit.Allocs(t, 20, func() {
		c.CopyFrom(with)
		c.Patch(with, soa.Rows{7}, soa.Rows{1 << 39}, soa.Rows{5})
	})
}
