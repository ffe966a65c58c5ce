package occlude_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// mesh returns the faces of a shape as a mesh.
func (s *shape) mesh(t testing.TB) *occlude.Mesh {
	t.Helper()
	var triangles [][3]int32
	faces := s.faces
	if len(faces) == 2 { // a polygon
		faces = faces[:1]
	}
	for _, f := range faces {
		for i := 2; i < len(f); i++ {
			triangles = append(triangles, [3]int32{f[0], f[i-1], f[i]})
		}
	}
	m, err := occlude.NewMesh(s.corners, triangles)
	testkit.Must(t, err)
	return m
}

// boxOf returns a box that holds a shape, with a margin.
func (s *shape) boxOf(transform linear.Transform) (b soa.AABB) {
	for i, c := range s.corners {
		p := transform.Point(wide(c))
		for a := range 3 {
			lo, hi := float32(p[a]-0.01), float32(p[a]+0.01)
			if i == 0 || lo < b.Min[a] {
				b.Min[a] = lo
			}
			if i == 0 || hi > b.Max[a] {
				b.Max[a] = hi
			}
		}
	}
	return b
}

// shaped is a tree of objects of which some occlude by shapes, with its model.
type shaped struct {
	t       *testing.T
	rng     *rand.Rand
	side    float64
	tree    *linear.Tree
	shapes  linear.Column[occlude.Shape]
	objects []soa.Object // by ID; Mask has walls if the object occludes
	bodies  []body       // occluders by their shapes, others by their boxes
	alive   []bool
}

// set gives an object a random shape, and returns its box and body.
func (m *shaped) set(id uint32) (soa.AABB, body) {
	at := [3]float64{m.rng.Float64() * m.side, m.rng.Float64() * m.side, m.rng.Float64() * 4}
	s, transform := randomShape(m.t, m.rng), randomTransform(m.t, m.rng, at)
	own := occlude.Shape{Transform: transform}
	if m.rng.IntN(3) > 0 {
		own.Hull = &s.hull
	}
	if own.Hull == nil || m.rng.IntN(4) == 0 {
		own.Mesh = s.mesh(m.t)
	}
	b, box := s.body(transform), s.boxOf(transform)
	b.corners = boxBody(box).corners
	if m.rng.IntN(6) == 0 {
		own = occlude.Shape{Bounds: true}
		b = boxBody(box)
	}
	m.shapes.Set(id, own)
	return box, b
}

// insert inserts an object, an occluder with a shape or not, or with a bit of walls but the stale shape of
// another object.
func (m *shaped) insert() {
	rng := m.rng
	o := town(rng, 0, 1, m.side)[0]
	kind := rng.IntN(3)
	if kind > 0 {
		o.Mask |= walls
	}
	id, err := m.tree.Insert(o)
	testkit.Must(m.t, err)
	for int(id) >= len(m.objects) {
		m.objects, m.bodies, m.alive = append(m.objects, soa.Object{}), append(m.bodies, body{}), append(m.alive, false)
	}
	stale := m.shapes.Get(id).Object.Gen != 0 || int(id) >= m.shapes.Len()
	m.objects[id], m.bodies[id], m.alive[id] = o, boxBody(o.Box), true
	m.objects[id].Mask &^= walls
	if kind == 0 || kind == 1 && stale {
		return // its mask or its shape is not that of an occluder
	}
	box, b := m.set(id)
	testkit.Must(m.t, m.tree.Move(id, box))
	if h, ok := m.tree.Handle(id); rng.IntN(4) > 0 && ok {
		m.shapes.At(id).Object = h
	}
	m.objects[id].Box, m.bodies[id] = box, b
	m.objects[id].Mask |= walls
}

