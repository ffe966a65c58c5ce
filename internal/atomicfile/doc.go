// Package atomicfile replaces a file by another one that is there as a whole or not at all,
// whenever the process or the machine stops.
//
// It names the operations on the file system that this takes, so that tests can have a file
// system that fails, or loses what is not synced, at each.
package atomicfile
