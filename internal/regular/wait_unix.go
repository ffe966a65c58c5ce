//go:build unix

package regular

import "syscall"

// noWait keeps open from waiting for the writer of a named pipe, and from making a terminal that
// of the process. It changes nothing for a regular file.
const noWait = syscall.O_NONBLOCK | syscall.O_NOCTTY
