package linear_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

// placeConfigs are configurations of the placement of objects other than the default.
var placeConfigs = []linear.Config{
	{PendingMin: 4, PendingShare: 1 << 20, Policy: linear.PolicyIncremental, World: cube(0, 0, 0, 30), GrowShare: 100, ShrinkShare: 2},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), GrowShare: linear.Off, ShrinkShare: linear.Off},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 5},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 20, Policy: linear.PolicyIncremental, Slack: 40, SplitAbove: 5},
	{PendingMin: 4, PendingShare: 1 << 20, MinCell: 1 << 10, Policy: linear.PolicyIncremental, GrowShare: 50, ShrinkShare: 2},
	{PendingMin: 4, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, MinCell: 3, Log: true},
	{PendingMin: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, Slack: 50, Policy: linear.PolicyIncremental},
	{PendingMin: 20, PendingShare: 1 << 20, World: cube(0, 0, 0, 30), Fixed: true, Outside: linear.OutsideRemove, Policy: linear.PolicyRefit},
	{PendingMin: 4, PendingShare: 1 << 20, Cut: linear.CutCurve},
	{PendingMin: 20, PendingShare: 1 << 20, Cut: linear.CutCurve, Frozen: true, Policy: linear.PolicyRebuild},
	{PendingMin: 4, PendingShare: 1 << 20, Cut: linear.CutSpace, Policy: linear.PolicyRefit},
}

// TestModel for placeConfigs.
func TestModelInstances(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, 30, 400)
	testkit.EachTier(t, func(t *testing.T) {
		for k, cfg := range placeConfigs {
			if !testkit.OfTier(t, k) {
				continue
			}
			gone := 0
			for _, n := range []int{3, 20, 200} {
				m := newModel(t, cfg, seed+uint64(n), 100)
				m.alternate(seed)
				for range steps {
					m.step(t, n)
					m.check(t)
				}
				gone += m.gone
			}
			if (gone > 0) != (cfg.Outside == linear.OutsideRemove) {
				t.Errorf("configuration %d: %d objects departed", k, gone)
			}
		}
	})
}

// fresh returns a random object that the tree accepts.
func (m *model) fresh() soa.Object {
	for {
		if o := m.object(); !m.removes || m.tree.Config().World.ContainsPoint(o.Box.Center()) {
			return o
		}
	}
}

// depart follows a flush or a tick: all objects that were outside are removed, and no others.
func (m *model) depart(t testing.TB) {
	t.Helper()
	var want []soa.Handle
	for _, id := range slices.Sorted(slices.Values(m.ids)) {
		if m.removes && !m.tree.Config().World.ContainsPoint(m.live[id].Box.Center()) {
			want = append(want, m.handles[id])
			m.forget(id)
		}
	}
	m.gone += len(want)
	if got := m.tree.RemovedOutside(); !slices.Equal(got, want) {
		t.Fatalf("%v departed, want %v, after %v", got, want, m.log)
	}
	for _, h := range want {
		if _, err := m.tree.Resolve(h); !errors.Is(err, soa.ErrStale) || m.tree.Has(h.ID) {
			t.Fatalf("%v departed, and resolves with error %v, after %v", h, err, m.log)
		}
	}
}

// envOps sets the number of operations of a long random run.
const envOps = "ZOCTREE_MODEL_OPS"

// TestModelLong runs ZOCTREE_MODEL_OPS random operations, divided among the configurations and some sizes, and
// checks the tree after every five hundred. A batch counts as one operation.
func TestModelLong(t *testing.T) {
	text := os.Getenv(envOps)
	if text == "" {
		t.Skipf("%s is not set", envOps)
	}
	total, err := strconv.Atoi(text)
	if err != nil || total <= 0 {
		t.Fatalf("%s=%q is not a number of operations", envOps, text)
	}
	seed := testkit.Seed(t)
	start := time.Now()
	sizes := []int{5, 40, 200, 1500}
	share := total/(len(sizes)*len(modelConfigs)) + 1
	done := 0
	for _, n := range sizes {
		for _, cfg := range modelConfigs {
			m := newModel(t, cfg, seed+uint64(n), 100)
			for i := range share {
				m.step(t, n)
				if i%500 == 499 {
					m.check(t)
				}
			}
			m.check(t)
			done += share
			t.Logf("%d operations, n=%d, %+v, %v", done, n, cfg, time.Since(start).Round(time.Second))
		}
	}
	t.Logf("%d random operations, %s=%d", done, testkit.EnvSeed, seed)
}

