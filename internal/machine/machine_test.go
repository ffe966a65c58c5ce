package machine

import (
	"runtime"
	"strings"
	"testing"
)

func TestHere(t *testing.T) {
	m := Here()
	if m.CPU == "" || m.Cores < 1 || m.Go != runtime.Version() {
		t.Errorf("%+v", m)
	}
	if s := m.String(); !strings.Contains(s, runtime.GOOS+"/"+runtime.GOARCH) || strings.Contains(s, "\n") {
		t.Errorf("%q", s)
	}
}

func TestString(t *testing.T) {
	m := Machine{CPU: "Z80", Cores: 2, L1D: 16 << 10, L2: 1 << 20, OS: "cpm", Arch: "z80", Go: "go9"}
	if got, want := m.String(), "Z80, 2 cores, L1d 16 KiB, L2 1 MiB, cpm/z80, go9"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := m.Hardware(), "Z80, 2 cores, L1d 16 KiB, L2 1 MiB"; got != want {
		t.Errorf("hardware %q, want %q", got, want)
	}
	m.Cores = 1
	if got, want := m.Hardware(), "Z80, 1 core, L1d 16 KiB, L2 1 MiB"; got != want {
		t.Errorf("hardware %q, want %q", got, want)
	}
}
