package collide_test

import (
	"fmt"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/collide"
)

// A pit is a complete game of balls that fall into a box. It moves the balls, finds contacts, separates
// touching balls, and returns the sounds to play and the objects to draw.
type pit struct {
	tree    *linear.Tree
	ids     []uint32     // of the balls
	spheres [][4]float32 // x, y, z, radius: the bounding spheres in the tree
	speed   [][3]float64

	tracker  collide.Tracker
	pairs    []collide.Pair
	contacts []collide.Contact
	seen     []uint32
}

const (
	frameTime = 1. / 60
	side      = 10. // of the pit
)

// newPit builds the walls, which are static, and n balls in layers above.
func newPit(n int) (*pit, error) {
	p := &pit{}
	var err error
	if p.tree, err = linear.New(linear.Config{Log: true}); err != nil { // the tracker follows the log
		return nil, err
	}
	slab := func(x0, y0, z0, x1, y1, z1 float32) linear.Object {
		return linear.Object{Box: linear.AABB{Min: [3]float32{x0, y0, z0}, Max: [3]float32{x1, y1, z1}}, Static: true}
	}
	if _, err = p.tree.InsertBatch(nil, []linear.Object{
		slab(-1, -1, -1, side+1, side+1, 0), // the floor
		slab(-1, 0, 0, 0, side, 100), slab(side, 0, 0, side+1, side, 100),
		slab(0, -1, 0, side, 0, 100), slab(0, side, 0, side, side+1, 100),
	}); err != nil {
		return nil, err
	}
	var balls []linear.Ball
	for i := range n {
		x, y, layer := i%8, i/8%8, i/64
		center := [4]float32{0.9 + float32(1.1*float32(x)) + float32(0.3*float32(layer%2)), 0.9 + float32(1.1*float32(y)), 1 + float32(1.2*float32(layer)), 0.5}
		p.spheres = append(p.spheres, center)
		balls = append(balls, linear.Ball{Sphere: center, Mask: 1})
	}
	p.speed = make([][3]float64, n)
	p.ids, err = p.tree.InsertBallBatch(nil, balls)
	p.tracker.Filter = collide.Filter{Exact: true} // balls, not the boxes around them
	return p, err
}

// frame takes one step of the game and returns the number of loud new contacts. Products are rounded before
// they are added, by float64(…), so that the game is the same on every CPU: a replay is the list of inputs.
func (p *pit) frame() (loud int, err error) {
	for i := range p.spheres {
		v := &p.speed[i]
		v[2] -= float64(9.81 * frameTime)
		for axis := range v {
			p.spheres[i][axis] = float32(float64(p.spheres[i][axis]) + float64(v[axis]*frameTime))
		}
	}
	if err := p.move(); err != nil {
		return 0, err
	}
	// Contacts: the tracker also reports new pairs, for sounds. The walls are IDs 0 to 4.
	view := p.tree.View()
	if err := p.tracker.Update(view); err != nil {
		return 0, err
	}
	p.pairs = p.pairs[:0]
	for pair := range p.tracker.Pairs() {
		p.pairs = append(p.pairs, pair)
	}
	p.contacts = collide.AppendContacts(p.contacts[:0], collide.Within(view), p.pairs)
	for _, c := range p.contacts {
		p.part(c)
	}
	for _, pair := range p.tracker.Began() {
		if pair.A >= p.ids[0] || pair.B >= p.ids[0] {
			loud++
		}
	}
	return loud, p.move()
}

// move updates the balls in the tree. A ball that stays in its stay box costs one write.
func (p *pit) move() error {
	if err := p.tree.MoveBodies(p.ids, linear.Bodies{Spheres: p.spheres}); err != nil {
		return err
	}
	return p.tree.Tick()
}

// part separates two touching objects by their depth, and removes their relative speed along the normal.
func (p *pit) part(c collide.Contact) {
	a, b := int(c.A)-int(p.ids[0]), int(c.B)-int(p.ids[0]) // below 0: walls, which stay
	share := 1.
	if a >= 0 && b >= 0 {
		share = 0.5
	}
	var closing float64 // speed at which b approaches a
	for axis, n := range c.Normal {
		if a >= 0 {
			closing += float64(p.speed[a][axis] * float64(n))
		}
		if b >= 0 {
			closing -= float64(p.speed[b][axis] * float64(n))
		}
	}
	for axis, n := range c.Normal {
		apart, slower := float64(share*float64(c.Depth)*float64(n)), float64(share*max(closing, 0)*float64(n))
		if a >= 0 {
			p.spheres[a][axis] = float32(float64(p.spheres[a][axis]) - apart)
			p.speed[a][axis] -= slower
		}
		if b >= 0 {
			p.spheres[b][axis] = float32(float64(p.spheres[b][axis]) + apart)
			p.speed[b][axis] += slower
		}
	}
}

// draw returns the objects in view of a camera beside the pit: the walls have no type, the balls have type
// 1.
func (p *pit) draw(camera query.Frustum) []uint32 {
	p.seen = camera.Append(p.seen[:0], p.tree.View(), query.Filter{Mask: 1})
	return p.seen
}

func Example_game() {
	p, err := newPit(256)
	if err != nil {
		panic(err)
	}
	camera, err := query.Camera{
		Eye: [3]float64{side / 2, -30, 10}, Forward: [3]float64{0, 1, -0.2}, Up: [3]float64{0, 0, 1},
		FovY: 0.8, Aspect: 1.6, Near: 0.1, Far: 100,
	}.Frustum()
	if err != nil {
		panic(err)
	}
	touches := 0
	for range 180 { // three seconds
		loud, err := p.frame()
		if err != nil {
			panic(err)
		}
		touches += loud
	}
	inside, highest := 0, float32(0)
	for _, s := range p.spheres {
		if s[0] > 0 && s[0] < side && s[1] > 0 && s[1] < side && s[2] > 0 {
			inside++
		}
		highest = max(highest, s[2])
	}
	fmt.Println(inside, "balls are in the pit,", len(p.draw(camera)), "in the picture")
	fmt.Printf("they have touched %d times, and lie up to %.1f high\n", touches, highest)
	fmt.Println(p.tree.Validate())
	// Output:
	// 256 balls are in the pit, 256 in the picture
	// they have touched 21512 times, and lie up to 2.4 high
	// <nil>
}
