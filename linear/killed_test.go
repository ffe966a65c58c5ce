package linear_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killedEnv has the path to which a process writes until it is killed.
const killedEnv = "ZOCTREE_KILLED"

const toldPrefix = "told"

// canKill skips a test where no process can be killed while it replaces a file.
func canKill(t *testing.T) {
	t.Helper()
	switch runtime.GOOS {
	case "js", "wasip1", "plan9", "windows":
		t.Skip("no process can be killed here while it replaces a file")
	}
}

// tell reports the step of this process to the process that will kill it.
func tell(step uint64) { fmt.Println(toldPrefix, step) }

// killed runs a test in a process of its own, kills the process that long after its first report, and returns
// its last reported step.
func killed(t *testing.T, test, path string, after time.Duration) (told uint64) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), killedEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator that runs no other process")
	} else if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if text.Len() == 0 {
			time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
		}
		fmt.Fprintln(&text, lines.Text())
		if n, ok := strings.CutPrefix(lines.Text(), toldPrefix+" "); ok {
			told, err = strconv.ParseUint(n, 10, 64)
			must(t, err)
		}
	}
	if err := cmd.Wait(); told == 0 || cmd.ProcessState.Exited() {
		t.Fatalf("it ended, not killed: %v\n%s", err, text.String())
	}
	return told
}
