package telemetry_test

import (
	"bytes"
	"encoding/json"
	"expvar"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/zoctree/zoctree/bench/programs/telemetry"
)

// Both servers give the same answers after each tick, while vehicles come, move and leave.
func TestSameAnswers(t *testing.T) {
	before, after := telemetry.NewLocked(), telemetry.NewPublished()
	rng := rand.New(rand.NewPCG(1, 2))
	random := func() [3]float32 {
		return [3]float32{float32(rng.Float64() * 100), float32(rng.Float64() * 100), float32(rng.Float64())}
	}
	sightings := 0
	for tick := range 200 {
		for range 50 {
			name := fmt.Sprint("bus ", rng.IntN(400))
			if rng.IntN(5) == 0 {
				before.Leave(name)
				after.Leave(name)
				continue
			}
			at := random()
			if err1, err2 := before.Report(name, at), after.Report(name, at); err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
		}
		if err := after.Tick(); err != nil {
			t.Fatal(err)
		}
		if after.Len() != before.Len() {
			t.Fatalf("tick %d: %d vehicles, want %d", tick, after.Len(), before.Len())
		}
		for range 20 {
			at, radius := random(), float32(30*rng.Float64())
			want, _ := before.Near(at, radius)
			got, err := after.Near(at, radius)
			// At the radius, and in the last bit of a distance, rounding may differ.
			near := func(a, b telemetry.Sighting) bool { return a.Name == b.Name && math.Abs(float64(a.Dist-b.Dist)) < 1e-4 }
			if err != nil || !slices.EqualFunc(got, want, near) {
				t.Fatalf("tick %d: %v %v, want %v", tick, got, err, want)
			}
			sightings += len(got)
		}
	}
	if sightings == 0 {
		t.Error("no sightings")
	}
}

// A report is visible from the next tick on, a vehicle that left before it leaves no trace, and names of reused IDs
// belong to the version that a reader holds.
func TestTicks(t *testing.T) {
	s := telemetry.NewPublished()
	near := func() string {
		seen, err := s.Near([3]float32{}, 10)
		return fmt.Sprint(seen, err)
	}
	s.Report("a", [3]float32{1})
	s.Report("b", [3]float32{2})
	s.Leave("b")
	if got := near(); got != "[] <nil>" {
		t.Errorf("before a tick: %s", got)
	}
	s.Tick()
	if got := near(); got != "[{a 1}] <nil>" {
		t.Errorf("after it: %s", got)
	}
	s.Leave("a")
	s.Report("c", [3]float32{3})
	s.Report("c", [3]float32{4})
	s.Tick()
	if got := near(); got != "[{c 4}] <nil>" {
		t.Errorf("after another: %s", got)
	}
	if err := s.Report("d", [3]float32{float32(math.NaN())}); err == nil {
		t.Error("no error for NaN")
	}
	if _, err := s.Near([3]float32{}, -1); err == nil {
		t.Error("no error for a negative radius")
	}
}

// Readers, reporters and ticks run at once: the race detector watches, and each answer has names.
func TestConcurrent(t *testing.T) {
	s := telemetry.NewPublished()
	var wait sync.WaitGroup
	for g := range 4 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for i := range 500 {
				name := fmt.Sprint(g, "/", rng.IntN(50))
				if i%3 == 0 {
					s.Leave(name)
				} else if err := s.Report(name, [3]float32{rng.Float32(), rng.Float32()}); err != nil {
					t.Error(err)
				}
				seen, err := s.Near([3]float32{}, 2)
				if err != nil || slices.ContainsFunc(seen, func(s telemetry.Sighting) bool { return s.Name == "" }) {
					t.Errorf("%v %v", seen, err)
				}
				if i%10 == 0 {
					if err := s.Tick(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wait.Wait()
}

func TestHTTP(t *testing.T) {
	s := telemetry.NewPublished()
	var log bytes.Buffer
	s.Log(slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.Collectors()...)
	mux := http.NewServeMux()
	mux.Handle("/", telemetry.Handler(s))
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	expvar.Publish("telemetry", s.Var())
	mux.Handle("GET /debug/vars", expvar.Handler())
	do := func(method, target, body string) (int, string) {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
		return w.Code, strings.TrimSpace(w.Body.String())
	}
	for _, body := range []string{`{"name": "bus 7", "at": [3, 4, 0]}`, `{"name": "tram 1", "at": [1, 0, 0]}`} {
		if code, text := do("POST", "/report", body); code != 200 {
			t.Errorf("%d %s", code, text)
		}
	}
	if err := s.Tick(); err != nil {
		t.Fatal(err)
	}
	if code, text := do("GET", "/near?x=0&y=0&z=0&r=5", ""); code != 200 || text != `[{"name":"tram 1","dist":1},{"name":"bus 7","dist":5}]` {
		t.Errorf("%d %s", code, text)
	}
	for _, bad := range [][3]string{
		{"POST", "/report", "{"}, {"POST", "/report", `{"at": [1, 2, 3]}`}, {"POST", "/report", `{"name": "` + strings.Repeat("x", 1<<13) + `"}`},
		{"GET", "/near?x=0&y=0&z=0", ""}, {"GET", "/near?x=0&y=0&z=0&r=-1", ""}, {"GET", "/near?x=0&y=0&z=0&r=NaN", ""},
	} {
		if code, text := do(bad[0], bad[1], bad[2]); code != 400 || text == "" {
			t.Errorf("%v: %d %s", bad[:2], code, text)
		}
	}
	_, text := do("GET", "/metrics", "")
	for _, want := range []string{"telemetry_reports_total 2", "telemetry_vehicles 2", "telemetry_tick_seconds_count 1"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	_, text = do("GET", "/debug/vars", "")
	var vars struct{ Telemetry struct{ Objects int } }
	if err := json.Unmarshal([]byte(text), &vars); err != nil || vars.Telemetry.Objects != 2 {
		t.Errorf("%v %s", err, text)
	}
	var record struct {
		Msg     string
		Reports int
		Tree    struct{ Objects int }
	}
	if err := json.Unmarshal(log.Bytes(), &record); err != nil || record.Msg != "tick" || record.Reports != 2 || record.Tree.Objects != 2 {
		t.Errorf("%v %s", err, log.String())
	}
}
