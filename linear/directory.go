package linear

import (
	"fmt"
	"path/filepath"
	"sync"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/morton"
)

// Directory is a data set that may be larger than memory: a folder of snapshots, the shards,
// each of the objects with the keys of a run, under a small tree of their tight boxes.
// [CreateDirectory] makes one, and [OpenDirectory] opens it.
//
//	manifest                 world, and of each shard: keys, box, number of objects, sums
//	0000000000000000.shard   a Snapshot: the objects of a cell, and their numbers
//	0000000000000001.shard
//	...
//
// Its view is that of a scene whose parts stand where they are, so that all of package
// query/scene asks it: Path{shard}, ID names an object, for whom [Directory.Global] has the
// number that the program gave it. IDs follow the curve, whatever the numbers. Shards are mapped: the system's page cache is the memory for
// what queries read, and it is the system that forgets. What a Directory itself keeps is some
// 30 kilobytes for each shard that is prepared.
//
// A shard is in the view when it has been prepared: [Directory.Prepare] opens and checks those
// that meet a box, and has their errors, so that no query meets any. What is not prepared is
// not in the view, and [Directory.Missing] tells.
//
//	err := d.Prepare(ctx, box)          // what the camera may see in the next second
//	scene.Append(&seen, camera, d.View(), query.Filter{})
//
// [Directory.Replace] changes objects: it writes the shards that a batch touches anew, beside
// the old ones, and then the manifest. Whoever has acquired the directory ([Directory.Acquire])
// goes on with what it was.
//
// Files of shards never change. What is told of mapped files at [Snapshot] holds for them:
// nobody else is to write to them or to cut them. One process at a time may call Replace;
// others that have the directory open meanwhile find that shards which they have not yet opened
// are gone, an error of Prepare, and open the directory anew. All Directories of one process
// know of each other: what one of them has in its view, prepared or not, stays until it is
// closed.
//
// Any number of goroutines may use a Directory at a time. Answers are a function of the calls
// of Prepare and Replace. When it has been closed these return [ErrClosed], and all others
// panic but Close.
type Directory struct {
	path  string // of the folder, clean
	level CheckLevel
	disk  *disk
	of    *folder

	work sync.Mutex // of Prepare, Replace and Close

	lock sync.Mutex // of what follows, and of all holds
	now  *edition   // nil: closed
}

