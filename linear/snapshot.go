package linear

import (
	"io"
	"unsafe"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/morton"
)

// Errors of snapshots, wrapped by the errors that are returned.
var (
	// ErrSnapshot is returned for bytes that are not a snapshot of a tree, or a corrupt one; the
	// text around it gives the location.
	ErrSnapshot = snap.ErrFormat

	// ErrSnapshotVersion is returned for a snapshot that was written by a version of the library
	// that this one cannot read, and for one of a scene in place of a tree, or of a tree in place of a scene.
	ErrSnapshotVersion = snap.ErrVersion

	// ErrClosed is returned for a snapshot or a directory that has been closed.
	ErrClosed = file.ErrClosed
)

// CheckLevel selects how much of a snapshot is verified when it is opened.
type CheckLevel uint8

// The check levels, with their cost, where n is the number of bytes that queries read.
const (
	// CheckSafe compares the checksums of the bytes that queries read, and checks their structure. Corrupt files are
	// rejected, or they open as a snapshot on which no query panics, faults, hangs or finds more objects than there
	// are. [Snapshot.Load] checks the rest. Cost: proportional to n.
	CheckSafe CheckLevel = CheckLevel(file.CheckSafe)
	// CheckFull also checks all invariants of [Tree.Validate], so that query results are correct, too. Boxes and masks
	// of nodes are exact unions, as in the tree that was saved, except above packets and nodes that the file lists for
	// a refit. These may be larger until the next [Tree.Refit] or [Tree.Tick], which costs queries time and changes no
	// result. Cost: several times that of CheckSafe.
	CheckFull CheckLevel = CheckLevel(file.CheckFull)
	// CheckSums compares the checksums of all sections, for files from a trusted source whose
	// storage may have decayed. Cost: proportional to the size of the file.
	CheckSums CheckLevel = CheckLevel(file.CheckSums)
	// CheckNone reads only the header, for files from a trusted source on a file system with checksums. Cost: constant.
	CheckNone CheckLevel = CheckLevel(file.CheckNone)
)

// String returns "safe", "full", "sums" or "none".
func (c CheckLevel) String() string { return file.Level(c).String() }

// MarshalText returns the same text as String. A value that is none of the constants is an error.
func (c CheckLevel) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText parses the text of MarshalText. Any other text is an error, and leaves the value unchanged.
func (c *CheckLevel) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

// Snapshot is a read-only tree in a file, usually memory-mapped, that [Tree.Save] or [Tree.WriteTo]
// has written. [OpenMapped], [Open], [Read] and [FromBytes] open one.
//
// Queries run on its [Snapshot.View] as on that of a tree, with the same results in the same order.
// The columns are the memory of the file: the system reads a mapped file page by page, as queries
// access it. A Snapshot is a [Part], too: a [Scene] holds instances of it, and it never changes.
//
// The memory must not be written, and the file must not be changed or truncated while it is open: access to a missing
// page ends the program with a fault, which no check can prevent. Use [Open], which reads the file, if other programs
// can write to it. A file that Save replaces meanwhile is a new file: the mapped one stays until it is closed.
//
// Any number of goroutines may use a snapshot at a time, also as a part of scenes that different
// goroutines change. Only Close excludes all other use. Methods of the zero value panic.
//
// # Files
//
// [Tree.Save] and [Tree.WriteTo] write a tree to a file: its columns as they are in memory, and all state on which
// later changes depend. [OpenMapped] maps the file: queries of [Snapshot.View] run at once, and read only the pages
// that they visit. [Open], [Read] and [FromBytes] read a snapshot from other sources. [Snapshot.Load] makes a tree of
// it, which gives the same results and changes in the same way as the saved one ([Tree.LayoutDigest] compares them).
//
// At the default [CheckLevel] a corrupt file is rejected or harmless: no file can make a query crash or hang. A file of
// an earlier version of the format is rejected with [ErrSnapshotVersion]. Within a version, numbers that are later
// added to [Config] or to the state of a tree are rejected by name, and only if they are not zero.
//
// [Publisher.Checkpoint] saves a tree while the writer continues: with a log of the calls since
// ([Batch.AppendBinary]) no change is lost. [Scene.Save], [OpenSceneMapped] and
// [ScenePublisher.Checkpoint] do the same for a scene with all its parts.
type Snapshot struct{ file file.Snapshot }

// closedVersion is the change number of a snapshot that has been closed.
const closedVersion = file.Closed

// Open opens the snapshot in a file of size bytes. It reads the sections that queries use into
// memory, and the others when [Snapshot.Load] or [LoadColumn] needs them. The reader must therefore
// stay usable until Close, which does not close it. It allocates no more than size bytes.
func Open(r io.ReaderAt, size int64, level CheckLevel) (*Snapshot, error) {
	return level.open(snap.Open(r, size))
}

// Read reads a snapshot from a stream, and no byte beyond its end. It allocates no more than three
// times the bytes that it reads.
func Read(r io.Reader, level CheckLevel) (*Snapshot, error) { return level.open(snap.Read(r)) }

// FromBytes opens the snapshot in b, such as an embedded file. The bytes must not be written while
// it is open. Nothing is copied if b is aligned for the numbers in it and the machine is
// little-endian; otherwise each section is copied when it is first used.
func FromBytes(b []byte, level CheckLevel) (*Snapshot, error) { return level.open(snap.FromBytes(b)) }

