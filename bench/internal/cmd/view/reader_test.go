package view

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/bench/internal/cmd/view/demo"
	"github.com/zoctree/zoctree/bench/internal/must"
)

const grid = "x,y,z\n1,2,3\n4,5,6\n9,8,7\n"

// folderOf returns a folder with a file of points, and others.
func folderOf(t *testing.T) dataSets {
	dir := t.TempDir()
	for name, text := range map[string]string{"a grid.csv": grid, "README.md": "no data", ".hidden.csv": grid} {
		must.Do(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return must.Get(dataOf(dir))
}

// The files of a folder are offered, and no others; a folder of the environment may be missing.
func TestData(t *testing.T) {
	d := folderOf(t)
	if len(d.files) != 1 || d.files[0].Name != "a grid.csv" {
		t.Errorf("files %+v", d.files)
	}
	server := httptest.NewServer(d.offer(folder{"index.html": []byte("page")}))
	defer server.Close()
	for path, want := range map[string]string{
		"/": "page", "/data.json": `[{"name":"a grid.csv","bytes":24}]`, "/data/a%20grid.csv": grid,
		"/data/README.md": "", "/data/.hidden.csv": "", "/data/..%2f..%2fetc%2fpasswd": "", "/data/": "",
	} {
		if status, body := get(server.URL + path); (status == http.StatusOK) != (want != "") || want != "" && body != want {
			t.Errorf("%s: %d, %q", path, status, body)
		}
	}
	missing := filepath.Join(t.TempDir(), "missing")
	if o := bench.Do("view", "-data", missing); o.Code != 1 || !strings.Contains(o.Errs, missing) {
		t.Errorf("a missing folder: %+v", o)
	}
	if _, err := dataOf(t.TempDir()); err == nil {
		t.Error("no error for a folder without data")
	}
	t.Setenv(envData, missing)
	if d, err := dataOf(""); err != nil || len(d.files) > 0 {
		t.Errorf("a missing folder of the environment: %+v, %v", d, err)
	}
}

// A file of the server is a scene, and its name is in the address.
func offered(t *testing.T, d *driver) {
	s := d.show("mode=nearest&scene=data&data=a%20grid.csv&k=2")
	if !strings.HasPrefix(s.About.Title, "a grid.csv") || s.About.Objects != 3 {
		t.Errorf("the page shows %+v", s.About)
	}
	s.sameAs(t, must.Get(demo.Open("a grid.csv", []byte(grid))))
	var text string
	if d.run(&text, "return document.querySelector('#source select').selectedOptions[0].textContent"); text != "a grid.csv" {
		t.Errorf("the list of scenes shows %q", text)
	}
}

// Keys move the query and the picture while the canvas has the focus, and a rested query is announced.
func keys(t *testing.T, d *driver) {
	before := d.show("mode=camera&scene=uniform&n=4000")
	moved := func(press ...string) shown {
		d.run(nil, "page.stage.canvas.focus(); page.timed = false")
		d.press(press...)
		return d.settled()
	}
	after := moved("w", "w", "e", "d")
	if after.Question.Eye[2] <= before.Question.Eye[2] || after.Question.Eye == before.Question.Eye {
		t.Errorf("moved from %v to %v", before.Question.Eye, after.Question.Eye)
	}
	for a := range 3 { // the direction stays
		if by := (after.Question.At[a] - after.Question.Eye[a]) - (before.Question.At[a] - before.Question.Eye[a]); by*by > 1e-6 {
			t.Errorf("the direction changes from %+v to %+v", before.Question, after.Question)
		}
	}
	after.same(t)
	turned := moved("j", "i")
	if turned.Question.Eye != after.Question.Eye || turned.Question.At == after.Question.At || turned.Question.At[2] <= after.Question.At[2] {
		t.Errorf("turned from %+v to %+v", after.Question, turned.Question)
	}
	var live, sentence string
	d.run(&live, "return document.getElementById('live').textContent")
	if d.run(&sentence, "return document.getElementById('sentence').textContent"); live != sentence || sentence != turned.Answer.Sentence {
		t.Errorf("%q is announced, the sentence is %q, the answer %q", live, sentence, turned.Answer.Sentence)
	}
	var views [4][]float64
	for i, key := range []string{"", "\ue012", "\ue013", "+"} { // arrow left and up
		if key != "" {
			d.press(key)
		}
		d.run(&views[i], "return page.stage.view")
		if i > 0 && slices.Equal(views[i], views[i-1]) {
			t.Errorf("key %q does not turn the picture", key)
		}
	}
	if home := moved("\ue011"); home.Question != before.Question {
		t.Errorf("Home: %+v, before %+v", home.Question, before.Question)
	}
	d.run(nil, "document.activeElement.blur()")
	d.press("w")
	var eye [3]float64
	if d.run(&eye, "return page.state.eye"); eye != before.Question.Eye {
		t.Errorf("without the focus a key moves the eye to %v", eye)
	}
}

// contrast computes the contrast of all text with its background (WCAG 2.2, 1.4.3), in both schemes and in a large and
// a small window, and that each control has a name.
func contrast(t *testing.T, d *driver) {
	defer d.size(800, 500)
	defer d.media("light", "no-preference")
	for i, scheme := range []string{"light", "dark", "dark", "light"} {
		d.media(scheme, "reduce")
		d.size([2]int{1440, 390}[i/2], [2]int{900, 844}[i/2])
		d.show("mode=camera&scene=city&n=" + fmt.Sprint(1500+i))
		var faults []string
		d.run(&faults, `
			const rgba = (c) => { const v = c.match(/[\d.]+/g).map(Number); return v.length < 4 ? [...v, 1] : v; };
			const over = (a, b) => a.slice(0, 3).map((x, i) => x * a[3] + b[i] * (1 - a[3])).concat(1);
			const light = (c) => {
				const [r, g, b] = c.map((x) => x / 255).map((x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
				return 0.2126 * r + 0.7152 * g + 0.0722 * b;
			};
			const faults = [], back = (e) => {
				const c = rgba(getComputedStyle(e).backgroundColor);
				return c[3] === 1 ? c : over(c, e.parentElement ? back(e.parentElement) : [255, 255, 255, 1]);
			};
			let seen = 0;
			for (const e of document.querySelectorAll("body *")) {
				const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).join("");
				if (text && e.id !== "live" && e.getClientRects().length) {
					const b = back(e), f = over(rgba(getComputedStyle(e).color), b), l = [light(b), light(f)];
					const ratio = (Math.max(...l) + 0.05) / (Math.min(...l) + 0.05);
					seen++;
					if (ratio < 4.5) faults.push(text + ": " + ratio.toFixed(2));
				}
				if (e.matches("button, input, select, canvas, nav, aside") && !e.hidden && !(e.ariaLabel || e.textContent.trim() && !e.matches("select"))) faults.push(e.outerHTML);
			}
			if (seen < 40) faults.push("only " + seen + " texts");
			if (document.documentElement.scrollWidth > innerWidth) faults.push("the page is wider than the window");
			return faults;`)
		if len(faults) > 0 {
			t.Errorf("%s: %q", scheme, faults)
		}
		var dark bool
		if d.run(&dark, "return getComputedStyle(document.body).backgroundColor === 'rgb(20, 23, 27)'"); dark != (scheme == "dark") {
			t.Errorf("scheme %s: dark is %v", scheme, dark)
		}
	}
}

// The opening flight moves the camera and the query, and a key or a click ends it. It does not start where the reader
// wants less motion, or where the address has a view.
func flight(t *testing.T, d *driver) {
	var url string
	d.run(&url, `
		const next = requestAnimationFrame;
		let now = 0;
		window.requestAnimationFrame = (f) => next(() => f(++now)); // on a slow machine the flight would end before the click
		return location.origin`)
	var first shown
	for stop, end := range map[string]func(){"key": func() { d.press("x") }, "click": func() { d.drag(200, 300, 0, 0) }, "end": func() { d.run(nil, "page.slow = -1") }} {
		first = d.show(fmt.Sprintf("mode=camera&scene=city&n=1200&fov=%d", 40+len(stop)))
		d.run(nil, "page.slow = 1e9; page.asked = 0; page.opening()")
		d.wait("page.flying && page.asked > 3")
		end()
		s := d.settled()
		if (s.Question.At == first.Question.At) != (stop == "end") {
			t.Errorf("the flight ends by %q with the question %+v, before %+v", stop, s.Question, first.Question)
		}
		s.same(t)
	}
	first = d.show("mode=camera&scene=city&n=1200")
	d.reopen(url + "/#n=1200")
	d.wait("window.page && page.flown")
	d.run(nil, "page.slow = -1")
	if s := d.settled(); s.Question != first.Question {
		t.Errorf("after the flight the question is %+v, want %+v", s.Question, first.Question)
	}
	d.media("light", "reduce")
	d.reopen(url + "/#n=1200")
	s := d.settled()
	var flown bool
	if d.run(&flown, "return Boolean(page.flown)"); flown || s.Question != first.Question {
		t.Errorf("with less motion the page flies: %v, and the question is %+v, want %+v", flown, s.Question, first.Question)
	}
}
