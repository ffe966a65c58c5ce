package file

import (
	"context"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/snap"
)

// SaveParams are the sections of the program and the progress function of a file that is saved.
type SaveParams struct {
	Sections []snap.Section
	Progress func(share float64)
}

// WriteTree writes a snapshot of the saved form of a tree.
func WriteTree(ctx context.Context, w io.Writer, of Image, opt SaveParams) (n int64, err error) {
	return WriteSections(ctx, w, snap.KindTree, of.Append(nil, GroupTree), opt)
}

// Append appends the sections of a tree to a list.
func (i *Image) Append(list []snap.Section, group uint32) []snap.Section {
	for _, s := range i.Sections() {
		list = append(list, s.AsSection(group))
	}
	return list
}

// WriteSections writes a file of sections, followed by those of the program.
func WriteSections(ctx context.Context, w io.Writer, kind uint32, list []snap.Section, opt SaveParams) (n int64, err error) {
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

// Digest hashes the saved sections, except those that are not part of the layout.
func (i *Image) Digest() (digest uint64) {
	for _, s := range i.Sections() {
		if s.Name != VersionSection {
			digest = snap.Digest(digest, s.Col.Bytes(), s.Words())
		}
	}
	return digest
}
