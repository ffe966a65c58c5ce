package interest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// listener is a client that keeps its objects in view.
type listener struct {
	mu     sync.Mutex
	world  map[uint32]linear.AABB
	wrong  string
	player int
}

// listen applies news until the stream ends. The first message holds all objects in view.
func (l *listener) listen(body io.Reader) {
	l.mu.Lock()
	clear(l.world)
	l.mu.Unlock()
	for d := json.NewDecoder(body); ; {
		var n news
		if d.Decode(&n) != nil {
			return
		}
		l.mu.Lock()
		for _, id := range n.Left {
			if _, ok := l.world[id]; !ok {
				l.wrong = fmt.Sprint(id, " left and was not there")
			}
			delete(l.world, id)
		}
		for id, box := range n.Entered {
			if _, ok := l.world[id]; ok {
				l.wrong = fmt.Sprint(id, " entered and was there")
			}
			l.world[id] = box
		}
		for id, box := range n.Touched {
			if _, ok := l.world[id]; !ok {
				l.wrong = fmt.Sprint(id, " was touched and was not there")
			}
			l.world[id] = box
		}
		l.mu.Unlock()
	}
}

// Thousands of players walk, over real connections, while others listen and frames continue: in the end
// each listener has exactly the players nearby.
func TestServer(t *testing.T) {
	const players, listeners, walkers = 5000, 40, 8
	s, err := newServer(players)
	testkit.Must(t, err)
	web := httptest.NewServer(s)
	defer web.Close()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: walkers}}
	defer client.CloseIdleConnections()
	ctx, end := context.WithCancel(context.Background())
	get := func(path string) (*http.Response, error) {
		q, err := http.NewRequestWithContext(ctx, http.MethodGet, web.URL+path, nil)
		if err != nil {
			return nil, err
		}
		r, err := client.Do(q)
		if err == nil && r.StatusCode != http.StatusOK {
			r.Body.Close()
			err = fmt.Errorf("%s: %s", path, r.Status)
		}
		return r, err
	}
	var listen, walk sync.WaitGroup
	all := make([]*listener, listeners)
	for i := range all {
		l := &listener{world: map[uint32]linear.AABB{}, player: i * players / listeners}
		all[i] = l
		listen.Go(func() {
			for ctx.Err() == nil { // a slow client is dropped, and starts again
				if r, err := get(fmt.Sprint("/news?player=", l.player)); err == nil {
					l.listen(r.Body)
					r.Body.Close()
				}
			}
		})
	}
	failed := make(chan error, walkers)
	each := testkit.Budget(t, 100, 4*players/walkers)
	for k := range walkers {
		walk.Go(func() {
			rng := testkit.Rand(uint64(k))
			for i := range each {
				r, err := get(fmt.Sprintf("/walk?player=%d&x=%d", (k*each+i)%players, rng.IntN(10*players)))
				if err != nil {
					failed <- err
					return
				}
				r.Body.Close()
			}
		})
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				stopped <- s.frame()
				return
			case <-time.After(10 * time.Millisecond):
				if err := s.frame(); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	walk.Wait()
	close(stop)
	testkit.Must(t, <-stopped)
	select {
	case err := <-failed:
		t.Fatal(err)
	default:
	}
	r, err := get("/debug/pprof/goroutine?debug=1")
	testkit.Must(t, err)
	r.Body.Close()

	near := 0
	for _, l := range all {
		here, _ := s.tree.View().Object(uint32(l.player))
		within := func(radius float32) map[uint32]linear.AABB {
			all := map[uint32]linear.AABB{}
			for id := range uint32(players) {
				o, _ := s.tree.View().Object(id)
				if d := o.Box.Center()[0] - here.Box.Center()[0]; d*d <= (radius+0.5)*(radius+0.5) {
					all[id] = o.Box
				}
			}
			return all
		}
		want, may := within(15), within(18) // an entered object stays until it is further away than 18
		near += len(want)
		for wait := 0; ; wait++ {
			l.mu.Lock()
			same, wrong, have := holds(l.world, want) && holds(may, l.world), l.wrong, len(l.world)
			l.mu.Unlock()
			if wrong != "" {
				t.Fatalf("player %d: %s", l.player, wrong)
			}
			if same {
				break
			}
			if wait == 1000 {
				t.Fatalf("player %d knows of %d, want %d", l.player, have, len(want))
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if near < listeners+listeners/2 {
		t.Errorf("%d near %d listeners", near, listeners)
	}
	end()
	listen.Wait()
}

// holds reports whether a map contains another one.
func holds(m, other map[uint32]linear.AABB) bool {
	for id, box := range other {
		if have, ok := m[id]; !ok || have != box {
			return false
		}
	}
	return true
}
