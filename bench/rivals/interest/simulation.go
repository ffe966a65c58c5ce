package interest

import (
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
)

// simulation is a scene of moving objects and viewers, with the state of a form.
type simulation struct {
	tree    *linear.Tree
	rng     *rand.Rand
	boxes   []linear.AABB
	at      [][3]float32 // positions of the viewers
	half    float32      // half edges of the viewers' boxes
	walking int          // percentage of viewers that move
	walked  []int        // viewers moved in this frame

	ids []uint32
	to  []linear.AABB

	form    form
	tracker interest.Tracker
	lists   lists
	maps    sets
	bitmaps bitmaps
}

const (
	side   = 1000 // side of the simulation
	inView = 398  // approximate number of objects in view
)

func newSimulation(n, viewers, walking int, seed uint64, f form) *simulation {
	m := &simulation{
		rng: rand.New(rand.NewPCG(seed, 7)), boxes: make([]linear.AABB, n), at: make([][3]float32, viewers), walking: walking,
		ids: make([]uint32, n/100), to: make([]linear.AABB, n/100), form: f, maps: sets{},
		lists: newLists(viewers),
	}
	objects := make([]linear.Object, n)
	for i := range objects {
		m.boxes[i] = cube(m.within(3), 0.2+m.rng.Float32())
		objects[i].Box = m.boxes[i]
	}
	m.tree = must.Get(linear.New(linear.Config{Workers: 1, Log: true}))
	must.Get(m.tree.InsertBatch(nil, objects))
	must.Do(m.tree.Rebuild(nil, linear.RebuildOptions{}))
	m.half = m.halfFor(inView)
	m.tracker.Workers = 1
	m.bitmaps.init(viewers)
	for i := range m.at {
		m.at[i] = m.within(2 * m.half)
		m.tracker.Add(m.area(i))
	}
	return m
}

func cube(at [3]float32, half float32) (b linear.AABB) {
	for a := range 3 {
		b.Min[a], b.Max[a] = at[a]-half, at[a]+half
	}
	return b
}

// within returns a random centre of a cube of that edge inside the simulation.
func (m *simulation) within(edge float32) (at [3]float32) {
	for a := range at {
		at[a] = edge/2 + m.rng.Float32()*(side-edge)
	}
	return at
}

// halfFor returns half the edge of a cube that contains about want objects.
func (m *simulation) halfFor(want int) float32 {
	lo, hi := float32(0), float32(side)/2
	for range 20 {
		half, sum := (lo+hi)/2, 0
		for range 50 {
			b := cube(m.within(2*half), half)
			q := must.Get(query.NewBox(b.Min, b.Max))
			sum += q.Count(m.tree.View(), query.Filter{})
		}
		if sum < 50*want {
			lo = half
		} else {
			hi = half
		}
	}
	return hi
}

func (m *simulation) area(i int) interest.Area {
	b := cube(m.at[i], m.half)
	return must.Get(interest.Box(b, b))
}

// step moves one object in a hundred by up to a unit along each axis, and viewers by up to two.
func (m *simulation) step() {
	for i := range m.ids {
		m.ids[i] = uint32(m.rng.IntN(len(m.boxes)))
		b := &m.boxes[m.ids[i]]
		for a := range 3 {
			d := (m.rng.Float32() - 0.5) * 2
			b.Min[a], b.Max[a] = b.Min[a]+d, b.Max[a]+d
		}
		m.to[i] = *b
	}
	must.Do(m.tree.MoveBatch(m.ids, m.to))
	must.Do(m.tree.Tick())
	m.walked = m.walked[:0]
	for i := range m.at {
		if m.rng.IntN(100) < m.walking {
			for a := range 3 {
				m.at[i][a] += (m.rng.Float32() - 0.5) * 4
			}
			m.walked = append(m.walked, i)
		}
	}
}

// inView returns the number of objects in view, summed over all viewers.
func (m *simulation) inView() (n int) {
	for i := range m.at {
		n += len(m.tracker.InView(uint32(i)))
	}
	return n
}