// change moves, removes and inserts objects, and changes masks.
func (m *shaped) change() {
	for range 6 {
		id := uint32(m.rng.IntN(len(m.objects)))
		if !m.alive[id] {
			m.insert()
			continue
		}
		switch solid := m.objects[id].Mask&walls != 0; m.rng.IntN(5) {
		case 0:
			testkit.Must(m.t, m.tree.Remove(id))
			if m.alive[id] = false; solid && m.shapes.Get(id).Object.Gen == 0 {
				m.shapes.Delete(id) // without a handle the caller has to
			}
		case 1:
			if solid {
				handle := m.shapes.Get(id).Object
				box, b := m.set(id)
				m.shapes.At(id).Object = handle
				m.objects[id].Box, m.bodies[id] = box, b
				testkit.Must(m.t, m.tree.Move(id, box))
			}
		case 2:
			if solid {
				m.objects[id].Mask &^= walls
				m.bodies[id] = boxBody(m.objects[id].Box)
				testkit.Must(m.t, m.tree.SetMask(id, 2))
				if m.shapes.At(id).Object == (linear.Handle{}) {
					m.shapes.Delete(id)
				}
			}
		default:
			m.insert()
		}
	}
	if m.rng.IntN(2) == 0 {
		testkit.Must(m.t, m.tree.Tick())
	}
}

func shapedWorld(t *testing.T, rng *rand.Rand) *shaped {
	m := &shaped{t: t, rng: rng, side: 80}
	var err error
	if m.tree, err = linear.New(linear.Config{}); err != nil {
		t.Fatal(err)
	}
	for range 250 {
		m.insert()
	}
	return m
}

// No false culls with own shapes, while objects move, are removed, give their IDs to others, and change
// masks: every object that a ray reaches first is returned. Results and pictures are the same for any
// number of workers, and on every tier.
func TestShapesContract(t *testing.T) {
	seed := testkit.Seed(t)
	former := map[string]string{}
	left, shown, met, points, remembered := 0, 0, 0, 0, 0
	want := max(samples(t)/20, 20_000)
	testkit.EachTier(t, func(t *testing.T) {
		rng := testkit.Rand(seed)
		h := &hiddenPoints{rng: rng}
		for round := 0; h.points < want; round++ {
			m := shapedWorld(t, rng)
			cfg := occlude.Config{Width: 128, Height: []int{72, 31}[round&1], OccluderMask: walls, MaxOccluders: []int{0, 8, 40}[rng.IntN(3)], MinPixels: 1}
			var cullers [2]*occlude.Culler
			for i := range cullers {
				cfg.Workers = 1 + 2*i
				cullers[i], _ = occlude.New(cfg)
				cullers[i].SetShapes(&m.shapes)
			}
			at := [3]float64{rng.Float64() * m.side, -10, 2}
			for frame := range 12 {
				if frame > 0 {
					m.change()
				}
				for a := range 2 {
					at[a] += rng.NormFloat64()
				}
				to := [3]float64{m.side / 2, m.side / 2, 2}
				v := randomView(rng, kinds[(round+frame/4)%len(kinds)], at, to, 0.1, 300)
				flt := []query.Filter{{}, {}, {Mask: 2}, {Motion: query.StaticOnly}}[rng.IntN(4)]
				var told [2]string
				var visible []uint32
				for i, culler := range cullers {
					testkit.Must(t, v.look(culler))
					c := culler.Explain(m.tree.View(), flt, nil)
					visible = culler.Append(nil, m.tree.View(), flt)
					told[i] = fmt.Sprint(c, visible, string(bytesOf(culler)))
					if i == 0 {
						remembered += c.Remembered
					}
				}
				if told[0] != told[1] {
					t.Fatal("workers make a difference")
				}
				key := fmt.Sprint(round, ".", frame)
				if was, ok := former[key]; ok && was != told[0] {
					t.Fatalf("%s: another result than on the first tier", key)
				}
				former[key] = told[0]
				culler := cullers[0]
				all := culler.Frustum().Append(nil, m.tree.View(), flt)
				testkit.NothingLost(t, all, visible)
				left, shown = left+len(all)-len(visible), shown+len(visible)
				n := min(samples(t)/400, 500)
				whole := culler.Frustum().Append(nil, m.tree.View(), query.Filter{})
				is := setOf(visible)
				kept := setOf(all)
				for _, id := range whole {
					is[id] = is[id] || !kept[id] // the filter rejects it
				}
				met += witness(t, rng, culler.Rays(), nearOf(culler, &v), m.objects, m.bodies, whole, nil, is, n)
				h.objects, h.bodies, h.last = m.objects, m.bodies, 0
				h.rays, h.near = culler.Rays(), nearOf(culler, &v)
				h.pixels = pixelsOf(&h.rays)
				h.grid = gridOf(&h.rays, h.near, h.bodies, whole)
				for _, id := range whole {
					for range 6 {
						if p := h.somewhere(&m.objects[id].Box); !is[id] && !h.behind(id, p) {
							t.Errorf("object %d, box %v, is not visible, but its point %v is", id, m.objects[id].Box, p)
						}
					}
				}
				if t.Failed() {
					t.Fatalf("round %d, frame %d, %+v", round, frame, cfg)
				}
			}
		}
		points += h.points
	})
	t.Logf("%d objects visible, %d hidden, %d points of these, %d meetings of rays, %d shapes were remembered", shown, left, points, met, remembered)
	if left*4 < shown || remembered == 0 {
		t.Errorf("%d objects are hidden of %d, %d shapes are remembered: this tests little", left, left+shown, remembered)
	}
}

