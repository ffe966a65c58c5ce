package testkit

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
)

// Labels returns the profiler labels of the calling goroutine in the form of a goroutine profile:
// {"key":"value"}, or nothing.
//
//go:noinline
func Labels(t testing.TB) string {
	t.Helper()
	var out bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&out, 1); err != nil {
		t.Fatal(err)
	}
	for _, g := range strings.Split(out.String(), "\n\n") {
		if strings.Contains(g, "testkit.Labels+") {
			_, line, _ := strings.Cut(g, "# labels: ")
			line, _, _ = strings.Cut(line, "\n")
			return line
		}
	}
	t.Fatalf("no goroutine in Labels:\n%s", out.String())
	return ""
}
