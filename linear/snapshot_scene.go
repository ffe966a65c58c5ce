package linear

import (
	"bytes"
	"context"
	"io"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/instance"
)

// WriteTo writes a snapshot of the scene with all parts below it, each once, which [ReadScene],
// [OpenScene] and the others open, and returns the number of bytes: [Scene.WriteSnapshot] without
// options.
func (s *Scene) WriteTo(w io.Writer) (n int64, err error) {
	return s.WriteSnapshot(nil, w, SnapshotOptions{})
}

// WriteSnapshot writes a snapshot of the scene with all parts below it, and of sections of the
// program's own, and returns the number of bytes. A cancelled context ends it with the error of the
// context; nil is never cancelled. The bytes written until then are not a valid snapshot.
//
// It saves all state that decides the results and changes of the scene and its parts, so that a
// loaded scene continues exactly as this one: see [Tree.WriteSnapshot]. Equal scenes give equal
// bytes. A part that is a [Snapshot] is saved whole, and is a snapshot again in the loaded scene;
// one that has been closed, or cannot be read, is an error that gives its number in the file.
//
// It reads the scene like [Scene.View]: any number of goroutines may query or save the scene at a
// time. Of trees it copies only logs; of instances, 100 bytes each.
func (s *Scene) WriteSnapshot(ctx context.Context, w io.Writer, opt SnapshotOptions) (n int64, err error) {
	return file.WriteScene(ctx, w, s.saved(), opt.save())
}

// Save atomically writes a snapshot of the scene with all parts below it to a file: see [Tree.Save]
// and [Scene.WriteSnapshot].
func (s *Scene) Save(ctx context.Context, path string, opt SnapshotOptions) error {
	return file.Save(path, func(w io.Writer) error {
		_, err := s.WriteSnapshot(ctx, w, opt)
		return err
	})
}

// LayoutDigest returns a hash of all state that decides the results and changes of the scene and
// its parts, like [Tree.LayoutDigest] for a tree. It applies deferred changes, and takes time
// proportional to the whole scene. A part that is a snapshot contributes the sections that queries
// read. It panics when a snapshot has been closed.
func (s *Scene) LayoutDigest() uint64 { return file.DigestScene(s.saved()) }

// saved lists the scene and the parts below it, as they are saved.
func (s *Scene) saved() []file.ScenePart { return file.PartsOf(s.made()) }

