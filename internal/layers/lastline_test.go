package layers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The last line of .ci/run is "all ok" only if every section ran: in a folder that is no checkout of git
// the section layout does not.
func TestLastLine(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	run := filepath.Join(folder, ".ci", "run")
	if err := os.Mkdir(filepath.Dir(run), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(run, []byte(read(t, ".ci/run")), 0o777); err != nil {
		t.Fatal(err)
	}
	for sections, want := range map[string]string{
		"layout format": "ok, not run: layout (no git checkout)", "format": "all ok, ",
	} {
		cmd := exec.Command(bash, append([]string{run}, strings.Fields(sections)...)...)
		cmd.Env = append(os.Environ(), "GIT_DIR="+folder)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if last := lines[len(lines)-1]; !strings.HasPrefix(last, want) {
			t.Errorf("%s: the last line is %q, want %q\n%s", sections, last, want, out)
		}
	}
}
