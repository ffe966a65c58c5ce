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

// news is what a client is sent after a frame: a line of JSON. What left comes first, for its
// number may be that of something that entered.
type news struct {
	Left    []uint32               `json:"left,omitempty"`
	Entered map[uint32]linear.AABB `json:"entered,omitempty"`
	Touched map[uint32]linear.AABB `json:"touched,omitempty"`
}

// server is a world of players who see what is within 15 of them. One goroutine changes the
// tree, frame by frame; counts read the version that was published last, and wait for nobody.
type server struct {
	tree     *linear.Tree
	versions *linear.Publisher
	tracker  interest.Tracker
	viewers  []uint32 // by player: the player of an ID is the object of that ID

	mu      sync.Mutex
	steps   linear.Batch // what players have asked for since the last frame
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

// frame does what players have asked for, publishes it, and tells them.
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
			default: // it is slow, and has to begin again
				delete(s.clients, player)
				close(to)
			}
		}
	}
	return nil
}

// boxes returns objects as clients are told of them.
func (s *server) boxes(ids []uint32) map[uint32]linear.AABB {
	all := map[uint32]linear.AABB{}
	for _, id := range ids {
		o, _ := s.tree.View().Object(id)
		all[id] = o.Box
	}
	return all
}

// ServeHTTP answers
//
//	/walk?player=3&x=71      a player goes somewhere
//	/news?player=3           what is in view, then what enters, is touched and leaves, line by line, as long as one likes
//	/count?x=70              how many are within 15
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

// tell sends a client its news until it has gone.
func (s *server) tell(w http.ResponseWriter, r *http.Request, player uint32) {
	to := make(chan news, 16)
	s.mu.Lock()
	if before := s.clients[player]; before != nil { // this one takes its place
		close(before)
	}
	s.clients[player] = to
	to <- news{Entered: s.boxes(s.tracker.InView(s.viewers[player]))} // where what follows begins
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

// A small server over HTTP, with 5,000 players. One of them walks past another one, who is told who is there at first.
func Example_server() {
	s, err := newServer(5000)
	if err != nil {
		panic(err)
	}
	web := httptest.NewServer(s) // on the loopback address
	defer web.Close()
	client := http.Client{Timeout: time.Minute} // of reading the stream, too: an update that is missing is an error
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
