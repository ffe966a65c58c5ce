package main

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/zoctree/zoctree/bench/internal/measure"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/programs/cad"
	"github.com/zoctree/zoctree/bench/programs/robot"
	"github.com/zoctree/zoctree/bench/programs/telemetry"
	"github.com/zoctree/zoctree/linear"
)

// picker is either picker of package cad.
type picker interface {
	Move(part int, at linear.Transform) error
	Pick(origin, dir [3]float32) (cad.Pick, bool, error)
}

// cad compares the pickers.
func (c *comparison) cad() {
	const name = "cad"
	a := cad.Rack(c.Parts, c.Seed)
	rng := rand.New(rand.NewPCG(c.Seed, 1))
	side := 4 * math.Cbrt(float64(c.Parts))
	rays := make([][2][3]float32, 64)
	for i := range rays {
		for d := range 3 {
			rays[i][0][d] = float32(side * (rng.Float64()*3 - 1))
			rays[i][1][d] = float32(side*rng.Float64()) - rays[i][0][d]
		}
	}
	before, beforeMB := heap(func() *cad.Copies { return must.Get(cad.NewCopies(a)) })
	after, afterMB := heap(func() *cad.Scene { return must.Get(cad.NewScene(a)) })
	build := func(work func() picker) measure.Task {
		return measure.Task{Do: func() uint64 {
			pick, _, err := work().Pick(rays[0][0], rays[0][1])
			must.Do(err)
			return uint64(pick.Part)
		}}
	}
	c.times(name, "start and one pick, ms", 1e6,
		build(func() picker { return must.Get(cad.NewCopies(a)) }), build(func() picker { return must.Get(cad.NewScene(a)) }))
	picks := func(p picker) measure.Task {
		return measure.Task{Units: len(rays), Do: func() (sum uint64) {
			for _, r := range rays {
				pick, ok, err := p.Pick(r[0], r[1])
				must.Do(err)
				if ok {
					sum += uint64(pick.Part)
				}
			}
			return sum
		}}
	}
	c.times(name, "pick, µs", 1e3, picks(before), picks(after))
	moves := func(p picker) measure.Task {
		part := 0
		return measure.Task{Do: func() uint64 {
			part = (part + 7919) % len(a.Parts)
			must.Do(p.Move(part, a.Parts[part].At))
			return uint64(part)
		}}
	}
	c.times(name, "move of a part, µs", 1e3, moves(before), moves(after))
	c.memory(name, beforeMB, afterMB)
	c.lines(name, cad.Before, cad.After)
}

// obstacles is either map of package robot.
type obstacles interface {
	Insert(scan []robot.Point) error
	Within(p robot.Point, radius float32) (int, error)
	Clearance(p robot.Point, limit float32) (float32, error)
}

// robot compares the maps.
func (c *comparison) robot() {
	const name = "robot"
	const perScan, extent = 5000, 4096
	clouds, path := robot.Scans(c.Scans, perScan, c.Seed)
	fill := func(m obstacles) obstacles {
		for _, cloud := range clouds {
			must.Do(m.Insert(cloud))
		}
		return m
	}
	fresh := []func() obstacles{
		func() obstacles { return robot.NewOctree(robot.Point{}, extent) },
		func() obstacles { return new(robot.Map) },
	}
	before, beforeMB := heap(func() obstacles { return fill(fresh[0]()) })
	after, afterMB := heap(func() obstacles { return fill(fresh[1]()) })
	build := func(fresh func() obstacles) measure.Task {
		return measure.Task{Units: c.Scans, Do: func() uint64 {
			return uint64(must.Get(fill(fresh()).Within(path[0], 1)))
		}}
	}
	c.times(name, "scan of 5,000 points, ms", 1e6, build(fresh[0]), build(fresh[1]))
	rng := rand.New(rand.NewPCG(c.Seed, 2))
	places := make([]robot.Point, 1000)
	for i := range places {
		places[i] = path[rng.IntN(len(path))]
		for d := range places[i] {
			places[i][d] += float32(rng.NormFloat64())
		}
	}
	each := func(work func(p robot.Point) uint64) measure.Task {
		return measure.Task{Units: len(places), Do: func() (sum uint64) {
			for _, p := range places {
				sum += work(p)
			}
			return sum
		}}
	}
	clear := func(m obstacles) measure.Task {
		return each(func(p robot.Point) uint64 { return uint64(math.Float32bits(must.Get(m.Clearance(p, 3)))) })
	}
	c.times(name, "clearance up to 3 m, µs", 1e3, clear(before), clear(after))
	near := func(m obstacles) measure.Task {
		return each(func(p robot.Point) uint64 { return uint64(must.Get(m.Within(p, 0.5))) })
	}
	c.times(name, "points within 0.5 m, µs", 1e3, near(before), near(after))
	c.memory(name, beforeMB, afterMB)
	c.lines(name, robot.Before, robot.After)
}

// telemetry compares the servers.
func (c *comparison) telemetry() {
	const name = "telemetry"
	rng := rand.New(rand.NewPCG(c.Seed, 3))
	names := make([]string, c.Vehicles)
	side := 100 * math.Sqrt(float64(c.Vehicles)) // metres: ten thousand square metres for each
	at := make([][3]float32, c.Vehicles)
	random := func() [3]float32 { return [3]float32{float32(side * rng.Float64()), float32(side * rng.Float64()), 0} }
	for i := range names {
		names[i], at[i] = fmt.Sprint("vehicle ", i), random()
	}
	fill := func(s telemetry.Server, tick func()) {
		for i, name := range names {
			must.Do(s.Report(name, at[i]))
		}
		tick()
	}
	none := func() {}
	before, beforeMB := heap(func() *telemetry.Locked { s := telemetry.NewLocked(); fill(s, none); return s })
	after, afterMB := heap(func() *telemetry.Published {
		s := telemetry.NewPublished()
		fill(s, func() { must.Do(s.Tick()) })
		return s
	})
	moves := max(1, c.Vehicles/20) // reports of a tick
	reports := func(s telemetry.Server, tick func()) measure.Task {
		next := 0
		return measure.Task{Units: moves, Do: func() uint64 {
			for range moves {
				next = (next + 7919) % len(names)
				for d := range 2 {
					at[next][d] += float32(rng.Float64()*30 - 15)
				}
				must.Do(s.Report(names[next], at[next]))
			}
			tick()
			return uint64(s.Len())
		}}
	}
	c.times(name, "report, with its share of a tick, µs", 1e3, reports(before, none), reports(after, func() { must.Do(after.Tick()) }))
	near := func(s telemetry.Server) measure.Task {
		return measure.Task{Units: 16, Do: func() (sum uint64) {
			for range 16 {
				sum += uint64(len(must.Get(s.Near(random(), 500))))
			}
			return sum
		}}
	}
	c.times(name, "vehicles within 500 m, µs", 1e3, near(before), near(after))
	c.memory(name, beforeMB, afterMB)
	c.lines(name, telemetry.Before, telemetry.After)
}
