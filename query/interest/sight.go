package interest

import (
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/occlude"
)

// Visibility is a camera before which solid things hide others, and how finely that is found out.
// It is a comparable value.
type Visibility struct {
	Camera query.Camera
	Config occlude.Config
}

// Visible returns the area of two sights: what is seen in both comes into view, and stays until it is no
// longer seen in the second, which may be the same. Seen is what a new [occlude.Culler] of that
// Config answers after a Look with that Camera and [Tracker.Draw]: all that is really visible, and
// what is not sure to be hidden. So what is visible in both sights is always in view, and what is
// hidden may be.
//
// A margin at the sides of the picture takes a second camera that is wider or further back; a margin at
// the edges of what hides takes a second Config with fewer bits of Solid, such as that of large solids
// only. With none, and nothing drawn, the second is a frustum: what was seen once stays until it
// leaves that.
//
// It is asked anew in each update, for a solid far away can change it. No picture and no memory is kept for
// the area: each worker has an Eye for each of up to four Configs that it has met last, and
// forgets before it looks. Thus there are no pauses, and where little is hidden it costs
// several times what the frustum does. A margin is two questions.
//
// It allocates the area, which is equal only to itself. The error is that of [occlude.Config.Check].
func Visible(enterSight, leaveSight Visibility) (a Area, err error) {
	if err := enterSight.Config.Check(enterSight.Camera); err != nil {
		return Area{}, fault.Errorf("interest: to enter: %w", err)
	}
	if err := leaveSight.Config.Check(leaveSight.Camera); err != nil {
		return Area{}, fault.Errorf("interest: to leave: %w", err)
	}
	return Area{kind: sights, margin: enterSight != leaveSight, sights: &[2]Visibility{enterSight, leaveSight}}, nil
}

// seen returns 1 for an area of sights, else 0.
func (a *Area) seen() int {
	if a.kind == sights {
		return 1
	}
	return 0
}

// eyesKept is how many eyes a worker has, of Configs that differ.
const eyesKept = 4

// pictured is an eye and how it was made.
type pictured struct {
	cfg occlude.Config
	eye *occlude.Culler
}

// eye returns an eye as it was made: one that has been used has forgotten all.
func (p *part) eye(cfg *occlude.Config) *occlude.Culler {
	for i := range p.eyes {
		if p.eyes[i].cfg == *cfg {
			p.eyes[i].eye.Reset()
			return p.eyes[i].eye
		}
	}
	e, err := occlude.New(*cfg)
	if err != nil {
		panic(err) // it was checked when the area was made
	}
	if len(p.eyes) == eyesKept { // in turn
		p.eyes = slices.Delete(p.eyes, 0, 1)
	}
	p.eyes = append(p.eyes, pictured{*cfg, e})
	return e
}

// seeBoth keeps what is seen in both sights of a viewer, if its area is that of sights.
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
		from := len(p.seen)
		p.seen = p.see(p.seen, f, &w.area.sights[which])
		w.seen[which] = seen{p, from, len(p.seen)}
	}
}

// see appends what is seen in a sight.
func (p *part) see(dst []uint32, f *frame, s *Visibility) []uint32 {
	done := false
	defer func() {
		if !done {
			p.eyes = nil // Draw has panicked, in the middle of a picture perhaps
		}
	}()
	e := p.eye(&s.Config)
	if err := e.SetCamera(s.Camera); err != nil {
		panic(err) // it was checked when the area was made
	}
	if f.draw != nil {
		f.draw(e)
	}
	dst = e.Append(dst, f.view, f.filter)
	done = true
	return dst
}
