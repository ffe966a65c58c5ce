package cull

import "github.com/zoctree/zoctree/soa"

// MultiPacketsCall is one call of the packets kernel over the first n packets of
// the walk, into ids and viewers of exactly the room that it may write.
func MultiPacketsCall(ids []uint32, viewers []uint64, w *FrustaWalk, packets []soa.Packet, columns [][soa.Lanes]uint32, keep []uint16) int {
	list := &w.Packets
	e := seeing{
		ids: &ids[0], viewers: &viewers[0], packets: &packets[0], columns: &columns[0], planes: &w.Planes[0],
		slots: &list.Refs[0], open: &list.Open[0], in: &list.In[0], keep: &keep[0],
		n: len(keep), listed: len(list.Refs),
	}
	multiPackets(&e)
	return e.wrote
}
