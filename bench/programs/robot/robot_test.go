package robot_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/bench/programs/robot"
)

type obstacles interface {
	Insert(scan []robot.Point) error
	Within(p robot.Point, radius float32) (int, error)
	Clearance(p robot.Point, limit float32) (float32, error)
	Len() int
}

// Both maps give the same answers after each scan, except for points that are at the radius up to rounding.
func TestSameAnswers(t *testing.T) {
	var before, after obstacles = robot.NewOctree(robot.Point{}, 200), new(robot.Map)
	rng := rand.New(rand.NewPCG(1, 2))
	clouds, path := robot.Scans(25, 3000, 3)
	found, clear := 0, 0
	for s, cloud := range clouds {
		for _, m := range []obstacles{before, after} {
			if err := m.Insert(cloud); err != nil || m.Len() != (s+1)*3000 {
				t.Fatalf("scan %d: %d points, %v", s, m.Len(), err)
			}
		}
		for range 200 {
			p := path[rng.IntN(len(path))]
			for d := range p {
				p[d] += float32(rng.NormFloat64() * 2)
			}
			radius := float32(rng.ExpFloat64())
			got, err := after.Within(p, radius)
			low, _ := before.Within(p, radius*(1-1e-6))
			high, _ := before.Within(p, radius*(1+1e-6))
			if err != nil || got < low || got > high {
				t.Fatalf("scan %d: %d points, %v, want %d to %d", s, got, err, low, high)
			}
			found += got
			limit := float32(1)
			d, err := after.Clearance(p, limit)
			want, _ := before.Clearance(p, limit)
			if err != nil || d != want && !(math.Abs(float64(min(d, want)-limit)) < 1e-5) {
				t.Fatalf("scan %d: clearance %v, %v, want %v", s, d, err, want)
			}
			if math.IsInf(float64(d), 1) {
				clear++
			}
		}
	}
	if found == 0 || clear == 0 || clear == 25*200 {
		t.Errorf("%d points found, %d places clear", found, clear)
	}
}

// Input that the old map lost, or looped on, is an error or works.
func TestCorners(t *testing.T) {
	m := new(robot.Map)
	if d, err := m.Clearance(robot.Point{}, 1); err != nil || !math.IsInf(float64(d), 1) {
		t.Errorf("empty: %v %v", d, err)
	}
	if err := m.Insert([]robot.Point{{1, 2, 3}, {float32(math.NaN())}}); err == nil || m.Len() != 0 {
		t.Errorf("NaN: %d points, %v", m.Len(), err)
	}
	if err := m.Insert([]robot.Point{{1e6, 0, 0}, {1e6, 0, 0}}); err != nil || m.Len() != 2 {
		t.Errorf("far away: %d points, %v", m.Len(), err)
	}
	if n, err := m.Within(robot.Point{1e6, 0, 0}, 0); n != 2 || err != nil {
		t.Errorf("radius 0: %d, %v", n, err)
	}
	if _, err := m.Within(robot.Point{}, -1); err == nil {
		t.Error("no error for a negative radius")
	}
}
