package file

import (
	"context"
	"fmt"
	"io"

	"github.com/zoctree/zoctree/internal/atomicfile"
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
	return writeSections(ctx, w, snap.KindTree, inGroup(nil, of.Sections(), groupTree), opt)
}

// inGroup appends the sections of a part to a list.
func inGroup(list []snap.Section, part []Section, group uint32) []snap.Section {
	for i := range part {
		list = append(list, part[i].asSection(group))
	}
	return list
}

// writeSections writes a file of sections, followed by those of the program.
func writeSections(ctx context.Context, w io.Writer, kind uint32, list []snap.Section, opt SaveParams) (n int64, err error) {
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

// Save replaces the file at path atomically, as [atomicfile.Save] does. An error of write is
// returned unchanged; all other errors name the package and the path.
func Save(path string, write func(w io.Writer) error) error {
	var failed error
	err := atomicfile.Save(path, func(w io.Writer) error {
		failed = write(w)
		return failed
	})
	if err != nil && failed == nil {
		return fault.Errorf("linear: saving %s: %w", path, err)
	}
	return err
}