// A long story in trees that stay small: the effect of a change depends on the history of the tree, and rare
// shapes occur.
func TestModelOnward(t *testing.T) {
	seed := testkit.Seed(t)
	steps := testkit.Budget(t, testkit.Again(150, 50), 4000)
	for k, cfg := range append(slices.Clone(modelConfigs), placeConfigs...) {
		m := newModel(t, cfg, seed+200, 100)
		for i := range steps {
			m.step(t, 200)
			if i%20 == 19 {
				if err := m.tree.Validate(); err != nil {
					t.Fatalf("configuration %d, step %d: %v, after %v", k, i, err, m.log)
				}
			}
		}
		m.check(t)
	}
}

// randomConfig fills all fields of a configuration, also with extreme and invalid values. It draws by the kinds
// of fields, so that new fields are included; an unknown kind fails the test.
func randomConfig(t testing.TB, r *rand.Rand) (cfg linear.Config) {
	randomFields(t, r, reflect.ValueOf(&cfg).Elem())
	return cfg
}

func randomFields(t testing.TB, r *rand.Rand, v reflect.Value) {
	for i := range v.NumField() {
		if f := v.Field(i); r.IntN(5) < 2 { // the other fields are zero
			randomField(t, r, v.Type().Field(i).Name, f)
		}
	}
}

func randomField(t testing.TB, r *rand.Rand, name string, f reflect.Value) {
	if box, ok := f.Addr().Interface().(*soa.AABB); ok {
		if *box = randomBox(r); r.IntN(2) == 0 {
			*box = cube(0, 0, 0, 30)
		}
		return
	}
	switch f.Kind() {
	case reflect.Struct:
		randomFields(t, r, f)
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Int:
		small := int64(r.IntN(20) - 1)
		f.SetInt([]int64{small, small, small, 20 + int64(r.IntN(100)), math.MaxInt32, math.MinInt32, int64(math.MaxInt)}[r.IntN(7)])
	case reflect.Uint8:
		f.SetUint(uint64(r.IntN(5)))
	case reflect.Float32, reflect.Float64:
		f.SetFloat([]float64{0x1p-149, 0x1p-10, 0.5, 3, 40, 1e20, math.MaxFloat32, -1, math.NaN(), math.Inf(1)}[r.IntN(10)])
	default:
		t.Fatalf("nobody draws a %v for Config.%s", f.Type(), name)
	}
}

// randomBox returns a box that only its position can make invalid: most are small and near 0, some are points,
// far away, huge, tiny, or at zeros of both signs.
func randomBox(r *rand.Rand) (b soa.AABB) {
	reach := [...]float32{25, 25, 25, 25, 25, 25, 60, 1000, 1e20, math.MaxFloat32, 1e-30, 0}[r.IntN(12)]
	size := [...]float32{0, 1, 1, 1, 1, 1, 4, 30, 1e19, math.MaxFloat32, 1e-40, 0}[r.IntN(12)]
	for a := range 3 {
		c, half := float32((r.Float32()*2-1)*reach), float32(r.Float32()*size)
		b.Min[a] = max(c-half, -math.MaxFloat32)
		b.Max[a] = min(c+half, math.MaxFloat32)
		if r.IntN(8) == 0 {
			b.Min[a] = b.Max[a]
		}
	}
	return b
}

// change is a change of equal trees, with equal objects for each. Its error is for an object outside, for
// lack of room, or for an object with an extent in a tree that thins.
type change func(tree *linear.Tree) error

