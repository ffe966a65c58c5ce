package view

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// shown is the page's query and its results.
type shown struct {
	Question demo.Question
	Answer   demo.Answer
	State    struct {
		Scene string
		N     int
		Seed  uint64
	}
	About demo.About
	Drawn int // frames
}

// show gives the page a state, by its address, and waits for a result.
func (d *driver) show(state string) (s shown) {
	d.t.Helper()
	return d.after(goTo, state)
}

// goTo changes the address and tells the page at once: a browser tells it later, when it may have timed the former
// query once more.
const goTo = "history.replaceState(null, '', '#' + arguments[0]); dispatchEvent(new Event('hashchange'))"

// after runs a function body when no query is pending, and waits for the next result. A body that does not change
// the query at once returns a promise that ends when it has.
func (d *driver) after(body string, args ...any) (s shown) {
	d.t.Helper()
	d.wait("window.page && page.timed")
	d.run(nil, "page.timed = false; "+body, args...)
	return d.settled()
}

// settled waits for a result with its times.
func (d *driver) settled() (s shown) {
	d.t.Helper()
	d.wait("window.page && page.question && page.timed && page.stage.drawn && !page.stage.pending")
	var text string
	d.run(&text, "return JSON.stringify({...page, order: 0, drawn: page.stage.drawn, stage: 0})")
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		d.t.Fatal(err)
	}
	return s
}

// counts are the numbers that do not depend on the clock.
func counts(a demo.Answer) (list []any) {
	for _, n := range a.Numbers {
		list = append(list, n)
	}
	for _, b := range a.Bars {
		if !strings.HasPrefix(b.Unit, "µs") {
			list = append(list, b)
		}
	}
	return append(list, a.Boxes, a.Lines, a.Center, a.Sentence, a.Check, a.Equal)
}

// same runs the same query with the library in this process.
func (s *shown) same(t *testing.T) {
	t.Helper()
	stage := must.Get(demo.NewStage(s.State.Scene, s.State.N, s.State.Seed))
	s.sameAs(t, stage)
}

func (s *shown) sameAs(t *testing.T, stage *demo.Stage) {
	t.Helper()
	for frame := range s.Question.Frame { // as the page received it
		q := s.Question
		q.Frame = frame
		must.Get(stage.Ask(q))
	}
	want := must.Get(stage.Ask(s.Question))
	if got, want := counts(s.Answer), counts(want); !reflect.DeepEqual(got, want) || !s.Answer.Equal {
		t.Errorf("%s: the page has\n%v\nand Go\n%v", s.Question.Mode, got, want)
	}
}

// blank reports whether a part of a picture is nearly of one colour.
func blank(t *testing.T, shot []byte, part image.Rectangle) bool {
	t.Helper()
	img := must.Get(png.Decode(bytes.NewReader(shot)))
	other, first := 0, img.At(part.Min.X+1, part.Min.Y+1)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if img.At(x, y) != first {
				other++
			}
		}
	}
	return other < part.Dx()*part.Dy()/50
}

// TestPage uses the page in a browser.
func TestPage(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("a browser takes 27 s of CPU time, and the library for it as many to compile")
	}
	d := browse(t)
	files := site(t.Context(), t.Output())
	server := httptest.NewServer(folderOf(t).offer(files))
	defer server.Close()
	d.size(800, 500)
	d.media("light", "reduce")
	d.open(server.URL + "/#n=1000")
	d.settled()
	d.media("light", "no-preference")
	for _, part := range []struct {
		name string
		test func(t *testing.T, d *driver)
	}{{"modes", everyMode}, {"late", late}, {"drag", dragging}, {"address", reloading}, {"nonsense", nonsense}, {"windows", windows}, {"focus", focus}, {"keys", keys}, {"contrast", contrast}, {"animation", playing}, {"files", dropping}, {"data", offered}, {"flight", flight}} {
		t.Run(part.name, func(t *testing.T) {
			d.t = t
			part.test(t, d)
			if lines := d.console(); len(lines) > 0 {
				t.Errorf("the console has %q", lines)
			}
		})
	}
	d.t = t
	var loaded []string
	d.run(&loaded, "return performance.getEntriesByType('resource').map((e) => e.name)")
	for _, url := range loaded {
		if !strings.HasPrefix(url, server.URL+"/") {
			t.Errorf("the page has loaded %s", url)
		}
	}
}