// Shapes drawn by the culler give the picture of the same shapes drawn by the program, bit by bit.
func TestShapesByHand(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	covered := 0
	for round := range testkit.Budget(t, 20, 300) {
		m := shapedWorld(t, rng)
		own := newCuller(t, occlude.Config{Width: 200, Height: 113, OccluderMask: walls, MinPixels: 1, MaxOccluders: 1 << 20})
		hand := newCuller(t, occlude.Config{Width: 200, Height: 113})
		own.SetShapes(&m.shapes)
		v := randomView(rng, kinds[round%len(kinds)], [3]float64{40, -20, 3}, [3]float64{40, 40, 3}, 0.1, 300)
		if v.look(own) != nil || v.look(hand) != nil {
			t.Fatal("no view")
		}
		visible := own.Append(nil, m.tree.View(), query.Filter{})
		frustum := own.Frustum()
		for _, id := range frustum.Append(nil, m.tree.View(), query.Filter{Mask: walls}) {
			s := m.shapes.Get(id)
			if m.objects[id].Mask&walls == 0 {
				continue
			}
			if s.Bounds {
				hand.DrawBoxes(m.objects[id].Box)
			}
			if s.Hull != nil {
				hand.DrawHulls([]occlude.Hull{*s.Hull}, []linear.Transform{s.Transform})
			}
			if s.Mesh != nil {
				hand.DrawMesh(s.Mesh, s.Transform)
			}
		}
		// Shapes that are hidden are not drawn by the culler.
		testkit.NothingLost(t, visible, hand.Append(nil, m.tree.View(), query.Filter{}))
		a, b := bytesOf(own), bytesOf(hand)
		if !bytes.Equal(a, b) {
			pa, width, height, stride := own.DepthBuffer()
			pb, _, _, _ := hand.DepthBuffer()
			for y := range height {
				for x := range width {
					if pa[y*stride+x] > pb[y*stride+x] {
						t.Fatalf("round %d: pixel %d, %d is nearer than the shapes drawn by hand", round, x, y)
					}
				}
			}
			continue
		}
		if slices.Max(b) > 0 {
			covered++
		}
	}
	if covered == 0 {
		t.Error("no picture is the same")
	}
}

