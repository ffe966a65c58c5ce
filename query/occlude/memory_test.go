package occlude_test

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/phase"
	world "github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/query/scene"
	"github.com/zoctree/zoctree/soa"
)

// All occluders move each frame, and some are removed while others are inserted: results are right, walls
// that were large in the previous frame are drawn at their current position, and no tree is rebuilt for it.
func TestAllOccludersMove(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	objects := town(rng, 150, 1500, 120)
	tree := plant(t, objects, linear.Config{Policy: linear.PolicyIncremental, Workers: 1})
	var ids []uint32 // of the occluders, which are first
	var boxes []soa.AABB
	velocity := map[uint32][2]float32{}
	for i := range 150 {
		ids, boxes = append(ids, uint32(i)), append(boxes, objects[i].Box)
		velocity[uint32(i)] = [2]float32{float32(rng.NormFloat64()), float32(rng.NormFloat64())}
	}
	culler := newCuller(t, occlude.Config{Width: 160, Height: 90, OccluderMask: walls, MinPixels: 1})
	remembered, hidden, gone := 0, 0, map[uint32]bool{}
	visible := make([]uint32, 0, 4000)
	for frame := range testkit.Budget(t, 10, 200) {
		for i, id := range ids {
			for a := range 2 {
				boxes[i].Min[a] += velocity[id][a]
				boxes[i].Max[a] += velocity[id][a]
			}
			objects[id].Box = boxes[i]
		}
		// The profile of time shows whether a tree was built.
		spent := phase.Times(func() {
			testkit.Must(t, tree.MoveBatch(ids, boxes))
			testkit.Must(t, tree.Tick())
		})
		if spent[phase.Sort]+spent[phase.Topology]+spent[phase.Fill] != 0 || spent[phase.Flush] == 0 {
			t.Errorf("frame %d: the tree was built anew: %v", frame, spent)
		}
		k := rng.IntN(len(ids)) // one is removed, and in the next frame inserted elsewhere, not an occluder any more or again
		testkit.Must(t, tree.Remove(ids[k]))
		objects[ids[k]].Mask = 1 + uint32(rng.IntN(2))
		gone[ids[k]] = true
		ids[k], boxes[k] = ids[len(ids)-1], boxes[len(boxes)-1]
		ids, boxes = ids[:len(ids)-1], boxes[:len(boxes)-1]
		if frame%2 == 1 {
			for id := range uint32(150) {
				if !gone[id] {
					continue
				}
				// IDs are reused in the order of a stack: an inserted object takes the ID that was freed
				// last.
				got, err := tree.Insert(objects[id])
				testkit.Must(t, err)
				objects[got] = objects[id]
				ids, boxes = append(ids, got), append(boxes, objects[got].Box)
				delete(gone, got)
				break
			}
		}
		testkit.Must(t, tree.Tick())
		v := viewOf("camera", [3]float64{-5, 60 + float64(frame)/10, 3}, [3]float64{1, 0.1, 0}, 1, 16./9, 0.1, 200)
		testkit.Must(t, v.look(culler))
		visible = culler.Append(visible[:0], tree.View(), query.Filter{})
		all := culler.Frustum().Append(nil, tree.View(), query.Filter{})
		hidden += len(all) - len(visible)
		witness(t, rng, culler.Rays(), nearOf(culler, &v), objects, bodiesOf(objects), all, nil, setOf(visible), 200)
		testkit.Must(t, v.look(culler))
		remembered += culler.Explain(tree.View(), query.Filter{}, nil).Remembered
		if t.Failed() {
			t.Fatalf("frame %d", frame)
		}
	}
	if remembered == 0 || hidden == 0 {
		t.Errorf("%d solids were remembered, %d objects hidden", remembered, hidden)
	}
}

// TestRemembersVisible compares the memory of a query, where it has room for all, with the result: it
// holds the occluders with a visible pixel, in every lane, and none that a second or a finer test has
// hidden.
func TestRemembersVisible(t *testing.T) {
	objects := testkit.SceneByName(t, "city").Make(20_000, 1)
	for i := range objects {
		objects[i].Mask = walls
	}
	tree := plant(t, objects, linear.Config{Frozen: true})
	cameras := world.Cameras(objects, 0.1, 30, 1)
	cameras = append(cameras, world.Street(objects, 30, 1)...)
	visible, last, again := 0, 0, 0
	for i, c := range cameras {
		most := []int{12, 40, 100, 200, len(objects)}[i%5]
		culler := newCuller(t, occlude.Config{Width: 200, Height: 113, OccluderMask: walls, MaxOccluders: most, MinPixels: 1})
		for range 3 {
			testkit.Must(t, culler.SetCamera(lookAt(&c)))
			answer := culler.Append(nil, tree.View(), query.Filter{})
			memory := slices.Clone(culler.Remembered(0))
			if len(memory) != min(len(answer), most) {
				t.Fatalf("%d objects are visible, %d of at most %d remembered", len(answer), len(memory), most)
			}
			slices.Sort(answer)
			for _, id := range memory {
				if _, ok := slices.BinarySearch(answer, id); !ok {
					t.Fatalf("object %d is remembered, and not visible", id)
				}
			}
			visible += len(answer)
			for _, id := range answer {
				if last > 0 {
					break // enough: PlaceOf reads all packets
				}
				if _, lane := culler.PlaceOf(tree.View(), id); lane == soa.Lanes-1 {
					last++
				}
			}
			if e := culler.Explain(tree.View(), query.Filter{}, nil); e.Occluders > e.Remembered {
				again++
			}
		}
	}
	if visible < 1000 || last == 0 || again == 0 {
		t.Errorf("%d objects are visible, %d in last lanes, in %d answers more solids are drawn than remembered: this tests little", visible, last, again)
	}
}

