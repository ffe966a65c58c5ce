package file

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/instance"
	"github.com/zoctree/zoctree/soa"
)

// A file of a scene holds all parts below it, trees and scenes, each once: depth first, in the
// order of entries, including the entries of a scene's own trees. A scene therefore follows all of
// its parts, and the outermost scene is last.
//
//	group 0      Parts    uint32        of each part, in order: its kind
//	group k+1    of part k: of a tree, or a snapshot, the sections of a tree; of a scene
//	  Ticks      uint64
//	  Entries    10 x uint32   see packedEntry
//	  FreeEntries  uint32      entries without a part, the next one to be used last
//	  InstanceEntries  uint32  by instance ID: its entry, or None
//	  Transforms 12 x float64  by instance ID: its rows
//	  Reaches    float64       by instance ID: radius of its ball with Turns, or -1
//	  Due        uint64        entries with work for the next tick, as bits
//
// The rest is derived: the instances of an entry, the depth of scenes, and the holders of parts.

// The kinds of parts.
const (
	partTree = 1 + iota
	partScene
	partSnapshot
)

// sceneLists holds the state of a scene beside its trees, in the form in which it is saved.
type sceneLists struct {
	ticks      []uint64
	entries    []packedEntry
	unused     []uint32
	in         []uint32
	transforms []float64
	reaches    []float64
	due        []uint64
}

// packedEntry is an entry of a scene: the number of its part, or None; the tick count of the part
// at the scene's last tick; and the size from which the boxes of its instances are computed.
//
//	part | ticked | bounds 6 | radius, the lower half first, 2
type packedEntry [10]uint32

func (l *sceneLists) sections() (list []Section) {
	hot := func(name string, col Column) { list = append(list, Section{Name: name, Hot: true, Col: col}) }
	hot("Ticks", ListOf(&l.ticks))
	hot("Entries", ListOf(&l.entries))
	hot("FreeEntries", ListOf(&l.unused))
	hot("InstanceEntries", ListOf(&l.in))
	hot("Transforms", ListOf(&l.transforms))
	hot("Reaches", ListOf(&l.reaches))
	hot("Due", ListOf(&l.due))
	return list
}

// own replaces the lists that belong to a scene by copies.
func (l *sceneLists) own() {
	l.unused, l.in, l.due = slices.Clone(l.unused), slices.Clone(l.in), slices.Clone(l.due)
}

// listsOf returns the lists of a scene, given the numbers of its parts.
func listsOf(s *instance.Scene, number map[*instance.Part]uint32) *sceneLists {
	l := &sceneLists{ticks: []uint64{uint64(s.Ticks)}, unused: s.Free, in: s.In, due: trimmed(&s.Due)}
	for i := range s.Entries {
		e := &s.Entries[i]
		p := packedEntry{soa.None}
		if e.Part != nil {
			p = packEntry(number[e.Part], e.Ticked, &e.Bounds)
		}
		l.entries = append(l.entries, p)
	}
	for id := range s.In {
		var rows [12]float64
		s.Transforms[id].ReadRows(&rows)
		l.transforms = append(l.transforms, rows[:]...)
		l.reaches = append(l.reaches, s.Rows[id].Reach)
	}
	return l
}

func packEntry(part, ticked uint32, to *instance.Bounds) (p packedEntry) {
	p[0], p[1] = part, ticked
	for a := range 3 {
		p[2+a], p[5+a] = math.Float32bits(to.Box.Min[a]), math.Float32bits(to.Box.Max[a])
	}
	radius := math.Float64bits(to.Radius)
	p[8], p[9] = uint32(radius), uint32(radius>>32)
	return p
}

func (p *packedEntry) unpack() (part, ticked uint32, to instance.Bounds) {
	for a := range 3 {
		to.Box.Min[a], to.Box.Max[a] = math.Float32frombits(p[2+a]), math.Float32frombits(p[5+a])
	}
	to.Radius = math.Float64frombits(uint64(p[8]) | uint64(p[9])<<32)
	return p[0], p[1], to
}

