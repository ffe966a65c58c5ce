package exact_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/query/internal/exact"
	"github.com/zoctree/zoctree/soa"
)

// mover is a box that may change or an oriented box, in motion, for all tests.
type mover struct {
	fast     exact.Moving
	solid    exact.MovingSolid
	from, to exact.Frame
}

// randomMover returns a mover of about that size. Some are flat, at rest, far from the origin, or on a grid.
func randomMover(r *rand.Rand, size, speed float64, grid bool) (m mover) {
	b := turnedBox(r, size)
	if grid {
		b = gridBox(r)
	} else if x, y := length(b.Axes[0]), length(b.Axes[1]); x > 0 { // not quite at right angles
		for k := range 3 {
			b.Axes[1][k] += float32(0x1p-19 * y / x * float64(b.Axes[0][k]))
		}
	}
	var move [3]float64
	for k := range move {
		if move[k] = r.NormFloat64() * size * speed; grid {
			move[k] = math.Round(move[k])
		}
	}
	if r.IntN(3) > 0 {
		m.fast.SetOriented(&b, &move)
		m.solid.SetOriented(&b, &move)
		m.from.Set(&b)
		m.to = m.from
		for k := range move {
			m.to.Center[k] += move[k]
		}
		return m
	}
	from, to := b.Box(), soa.AABB{}
	for k := range move {
		grow := float64(r.IntN(2)) * r.Float64() * size
		if grid {
			grow = math.Round(grow)
		}
		to.Min[k], to.Max[k] = float32(float64(from.Min[k])+move[k]), float32(float64(from.Max[k])+move[k]+grow)
		move[k] = (float64(to.Min[k]) - float64(from.Min[k]) + float64(to.Max[k]) - float64(from.Max[k])) / 2
	}
	if r.IntN(2) == 0 { // one that shrinks
		from, to = to, from
		move = [3]float64{-move[0], -move[1], -move[2]}
	}
	m.fast.SetBox(&from, &to, &move)
	m.solid.SetBox(&from, &to)
	m.from.SetBox(&from)
	m.to.SetBox(&to)
	return m
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
	for range testkit.Count(t, 100_000, 20_000_000) {
		grid, size := r.IntN(3) == 0, 1.0
		speed := []float64{0, 0.1, 1, 10}[r.IntN(4)]
		if !grid {
			size = math.Ldexp(1, r.IntN(200)-100)
		}
		a, b := randomMover(r, size, speed, grid), randomMover(r, size, speed, grid)
		w := exact.Always
		verdict := a.fast.Judge(&b.fast)
		ok := w.Solids(&a.solid, &b.solid)
		verdicts[verdict]++
		if verdict == exact.Apart && ok || verdict == exact.Touches && (!ok || w.Enter != 0) {
			t.Fatalf("verdict %d, but from %v to %v, %v\n%+v\n%+v", verdict, w.Enter, w.Leave, ok, a, b)
		}
	}
	t.Logf("%d unsure, %d apart, %d touch", verdicts[exact.Unsure], verdicts[exact.Apart], verdicts[exact.Touches])
	if n := verdicts[0] + verdicts[1] + verdicts[2]; verdicts[exact.Unsure] > n/2 || verdicts[exact.Touches] < n/50 || verdicts[exact.Apart] < n/5 {
		t.Errorf("verdicts %v: little was decided", verdicts)
	}
}

// The verdict on a ball is compared with its distance at the start, or at any time.
func TestJudgeBall(t *testing.T) {
	r := testkit.Rand(testkit.Seed(t))
	var verdicts [3]int
	for range testkit.Count(t, 100_000, 10_000_000) {
		speed := []float64{0, 0.1, 1, 10}[r.IntN(4)]
		grid := r.IntN(3) == 0
		b := randomMover(r, 1, speed, grid)
		var ball [4]float32
		var move [3]float64
		for k := range move {
			ball[k], move[k] = float32(r.NormFloat64()*3), r.NormFloat64()*speed
		}
		if ball[3] = float32(r.Float64()) * float32(r.IntN(4)); grid {
			for k := range ball {
				ball[k] = float32(math.Round(float64(ball[k])))
			}
		}
		if r.IntN(12) == 0 { // it just touches, or just does not
			f := b.from
			d := f.Distance([3]float64{float64(ball[0]), float64(ball[1]), float64(ball[2])})
			ball[3] = math.Nextafter32(float32(d), float32(r.IntN(2)*9))
		}
		verdict := b.fast.JudgeBall(&ball, &move)
		verdicts[verdict]++
		const steps = 16
		for i := range steps + 1 {
			at := float64(i) / steps
			f := b.at(at)
			d := f.Distance([3]float64{
				float64(ball[0]) + at*move[0], float64(ball[1]) + at*move[1], float64(ball[2]) + at*move[2],
			}) - float64(ball[3])
			if verdict == exact.Apart && d <= 0 || verdict == exact.Touches && i == 0 && d > 0 {
				t.Fatalf("verdict %d, but the distance at time %v is %v\n%v, motion %v\n%+v", verdict, at, d, ball, move, b)
			}
		}
	}
	t.Logf("%d unsure, %d apart, %d touch", verdicts[exact.Unsure], verdicts[exact.Apart], verdicts[exact.Touches])
	if n := verdicts[0] + verdicts[1] + verdicts[2]; verdicts[exact.Unsure] > n/3 || verdicts[exact.Touches] < n/50 || verdicts[exact.Apart] < n/5 {
		t.Errorf("verdicts %v: little was decided", verdicts)
	}
}
