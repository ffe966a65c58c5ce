package interest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/pprof"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
	"github.com/zoctree/zoctree/query/interest"
)

// news is the message to a client after a frame: a line of JSON. Left is applied first, because its IDs may
// be reused by objects in Entered.
type news struct {
	Left    []uint32               `json:"left,omitempty"`
	Entered map[uint32]linear.AABB `json:"entered,omitempty"`
	Touched map[uint32]linear.AABB `json:"touched,omitempty"`
}

// server is a world of players; each sees objects within 15 units. One goroutine changes the tree, frame by
// frame; counts read the last published version and never block.
type server struct {
	tree     *linear.Tree
	versions *linear.Publisher
	tracker  interest.Tracker
	viewers  []uint32 // by player: the player of an ID is the object of that ID

	mu      sync.Mutex
	steps   linear.Batch // requests of players since the last frame
	places  map[uint32]linear.AABB
	clients map[uint32]chan news
}

func newServer(players int) (*server, error) {
	tree, err := linear.New(linear.Config{Log: true})
	if err != nil {
		return nil, err
	}
	s := &server{tree: tree, places: map[uint32]linear.AABB{}, clients: map[uint32]chan news{}}
	objects := make([]linear.Object, players)
	for i := range objects {
		objects[i].Box = cube(10 * float32(i))
	}
	if _, err := tree.InsertBatch(nil, objects); err != nil {
		return nil, err
	}
	for i := range objects {
		s.viewers = append(s.viewers, s.tracker.Add(around(10*float32(i))))
	}
	s.versions = linear.NewPublisher(tree)
	return s, s.frame()
}

// frame applies the players' requests, publishes the version, and sends the news.
func (s *server) frame() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.tree.Apply(&s.steps)
	for player, box := range s.places {
		err = errors.Join(err, s.tracker.Move(s.viewers[player], around(box.Center()[0])))
	}
	s.steps.Reset()
	clear(s.places)
	err = errors.Join(err, s.tree.Tick())
	s.versions.Publish()
	if err := errors.Join(err, s.tracker.Update(s.tree.View())); err != nil {
		return err
	}
	for player, to := range s.clients {
		n := news{Entered: s.boxes(s.tracker.Entered(s.viewers[player])), Touched: s.boxes(s.tracker.Touched(s.viewers[player]))}
		n.Left = append(n.Left, s.tracker.Left(s.viewers[player])...)
		if len(n.Left)+len(n.Entered)+len(n.Touched) > 0 {
			select {
			case to <- n:
			default: // the client is slow, and has to start again
				delete(s.clients, player)
				close(to)
			}
		}
	}
	return nil
}

// boxes returns objects in the form that clients receive.
func (s *server) boxes(ids []uint32) map[uint32]linear.AABB {
	all := map[uint32]linear.AABB{}
	for _, id := range ids {
		o, _ := s.tree.View().Object(id)
		all[id] = o.Box
	}
	return all
}

// ServeHTTP handles these requests:
//
//	/walk?player=3&x=71      moves a player
//	/news?player=3           a stream of lines: the objects in view, then objects that enter, change and leave
//	/count?x=70              the number of players within 15
//	/debug/pprof/            profiles
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, err := strconv.ParseFloat(r.FormValue("x"), 32)
	place := err == nil && x-x == 0 // a number, not NaN, not infinite
	player, err := strconv.ParseUint(r.FormValue("player"), 10, 32)
	known := err == nil && player < uint64(len(s.viewers))
	switch {
	case r.URL.Path == "/walk" && known && place:
		s.mu.Lock()
		s.steps.Move(uint32(player), cube(float32(x)))
		s.places[uint32(player)] = cube(float32(x))
		s.mu.Unlock()
	case r.URL.Path == "/news" && known:
		s.tell(w, r, uint32(player))
	case r.URL.Path == "/count" && place:
		ball, _ := query.NewSphere([3]float32{float32(x), 0, 0}, 15)
		held := s.versions.Acquire()
		fmt.Fprintln(w, ball.Count(held.View(), query.Filter{}))
		held.Release()
	case r.URL.Path == "/debug/pprof/profile":
		pprof.Profile(w, r)
	case r.URL.Path == "/debug/pprof/trace":
		pprof.Trace(w, r)
	case strings.HasPrefix(r.URL.Path, "/debug/pprof/"):
		pprof.Index(w, r)
	default:
		http.NotFound(w, r)
	}
}

// tell sends news to a client until it disconnects.
func (s *server) tell(w http.ResponseWriter, r *http.Request, player uint32) {
	to := make(chan news, 16)
	s.mu.Lock()
	if before := s.clients[player]; before != nil { // the new client replaces it
		close(before)
	}
	s.clients[player] = to
	to <- news{Entered: s.boxes(s.tracker.InView(s.viewers[player]))} // the initial state, before the first news
	s.mu.Unlock()
	flush := http.NewResponseController(w)
	for {
		select {
		case n, ok := <-to:
			if !ok || json.NewEncoder(w).Encode(n) != nil || flush.Flush() != nil {
				return
			}
		case <-r.Context().Done():
			s.mu.Lock()
			if s.clients[player] == to {
				delete(s.clients, player)
			}
			s.mu.Unlock()
			return
		}
	}
}

// A small HTTP server with 5,000 players. One of them walks past another, whose client first receives all
// objects in view.
func Example_server() {
	s, err := newServer(5000)
	if err != nil {
		panic(err)
	}
	web := httptest.NewServer(s) // on the loopback address
	defer web.Close()
	client := http.Client{Timeout: time.Minute} // includes reading the stream: a missing update is an error
	get := func(path string) *http.Response {
		r, err := client.Get(web.URL + path)
		if err != nil {
			panic(err)
		}
		return r
	}
	line := func(from *bufio.Reader) string {
		text, err := from.ReadString('\n')
		if err != nil {
			return err.Error()
		}
		return text[:len(text)-1]
	}
	stream := get("/news?player=4000")
	defer stream.Body.Close()
	lines := bufio.NewReader(stream.Body)
	fmt.Println(line(lines))
	for _, x := range []int{39990, 39991, 40050} {
		get("/walk?player=7&x=" + strconv.Itoa(x)).Body.Close()
		if err := s.frame(); err != nil {
			panic(err)
		}
		fmt.Println(line(lines))
	}
	count := get("/count?x=40000")
	defer count.Body.Close()
	fmt.Println(line(bufio.NewReader(count.Body)))
	profiles := get("/debug/pprof/heap")
	profiles.Body.Close()
	wrong := get("/walk?player=7&x=NaN")
	wrong.Body.Close()
	fmt.Println(profiles.Status, wrong.Status)
	// Output:
	// {"entered":{"3999":{"Min":[39989.5,-0.5,-0.5],"Max":[39990.5,0.5,0.5]},"4000":{"Min":[39999.5,-0.5,-0.5],"Max":[40000.5,0.5,0.5]},"4001":{"Min":[40009.5,-0.5,-0.5],"Max":[40010.5,0.5,0.5]}}}
	// {"entered":{"7":{"Min":[39989.5,-0.5,-0.5],"Max":[39990.5,0.5,0.5]}}}
	// {"touched":{"7":{"Min":[39990.5,-0.5,-0.5],"Max":[39991.5,0.5,0.5]}}}
	// {"left":[7]}
	// 3
	// 200 OK 404 Not Found
}