// OpenDirectory opens the directory in a folder. It reads the manifest, and maps nothing yet: a
// shard that is lost or damaged is an error of what meets it. The level says what
// [Directory.Prepare] checks of a shard before it trusts it. It takes time proportional to the
// number of shards.
func OpenDirectory(dir string, level CheckLevel) (*Directory, error) {
	if level > CheckNone {
		return nil, fmt.Errorf("linear: a check of level %d, want at most %d", level, CheckNone)
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	d := &Directory{path: path, level: level, disk: &disk{}, of: folderOf(path)}
	list, err := d.of.open(path)
	if err != nil {
		return nil, err
	}
	d.now, err = newEdition(list, make([]*shard, len(list.rows)))
	if err != nil {
		list.close()
		return nil, err
	}
	return d, nil
}

// current returns what is in the view.
func (d *Directory) current(what string) *edition {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.now == nil {
		panic("linear: " + what + " of a directory that has been closed")
	}
	return d.now
}

// View returns a look at the objects of all shards that have been prepared: a scene without
// objects of its own, in which the shard of number i is placed as i, under the identity. It is
// valid until the next Prepare that opens a shard, Replace, or Close; using it later panics. It
// costs nothing. Goroutines that query beside those calls use [Directory.Acquire]. It panics
// when the directory has been closed.
func (d *Directory) View() SceneView {
	d.lock.Lock() // whoever ends the life of it counts that
	defer d.lock.Unlock()
	if d.now == nil {
		panic("linear: View of a directory that has been closed")
	}
	return d.now.own()
}

// Global returns the number that the program has given to an object of the view. ok is
// false unless the shard is prepared and has an object of that ID.
func (d *Directory) Global(shard, id uint32) (number uint64, ok bool) {
	d.lock.Lock() // nobody ends the map meanwhile
	defer d.lock.Unlock()
	if d.now == nil {
		panic("linear: Global of a directory that has been closed")
	}
	return d.now.global(shard, id)
}

// AppendGlobal appends the numbers of the objects of a run of an answer, which is of one shard,
// to dst and returns it: what [Directory.Global] gives for each, for all at once. ok is false
// unless all have one; then dst is returned as it was.
func (d *Directory) AppendGlobal(dst []uint64, shard uint32, ids []uint32) (numbers []uint64, ok bool) {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.now == nil {
		panic("linear: AppendGlobal of a directory that has been closed")
	}
	return d.now.appendGlobal(dst, shard, ids)
}

// Missing returns what queries of a box do not see: the number of shards that meet it and have
// not been prepared, and of the objects in these. It takes time proportional to the number of
// all shards, a few nanoseconds each.
func (d *Directory) Missing(box AABB) (shards int, objects uint64) {
	return d.current("Missing").missing(box)
}

// Len returns the number of objects in the directory, prepared or not.
func (d *Directory) Len() uint64 { return d.current("Len").objects() }

// World returns the cube that keys resolve: see [DirectoryOptions].
func (d *Directory) World() morton.World { return d.current("World").world }

// Sequence returns how often the directory has been replaced, and one for its creation.
func (d *Directory) Sequence() uint64 { return d.current("Sequence").sequence }

// DirectoryShard describes a shard.
type DirectoryShard struct {
	Path     string
	Bytes    int64
	Objects  int
	Box      AABB         // the union of theirs
	Keys     morton.Range // of the centres of its objects; the next one begins with the last
	Prepared bool
}

// Shards describes all shards, in the order of their keys: the ID of a place is an index of it.
func (d *Directory) Shards() []DirectoryShard {
	e := d.current("Shards")
	list := make([]DirectoryShard, len(e.rows))
	for i := range e.rows {
		r := &e.rows[i]
		list[i] = DirectoryShard{
			Path: r.path(d.path), Bytes: int64(r.Bytes), Objects: int(r.Count), Box: r.box(),
			Keys: morton.Range{First: e.first(i), Last: e.last(i)}, Prepared: e.shards[i] != nil,
		}
	}
	return list
}

// Close ends the directory and its views, which panic from now on. What has been acquired stays
// until its release. Nobody may query a View meanwhile. A second call does nothing.
func (d *Directory) Close() error {
	d.work.Lock()
	defer d.work.Unlock()
	return d.publish(nil)
}

// publish makes an edition what the view shows.
func (d *Directory) publish(e *edition) error {
	d.lock.Lock()
	old := d.now
	d.now = e
	free := old != nil && old.leave()
	if old != nil {
		old.life++
	}
	d.lock.Unlock()
	if free {
		return old.free()
	}
	return nil
}

// DirectoryVersion is a directory as it was when a reader acquired it ([Directory.Acquire]). It
// belongs to one goroutine, which may give its View to others until it releases it. It must not
// be copied, which go vet checks.
type DirectoryVersion struct {
	_    noCopy
	from *edition
	dir  *Directory
	lease
}

// Acquire returns the directory as it is now, for a reader who goes on while others prepare and
// replace. Any goroutine may call it; it takes two locks for a moment. What it holds stays as
// it is until [DirectoryVersion.Release]: until then no map of it ends, and no file of it is
// removed. It panics when the directory has been closed.
func (d *Directory) Acquire() DirectoryVersion {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.now == nil {
		panic("linear: Acquire of a directory that has been closed")
	}
	d.now.holds++
	return DirectoryVersion{from: d.now, dir: d, lease: newLease()}
}

func (h *DirectoryVersion) held(what string) *edition {
	if h.from == nil || h.over() { // a copy may have released it
		notHeld(what)
	}
	return h.from
}

// View returns the view of what is held: see [Directory.View]. It is valid until the release,
// and for any number of goroutines. It panics after the release.
func (h *DirectoryVersion) View() SceneView {
	return SceneView{&h.held("View").table.levels[0], h.life, h.at}
}

// Global returns the number of an object of the view: see [Directory.Global].
func (h *DirectoryVersion) Global(shard, id uint32) (number uint64, ok bool) {
	return h.held("Global").global(shard, id)
}

// AppendGlobal appends the numbers of the objects of a run: see [Directory.AppendGlobal].
func (h *DirectoryVersion) AppendGlobal(dst []uint64, shard uint32, ids []uint32) (numbers []uint64, ok bool) {
	return h.held("AppendGlobal").appendGlobal(dst, shard, ids)
}

// Missing returns what queries of a box do not see: see [Directory.Missing].
func (h *DirectoryVersion) Missing(box AABB) (shards int, objects uint64) {
	return h.held("Missing").missing(box)
}

// Sequence returns that of what is held: see [Directory.Sequence].
func (h *DirectoryVersion) Sequence() uint64 { return h.held("Sequence").sequence }

// Release ends the hold and its views: using them later panics. The error is one of ending maps
// that nobody else needs, or of removing their files. A second release panics.
func (h *DirectoryVersion) Release() error {
	e := h.held("Release")
	h.from = nil
	h.end()
	h.dir.lock.Lock()
	free := e.leave()
	h.dir.lock.Unlock()
	if free {
		return e.free()
	}
	return nil
}
