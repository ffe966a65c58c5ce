package linear

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/soa"
)

// checkLevel selects how much of a file is verified when it is opened: [CheckLevel] documents the levels.
type checkLevel uint8

// The check levels.
const (
	checkSafe checkLevel = iota
	checkFull
	checkSums
	checkNone
)

// String returns "safe", "full", "sums" or "none".
func (c checkLevel) String() string { return enum.Name(uint8(c), "safe", "full", "sums", "none") }

// treeFile is a tree in a group of sections of a file.
type treeFile struct {
	file  *snap.File
	group uint32
	level checkLevel
	tree  *octree.Tree // immutable tree with the columns of the file
	lists lists
	all   bool // the cold sections have been read
}

func notSound(format string, args ...any) error {
	return fault.Errorf("%w: %w", snap.ErrFormat, fault.Errorf(format, args...))
}

// nameOf returns a description of a kind of file.
func nameOf(kind uint32) string {
	switch kind {
	case snap.KindTree:
		return "a tree"
	case snap.KindScene:
		return "a scene"
	}
	return fmt.Sprint("kind ", kind)
}

// checkKind checks the kind of a file, and its checksums if the level requires it.
func checkKind(f *snap.File, kind uint32, level checkLevel) error {
	if level > checkNone {
		return fmt.Errorf("a check of level %d, want at most %d", level, checkNone)
	}
	if f.Kind != kind {
		return fmt.Errorf("%w: a file of %s, not of %s", snap.ErrVersion, nameOf(f.Kind), nameOf(kind))
	}
	if level == checkSums || level == checkFull {
		for i := range f.Sections() {
			if err := f.Check(i); err != nil {
				return err
			}
		}
	}
	return nil
}

// openTree makes t the tree in a group of sections.
func openTree(f *snap.File, group uint32, level checkLevel, t *octree.Tree) (*treeFile, error) {
	t.Store = octree.NewStore()
	s := &treeFile{file: f, group: group, level: level, tree: t}
	return s, s.open()
}

func (s *treeFile) open() error {
	if err := s.gatherBounds(true); err != nil {
		return err
	}
	if s.level <= checkFull {
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
	t.Store.Version = s.lists.version[0]
	switch err := new(numbers).load(t, s.lists.state, s.lists.names); {
	case errors.Is(err, snap.ErrVersion):
		return err
	case err != nil:
		return notSound("State: %v", err)
	}
	t.IDs.Where = s.lists.where
	t.Index.IDs = &t.IDs
	if err := s.lengths(); err != nil {
		return err
	}
	if s.level <= checkFull {
		if err := s.safe(); err != nil {
			return err
		}
	}
	if s.level == checkFull {
		return s.whole()
	}
	return nil
}

// treeNames holds the names of all sections of a tree.
var treeNames = namesOf(new(lists).sections(octree.NewStore()))

func namesOf(list []section) map[string]bool {
	names := make(map[string]bool, len(list))
	for i := range list {
		names[list[i].name] = true
	}
	return names
}

// known returns an error when a file has sections of a later version that a reader must understand:
// with an unknown name or group.
func known(f *snap.File, most uint32, names map[string]bool) error {
	for i := range f.Sections() {
		c, _, _ := f.Section(i)
		if c.Group != groupUser && c.Flags&snap.ToRead != 0 && (c.Group > most || !names[c.Name]) {
			return fmt.Errorf("%w: it cannot be read without section %q of group %d", snap.ErrVersion, c.Name, c.Group)
		}
	}
	return nil
}

// gatherBounds sets the hot columns of the tree, or the cold ones, to those of the file.
func (s *treeFile) gatherBounds(hot bool) error {
	for _, c := range s.lists.sections(s.tree.Store) {
		if c.hot != hot {
			continue
		}
		if err := c.adopt(s.file, s.group); err != nil {
			return err
		}
	}
	return nil
}

// adopt sets the column to the rows of a file.
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

// lengths checks that the columns of one kind that have been read have the same length.
func (s *treeFile) lengths() error {
	c := s.tree.Store
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
		return notSound("%d locations and %d generations", len(l.where), len(l.gen))
	}
	return nil
}
