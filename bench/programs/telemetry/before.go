package telemetry

import (
	"cmp"
	_ "embed"
	"math"
	"slices"
	"sync"
)

// Before is the source of Locked.
//
//go:embed before.go
var Before string

// Locked is the server before the move. Its methods may be called by any number of goroutines.
type Locked struct {
	mu       sync.RWMutex
	vehicles map[string][3]float32
}

// NewLocked returns a server without vehicles.
func NewLocked() *Locked { return &Locked{vehicles: map[string][3]float32{}} }

// Report records the position of a vehicle.
func (l *Locked) Report(name string, at [3]float32) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.vehicles[name] = at
	return nil
}

// Leave removes a vehicle.
func (l *Locked) Leave(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.vehicles, name)
}

// Near returns the vehicles within a radius, nearest first.
func (l *Locked) Near(at [3]float32, radius float32) (seen []Sighting, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for name, p := range l.vehicles {
		x, y, z := p[0]-at[0], p[1]-at[1], p[2]-at[2]
		if d := float32(math.Sqrt(float64(x*x + y*y + z*z))); d <= radius {
			seen = append(seen, Sighting{name, d})
		}
	}
	slices.SortFunc(seen, func(a, b Sighting) int { return cmp.Compare(a.Dist, b.Dist) })
	return seen, nil
}

// Len returns the number of vehicles.
func (l *Locked) Len() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.vehicles)
}
