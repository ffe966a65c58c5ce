package linear

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"sync"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/shard"
	"github.com/zoctree/zoctree/linear/internal/version"
	"github.com/zoctree/zoctree/morton"
)

// Directory is an out-of-core data set, which may be larger than memory: a folder of snapshots, called shards. Each
// shard has the objects in an interval of Morton keys; a small tree indexes the bounding boxes of the shards.
// [CreateDirectory] makes a directory, and [OpenDirectory] opens it.
//
//	manifest                 world, and of each shard: keys, box, number of objects, sums
//	0000000000000000.shard   a Snapshot: the objects of a cell, and their numbers
//	0000000000000001.shard
//	...
//
// A shard must be prepared before queries see it. [Directory.Prepare] opens and checks the shards that intersect a
// box, and returns their errors, so that queries have none. The view includes only prepared shards;
// [Directory.Missing] counts the others.
//
//	err := d.Prepare(ctx, box)          // the box that the camera may see in the next second
//	scene.Append(&seen, camera, d.View(), query.Filter{})
//
// The view is that of a scene with one instance of each shard under the identity, so that all of package query/scene
// can search it. Path{shard}, ID names an object. [Directory.Global] returns the number that the program has assigned
// to it, and [Directory.Lookup] returns the object that has a number. IDs are in the order of the curve, whatever the
// numbers. The shards of a version can be parts of a live scene, too ([DirectoryVersion.Parts]). A directory stores
// neither the origin of a point cloud nor columns: the program saves them in a file of its own, by the numbers.
//
// [Directory.Replace] changes objects: it writes new files for the shards that a batch touches, and then the
// manifest. A reader that has acquired the directory ([Directory.Acquire]) keeps its version.
//
// Shards are memory-mapped: the page cache of the system holds the data that queries read, and the system evicts
// it. A Directory itself keeps some 30 kilobytes for each prepared shard.
//
// Files of shards never change. The rules for mapped files at [Snapshot] apply: no other program may write to them or
// truncate them. One process at a time may call Replace. In other processes that have the directory open meanwhile,
// Prepare fails for removed shards that they have not yet opened; they must open the directory again. All Directories
// of one process coordinate: the files in the view of one of them, prepared or not, stay until it is closed.
//
// Any number of goroutines may use a Directory at a time. Query results are a function of the calls of Prepare and
// Replace. After Close these return [ErrClosed], and all other methods except Close panic.
//
// # How it works
//
// A [Directory] is an out-of-core index: a data set that may be larger than memory, in a folder of snapshots called
// shards. A shard has the objects of one cell, so its shape is about a brick, and its tight box is in a small tree. The
// view of a Directory is a scene of the prepared shards, under the identity transform.
//
//	stream --> spill --> parts by keys --> cells --> shards, each built and saved
//	           |                                       |
//	           world                                   manifest: keys, boxes, sums
//
//	Prepare(box)   maps and checks the shards that overlap a box  \
//	View           a SceneView of the prepared shards              > an immutable version
//	Replace(batch) new shards, then a new manifest                /
//
// Readers retain versions while newer ones are made. A file stays as long as a version uses it,
// and a crash leaves the old manifest or the new one.
type Directory struct {
	path  string // of the folder, clean
	level CheckLevel
	disk  *shard.Disk
	of    *shard.Folder

	work sync.Mutex // serializes Prepare, Replace and Close

	lock sync.Mutex // guards the fields below, and all hold counts
	now  *shardView // current edition; nil: closed
}

// OpenDirectory opens the out-of-core directory in a folder. It reads the manifest, and maps no shard yet: a
// missing or damaged shard is an error of the calls that use it. The level determines the checks of a shard by
// [Directory.Prepare]. OpenDirectory takes time proportional to the number of shards.
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
	d := &Directory{path: path, level: level, disk: &shard.Disk{}, of: shard.FolderOf(path)}
	list, err := d.of.Open(path)
	if err != nil {
		return nil, err
	}
	d.now, err = newShardView(list, make([]*shard.Shard, len(list.Rows)))
	if err != nil {
		list.Close()
		return nil, err
	}
	return d, nil
}

