package columns

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/scale/oracle"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/soa"
)

var filters = []query.Filter{{}, {Mask: 3}, {Motion: query.MovingOnly}, {Mask: 1 << 31, Motion: query.StaticOnly}}

// written writes rows and opens the file.
func written(t *testing.T, rows []row.Row, opt Options) *File {
	t.Helper()
	var to bytes.Buffer
	must.Do(Write(&to, rows, opt))
	f := must.Get(Open(bytes.NewReader(to.Bytes()), int64(to.Len())))
	return f
}

// all reads a file.
func all(f *File) (rows []row.Row, err error) {
	for r, err := range f.Rows() {
		if err != nil {
			return rows, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// A file has the written rows, in the order of their keys, to the bit, and returns the results of a tree.
func TestModel(t *testing.T) {
	n, count := 200, 2
	if !testing.Short() {
		n, count = 4000, 20
	}
	for _, sc := range append(scene.All(), testkit.HostileScenes()...) {
		t.Run(sc.Name, func(t *testing.T) {
			rng := testkit.Rand(testkit.Seed(t))
			objects := sc.Make(n, 1)
			rows := row.Number(objects)
			rows[0].ID = row.MaxID
			rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			o := must.Get(oracle.New(rows))
			for _, group := range []int{16, n, 0} {
				f := written(t, rows, Options{Group: group})
				if want := (n + max(group, 1) - 1) / max(group, 1); group > 0 && f.Groups() != want || f.Len() != int64(n) {
					t.Fatalf("groups of %d: %d of them, %d rows", group, f.Groups(), f.Len())
				}
				w, ok := f.World()
				want, err := row.World(rows)
				if !ok || err != nil || w != want {
					t.Fatalf("world %v, %v, want %v, %v", w, ok, want, err)
				}
				got := must.Get(all(f))
				for i, k := range row.Sort(w, rows) {
					if !same(got[i], k.Row) {
						t.Fatalf("row %d: %v, want %v", i, got[i], k.Row)
					}
				}
				boxes := []soa.AABB{scene.Bounds(objects)}
				for _, results := range []int{1, n / 20} {
					boxes = append(boxes, scene.BoxQueries(objects, results, count, rng.Uint64())...)
				}
				for range count {
					boxes = append(boxes, rows[rng.IntN(n)].Object.Box)
				}
				for range 20 { // corners that touch the bounds of a group
					b := rows[rng.IntN(n)].Object.Box
					boxes = append(boxes, soa.AABB{Min: b.Min, Max: b.Min}, soa.AABB{Min: b.Max, Max: b.Max})
				}
				for _, b := range boxes {
					if b.Check() != nil {
						continue
					}
					flt := filters[rng.IntN(len(filters))]
					ids, work, err := f.Append([]uint64{7}, b, flt)
					if err == nil {
						err = o.Agree(ids[1:], b, flt)
					}
					if err != nil || ids[0] != 7 || work.Groups > f.Groups() || work.Rows > n {
						t.Fatalf("groups of %d: %v, %+v", group, err, work)
					}
				}
			}
		})
	}
}

// same compares bits: zeros have signs.
func same(a, b row.Row) bool {
	bits := func(b soa.AABB) (u [6]uint32) {
		for a := range 3 {
			u[a], u[3+a] = math.Float32bits(b.Min[a]), math.Float32bits(b.Max[a])
		}
		return u
	}
	return a.ID == b.ID && a.Object.Mask == b.Object.Mask && a.Object.Static == b.Object.Static && bits(a.Object.Box) == bits(b.Object.Box)
}

// A small box reads few groups of many.
func TestPruning(t *testing.T) {
	objects := scene.All()[0].Make(4000, 1)
	f := written(t, row.Number(objects), Options{Group: 50})
	groups := 0
	boxes := scene.BoxQueries(objects, 10, 50, 1)
	for _, b := range boxes {
		_, work, err := f.Append(nil, b, query.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		groups += work.Groups
	}
	if mean := float64(groups) / float64(len(boxes)); mean < 1 || mean > 10 {
		t.Errorf("%.1f groups of %d in the mean", mean, f.Groups())
	}
}

// A file without rows returns none.
func TestEmpty(t *testing.T) {
	f := written(t, nil, Options{})
	rows, err := all(f)
	ids, work, err2 := f.Append(nil, soa.AABB{}, query.Filter{})
	if err = errors.Join(err, err2); err != nil || len(rows)+len(ids)+work.Groups != 0 || f.Len() != 0 {
		t.Errorf("%v, %v, %v, %+v", err, rows, ids, work)
	}
}

// Invalid input is rejected before any write, or read.
func TestRefused(t *testing.T) {
	nan := soa.Object{Box: soa.AABB{Min: [3]float32{float32(math.NaN())}}}
	for name, rows := range map[string][]row.Row{
		"NaN":      {{ID: 1}, {ID: 2, Object: nan}},
		"infinite": {{ID: 1, Object: soa.Object{Box: soa.AABB{Max: [3]float32{float32(math.Inf(1))}}}}},
		"inverted": {{ID: 1, Object: soa.Object{Box: soa.AABB{Min: [3]float32{1}}}}},
		"twice":    {{ID: 1}, {ID: 2}, {ID: 1}},
		"large":    {{ID: row.MaxID + 1}},
	} {
		var to bytes.Buffer
		if err := Write(&to, rows, Options{}); err == nil || to.Len() > 0 {
			t.Errorf("%s: %v, %d bytes", name, err, to.Len())
		}
	}
	if err := Write(&bytes.Buffer{}, nil, Options{Group: -1}); err == nil {
		t.Error("groups of -1")
	}
	f := written(t, []row.Row{{ID: 1}}, Options{})
	dst := []uint64{3}
	for _, b := range []soa.AABB{nan.Box, {Min: [3]float32{1}}, {Max: [3]float32{float32(math.Inf(1))}}} {
		if ids, _, err := f.Append(dst, b, query.Filter{}); err == nil || !slices.Equal(ids, dst) {
			t.Errorf("box %v: %v, %v", b, ids, err)
		}
	}
	for _, flt := range []query.Filter{{Exact: true}, {Only: []uint64{1}}, {Exclude: soa.Handle{Gen: 1}}} {
		if ids, _, err := f.Append(dst, soa.AABB{}, flt); !errors.Is(err, row.ErrFilter) || !slices.Equal(ids, dst) {
			t.Errorf("filter %v: %v, %v", flt, ids, err)
		}
	}
	if _, _, err := f.Append(dst, soa.AABB{}, query.Filter{Motion: 9}); err == nil {
		t.Error("motion 9")
	}
}
