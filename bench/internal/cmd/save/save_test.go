package save

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/cmd/profile"
	"github.com/zoctree/zoctree/bench/internal/cmd/replay"
	"github.com/zoctree/zoctree/bench/internal/cmd/run"
	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/command/commandtest"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/soa"
)

var bench = commandtest.Bench{Command, Inspect, run.Command, profile.Tree, replay.Export}

// The file holds the requested tree, object by object.
func TestSave(t *testing.T) {
	want := testkit.SceneByName(t, "city").Make(500, 3)
	for _, args := range [][]string{{"-frozen"}, {"-workers", "1"}, {}} {
		file := filepath.Join(t.TempDir(), "city.zoc")
		out := bench.Good(t, append([]string{"save", "-scene", "city", "-n", "500", "-seed", "3", "-o", file}, args...)...)
		s := must.Get(linear.OpenMapped(file, linear.CheckFull))
		defer s.Close()
		for id, o := range want {
			if have, ok := s.View().Object(uint32(id)); !ok || have != o {
				t.Fatalf("%v: object %d is %+v, %v, want %+v", args, id, have, ok, o)
			}
		}
		if frozen := len(args) == 1; s.Len() != len(want) || s.Stats().Frozen != frozen || !strings.Contains(out, "500 objects (0 pending)") ||
			!strings.Contains(out, "city.zoc, ") {
			t.Errorf("%v: %d objects, frozen %v\n%s", args, s.Len(), s.Stats().Frozen, out)
		}
	}
}

// A reader of the file gets the results of the scene: the same numbers of objects, visits and results, and
// the same files of queries.
func TestRoundTrip(t *testing.T) {
	dir := t.TempDir()
	scene := []string{"-scene", "city", "-n", commandtest.Small()}
	file := filepath.Join(dir, "city.zoc")
	bench.Good(t, append([]string{"save", "-o", file}, scene...)...)
	file2 := filepath.Join(dir, "again.zoc")
	bench.Good(t, "save", "-in", file, "-o", file2)
	if read(t, file) != read(t, file2) {
		t.Error("a snapshot that is read and saved has different bytes")
	}

	treeArgs := []string{"profile", "tree", "-cameras", "5", "-o", filepath.Join(dir, "tree.pb.gz")}
	results := regexp.MustCompile(`(?m)^(tree|queries) .*$|^(\d+|sum) .*$`)
	compare(t, results, 4, treeArgs, scene, file)

	runArgs := []string{"run", "-cameras", "4", "-count", "1", "-format", "tsv"}
	results = regexp.MustCompile(`(?m)^(1|10|50) %\t[0-9.]+\t|^(?:box|sphere|ray|knn)[^\t]*\t[0-9.]+\t`) // results, the times behind them left out
	compare(t, results, 10, runArgs, scene, file)

	for _, from := range [][]string{scene, {"-in", file}} {
		bench.Good(t, append([]string{"replay", "export", "-o", filepath.Join(dir, from[0]), "-cameras", "2", "-queries", "20", "-steps", "2", "-moves", "10"}, from...)...)
	}
	files, err := os.ReadDir(filepath.Join(dir, "-in"))
	if err != nil || len(files) < 8 {
		t.Fatalf("%d files of export, %v", len(files), err)
	}
	for _, f := range files {
		if read(t, filepath.Join(dir, "-in", f.Name())) != read(t, filepath.Join(dir, "-scene", f.Name())) {
			t.Errorf("%s differs between snapshot and scene", f.Name())
		}
	}
}

// compare runs a command on a scene and on a file, and expects the same output.
func compare(t *testing.T, results *regexp.Regexp, least int, args, scene []string, file string) {
	t.Helper()
	a := results.FindAllString(bench.Good(t, append(args[:len(args):len(args)], scene...)...), -1)
	b := results.FindAllString(bench.Good(t, append(args[:len(args):len(args)], "-in", file)...), -1)
	if strings.Join(a, "\n") != strings.Join(b, "\n") || len(a) < least {
		t.Errorf("%s prints for the scene\n%s\nand for its snapshot\n%s", args[0], strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b := must.Get(os.ReadFile(path))
	return string(b)
}

// A command that is cancelled, or fails, leaves the old file and no other.
func TestSaveCancelled(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.zoc")
	must.Do(os.WriteFile(file, []byte("old"), 0o666))
	alone := func(what string) {
		t.Helper()
		if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != 1 || read(t, file) != "old" {
			t.Errorf("%s: remaining %v and %v", what, list, err)
		}
	}
	for _, step := range []string{"making", "building", "saving"} {
		ctx, cancel := context.WithCancel(context.Background())
		w := &watcher{word: step, then: cancel}
		s := saver{source: command.Source{Scene: "uniform", N: 5000, Seed: 1}, out: file, frozen: true}
		if err := must.Catch(func() { s.run(ctx, &command.Env{Out: w, Errs: w}) }); !errors.Is(err, context.Canceled) || !w.found {
			t.Errorf("cancelled while %s: %v", step, err)
		}
		alone(step)
	}
	s := saver{p: &command.Progress{Out: &watcher{}}, workers: 1, frozen: true}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := must.Catch(func() { s.build(ctx, make([]soa.Object, 100)) }); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled build: %v", err)
	}
	if o := bench.Do("save", "-n", "10", "-o", filepath.Join(file, "none")); o.Code != 1 || o.Out != "" || !strings.Contains(o.Errs, "none") {
		t.Errorf("exit code %d, output %q, errors %q", o.Code, o.Out, o.Errs)
	}
	alone("a file as folder")
}

// An interrupt cancels the command.
func TestSaveInterrupted(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" {
		t.Skip("no process can interrupt itself")
	}
	self := must.Get(os.FindProcess(os.Getpid()))
	received := make(chan os.Signal, 1)
	signal.Notify(received, os.Interrupt)
	defer signal.Stop(received)
	dir := t.TempDir()
	var out strings.Builder
	w := &watcher{word: "saving", then: func() {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		<-received
		time.Sleep(time.Second) // until the command has received the signal, too
	}}
	code := command.Set{Command}.Run([]string{"save", "-n", "1000", "-o", filepath.Join(dir, "x.zoc")}, &out, w)
	if list, err := os.ReadDir(dir); code != 1 || out.Len() > 0 || err != nil || len(list) > 0 || !strings.Contains(w.text.String(), "interrupt") {
		t.Errorf("exit code %d, output %q, files %v, %v, errors %q", code, out.String(), list, err, w.text.String())
	}
}

// watcher calls a function once, when a word is written.
type watcher struct {
	word  string
	then  func()
	found bool
	text  strings.Builder
}

// Terminal makes the watcher a terminal: otherwise there is no progress to watch.
func (w *watcher) Terminal() bool { return true }

func (w *watcher) Write(p []byte) (int, error) {
	w.text.Write(p)
	if !w.found && w.word != "" && strings.Contains(string(p), w.word) {
		w.found = true
		w.then()
	}
	return len(p), nil
}
