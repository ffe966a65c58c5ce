package linear_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

func columnsOf(points [][3]float32) (xs, ys, zs []float32) {
	for _, p := range points {
		xs, ys, zs = append(xs, p[0]), append(ys, p[1]), append(zs, p[2])
	}
	return xs, ys, zs
}

// pointBoxes are points as objects.
func pointBoxes(points [][3]float32, labels linear.Labels) []soa.Object {
	objects := make([]soa.Object, len(points))
	for i, p := range points {
		objects[i] = soa.Object{Box: soa.AABB{Min: p, Max: p}, Mask: labels.Mask, Static: labels.Static}
		if labels.Masks != nil {
			objects[i].Mask = labels.Masks[i]
		}
	}
	return objects
}

// Points are objects of zero extent: trees of points in rows, in columns, in a recorded batch and as objects
// are equal in every byte, with any changes in between.
func TestPointsAreObjects(t *testing.T) {
	seed := testkit.Seed(t)
	configs := append(slices.Clone(modelConfigs), linear.Config{Workers: 3}, linear.Config{Frozen: true, Log: true})
	for i, cfg := range configs {
		if cfg.Workers == 3 {
			defer linear.SetParts(linear.SetParts(16, 16, 1))
		}
		s := newScript(cfg, nil, seed+uint64(i))
		insert := []func(tree *linear.Tree, points [][3]float32, labels linear.Labels) ([]uint32, error){
			func(tree *linear.Tree, points [][3]float32, labels linear.Labels) ([]uint32, error) {
				return tree.InsertBatch([]uint32{77}, pointBoxes(points, labels))
			},
			func(tree *linear.Tree, points [][3]float32, labels linear.Labels) ([]uint32, error) {
				return tree.InsertPoints([]uint32{77}, points, labels)
			},
			func(tree *linear.Tree, points [][3]float32, labels linear.Labels) ([]uint32, error) {
				xs, ys, zs := columnsOf(points)
				return tree.InsertPointColumns([]uint32{77}, xs, ys, zs, labels)
			},
		}
		trees := make([]*linear.Tree, len(insert))
		for k := range trees {
			trees[k] = newTree(t, cfg)
		}
		recorded := []*linear.Tree{newTree(t, cfg), newTree(t, cfg), newTree(t, cfg)}
		for round := range testkit.Budget(t, 6, 30) {
			points, labels := s.points(s.r.IntN(400))
			var want []uint32
			for k, tree := range trees {
				ids, err := insert[k](tree, points, labels)
				must(t, err)
				must(t, tree.RemoveBatch(ids[1:1+len(points)/3]))
				if round%3 == 2 {
					must(t, tree.Tick())
				}
				valid(t, tree)
				if k == 0 {
					want = ids
				} else if !slices.Equal(ids, want) {
					t.Fatalf("config %d, round %d, way %d: IDs %v, want %v", i, round, k, ids, want)
				}
				if linear.StateOf(tree) != linear.StateOf(trees[0]) {
					t.Fatalf("config %d, round %d: way %d makes another tree", i, round, k)
				}
			}
			for k, tree := range recorded {
				var b linear.Batch
				switch k {
				case 0:
					b.InsertBatch(pointBoxes(points, labels))
				case 1:
					b.InsertPoints(points, labels)
				case 2:
					xs, ys, zs := columnsOf(points)
					b.InsertPointColumns(xs, ys, zs, labels)
				}
				_, err := tree.Apply(&b)
				must(t, err)
				if linear.StateOf(tree) != linear.StateOf(recorded[0]) {
					t.Fatalf("config %d, round %d: way %d of recording makes another tree", i, round, k)
				}
			}
		}
	}
}