// Every mode shows the numbers computed in Go, and draws something.
func everyMode(t *testing.T, d *driver) {
	for i, mode := range []string{demo.Camera, demo.Occlusion, demo.Ray, demo.Nearest, demo.Pairs, demo.Tree, demo.Curve, demo.Motion, demo.Interest, demo.Map, demo.Instances} {
		scene, n := []string{"city", "uniform"}[i%2], 4000
		if own, ok := map[string]string{demo.Motion: demo.Moving, demo.Interest: demo.Moving, demo.Map: demo.Lidar, demo.Instances: demo.Blocks}[mode]; ok {
			scene, n = own, 2000+i
		}
		s := d.show(fmt.Sprintf("mode=%s&scene=%s&n=%d&seed=3&frame=4&k=50", mode, scene, n))
		if s.Question.Mode != mode || s.State.Scene != scene || s.State.N != n || s.Drawn == 0 {
			t.Errorf("mode %s of %s: the question is %+v, the state %+v", mode, scene, s.Question, s.State)
		}
		s.same(t)
		if blank(t, d.screenshot(), image.Rect(0, 100, 370, 470)) {
			t.Errorf("mode %s of %s: the picture is blank", mode, scene)
		}
	}
}

// A query that is due to be timed is not asked about other objects.
func late(t *testing.T, d *driver) {
	d.show("mode=camera&scene=city&n=2000")
	s := d.after(`
		window.calls = [];
		for (const name of ["make", "ask"]) {
			const call = zoctree[name];
			zoctree[name] = (...args) => (calls.push(name), call(...args));
		}
		for (const end = performance.now() + 900; performance.now() < end;); // now it is due
		`+goTo, "mode=map&n=2000&eye=1,2,3&at=4,5,6")
	var calls []string
	if d.run(&calls, "return calls"); len(calls) < 2 || calls[0] != "make" {
		t.Errorf("the calls are %q", calls)
	}
	s.same(t)
}

// Dragging a handle moves the query.
func dragging(t *testing.T, d *driver) {
	before := d.show("mode=camera&scene=uniform&n=4000")
	var at struct{ X, Y float64 }
	d.run(&at, "const r = page.stage.canvas.getBoundingClientRect(), p = page.stage.onScreen(page.state.at); return {X: p.x + r.left, Y: p.y + r.top}")
	d.run(nil, "page.timed = false")
	d.drag(at.X, at.Y, 40, -15)
	after := d.settled()
	if before.Question.At == after.Question.At || before.Question.Eye != after.Question.Eye || before.Question.At[2] != after.Question.At[2] {
		t.Errorf("dragged: the question was %+v and is %+v", before.Question, after.Question)
	}
	after.same(t)
	var view []float64
	d.run(&view, "return page.stage.view")
	d.drag(30, 130, 50, 20) // elsewhere: the picture turns
	var turned []float64
	if d.run(&turned, "return page.stage.view"); slices.Equal(view, turned) {
		t.Errorf("the picture is still at %v", view)
	}
}

// The address holds the complete state: a page opened with it shows the same.
func reloading(t *testing.T, d *driver) {
	d.show("mode=nearest&scene=clustered&n=3000&seed=5&k=30")
	s := d.after("page.state.eye = [1.5, 2.25, 3.125]; page.stage.orbit.dispatchEvent({type: 'end'}); dispatchEvent(new Event('hashchange'))")
	var url string
	d.run(&url, "return location.href")
	d.reopen(url)
	again := d.settled()
	if again.Question != s.Question || again.Question.Eye != [3]float64{1.5, 2.25, 3.125} || again.State != s.State {
		t.Errorf("%s shows %+v, and was %+v", url, again.Question, s.Question)
	}
	again.same(t)
}

// An invalid address still shows a scene.
func nonsense(t *testing.T, d *driver) {
	s := d.show("mode=art&scene=nowhere&n=-5&k=many&eye=1,2&fov=1e9&depth=")
	if s.Question.Mode != demo.Camera || s.State.Scene != "city" || s.Question.K != 100 {
		t.Errorf("the question is %+v, the state %+v", s.Question, s.State)
	}
	d.wait("document.getElementById('busy').textContent.includes('nowhere')")
	s = d.show("mode=pairs&scene=identical&n=10")
	s.same(t)
}

// In windows of any shape all objects are in the picture, and no button is cut off.
func windows(t *testing.T, d *driver) {
	defer d.size(800, 500)
	for _, size := range [][2]int{{1600, 1000}, {1024, 700}, {390, 800}, {700, 300}} {
		d.size(size[0], size[1])
		d.wait(fmt.Sprintf("innerWidth === %d && innerHeight === %d", size[0], size[1]))
		for _, scene := range []string{"city", "uniform"} {
			d.show("mode=tree&n=1001&scene=" + scene + "&seed=" + fmt.Sprint(size[0]))
			var out []string
			d.run(&out, `
				const b = page.about.bounds, r = page.stage.canvas.getBoundingClientRect(), out = [];
				let least = Infinity, most = 0;
				for (let i = 0; i < 8; i++) {
					const p = page.stage.onScreen([0, 1, 2].map((a) => b[a + 3 * (i >> a & 1)]));
					if (!(p.x > 0 && p.x < r.width && p.y > 0 && p.y < r.height)) out.push("corner at " + p.x + ", " + p.y);
					least = Math.min(least, p.x / r.width, p.y / r.height);
					most = Math.max(most, p.x / r.width, p.y / r.height);
				}
				if (most - least < 0.8) out.push("all is as small as " + (most - least));
				for (const e of document.querySelectorAll("button")) if (e.getBoundingClientRect().right > innerWidth) out.push(e.textContent);
				return out;`)
			if len(out) > 0 {
				t.Errorf("%s in %v: outside the picture: %q", scene, size, out)
			}
		}
		for _, frame := range []int{0, 150} { // the picture follows the vehicle
			d.show(fmt.Sprintf("mode=map&n=3000&frame=%d", frame))
			var x float64
			if d.run(&x, "return page.stage.onScreen(page.answer.center).x / page.stage.canvas.getBoundingClientRect().width"); math.Abs(x-0.5) > 0.1 {
				t.Errorf("frame %d in %v: the vehicle is at %.2f of the width", frame, size, x)
			}
		}
	}
}

