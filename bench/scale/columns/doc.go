// Package columns keeps boxes in Parquet files, which DuckDB, Spark, pandas and many
// others read, and answers box queries by the statistics of row groups.
//
// It is for those who hand boxes on, or analyse them as a table: a file is written once,
// is about as small as the numbers in it, and needs no program of ours. A query reads
// whole row groups, which takes hundreds of times as long as one tree in memory (go run
// ./bench scale): to ask often, import the file and build a tree.
//
// # Columns
//
//	key     INT64    Morton key of the centre of the box; the file is sorted by it
//	id      INT64    number of the object, 0 or more
//	bbox    group    of FLOAT: xmin ymin zmin xmax ymax zmax, as in GeoParquet coverings
//	mask    INT32    unsigned: the type mask
//	static  BOOLEAN  whether the object does not move
//
// All are required, plain or delta encoded and not compressed. The metadata of the file
// has, under "zoctree:world", the world that the keys are of: the exponent of the side of
// a cell and the numbers of the lowest one on each axis, as a JSON array.
//
// In DuckDB, with lo and hi from package morton's covers, or with the box alone:
//
//	SELECT id FROM 'boxes.parquet' WHERE key BETWEEN lo AND hi
//	SELECT id FROM 'boxes.parquet' WHERE bbox.xmin <= 9 AND bbox.xmax >= 7 AND …
//
// # From elsewhere
//
// [Open] takes any file that has these columns, in any order and among others, optional
// ones too if they hold no null, and compressed or not; only id and bbox have to be there.
// Without key the rows may lie in any order, and row groups prune what they can. A file that
// is broken gives an error or other rows, never a panic; one made to do harm may take long,
// and much memory, since the library below has no bounds for either.
//
// # Queries
//
// The rows of a group lie together in space, since they are a run of Morton keys. The
// statistics of six columns give the tight box of each group; only those that meet the
// query are read, their boxes first, and the other columns where a box meets it.
package columns