// Thousands of queries after one SetCamera use no more memory than a few, for trees that change and for
// trees that do not.
func TestAnswersWithoutEnd(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 60
	objects := town(rng, 100, 900, side)
	tree := plant(t, objects, linear.Config{Workers: 1})
	s, err := linear.NewScene(linear.Config{Workers: 1})
	testkit.Must(t, err)
	place(t, s, plant(t, objects, linear.Config{Workers: 1}), steps(2, 0, 0))
	culler := newCuller(t, occlude.Config{Width: 96, Height: 54, OccluderMask: walls, MinPixels: 1})
	v := ahead(side)
	testkit.Must(t, v.look(culler))
	testkit.Must(t, culler.DrawBoxes(objects[0].Box))
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	visible, answer := make([]uint32, 0, 3000), new(scene.Answer)
	for _, changes := range []bool{false, true} {
		k := 0
		ask := func() {
			if k++; changes {
				id := uint32(k % len(objects))
				b := shifted(objects[id:id+1], float32(k%7)/8, 0, 0)[0].Box
				testkit.Must(t, tree.Move(id, b))
				testkit.Must(t, tree.Tick())
			}
			visible = culler.Append(visible[:0], tree.View(), query.Filter{})
			answer.Reset()
			culler.AppendScene(answer, s.View(), query.Filter{})
		}
		for range 300 {
			ask()
		}
		before := heap()
		for range testkit.Budget(t, 300, 5000) {
			ask()
		}
		if grown := heap() - before; grown > 64<<10 && !testkit.RaceEnabled {
			t.Errorf("changes %v: %d bytes more after %d answers", changes, grown, k)
		}
	}
	testkit.Allocs(t, 50, func() {
		visible = culler.Append(visible[:0], tree.View(), query.Filter{})
		answer.Reset()
		culler.AppendScene(answer, s.View(), query.Filter{})
	})
}

// With the same picture, a culler with a minimum size returns its result without one, less the objects that
// its frustum finds small: in every form, on every tier. Where objects of the tree are occluders, it
// returns at least these, and nothing small.
func TestMinSize(t *testing.T) {
	seed := testkit.Seed(t)
	former := map[string][]uint32{} // of the first tier
	out, left, met, saved := 0, 0, 0, 0
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		saved = 0
		rounds := testkit.Budget(t, 10, 400)
		for round := 0; round < rounds || round < 10*rounds && saved < 1; round++ { // a size may save no node in few towns
			objects := town(rng, 40, 600, 200)
			v := plant(t, objects, linear.Config{}).View()
			var solid uint32
			if round%2 == 1 {
				solid = walls
			}
			least := float32(math.Ldexp(rng.Float64(), -rng.IntN(8)))
			kind := []string{"camera", "origin", "reversed"}[round/2%3]
			cullers := [2]*occlude.Culler{}
			for i := range cullers {
				cfg := occlude.Config{Width: 160, Height: 90, OccluderMask: solid}
				if i == 1 {
					cfg.MinSize = least
				}
				culler := newCuller(t, cfg)
				cullers[i] = culler
			}
			at := [3]float64{200 * rng.Float64(), 200 * rng.Float64(), 1 + 20*rng.Float64()}
			view := randomView(rng, kind, at, [3]float64{100, 100, 0}, 0.5, 1000)
			wall := soa.AABB{Min: [3]float32{90, 90, 0}, Max: [3]float32{95, 110, 30}}
			for _, culler := range cullers {
				testkit.Must(t, view.look(culler))
				if solid == 0 {
					culler.DrawBoxes(wall)
				}
			}
			sized := cullers[1].Frustum()
			in, frustum := map[uint32]bool{}, sized.Append(nil, v, query.Filter{})
			for _, id := range frustum {
				in[id] = true
			}
			var want []uint32
			for _, id := range cullers[0].Append(nil, v, query.Filter{}) {
				if in[id] {
					want = append(want, id)
				} else {
					out++
				}
			}
			left += len(want)
			got := cullers[1].Append(nil, v, query.Filter{})
			if key := fmt.Sprint(round); former[key] == nil {
				former[key] = append([]uint32{}, got...)
			} else if !slices.Equal(former[key], got) {
				t.Fatalf("round %d: another answer than on the first tier", round)
			}
			visible := setOf(got)
			for _, id := range got {
				if !in[id] {
					t.Fatalf("object %d is visible, which the frustum leaves out", id)
				}
			}
			if solid == 0 {
				slices.Sort(got)
				slices.Sort(want)
				if !slices.Equal(got, want) {
					t.Fatalf("%d visible, want %d", len(got), len(want))
				}
			} else {
				met += witness(t, rng, cullers[1].Rays(), view.near, objects, bodiesOf(objects), frustum, nil, visible, 300)
			}
			if n := cullers[1].Count(v, query.Filter{}); solid == 0 && n != len(got) {
				t.Fatalf("%d counted of %d", n, len(got))
			}
			if any := cullers[1].Any(v, query.Filter{}); solid == 0 && any != (len(got) > 0) {
				t.Fatalf("any %v of %d", any, len(got))
			}
			n := 0
			for id := range cullers[1].All(v, query.Filter{}) {
				if !in[id] {
					t.Fatalf("object %d is visible, which the frustum leaves out", id)
				}
				n++
			}
			c, plain := cullers[1].Explain(v, query.Filter{}, nil), cullers[0].Explain(v, query.Filter{}, nil)
			if !c.Abandoned && !plain.Abandoned && c.Pause+plain.Pause == 0 {
				saved += plain.Nodes + plain.Packets - c.Nodes - c.Packets
			}
			if solid == 0 && (n != len(got) || c.Nodes > plain.Nodes || c.Packets > plain.Packets) {
				t.Fatalf("%d of %d, %+v, without a least size %+v", n, len(got), c, plain)
			}
		}
	})
	if min(out, left) < (out+left)/20 || met == 0 || saved < 1 {
		t.Errorf("%d left out, %d left, %d met by rays, %d nodes and packets saved", out, left, met, saved)
	}
}

