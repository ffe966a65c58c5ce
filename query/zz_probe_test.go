package query
import ("testing";"fmt";"github.com/zoctree/zoctree/internal/testkit/scene";"github.com/zoctree/zoctree/linear")
func TestZZ(t *testing.T) {
	for _, name := range []string{"uniform","city","surface"} { for _, n := range []int{100000,1000000} {
		sc,_ := scene.ByName(name); objects := sc.Make(n,1)
		tree,_ := linear.New(linear.Config{}); tree.InsertBatch(nil,objects); tree.Rebuild(nil, linear.RebuildOptions{Frozen:true})
		st := tree.Stats(); fmt.Printf("%s n=%d nodes %d packets %d hot %.2f live %.2f depth %d:", name,n,st.Nodes,st.Packets,float64(st.Hot())/float64(n),float64(st.Live())/float64(n),st.Depth)
		s := tree.View().Store()
		for _, share := range []float64{.01,.1} {
			nodes,packets,inside := 0,0,0
			cams := scene.Cameras(objects, share, 100, 7)
			for _, c := range cams { f,_ := FrustumPlanes(c.Planes()); w := f.begin(s); w.start(Filter{}); for !w.lists.Done() { w.volume.nodes(&w.lists, s.Nodes.Hot, &w.sift) }; nodes += len(w.lists.Queue); packets += len(w.lists.Packets); inside += len(w.lists.Inside); w.release() }
			fmt.Printf("  %v: nodes %d packets %d inside %d", share, nodes/100,packets/100,inside/100)
		}
		fmt.Println()
	}}
}
