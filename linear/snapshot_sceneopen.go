package linear

import (
	"bytes"
	"io"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/octree"
)

// SceneSnapshot is a read-only scene in a file, usually memory-mapped, that [Scene.Save] or
// [Scene.WriteTo] has written. [OpenSceneMapped], [OpenScene], [ReadScene] and [SceneFromBytes]
// open one.
//
// Queries run on its [SceneSnapshot.View] as on that of a scene, with the same results in the same
// order. The trees in it are snapshots, with the same restrictions on the file: see [Snapshot].
//
// Any number of goroutines may use one at a time. Only Close excludes all other use.
type SceneSnapshot struct {
	file  *snap.File
	done  func() error // unmaps the file; nil: not mapped
	level CheckLevel

	kinds []uint32      // kinds of the parts
	snaps []*Snapshot   // parts that are not scenes
	lists []*sceneLists // parts that are scenes
	scene *Scene        // immutable scene of these snapshots
}

// OpenScene opens the scene in a file of size bytes: see [Open].
func OpenScene(r io.ReaderAt, size int64, level CheckLevel) (*SceneSnapshot, error) {
	f, err := snap.Open(r, size)
	return openScene(f, err, level)
}

// ReadScene reads a scene from a stream, and no byte beyond its end: see [Read].
func ReadScene(r io.Reader, level CheckLevel) (*SceneSnapshot, error) {
	f, err := snap.Read(r)
	return openScene(f, err, level)
}

// SceneFromBytes opens the scene in b: see [FromBytes].
func SceneFromBytes(b []byte, level CheckLevel) (*SceneSnapshot, error) {
	f, err := snap.FromBytes(b)
	return openScene(f, err, level)
}

// OpenSceneMapped opens a scene by mapping its file into memory: see [OpenMapped]. At [CheckNone]
// it takes time proportional to the number of parts and instances.
//
// Instances, parts and the nesting of parts are checked at all levels. A part that would contain
// itself is an error that wraps [ErrCycle], parts nested deeper than [MaxDepth] are one that wraps
// [ErrDepth], and a missing part is an error; each names the part. [CheckSafe] also checks the
// boxes of instances. [CheckFull] also checks that a part with work left for the next tick is
// listed as due in each scene that holds it.
//
// A small file may contain very many instances of few objects, as a scene may: [SceneView.Total]
// returns the maximum number of results.
func OpenSceneMapped(path string, level CheckLevel) (s *SceneSnapshot, err error) {
	err = withMap(path, func(b []byte, end func() error) error {
		if s, err = SceneFromBytes(b, level); err == nil {
			s.done = end
		}
		return err
	})
	return s, err
}

func openScene(f *snap.File, err error, level CheckLevel) (*SceneSnapshot, error) {
	if err == nil {
		err = file.CheckKind(f, snap.KindScene, file.Level(level))
	}
	s := &SceneSnapshot{file: f, level: level}
	if err == nil {
		err = s.open()
	}
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	return s, nil
}

// sceneNames holds the names of all sections of a file of a scene.
var sceneNames = func() map[string]bool {
	names := file.NamesOf(append(new(file.Lists).Sections(octree.NewStore()), new(sceneLists).sections()...))
	names["Parts"] = true
	return names
}()

func (s *SceneSnapshot) open() error {
	first := partsSection(&s.kinds)
	if err := s.bring(&first, file.GroupTree); err != nil {
		return err
	}
	n := len(s.kinds)
	if n == 0 || n >= s.file.Sections() || s.kinds[n-1] != partScene {
		return file.NotSound("%d parts in %d sections, the last must be a scene", n, s.file.Sections())
	}
	if err := file.CheckNames(s.file, uint32(n), sceneNames); err != nil {
		return err
	}
	s.snaps, s.lists = make([]*Snapshot, n), make([]*sceneLists, n)
	for k, kind := range s.kinds {
		var err error
		switch kind {
		case partTree, partSnapshot:
			s.snaps[k], err = openPart(s.file, uint32(k)+1, s.level)
		case partScene:
			s.lists[k], err = s.listsOf(uint32(k) + 1)
		default:
			err = file.NotSound("it is of kind %d", kind)
		}
		if err != nil {
			return fault.Errorf("part %d of %d: %w", k, n, err)
		}
	}
	top, err := s.assemble(func(k int) (*partNode, error) { return &s.snaps[k].partNode, nil })
	if err != nil {
		return err
	}
	s.scene = top
	if s.level == CheckFull {
		return s.dueEntries()
	}
	return nil
}

