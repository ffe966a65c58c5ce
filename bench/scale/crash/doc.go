// Package crash has tests only: of what is on a disk after a crash at any operation. The disk
// is one in memory that keeps what was synced, and of what was not any part: any blocks of 4
// KiB of files, and any names of folders.
//
//   - Tree.Save leaves the old file or the new one, and when it has returned, the new one;
//   - a log of batches beside a checkpoint, of which no batch is lost that was acknowledged;
//   - without any one of the operations that this takes, syncs above all, it fails.
package crash
