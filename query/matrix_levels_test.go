package query_test

import (
	"fmt"

	"github.com/zoctree/zoctree/asm/cull"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/internal/walk"
)

// levels judges levels of detail: of each object of a result, by the formula of [query.Frustum.MinSize], without and
// with a column of last levels.
func (j *matrixJudge) levels(f func(margin float32, sizes ...float32) (query.Levels, error)) error {
	const margin = 0.25
	sizes := []float32{0.5, 0.0625, 0.001, 1e-6}
	l, err := f(margin, sizes...)
	if !j.sized { // made of planes
		if err == nil {
			return fmt.Errorf("levels %v of a frustum without sizes", l)
		}
		return nil
	}
	if err != nil {
		return err
	}
	below := func(id uint32, size float32) bool {
		sized, err := j.frustum.MinSize(size)
		if err != nil {
			panic(err)
		}
		var z cull.Size
		(*walk.Frustum)(&sized).PrepareSize(&z)
		return tooSmall(&z, j.c.objects[j.c.at(id)].Box)
	}
	var last linear.Column[uint8]
	was := func(id uint32) uint8 { return uint8(id % uint32(len(sizes)+1)) }
	for _, id := range j.ids {
		last.Set(id, was(id))
	}
	plain, held := l.Append([]uint8{9}, j.v, j.ids, nil), l.Append(nil, j.v, j.ids, &last)
	if plain[0] != 9 || len(plain) != len(j.ids)+1 || len(held) != len(j.ids) {
		return fmt.Errorf("%d and %d levels of %d objects", len(plain)-1, len(held), len(j.ids))
	}
	for i, id := range j.ids {
		level, after := 0, 0
		for k, s := range sizes {
			if below(id, s) {
				level++
			}
			limit := float32(float64(s) * (1 - margin))
			if k < int(was(id)) {
				limit = float32(float64(s) * (1 + margin))
			}
			if below(id, limit) {
				after++
			}
		}
		if int(plain[1+i]) != level || int(held[i]) != after || int(last.Get(id)) != after {
			return fmt.Errorf("object %d has the level %d, want %d; after %d %d, in the column %d, want %d", id, plain[1+i], level, was(id), held[i], last.Get(id), after)
		}
	}
	j.x.form("Levels", "Append", len(j.c.ids))
	return nil
}