// OpenMapped opens a snapshot by mapping its file into memory (mmap). At [CheckNone] that takes microseconds however
// large the file is; queries then read the pages that they access. See [Snapshot] for the restrictions on the file
// meanwhile. On systems without memory mapping it reads the file. A path to anything but a regular file, such as a
// folder or a named pipe, is an error, and is not opened.
func OpenMapped(path string, level CheckLevel) (s *Snapshot, err error) {
	return level.open(file.OpenMapped(path))
}

// open opens the snapshot of a tree in a file.
func (c CheckLevel) open(f *snap.File, err error) (*Snapshot, error) {
	s := beginSnapshot()
	if err := s.Open(f, err, file.Level(c)); err != nil {
		return nil, err
	}
	return s.Face.(*Snapshot), nil
}

// beginSnapshot returns the file of a new snapshot.
func beginSnapshot() *file.Snapshot {
	s := new(Snapshot)
	s.file.Face = s
	return &s.file
}

// The file is the only field of a Snapshot: ownedSnapshot converts pointers.
var _ [0]struct{} = [unsafe.Sizeof(Snapshot{}) - unsafe.Sizeof(file.Snapshot{})]struct{}{}

// ownedSnapshot makes a Snapshot of the file of a directory's shard, in place.
func ownedSnapshot(f *file.Snapshot) { f.Face, f.Owned = (*Snapshot)(unsafe.Pointer(f)), true }

// opened returns the file of the snapshot. It panics if the snapshot is the zero value.
func (s *Snapshot) opened() *file.Snapshot {
	if s.file.File == nil {
		zeroUsed("Snapshot", "open one with OpenMapped, Open, Read or FromBytes")
	}
	return &s.file
}

// View returns a view of the tree that was saved, for queries. It is valid until Close; using it
// later panics, and so does View of a snapshot that has been closed. It costs nothing. It has no
// change log: [View.Changes] returns ok = false.
func (s *Snapshot) View() View {
	v := s.opened().View()
	return View{v.Store, v.Validity, v.At, v.Index}
}

// Len returns the number of objects.
func (s *Snapshot) Len() int { return s.opened().Tree.Store.Count }

// World returns the cube of the keys, as [View.CellOf] needs it.
func (s *Snapshot) World() morton.World { return s.opened().Tree.World }

// Config returns the configuration of the tree, as [Tree.Config] does. Workers is the value for this machine.
func (s *Snapshot) Config() Config { return configOf(&s.opened().Tree.Config) }

// Stats returns the counts and the memory of the tree, as [Tree.Stats] does. It takes time
// proportional to the number of packets. Sections that have not been read yet count as empty.
func (s *Snapshot) Stats() Stats {
	f := s.opened()
	f.Lock.Lock()
	defer f.Lock.Unlock()
	return statsOf(&f.Tree)
}

// SnapshotInfo describes a snapshot file.
type SnapshotInfo struct {
	Bytes    int64
	Minor    int // minor version of the format
	Level    CheckLevel
	Mapped   bool
	Sections []SectionInfo // in the order of the file
}

// SectionInfo describes a section of a snapshot file.
type SectionInfo struct {
	Name          string
	User          bool // written by the program, with SaveColumn
	Group         int  // in a file of a scene, the number of its part, from 1; else 0
	Row           int  // bytes of a row
	Offset, Bytes int64
}

// Info describes the file. It takes time proportional to the number of sections.
func (s *Snapshot) Info() SnapshotInfo {
	f := s.opened()
	return infoOf(f.File, f.Level, f.IsMapped())
}

func infoOf(f *snap.File, level file.Level, mapped bool) SnapshotInfo {
	info := SnapshotInfo{Bytes: f.Bytes, Minor: int(f.Minor), Level: CheckLevel(level), Mapped: mapped}
	for i := range f.Sections() {
		c, bytes, offset := f.Section(i)
		user, group := c.Group == file.GroupUser, int(c.Group)
		if user {
			group = 0
		}
		info.Sections = append(info.Sections, SectionInfo{c.Name, user, group, c.Row, offset, bytes})
	}
	return info
}

// Load returns a mutable copy of the tree. Its results and changes are exactly those of the tree that was saved: it has
// the same objects under the same IDs and handles at the same locations, as with [Tree.Clone]. Its configuration is
// that of the saved tree, except Workers, which is set for this machine.
//
// Load reads the sections that queries do not use. It compares their checksums, unless the level is [CheckNone]. Unless
// the level is CheckNone or [CheckSums], it validates the tree as [Tree.Validate] does, which takes longer than the
// copy. It takes time and memory proportional to the tree.
func (s *Snapshot) Load() (*Tree, error) {
	f, t := s.opened(), new(Tree)
	if err := f.Load(&t.octree); err != nil {
		return nil, err
	}
	t.deferred.synced.Store(true)
	return t, nil
}

// Close invalidates the snapshot and its views, which panic from now on, and unmaps the file. The
// snapshot must not be used, nor its views be queried, meanwhile. A second call does nothing. It panics if the snapshot
// is a shard of a directory ([DirectoryVersion.Parts]), which closes it.
func (s *Snapshot) Close() error {
	if s.opened().Owned {
		panic("linear: Close of a snapshot that is a shard of a directory: the directory closes it")
	}
	return s.file.Close()
}
