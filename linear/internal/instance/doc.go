// Package instance holds entries, table, levels and bounds of scenes.
//
// A scene has a list of entries: its own two trees first, then the parts that its instances place. All its parts at
// any depth are in a table, each once. Queries descend through the levels of the table.
//
//	Scene                                          Table, of the outermost scene
//	  Entries   0 own tree    1 boxes   2 part A   3 part B     Levels  0 scene   1 A   2 B   3 C
//	  In          2   3   2     by instance ID: its entry                 |        |
//	  Transforms  T0  T1  T2    by instance ID                            State    State: bounds, total,
//	  Rows        place in the list of the entry, reach                                   views, In, Transforms
//	  Due         entries with work for the next tick                     Inner: levels by entry
//
// A part, which is a tree, a snapshot or another scene, lists the entries that hold it. A change marks it and its
// holders stale, upwards; a read renews the stale states, downwards. The boxes of the instances of an entry follow
// from the transforms and from the entry's bounds, which hold the part until the next tick.
//
// Package linear documents scenes, and hands in the trees: a [Source] is a tree whose deferred changes it applies.
//
// # Files
//
//	part      parts, their holders and their stale states
//	level     what queries read: states, levels, table
//	scene     entries and rows of instances
//	depth     how deep scenes are nested
//	change    adding, moving and removing instances
//	bounds    the boxes of instances
//	tick      the work of a frame
//	validate  invariants
package instance
