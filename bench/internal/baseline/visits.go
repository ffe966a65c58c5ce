package baseline

import (
	"github.com/zoctree/zoctree/asm"
	"github.com/zoctree/zoctree/soa"
)

// Visits counts what a walk tests. A query that gives the walk up for a scan
// tests every slot in place of the packets.
type Visits struct {
	Nodes   int // whose eight children are tested
	Packets int // whose boxes are tested one by one
}

// Count walks a store as a query does and returns what it visits. The walk's
// buffers are reused.
func (l *Lens) Count(w *asm.VolumeWalk, s *soa.Store) Visits {
	v := asm.Volume{Planes: asm.MakePlanes(&l.scaled, s.Near, s.Extent)}
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
