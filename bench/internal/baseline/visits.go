package baseline

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/soa"
)

// Visits counts the tests of a walk. A query that abandons the walk for a scan tests every slot instead of
// the packets.
type Visits struct {
	Nodes   int // nodes whose eight children are tested
	Packets int // packets whose boxes are tested one by one
}

// Count walks a store as a query does and returns its visits. It reuses the buffers of the walk.
func (l *Lens) Count(w *asm.VolumeWalk, s *soa.Store) Visits {
	v := cull.Volume{Planes: cull.MakePlanes(&l.scaled, s.Near, s.Extent)}
	filter := asm.AllNodes
	w.Reset(0)
	if len(s.Nodes.Hot) == 0 {
		w.Head = 1
	}
	for !w.Done() {
		v.Nodes(w, s.Nodes.Hot, &filter)
	}
	return Visits{Nodes: w.Head, Packets: len(w.Packets) + len(s.Pending)}
}