// A rejected call names the row and changes nothing.
func TestPointsRefused(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	some := func(bad ...[3]float32) [][3]float32 { return append(make([][3]float32, 5), bad...) }
	for _, n := range []int{0, 27} {
		tree := newTree(t, linear.Config{World: cube(0, 0, 0, 8), Fixed: true, Outside: linear.OutsideReject})
		objects := grid(3)
		insert(t, tree, objects[:n])
		dst := []uint32{7, 8}
		rows := func(points [][3]float32, labels linear.Labels) func() ([]uint32, error) {
			return func() ([]uint32, error) { return tree.InsertPoints(dst, points, labels) }
		}
		columns := func(x, y, z int, labels linear.Labels) func() ([]uint32, error) {
			return func() ([]uint32, error) {
				return tree.InsertPointColumns(dst, make([]float32, x), make([]float32, y), make([]float32, z), labels)
			}
		}
		state, v := linear.StateOf(tree), tree.View()
		for want, call := range map[string]func() ([]uint32, error){
			"linear: object 5: box [NaN 0 0] ":                         rows(some([3]float32{nan}), linear.Labels{}),
			"linear: object 6: box [0 -Inf 0] ":                        rows(some([3]float32{}, [3]float32{1: -inf}), linear.Labels{}),
			"linear: object 5: ":                                       rows(some([3]float32{900}), linear.Labels{}),
			"linear: 5 points and 3 masks: row 3 is not in both":       rows(some(), linear.Labels{Masks: make([]uint32, 3)}),
			"linear: 5 points and 6 masks: row 5 is not in both":       rows(some(), linear.Labels{Masks: make([]uint32, 6)}),
			"linear: 5 points and 0 masks: row 0 is not in both":       rows(some(), linear.Labels{Masks: []uint32{}}),
			"linear: 0 points and 1 masks: row 0 is not in both":       rows(nil, linear.Labels{Masks: make([]uint32, 1)}),
			"linear: columns of 4 x, 3 y and 4 z: row 3 is not in all": columns(4, 3, 4, linear.Labels{}),
			"linear: columns of 4 x, 4 y and 9 z: row 4 is not in all": columns(4, 4, 9, linear.Labels{}),
			"linear: columns of 0 x, 1 y and 0 z: row 0 is not in all": columns(0, 1, 0, linear.Labels{}),
			"linear: 2 points and 1 masks: row 1 is not in both":       columns(2, 2, 2, linear.Labels{Masks: make([]uint32, 1)}),
			"linear: object 1: box [0 0 NaN] to [0 0 NaN] is not finite": func() ([]uint32, error) {
				return tree.InsertPointColumns(dst, make([]float32, 2), make([]float32, 2), []float32{0, nan}, linear.Labels{})
			},
			"linear: object 0: box [+Inf 0 0] to [+Inf 0 0] is not finite": func() ([]uint32, error) {
				return tree.InsertPointColumns(dst, []float32{inf}, []float32{0}, []float32{0}, linear.Labels{})
			},
		} {
			ids, err := call()
			if err == nil || !strings.HasPrefix(err.Error(), want) || !slices.Equal(ids, dst) {
				t.Errorf("IDs %v, error %v, want %s", ids, err, want)
			}
		}
		v.Len() // the view stays valid
		if linear.StateOf(tree) != state {
			t.Error("the tree has changed")
		}
		valid(t, tree)
	}
	var b linear.Batch
	for want, call := range map[string]func(){
		"linear: InsertPoints recorded: 1 points and 2 masks: row 1 is not in both":             func() { b.InsertPoints(make([][3]float32, 1), linear.Labels{Masks: make([]uint32, 2)}) },
		"linear: InsertPointColumns recorded: columns of 1 x, 0 y and 0 z: row 0 is not in all": func() { b.InsertPointColumns(make([]float32, 1), nil, nil, linear.Labels{}) },
	} {
		if got := testkit.Panic(call); got != want {
			t.Errorf("panic %v, want %s", got, want)
		}
	}
	if b.InsertPoints(nil, linear.Labels{}); b.Len() != 0 {
		t.Errorf("%d changes", b.Len())
	}
}

func TestPointsAllocations(t *testing.T) {
	points, labels := newScript(linear.Config{}, nil, testkit.Seed(t)).points(2000)
	xs, ys, zs := columnsOf(points)
	for _, share := range []int{1, 2} { // built at once, or half of them pending
		tree := newTree(t, linear.Config{Workers: 1})
		var ids []uint32
		var b linear.Batch
		testkit.Allocs(t, 10, func() {
			tree.Clear()
			ids = ids[:0]
			half := len(points) / share
			ids, _ = tree.InsertPoints(ids, points[:half], linear.Labels{Mask: labels.Mask})
			ids, _ = tree.InsertPointColumns(ids, xs[half:], ys[half:], zs[half:], linear.Labels{Static: true})
			must(t, tree.Flush())
			b.Reset()
			b.InsertPoints(points[:20], linear.Labels{Mask: 3})
			b.RemoveAll()
			_, err := tree.Apply(&b)
			must(t, err)
		})
		if len(ids) != len(points) {
			t.Error(len(ids), "IDs")
		}
	}
}

// Points in rows and in columns, beside an InsertBatch of the same boxes: into an empty tree, which is built,
// and into a tree of as many objects, where they are pending.
func BenchmarkInsertPoints(b *testing.B) {
	const n = 1_000_000
	objects := sceneOf(b, "points", n)
	points, labels := make([][3]float32, n), linear.Labels{Mask: 1, Masks: make([]uint32, n)}
	for i := range objects {
		objects[i].Box.Max = objects[i].Box.Min
		objects[i].Static = false
		points[i], labels.Masks[i] = objects[i].Box.Min, objects[i].Mask
	}
	xs, ys, zs := columnsOf(points)
	for _, c := range []struct {
		name   string
		insert func(*linear.Tree, []uint32) ([]uint32, error)
	}{
		{"objects", func(t *linear.Tree, ids []uint32) ([]uint32, error) { return t.InsertBatch(ids, objects) }},
		{"points", func(t *linear.Tree, ids []uint32) ([]uint32, error) { return t.InsertPoints(ids, points, labels) }},
		{"columns", func(t *linear.Tree, ids []uint32) ([]uint32, error) {
			return t.InsertPointColumns(ids, xs, ys, zs, labels)
		}},
		{"made", func(t *linear.Tree, ids []uint32) ([]uint32, error) { // objects made by the program
			return t.InsertBatch(ids, pointBoxes(points, labels))
		}},
	} {
		for _, pending := range []bool{false, true} {
			b.Run(fmt.Sprintf("from=%s/pending=%v", c.name, pending), func(b *testing.B) {
				b.ReportAllocs()
				tree := newTree(b, linear.Config{Workers: 1})
				ids, err := c.insert(tree, make([]uint32, 0, 2*n)) // makes the buffers of the tree
				must(b, err)
				for b.Loop() {
					b.StopTimer()
					tree.Clear()
					if pending {
						ids, _ = tree.InsertBatch(ids[:0], objects)
					}
					b.StartTimer()
					if ids, err = c.insert(tree, ids[:0]); err != nil || len(ids) != n {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/point")
			})
		}
	}
}
