// Package machine describes the computer of a measurement: CPU, caches, operating system and Go
// version.
package machine

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// Machine is a computer, its operating system and the Go version. Cache sizes are in bytes, 0 if
// unknown.
type Machine struct {
	CPU         string
	Cores       int // that this process may use
	L1D, L2, L3 int
	OS, Arch    string
	Go          string
}

// Here returns the description of this computer.
func Here() Machine {
	c := &cpuid.CPU
	m := Machine{
		CPU:   strings.Join(strings.Fields(c.BrandName), " "),
		Cores: runtime.NumCPU(),
		L1D:   max(c.Cache.L1D, 0),
		L2:    max(c.Cache.L2, 0),
		L3:    max(c.Cache.L3, 0),
		OS:    runtime.GOOS,
		Arch:  runtime.GOARCH,
		Go:    runtime.Version(),
	}
	if m.CPU == "" {
		m.CPU = "unknown CPU"
	}
	return m
}

// String returns the description in one line.
func (m Machine) String() string {
	return m.Hardware() + fmt.Sprintf(", %s/%s, %s", m.OS, m.Arch, m.Go)
}

// Hardware returns the CPU, the number of cores and the cache sizes.
func (m Machine) Hardware() string {
	s := fmt.Sprintf("%s, %d cores", m.CPU, m.Cores)
	if m.Cores == 1 {
		s = m.CPU + ", 1 core"
	}
	for _, cache := range []struct {
		name  string
		bytes int
	}{{"L1d", m.L1D}, {"L2", m.L2}, {"L3", m.L3}} {
		if cache.bytes > 0 {
			s += ", " + cache.name + " " + size(cache.bytes)
		}
	}
	return s
}

func size(bytes int) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