// enter locks the directory and returns the current edition, for the named method, which defers the unlocking. It
// panics when the directory has been closed.
func (d *Directory) enter(what string) *shardView {
	d.lock.Lock()
	if d.now == nil {
		panic("linear: " + what + " of a directory that has been closed")
	}
	return d.now
}

// current returns the current edition, for the named method.
func (d *Directory) current(what string) *shardView {
	defer d.lock.Unlock()
	return d.enter(what)
}

// View returns a view of the objects of all prepared shards: a scene without objects of its own, in which shard i
// is instance i, under the identity. Queries find nothing in other shards and return no error: call [Directory.Missing]
// to detect them. It is valid until the next Prepare that opens a shard, Replace, or Close;
// using it later panics. It costs nothing. Goroutines that query concurrently with those calls use
// [Directory.Acquire]. View panics when the directory has been closed.
func (d *Directory) View() SceneView {
	defer d.lock.Unlock() // guards the count that invalidates views
	return d.enter("View").own()
}

// Global returns the number that the program has assigned to an object of the view. ok is false unless the shard is
// prepared and has an object of that ID.
func (d *Directory) Global(shard, id uint32) (number uint64, ok bool) {
	defer d.lock.Unlock() // keeps the shard mapped meanwhile
	return d.enter("Global").global(shard, id)
}

// AppendGlobal appends the numbers of many objects of one shard to dst and returns it: the batch form of
// [Directory.Global], for a run of query results. ok is false unless every object has a number; then dst is
// returned unchanged.
func (d *Directory) AppendGlobal(dst []uint64, shard uint32, ids []uint32) (numbers []uint64, ok bool) {
	defer d.lock.Unlock()
	return d.enter("AppendGlobal").appendGlobal(dst, shard, ids)
}

// Lookup returns the shard and the ID of the object of the view that has a number: the inverse of
// [Directory.Global]. ok is false when no prepared shard has such an object; the object may still be in another one.
// The shard is the ID of its instance in the view: [SceneView.Instance] returns the view of its objects. Both numbers
// are valid as long as the view, since [Directory.Replace] changes them.
//
// It scans the ranges of numbers of all shards, a few nanoseconds each. In every prepared shard whose range includes
// the number it bisects the sorted numbers, which reads a few pages of the mapped file. With numbers that correlate
// with positions that is one shard or two; with random numbers it is all shards. It allocates nothing. Other calls of
// the directory block meanwhile; calls of [DirectoryVersion.Lookup] do not block.
//
// If objects in different shards have the same number, which [CreateDirectory] does not detect, Lookup returns the one
// in the first prepared shard. It panics when the directory has been closed.
func (d *Directory) Lookup(number uint64) (shard, id uint32, ok bool) {
	defer d.lock.Unlock() // keeps the shards mapped meanwhile
	return d.enter("Lookup").lookup(number)
}

// Missing counts the data that queries of a box do not see: the shards that intersect the box and have not been
// prepared, and the objects in them. It takes time proportional to the number of all shards, a few nanoseconds each.
func (d *Directory) Missing(box AABB) (shards int, objects uint64) {
	return d.current("Missing").missing(box)
}

// Len returns the number of objects in the directory, prepared or not.
func (d *Directory) Len() uint64 { return d.current("Len").Objects() }

// World returns the cube that keys resolve: see [DirectoryOptions].
func (d *Directory) World() morton.World { return d.current("World").World }

// Sequence returns the version number of the directory: 1 after its creation, and one more for each replacement.
func (d *Directory) Sequence() uint64 { return d.current("Sequence").Sequence }

// DirectoryShard describes a shard.
type DirectoryShard struct {
	Path     string
	Bytes    int64
	Objects  int
	Box      AABB         // union of the boxes of its objects
	Keys     morton.Range // of the centres of its objects; the last key is the first of the next shard
	Prepared bool
}

