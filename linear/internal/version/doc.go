// Package version implements the published versions of a tree for concurrent readers (multi-version concurrency
// control): the buffers that versions are patched in, their hold counts, and the leases of readers.
//
// Package linear documents them: linear.Publisher publishes the versions of a [Pool].
//
// # Files
//
//	pool   buffers, publications, patches
//	lease  the validity of the views of a reader
package version