// randomChange draws a change of a tree with these live objects.
func randomChange(r *rand.Rand, live []uint32) (name string, do change) {
	some := func(n int) (ids []uint32) {
		for _, i := range r.Perm(len(live))[:min(n, len(live))] {
			ids = append(ids, live[i])
		}
		return ids
	}
	boxes := func(n int) (all []soa.AABB) {
		for range n {
			all = append(all, randomBox(r))
		}
		return all
	}
	sphere := func() [4]float32 {
		c := randomBox(r).Center()
		return [4]float32{c[0] / 2, c[1] / 2, c[2] / 2, r.Float32()}
	}
	oriented := func() (b soa.OrientedBox) {
		c := randomBox(r).Center()
		h := r.Float32()
		return soa.OrientedBox{Center: [3]float32{c[0] / 4, c[1] / 4, c[2] / 4}, Axes: [3][3]float32{{h, h, 0}, {-h, h, 0}, {0, 0, 1}}}
	}
	object := func() soa.Object {
		return soa.Object{Box: randomBox(r), Mask: r.Uint32N(16), Static: r.IntN(3) == 0}
	}
	if len(live) == 0 || r.IntN(5) == 0 {
		switch o, n := object(), 1+r.IntN(24); r.IntN(5) {
		case 0:
			return "Insert", func(t *linear.Tree) error { _, err := t.Insert(o); return err }
		case 1:
			ball := soa.Ball{Sphere: sphere(), Mask: 1}
			return "InsertBall", func(t *linear.Tree) error { _, err := t.InsertBall(ball); return err }
		case 2:
			var points [][3]float32
			for _, b := range boxes(n) {
				points = append(points, b.Center())
			}
			return "InsertPoints", func(t *linear.Tree) error { _, err := t.InsertPoints(nil, points, linear.Labels{Mask: 3}); return err }
		default:
			if r.IntN(150) == 0 {
				n = 400
			}
			objects := make([]soa.Object, n)
			for i := range objects {
				objects[i] = object()
			}
			return "InsertBatch", func(t *linear.Tree) error { _, err := t.InsertBatch(nil, objects); return err }
		}
	}
	id := live[r.IntN(len(live))]
	switch r.IntN(22) {
	case 0, 1:
		return "Remove", func(t *linear.Tree) error { return t.Remove(id) }
	case 2:
		ids := some(1 + r.IntN(1+len(live)/2))
		return "RemoveBatch", func(t *linear.Tree) error { return t.RemoveBatch(ids) }
	case 3, 4, 5:
		box := randomBox(r)
		return "Move", func(t *linear.Tree) error { return t.Move(id, box) }
	case 6, 7:
		ids := some(1 + r.IntN(len(live)))
		to := boxes(len(ids))
		return "MoveBatch", func(t *linear.Tree) error { return t.MoveBatch(ids, to) }
	case 8:
		to := sphere()
		return "MoveSphere", func(t *linear.Tree) error { return t.MoveSphere(id, to) }
	case 9:
		to := oriented()
		return "MoveOriented", func(t *linear.Tree) error { return t.MoveOriented(id, to) }
	case 10:
		return "SetSphere", func(t *linear.Tree) error {
			o, _ := t.Object(id)
			c := o.Box.Min
			return t.SetSphere(id, [4]float32{c[0], c[1], c[2], 0})
		}
	case 11:
		mask := r.Uint32()
		return "SetMask", func(t *linear.Tree) error { return t.SetMask(id, mask) }
	case 12:
		return "SetStatic", func(t *linear.Tree) error { return t.SetStatic(id, id%2 == 0) }
	case 13:
		to := boxes(len(live))
		return "MoveInOrder", func(t *linear.Tree) error {
			_, arrangement := t.Order(nil)
			return t.MoveInOrder(arrangement, to)
		}
	case 14:
		return "Flush", (*linear.Tree).Flush
	case 15, 16:
		return "Tick", (*linear.Tree).Tick
	case 17:
		return "Refit", func(t *linear.Tree) error { t.Refit(); return nil }
	case 18:
		opt := linear.RebuildOptions{Frozen: r.IntN(2) == 0, Cut: linear.Cut(r.IntN(3))}
		return "Rebuild", func(t *linear.Tree) error { return t.Rebuild(nil, opt) }
	case 19:
		if r.IntN(6) > 0 {
			return "Trim", func(t *linear.Tree) error { t.Trim(); return nil }
		}
		return "Clear", func(t *linear.Tree) error { t.Clear(); return nil }
	default:
		var b linear.Batch
		ids := some(r.IntN(12))
		for i, box := range boxes(len(ids)) {
			b.Move(ids[i], box)
		}
		b.Insert(object())
		b.RemoveBatch(some(r.IntN(4)))
		if r.IntN(3) == 0 {
			b.Tick()
		}
		return "Apply", func(t *linear.Tree) error { _, err := t.Apply(&b); return err }
	}
}

