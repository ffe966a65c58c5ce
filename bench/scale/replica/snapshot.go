package replica

import (
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"github.com/zoctree/zoctree/soa"
)

// A snapshot is what a replica is made of again:
//
//	"zoR1" | number of the last command (8) | its outcome | IDs ever given out (4)
//	free IDs: how many (4), each (4), the next one to be given out first
//	objects: how many (4), each with its ID (4), by IDs
//	CRC-32 of all that (4)
//
// An outcome is how many IDs (4), each (4), and the length (4) and the text of its error.
const snapshotMagic = "zoR1"

// appendSnapshot appends a snapshot of a state whose tree is a copy: it inserts into it.
func appendSnapshot(dst []byte, s *state) ([]byte, error) {
	start := len(dst)
	dst = append(dst, snapshotMagic...)
	dst = order.AppendUint64(dst, s.last)
	dst = appendIDs(dst, s.outcome.IDs)
	dst = order.AppendUint32(dst, uint32(len(s.outcome.Refused)))
	dst = append(dst, s.outcome.Refused...)
	dst = order.AppendUint32(dst, s.given)
	live := order.AppendUint32(nil, uint32(s.tree.Len()))
	for id, o := range s.tree.All() {
		live = appendObject(order.AppendUint32(live, id), &o)
	}
	free, err := freeIDs(s)
	if err != nil {
		return nil, err
	}
	dst = append(appendIDs(dst, free), live...)
	return order.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:])), nil
}

func appendIDs(dst []byte, ids []uint32) []byte {
	dst = order.AppendUint32(dst, uint32(len(ids)))
	for _, id := range ids {
		dst = order.AppendUint32(dst, id)
	}
	return dst
}

// freeIDs returns the IDs that insertions will be given before new ones, in that order,
// by inserting.
func freeIDs(s *state) (free []uint32, err error) {
	for range int(s.given) - s.tree.Len() {
		id, err := s.tree.Insert(soa.Object{})
		if err != nil {
			return nil, err
		}
		free = append(free, id)
	}
	return free, nil
}

// readSnapshot makes a state of a snapshot. Any other bytes give an error.
func readSnapshot(data []byte) (*state, error) {
	if len(data) < len(snapshotMagic)+4 || string(data[:len(snapshotMagic)]) != snapshotMagic {
		return nil, errors.New("replica: no snapshot")
	}
	body := data[:len(data)-4]
	if order.Uint32(data[len(body):]) != crc32.ChecksumIEEE(body) {
		return nil, errors.New("replica: a snapshot whose sum is wrong")
	}
	r := reader{data: body[len(snapshotMagic):]}
	s := &state{last: r.uint64()}
	s.outcome = Outcome{Number: s.last, IDs: r.ids()}
	s.outcome.Refused = string(r.bytes(r.uint32()))
	s.given = r.uint32()
	free := r.ids()
	objects, err := r.objects(s.given, free)
	if err != nil {
		return nil, err
	}
	if s.tree, err = newTree(); err != nil {
		return nil, err
	}
	if _, err := s.tree.InsertBatch(nil, objects); err != nil {
		return nil, err
	}
	slices.Reverse(free) // the ID that was freed last is given out first
	if err := s.tree.RemoveBatch(free); err != nil {
		return nil, err
	}
	s.outcome.Digest = digest(s.tree)
	return s, nil
}

// objects reads the objects of a snapshot and returns one for each ID: those of free IDs
// stand for them.
func (r *reader) objects(given uint32, free []uint32) ([]soa.Object, error) {
	n := r.uint32()
	const size = 4 + 24 + 4 + 1
	if r.err == nil && (uint64(n)*size != uint64(len(r.data)) || uint64(n)+uint64(len(free)) != uint64(given)) {
		r.err = fmt.Errorf("replica: a snapshot of %d IDs with %d objects in %d bytes and %d free IDs", given, n, len(r.data), len(free))
	}
	if r.err != nil {
		return nil, r.err
	}
	objects := make([]soa.Object, given)
	taken := make([]bool, given)
	for _, id := range free {
		if id >= given || taken[id] {
			return nil, fmt.Errorf("replica: a snapshot of %d IDs with %d free, or free twice", given, id)
		}
		taken[id] = true
	}
	next := uint64(0)
	for range n {
		id := r.uint32()
		if id >= given || taken[id] || uint64(id) < next {
			return nil, fmt.Errorf("replica: a snapshot of %d IDs with an object %d that is free, or out of order", given, id)
		}
		objects[id], next = r.object(), uint64(id)+1
	}
	return objects, r.err
}

// bytes takes so many bytes.
func (r *reader) bytes(n uint32) []byte {
	if uint64(n) > uint64(len(r.data)) {
		r.data, r.err = nil, errCut
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func (r *reader) ids() (ids []uint32) {
	n := r.uint32()
	if uint64(n)*4 > uint64(len(r.data)) {
		r.data, r.err = nil, errCut
		return nil
	}
	for range n {
		ids = append(ids, r.uint32())
	}
	return ids
}
