package scene

import "github.com/zoctree/zoctree/soa"

// Bullets is a stream of short-lived objects through the same cells: a volley every Pause frames,
// with Volley bullets side by side and one after the other. They fly along x for Life frames and
// are then removed.
//
//	volley 0   |=>  =>  =>  =>|
//	volley 1       pause      |=>  =>  =>  =>|
//	           frame 0        frame Pause
type Bullets struct {
	Volley, Pause, Life int
	Muzzle              [3]float32 // position at which bullets start
	Step                float32    // distance along x per frame
}

// Box returns the box of bullet k of a volley at an age of 0 to Life-1 frames. Volleys differ
// slightly in position.
func (b Bullets) Box(volley, k, age int) soa.AABB {
	const rows, gap, half = 16, 0.125, 0.01
	sway := float64(volley%8) / 256
	c := [3]float64{
		float64(b.Muzzle[0]) + float64(float64(age)*float64(b.Step)) + float64(k/(rows*rows))*gap,
		float64(b.Muzzle[1]) + float64(k%rows)*gap + sway,
		float64(b.Muzzle[2]) + float64(k/rows%rows)*gap + sway,
	}
	return around(c, [3]float64{half, half, half})
}
