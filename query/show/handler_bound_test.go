package show_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/internal/testkit/trees"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query/show"
	"github.com/zoctree/zoctree/soa"
)

// costly are requests of all pages, each with the largest allowed parameters.
var costly = []string{
	"/", "/profile?box=-1e9,-1e9,-1e9,1e9,1e9,1e9", "/icicle?format=png&width=3900&rows=40", "/picture?width=4000",
	"/picture?format=png&width=1800", "/picture?kind=overview&sphere=0,0,0,300&format=png&width=1800",
	"/picture?kind=result&box=-1e9,-1e9,-1e9,1e9,1e9,1e9&format=png&width=1800&exact=true",
	"/picture?kind=walk&sphere=0,0,0,300&format=png&width=1800&mask=1", "/picture?kind=walk&nearest=0,0,0,10000&width=4000&z=0",
}

// boundRows checks how many rows of pixels the sides of an image cross: at most those of 20,000 outlines and
// 2,000 large objects as tall as the image.
func boundRows(t *testing.T, h http.Handler, path string) {
	t.Helper()
	if !strings.Contains(path, "png") {
		return
	}
	rows, height, err := show.Rows(get(h, strings.Replace(path, "png", "svg", 1)).Body)
	if err != nil || rows < height || rows > 2*22_000*height {
		t.Errorf("%s: the sides cross %.0f rows of %.0f, want at most %.0f: %v", path, rows, height, 2*22_000*height, err)
	}
}

// askWith requests a page with a context.
func askWith(c context.Context, h http.Handler, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(c, "GET", "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
	h.ServeHTTP(w, r)
	return w
}

// A request allocates less than 64 MB, and an image is drawn from sides that cross a bounded number of rows of
// pixels. BenchmarkHandler shows the time.
func TestHandlerBounds(t *testing.T) {
	n := testkit.Budget(t, 20_000, show.MaxObjects)
	for _, name := range testkit.Budget(t, []string{"uniform"}, []string{"uniform", "city"}) {
		h := pagesOf(linear.NewPublisher(trees.Plant(t, testkit.SceneByName(t, name).Make(n, 1), false)))
		for i, path := range costly {
			if i != 4 && n < show.MaxObjects { // one image of the largest size is enough
				path = strings.ReplaceAll(path, "=1800", "=640")
			}
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := get(h, path)
			runtime.ReadMemStats(&after)
			if w.Code != 200 {
				t.Errorf("%s of %d: status %d, %s", path, n, w.Code, w.Body)
			}
			if size := after.TotalAlloc - before.TotalAlloc; size > 64_000_000 {
				t.Errorf("%s of %d objects allocates %d bytes", path, n, size)
			}
			boundRows(t, h, path)
		}
		for path, want := range map[string]string{
			"/picture?format=png&width=4000": "want at most 3000000", "/icicle?width=4001": "want 640 to 4000",
		} {
			if w := get(h, path); w.Code < 400 || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%s: status %d, %s", path, w.Code, w.Body)
			}
		}
	}
}

// Boxes as large as the map cost a picture little more than others: each outline crosses all of its rows. The
// limit of packets keeps the memory of a profile below 64 MB.
func TestHandlerBoundsHostile(t *testing.T) {
	r := testkit.Rand(1)
	objects := make([]soa.Object, testkit.Budget(t, 4000, 300_000))
	for i := range objects {
		for a := range 3 {
			objects[i].Box.Min[a], objects[i].Box.Max[a] = r.Float32()*30, 70+r.Float32()*30
		}
	}
	tree := trees.Plant(t, objects, false)
	h := pagesOf(linear.NewPublisher(tree))
	for _, path := range []string{"/picture?format=png&width=1800", "/picture?kind=overview&sphere=50,50,50,30&format=png&width=1800"} {
		if w := get(h, path); w.Code != 200 {
			t.Errorf("%s: status %d, %s", path, w.Code, w.Body)
		}
		boundRows(t, h, path)
	}
	const most = 150_000 // packets
	for _, path := range []string{"/profile?box=-1e9,-1e9,-1e9,1e9,1e9,1e9", "/icicle?box=-1e9,-1e9,-1e9,1e9,1e9,1e9"} {
		get(h, path) // memory that is allocated once
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		get(h, path)
		runtime.ReadMemStats(&after)
		size, slots := after.TotalAlloc-before.TotalAlloc, tree.Stats().Slots
		if limit := 3_000_000 + 61_000_000*slots/most; size > uint64(limit) {
			t.Errorf("%s of %d packets allocates %d bytes, at most %d", path, slots, size, limit)
		}
	}
	if testkit.Budget(t, false, true) {
		h := pagesOf(linear.NewPublisher(trees.Plant(t, testkit.SceneByName(t, "uniform").Make(2_000_000, 1), false)))
		if w := get(h, "/profile"); w.Code != 413 || !strings.Contains(w.Body.String(), "want at most 150000") {
			t.Errorf("a profile of too many packets: status %d, %s", w.Code, w.Body)
		}
	}
}

