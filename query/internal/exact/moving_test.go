package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/asm/pair"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// mover is a box that may change or an oriented box, in motion, for all tests.
type mover struct {
	fast     pair.Moving
	solid    exact.MovingSolid
	from, to exact.Frame
}

// randomMover returns a mover of about that size. Some are flat, at rest, far from the origin, or on a grid.
func randomMover(r *rand.Rand, size, speed float64, grid bool) (m mover) {
	b := turnedBox(r, size)
	if grid {
		b = gridBox(r)
	} else if x, y := length(b.Axes[0]), length(b.Axes[1]); x > 0 { // not quite at right angles
		if r.IntN(8) == 0 { // a needle, anywhere along its length
			along := r.Float32()*2 - 1
			for k := range 3 {
				b.Axes[0][k] *= 0x1p18
				b.Center[k] += along * b.Axes[0][k]
			}
			x *= 0x1p18
		}
		for k := range 3 {
			b.Axes[1][k] += float32(0x1p-19 * y / x * float64(b.Axes[0][k]))
		}
	}
	step := [2]soa.AABB{b.Box(), b.Box()}
	turned := r.IntN(3) > 0
	for k := range 3 {
		by, grow := r.NormFloat64()*size*speed, 0.0
		if !turned {
			grow = float64(r.IntN(2)) * r.Float64() * size
		}
		if grid {
			by, grow = math.Round(by), math.Round(grow)
		}
		step[1].Min[k], step[1].Max[k] = float32(float64(step[0].Min[k])+by), float32(float64(step[0].Max[k])+by+grow)
	}
	if !turned && r.IntN(2) == 0 { // one that shrinks
		step[0], step[1] = step[1], step[0]
	}
	if turned {
		m.fast.Set(&step, &noBall, &b)
		move := [3]float64(m.fast.Move[:3])
		m.solid.SetOriented(&b, &move)
		m.from.Set(&b)
		m.to = m.from
		for k := range move {
			m.to.Center[k] += move[k]
		}
		return m
	}
	m.fast.Set(&step, &noBall, nil)
	m.solid.SetBox(&step[0], &step[1])
	m.from.SetBox(&step[0])
	m.to.SetBox(&step[1])
	return m
}

// noBall is the ball of an object without one.
var noBall = [4]float32{3: -1}

// verdictOf returns the verdict on two shapes, in an order that swap selects.
func verdictOf(a, b *pair.Moving, swap bool) pair.Verdict {
	pairs := []pair.MovingPair{{X: 0, Y: 0}}
	if swap {
		a, b = b, a
	}
	pair.Judge(pairs, []pair.Moving{*a}, []pair.Moving{*b})
	return pairs[0].Verdict
}

func length(a [3]float32) float64 {
	v := [3]float64{float64(a[0]), float64(a[1]), float64(a[2])}
	return math.Sqrt(exact.Dot(v, v))
}

// at returns the frame of the mover at a time.
func (m *mover) at(t float64) exact.Frame {
	f := m.from
	for k := range 3 {
		f.Center[k] += t * (m.to.Center[k] - f.Center[k])
		f.Half[k] += t * (m.to.Half[k] - f.Half[k])
	}
	return f
}

// The verdict of a fast test is that of the test by separating axes, and it decides most pairs.
func TestJudge(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var verdicts [3]int
	for range testkit.Count(t, testkit.Again(100_000, 10_000), 20_000_000) {
		grid, size := r.IntN(3) == 0, 1.0
		speed := []float64{0, 0.1, 1, 10}[r.IntN(4)]
		if !grid {
			size = math.Ldexp(1, r.IntN(200)-100)
		}
		a, b := randomMover(r, size, speed, grid), randomMover(r, size, speed, grid)
		w := exact.Always
		verdict := verdictOf(&a.fast, &b.fast, false)
		ok := w.Solids(&a.solid, &b.solid)
		verdicts[verdict]++
		if verdict == pair.Apart && ok || verdict == pair.Touches && (!ok || w.Enter != 0) {
			t.Fatalf("verdict %d, but from %v to %v, %v\n%+v\n%+v", verdict, w.Enter, w.Leave, ok, a, b)
		}
	}
	t.Logf("%d unsure, %d apart, %d touch", verdicts[pair.Unsure], verdicts[pair.Apart], verdicts[pair.Touches])
	if n := verdicts[0] + verdicts[1] + verdicts[2]; verdicts[pair.Unsure] > n/2 || verdicts[pair.Touches] < n/50 || verdicts[pair.Apart] < n/5 {
		t.Errorf("verdicts %v: little was decided", verdicts)
	}
}

// The verdict on a ball and another shape is compared with their distance at the start, or at any time.
func TestJudgeBall(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var verdicts [3]int
	for i := range testkit.Count(t, testkit.Again(100_000, 10_000), 10_000_000) {
		speed := []float64{0, 0.1, 1, 10}[r.IntN(4)]
		grid := r.IntN(3) == 0
		b := randomMover(r, 1, speed, grid)
		radius := 0.0
		if i%3 == 0 { // another ball, or a point
			radius = float64(r.IntN(3))
			center := [4]float32{float32(b.from.Center[0]), float32(b.from.Center[1]), float32(b.from.Center[2]), float32(radius)}
			step := [2]soa.AABB{{}, {Min: [3]float32{1, 0, 0}, Max: [3]float32{1, 0, 0}}}
			b.fast.Set(&step, &center, nil)
			b.from = exact.Frame{Axes: b.from.Axes, Center: [3]float64{float64(center[0]), float64(center[1]), float64(center[2])}}
			b.to = b.from
			b.to.Center[0]++
		}
		var ball [4]float32
		var step [2]soa.AABB
		for k := range 3 {
			ball[k], step[1].Max[k] = float32(r.NormFloat64()*3), float32(r.NormFloat64()*speed)
			step[1].Min[k] = step[1].Max[k]
		}
		if ball[3] = float32(r.Float64()) * float32(r.IntN(4)); grid {
			for k := range ball {
				ball[k] = float32(math.Round(float64(ball[k])))
			}
		}
		if r.IntN(12) == 0 { // it just touches, or just does not
			f := b.from
			d := max(0, f.Distance([3]float64{float64(ball[0]), float64(ball[1]), float64(ball[2])})-radius)
			ball[3] = math.Nextafter32(float32(d), float32(r.IntN(2)*9))
		}
		var fast pair.Moving
		fast.Set(&step, &ball, nil)
		verdict := verdictOf(&fast, &b.fast, i%2 == 0)
		verdicts[verdict]++
		const steps = 16
		for i := range steps + 1 {
			at := float64(i) / steps
			f := b.at(at)
			d := f.Distance([3]float64{
				float64(ball[0]) + at*fast.Move[0], float64(ball[1]) + at*fast.Move[1], float64(ball[2]) + at*fast.Move[2],
			}) - float64(ball[3]) - radius
			if verdict == pair.Apart && d <= 0 || verdict == pair.Touches && i == 0 && d > 0 {
				t.Fatalf("verdict %d, but the distance at time %v is %v\n%+v\n%+v", verdict, at, d, fast, b)
			}
		}
	}
	t.Logf("%d unsure, %d apart, %d touch", verdicts[pair.Unsure], verdicts[pair.Apart], verdicts[pair.Touches])
	if n := verdicts[0] + verdicts[1] + verdicts[2]; verdicts[pair.Unsure] > n/3 || verdicts[pair.Touches] < n/50 || verdicts[pair.Apart] < n/5 {
		t.Errorf("verdicts %v: little was decided", verdicts)
	}
}
