package profile

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/linear"
)

// The profile of a program without labels is read: the phases derived from its stacks add up.
func TestProfileOfAnyProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("profiles for half a second")
	}
	var data bytes.Buffer
	if err := pprof.StartCPUProfile(&data); err != nil {
		t.Skip(err)
	}
	objects := testkit.SceneByName(t, "uniform").Make(20_000, 1)
	for start := time.Now(); time.Since(start) < 500*time.Millisecond; {
		tree := must.Get(linear.New(linear.Config{}))
		must.Get(tree.InsertBatch(nil, objects))
	}
	pprof.StopCPUProfile()
	path := filepath.Join(t.TempDir(), "cpu")
	must.Do(os.WriteFile(path, data.Bytes(), 0o666))
	out := bench.Good(t, "profile", path)
	for _, word := range []string{path, "of another program", "\nfill ", "\nsum "} {
		if !strings.Contains(out, word) {
			t.Errorf("no %q in\n%s", word, out)
		}
	}
	for _, args := range [][]string{{"profile", path + "x"}, {"profile", "file_test.go"}} {
		if o := bench.Do(args...); o.Code == 0 || o.Errs == "" {
			t.Errorf("%v: exit code %d, errors %q", args, o.Code, o.Errs)
		}
	}
}
