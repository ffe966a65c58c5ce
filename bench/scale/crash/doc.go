// Package crash has tests only: crash consistency of the files on disk after a crash at any operation. The
// disk is simulated in memory. It keeps all synced data, and any part of the data that was not synced: any
// blocks of 4 KiB of files, and any names of folders.
//
//   - Tree.Save leaves the old file or the new one, and after it has returned, the new one;
//   - a log of batches with a checkpoint loses no acknowledged batch;
//   - leaving out any one of the required operations, syncs above all, makes the tests fail.
package crash