// An object that takes the ID of a removed one does not occlude by the shape that is left in the column, if
// that shape has the handle of its object.
func TestShapeOfRemovedObject(t *testing.T) {
	for _, published := range []bool{false, true} {
		tree := yard()
		wall, _ := occlude.NewPrism([][2]float32{{-10, 20}, {10, 20}, {10, 21}, {-10, 21}}, 0, 6)
		h, _ := tree.Handle(0)
		var shapes linear.Column[occlude.Shape]
		shapes.Set(0, occlude.Shape{Hull: &wall, Object: h})
		culler := looking()
		culler.SetShapes(&shapes)
		p := linear.NewPublisher(tree)
		count := func() int {
			testkit.Must(t, culler.SetCamera(stander))
			if !published {
				return culler.Count(tree.View(), query.Filter{Mask: 1})
			}
			p.Publish()
			v := p.Acquire()
			defer v.Release()
			return culler.Count(v.View(), query.Filter{Mask: 1})
		}
		for range 2 { // without a memory and with it
			if n := count(); n != 1 {
				t.Errorf("published %v: %d objects of 2 are visible, want 1", published, n)
			}
		}
		o, _ := tree.Object(0)
		testkit.Must(t, tree.Remove(0))
		if id, err := tree.Insert(o); id != 0 || err != nil {
			t.Fatalf("ID %d, %v", id, err)
		}
		if n := count(); n != 2 {
			t.Errorf("published %v: %d objects are visible behind a stale shape, want 2", published, n)
		}
	}
}

// A mesh counts by its triangles: the largest shapes are drawn until MaxOccluders is reached.
func TestShapeBudget(t *testing.T) {
	rng := testkit.Rand(testkit.Seed(t))
	const side = 40 // squares of a wall
	var wall surface
	for y := range side + 1 {
		for x := range side + 1 {
			wall.corners = append(wall.corners, [3]float32{float32(x) / side, 0, float32(y) / side})
		}
	}
	for y := range int32(side) {
		for x := range int32(side) {
			k := y*(side+1) + x
			wall.triangles = append(wall.triangles, [3]int32{k, k + 1, k + side + 2}, [3]int32{k, k + side + 2, k + side + 1})
		}
	}
	mesh := wall.mesh(t) // of 3,200 triangles
	var objects []soa.Object
	var shapes linear.Column[occlude.Shape]
	for i := range 64 {
		x, y := rng.Float64()*40-20, 10+rng.Float64()*20
		transform := steps(x, y, 0)
		objects = append(objects, soa.Object{Mask: walls, Box: soa.AABB{Min: [3]float32{float32(x), float32(y) - 0.1, 0}, Max: [3]float32{float32(x) + 1, float32(y) + 0.1, 1}}})
		shapes.Set(uint32(i), occlude.Shape{Mesh: mesh, Transform: transform})
	}
	tree := plant(t, objects, linear.Config{})
	for _, most := range []int{1, 51, 52, 200, 10_000} {
		culler := newCuller(t, occlude.Config{OccluderMask: walls, MinPixels: 1, MaxOccluders: most})
		culler.SetShapes(&shapes)
		testkit.Must(t, culler.SetCamera(stander))
		inView := culler.Frustum().Count(tree.View(), query.Filter{})
		counters := culler.Explain(tree.View(), query.Filter{}, nil)
		want := min((most+50)/51, inView)
		// The second pass may draw as many again.
		if counters.Occluders < want || counters.Occluders > 2*want {
			t.Errorf("%d occluders: %d meshes of 51 are drawn, want %d", most, counters.Occluders, want)
		}
	}
}

// After the first frames a query with shapes allocates nothing.
func TestShapesAllocate(t *testing.T) {
	m := shapedWorld(t, testkit.Rand(testkit.Seed(t)))
	for id := range uint32(m.shapes.Len()) {
		if m.objects[id].Mask&walls != 0 {
			m.shapes.At(id).Object, _ = m.tree.Handle(id)
		}
	}
	culler := newCuller(t, occlude.Config{OccluderMask: walls, MinPixels: 1})
	culler.SetShapes(&m.shapes)
	v := viewOf("camera", [3]float64{40, -20, 3}, [3]float64{0, 1, 0}, 1, 16./9, 0.1, 200)
	dst := make([]uint32, 0, 1000)
	frame := func() {
		testkit.Must(t, v.look(culler))
		dst = culler.Append(dst[:0], m.tree.View(), query.Filter{})
	}
	for range 4 {
		frame()
	}
	testkit.Allocs(t, 20, frame)
}
