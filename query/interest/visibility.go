package interest

import (
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// Visibility is a camera with occlusion culling, and its configuration. It is a comparable value.
type Visibility struct {
	Camera query.Camera
	Config occlude.Config
}

// Visible returns the area of the visible objects of two cameras with occlusion culling: objects visible in
// both enter the view, and stay until they are no longer visible in the second, which may be the same.
// Visible are the objects that a new [occlude.Culler] of that Config returns after SetCamera with that Camera
// and [Tracker.Draw]: all visible objects, and some hidden ones. So objects visible in both are always in
// view, and hidden objects may be.
//
// For a margin at the sides of the image, use a second camera that is wider or further back. For a margin at
// the edges of occluders, use a second Config with fewer bits of OccluderMask, such as the bit of large
// occluders only. With no bits, and nothing drawn, the second is a frustum: an object that was visible once
// stays until it leaves the frustum.
//
// The area is queried anew in each update, for a distant occluder can change it. It keeps no depth buffer and
// no memory: each worker has cullers for up to four Configs, of which a fifth replaces the oldest, and resets
// a culler before each query. So there are no pauses, and where little is hidden a query costs several times
// a frustum query. A margin takes two queries.
//
// It allocates the area, which is equal only to itself. The error is that of [occlude.Config.Check].
func Visible(enter, leave Visibility) (a Area, err error) {
	if err := enter.Config.Check(enter.Camera); err != nil {
		return Area{}, fault.Errorf("interest: to enter: %w", err)
	}
	if err := leave.Config.Check(leave.Camera); err != nil {
		return Area{}, fault.Errorf("interest: to leave: %w", err)
	}
	return Area{kind: sights, margin: enter != leave, sights: &[2]Visibility{enter, leave}}, nil
}

// seen returns 1 for an area of visible objects, else 0.
func (a *Area) seen() int {
	if a.kind == sights {
		return 1
	}
	return 0
}

// cullersKept is the number of cullers of a worker, with different configurations.
const cullersKept = 4

// areaSight is a culler with its configuration.
type areaSight struct {
	cfg    occlude.Config
	culler *occlude.Culler
}

// culler returns a reset culler of the configuration.
func (p *part) culler(cfg *occlude.Config) *occlude.Culler {
	for i := range p.cullers {
		if p.cullers[i].cfg == *cfg {
			p.cullers[i].culler.Reset()
			return p.cullers[i].culler
		}
	}
	e, err := occlude.New(*cfg)
	if err != nil {
		panic(err) // it was checked when the area was made
	}
	if len(p.cullers) == cullersKept { // drops the oldest one
		p.cullers = slices.Delete(p.cullers, 0, 1)
	}
	p.cullers = append(p.cullers, areaSight{*cfg, e})
	return e
}

// seeBoth stores the visible objects of both volumes of a viewer, if its area is one of visible objects.
func (p *part) seeBoth(f *frame, w *viewer) {
	if w.area.kind != sights {
		return
	}
	if w.seen == nil {
		w.seen = new([2]seen)
	}
	for which := range w.seen {
		if which == enter && !w.area.margin {
			continue
		}
		w.seen[which] = p.see(f, &w.area.sights[which])
	}
}

// see stores the visible objects of a camera.
func (p *part) see(f *frame, s *Visibility) seen {
	done := false
	defer func() {
		if !done {
			p.cullers = nil // Draw panicked, maybe while it was drawing
		}
	}()
	e := p.culler(&s.Config)
	if err := e.SetCamera(s.Camera); err != nil {
		panic(err) // it was checked when the area was made
	}
	if f.draw != nil {
		f.draw(e)
	}
	if done = true; f.world != nil {
		a, number := p.nextAnswer()
		e.AppendScene(a, f.scene, f.filter)
		return seen{p, number, number}
	}
	from := len(p.seen)
	p.seen = e.Append(p.seen, f.view, f.filter)
	return seen{p, from, len(p.seen)}
}
