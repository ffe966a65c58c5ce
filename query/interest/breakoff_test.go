package interest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/interest"
	"github.com/zoctree/zoctree/query/occlude"
	"github.com/zoctree/zoctree/soa"
)

// addViewers adds viewers of all kinds to trackers, including viewers with occlusion.
func addViewers(t *testing.T, rng *rand.Rand, n int, trackers ...*interest.Tracker) {
	t.Helper()
	for k := range n {
		var a interest.Area
		var err error
		switch k % 25 {
		case 0:
			s := gazeAt(rng, k%6)
			wide := s
			if wide.Camera.FovY *= 1.2; k%4 == 0 {
				wide = s
			}
			a, err = interest.Visible(s, wide)
		case 1, 4, 7, 12, 18:
			a, err = interest.Sphere([3]float32{10, 5, 5}, 4, 5)
		default:
			a = square(t, [3]float32{5, 5, 5}, 3, 1)
		}
		testkit.Must(t, err)
		for _, tr := range trackers {
			tr.Add(a)
		}
	}
}

// toldOf returns all results of a tracker.
func toldOf(tr *interest.Tracker, viewers int) (list []string) {
	list = append(list, fmt.Sprint(tr.Changed()))
	for k := range uint32(viewers) {
		list = append(list, fmt.Sprint(tr.Entered(k), tr.Left(k), tr.Touched(k), tr.InView(k)))
	}
	return list
}

// TestBreakOff interrupts methods in their callbacks.
func TestBreakOff(t *testing.T) {
	const viewers = 200
	rng := testkit.Rand(1)
	objects := denseSceneBehindWalls(rng, 200)
	others := denseSceneBehindWalls(rng, 40)
	operations := []testkit.Operation{{Name: "Tracker.Update", Of: []string{"Tracker.Draw"}, New: func(t *testing.T, workers int) testkit.Call {
		tree := plant(t, objects)
		tr := &interest.Tracker{Workers: workers}
		addViewers(t, testkit.Rand(2), viewers, tr)
		update := func(list []soa.Object, back func()) error {
			for id := range others {
				testkit.Must(t, tree.Move(uint32(id), list[id].Box))
			}
			testkit.Must(t, tree.Tick())
			tr.Draw = func(*occlude.Culler) { back() }
			return tr.Update(tree.View())
		}
		return testkit.Call{
			Do: func(_ context.Context, back func()) (any, error) {
				tree = tree.Clone() // of other objects: the former view has no effect
				if err := update(objects, func() {}); err != nil {
					return nil, err
				}
				err := update(others, back)
				return toldOf(tr, viewers), err
			},
		}
	}}}
	var sights interest.SceneTracker
	viewer := sights.Add(square(t, [3]float32{}, 30, 1))
	testkit.Must(t, sights.Update(fleet(t, 20).View()))
	operations = append(operations, testkit.Iteration("SceneTracker.InView", sights.InView(viewer)))
	operations = append(operations, testkit.Operation{Name: "SceneTracker.Update", Of: []string{"SceneTracker.Draw"}, New: func(t *testing.T, workers int) testkit.Call {
		s, other := fleet(t, 30), fleet(t, 30)
		tr := &interest.SceneTracker{Workers: workers}
		rng := testkit.Rand(3)
		for k := range viewers {
			a := square(t, [3]float32{5, 5, 5}, 3, 1)
			if k%25 == 0 {
				var err error
				a, err = interest.Visible(gazeAt(rng, k%6), gazeAt(rng, k%6))
				testkit.Must(t, err)
			}
			tr.Add(a)
		}
		return testkit.Call{
			Do: func(_ context.Context, back func()) (any, error) {
				tr.Draw = nil
				if err := tr.Update(other.View()); err != nil { // the former view has no effect
					return nil, err
				}
				tr.Draw = func(*occlude.Culler) { back() }
				err := tr.Update(s.View())
				list := []string{fmt.Sprint(tr.Changed())}
				for k := range uint32(viewers) {
					list = append(list, fmt.Sprint(tr.Entered(k), tr.Left(k), tr.Touched(k), slices.Collect(tr.InView(k))))
				}
				return list, err
			},
		}
	}})
	testkit.Covered(t, operations)
	testkit.BreakOff(t, operations)
}

// An update whose Draw panics, at any call, loses nothing: the tracker keeps its previous results, and the
// next update reports the same as without a panic.
func TestDrawPanics(t *testing.T) {
	const viewers = 200
	for _, workers := range []int{1, 2, 4} {
		rng := testkit.Rand(testkit.Seed(t))
		objects := denseSceneBehindWalls(rng, 300)
		tree := plant(t, objects)
		tr, reference := &interest.Tracker{Workers: workers}, &interest.Tracker{Workers: workers}
		addViewers(t, rng, viewers, tr, reference)
		draws, changes := 0, 0
		for frame := range testkit.Budget(t, 4, 200) {
			for range []int{3, 30, 0, 200}[frame%4] {
				id := uint32(rng.IntN(len(objects)))
				testkit.Must(t, tree.Move(id, denseSceneBehindWalls(rng, 2)[id%2].Box))
			}
			if frame%5 == 4 { // viewers turn round
				id := uint32(25 * rng.IntN(viewers/25))
				s := gazeAt(rng, frame%6)
				a, err := interest.Visible(s, s)
				testkit.Must(t, err)
				testkit.Must(t, tr.Move(id, a))
				testkit.Must(t, reference.Move(id, a))
			}
			testkit.Must(t, tree.Tick())
			if frame%7 == 6 { // all objects are others
				tree = tree.Clone()
			}
			for range 1 + frame%2 {
				before := toldOf(tr, viewers)
				at := int64(rng.IntN(draws + 1))
				var calls atomic.Int64
				tr.Draw = func(*occlude.Culler) {
					if calls.Add(1) == at+1 {
						panic("draw")
					}
				}
				value := testkit.Panic(func() { testkit.Must(t, tr.Update(tree.View())) })
				if value != "draw" {
					t.Fatalf("%d workers, frame %d: Draw panicked at call %d of %d, Update with %v", workers, frame, at, draws, value)
				}
				testkit.NoWorkers(t)
				if now := toldOf(tr, viewers); !slices.Equal(now, before) {
					t.Fatalf("%d workers, frame %d: the tracker says %v, it said %v", workers, frame, now, before)
				}
			}
			var calls atomic.Int64
			tr.Draw = func(*occlude.Culler) { calls.Add(1) }
			testkit.Must(t, tr.Update(tree.View()))
			testkit.Must(t, reference.Update(tree.View()))
			draws = int(calls.Load()) - 1
			if now, want := toldOf(tr, viewers), toldOf(reference, viewers); !slices.Equal(now, want) {
				t.Fatalf("%d workers, frame %d: the tracker says %v, want %v", workers, frame, now, want)
			}
			changes += len(tr.Changed())
		}
		if draws < viewers/25-1 || changes < viewers {
			t.Errorf("%d calls of Draw, %d viewers had something to be told", draws, changes)
		}
	}
}

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