// counted is a context that ends after a number of checks.
type counted struct {
	context.Context
	asked atomic.Int64
	ends  int64
}

func (c *counted) Err() error {
	if c.asked.Add(1) > c.ends {
		return context.Canceled
	}
	return nil
}

// A request whose context ends is aborted: from each of its checks of the context, it makes a few more
// checks and returns no page. The view has been released by then, and before an image is drawn.
func TestHandlerCancelled(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "uniform").Make(1000, 1), false)
	var c *counted
	held, released := 0, int64(0)
	h := show.Handler(func() (linear.View, func()) {
		held++
		return tree.View(), func() { held--; released = c.asked.Load() }
	})
	for _, path := range costly {
		path = strings.ReplaceAll(path, "=1800", "=640")
		c = &counted{Context: t.Context(), ends: 1 << 60}
		if w := askWith(c, h, path); w.Code != 200 {
			t.Fatalf("%s: status %d, %s", path, w.Code, w.Body)
		}
		all := c.asked.Load()
		if strings.Contains(path, "png") && all-released < 20 {
			t.Errorf("%s: context checked %d times, %d of them while the view is acquired", path, all, released)
		}
		for ends := int64(0); ends < all; ends += 1 + all/int64(testkit.Budget(t, 3, 40)) {
			c = &counted{Context: t.Context(), ends: ends}
			w := askWith(c, h, path)
			if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "canceled") || held != 0 {
				t.Fatalf("%s, cancelled at %d of %d: status %d, %d views acquired", path, ends, all, w.Code, held)
			}
			if more := c.asked.Load() - ends; more > 30 {
				t.Fatalf("%s, cancelled at %d of %d: context checked %d times more", path, ends, all, more)
			}
		}
	}
}

// maxWaiting is the number of requests that wait.
const maxWaiting = 16

// One request is served at a time. Others wait, up to a number of them, while their context lasts.
func TestHandlerTurns(t *testing.T) {
	tree := trees.Plant(t, testkit.SceneByName(t, "city").Make(50, 1), false)
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var served atomic.Int32
		h := show.Handler(func() (linear.View, func()) {
			if served.Add(1) > 1 {
				t.Error("two requests are served at a time")
			}
			<-gate
			return tree.View(), func() { served.Add(-1) }
		})
		var codes [600]atomic.Int32
		var all sync.WaitGroup
		ask := func(c context.Context) { all.Go(func() { codes[askWith(c, h, "/picture").Code].Add(1) }) }
		ctx, leave := context.WithCancel(t.Context())
		ask(t.Context())
		synctest.Wait() // the first is served
		for range maxWaiting - 3 {
			ask(t.Context())
		}
		for range 3 {
			ask(ctx)
		}
		synctest.Wait()
		if w := askWith(t.Context(), h, "/picture"); w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "want at most 16") {
			t.Errorf("one too many: status %d, %v, %s", w.Code, w.Header(), w.Body)
		}
		leave()
		synctest.Wait()
		if n := codes[503].Load(); n != 3 {
			t.Errorf("%d of 3 that are cancelled return", n)
		}
		ask(t.Context()) // there is room again
		close(gate)
		all.Wait()
		if ok := codes[200].Load(); ok != maxWaiting-1 {
			t.Errorf("%d requests are served, want %d", ok, maxWaiting-1)
		}
	})
}

// The time of the requests of TestHandlerBounds.
func BenchmarkHandler(b *testing.B) {
	objects := testkit.SceneByName(b, "uniform").Make(show.MaxObjects, 1)
	h := pagesOf(linear.NewPublisher(trees.Plant(b, objects, false)))
	for _, path := range costly {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				if w := get(h, path); w.Code != 200 {
					b.Fatalf("status %d, %s", w.Code, w.Body)
				}
			}
		})
	}
}
