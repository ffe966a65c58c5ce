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
)

const (
	module  = "github.com/zoctree/zoctree"
	program = module + "/bench/internal/cmd/view/wasm"

	libraryName = "zoctree.wasm.gz"
	startName   = "wasm_exec.js" // from the Go distribution that built the library
)

// addLibrary adds the library as wasm, and its start script, from the user's cache or newly built.
func addLibrary(ctx context.Context, files folder, errs io.Writer) error {
	root, err := sources(ctx)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	b := builder{ctx: ctx, root: root}
	key, err := b.key()
	if err != nil {
		return err
	}
	dir := filepath.Join(cache, "zoctree", "view-"+key)
	if _, err := os.Stat(filepath.Join(dir, libraryName)); errors.Is(err, os.ErrNotExist) {
		p := &command.Progress{Out: errs}
		p.Begin("making the library for the browser, kept in %s", dir)
		err = b.build(dir)
		p.End()
		if err != nil {
			return err
		}
		prune(filepath.Dir(dir), time.Now())
	}
	for _, name := range []string{libraryName, startName} {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// sources returns the folder of the module: the checkout that contains the working directory, or the copy in
// the module cache for the version of this program.
func sources(ctx context.Context) (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module "+module+"\n") {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != module || !strings.HasPrefix(info.Main.Version, "v") {
		return "", fmt.Errorf("no sources of %s in %s or above it: run this in a checkout", module, start)
	}
	out, err := (&builder{ctx: ctx, root: start}).run("mod", "download", "-json", module+"@"+info.Main.Version)
	if err != nil {
		return "", err
	}
	var found struct{ Dir string }
	err = json.Unmarshal(out, &found)
	return found.Dir, err
}

// builder runs the go command in a folder, for the browser.
type builder struct {
	ctx  context.Context
	root string
}

func (b *builder) run(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(b.ctx, "go", args...)
	cmd.Dir, cmd.Env = b.root, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w\n%s", args[0], b.root, err, strings.TrimSpace(said.String()))
	}
	return out, nil
}

// key returns a hash of the inputs of the library: the Go version, its settings, and every compiled or
// embedded file.
func (b *builder) key() (string, error) {
	env, err := b.run("env", "GOVERSION", "GOFLAGS", "GOWASM", "GOEXPERIMENT")
	if err != nil {
		return "", err
	}
	const each = `{{if .Module}}{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}` + "\n" + `{{end}}{{range .EmbedFiles}}{{$d}}/{{.}}` + "\n" + `{{end}}{{end}}`
	list, err := b.run("list", "-deps", "-f", each, program)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(env)
	for line := range strings.Lines(string(list)) {
		name := strings.TrimSpace(line)
		if name == "" {
			continue
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, filepath.Base(name), len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:8]), nil
}

// build builds the library, and moves it to its final folder atomically.
func (b *builder) build(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	raw := filepath.Join(temp, "zoctree.wasm")
	if _, err := b.run("build", "-trimpath", "-ldflags", "-s -w", "-o", raw, program); err != nil {
		return err
	}
	if err := pack(raw, filepath.Join(temp, libraryName)); err != nil {
		return err
	}
	goroot, err := b.run("env", "GOROOT")
	if err != nil {
		return err
	}
	start, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", startName))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(temp, startName), start, 0o666); err != nil {
		return err
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, there := os.Stat(filepath.Join(dir, libraryName)); there == nil {
			return nil // another run was faster
		}
		return err
	}
	return nil
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
func pack(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	z.ModTime = time.Time{}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(to, b.Bytes(), 0o666), os.Remove(from))
}