// In every configuration, after random changes, a tree is valid and equals the tree of its own file, at the
// strictest check; the loaded tree continues like the original. Configurations that New rejects are drawn
// again.
//
// A long run: ZOCTREE_LONG=1 ZOCTREE_COUNT=1000000 ZOCTREE_SEED=7 go test ./linear -run TestRandomConfigs -timeout 0
func TestRandomConfigs(t *testing.T) {
	seed := testkit.Seed(t)
	refused, loads, longest := 0, 0, 0
	n := testkit.Count(t, 10, 4000)
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		cfg := randomConfig(t, r)
		tree, err := linear.New(cfg)
		for ; err != nil; tree, err = linear.New(cfg) {
			refused++
			cfg = randomConfig(t, r)
		}
		var log []string
		fail := func(format string, args ...any) {
			t.Helper()
			t.Fatalf("configuration %d, %+v, after %q: %s", i, cfg, log[max(0, len(log)-12):], fmt.Sprintf(format, args...))
		}
		load := func() *linear.Tree {
			t.Helper()
			s, err := linear.FromBytes(written(t, tree), linear.CheckFull)
			if err != nil {
				fail("the file is refused: %v", err)
			}
			again, err := s.Load()
			if err != nil {
				fail("the file is not loaded: %v", err)
			}
			if again.LayoutDigest() != tree.LayoutDigest() || again.Digest() != tree.Digest() {
				fail("the tree of the file is another one")
			}
			loads++
			return again
		}
		apply := func(to *linear.Tree, do change) string {
			t.Helper()
			err := do(to)
			if err != nil && !errors.Is(err, linear.ErrOutside) && !errors.Is(err, soa.ErrFull) && !errors.Is(err, linear.ErrPoints) {
				fail("%v", err)
			}
			return fmt.Sprint(err)
		}
		changes := 60 + r.IntN(60)
		half := r.IntN(changes)
		var reference *linear.Tree // loaded from the file
		for step := range changes {
			var live []uint32
			for id := range tree.All() {
				live = append(live, id)
			}
			longest = max(longest, len(live))
			name, do := randomChange(r, live)
			log = append(log, name)
			said := apply(tree, do)
			if reference != nil {
				reference.View() // a read, like All of the tree
				if other := apply(reference, do); other != said {
					fail("the tree says %q, the one of its file %q", said, other)
				}
			}
			if step%16 == 15 || step == changes-1 || n < 1000 {
				if err := tree.Validate(); err != nil {
					fail("%v", err)
				}
			}
			if step == half {
				reference = load()
			}
		}
		if tree.LayoutDigest() != reference.LayoutDigest() || tree.Digest() != reference.Digest() {
			fail("the tree of the file has become another one")
		}
		load()
	}
	if refused == 0 || loads < 2*n {
		t.Errorf("%d configurations are refused, %d loads of %d trees", refused, loads, n)
	}
	t.Logf("%d configurations, and %d that are refused; up to %d objects", n, refused, longest)
}

// Every kind of value is drawn for each field, and some values are accepted.
func TestRandomConfigsCover(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	taken := map[string]map[string]bool{}
	for range 4000 {
		cfg := randomConfig(t, r)
		if _, err := linear.New(cfg); err != nil {
			continue
		}
		v := reflect.ValueOf(cfg)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if taken[name] == nil {
				taken[name] = map[string]bool{}
			}
			taken[name][fmt.Sprint(v.Field(i).Interface())] = true
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[linear.Config]()) {
		if len(taken[f.Name]) < 2 {
			t.Errorf("Config.%s was only %q", f.Name, slices.Sorted(maps.Keys(taken[f.Name])))
		}
	}
}
