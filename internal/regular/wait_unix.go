//go:build unix

package regular

import "syscall"

// noWait keeps open from blocking on a named pipe without a writer, and from making a terminal the
// controlling terminal of the process. It has no effect on a regular file.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
