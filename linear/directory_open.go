package linear

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/file"
)

// shard is an open shard.
type shard struct {
	*Snapshot
	numbers numbering
	holds   int // number of editions that use it
}

// openShard opens a shard and checks it against its row in the manifest.
func openShard(folder string, i int, row *shardRow, level CheckLevel) (s *shard, err error) {
	path := row.path(folder)
	snapshot, err := OpenMapped(path, level)
	if err != nil {
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	s = &shard{Snapshot: snapshot}
	if err = s.check(row, level); err != nil {
		_ = snapshot.Close()
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return s, nil
}

func (s *shard) check(row *shardRow, level CheckLevel) (err error) {
	if s.numbers, err = numberingOf(s.from.File, row, file.Level(level)); err != nil {
		return err
	}
	if n := len(s.from.Lists.Where); n != len(s.numbers.of) {
		return file.NotSound("%d numbers for %d IDs", len(s.numbers.of), n)
	}
	if level == CheckNone { // the bounds refer to unchecked columns
		return nil
	}
	if n, b := s.Len(), s.View().Bounds(); uint64(n) != row.Count || b != row.box() {
		return file.NotSound("%d objects in %v to %v, the manifest names %d in %v", n, b.Min, b.Max, row.Count, row.Box)
	}
	return nil
}
