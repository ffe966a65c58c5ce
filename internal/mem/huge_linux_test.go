package mem_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/zoctree/zoctree/internal/mem"
)

// mapping is the kernel's record of the memory around an address.
type mapping struct {
	flags string // VmFlags
	huge  string // AnonHugePages
}

func mappingOf(t *testing.T, p uintptr) (m mapping) {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for s := bufio.NewScanner(f); s.Scan(); {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(s.Text(), "%x-%x ", &lo, &hi); n == 2 {
			inside = lo <= p && p < hi
		}
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && inside {
			switch name {
			case "VmFlags":
				m.flags = value + " "
			case "AnonHugePages":
				m.huge = strings.TrimSpace(value)
			}
		}
	}
	if m.flags == "" {
		t.Skip("the kernel tells no flags")
	}
	return m
}

// Columns from 512 KiB on lie in memory that is to have huge pages, from their
// first byte to their last.
func TestHugePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage/enabled"); err != nil {
		t.Skip(err)
	}
	for _, size := range []int{512 << 10, 2<<20 + 1, 16 << 20} {
		a := mem.Make[byte](size)
		clear(a)
		for _, at := range []int{0, size / 2, size - 1} {
			m := mappingOf(t, uintptr(unsafe.Pointer(&a[at])))
			if !strings.Contains(m.flags, " hg ") {
				t.Errorf("byte %d of %d: flags %s", at, size, m.flags)
			}
			if at == 0 {
				t.Logf("%d bytes: %s in huge pages", size, m.huge)
			}
		}
	}
}
