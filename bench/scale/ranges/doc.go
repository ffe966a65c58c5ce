// Package ranges keeps boxes in Pebble, an ordered key-value store that lives in the
// program, and answers box queries by ranges of Morton keys.
//
// It is for those who write: changes are transactions, all or none of each, synced to a
// log before they count, and what has been acknowledged is there after a crash. The data
// may be larger than memory. A query reads row by row, which takes tens of times as long
// as one tree in memory (go run ./bench scale); so what has not been written to for a
// while is built into a tree once, and asked there. Where boxes are only read, files of
// trees are the better store; where they are searched, joined and counted as a table,
// package columns.
//
// # Rows
//
// Keys are bytes in the order of unsigned numbers, the first byte first:
//
//	'r' | class, Morton key of the centre (8) | ID (8)  ->  box (24) | mask (4) | static (1)
//	'i' | ID (8)                                        ->  class, Morton key (8)
//	'm'                                                 ->  world, sizes, reaches
//
// The first bit of the key, which a Morton key leaves free, is the class: 0 for small
// boxes, 1 for large ones. Rows 'i' tell where an object is, so that a move needs no more
// than its number.
//
// # Queries
//
// Morton keys of a box are many intervals. A cover has few and holds all of them; its
// ranges are scanned, and each row is tested. Boxes are found by the keys of their
// centres, so the query is widened by the reach of the rows (package row). One huge box
// would widen every query to the whole world: boxes beyond a size are a class, and have
// a reach and a cover, of their own. A reach only grows.
//
// # Cold ranges
//
// [Store.Chill] cuts the keys into runs of some thousand rows and builds trees of those
// that no transaction has touched of late. A transaction that touches one later drops its
// tree, in the moment in which it takes effect. Answers are the same with and without.
package ranges
