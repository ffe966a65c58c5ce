package view

import (
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
)

var bench = commandtest.Bench{Command}

// The written folder is the complete page: it contains the library as a packed wasm, and the files named by
// index.html. The go command compiles it for a quarter of a minute at first.
func TestOut(t *testing.T) {
	if !testkit.Long(t) {
		t.Skip("long")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command: ", err)
	}
	dir := filepath.Join(t.TempDir(), "site")
	if out := bench.Good(t, "view", "-o", dir); !strings.Contains(out, dir) {
		t.Errorf("output %q", out)
	}
	for name, begin := range map[string]string{
		"index.html": "<!doctype html>", "view.js": "", "three.js": "", "three.LICENSE.txt": "The MIT License",
		"style.css": "", "icon.svg": "<svg", startName: "// Copyright", libraryName: "\x1f\x8b",
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(data) == 0 || !strings.HasPrefix(string(data), begin) {
			t.Errorf("%s: %v, %d bytes", name, err, len(data))
		}
	}
	if again := bench.Do("view", "-o", dir); again.Code != 0 || again.Errs != "" {
		t.Errorf("a second time: %+v, want the library of the cache", again)
	}
}

// Without the sources the command names the missing files.
func TestNeedsSources(t *testing.T) {
	t.Chdir(t.TempDir())
	if o := bench.Do("view", "-port", "0"); o.Code != 1 || !strings.Contains(o.Errs, "no sources of "+module) {
		t.Errorf("exit code %d, errors %q", o.Code, o.Errs)
	}
}

// Old libraries are removed, and nothing else.
func TestPrune(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for name, age := range map[string]time.Duration{
		"view-old": 31 * 24 * time.Hour, "view-new": 24 * time.Hour, "other": 31 * 24 * time.Hour,
		"making-old": 2 * time.Hour, "making-new": time.Minute,
	} {
		must.Do(os.Mkdir(filepath.Join(dir, name), 0o777))
		must.Do(os.Chtimes(filepath.Join(dir, name), now, now.Add(-age)))
	}
	prune(dir, now)
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 3 || left[0].Name() != "making-new" || left[1].Name() != "other" || left[2].Name() != "view-new" {
		t.Errorf("remaining files %v, %v", left, err)
	}
}

// get reads a page of a server.
func get(url string) (status int, body string) {
	r := must.Get(http.Get(url))
	defer r.Body.Close()
	data, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(data)
}

// The server serves the files of the page, forbids browsers to load anything else, and ends with its
// context.
func TestServe(t *testing.T) {
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- serve(ctx, l, folder{"index.html": []byte("page"), "view.js": []byte("code")}) }()
	for path, want := range map[string]string{"/": "page", "/index.html": "page", "/view.js": "code", "/a/view.js": "", "/nothing": ""} {
		r := must.Get(http.Get("http://" + l.Addr().String() + path))
		body, _ := io.ReadAll(r.Body)
		r.Body.Close()
		if ok := r.StatusCode == http.StatusOK; ok != (want != "") || ok && (string(body) != want || r.Header.Get("Content-Security-Policy") != policy) {
			t.Errorf("%s: %s, %q, %v", path, r.Status, body, r.Header)
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