// dueEntries checks the sets of due entries, as Load does. A tree of the file is a snapshot here,
// which has all sections at CheckFull.
func (s *SceneSnapshot) dueEntries() error {
	var c sceneChecker
	parts := partsWithin(&s.scene.partNode) // in the order of the file
	calm := make(map[*partNode]bool, len(parts))
	for k, u := range parts {
		if calm[u] = u.isIdle(); s.kinds[k] == partTree {
			calm[u] = u.snap.tree.isIdle()
		}
	}
	for k, u := range parts {
		if u.scene == nil {
			continue
		}
		for i := range u.scene.entries {
			if part := u.scene.entries[i].partNode; part != nil {
				c.listed(u.scene, uint32(i), false, calm[part])
			}
		}
		if len(c.errs) > 0 {
			return fault.Errorf("part %d of %d: %w", k, len(parts), file.NotSound("%v", c.errs[0]))
		}
	}
	return nil
}

// bring sets a section to that of the file, and compares its checksums if the level requires it.
func (s *SceneSnapshot) bring(c *file.Section, group uint32) error {
	if err := c.Adopt(s.file, group); err != nil {
		return err
	}
	if s.level == CheckNone {
		return nil
	}
	return s.file.Check(s.file.Find(group, c.Name))
}

// listsOf returns the lists of the scene in a group.
func (s *SceneSnapshot) listsOf(group uint32) (*sceneLists, error) {
	l := new(sceneLists)
	for _, c := range l.sections() {
		if err := s.bring(&c, group); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// assemble builds the scene from trees that part returns.
func (s *SceneSnapshot) assemble(part func(k int) (*partNode, error)) (*Scene, error) {
	n := len(s.kinds)
	parts, roles := make([]*partNode, 0, n), make([]role, n)
	for k, kind := range s.kinds {
		u, err := (*partNode)(nil), error(nil)
		if kind == partScene {
			u, err = s.sceneOf(k, parts, roles)
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
		if u.scene != nil {
			u.scene.known()
		}
	}
	within := partsWithin(parts[n-1])
	for k, u := range parts {
		if k >= len(within) || within[k] != u {
			return nil, file.NotSound("part %d of %d is not in depth-first order, or in no scene", k, n)
		}
	}
	return parts[n-1].scene, nil
}

// role is the set of uses of a tree in the scenes up to some part.
type role uint8

const (
	isOwn    role = 1 << iota // own tree of some scene
	isPlaced                  // has instances
	isBoxes                   // tree of instance boxes of some scene, and nothing else
)

// sceneOf builds a scene from the parts before it.
func (s *SceneSnapshot) sceneOf(k int, parts []*partNode, roles []role) (*partNode, error) {
	scene, err := s.lists[k].scene(parts, len(s.kinds))
	if err != nil {
		return nil, err
	}
	for i, e := range s.lists[k].entries {
		part, be, but := e[0], isPlaced, isBoxes
		if part == None {
			continue
		}
		switch i {
		case ownEntry:
			be, but = isOwn, isOwn|isBoxes
		case instancesEntry:
			be, but = isBoxes, isOwn|isPlaced|isBoxes
		}
		if i < firstPart && s.kinds[part] != partTree || roles[part]&but != 0 {
			return nil, file.NotSound("entry %d holds part %d, of kind %d, which is wrong there", i, part, s.kinds[part])
		}
		roles[part] |= be
	}
	if s.level <= CheckFull {
		if err := scene.boxes(s.snaps[s.lists[k].entries[instancesEntry][0]].View()); err != nil {
			return nil, err
		}
	}
	return &scene.partNode, nil
}

// opened panics if the snapshot is the zero value.
func (s *SceneSnapshot) opened() {
	if s.scene == nil {
		zeroUsed("SceneSnapshot", "open one with OpenSceneMapped, OpenScene, ReadScene or SceneFromBytes")
	}
}

// View returns a view of the scene that was saved. It is valid until Close; using it later panics,
// and so does View of a snapshot that has been closed.
func (s *SceneSnapshot) View() SceneView {
	s.opened()
	if s.scene.epoch == closedVersion {
		panic("linear: View of a snapshot that has been closed")
	}
	return s.scene.View()
}

// Objects returns the snapshot of the scene's own objects, with the program's sections that were
// saved with the scene, for [LoadColumn]. It is closed with the scene.
func (s *SceneSnapshot) Objects() *Snapshot {
	s.opened()
	return s.scene.entries[ownEntry].partNode.snap
}

// Info describes the file: see [Snapshot.Info].
func (s *SceneSnapshot) Info() SnapshotInfo {
	s.opened()
	info := infoOf(s.file)
	info.Level, info.Mapped = s.level, s.done != nil
	return info
}

// Stats returns the counts and the memory of the scene, as [Scene.Stats] does. It takes time
// proportional to the number of instances and of packets of its own trees. Sections that have not
// been read yet count as empty. It panics when the snapshot has been closed.
func (s *SceneSnapshot) Stats() SceneStats {
	s.opened()
	if s.scene.epoch == closedVersion {
		panic("linear: Stats of a snapshot that has been closed")
	}
	return s.scene.stats(s.Objects().Stats(), s.scene.entries[instancesEntry].partNode.snap.Stats())
}

// Load returns a mutable copy of the scene, with all parts, whose results and changes are exactly
// those of the scene that was saved: see [Snapshot.Load]. Parts that were trees are loaded as
// trees, and parts that were snapshots as snapshots in memory.
func (s *SceneSnapshot) Load() (*Scene, error) {
	s.opened()
	if s.scene.epoch == closedVersion {
		return nil, ErrClosed
	}
	top, err := s.assemble(func(k int) (*partNode, error) {
		t, err := s.snaps[k].Load()
		if err != nil {
			return nil, err
		}
		if s.kinds[k] == partTree {
			return t.asPart(), nil
		}
		var file bytes.Buffer
		if _, err := t.WriteTo(&file); err != nil {
			return nil, err
		}
		again, err := FromBytes(file.Bytes(), CheckNone)
		if err != nil {
			return nil, err
		}
		return &again.partNode, nil
	})
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	for _, u := range partsWithin(&top.partNode) {
		if u.scene != nil {
			u.scene.tree, u.scene.instances = u.scene.entries[ownEntry].partNode.tree, u.scene.entries[instancesEntry].partNode.tree
		}
	}
	top.partNode.sync() // restores the state that it had when it was saved
	if s.level <= CheckFull {
		if err := top.sound(); err != nil {
			return nil, fault.Errorf("linear: %w", err)
		}
	}
	return top, nil
}

// sound validates the scenes, but not the trees.
func (s *Scene) sound() error {
	c := sceneChecker{}
	parts := partsWithin(&s.partNode)
	for _, u := range parts {
		c.notes(u)
	}
	for _, u := range parts {
		if u.scene != nil && len(c.errs) == 0 {
			c.scene(u.scene)
		}
	}
	if len(c.errs) > 0 {
		return file.NotSound("%v", c.errs[0])
	}
	return nil
}

// Close invalidates the snapshot with its parts and its views, which panic from now on, and unmaps
// the file. The snapshot must not be used, nor its views be queried, meanwhile. A second call does
// nothing.
func (s *SceneSnapshot) Close() error {
	s.opened()
	if s.scene.epoch == closedVersion {
		return nil
	}
	s.scene.epoch = closedVersion
	for _, t := range s.snaps {
		if t != nil {
			_ = t.Close() // it has no mapping
		}
	}
	s.lists = nil
	if s.done == nil {
		return nil
	}
	done := s.done
	s.done = nil
	return done()
}
