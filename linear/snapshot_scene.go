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

// WriteTo writes a snapshot of the scene with all parts below it, each once, which [ReadScene], [OpenScene] and the
// others open, and returns the number of bytes: [Scene.WriteSnapshot] without options.
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
	return saveTo(ctx, path, opt, s.WriteSnapshot)
}

// LayoutDigest returns a hash of all state that decides the results and changes of the scene and its parts, like
// [Tree.LayoutDigest] for a tree. It applies deferred changes, and takes time proportional to the whole scene. A part
// that is a snapshot contributes the sections that queries read. It panics when a snapshot has been closed.
func (s *Scene) LayoutDigest() uint64 { return file.DigestScene(s.saved()) }

// saved lists the scene and the parts below it, as they are saved.
func (s *Scene) saved() []file.ScenePart { return file.PartsOf(s.made()) }

// SceneSnapshot is a read-only scene in a file, usually memory-mapped, that [Scene.Save] or [Scene.WriteTo] has
// written. [OpenSceneMapped], [OpenScene], [ReadScene] and [SceneFromBytes] open one.
//
// Queries run on its [SceneSnapshot.View] as on that of a scene, with the same results in the same
// order. The trees in it are snapshots, with the same restrictions on the file: see [Snapshot].
//
// Any number of goroutines may use one at a time. Only Close excludes all other use.
type SceneSnapshot struct{ file *file.Scene }

// OpenScene opens the scene in a file of size bytes: see [Open].
func OpenScene(r io.ReaderAt, size int64, level CheckLevel) (*SceneSnapshot, error) {
	return level.openScene(snap.Open(r, size))
}

// ReadScene reads a scene from a stream, and no byte beyond its end: see [Read].
func ReadScene(r io.Reader, level CheckLevel) (*SceneSnapshot, error) {
	return level.openScene(snap.Read(r))
}

// SceneFromBytes opens the scene in b: see [FromBytes].
func SceneFromBytes(b []byte, level CheckLevel) (*SceneSnapshot, error) {
	return level.openScene(snap.FromBytes(b))
}

// OpenSceneMapped opens a scene by mapping its file into memory: see [OpenMapped]. At [CheckNone]
// it takes time proportional to the number of parts and instances.
//
// Instances, parts and the nesting of parts are checked at all levels. A part that would contain itself is an error
// that wraps [ErrCycle], parts nested deeper than [MaxDepth] are one that wraps [ErrDepth], and a missing part is an
// error; each names the part. [CheckSafe] also checks the boxes of instances. [CheckFull] also checks that a part with
// work left for the next tick is listed as due in each scene that holds it.
//
// A small file may contain very many instances of few objects, as a scene may: [SceneView.Total]
// returns the maximum number of results.
func OpenSceneMapped(path string, level CheckLevel) (s *SceneSnapshot, err error) {
	return level.openScene(file.OpenMapped(path))
}

func (c CheckLevel) openScene(f *snap.File, err error) (*SceneSnapshot, error) {
	s, err := file.OpenScene(f, err, file.Level(c), beginSnapshot)
	if err != nil {
		return nil, err
	}
	return &SceneSnapshot{s}, nil
}

// opened returns the file of the scene. It panics if the snapshot is the zero value.
func (s *SceneSnapshot) opened() *file.Scene {
	if s.file == nil {
		zeroUsed("SceneSnapshot", "open one with OpenSceneMapped, OpenScene, ReadScene or SceneFromBytes")
	}
	return s.file
}

// open returns the scene, for the named method. It panics if the snapshot is the zero value, or has been closed.
func (s *SceneSnapshot) open(what string) *instance.Scene {
	f := s.opened()
	if f.IsClosed() {
		panic("linear: " + what + " of a snapshot that has been closed")
	}
	return f.Top
}

// View returns a view of the scene that was saved. It is valid until Close; using it later panics,
// and so does View of a snapshot that has been closed.
func (s *SceneSnapshot) View() SceneView {
	top := s.open("View")
	return SceneView{top.Level(), &top.Epoch, top.Epoch}
}

// Objects returns the snapshot of the scene's own objects, with the program's sections that were
// saved with the scene, for [LoadColumn]. It is closed with the scene.
func (s *SceneSnapshot) Objects() *Snapshot { return snapshotOf(s.opened().Top.Own()) }

// Info describes the file: see [Snapshot.Info].
func (s *SceneSnapshot) Info() SnapshotInfo {
	f := s.opened()
	return infoOf(f.File, f.Level, f.File.End != nil)
}

// Stats returns the counts and the memory of the scene, as [Scene.Stats] does. It takes time
// proportional to the number of instances and of packets of its own trees. Sections that have not
// been read yet count as empty. It panics when the snapshot has been closed.
func (s *SceneSnapshot) Stats() SceneStats {
	top := s.open("Stats")
	return sceneStats(top, nil, snapshotOf(top.Own()).Stats(), snapshotOf(top.Boxes()).Stats())
}

// Load returns a mutable copy of the scene, with all parts, whose results and changes are exactly
// those of the scene that was saved: see [Snapshot.Load]. Parts that were trees are loaded as
// trees, and parts that were snapshots as snapshots in memory.
func (s *SceneSnapshot) Load() (*Scene, error) {
	f := s.opened()
	if f.IsClosed() {
		return nil, ErrClosed
	}
	top, parts, err := f.Load(loadPart, func() *instance.Scene {
		s := new(Scene)
		s.scene.Face = s
		return &s.scene
	})
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	for _, u := range parts {
		if u.Scene != nil {
			scene := u.Scene.Face.(*Scene)
			scene.tree, scene.instances = treeOf(u.Scene.Own()), treeOf(u.Scene.Boxes())
			u.Scene.SetBoxes(scene.instances)
		}
	}
	return top.Face.(*Scene), nil
}

// loadPart returns a part as a tree, or as a snapshot in memory if it is fixed.
func loadPart(u *file.Snapshot, fixed bool) (*instance.Part, error) {
	t, err := u.Face.(*Snapshot).Load()
	if err != nil || !fixed {
		return t.asPart(), err
	}
	var copied bytes.Buffer
	if _, err := t.WriteTo(&copied); err != nil {
		return nil, err
	}
	again, err := FromBytes(copied.Bytes(), CheckNone)
	if err != nil {
		return nil, err
	}
	return again.asPart(), nil
}

// Close invalidates the snapshot with its parts and its views, which panic from now on, and unmaps the file. The
// snapshot must not be used, nor its views be queried, meanwhile. A second call does nothing.
func (s *SceneSnapshot) Close() error { return s.opened().Close() }