// Image returns the saved form of a snapshot that is a part of a scene.
func (s *snapshotPart) Image() (file.Image, error) {
	if (*Snapshot)(s).closed() {
		return file.Image{}, ErrClosed
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.from.Whole(); err != nil {
		return file.Image{}, err
	}
	return file.ImageOf(&s.tree.octree), nil
}

// Hot returns the sections that queries read.
func (s *snapshotPart) Hot() file.Image {
	return file.Image{Store: s.tree.octree.Store, Lists: &s.from.Lists}
}

// SceneSnapshot is a read-only scene in a file, usually memory-mapped, that [Scene.Save] or
// [Scene.WriteTo] has written. [OpenSceneMapped], [OpenScene], [ReadScene] and [SceneFromBytes]
// open one.
//
// Queries run on its [SceneSnapshot.View] as on that of a scene, with the same results in the same
// order. The trees in it are snapshots, with the same restrictions on the file: see [Snapshot].
//
// Any number of goroutines may use one at a time. Only Close excludes all other use.
type SceneSnapshot struct {
	from  *file.Scene
	done  func() error    // unmaps the file; nil: not mapped
	snaps []*Snapshot     // parts that are not scenes
	scene *instance.Scene // immutable scene of these snapshots
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
	s := new(SceneSnapshot)
	if err == nil {
		err = s.open(f, level)
	}
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	return s, nil
}

func (s *SceneSnapshot) open(f *snap.File, level CheckLevel) (err error) {
	s.from, err = file.OpenScene(f, file.Level(level), func(k, parts int) (err error) {
		if s.snaps == nil {
			s.snaps = make([]*Snapshot, parts)
		}
		s.snaps[k], err = openPart(f, uint32(k)+1, level)
		return err
	})
	if err != nil {
		return err
	}
	top, err := s.from.Assemble(func(k int) (*instance.Part, error) { return &s.snaps[k].part, nil }, func() *instance.Scene { return new(instance.Scene) })
	if err != nil {
		return err
	}
	s.scene = top
	if level == CheckFull {
		return s.from.CheckDue(top)
	}
	return nil
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
	if s.scene.Epoch == closedVersion {
		panic("linear: View of a snapshot that has been closed")
	}
	return SceneView{s.scene.Level(), &s.scene.Epoch, s.scene.Epoch}
}

// Objects returns the snapshot of the scene's own objects, with the program's sections that were
// saved with the scene, for [LoadColumn]. It is closed with the scene.
func (s *SceneSnapshot) Objects() *Snapshot {
	s.opened()
	return snapshotOf(s.scene.Own())
}

// Info describes the file: see [Snapshot.Info].
func (s *SceneSnapshot) Info() SnapshotInfo {
	s.opened()
	info := infoOf(s.from.File)
	info.Level, info.Mapped = CheckLevel(s.from.Level), s.done != nil
	return info
}

// Stats returns the counts and the memory of the scene, as [Scene.Stats] does. It takes time
// proportional to the number of instances and of packets of its own trees. Sections that have not
// been read yet count as empty. It panics when the snapshot has been closed.
func (s *SceneSnapshot) Stats() SceneStats {
	s.opened()
	if s.scene.Epoch == closedVersion {
		panic("linear: Stats of a snapshot that has been closed")
	}
	return sceneStats(s.scene, nil, s.Objects().Stats(), snapshotOf(s.scene.Boxes()).Stats())
}

// Load returns a mutable copy of the scene, with all parts, whose results and changes are exactly
// those of the scene that was saved: see [Snapshot.Load]. Parts that were trees are loaded as
// trees, and parts that were snapshots as snapshots in memory.
func (s *SceneSnapshot) Load() (*Scene, error) {
	s.opened()
	if s.scene.Epoch == closedVersion {
		return nil, ErrClosed
	}
	top, err := s.from.Assemble(s.load, func() *instance.Scene {
		s := new(Scene)
		s.scene.Face = s
		return &s.scene
	})
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	parts := instance.PartsWithin(&top.Part)
	for _, u := range parts {
		if u.Scene != nil {
			scene := u.Scene.Face.(*Scene)
			scene.tree, scene.instances = treeOf(u.Scene.Own()), treeOf(u.Scene.Boxes())
			u.Scene.SetBoxes(scene.instances)
		}
	}
	top.Part.Sync() // restores the state that it had when it was saved
	if s.from.Level <= file.CheckFull {
		if err := instance.CheckScenes(parts); err != nil {
			return nil, fault.Errorf("linear: %w", file.NotSound("%v", err))
		}
	}
	return top.Face.(*Scene), nil
}

// load returns a mutable part.
func (s *SceneSnapshot) load(k int) (*instance.Part, error) {
	t, err := s.snaps[k].Load()
	if err != nil {
		return nil, err
	}
	if s.from.Kinds[k] == file.PartTree {
		return t.asPart(), nil
	}
	var copied bytes.Buffer
	if _, err := t.WriteTo(&copied); err != nil {
		return nil, err
	}
	again, err := FromBytes(copied.Bytes(), CheckNone)
	if err != nil {
		return nil, err
	}
	return &again.part, nil
}

// Close invalidates the snapshot with its parts and its views, which panic from now on, and unmaps
// the file. The snapshot must not be used, nor its views be queried, meanwhile. A second call does
// nothing.
func (s *SceneSnapshot) Close() error {
	s.opened()
	if s.scene.Epoch == closedVersion {
		return nil
	}
	s.scene.Epoch = closedVersion
	for _, t := range s.snaps {
		if t != nil {
			_ = t.Close() // it has no mapping
		}
	}
	s.from.Drop()
	if s.done == nil {
		return nil
	}
	done := s.done
	s.done = nil
	return done()
}
