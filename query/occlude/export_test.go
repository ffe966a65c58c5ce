package occlude

import "github.com/zoctree/zoctree/soa"

// Rays are those of the picture, as drawing has them: see frame.
type Rays struct {
	Width, Height   int
	Parallel        bool
	Ref, D0, DX, DY [3]float64
	Limit           float64
}

// Rays returns the rays of the last Look.
func (e *Eye) Rays() Rays {
	f := &e.frame
	return Rays{f.width, f.height, f.parallel, f.ref, f.d0, f.dx, f.dy, f.limit}
}

// Recall makes the memory of an answer what a test wants.
func (e *Eye) Recall(answer int, places []soa.Place, ids []uint32) {
	for len(e.memory) <= answer {
		e.memory = append(e.memory, memory{})
	}
	e.memory[answer].places = nil
	for i := range places {
		e.memory[answer].places = append(e.memory[answer].places, recalled{places[i], ids[i]})
	}
}

// Remembered returns the IDs in the memory of an answer.
func (e *Eye) Remembered(answer int) (ids []uint32) {
	if answer < len(e.memory) {
		for _, r := range e.memory[answer].places {
			ids = append(ids, r.id)
		}
	}
	return ids
}
