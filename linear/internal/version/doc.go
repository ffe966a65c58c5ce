// Package version holds published versions: leases, patches. Concurrent readers use them while the writer changes a
// tree or a scene (multi-version concurrency control). A buffer has the columns of one version. The writer patches a
// free buffer to the next version and publishes it. The hold count of a buffer counts its readers, and is negative
// while the writer has claimed the buffer.
//
//	Pool   own: claimed    Now: published, held by the pool and by readers    older, held by readers    free
//
// A version of a scene holds a version of each tree, and has the states and the table of its parts.
//
// Package linear documents them: linear.Publisher publishes the versions of a [Pool], and linear.ScenePublisher the
// versions of a [ScenePool].
//
// # Files
//
//	pool   buffers, publications, patches of trees
//	scene  versions of scenes
//	lease  the validity of the views of a reader
package version