// Shards describes all shards, in the order of their keys. The ID of an instance in the view is an index of it.
func (d *Directory) Shards() []DirectoryShard {
	e := d.current("Shards")
	list := make([]DirectoryShard, len(e.Rows))
	for i := range e.Rows {
		r := &e.Rows[i]
		list[i] = DirectoryShard{
			Path: r.Path(d.path), Bytes: int64(r.Bytes), Objects: int(r.Count), Box: r.AABB(),
			Keys: morton.Range{First: e.First(i), Last: e.Last(i)}, Prepared: e.shards[i] != nil,
		}
	}
	return list
}

// Close closes the directory and invalidates its views, which panic when used later. Acquired versions stay valid
// until their release. No goroutine may query a View during Close. A second call has no effect.
func (d *Directory) Close() error {
	d.work.Lock()
	defer d.work.Unlock()
	return d.publish(nil)
}

// publish makes an edition the current one.
func (d *Directory) publish(e *shardView) error {
	d.lock.Lock()
	old := d.now
	d.now = e
	if old != nil {
		old.validity++
	}
	d.lock.Unlock()
	return d.release(old)
}

// release drops a reference of an edition, which may be nil, and closes it if that was the last one.
func (d *Directory) release(e *shardView) error {
	if e == nil {
		return nil
	}
	d.lock.Lock()
	e.holds--
	free := e.holds == 0
	d.lock.Unlock()
	if !free {
		return nil
	}
	return e.free()
}

// DirectoryVersion is an immutable version of a directory, for concurrent readers ([Directory.Acquire]). It belongs to
// one goroutine, which may pass its View to others until it releases it. It must not be copied, which go vet checks.
type DirectoryVersion struct {
	dir   *Directory
	lease version.Lease[shardView]
}

// Acquire returns the current version of the directory, for a reader that continues while others prepare and
// replace. Any goroutine may call it; it takes two locks for a moment. The version is unchanged until
// [DirectoryVersion.Release]: until then its maps stay valid, and none of its files is removed. Acquire panics when
// the directory has been closed.
func (d *Directory) Acquire() DirectoryVersion {
	defer d.lock.Unlock()
	e := d.enter("Acquire")
	e.holds++
	return DirectoryVersion{d, version.LeaseOf(e)}
}

// View returns the view of the version: see [Directory.View]. It is valid until the release, and for any number of
// goroutines. It panics after the release.
func (h *DirectoryVersion) View() SceneView {
	return SceneView{&h.lease.Get("View").table.Levels[0], h.lease.Validity, h.lease.At}
}

// Global returns the number of an object of the view: see [Directory.Global].
func (h *DirectoryVersion) Global(shard, id uint32) (number uint64, ok bool) {
	return h.lease.Get("Global").global(shard, id)
}

// AppendGlobal appends the numbers of many objects of one shard: see [Directory.AppendGlobal].
func (h *DirectoryVersion) AppendGlobal(dst []uint64, shard uint32, ids []uint32) (numbers []uint64, ok bool) {
	return h.lease.Get("AppendGlobal").appendGlobal(dst, shard, ids)
}

// Lookup returns the shard and the ID of the object that has a number: see [Directory.Lookup].
func (h *DirectoryVersion) Lookup(number uint64) (shard, id uint32, ok bool) {
	return h.lease.Get("Lookup").lookup(number)
}

// Missing counts the data that queries of a box do not see: see [Directory.Missing].
func (h *DirectoryVersion) Missing(box AABB) (shards int, objects uint64) {
	return h.lease.Get("Missing").missing(box)
}

