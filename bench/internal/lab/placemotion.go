package lab

// PlaceMotion moves and turns the places of a scene a little.
type PlaceMotion struct {
	rows  [][12]float64 // of the poses
	next  uint32
	steps int
}

// NewPlaceMotion begins where the places are.
func NewPlaceMotion(b *Instances) *PlaceMotion {
	m := &PlaceMotion{rows: make([][12]float64, len(b.Where))}
	for i := range m.rows {
		m.rows[i] = b.Where[i].Rows
	}
	return m
}

// Each calls f for so many places, from all over the scene, other ones than before, and
// returns the last.
func (m *PlaceMotion) Each(count int, f func(id uint32)) uint64 {
	const stride = 7919 // a prime number
	for range count {
		m.next = (m.next + stride) % uint32(len(m.rows))
		f(m.next)
	}
	return uint64(m.next)
}

// Shift moves a place by a quarter on x or y, and later back again, and returns the rows of
// its pose.
func (m *PlaceMotion) Shift(id uint32) [12]float64 {
	r := &m.rows[id]
	by := 0.25
	if m.steps/2%2 == 1 {
		by = -by
	}
	r[3+4*(m.steps%2)] += by
	m.steps++
	return *r
}

// Turn turns a place about z, by an angle of which no multiple is a full turn, and returns
// the rows of its pose.
func (m *PlaceMotion) Turn(id uint32) [12]float64 {
	const cos, sin = 0.8, 0.6
	r := &m.rows[id]
	for j := range 3 {
		x, y := r[j], r[4+j]
		r[j], r[4+j] = cos*x-sin*y, sin*x+cos*y
	}
	return *r
}
