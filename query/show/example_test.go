package show_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/show"
)

// A server shows a tree, which another goroutine changes, beside its own profiles, on the loopback address
// only.
func Example() {
	tree, err := linear.New(linear.Config{})
	if err != nil {
		log.Fatal(err)
	}
	for i := range 200 {
		at := [3]float32{float32(i % 20), float32(i / 20), 0}
		if _, err := tree.Insert(linear.Object{Box: linear.AABB{Min: at, Max: at}}); err != nil {
			log.Fatal(err)
		}
	}
	if err := tree.Tick(); err != nil {
		log.Fatal(err)
	}
	published := linear.NewPublisher(tree)
	acquire := func() (linear.View, func()) {
		h := published.Acquire()
		return h.View(), h.Release
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.Handle("/debug/octree/", http.StripPrefix("/debug/octree", show.Handler(acquire)))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	defer server.Close()

	for _, page := range []string{"pprof/", "octree/", "octree/profile", "octree/icicle?sphere=3,4,0,2", "octree/picture?kind=walk&box=2,2,-1,6,6,1", "octree/picture?box=1,2"} {
		r, err := http.Get("http://" + listener.Addr().String() + "/debug/" + page)
		if err != nil {
			log.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(page, r.StatusCode, r.Header.Get("Content-Type"))
		if strings.Contains(string(body), ">25 in the result<") {
			fmt.Println("  with 25 objects in the box")
		}
		if r.StatusCode != http.StatusOK {
			fmt.Print("  ", string(body))
		}
	}
	// Output:
	// pprof/ 200 text/html; charset=utf-8
	// octree/ 200 text/html; charset=utf-8
	// octree/profile 200 application/octet-stream
	// octree/icicle?sphere=3,4,0,2 200 image/svg+xml
	// octree/picture?kind=walk&box=2,2,-1,6,6,1 200 image/svg+xml
	//   with 25 objects in the box
	// octree/picture?box=1,2 400 text/plain; charset=utf-8
	//   show: box has 2 numbers, want 6
}
