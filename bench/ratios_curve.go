package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/internal/testkit/scene"
	"github.com/zoctree/zoctree/soa"
)

// curvePercents are the shares of a curve.
var curvePercents = []float64{0, 0.1, 1, 5, 10, 20, 35, 50, 65, 80, 90, 95, 100}

const (
	curveCameras = 8
	curveLimit   = 1.1 // sweeps
	curveGrace   = 50  // ns, for what a query does besides
)

// curveExperiments look for queries that the tree makes slower than they need
// to be.
func curveExperiments() (all []experiment) {
	for _, s := range scene.All() {
		for _, n := range []int{100, 1_000, 10_000, 100_000, 1_000_000} {
			name := fmt.Sprintf("curve %s %s", s.Name, thousands(n))
			all = append(all, experiment{name, n, func(l *lab) ([]row, error) { return l.curve(name, s.Name, n) }})
		}
	}
	return all
}

// curve is tree / sweep by share, and the worst of it after the grace.
type curve struct {
	name    string
	ratios  []float64
	worst   float64
	percent float64 // at which
}

func curveColumns() []table.Column {
	cols := []table.Column{{Title: "tree / sweep, visible:", Width: -22}}
	for _, p := range curvePercents {
		cols = append(cols, table.Column{Title: fmt.Sprintf("%v %%", p), Width: 6})
	}
	return append(cols, table.Column{Title: "worst", Width: 6}, table.Column{Title: "at", Width: 6},
		table.Column{Title: "target", Width: 7}, table.Column{Title: "verdict", Width: -7})
}

func (c curve) cells() []string {
	cells := []string{c.name}
	for _, r := range c.ratios {
		cells = append(cells, table.Number(r))
	}
	limit := atMost(curveLimit)
	return append(cells, table.Number(c.worst), fmt.Sprintf("%v %%", c.percent), limit.String(), limit.verdict(c.worst))
}

func (l *lab) curve(name, scene string, n int) ([]row, error) {
	b, err := l.bed(scene, n)
	if err != nil {
		return nil, err
	}
	c := curve{name: name}
	for _, percent := range curvePercents {
		lenses, err := lensesOf(b.curveFrusta(percent / 100))
		if err != nil {
			return nil, err
		}
		if err := b.check(lenses); err != nil {
			return nil, err
		}
		times := measure.Interleave(l.rounds, b.treeTask(lenses), b.sweepTask(lenses))
		// The least times: the worst of many medians would be that of the
		// noise.
		tree, sweep := times[0].Min(), times[1].Min()
		c.ratios = append(c.ratios, tree/sweep)
		if worst := (tree - curveGrace) / sweep; worst > c.worst || len(c.ratios) == 1 {
			c.worst, c.percent = worst, percent
		}
	}
	return []row{c}, nil
}

// curveFrusta returns frusta that see about that share: half of them cameras
// amidst the objects or near them, as long as those can see so much, the others
// far away, with all objects in the picture and a far plane behind the share.
func (b *bed) curveFrusta(share float64) (frusta [][6][4]float32) {
	if 0 < share && share <= 0.5 {
		for _, c := range scene.Cameras(b.objects, share, curveCameras/2, b.seed) {
			frusta = append(frusta, c.Planes())
		}
	}
	box := scene.Bounds(b.objects)
	var middle, half [3]float64
	radius := 0.0
	for a := range 3 {
		lo, hi := float64(box.Min[a]), float64(box.Max[a])
		middle[a], half[a] = lo/2+hi/2, hi/2-lo/2
		radius += half[a] * half[a]
	}
	radius = math.Sqrt(radius) + 1
	var depths []float64
	for i := len(frusta); i < curveCameras; i++ {
		forward := direction(i)
		eye := middle
		for a := range 3 {
			eye[a] -= 3 * radius * forward[a]
		}
		c := scene.NewCamera(eye, forward, radius/2, radius)
		if seen := int(share * float64(len(b.objects))); seen > 0 {
			depths = depths[:0]
			for i := range b.objects {
				depths = append(depths, depth(&b.objects[i].Box, &eye, &forward))
			}
			slices.Sort(depths)
			c.Far = depths[seen-1] + 1e-6*radius
		}
		frusta = append(frusta, c.Planes())
	}
	return frusta
}

// direction returns one of many unit vectors that are spread over the sphere.
func direction(i int) [3]float64 {
	const turn = 2.399963229728653 // the golden angle
	z := math.Mod(0.1+0.37*float64(i), 1.8) - 0.9
	s, c := math.Sincos(turn * float64(i))
	r := math.Sqrt(1 - z*z)
	return [3]float64{r * c, r * s, z}
}

// depth returns the least distance of a box from the eye along forward.
func depth(b *soa.AABB, eye, forward *[3]float64) (d float64) {
	for a := range 3 {
		near := float64(b.Min[a])
		if forward[a] < 0 {
			near = float64(b.Max[a])
		}
		d += (near - eye[a]) * forward[a]
	}
	return d
}
