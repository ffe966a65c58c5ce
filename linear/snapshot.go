package linear

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// Errors that those of snapshots wrap.
var (
	// ErrSnapshot says that bytes are no snapshot of a tree, or a damaged one; the text
	// around it says where.
	ErrSnapshot = snap.ErrFormat

	// ErrSnapshotVersion says that a snapshot was written by a version of the library that
	// this one cannot read.
	ErrSnapshotVersion = snap.ErrVersion

	// ErrClosed is returned for a snapshot or a directory that has been closed.
	ErrClosed = errors.New("linear: it has been closed")
)

func notSound(format string, args ...any) error {
	return fault.Errorf("%w: %w", ErrSnapshot, fault.Errorf(format, args...))
}

// CheckLevel says what of a snapshot is looked at before it is trusted.
type CheckLevel uint8

// The levels. With n bytes that queries read, they take time proportional to
const (
	// CheckSafe compares the sums of what queries read, and looks at its structure:
	// whatever the bytes are, it is an error, or a snapshot on which no query panics,
	// faults, hangs or finds more objects than there are. [Snapshot.Load] looks at the
	// rest. n.
	CheckSafe CheckLevel = iota
	// CheckFull checks all that [Tree.Validate] does besides: the answers are right, too.
	// Boxes and masks of nodes are exact unions, as in the tree that was saved, but above
	// packets and nodes that the file lists as waiting for a refit. These may be larger
	// until the next [Tree.Refit] or [Tree.Tick], which costs queries time and changes no
	// answer. Several times n.
	CheckFull
	// CheckSums compares the sums of all sections: for files of one's own, which may have
	// decayed. All bytes.
	CheckSums
	// CheckNone looks at the head alone: for files of one's own, on a file system that keeps
	// sums. Constant time.
	CheckNone
)

// String returns "safe", "full", "sums" or "none".
func (c CheckLevel) String() string { return name(uint8(c), "safe", "full", "sums", "none") }

// MarshalText returns what String does. A value that is none of the constants is an error.
func (c CheckLevel) MarshalText() ([]byte, error) { return enum.Marshal("linear", c) }

// UnmarshalText reads what MarshalText writes. Another text is an error, and the value is as before.
func (c *CheckLevel) UnmarshalText(text []byte) error { return enum.Unmarshal("linear", c, text) }

// Snapshot is a tree as a file has it, for reading: what [Tree.Save] or [Tree.WriteTo] has
// written. [OpenMapped], [Open], [Read] and [FromBytes] open one.
//
// Queries run on its [Snapshot.View] as on that of a tree, with the same answers in the same
// order. The columns are the memory of the file: a mapped one is read by the system as
// queries come to it. That memory is not to be written, and the file is not to be changed or
// cut as long as it is open: a page that is not there any more ends the program with a
// fault, which no check can prevent. A file that somebody else can write to is for [Open],
// which reads it. A file that Save replaces meanwhile is another file: the one that is
// mapped stays until it is closed.
//
// It is a [Part], too: a [Scene] holds it in places, in which it never changes.
//
// Any number of goroutines may use a snapshot at a time, also as a part of scenes that are
// changed by different ones, but for Close, which excludes all others. Methods of the zero value
// panic.
type Snapshot struct {
	file  *snap.File
	group uint32       // of the sections of the tree
	done  func() error // ends the mapping; nil: there is none, or it is that of a scene
	level CheckLevel

	lock  sync.Mutex // of what is brought later
	tree  *Tree      // with the columns of the file, which nobody changes
	lists lists
	all   bool // the cold sections are there

	view soa.Store // the hot columns, for views; without a log
	uses uses      // of the snapshot as a part of scenes
}

// closedVersion is that of the views of a snapshot that has been closed.
const closedVersion = ^uint64(0)

// Open opens the snapshot in a file of size bytes. It reads what queries read into memory;
// what else there is, when [Snapshot.Load] or [LoadColumn] asks for it, so the reader is to
// stay until Close, which does not close it. It allocates no more than size bytes.
func Open(r io.ReaderAt, size int64, level CheckLevel) (*Snapshot, error) {
	f, err := snap.Open(r, size)
	return open(f, err, level)
}

// Read reads a snapshot from a stream, and not a byte behind it. It allocates no more than
// three times what comes.
func Read(r io.Reader, level CheckLevel) (*Snapshot, error) {
	f, err := snap.Read(r)
	return open(f, err, level)
}

// FromBytes opens the snapshot that b is, such as an embedded file. The bytes are not to be
// written as long as it is open. Where they are aligned as their numbers are, and the machine
// is little-endian, nothing is copied; else each section is, when it is asked for.
func FromBytes(b []byte, level CheckLevel) (*Snapshot, error) {
	f, err := snap.FromBytes(b)
	return open(f, err, level)
}

// OpenMapped maps the snapshot in a file. At [CheckNone] that takes microseconds however
// large it is; queries then read the pages that they come to. See [Snapshot] for what is
// not to be done with the file meanwhile. On systems without maps it reads the file. A path that
// leads to no regular file, such as a folder or a named pipe, is an error, and is not opened.
func OpenMapped(path string, level CheckLevel) (s *Snapshot, err error) {
	err = withMap(path, func(b []byte, end func() error) error {
		if s, err = FromBytes(b, level); err == nil {
			s.done = end
		}
		return err
	})
	return s, err
}

