package view

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/must"
)

const (
	module  = "github.com/zoctree/zoctree"
	program = module + "/bench/internal/cmd/view/wasm"

	libraryName = "zoctree.wasm.gz"
	startName   = "wasm_exec.js" // from the Go distribution that built the library
)

// addLibrary adds the library as wasm, and its start script, from the user's cache or newly built.
func addLibrary(ctx context.Context, files folder, errs io.Writer) {
	b := builder{ctx: ctx, root: sources(ctx)}
	dir := filepath.Join(must.Get(os.UserCacheDir()), "zoctree", "view-"+b.key())
	if _, err := os.Stat(filepath.Join(dir, libraryName)); errors.Is(err, os.ErrNotExist) {
		p := &command.Progress{Out: errs}
		p.Begin("making the library for the browser, kept in %s", dir)
		err := must.Catch(func() { b.build(dir) })
		p.End()
		must.Do(err)
		prune(filepath.Dir(dir), time.Now())
	}
	for _, name := range []string{libraryName, startName} {
		files[name] = must.Get(os.ReadFile(filepath.Join(dir, name)))
	}
}

// sources returns the folder of the module: the checkout that contains the working directory, or the copy in
// the module cache for the version of this program.
func sources(ctx context.Context) string {
	start := must.Get(os.Getwd())
	for dir := start; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || !strings.HasPrefix(info.Main.Version, "v") {
		must.Fail("no sources of %s in %s or above it: run this in a checkout", module, start)
	}
	out := (&builder{ctx: ctx, root: start}).run("mod", "download", "-json", module+"@"+info.Main.Version)
	var found struct{ Dir string }
	must.Do(json.Unmarshal(out, &found))
	return found.Dir
}

// builder runs the go command in a folder, for the browser.
type builder struct {
	ctx  context.Context
	root string
}

func (b *builder) run(args ...string) []byte {
	cmd := exec.CommandContext(b.ctx, "go", args...)
	cmd.Dir, cmd.Env = b.root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		must.Fail("go %s in %s: %w\n%s", args[0], b.root, err, strings.TrimSpace(said.String()))
	}
	return out
}

// key returns a hash of the inputs of the library: the Go version, its settings, and every compiled or
// embedded file.
func (b *builder) key() string {
	const each = `{{if .Module}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}` + "\n" + `{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}` + "\n" + `{{end}}{{end}}`
	h := sha256.New()
	h.Write(b.run("env", "GOVERSION", "GOFLAGS", "GOWASM", "GOEXPERIMENT"))
	for line := range strings.Lines(string(b.run("list", "-deps", "-f", each, program))) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		data := must.Get(os.ReadFile(name))
		fmt.Fprintln(h, filepath.Base(name), len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// build builds the library, and moves it to its final folder atomically.
func (b *builder) build(dir string) {
	must.Do(os.MkdirAll(filepath.Dir(dir), 0o777))
	temp := must.Get(os.MkdirTemp(filepath.Dir(dir), "making-"))
	defer os.RemoveAll(temp)
	raw := filepath.Join(temp, "zoctree.wasm")
	b.run("build", "-trimpath", "-ldflags", "-s -w", "-o", raw, program)
	pack(raw, filepath.Join(temp, libraryName))
	goroot := strings.TrimSpace(string(b.run("env", "GOROOT")))
	start := must.Get(os.ReadFile(filepath.Join(goroot, "lib", "wasm", startName)))
	must.Do(os.WriteFile(filepath.Join(temp, startName), start, 0o666))
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(filepath.Join(dir, libraryName)); there != nil { // or another run was faster
			must.Do(err)
		}
	}
}

const (
	// keep is the time for which libraries of other versions are kept.
	keep = 30 * 24 * time.Hour

	// building is longer than any build takes: an older folder is from a killed build.
	building = time.Hour
)

// prune removes expired libraries, and the folders of killed builds. Files that cannot be removed stay.
func prune(dir string, now time.Time) {
	for pattern, age := range map[string]time.Duration{"view-*": keep, "making-*": building} {
		list, _ := filepath.Glob(filepath.Join(dir, pattern))
		for _, name := range list {
			if info, err := os.Stat(name); err == nil && now.Sub(info.ModTime()) > age {
				os.RemoveAll(name)
			}
		}
	}
}

// pack compresses a file, and removes it.
func pack(from, to string) {
	data := must.Get(os.ReadFile(from))
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	z.ModTime = time.Time{}
	must.Get(z.Write(data))
	must.Do(z.Close())
	must.Do(errors.Join(os.WriteFile(to, b.Bytes(), 0o666), os.Remove(from)))
}
