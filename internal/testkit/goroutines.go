package testkit

import (
	"runtime"
	"strings"
	"testing"
)

const library = "github.com/zoctree/zoctree/"

// NoWorkers fails the test on a goroutine leak: a goroutine that no test has started runs code of
// the library. Parallel tests cannot use it.
func NoWorkers(t testing.TB) {
	t.Helper()
	for _, stack := range Workers() {
		t.Errorf("a goroutine is left:\n%s", stack)
	}
}

// Workers returns the stacks of goroutines that no test has started and that run code of the
// library. A goroutine that has signaled its team that it is done may still be about to end: it
// does not count.
func Workers() (left []string) {
	stacks := make([]byte, 1<<16)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			stacks = stacks[:n]
			break
		}
		stacks = make([]byte, 2*len(stacks))
	}
	for _, stack := range strings.Split(string(stacks), "\n\n")[1:] { // the first is the caller's
		frames, creator, ok := strings.Cut(stack, "\ncreated by ")
		if !ok || strings.HasPrefix(creator, "testing.") {
			continue
		}
		for line := range strings.Lines(frames) {
			if strings.HasPrefix(line, library) && !strings.HasPrefix(line, library+"internal/team.") {
				left = append(left, stack)
				break
			}
		}
	}
	return left
}
