// Package ranges stores boxes in Pebble, an embedded ordered key-value store, and runs box queries as scans
// of Morton key ranges.
//
// Use it for frequent writes: changes are atomic transactions, synced to a log before they take effect, and
// acknowledged transactions survive a crash. The data may be larger than memory. A query reads row by row,
// which takes tens of times as long as one tree in memory (go run ./bench scale). Rows without recent writes
// are therefore built into trees, which queries use instead. For read-only boxes, files of trees are the
// better store; for searches, joins and counts as a table, package columns.
//
// # Rows
//
// Keys are bytes in the order of unsigned numbers, the first byte first:
//
//	'r' | class, Morton key of the centre (8) | ID (8)  ->  box (24) | mask (4) | static (1)
//	'i' | ID (8)                                        ->  class, Morton key (8)
//	'm'                                                 ->  world, sizes, reaches
//
// The first bit of the key, which a Morton key leaves free, is the class: 0 for small boxes, 1 for large
// ones. Rows 'i' map an object's number to its position, so that a move needs only the number.
//
// # Queries
//
// The Morton keys of a box form many intervals. A cover has fewer intervals and contains all of them; its
// ranges are scanned, and each row is tested. Boxes are found by the keys of their centres, so the query is
// widened by the reach of the rows (package row). One huge box would widen every query to the whole world.
// Boxes beyond a size therefore form a class of their own, with its own reach and cover. A reach only grows.
//
// # Cold ranges
//
// [Store.Chill] divides the keys into runs of some thousand rows and builds trees of the runs that no recent
// transaction has touched. A later transaction that touches a run drops its tree at the moment the
// transaction takes effect. Query results are the same with and without trees.
package ranges