// withMap maps a file for open, and ends that if it returns an error.
func withMap(path string, open func(b []byte, end func() error) error) error {
	b, end, err := mapFile(path)
	if errors.Is(err, syscall.EISDIR) {
		return fault.Errorf("linear: %w; OpenDirectory opens a folder of shards", err)
	}
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	if err := open(b, end); err != nil {
		if end != nil {
			_ = end()
		}
		return fault.Errorf("linear: %s: %w", path, err)
	}
	return nil
}

// open makes a snapshot of a file.
func open(f *snap.File, err error, level CheckLevel) (*Snapshot, error) {
	if err == nil {
		err = decent(f, snap.KindTree, level)
	}
	if err == nil {
		err = known(f, groupTree, treeNames)
	}
	var s *Snapshot
	if err == nil {
		s, err = openTree(f, groupTree, level)
	}
	if err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	return s, nil
}

// nameOf returns what is in a file of a kind.
func nameOf(kind uint32) string {
	switch kind {
	case snap.KindTree:
		return "a tree"
	case snap.KindScene:
		return "a scene"
	}
	return fmt.Sprint("kind ", kind)
}

// decent checks the kind of a file, and its sums if the level says so.
func decent(f *snap.File, kind uint32, level CheckLevel) error {
	if level > CheckNone {
		return fmt.Errorf("a check of level %d, want at most %d", level, CheckNone)
	}
	if f.Kind != kind {
		return fmt.Errorf("%w: a file of %s, not of %s", ErrSnapshotVersion, nameOf(f.Kind), nameOf(kind))
	}
	if level == CheckSums || level == CheckFull {
		for i := range f.Sections() {
			if err := f.Check(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// openTree opens the tree in a group of sections.
func openTree(f *snap.File, group uint32, level CheckLevel) (*Snapshot, error) {
	s := &Snapshot{file: f, group: group, level: level, tree: &Tree{store: newStore()}}
	s.tree.waits.calm.Store(true)
	s.uses.snap = s
	s.uses.stale.Store(true)
	return s, s.open()
}

func (s *Snapshot) open() error {
	if err := s.bring(true); err != nil {
		return err
	}
	if s.level <= CheckFull {
		for _, name := range [...]string{"State", "StateNames", versionSection} { // before their numbers are used
			if err := s.file.Check(s.file.Find(s.group, name)); err != nil {
				return err
			}
		}
	}
	t := s.tree
	if n := len(s.lists.version); n != 1 {
		return notSound("%d numbers of changes", n)
	}
	t.store.Version = s.lists.version[0]
	switch err := new(numbers).load(t, s.lists.state, s.lists.names); {
	case errors.Is(err, ErrSnapshotVersion):
		return err
	case err != nil:
		return notSound("State: %v", err)
	}
	t.ids.Where = s.lists.where
	t.index.ids = &t.ids
	if err := s.lengths(); err != nil {
		return err
	}
	if s.level <= CheckFull {
		if err := s.safe(); err != nil {
			return err
		}
	}
	s.view = *t.store
	s.view.Log, s.view.Version = nil, 0
	if s.level == CheckFull {
		return s.whole()
	}
	return nil
}

// opened panics if the snapshot is the zero one.
func (s *Snapshot) opened() {
	if s.tree == nil {
		zeroUsed("Snapshot", "open one with OpenMapped, Open, Read or FromBytes")
	}
}

// closed reports whether it has been closed.
func (s *Snapshot) closed() bool { return s.view.Version == closedVersion }

// treeNames are those of all sections of a tree.
var treeNames = namesOf(new(lists).sections(newStore()))

func namesOf(list []section) map[string]bool {
	names := make(map[string]bool, len(list))
	for i := range list {
		names[list[i].name] = true
	}
	return names
}

// known returns an error when a file has sections of a later version without which it cannot
// be read: of a name or in a group that there is not.
func known(f *snap.File, most uint32, names map[string]bool) error {
	for i := range f.Sections() {
		c, _, _ := f.Section(i)
		if c.Group != groupUser && c.Flags&snap.ToRead != 0 && (c.Group > most || !names[c.Name]) {
			return fmt.Errorf("%w: it cannot be read without section %q of group %d", ErrSnapshotVersion, c.Name, c.Group)
		}
	}
	return nil
}

// bring gives the tree the columns that are hot, or those that are not.
func (s *Snapshot) bring(hot bool) error {
	for _, c := range s.lists.sections(s.tree.store) {
		if c.hot != hot {
			continue
		}
		if err := c.adopt(s.file, s.group); err != nil {
			return err
		}
	}
	return nil
}

// adopt makes the column that of a file.
func (s *section) adopt(f *snap.File, group uint32) error {
	i := f.Find(group, s.name)
	if i < 0 {
		return notSound("it has no section %q of group %d", s.name, group)
	}
	if have, _, _ := f.Section(i); have.Row != s.col.RowSize() || have.Layout != s.layout() {
		return notSound("section %q of group %d has rows of %d bytes in words of %d, not %d in %d", s.name, group, have.Row, have.Layout, s.col.RowSize(), s.layout())
	}
	rows, err := f.Rows(i, s.words())
	if err == nil {
		s.col.Adopt(rows)
	}
	return err
}

// lengths checks that columns of a kind, of those that are there, have the same length.
func (s *Snapshot) lengths() error {
	c := s.tree.store
	nodes, packets := len(c.Nodes.Hot), len(c.Packets.Counts)
	if nodes > soa.MaxNodes || packets > soa.MaxSlots {
		return notSound("%d nodes and %d packets, at most %d and %d are possible", nodes, packets, soa.MaxNodes, soa.MaxSlots)
	}
	for _, col := range c.Packets.Columns(c.Nodes.Columns(nil)) {
		want := packets
		if col.Kind == soa.HotNodes || col.Kind == soa.ColdNodes {
			want = nodes
		}
		if n := col.Len(); n != want && !(col.Optional && n == 0) && (s.all || !coldColumns[col.Name]) {
			return notSound("column %s has %d rows, there are %d nodes and %d packets", col.Name, n, nodes, packets)
		}
	}
	if l := &s.lists; s.all && len(l.gen) != len(l.where) {
		return notSound("%d places and %d generations", len(l.where), len(l.gen))
	}
	return nil
}

// View returns a look at the tree that was saved, which every query takes. It is valid
// until Close; using it later panics, and so does View of a snapshot that has been closed.
// It costs nothing. The log of changes is not in it: [View.Changes] is not ok.
func (s *Snapshot) View() View {
	s.opened()
	if s.closed() {
		panic("linear: View of a snapshot that has been closed")
	}
	return View{&s.view, &s.view.Version, 0, &s.tree.index}
}

// Len returns the number of objects.
func (s *Snapshot) Len() int {
	s.opened()
	return s.tree.store.Count
}

// World returns the cube that keys resolve: what gives [View.CellOf] its keys.
func (s *Snapshot) World() morton.World {
	s.opened()
	return s.tree.world
}

// Config returns the configuration of the tree, as [Tree.Config] does. Workers is that of
// a tree made here.
func (s *Snapshot) Config() Config {
	s.opened()
	return s.tree.cfg
}

// Stats counts the tree as [Tree.Stats] does. It takes time proportional to the number of
// packets. Sections that have not been read yet count as empty.
func (s *Snapshot) Stats() Stats {
	s.opened()
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.tree.Stats()
}

// SnapshotInfo describes a file.
type SnapshotInfo struct {
	Bytes    int64
	Minor    int // of the version of the format
	Level    CheckLevel
	Mapped   bool
	Sections []SectionInfo // in the order of the file
}

// SectionInfo describes a section of a file.
type SectionInfo struct {
	Name          string
	User          bool // it is one of the program's own
	Group         int  // in a file of a scene, the number of the part that it is of, from 1; else 0
	Row           int  // bytes of a row
	Offset, Bytes int64
}

// Info describes the file. It takes time proportional to the number of sections.
func (s *Snapshot) Info() SnapshotInfo {
	s.opened()
	info := infoOf(s.file)
	info.Level, info.Mapped = s.level, s.done != nil
	return info
}

func infoOf(f *snap.File) SnapshotInfo {
	info := SnapshotInfo{Bytes: f.Bytes, Minor: int(f.Minor)}
	for i := range f.Sections() {
		c, bytes, offset := f.Section(i)
		user, group := c.Group == groupUser, int(c.Group)
		if user {
			group = 0
		}
		info.Sections = append(info.Sections, SectionInfo{c.Name, user, group, c.Row, offset, bytes})
	}
	return info
}

// Load returns a tree of its own, which answers and changes exactly as the one that was
// saved would have: with the same objects under the same IDs and handles in the same places,
// as [Tree.Clone] does. Its configuration is that of the saved tree, but for Workers, which
// are those of this machine.
//
// It reads the sections that queries do not. It compares their sums, unless the level is
// [CheckNone], and, unless it is that or [CheckSums], validates the tree as [Tree.Validate]
// does, which takes longer than the copy. It takes time and memory proportional to the tree.
func (s *Snapshot) Load() (*Tree, error) {
	s.opened()
	if s.closed() {
		return nil, ErrClosed
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.whole(); err != nil {
		return nil, fault.Errorf("linear: %w", err)
	}
	return s.tree.Clone(), nil
}

// Close ends the snapshot and its views, which panic from now on, and the mapping. Nobody
// may use it or query a view of it meanwhile. A second call does nothing.
func (s *Snapshot) Close() error {
	s.opened()
	if s.closed() {
		return nil
	}
	// Whoever still looks finds no rows, and no memory that is not there.
	s.view = soa.Store{Version: closedVersion}
	*s.tree.store = soa.Store{Count: s.tree.store.Count}
	s.tree.ids.Where, s.tree.ids.Gen, s.lists = nil, nil, lists{}
	if s.done == nil {
		return nil
	}
	done := s.done
	s.done = nil
	return done()
}