// Invalid sizes, and projections without depth, are errors.
func TestMinSizeErrors(t *testing.T) {
	for _, s := range []float32{-1, float32(math.NaN()), float32(math.Inf(1))} {
		if _, err := occlude.New(occlude.Config{MinSize: s}); err == nil || !strings.Contains(err.Error(), fmt.Sprint(s)) {
			t.Errorf("a minimum size of %v: error %v", s, err)
		}
	}
	culler := newCuller(t, occlude.Config{MinSize: 0.125})
	testkit.Must(t, culler.SetCamera(stander))
	before := culler.Frustum()
	err := culler.SetViewProjectionColumnMajor([16]float32{0: 1, 5: 1, 10: -0.01, 15: 1}, query.ClipZeroToOne)
	if err == nil || !strings.Contains(err.Error(), "0.125") || culler.Frustum() != before {
		t.Errorf("a parallel projection: %v", err)
	}
}

// Small objects of scenes are rejected too, during tests of occlusion and during back-off: by the edges of
// images.
func TestMinSizeOfScenes(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	out, left := 0, 0
	for round := range testkit.Budget(t, 4, 100) {
		s := newScene(t)
		for range 6 {
			part := plant(t, block(rng, 10, 190, 1, 60, 1), linear.Config{})
			p, err := linear.Similarity([3]float64{rng.Float64() * 300, rng.Float64() * 300, 0}, [4]float64{0, 0, rng.NormFloat64(), 1}, 0.5+rng.Float64())
			testkit.Must(t, err)
			place(t, s, part, p)
		}
		testkit.Must(t, s.Tick())
		v := s.View()
		visible := [2]map[name]bool{}
		var small map[name]bool // objects in the frustum without the small ones
		for i, least := range []float32{0, 1. / 64} {
			culler := newCuller(t, occlude.Config{Width: 160, Height: 90, MinSize: least})
			testkit.Must(t, culler.SetCamera(query.Camera{Eye: [3]float64{-10, 150, 5}, Forward: [3]float64{1, 0, 0}, Up: [3]float64{0, 0, 1}, FovY: 1, Aspect: 16. / 9, Near: 0.1, Far: 2000}))
			if round%2 == 0 {
				culler.DrawBoxes(soa.AABB{Min: [3]float32{50, 130, 0}, Max: [3]float32{55, 170, 30}})
			}
			visible[i], small = map[name]bool{}, map[name]bool{}
			var a scene.Answer
			culler.AppendScene(&a, v, query.Filter{})
			for _, n := range namesOf(&a) {
				visible[i][n] = true
			}
			if n := culler.CountScene(v, query.Filter{}); n != uint64(a.Len()) {
				t.Errorf("%d counted, %d are visible", n, a.Len())
			}
			a.Reset()
			scene.Append(&a, culler.Frustum(), v, query.Filter{})
			for _, n := range namesOf(&a) {
				small[n] = true
			}
		}
		for n := range visible[0] {
			if visible[1][n] != small[n] {
				t.Fatalf("round %d: %v is visible %v, in the frustum with a least size %v", round, n, visible[1][n], small[n])
			}
			if small[n] {
				left++
			} else {
				out++
			}
		}
		for n := range visible[1] {
			if !visible[0][n] {
				t.Fatalf("round %d: %v is visible with a least size alone", round, n)
			}
		}
	}
	if out == 0 || left == 0 {
		t.Errorf("%d are left out, %d are not", out, left)
	}
}
