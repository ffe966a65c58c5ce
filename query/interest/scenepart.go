package interest

import (
	"slices"

	"github.com/zoctree/zoctree/query/internal/changes"
	"github.com/zoctree/zoctree/query/internal/follow"
	"github.com/zoctree/zoctree/query/internal/walk"
	"github.com/zoctree/zoctree/query/scene"
)

// scenePart is the state of one worker for the viewers of scenes.
type scenePart struct {
	objects []scene.Object // events of viewers
	answers []scene.Answer // visible objects, by viewer, and those of earlier updates
	seeing  int            // number of answers in use

	hits               []uint32 // changed objects and instances in the area
	answer             scene.Answer
	outer, inner, view runList
	entered            []scene.Object
	left               []scene.Object
	touched            []scene.Object
}

// updateSceneViewer updates a viewer of a scene to the state of the frame.
func (p *part) updateSceneViewer(f *frame, w *viewer) {
	s := &p.scenePart
	s.entered, s.left, s.touched = s.entered[:0], s.left[:0], s.touched[:0]
	if f.renewed { // all of them are of another scene
		for i, r := range w.runs {
			s.leaveAll(r.path, run(w.view, w.runs, i))
		}
		w.view, w.runs = w.view[:0], w.runs[:0]
	}
	if (!w.asked || !f.few || w.area.kind == sights || w.area.kind == frusta && f.rescaled) && !p.isUnaffected(f, w) {
		p.askScene(f, w)
	}
	w.asked = true
	w.update, w.part, w.events = f.update, p.number, viewerEvents{first: len(s.objects)}
	s.objects = append(s.objects, s.entered...)
	w.events.left = len(s.objects)
	s.objects = append(s.objects, s.left...)
	w.events.touched = len(s.objects)
	s.objects = append(s.objects, s.touched...)
	w.events.end = len(s.objects)
}

// isUnaffected reports that the area has not moved, and no changed object or instance was in view or is in the area.
func (p *part) isUnaffected(f *frame, w *viewer) bool {
	if f.changed == nil || !w.asked || w.area.kind != boxes && w.area.kind != spheres {
		return false
	}
	from := 0
	for _, r := range w.runs {
		if r.path.Len() > 0 {
			if follow.Has(f.world.Instances.Bits, r.path.At(0)) {
				return false
			}
		} else if slices.ContainsFunc(w.view[from:r.end], func(id uint32) bool { return follow.Has(f.world.Own.Bits, id) }) {
			return false
		}
		from = r.end
	}
	s := &p.scenePart
	s.hits = w.area.append(s.hits[:0], f.changed, leave, &walk.Everything)
	return len(s.hits) == 0
}

// askScene queries the scene for all objects in view, and compares them with the view.
func (p *part) askScene(f *frame, w *viewer) {
	s := &p.scenePart
	p.findScene(&s.outer, f, w, leave)
	if w.area.margin {
		p.findScene(&s.inner, f, w, enter)
	}
	s.view.ids, s.view.runs = s.view.ids[:0], s.view.runs[:0]
	old, now, in := 0, 0, 0 // runs
	for old < len(w.runs) || now < len(s.outer.runs) {
		order := -1
		if old == len(w.runs) {
			order = 1
		} else if now < len(s.outer.runs) {
			order = w.runs[old].path.Compare(s.outer.runs[now].path)
		}
		if order < 0 {
			s.leaveAll(w.runs[old].path, run(w.view, w.runs, old))
			old++
			continue
		}
		m := merge{f: f, path: s.outer.runs[now].path, outer: run(s.outer.ids, s.outer.runs, now), margin: w.area.margin}
		if order == 0 {
			m.old = run(w.view, w.runs, old)
			old++
		}
		for in < len(s.inner.runs) && m.margin && s.inner.runs[in].path.Compare(m.path) < 0 {
			in++
		}
		if in < len(s.inner.runs) && m.margin && s.inner.runs[in].path == m.path {
			m.inner = run(s.inner.ids, s.inner.runs, in)
		}
		s.merge(&m)
		now++
	}
	if len(s.entered)+len(s.left) > 0 {
		w.replace(s.view.ids)
		w.runs = append(fitting(w.runs, len(s.view.runs))[:0], s.view.runs...)
	}
}

