package lab

// InstanceMotion moves the instances of a scene a little.
type InstanceMotion struct {
	rows  [][12]float64 // rows of the transforms
	next  uint32
	steps int
}

// NewInstanceMotion starts from the current transforms of the instances.
func NewInstanceMotion(b *Instances) *InstanceMotion {
	m := &InstanceMotion{rows: make([][12]float64, len(b.Where))}
	for i := range m.rows {
		m.rows[i] = b.Where[i].Rows
	}
	return m
}

// Each calls f for count instances spread over the scene, different ones in each call, and returns the last
// ID.
func (m *InstanceMotion) Each(count int, f func(id uint32)) uint64 {
	const stride = 7919 // a prime number
	for range count {
		m.next = (m.next + stride) % uint32(len(m.rows))
		f(m.next)
	}
	return uint64(m.next)
}

// Shift moves an instance by a quarter on x or y, and later back again, and returns the rows of its
// transform.
func (m *InstanceMotion) Shift(id uint32) [12]float64 {
	r := &m.rows[id]
	by := 0.25
	if m.steps/2%2 == 1 {
		by = -by
	}
	r[3+4*(m.steps%2)] += by
	m.steps++
	return *r
}
