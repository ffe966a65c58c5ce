package view

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
)

// driver is a session of a headless browser, over the WebDriver protocol, which is plain
// HTTP.
type driver struct {
	t   *testing.T
	url string // of the session
}

var started = regexp.MustCompile(`started successfully on port (\d+)`)

// browse starts a browser, or skips the test.
func browse(t *testing.T) *driver {
	t.Helper()
	path, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Skip("no chromedriver: ", err)
	}
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if browser, err = exec.LookPath(name); err == nil {
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium beside chromedriver")
	}
	cmd := exec.Command(path, "--port=0")
	out := must.Get(cmd.StdoutPipe())
	must.Do(cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	port := ""
	for lines := bufio.NewScanner(out); port == "" && lines.Scan(); {
		if m := started.FindStringSubmatch(lines.Text()); m != nil {
			port = m[1]
		}
	}
	if port == "" {
		t.Fatal("chromedriver has not started")
	}
	go io.Copy(io.Discard, out)

	d := &driver{t, "http://127.0.0.1:" + port + "/session"}
	var session struct {
		ID string `json:"sessionId"`
	}
	d.do("POST", "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"timeouts":          map[string]int{"script": 180_000}, // milliseconds: also on a busy machine
		"goog:loggingPrefs": map[string]string{"browser": "ALL"},
		"goog:chromeOptions": map[string]any{"binary": browser, "args": []string{
			"--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
			"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
			"--user-data-dir=" + t.TempDir(),
		}},
	}}}, &session)
	d.url += "/" + session.ID
	t.Cleanup(func() { d.do("DELETE", "", nil, nil) })
	return d
}

// do sends a command and reads its value.
func (d *driver) do(method, path string, body, value any) {
	d.t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, d.url+path, bytes.NewReader(text))
	if err != nil {
		d.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		d.t.Fatal(err)
	}
	defer response.Body.Close()
	var reply struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&reply); err != nil {
		d.t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		d.t.Fatalf("%s %s: %s", method, path, reply.Value)
	}
	if value != nil {
		if err := json.Unmarshal(reply.Value, value); err != nil {
			d.t.Fatalf("%s %s: %v in %s", method, path, err, reply.Value)
		}
	}
}

func (d *driver) open(url string) { d.do("POST", "/url", map[string]string{"url": url}, nil) }

// run runs a function body and reads its result.
func (d *driver) run(value any, body string, args ...any) {
	d.t.Helper()
	if args == nil {
		args = []any{}
	}
	d.do("POST", "/execute/sync", map[string]any{"script": body, "args": args}, value)
}

// wait waits until an expression is true.
func (d *driver) wait(expression string) {
	d.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var ok bool
		if d.run(&ok, "return Boolean("+expression+")"); ok {
			return
		}
		if time.Now().After(end) {
			var busy string
			d.run(&busy, "return document.getElementById('busy').textContent")
			d.t.Fatalf("not within three minutes: %s; the page says %q, the console %q", expression, busy, d.console())
		}
	}
}

// size sets the size of the page.
func (d *driver) size(width, height int) {
	d.do("POST", "/goog/cdp/execute", map[string]any{"cmd": "Emulation.setDeviceMetricsOverride", "params": map[string]any{
		"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
	}}, nil)
}

// media sets the preferences of the reader.
func (d *driver) media(scheme, motion string) {
	d.do("POST", "/goog/cdp/execute", map[string]any{"cmd": "Emulation.setEmulatedMedia", "params": map[string]any{"features": []any{
		map[string]string{"name": "prefers-color-scheme", "value": scheme}, map[string]string{"name": "prefers-reduced-motion", "value": motion},
	}}}, nil)
}

// reopen opens a page anew, also if only the part after # differs.
func (d *driver) reopen(url string) {
	d.open("about:blank")
	d.open(url)
}

// press presses keys one after the other.
func (d *driver) press(keys ...string) {
	var actions []any
	for _, key := range keys {
		actions = append(actions, map[string]string{"type": "keyDown", "value": key}, map[string]string{"type": "keyUp", "value": key})
	}
	d.do("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keys", "actions": actions}}}, nil)
}

// console returns the errors in the page since the last call.
func (d *driver) console() (lines []string) {
	var entries []struct{ Level, Message string }
	d.do("POST", "/se/log", map[string]string{"type": "browser"}, &entries)
	for _, e := range entries {
		if e.Level == "SEVERE" { // a driver warns that screenshots are slow
			lines = append(lines, e.Message)
		}
	}
	return lines
}

// screenshot returns a PNG of the page.
func (d *driver) screenshot() []byte {
	var text string
	d.do("GET", "/screenshot", nil, &text)
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		d.t.Fatal(err)
	}
	return data
}

// drag presses the mouse at a position of the page and moves it, in steps.
func (d *driver) drag(x, y, dx, dy float64) {
	move := func(x, y float64) map[string]any {
		return map[string]any{"type": "pointerMove", "duration": 20, "x": int(x), "y": int(y)}
	}
	d.do("POST", "/actions", map[string]any{"actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "parameters": map[string]string{"pointerType": "mouse"},
		"actions": []any{
			move(x, y), map[string]any{"type": "pointerDown", "button": 0},
			move(x+dx/2, y+dy/2), move(x+dx, y+dy), map[string]any{"type": "pointerUp", "button": 0},
		},
	}}}, nil)
}
