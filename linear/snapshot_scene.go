package linear

import (
	"context"
	"io"
	"math"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
	"github.com/zoctree/zoctree/linear/internal/file"
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

func (l *sceneLists) sections() (list []file.Section) {
	hot := func(name string, col file.Column) { list = append(list, file.Section{Name: name, Hot: true, Col: col}) }
	hot("Ticks", file.ListOf(&l.ticks))
	hot("Entries", file.ListOf(&l.entries))
	hot("FreeEntries", file.ListOf(&l.unused))
	hot("InstanceEntries", file.ListOf(&l.in))
	hot("Transforms", file.ListOf(&l.transforms))
	hot("Reaches", file.ListOf(&l.reaches))
	hot("Due", file.ListOf(&l.due))
	return list
}

// listsOf returns the lists of a scene, given the numbers of its parts.
func (s *Scene) listsOf(number map[*partNode]uint32) *sceneLists {
	l := &sceneLists{ticks: []uint64{uint64(s.ticks)}, unused: s.free, in: s.in, due: file.Trimmed(&s.due)}
	for i := range s.entries {
		e := &s.entries[i]
		p := packedEntry{None}
		if e.partNode != nil {
			p = packEntry(number[e.partNode], e.ticked, &e.bounds)
		}
		l.entries = append(l.entries, p)
	}
	for id := range s.in {
		var rows [12]float64
		s.transforms[id].form().ReadRows(&rows)
		l.transforms = append(l.transforms, rows[:]...)
		l.reaches = append(l.reaches, s.rows[id].reach)
	}
	return l
}

func packEntry(part, ticked uint32, to *instanceBounds) (p packedEntry) {
	p[0], p[1] = part, ticked
	for a := range 3 {
		p[2+a], p[5+a] = math.Float32bits(to.bounds.Min[a]), math.Float32bits(to.bounds.Max[a])
	}
	radius := math.Float64bits(to.radius)
	p[8], p[9] = uint32(radius), uint32(radius>>32)
	return p
}

func (p *packedEntry) unpack() (part, ticked uint32, to instanceBounds) {
	for a := range 3 {
		to.bounds.Min[a], to.bounds.Max[a] = math.Float32frombits(p[2+a]), math.Float32frombits(p[5+a])
	}
	to.radius = math.Float64frombits(uint64(p[8]) | uint64(p[9])<<32)
	return p[0], p[1], to
}

// partsWithin lists a part after all parts below it, each once, including the own trees of scenes.
func partsWithin(top *partNode) []*partNode {
	seen := map[*partNode]bool{}
	var list []*partNode
	var visit func(u *partNode)
	visit = func(u *partNode) {
		if seen[u] {
			return
		}
		seen[u] = true
		if u.scene != nil {
			for i := range u.scene.entries {
				if e := &u.scene.entries[i]; e.partNode != nil {
					visit(e.partNode)
				}
			}
		}
		list = append(list, u)
	}
	visit(top)
	return list
}

// image returns the saved form of a part that is not a scene.
func (u *partNode) image() (file.Image, error) {
	if u.snap == nil {
		u.tree.sync()
		return file.ImageOf(&u.tree.octree), nil
	}
	s := u.snap
	if s.closed() {
		return file.Image{}, ErrClosed
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	if err := s.from.Whole(); err != nil {
		return file.Image{}, err
	}
	return file.ImageOf(&s.tree.octree), nil
}

// partsSection returns the section of the kinds of parts.
func partsSection(kinds *[]uint32) file.Section {
	return file.Section{Name: "Parts", Hot: true, Col: file.ListOf(kinds)}
}

// savedPart is the saved form of a part of a scene: one of its fields is set.
type savedPart struct {
	lists *sceneLists
	tree  interface{ image() (file.Image, error) }
	snap  *partNode
}

// image returns the saved form of a part that is not a scene.
func (p *savedPart) image() (file.Image, error) {
	if p.snap != nil {
		return p.snap.image()
	}
	return p.tree.image()
}

func (p *savedPart) kind() uint32 {
	switch {
	case p.lists != nil:
		return partScene
	case p.snap != nil:
		return partSnapshot
	}
	return partTree
}

// saved lists the scene and the parts below it, as they are saved.
func (s *Scene) saved() []savedPart {
	s.made()
	s.partNode.sync()
	parts := partsWithin(&s.partNode)
	number := make(map[*partNode]uint32, len(parts))
	list := make([]savedPart, len(parts))
	for k, u := range parts {
		number[u] = uint32(k)
		switch {
		case u.scene != nil: // after its parts
			list[k].lists = u.scene.listsOf(number)
		case u.snap != nil:
			list[k].snap = u
		default:
			list[k].tree = u
		}
	}
	return list
}

// sectionsOf lists the sections of all parts.
func sectionsOf(parts []savedPart) ([]snap.Section, error) {
	kinds := make([]uint32, len(parts))
	for k := range parts {
		kinds[k] = parts[k].kind()
	}
	first := partsSection(&kinds)
	list := []snap.Section{first.AsSection(file.GroupTree)}
	for k := range parts {
		group := uint32(k) + 1
		if l := parts[k].lists; l != nil {
			for _, c := range l.sections() {
				list = append(list, c.AsSection(group))
			}
			continue
		}
		i, err := parts[k].image()
		if err != nil {
			return nil, fault.Errorf("linear: part %d of a scene, a snapshot: %w", k, err)
		}
		list = i.Append(list, group)
	}
	return list, nil
}

// digestOf returns a hash of all state that decides the results and changes of parts.
func digestOf(parts []savedPart) (digest uint64) {
	for k := range parts {
		switch p := &parts[k]; {
		case p.lists != nil:
			for _, c := range p.lists.sections() {
				digest = snap.Digest(digest, c.Col.Bytes(), c.Words())
			}
		case p.snap != nil:
			of := p.snap.snap
			of.View() // panics if the snapshot is closed
			for _, c := range of.from.Lists.Sections(of.tree.octree.Store) {
				if c.Hot && c.Name != "State" && c.Name != "StateNames" && c.Name != file.VersionSection {
					digest = snap.Digest(digest, c.Col.Bytes(), c.Words())
				}
			}
		default:
			i, _ := p.tree.image() // only snapshots return an error
			digest = snap.Digest(digest, nil, []uint8{1}) + i.Digest()
		}
	}
	return digest
}

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
	return writeScene(ctx, w, s.saved(), opt)
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
func (s *Scene) LayoutDigest() uint64 { return digestOf(s.saved()) }

func writeScene(ctx context.Context, w io.Writer, parts []savedPart, opt SnapshotOptions) (n int64, err error) {
	list, err := sectionsOf(parts)
	if err != nil {
		return 0, err
	}
	return file.WriteSections(ctx, w, snap.KindScene, list, opt.save())
}
