package file

import (
	"errors"
	"fmt"
	"sync"
	"syscall"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// Level selects how much of a file is verified when it is opened: linear.CheckLevel documents the levels.
type Level uint8

// The check levels.
const (
	CheckSafe Level = iota
	CheckFull
	CheckSums
	CheckNone
)

// String returns "safe", "full", "sums" or "none".
func (c Level) String() string { return enum.Name(uint8(c), "safe", "full", "sums", "none") }

// ErrClosed is returned for a file that has been closed.
var ErrClosed = errors.New("linear: it has been closed")

// Closed is the change number of a file that has been closed.
const Closed = ^uint64(0)

// OpenMapped is [snap.OpenMapped], with a hint for a folder.
func OpenMapped(path string) (*snap.File, error) {
	f, err := snap.OpenMapped(path)
	if errors.Is(err, syscall.EISDIR) {
		err = fault.Errorf("%w; OpenDirectory opens a folder of shards", err)
	}
	return f, err
}

// failed closes a file that cannot be opened, and returns the error for it.
func failed(f *snap.File, err error) error {
	err = fault.Errorf("linear: %w", err)
	if f != nil && f.Path != "" {
		_ = f.Close()
		err = fault.Errorf("linear: %s: %w", f.Path, err)
	}
	return err
}

// Snapshot is an immutable tree in a group of sections of a file.
type Snapshot struct {
	Face  any  // the snapshot of the program
	Owned bool // by a directory, which closes it
	File  *snap.File
	group uint32
	Level Level
	Tree  octree.Tree // with the columns of the file
	view  soa.Store   // the hot columns, for views; without a log
	Part  instance.Part
	Lists Lists
	Lock  sync.Mutex // guards the cold sections, which are read later
	all   bool       // the cold sections have been read
}

// NotSound returns the error of a corrupt file.
func NotSound(format string, args ...any) error {
	return fault.Errorf("%w: %w", snap.ErrFormat, fault.Errorf(format, args...))
}

// wrongKind is the error of a file of a kind that the function does not open.
type wrongKind struct{ kind uint32 }

func (e wrongKind) Error() string {
	switch e.kind {
	case snap.KindTree:
		return "the snapshot holds a tree, not a scene: use OpenMapped, Open, Read or FromBytes"
	case snap.KindScene:
		return "the snapshot holds a scene, not a tree: use OpenSceneMapped, OpenScene, ReadScene or SceneFromBytes"
	case snap.KindManifest:
		return "the file is the manifest of a directory: use OpenDirectory for its folder"
	}
	return fmt.Sprintf("%v: a file of kind %d", snap.ErrVersion, e.kind)
}

func (wrongKind) Unwrap() error { return snap.ErrVersion }

// checkKind checks the kind of a file, and its checksums if the level requires it.
func checkKind(f *snap.File, kind uint32, level Level) error {
	if level > CheckNone {
		return fmt.Errorf("a check of level %d, want at most %d", level, CheckNone)
	}
	if f.Kind != kind {
		return wrongKind{f.Kind}
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

// Open makes s, which is zero apart from its face, the snapshot of a tree in a file, unless there is an error.
func (s *Snapshot) Open(f *snap.File, err error, level Level) error {
	if err == nil {
		err = checkKind(f, snap.KindTree, level)
	}
	if err == nil {
		err = checkNames(f, groupTree, treeNames)
	}
	if err == nil {
		err = s.openPart(f, groupTree, level)
	}
	if err != nil {
		return failed(f, err)
	}
	return nil
}

// openPart opens the tree in a group of sections.
func (s *Snapshot) openPart(f *snap.File, group uint32, level Level) error {
	s.Tree.Store = octree.NewStore()
	s.File, s.group, s.Level = f, group, level
	s.Part.SetFixed(&s.Tree, s)
	err := s.open()
	s.view = *s.Tree.Store
	s.view.Log, s.view.Version = nil, 0
	return err
}

func (s *Snapshot) open() error {
	if err := s.gatherBounds(true); err != nil {
		return err
	}
	if s.Level <= CheckFull {
		for _, name := range [...]string{"State", "StateNames", VersionSection} { // before their numbers are used
			if err := s.File.Check(s.File.Find(s.group, name)); err != nil {
				return err
			}
		}
	}
	t := &s.Tree
	if n := len(s.Lists.version); n != 1 {
		return NotSound("%d numbers of changes", n)
	}
	t.Store.Version = s.Lists.version[0]
	switch err := new(Numbers).load(t, s.Lists.State, s.Lists.Names); {
	case errors.Is(err, snap.ErrVersion):
		return err
	case err != nil:
		return NotSound("State: %v", err)
	}
	t.IDs.Where = s.Lists.Where
	t.Index.IDs = &t.IDs
	if err := s.lengths(); err != nil {
		return err
	}
	if s.Level <= CheckFull {
		if err := s.safe(); err != nil {
			return err
		}
	}
	if s.Level == CheckFull {
		return s.whole()
	}
	return nil
}

// treeNames holds the names of all sections of a tree.
var treeNames = namesOf(new(Lists).Sections(octree.NewStore()))

// namesOf returns the set of the names of sections.
func namesOf(list []Section) map[string]bool {
	names := make(map[string]bool, len(list))
	for i := range list {
		names[list[i].Name] = true
	}
	return names
}

// checkNames returns an error when a file has sections of a later version that a reader must understand:
// with an unknown name or group.
func checkNames(f *snap.File, most uint32, names map[string]bool) error {
	for i := range f.Sections() {
		c, _, _ := f.Section(i)
		if c.Group != GroupUser && c.Flags&snap.ToRead != 0 && (c.Group > most || !names[c.Name]) {
			return fmt.Errorf("%w: it cannot be read without section %q of group %d", snap.ErrVersion, c.Name, c.Group)
		}
	}
	return nil
}

// gatherBounds sets the hot columns of the tree, or the cold ones, to those of the file.
func (s *Snapshot) gatherBounds(hot bool) error {
	for _, c := range s.Lists.Sections(s.Tree.Store) {
		if c.Hot != hot {
			continue
		}
		if err := c.Adopt(s.File, s.group); err != nil {
			return err
		}
	}
	return nil
}

// Adopt sets the column to the rows of a file.
func (s *Section) Adopt(f *snap.File, group uint32) error {
	i := f.Find(group, s.Name)
	if i < 0 {
		return NotSound("it has no section %q of group %d", s.Name, group)
	}
	if have, _, _ := f.Section(i); have.Row != s.Col.RowSize() || have.Layout != s.layout() {
		return NotSound("section %q of group %d has rows of %d bytes in words of %d, not %d in %d", s.Name, group, have.Row, have.Layout, s.Col.RowSize(), s.layout())
	}
	rows, err := f.Rows(i, s.Words())
	if err == nil {
		s.Col.Adopt(rows)
	}
	return err
}

// CheckedRows returns the rows of a section, after its checksums have been compared if the level requires it.
func CheckedRows(f *snap.File, section int, words []uint8, level Level) ([]byte, error) {
	if level != CheckNone {
		if err := f.Check(section); err != nil {
			return nil, err
		}
	}
	return f.Rows(section, words)
}

// lengths checks that the columns of one kind that have been read have the same length.
func (s *Snapshot) lengths() error {
	c := s.Tree.Store
	nodes, packets := len(c.Nodes.Hot), len(c.Packets.Counts)
	if nodes > soa.MaxNodes || packets > soa.MaxSlots {
		return NotSound("%d nodes and %d packets, at most %d and %d are possible", nodes, packets, soa.MaxNodes, soa.MaxSlots)
	}
	for _, col := range c.Packets.Columns(c.Nodes.Columns(nil)) {
		want := packets
		if col.Kind == soa.HotNodes || col.Kind == soa.ColdNodes {
			want = nodes
		}
		if n := col.Len(); n != want && !(col.Optional && n == 0) && (s.all || !coldColumns[col.Name]) {
			return NotSound("column %s has %d rows, there are %d nodes and %d packets", col.Name, n, nodes, packets)
		}
	}
	if l := &s.Lists; s.all && len(l.Gen) > 0 && len(l.Gen) != len(l.Where) {
		return NotSound("%d locations and %d generations", len(l.Where), len(l.Gen))
	}
	return nil
}

// View returns the content of the snapshot. It panics when the snapshot has been closed.
func (s *Snapshot) View() instance.View {
	if s.IsClosed() {
		panic("linear: View of a snapshot that has been closed")
	}
	return instance.View{Store: &s.view, Validity: &s.view.Version, Index: &s.Tree.Index}
}

// Synced returns true.
func (s *Snapshot) Synced() bool { return true }

// Tick does nothing: a snapshot never changes.
func (s *Snapshot) Tick() error { return nil }

// IsClosed reports whether the snapshot has been closed.
func (s *Snapshot) IsClosed() bool { return s.view.Version == Closed }

// load reads the whole tree.
func (s *Snapshot) load() error {
	if s.IsClosed() {
		return ErrClosed
	}
	s.Lock.Lock()
	defer s.Lock.Unlock()
	return s.whole()
}

// Load makes t, a zero tree, a mutable copy of the tree that was saved.
func (s *Snapshot) Load(t *octree.Tree) error {
	switch err := s.load(); err {
	case nil:
		s.Tree.CopyTo(t)
		t.ClearLinks()
		return nil
	case ErrClosed:
		return err
	default:
		return fault.Errorf("linear: %w", err)
	}
}

// Image returns the saved form of the tree.
func (s *Snapshot) Image() (Image, error) {
	if err := s.load(); err != nil {
		return Image{}, err
	}
	return ImageOf(&s.Tree), nil
}

// hot returns the sections that queries read.
func (s *Snapshot) hot() Image { return Image{Store: s.Tree.Store, Lists: &s.Lists} }

// Close invalidates the views, and unmaps the file. A second call does nothing.
func (s *Snapshot) Close() error {
	if s.IsClosed() {
		return nil
	}
	// Late users find no rows rather than unmapped memory.
	s.view = soa.Store{Version: Closed}
	*s.Tree.Store = soa.Store{Count: s.Tree.Store.Count}
	s.Tree.IDs.Where, s.Lists = nil, Lists{}
	s.Tree.IDs.SetGenerations(nil)
	if s.group != groupTree {
		return nil // the mapping belongs to a scene
	}
	return s.File.Close()
}

// IsMapped reports whether the snapshot has the mapping of its file.
func (s *Snapshot) IsMapped() bool { return s.group == groupTree && s.File.End != nil }
