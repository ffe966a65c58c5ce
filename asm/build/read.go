package build

import (
	"fmt"
	"unsafe"

	"github.com/zoctree/zoctree/soa"
)

// readPerCall is the number of packets of one call: some 10 microseconds with each packet from memory
// (BenchmarkReadRecords).
const readPerCall = 64

// readArgs is the argument of the kernel. Assembly finds the columns in the copy here.
type readArgs struct {
	slots    *uint32
	n        int // slots
	records  *[8]float32
	ids      *uint32
	from     packetColumns
	maskRows int // -1, or 0 if all packets have the first row of masks
	read     int // objects
}

// ReadRecords copies the objects of the packets in these slots to records, one after the other, and their IDs to ids.
// It returns their number. Records are as [FillRecords] takes them: the first byte of the flag of a static object is 1,
// all other bytes of flags are 0. Both lists must have room for [soa.Lanes] objects of each packet; what lies behind
// the returned number is unspecified. Slots must be in the columns.
func ReadRecords(records [][8]float32, ids []uint32, p *soa.PacketColumns, slots []uint32) (n int) {
	if room := min(len(records), len(ids)); room < len(slots)*soa.Lanes {
		panic(fmt.Sprintf("build: ReadRecords: room for %d objects of %d packets", room, len(slots)))
	}
	r := readArgs{records: unsafe.SliceData(records), ids: unsafe.SliceData(ids), from: *p, maskRows: -1}
	var uniform [1][soa.Lanes]uint32
	if len(p.Masks) == 0 {
		for l := range uniform[0] {
			uniform[0][l] = p.Mask
		}
		r.from.Masks, r.maskRows = uniform[:], 0
	}
	for len(slots) > 0 {
		r.slots, r.n = &slots[0], min(len(slots), readPerCall)
		r.toRecords()
		slots = slots[r.n:]
	}
	return r.read
}
