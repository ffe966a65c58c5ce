package linear

import (
	"context"
	"iter"

	"github.com/zoctree/zoctree/linear/internal/shard"
)

// DirectoryOptions configure an out-of-core directory, as the options of [CreateDirectory]; the zero value fits the
// world to the objects, and is a good default.
type DirectoryOptions struct {
	// World is a box for the cube that keys resolve: the cube is fitted to it, and fixed. With the zero box the
	// cube is fitted to a sample of the objects' centres, as in the build of a tree: a few far outliers do not
	// reduce its resolution. As long as all objects are in one shard, each Replace fits the cube to them again;
	// from the second shard on it is fixed. Objects outside have the key of the nearest point of the cube's
	// border.
	World AABB

	// Shard is the largest number of objects in a shard, from 16 to 2^24. 0 means 32,768, with which a shard
	// takes 1.8 MB. Shards are the units that queries of small boxes read, and that a change writes again. A
	// system may limit the number of maps of a process: Linux to 65,530.
	Shard int

	// Memory is the approximate size of the buffers of [CreateDirectory] in bytes. In addition the trees of
	// some shards are in memory, and the garbage collector may let the heap grow to twice that. 0 means 128
	// MiB; values below 4 MiB mean 4 MiB.
	Memory int

	// Workers is the number of goroutines that build shards. 0 means GOMAXPROCS, and values above 1,024 mean
	// 1,024. The files do not depend on it.
	Workers int

	// Progress, unless nil, is called now and then, by the calling goroutine, with the number of objects read
	// from the stream, and the number written to shards.
	Progress func(taken, done uint64)
}

// CreateDirectory writes a new out-of-core directory from a stream of objects in any order, each with a number of
// the program's own; [OpenDirectory] opens it. The numbers must be distinct: two objects with the same number in a
// shard are an error, in different shards they are not detected.
//
// The stream is read once, and may have any length: memory does not depend on it ([DirectoryOptions.Memory]).
// Objects are written to temporary files in a temporary folder next to dir, and sorted there by their keys in one
// pass. Several passes are needed where so many are close together that a part of 256 does not fit into memory.
// Each shard is built and saved as a [Snapshot]. So the disk needs room for 40 bytes an object twice in addition to
// the directory. The time is that of a few passes over the records and of building all trees.
//
// The creation is atomic: the folder is made under another name, synced and renamed. It is removed when an error
// occurs, or the context, which may be nil, is done. An existing folder is an error, [fs.ErrExist]. An object whose
// box is not finite, or inverted, is an error, too.
//
// The files are a function of the objects, of World, Shard and Memory. They also depend on the order of the objects
// if there are more than the sample that determines the world holds, or more have the same key than a shard may
// hold.
func CreateDirectory(ctx context.Context, dir string, objects iter.Seq2[uint64, Object], opt DirectoryOptions) error {
	return shard.Create(ctx, &shard.Disk{}, dir, objects, shard.Params(opt))
}