// A button pressed with a key keeps the focus, though the panel has been rebuilt.
func focus(t *testing.T, d *driver) {
	d.show("mode=camera&scene=city&n=2000")
	d.run(nil, "const b = [...document.querySelectorAll('#modes button')].find((b) => b.textContent === 'Tree'); b.focus(); b.click()")
	d.wait("page.state.mode === 'tree'")
	d.run(nil, "const b = [...document.querySelectorAll('#controls button')].find((b) => b.textContent === 'cells'); b.focus(); b.click()")
	var focus string
	if d.run(&focus, "return document.activeElement.textContent"); focus != "cells" {
		t.Errorf("the focus is on %q", focus)
	}
	d.settled()
}

// A click on a mode in motion starts the animation, and another on its button ends it.
func playing(t *testing.T, d *driver) {
	d.show("mode=camera&scene=city&n=2000")
	d.run(nil, "[...document.querySelectorAll('#modes button')].find((b) => b.textContent === 'Motion').click()")
	d.wait("page.state.mode === 'motion' && page.question.Frame > 5")
	d.run(nil, "[...document.querySelectorAll('#controls button')].find((b) => b.textContent.startsWith('play')).click()")
	s := d.settled()
	if s.State.Scene != demo.Moving || s.State.N != 20000 || !s.Answer.Equal {
		t.Errorf("the animation stops with %+v", s.State)
	}
	s.same(t)
	var state string
	d.wait(fmt.Sprintf("location.hash.includes('frame=%d')", s.Question.Frame))
	d.run(nil, "[...document.querySelectorAll('#modes button')].find((b) => b.textContent === 'Ray').click()")
	d.wait("page.state.mode === 'ray' && page.question.Mode === 'ray'")
	if d.run(&state, "return page.state.scene + page.state.n"); state != "city2000" {
		t.Errorf("after the animation the state is %s", state)
	}
}

// A dropped file is read by the library, and an invalid one is rejected with a message.
func dropping(t *testing.T, d *driver) {
	const give = "return page.open(new File([Uint8Array.from(atob(arguments[1]), (c) => c.charCodeAt(0))], arguments[0]))"
	objects := make([]linear.Object, 500)
	text := "x,y,z\n"
	for i := range objects {
		p := [3]float32{float32(i % 10), float32(i / 10 % 10), float32(i / 100)}
		objects[i].Box = linear.AABB{Min: p, Max: [3]float32{p[0] + 0.5, p[1] + 0.5, p[2] + 0.5}}
		text += fmt.Sprintf("%v,%v,%v\n", p[0], p[1], p[2])
	}
	tree := must.Get(linear.New(linear.Config{}))
	must.Get(tree.InsertBatch(nil, objects))
	var snapshot bytes.Buffer
	must.Get(tree.WriteTo(&snapshot))
	for name, data := range map[string][]byte{"grid.csv": []byte(text), "grid.zoctree": snapshot.Bytes()} {
		stage := must.Get(demo.Open(name, data))
		s := d.after(give, name, base64.StdEncoding.EncodeToString(data))
		if !strings.HasPrefix(s.About.Title, name) || s.About.Objects != len(objects) {
			t.Errorf("%s is shown as %+v", name, s.About)
		}
		s.sameAs(t, stage)
	}
	d.run(nil, give, "grid.ply", base64.StdEncoding.EncodeToString([]byte("ply\nformat nonsense\n")))
	d.wait("document.getElementById('busy').textContent.startsWith('grid.ply')")
	d.show("mode=camera&scene=city&n=2000") // the page still works

	// A later result, such as each frame of an animation, does not erase the error message.
	d.show("mode=motion&scene=bouncing&n=2000")
	var said string
	d.run(&said, give+`.then(() => {
		document.querySelector("input[aria-label=frame]").oninput();
		return document.getElementById("busy").textContent;
	})`, "film.ply", base64.StdEncoding.EncodeToString([]byte("ply\nformat nonsense\n")))
	if !strings.HasPrefix(said, "film.ply") {
		t.Errorf("a frame after a refusal the page says %q", said)
	}
}
