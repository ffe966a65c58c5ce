package linear

import (
	"fmt"

	"github.com/zoctree/zoctree/linear/internal/version"
	"github.com/zoctree/zoctree/morton"
)

// Version is a published version of a tree that a reader holds, from [Publisher.Acquire]. It
// belongs to one goroutine, which may pass its View to others until it releases the version. It
// must not be copied, which go vet checks.
type Version struct {
	_     version.NoCopy
	from  *version.Buffer
	lease version.Lease
}

// Acquire returns the last published version. Any goroutine may call it. It takes a few atomic
// operations on one counter, never blocks and, in steady state, allocates nothing. The version does
// not change until [Version.Release], however often the writer publishes; until then it costs an
// buffer of the tree, which [Tree.Stats] counts.
func (s *Publisher) Acquire() Version {
	s.made()
	return Version{from: s.versions.Acquire(), lease: version.NewLease()}
}

// View returns the view of the held version, for queries. It is valid until the release, and for
// any number of goroutines. It panics after the release.
func (h *Version) View() View {
	i := h.held("View")
	return View{i.Store, h.lease.Validity, h.lease.At, &i.Index}
}

// World returns the cube of the keys of the version, as [View.CellOf] needs it. It panics after the
// release.
func (h *Version) World() morton.World { return h.held("World").World }

// Release returns the version to the publisher. Its views are invalidated: using them later panics.
// A query that is still running may read memory that the writer writes. A second release panics.
func (h *Version) Release() {
	i := h.held("Release")
	h.from = nil
	h.lease.End()
	version.Release(&i.Holds)
}

func (h *Version) held(what string) *version.Buffer {
	if h.from == nil || h.lease.Over() { // a copy may have released it
		notHeld(what)
	}
	return h.from
}

func notHeld(what string) {
	panic(fmt.Sprintf("linear: %s of a version that has been released, or was never acquired", what))
}
