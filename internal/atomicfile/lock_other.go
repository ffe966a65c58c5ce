//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import "os"

// Without locks, an abandoned temporary file cannot be distinguished from one in use.

func lockNew(*os.File, string) (lock *os.File, ours bool) { return nil, true }

func removeAbandoned(string) bool { return false }