// Parts returns an iterator over the prepared shards, by their numbers, as parts of scenes. One query over a scene with
// an instance of each then finds the objects of the directory together with live ones:
//
//	version := d.Acquire()
//	for shard, part := range version.Parts() {
//		id, err := world.AddInstance(part, linear.Transform{}, linear.InstanceOptions{})
//		shardOf.Set(id, shard) // a Column[uint32]
//	}
//
// A Path{id}, ID in a result names an object, whose number is Global(shardOf.Get(id), ID). A part is a [*Snapshot],
// which the directory closes. Its instances have to be removed before the release of the last version that contains the
// shard: views that reach a closed one panic. A shard that Replace does not change is the same part in both versions,
// so that only the instances of changed shards need to be replaced.
//
// The iteration panics after the release, or when the version is released meanwhile. It allocates nothing. Any number
// of goroutines may use it at a time.
func (h *DirectoryVersion) Parts() iter.Seq2[uint32, Part] {
	shards := h.lease.Get("Parts").shards
	return func(yield func(uint32, Part) bool) {
		h.lease.Get("Parts")
		for i, s := range shards {
			if s == nil {
				continue
			}
			if !yield(uint32(i), s.Face.(*Snapshot)) {
				return
			}
			h.lease.Get("Parts") // panics if the version has been released
		}
	}
}

// Sequence returns the version number: see [Directory.Sequence].
func (h *DirectoryVersion) Sequence() uint64 { return h.lease.Get("Sequence").Sequence }

// Release releases the version and invalidates its views: using them later panics. The error is one of unmapping
// files that no other version needs, or of removing them. A second release panics.
func (h *DirectoryVersion) Release() error {
	return h.dir.release(h.lease.End("Release"))
}

// DirectoryOptions configure an out-of-core directory, as the options of [CreateDirectory]; the zero value fits the
// world to the objects, and is a good default.
type DirectoryOptions struct {
	// World is a box for the cube that keys resolve: the cube is fitted to it, and fixed. With the zero box the cube is
	// fitted to a sample of the objects' centres, as in the build of a tree: a few far outliers do not reduce its
	// resolution. As long as all objects are in one shard, each Replace fits the cube to them again; from the second
	// shard on it is fixed. Objects outside have the key of the nearest point of the cube's border.
	World AABB

	// Shard is the largest number of objects in a shard, from 16 to 2^24. 0 means 32,768, with which a shard
	// takes 1.8 MB. Shards are the units that queries of small boxes read, and that a change writes again. A
	// system may limit the number of maps of a process: Linux to 65,530.
	Shard int

	// Memory is the approximate size of the buffers of [CreateDirectory] in bytes. In addition the trees of
	// some shards are in memory, and the garbage collector may let the heap grow to twice that. 0 means 128
	// MiB; values below 4 MiB mean 4 MiB.
	Memory int

	// Workers is the number of goroutines that build shards. 0 means GOMAXPROCS, and values above 1,024 mean
	// 1,024. The files do not depend on it.
	Workers int

	// Progress, unless nil, is called now and then, by the calling goroutine, with the number of objects read
	// from the stream, and the number written to shards.
	Progress func(taken, done uint64)
}

// CreateDirectory writes a new out-of-core directory from a stream of objects in any order, each with a number of
// the program's own; [OpenDirectory] opens it. The numbers must be distinct: two objects with the same number in a
// shard are an error, in different shards they are not detected. Package points reads files of points as streams, with
// points.Chunks.
//
// The stream is read once, and may have any length: memory does not depend on it ([DirectoryOptions.Memory]).
// Objects are written to temporary files in a temporary folder next to dir, and sorted there by their keys in one
// pass. Several passes are needed where so many are close together that a part of 256 does not fit into memory.
// Each shard is built and saved as a [Snapshot]. So the disk needs room for 40 bytes an object twice in addition to
// the directory. The time is that of a few passes over the records and of building all trees.
//
// The creation is atomic: the folder is made under another name, synced and renamed. It is removed when an error
// occurs, or the context, which may be nil, is done. An existing folder is an error, [fs.ErrExist]. An object whose box
// is not finite, or inverted, is an error, too. CreateDirectory cannot detect a stream that ends early: before it ends,
// a stream that fails cancels the context, as in the example of points.Chunks, and CreateDirectory returns an error.
//
// The files are a function of the objects, of World, Shard and Memory. They also depend on the order of the objects if
// there are more than the sample that determines the world holds, or more have the same key than a shard may hold.
func CreateDirectory(ctx context.Context, dir string, objects iter.Seq2[uint64, Object], opt DirectoryOptions) error {
	return shard.Create(ctx, &shard.Disk{}, dir, objects, shard.Params(opt))
}
