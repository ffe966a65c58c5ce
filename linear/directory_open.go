package linear

import (
	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/linear/internal/file"
	"github.com/zoctree/zoctree/linear/internal/shard"
)

// openedShard is an open shard.
type openedShard struct {
	*Snapshot
	numbers shard.Numbering
	holds   int // number of editions that use it
}

// openShard opens a shard and checks it against its row in the manifest.
func openShard(folder string, i int, row *shard.Row, level CheckLevel) (s *openedShard, err error) {
	path := row.Path(folder)
	snapshot, err := OpenMapped(path, level)
	if err != nil {
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	s = &openedShard{Snapshot: snapshot}
	if err = s.check(row, level); err != nil {
		_ = snapshot.Close()
		return nil, fault.Errorf("shard %d, %s: %w", i, path, err)
	}
	return s, nil
}

func (s *openedShard) check(row *shard.Row, level CheckLevel) (err error) {
	if s.numbers, err = shard.NumberingOf(s.from.File, row, file.Level(level)); err != nil {
		return err
	}
	if n := len(s.from.Lists.Where); n != len(s.numbers.Of) {
		return file.NotSound("%d numbers for %d IDs", len(s.numbers.Of), n)
	}
	if level == CheckNone { // the bounds refer to unchecked columns
		return nil
	}
	if n, b := s.Len(), s.View().Bounds(); uint64(n) != row.Count || b != row.AABB() {
		return file.NotSound("%d objects in %v to %v, the manifest names %d in %v", n, b.Min, b.Max, row.Count, row.Box)
	}
	return nil
}
