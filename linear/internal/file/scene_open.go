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
	Kinds []uint32      // kinds of the parts
	lists []*sceneLists // parts that are scenes
}

// sceneNames holds the names of all sections of a file of a scene.
var sceneNames = func() map[string]bool {
	names := NamesOf(append(new(Lists).Sections(octree.NewStore()), new(sceneLists).sections()...))
	names["Parts"] = true
	return names
}()

// OpenScene opens the scene in a file. It calls open for each part that is no scene, with its number and the
// number of all parts.
func OpenScene(f *snap.File, level Level, open func(k, parts int) error) (*Scene, error) {
	s := &Scene{File: f, Level: level}
	first := partsSection(&s.Kinds)
	if err := s.bring(&first, GroupTree); err != nil {
		return nil, err
	}
	n := len(s.Kinds)
	if n == 0 || n >= s.File.Sections() || s.Kinds[n-1] != PartScene {
		return nil, NotSound("%d parts in %d sections, the last must be a scene", n, s.File.Sections())
	}
	if err := CheckNames(s.File, uint32(n), sceneNames); err != nil {
		return nil, err
	}
	s.lists = make([]*sceneLists, n)
	for k, kind := range s.Kinds {
		var err error
		switch kind {
		case PartTree, PartSnapshot:
			err = open(k, n)
		case PartScene:
			s.lists[k], err = s.listsOf(uint32(k) + 1)
		default:
			err = NotSound("it is of kind %d", kind)
		}
		if err != nil {
			return nil, fault.Errorf("part %d of %d: %w", k, n, err)
		}
	}
	return s, nil
}

// CheckDue checks the sets of due entries of a scene that the method Assemble has made of snapshots.
func (s *Scene) CheckDue(top *instance.Scene) error {
	parts := instance.PartsWithin(&top.Part) // in the order of the file
	calm := make(map[*instance.Part]bool, len(parts))
	for k, u := range parts {
		if calm[u] = u.IsIdle(); s.Kinds[k] == PartTree {
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

// Assemble builds the scene. part returns a part that is no scene, and begin a zero scene.
func (s *Scene) Assemble(part func(k int) (*instance.Part, error), begin func() *instance.Scene) (*instance.Scene, error) {
	n := len(s.Kinds)
	parts, roles := make([]*instance.Part, 0, n), make([]role, n)
	for k, kind := range s.Kinds {
		u, err := (*instance.Part)(nil), error(nil)
		if kind == PartScene {
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
	if err := s.lists[k].scene(scene, parts, len(s.Kinds)); err != nil {
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
		if i < instance.FirstPart && s.Kinds[part] != PartTree || roles[part]&but != 0 {
			return nil, NotSound("entry %d holds part %d, of kind %d, which is wrong there", i, part, s.Kinds[part])
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

// Drop releases the lists of the file.
func (s *Scene) Drop() { s.lists = nil }
