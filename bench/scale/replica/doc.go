// Package replica implements state machine replication of a tree: it keeps the same tree on several machines
// by replicating its changes with a Raft library. Here all replicas run in one process, with transports and
// stores in memory; the replication is the same across a network.
//
// Use it where the loss of a machine must not lose a tree, or the ability to change it. It does not make
// anything faster or larger: every machine holds the whole tree and applies every change. If the data is too
// large for one machine, assign ranges of Morton keys to separate groups, and send a box query to the groups
// whose ranges its cover overlaps.
//
// # Calls, not memory
//
// The replicated command is a [linear.Batch], as the bytes of its AppendBinary. Every replica applies it with
// Tree.Apply and then calls Tree.Tick. The tree and its layout are a function of these calls, so all replicas
// assign the same IDs and reject the same calls. Queries on a replica do not affect the others: the digests
// of content and layout, which each replica computes after every command, stay equal. Equal layout digests
// require the same version of the library on all replicas.
//
//	propose --> leader --> log --> most have it --> every replica: Apply, Tick, digest
//
// A command has a number. The proposer cannot always determine whether a command is in the log, for example
// if the leader fails in between; it then proposes the command again. A replica that has applied this number
// already returns the earlier outcome.
//
// # Recovery
//
// A replica that was down receives the commands that it missed. If these are no longer in the log, it
// receives a snapshot of another replica's tree and the commands after it. A snapshot is a snapshot of
// linear.Tree, with the number and the outcome of the last command in sections.
package replica
