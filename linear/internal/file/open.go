package file

import (
	"errors"
	"fmt"

	"github.com/zoctree/zoctree/internal/enum"
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
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

// Tree is a tree in a group of sections of a file.
type Tree struct {
	File  *snap.File
	group uint32
	Level Level
	tree  *octree.Tree // immutable tree with the columns of the file
	Lists Lists
	all   bool // the cold sections have been read
}

// NotSound returns the error of a corrupt file.
func NotSound(format string, args ...any) error {
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

// CheckKind checks the kind of a file, and its checksums if the level requires it.
func CheckKind(f *snap.File, kind uint32, level Level) error {
	if level > CheckNone {
		return fmt.Errorf("a check of level %d, want at most %d", level, CheckNone)
	}
	if f.Kind != kind {
		return fmt.Errorf("%w: a file of %s, not of %s", snap.ErrVersion, nameOf(f.Kind), nameOf(kind))
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

// OpenTree makes t the tree in a group of sections.
func OpenTree(f *snap.File, group uint32, level Level, t *octree.Tree) (*Tree, error) {
	t.Store = octree.NewStore()
	s := &Tree{File: f, group: group, Level: level, tree: t}
	return s, s.open()
}

func (s *Tree) open() error {
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
	t := s.tree
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
		return s.Whole()
	}
	return nil
}

// TreeNames holds the names of all sections of a tree.
var TreeNames = NamesOf(new(Lists).Sections(octree.NewStore()))

// NamesOf returns the set of the names of sections.
func NamesOf(list []Section) map[string]bool {
	names := make(map[string]bool, len(list))
	for i := range list {
		names[list[i].Name] = true
	}
	return names
}

// CheckNames returns an error when a file has sections of a later version that a reader must understand:
// with an unknown name or group.
func CheckNames(f *snap.File, most uint32, names map[string]bool) error {
	for i := range f.Sections() {
		c, _, _ := f.Section(i)
		if c.Group != GroupUser && c.Flags&snap.ToRead != 0 && (c.Group > most || !names[c.Name]) {
			return fmt.Errorf("%w: it cannot be read without section %q of group %d", snap.ErrVersion, c.Name, c.Group)
		}
	}
	return nil
}

// gatherBounds sets the hot columns of the tree, or the cold ones, to those of the file.
func (s *Tree) gatherBounds(hot bool) error {
	for _, c := range s.Lists.Sections(s.tree.Store) {
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

// lengths checks that the columns of one kind that have been read have the same length.
func (s *Tree) lengths() error {
	c := s.tree.Store
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
	if l := &s.Lists; s.all && len(l.Gen) != len(l.Where) {
		return NotSound("%d locations and %d generations", len(l.Where), len(l.Gen))
	}
	return nil
}
