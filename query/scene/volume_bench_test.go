package scene_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/scene"
)

// scales are numbers of instances and of objects in the part.
var scales = [][2]int{{100, 1000}, {1000, 1000}, {10_000, 100}, {100_000, 20}}

// Frusta that see 2.5 % of the objects, and boxes that find 8 and 450, in scenes of rotated instances and in
// the flat tree of all boxes.
func BenchmarkVolumes(b *testing.B) {
	for _, size := range scales {
		b.Run(fmt.Sprintf("places=%d/objects=%d", size[0], size[1]), func(b *testing.B) {
			s, flat := instances(b, size[0], size[1])
			benchVolumes(b, "frustum=2.5%", frustaOf(b, flat.View(), float64(flat.Len())/40), s, flat)
			for _, found := range []float64{8, 450} {
				benchVolumes(b, fmt.Sprintf("box=%g", found), boxesOf(b, flat.View(), found), s, flat)
			}
		})
	}
}

// flatVolume is a volume that also queries trees.
type flatVolume interface {
	query.Volume
	Append([]uint32, linear.View, query.Filter) []uint32
	Count(linear.View, query.Filter) int
}

func benchVolumes[V flatVolume](b *testing.B, name string, volumes []V, s *linear.Scene, flat *linear.Tree) {
	v, w, n := s.View(), flat.View(), len(volumes)
	b.Run(name+"/in=scene", func(b *testing.B) {
		b.ReportAllocs()
		var a scene.Answer
		for i := 0; b.Loop(); i++ {
			a.Reset()
			scene.Append(&a, volumes[i%n], v, query.Filter{})
		}
		var c scene.Counters
		hits := 0
		for i := range volumes {
			e := scene.Explain(volumes[i], v, query.Filter{}, nil)
			c.Instances, c.Entered, c.Rejected, c.Whole = c.Instances+e.Instances, c.Entered+e.Entered, c.Rejected+e.Rejected, c.Whole+e.Whole
			hits += int(scene.Count(volumes[i], v, query.Filter{}))
		}
		b.ReportMetric(float64(hits)/float64(n), "hits")
		b.ReportMetric(float64(c.Instances)/float64(n), "places")
		b.ReportMetric(float64(c.Entered)/float64(n), "entered")
		b.ReportMetric(float64(c.Whole)/float64(n), "whole")
	})
	b.Run(name+"/in=flat", func(b *testing.B) {
		var ids []uint32
		for i := 0; b.Loop(); i++ {
			ids = volumes[i%n].Append(ids[:0], w, query.Filter{})
		}
		b.ReportMetric(mean(volumes, w), "hits")
	})
}

func mean[V flatVolume](volumes []V, w linear.View) float64 {
	sum := 0
	for _, q := range volumes {
		sum += q.Count(w, query.Filter{})
	}
	return float64(sum) / float64(len(volumes))
}

// grown returns the volumes of the size, up to 1000, that finds a number of objects in the mean.
func grown[V flatVolume](w linear.View, found float64, of func(size float64) []V) []V {
	lo, hi := 0.0, 1000.0
	for range 16 {
		if mid := (lo + hi) / 2; mean(of(mid), w) < found {
			lo = mid
		} else {
			hi = mid
		}
	}
	return of(hi)
}

func frustaOf(b *testing.B, w linear.View, found float64) []query.Frustum {
	return grown(w, found, func(size float64) []query.Frustum {
		rng := testkit.Rand(3)
		all := make([]query.Frustum, 16)
		for i := range all {
			eye, forward := pointIn(rng), pointIn(rng)
			for a := range 3 {
				forward[a] -= eye[a]
			}
			cam := query.Camera{Eye: eye, Forward: forward, Up: [3]float64{0, 0, 1}, FovY: 0.9, Aspect: 1.6, Near: 1, Far: 1 + size}
			f, err := cam.Frustum()
			testkit.Must(b, err)
			all[i] = f
		}
		return all
	})
}

func boxesOf(b *testing.B, w linear.View, found float64) []query.Box {
	return grown(w, found, func(size float64) []query.Box {
		rng := testkit.Rand(4)
		all := make([]query.Box, 256)
		for i := range all {
			var lo, hi [3]float32
			for a, x := range pointIn(rng) {
				lo[a], hi[a] = float32(x-size/2), float32(x+size/2)
			}
			box, err := query.NewBox(lo, hi)
			testkit.Must(b, err)
			all[i] = box
		}
		return all
	})
}

func pointIn(rng *rand.Rand) (p [3]float64) {
	for a := range 3 {
		p[a] = math.Round(rng.Float64() * 1000)
	}
	return p
}
