package linear_test

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// rightSums repairs the checksums of a file, as far as it has sections at its stated offsets.
func rightSums(file []byte) {
	if len(file) < 64 {
		return
	}
	e, table := binary.LittleEndian, crc32.MakeTable(crc32.Castagnoli)
	n, head := int(min(e.Uint32(file[24:]), 1000)), e.Uint64(file[32:])
	sums := 64 + 64*n
	if head > uint64(len(file)) || head < uint64(sums) {
		return
	}
	for i := range n {
		row := file[64+64*i:]
		offset, bytes := e.Uint64(row[48:]), e.Uint64(row[56:])
		if offset > uint64(len(file)) || bytes > uint64(len(file))-offset {
			return
		}
		for section := file[offset:][:bytes]; len(section) > 0 && sums+4 <= int(head); sums += 4 {
			chunk := section[:min(len(section), 1<<18)]
			e.PutUint32(file[sums:], crc32.Checksum(chunk, table))
			section = section[len(chunk):]
		}
	}
	e.PutUint32(file[56:], crc32.Checksum(file[64:head], table))
	e.PutUint32(file[60:], crc32.Checksum(file[:60], table))
}

// A file of any bytes, with valid checksums, is rejected or can be queried safely; a tree that is made of it is
// valid.
func FuzzSnapshot(f *testing.F) {
	small, err := linear.New(linear.Config{SplitAbove: 3})
	must(f, err)
	f.Add(written(f, small))
	insert(f, small, grid(3))
	must(f, small.Tick())
	insert(f, small, grid(1))
	f.Add(written(f, small))
	f.Fuzz(func(t *testing.T, file []byte) {
		rightSums(file)
		s, err := linear.FromBytes(file, linear.CheckSafe)
		if err != nil {
			return
		}
		v := s.View()
		box, _ := query.NewBox([3]float32{}, [3]float32{1, 1, 1})
		ray, _ := query.NewRay([3]float32{-1, 0.1, 0.1}, [3]float32{1, 0.2, 0.3}, 100)
		near, err := query.AppendNearest(nil, v, [3]float32{1, 2, 3}, 9, 100, query.Filter{})
		if n := max(len(allOf(v)), box.Count(v, query.Filter{}), len(ray.Append(nil, v, query.Filter{})), len(near)); err != nil || n > s.Len() {
			t.Errorf("%d of %d objects, %v", n, s.Len(), err)
		}
		tree, err := s.Load()
		if err != nil {
			return
		}
		if _, err := tree.Insert(linear.Object{}); err == nil {
			must(t, tree.Tick())
			valid(t, tree)
		}
	})
}
