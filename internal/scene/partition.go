package scene

import "github.com/zoctree/zoctree/soa"

// PartitionMask is the type mask of the partition, and of no other object in its scene.
const PartitionMask = 1 << 3

// Partition returns a frame of figure 4 of C. Shagam and J. Pfeiffer, Dynamic Irregular Octrees
// (2003): 1,331 spheres that swing back and forth, of mask 1, and last a partition in front of the
// lower ones.
func Partition(frame int) (objects []soa.Object) {
	swing := func(i, k int) float32 { // between -1 and 1
		t := (frame*(1+i*k%5) + 7*i + 13*k) % 60
		return float32(max(t, 60-t)-45) / 15
	}
	for i := range 1331 {
		o := soa.Object{Mask: 1}
		for a, k := range [3]int{i % 11, i / 11 % 11, i / 121} {
			c := float32(5*k) - 25 + swing(i, a+1)
			if a == 1 {
				c += 40
			}
			o.Box.Min[a], o.Box.Max[a] = c-0.7, c+0.7
		}
		objects = append(objects, o)
	}
	return append(objects, soa.Object{
		Box: soa.AABB{Min: [3]float32{-40, -2, -40}, Max: [3]float32{40, 0, 3.75}}, Mask: PartitionMask, Static: true,
	})
}

// Audience returns a camera in front of the partition.
func Audience() Camera {
	c := NewCamera([3]float64{0, -30, 4}, [3]float64{0, 1, -0.05}, 0.1, 200)
	c.TanY = 0.3249196962329063 // of 18 degrees
	c.TanX = c.TanY * 16 / 9
	return c
}
