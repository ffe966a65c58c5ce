package telemetry

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// After is the source of Published.
//
//go:embed after.go
var After string

// Published is the server after the move. Its methods may be called by any number of goroutines. Tick makes the reports
// visible: a program calls it some twenty times a second.
type Published struct {
	mu     sync.Mutex     // guards the fields of this block
	queue  []report       // since the last tick, one of a vehicle
	queued map[string]int // indices in queue

	tick     sync.Mutex // guards the fields of this block
	tree     *linear.Tree
	versions *linear.Publisher
	ids      map[string]uint32
	moved    []uint32
	boxes    []linear.AABB
	metrics  *metrics

	latest sync.RWMutex // guards the fields of this block, which belong together, and the publication
	names  []string     // by ID; never changed in place
}

// report is the last report of a vehicle.
type report struct {
	name string
	at   [3]float32
	left bool
}

// NewPublished returns a server without vehicles.
func NewPublished() *Published {
	p := &Published{queued: map[string]int{}, tree: new(linear.Tree), ids: map[string]uint32{}}
	p.versions = linear.NewPublisher(p.tree)
	p.metrics = newMetrics()
	return p
}

// Report records the position of a vehicle. A number that is not finite is an error.
func (p *Published) Report(name string, at [3]float32) error {
	if err := linear.BoxOf(at).Check(); err != nil {
		return fmt.Errorf("telemetry: %q: %w", name, err)
	}
	p.add(report{name: name, at: at})
	return nil
}

// Leave removes a vehicle.
func (p *Published) Leave(name string) { p.add(report{name: name, left: true}) }

func (p *Published) add(r report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if i, ok := p.queued[r.name]; ok {
		p.queue[i] = r
		return
	}
	p.queued[r.name] = len(p.queue)
	p.queue = append(p.queue, r)
}

// Near returns the vehicles of the last tick within a radius, nearest first. It never waits for a tick.
func (p *Published) Near(at [3]float32, radius float32) (seen []Sighting, err error) {
	p.latest.RLock()
	version, names := p.versions.Acquire(), p.names
	p.latest.RUnlock()
	defer version.Release()

	v := version.View()
	near, err := query.AppendNearest(nil, v, at, v.Len(), radius, query.Filter{})
	for _, n := range near {
		seen = append(seen, Sighting{names[n.ID], float32(math.Sqrt(float64(n.Dist2)))})
	}
	return seen, err
}

// Tick applies the reports since the last tick and publishes the result.
func (p *Published) Tick() (err error) {
	p.tick.Lock()
	defer p.tick.Unlock()
	done := p.metrics.begin()
	p.mu.Lock()
	queue := p.queue
	p.queue = make([]report, 0, len(queue))
	clear(p.queued)
	p.mu.Unlock()

	names, own := p.names, false
	rename := func(id uint32, name string) { // in a slice that no reader has
		if !own {
			names, own = slices.Clone(names), true
		}
		if int(id) == len(names) {
			names = append(names, "")
		}
		names[id] = name
	}
	p.moved, p.boxes = p.moved[:0], p.boxes[:0]
	for _, r := range queue {
		id, known := p.ids[r.name]
		switch {
		case r.left && known:
			err = errors.Join(err, p.tree.Remove(id))
			delete(p.ids, r.name) // no query finds the ID, so its name stays
		case r.left:
		case known:
			p.moved, p.boxes = append(p.moved, id), append(p.boxes, linear.BoxOf(r.at))
		default:
			id, failed := p.tree.Insert(linear.Object{Box: linear.BoxOf(r.at)})
			if failed != nil {
				err = errors.Join(err, failed)
				continue
			}
			p.ids[r.name] = id
			rename(id, r.name)
		}
	}
	err = errors.Join(err, p.tree.MoveBatch(p.moved, p.boxes), p.tree.Tick())

	p.latest.Lock()
	p.versions.Publish()
	p.names = names
	p.latest.Unlock()
	done(p.tree, len(queue), err)
	return err
}

// Len returns the number of vehicles of the last tick.
func (p *Published) Len() int {
	p.latest.RLock()
	version := p.versions.Acquire()
	p.latest.RUnlock()
	defer version.Release()
	return version.View().Len()
}