// partsSection returns the section of the kinds of parts.
func partsSection(kinds *[]uint32) Section {
	return Section{Name: "Parts", Hot: true, Col: ListOf(kinds)}
}

// ScenePart is the saved form of a part of a scene.
type ScenePart struct {
	Part   *instance.Part
	Source Source // of a snapshot, or of a tree of which there is a checkpoint
	lists  *sceneLists
}

// Source returns the saved form of a tree or of a snapshot.
type Source interface{ Image() (Image, error) }

// image returns the saved form of a tree or a snapshot. A tree without a source is saved in its present state.
func (p *ScenePart) image() (Image, error) {
	if p.Source != nil {
		return p.Source.Image()
	}
	p.Part.Source.View() // applies deferred changes
	return ImageOf(p.Part.Tree), nil
}

// kind returns the kind of the part.
func (p *ScenePart) kind() uint32 {
	switch {
	case p.lists != nil:
		return partScene
	case p.Part.Fixed:
		return partSnapshot
	}
	return partTree
}

// Own copies what changes of the scene would overwrite, apart from trees.
func (p *ScenePart) Own() {
	if p.lists != nil {
		p.lists.own()
	}
}

// IsTree reports whether the part is a tree.
func (p *ScenePart) IsTree() bool { return p.kind() == partTree }

// PartsOf lists the scene and the parts below it, as they are saved. The source of a part that is a snapshot is its
// source in the scene.
func PartsOf(s *instance.Scene) []ScenePart {
	s.Part.Sync()
	parts := instance.PartsWithin(&s.Part)
	number := make(map[*instance.Part]uint32, len(parts))
	list := make([]ScenePart, len(parts))
	for k, u := range parts {
		number[u] = uint32(k)
		list[k].Part = u
		switch {
		case u.Scene != nil: // after its parts
			list[k].lists = listsOf(u.Scene, number)
		case u.Fixed:
			list[k].Source = u.Source.(Source)
		}
	}
	return list
}

// sectionsOf lists the sections of all parts.
func sectionsOf(parts []ScenePart) ([]snap.Section, error) {
	kinds := make([]uint32, len(parts))
	for k := range parts {
		kinds[k] = parts[k].kind()
	}
	first := partsSection(&kinds)
	list := []snap.Section{first.asSection(groupTree)}
	for k := range parts {
		part, err := parts[k].sections()
		if err != nil {
			return nil, fault.Errorf("linear: part %d of a scene, a snapshot: %w", k, err)
		}
		list = inGroup(list, part, uint32(k)+1)
	}
	return list, nil
}

// sections lists the sections of the part.
func (p *ScenePart) sections() ([]Section, error) {
	if p.lists != nil {
		return p.lists.sections(), nil
	}
	i, err := p.image()
	if err != nil {
		return nil, err
	}
	return i.Sections(), nil
}

// WriteScene writes a snapshot of a scene.
func WriteScene(ctx context.Context, w io.Writer, parts []ScenePart, opt SaveParams) (n int64, err error) {
	list, err := sectionsOf(parts)
	if err != nil {
		return 0, err
	}
	return writeSections(ctx, w, snap.KindScene, list, opt)
}

// DigestScene returns a hash of all state that decides the results and changes of parts.
func DigestScene(parts []ScenePart) (digest uint64) {
	for k := range parts {
		switch p := &parts[k]; p.kind() {
		case partScene:
			for _, c := range p.lists.sections() {
				digest = snap.Digest(digest, c.Col.Bytes(), c.Words())
			}
		case partSnapshot:
			p.Part.Source.View() // panics if the snapshot is closed
			i := p.Source.(*Snapshot).hot()
			for _, c := range i.Sections() {
				if c.Hot && c.Name != "State" && c.Name != "StateNames" && c.Name != VersionSection {
					digest = snap.Digest(digest, c.Col.Bytes(), c.Words())
				}
			}
		default:
			i, _ := p.image() // only snapshots return an error
			digest = snap.Digest(digest, nil, []uint8{1}) + i.Digest()
		}
	}
	return digest
}