// findScene sets a list to the objects that intersect one of the volumes of a viewer.
func (p *part) findScene(l *runList, f *frame, w *viewer, which int) {
	s := &p.scenePart
	s.answer.Reset()
	a := &w.area
	switch a.kind {
	case boxes:
		scene.Append(&s.answer, a.box[which], f.scene, f.filter)
	case spheres:
		scene.Append(&s.answer, a.sphere[which], f.scene, f.filter)
	case frusta:
		scene.Append(&s.answer, a.planes[which], f.scene, f.filter)
	case sights:
		l.set(&w.seen[which].by.answers[w.seen[which].from])
		return
	}
	l.set(&s.answer)
}

// leaveAll lists objects of one instance as left.
func (s *scenePart) leaveAll(path scene.Path, ids []uint32) {
	for _, id := range ids {
		s.left = append(s.left, scene.Object{Path: path, ID: id})
	}
}

// merge is the comparison of the objects of one instance: in view before, and those found for both volumes, ascending.
type merge struct {
	f                 *frame
	path              scene.Path
	old, outer, inner []uint32
	margin            bool
}

// part returns the state of the part at the end of the path. renewed reports that an instance on the path is
// another one than at the last update, and moved that one has another transform or mask.
func (m *merge) part() (part *changes.Part[objects], renewed, moved bool) {
	v := m.f.scene
	part = m.f.world.Parts[0]
	for i := range m.path.Len() {
		id := m.path.At(i)
		renewed = renewed || follow.Has(part.Reused[1].Bits, id)
		moved = moved || follow.Has(part.Moved.Bits, id)
		inner, number, _ := v.Instance(id)
		v, part = inner, m.f.world.Parts[number]
	}
	return part, renewed, moved
}

// merge lists the events of the objects of one instance, and adds the objects that are in view to s.view.
func (s *scenePart) merge(m *merge) {
	var dirty, ended, reused []uint64
	moved, from := false, len(s.view.ids)
	if len(m.old) > 0 {
		part, renewed, movedOn := m.part()
		if moved = movedOn; renewed {
			s.leaveAll(m.path, m.old)
			m.old = nil
		}
		if part.Objects {
			dirty, ended, reused = part.State.delta.dirty, part.State.delta.ended, part.Reused[0].Bits
		}
	}
	for _, id := range m.outer {
		o := scene.Object{Path: m.path, ID: id}
		for len(m.old) > 0 && m.old[0] < id {
			s.leaveAll(m.path, m.old[:1])
			m.old = m.old[1:]
		}
		was := len(m.old) > 0 && m.old[0] == id
		if was {
			m.old = m.old[1:]
			if follow.Has(ended, id) || follow.Has(reused, id) { // another object with the same ID
				s.left = append(s.left, o)
				was = false
			}
		}
		if was {
			if moved || follow.Has(dirty, id) {
				s.touched = append(s.touched, o)
			}
		} else if !m.enters(id) {
			continue
		} else {
			s.entered = append(s.entered, o)
		}
		s.view.ids = append(s.view.ids, id)
	}
	s.leaveAll(m.path, m.old)
	if len(s.view.ids) > from {
		s.view.runs = append(s.view.runs, viewRun{m.path, len(s.view.ids)})
	}
}

// enters reports whether an object that was not in view enters. It is called in ascending order.
func (m *merge) enters(id uint32) bool {
	if !m.margin {
		return true
	}
	for len(m.inner) > 0 && m.inner[0] < id {
		m.inner = m.inner[1:]
	}
	return len(m.inner) > 0 && m.inner[0] == id
}

// nextAnswer returns an empty answer, and its number, for the visible objects of a viewer.
func (s *scenePart) nextAnswer() (a *scene.Answer, number int) {
	if s.seeing == len(s.answers) {
		s.answers = append(s.answers, scene.Answer{})
	}
	s.seeing++
	a = &s.answers[s.seeing-1]
	a.Reset()
	return a, s.seeing - 1
}
