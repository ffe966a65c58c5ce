package linear

import (
	"context"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
)

// saveOptions are the sections of the program and the progress function of a file that is saved.
type saveOptions struct {
	Sections []snap.Section
	Progress func(share float64)
}

// writeTree writes a snapshot of the saved form of a tree.
func writeTree(ctx context.Context, w io.Writer, of treeImage, opt saveOptions) (n int64, err error) {
	return writeSections(ctx, w, snap.KindTree, of.append(nil, groupTree), opt)
}

// append appends the sections of a tree to a list.
func (i *treeImage) append(list []snap.Section, group uint32) []snap.Section {
	for _, s := range i.sections() {
		list = append(list, s.asSection(group))
	}
	return list
}

// writeSections writes a file of sections, followed by those of the program.
func writeSections(ctx context.Context, w io.Writer, kind uint32, list []snap.Section, opt saveOptions) (n int64, err error) {
	seen := map[string]bool{}
	for i := range opt.Sections {
		s := opt.Sections[i]
		if seen[s.Name] {
			return 0, fmt.Errorf("linear: two sections of a snapshot are named %q", s.Name)
		}
		seen[s.Name] = true
		list = append(list, s)
	}
	n, err = snap.Write(ctx, w, kind, list, opt.Progress)
	if err != nil {
		return n, fault.Errorf("linear: after %d bytes of a snapshot: %w", n, err)
	}
	return n, nil
}

// digest hashes the saved sections, except those that are not part of the layout.
func (i *treeImage) digest() (digest uint64) {
	for _, s := range i.sections() {
		if s.name != versionSection {
			digest = snap.Digest(digest, s.col.Bytes(), s.words())
		}
	}
	return digest
}
