// Package replica keeps the same tree on several machines by replicating the calls that
// change it, with a Raft library. Here all of them live in one process, on transports and
// stores in memory; what is below is the same across a network.
//
// It is for those who must not lose a tree, or the right to change it, with a machine. It
// makes nothing faster and holds no more: every machine has all of it and makes every
// change. Where there is too much for one, give ranges of Morton keys to groups of their
// own; a box is then asked of the groups whose ranges its cover meets.
//
// # Calls, not memory
//
// What is replicated is a [linear.Batch], as the bytes of its AppendBinary, which every
// replica gives to Tree.Apply, and ends with a Tree.Tick. The tree is a function of these
// calls, its layout too, so all replicas give out the same IDs and refuse the same calls. When
// a replica is queried, and how often, is nothing to the others: the digests of content and
// layout, which each makes after every command, stay the same. Those of the layout need the
// same version of the library on all.
//
//	propose --> leader --> log --> most have it --> every replica: Apply, Tick, digest
//
// A command has a number. Who proposes does not always learn whether it got into the log
// (the leader may be lost in between), and proposes it once more; a replica that has done a
// number before answers as it did then.
//
// # Coming back
//
// A replica that was away is given the commands that it missed, or, where these are in the
// log no more, a snapshot of another's tree and the commands after it. A snapshot is
// that of linear.Tree, with the number and the outcome of the last command beside it.
package replica
