package occlude_test
import ("testing";"math";"hash/fnv";"fmt";"math/rand/v2";"github.com/zoctree/zoctree/internal/scene";"github.com/zoctree/zoctree/linear";"github.com/zoctree/zoctree/query/occlude")
func TestZZDigest(t *testing.T){
	ground := scene.NewTerrain(180, 6, 1)
	corners, triangles := ground.Triangles()
	mesh, _ := occlude.NewMesh(corners, triangles)
	for _,size:=range [][2]int{{512,288},{256,144},{251,141}}{
	for _, above := range []float64{1.7,40,-5} {
		h:=fnv.New64a();covered:=0;sum:=0.0
		for view := range 6 {
			eye, _ := occlude.New(occlude.Config{Width: size[0], Height: size[1],Workers:1+view%3})
			eye.Look(overGround(ground,view,above))
			eye.DrawMesh(mesh,linear.Pose{})
			pix,_,_,_:=eye.Depths()
			for _,v:=range pix {if v>0&& !math.IsInf(float64(v),0) {covered++;sum+=math.Log(float64(v))}}
			h.Write(bytesOf(eye))
		}
		fmt.Printf("%v %v %x %d %.4f\n",size,above,h.Sum64(),covered,sum/float64(covered))
	}}
	rng:=rand.New(rand.NewPCG(1,2))
	h:=fnv.New64a();covered:=0
	for i:=range 4000 {
		s:=randomSurface(rng,[]float64{1,8,40}[i%3])
		pose:=randomPose(t,rng,[3]float64{rng.Float64()*60,rng.Float64()*60,3})
		if i%4==0 {pose=linear.Pose{}}
		v:=randomView(rng,kinds[i%len(kinds)],[3]float64{-20,30,4},[3]float64{30,30,2},0.1,200)
		eye,_:=occlude.New(occlude.Config{Width:[]int{40,200,64}[i%3],Height:[]int{33,113}[i%2],Workers:1+i%2})
		if v.look(eye)!=nil {continue}
		eye.DrawMesh(s.mesh(t),pose)
		pix,_,_,_:=eye.Depths()
		for _,v:=range pix {if v!=0&& !math.IsInf(float64(v),0) {covered++}}
		h.Write(bytesOf(eye))
	}
	fmt.Printf("random %x %d\n",h.Sum64(),covered)
}
