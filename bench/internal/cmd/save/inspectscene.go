package save

import (
	"fmt"

	"github.com/zoctree/zoctree/bench/internal/table"
	"github.com/zoctree/zoctree/linear"
)

// parts reports on a scene and lists its parts.
func (i *inspector) parts(s *linear.SceneSnapshot) {
	v := s.View()
	b := v.Bounds()
	i.report.Note("bounds", fmt.Sprintf("%v .. %v", b.Min, b.Max))
	i.report.Note("scene", s.Stats().String())
	stands := map[uint32]int{} // instances of a part, in all scenes
	for _, part := range v.Parts() {
		instances := part.Instances()
		for slot := range instances.Slots() {
			for _, id := range instances.IDs(uint32(slot)) {
				_, k, _ := part.Instance(id)
				stands[k]++
			}
		}
	}
	t := i.report.Table("parts", table.Column{Title: "number", Width: 6}, table.Column{Title: "objects", Width: 9}, table.Column{Title: "instances", Width: 9},
		table.Column{Title: "placed", Width: 9}, table.Column{Title: "total", Width: 20})
	for k, part := range v.Parts() {
		t.Row(fmt.Sprint(k), fmt.Sprint(part.Objects().Len()), fmt.Sprint(part.Instances().Len()), fmt.Sprint(stands[k]), fmt.Sprint(part.Total()))
	}
}
