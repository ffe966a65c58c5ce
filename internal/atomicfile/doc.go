// Package atomicfile replaces files atomically: after a crash of the process or the machine, the
// file has either its old or its new contents.
//
// [FS] is the set of file system operations that a replacement needs, so that tests can inject a
// file system that fails, or loses data that is not synced, at each operation.
package atomicfile
