package testkit

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// StepCounter compares the work of calls by the statements that they execute, which, unlike times, do not depend on
// the load of the machine. It is for long forms: it builds the test binary with counters of package testing.
type StepCounter struct{ binary string }

// countedPackages are the packages whose statements a [StepCounter] counts.
const countedPackages = "asm/... linear/... morton query/... soa internal/bitset internal/mem internal/nth internal/radix internal/team internal/xform"

// In the processes that a StepCounter starts, envSteps is which of the two calls to make, and how often.
const envSteps = "ZOCTREE_STEPS"

// NewStepCounter returns a counter for the tests of a package. It skips the test under the race detector, and where
// there is no go command.
func NewStepCounter(t *testing.T) *StepCounter {
	t.Helper()
	if os.Getenv(envSteps) != "" {
		return &StepCounter{}
	}
	if _, err := exec.LookPath("go"); err != nil || RaceEnabled {
		t.Skip("statements are not counted")
	}
	c := &StepCounter{filepath.Join(t.TempDir(), "steps.test")}
	const module = "github.com/zoctree/zoctree/"
	packages := module + strings.ReplaceAll(countedPackages, " ", ","+module)
	if out, err := exec.Command("go", "test", "-c", "-vet=off", "-covermode=count", "-coverpkg="+packages, "-o", c.binary).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return c
}

// Ratio returns the number of statements of calls of the function that large returns, divided by that of small. It runs
// the calling test, which must do the same before, in other processes: with calls and without, on the tier go and one
// processor. A test may call it once; a subtest counts as a test.
func (c *StepCounter) Ratio(t *testing.T, calls int, large, small func() func()) float64 {
	t.Helper()
	if s := os.Getenv(envSteps); s != "" {
		which, times, _ := strings.Cut(s, " ")
		n, err := strconv.Atoi(times)
		Must(t, err)
		f := map[string]func() func(){"large": large, "small": small}[which]()
		for range n {
			f()
		}
		t.SkipNow()
	}
	steps := func(which string) int {
		n := c.count(t, which, calls) - c.count(t, which, 0)
		if n <= 0 {
			t.Fatalf("%d statements of %d %s calls", n, calls, which)
		}
		return n
	}
	of, base := steps("large"), steps("small")
	t.Logf("%d statements of %d calls, %d of small ones", of, calls, base)
	return float64(of) / float64(base)
}

// count returns the statements that the test executes with that many calls.
func (c *StepCounter) count(t *testing.T, which string, calls int) (steps int) {
	t.Helper()
	var names []string
	for name := range strings.SplitSeq(t.Name(), "/") {
		names = append(names, "^"+regexp.QuoteMeta(name)+"$")
	}
	profile := filepath.Join(t.TempDir(), "profile")
	cmd := exec.Command(c.binary, "-test.run="+strings.Join(names, "/"), "-test.coverprofile="+profile)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", envSteps, which, calls), "ZOCTREE_TIER=go", "GOMAXPROCS=1", "GOGC=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	file, err := os.Open(profile)
	Must(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // the mode
	for lines.Scan() {
		var block string
		var n, times int
		if _, err := fmt.Sscan(lines.Text(), &block, &n, &times); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		steps += n * times
	}
	Must(t, lines.Err())
	return steps
}
