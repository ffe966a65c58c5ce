package file

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Scene is a scene in a file.
type Scene struct {
	File  *snap.File
	Level Level
	Top   *instance.Scene // immutable scene of snapshots
	kinds []uint32        // kinds of the parts
	lists []*sceneLists   // parts that are scenes
	snaps []*Snapshot     // the other parts
}

// sceneNames holds the names of all sections of a file of a scene.
var sceneNames = func() map[string]bool {
	names := namesOf(append(new(Lists).Sections(octree.NewStore()), new(sceneLists).sections()...))
	names["Parts"] = true
	return names
}()

// OpenScene opens the scene in a file, unless there is an error. begin returns a snapshot that is zero apart from its
// face.
func OpenScene(f *snap.File, err error, level Level, begin func() *Snapshot) (*Scene, error) {
	s := &Scene{File: f, Level: level}
	if err == nil {
		err = s.open(begin)
	}
	if err == nil {
		s.Top, err = s.assemble(func(k int) (*instance.Part, error) { return &s.snaps[k].Part, nil }, func() *instance.Scene { return new(instance.Scene) })
	}
	if err == nil && level == CheckFull {
		err = s.checkDue()
	}
	if err != nil {
		return nil, failed(f, err)
	}
	return s, nil
}

func (s *Scene) open(begin func() *Snapshot) error {
	if err := checkKind(s.File, snap.KindScene, s.Level); err != nil {
		return err
	}
	first := partsSection(&s.kinds)
	if err := s.bring(&first, groupTree); err != nil {
		return err
	}
	n := len(s.kinds)
	if n == 0 || n >= s.File.Sections() || s.kinds[n-1] != partScene {
		return NotSound("%d parts in %d sections, the last must be a scene", n, s.File.Sections())
	}
	if err := checkNames(s.File, uint32(n), sceneNames); err != nil {
		return err
	}
	s.lists, s.snaps = make([]*sceneLists, n), make([]*Snapshot, n)
	for k, kind := range s.kinds {
		var err error
		switch kind {
		case partTree, partSnapshot:
			s.snaps[k] = begin()
			err = s.snaps[k].openPart(s.File, uint32(k)+1, s.Level)
		case partScene:
			s.lists[k], err = s.listsOf(uint32(k) + 1)
		default:
			err = NotSound("it is of kind %d", kind)
		}
		if err != nil {
			return fault.Errorf("part %d of %d: %w", k, n, err)
		}
	}
	return nil
}

// checkDue checks the sets of due entries of the scene of snapshots.
func (s *Scene) checkDue() error {
	parts := instance.PartsWithin(&s.Top.Part) // in the order of the file
	calm := make(map[*instance.Part]bool, len(parts))
	for k, u := range parts {
		if calm[u] = u.IsIdle(); s.kinds[k] == partTree {
			calm[u] = instance.IsIdle(u.Tree)
		}
	}
	for k, u := range parts {
		if u.Scene == nil {
			continue
		}
		if err := instance.CheckDue(u.Scene, func(u *instance.Part) bool { return calm[u] }); err != nil {
			return fault.Errorf("part %d of %d: %w", k, len(parts), NotSound("%v", err))
		}
	}
	return nil
}

// bring sets a section to that of the file, and compares its checksums if the level requires it.
func (s *Scene) bring(c *Section, group uint32) error {
	if err := c.Adopt(s.File, group); err != nil {
		return err
	}
	if s.Level == CheckNone {
		return nil
	}
	return s.File.Check(s.File.Find(group, c.Name))
}

// listsOf returns the lists of the scene in a group.
func (s *Scene) listsOf(group uint32) (*sceneLists, error) {
	l := new(sceneLists)
	for _, c := range l.sections() {
		if err := s.bring(&c, group); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// assemble builds the scene. part returns a part that is no scene, and begin a zero scene.
func (s *Scene) assemble(part func(k int) (*instance.Part, error), begin func() *instance.Scene) (*instance.Scene, error) {
	n := len(s.kinds)
	parts, roles := make([]*instance.Part, 0, n), make([]role, n)
	for k, kind := range s.kinds {
		u, err := (*instance.Part)(nil), error(nil)
		if kind == partScene {
			u, err = s.sceneOf(k, begin(), parts, roles)
		} else {
			u, err = part(k)
		}
		if err != nil {
			return nil, fault.Errorf("part %d of %d: %w", k, n, err)
		}
		parts = append(parts, u)
	}
	// Holders are registered in one order, independent of the order of the file.
	for _, u := range parts {
		if u.Scene != nil {
			register(u.Scene)
		}
	}
	within := instance.PartsWithin(parts[n-1])
	for k, u := range parts {
		if k >= len(within) || within[k] != u {
			return nil, NotSound("part %d of %d is not in depth-first order, or in no scene", k, n)
		}
	}
	return parts[n-1].Scene, nil
}

// role is the set of uses of a tree in the scenes up to some part.
type role uint8

const (
	isOwn    role = 1 << iota // own tree of some scene
	isPlaced                  // has instances
	isBoxes                   // tree of instance boxes of some scene, and nothing else
)

// sceneOf builds a scene from the parts before it.
func (s *Scene) sceneOf(k int, scene *instance.Scene, parts []*instance.Part, roles []role) (*instance.Part, error) {
	if err := s.lists[k].scene(scene, parts, len(s.kinds)); err != nil {
		return nil, err
	}
	for i, e := range s.lists[k].entries {
		part, be, but := e[0], isPlaced, isBoxes
		if part == soa.None {
			continue
		}
		switch i {
		case instance.OwnEntry:
			be, but = isOwn, isOwn|isBoxes
		case instance.BoxesEntry:
			be, but = isBoxes, isOwn|isPlaced|isBoxes
		}
		if i < instance.FirstPart && s.kinds[part] != partTree || roles[part]&but != 0 {
			return nil, NotSound("entry %d holds part %d, of kind %d, which is wrong there", i, part, s.kinds[part])
		}
		roles[part] |= be
	}
	if s.Level <= CheckFull {
		if err := checkBoxes(scene, scene.Boxes().Source.View()); err != nil {
			return nil, err
		}
	}
	return &scene.Part, nil
}

// Load returns a mutable copy of the scene, and all parts. part returns a mutable copy of a part, or another snapshot
// if it is fixed, and begin a zero scene.
func (s *Scene) Load(part func(u *Snapshot, fixed bool) (*instance.Part, error), begin func() *instance.Scene) (*instance.Scene, []*instance.Part, error) {
	top, err := s.assemble(func(k int) (*instance.Part, error) { return part(s.snaps[k], s.kinds[k] == partSnapshot) }, begin)
	if err != nil {
		return nil, nil, err
	}
	parts := instance.PartsWithin(&top.Part)
	top.Part.Sync() // restores the state that it had when it was saved
	if s.Level <= CheckFull {
		if err := instance.CheckScenes(parts); err != nil {
			return nil, nil, NotSound("%v", err)
		}
	}
	return top, parts, nil
}

// IsClosed reports whether the scene has been closed.
func (s *Scene) IsClosed() bool { return s.Top.Epoch == Closed }

// Close invalidates the views, and unmaps the file. A second call does nothing.
func (s *Scene) Close() error {
	if s.IsClosed() {
		return nil
	}
	s.Top.Epoch, s.lists = Closed, nil
	for _, u := range s.snaps {
		if u != nil {
			_ = u.Close() // it has no mapping
		}
	}
	return s.File.Close()
}
