// Package columns stores boxes in Parquet files, a columnar format that DuckDB, Spark, pandas and many other
// programs read, and runs box queries that skip row groups by their statistics.
//
// Use it to exchange boxes or to analyse them as a table: a file is written once, is about as small as its
// numbers, and is readable without this module. A query reads whole row groups, which takes hundreds of times
// as long as one tree in memory (go run ./bench scale). For frequent queries, import the file and build a
// tree.
//
// # Columns
//
//	key     INT64    Morton key of the centre of the box; the file is sorted by it
//	id      INT64    number of the object, 0 or more
//	bbox    group    of FLOAT: xmin ymin zmin xmax ymax zmax, as in GeoParquet coverings
//	mask    INT32    unsigned: the type mask
//	static  BOOLEAN  whether the object does not move
//
// All columns are required, plain or delta encoded and not compressed. The file metadata stores the world of
// the keys under "zoctree:world", as a JSON array: the exponent of the side of a cell, and the numbers of the
// lowest cell on each axis.
//
// In DuckDB, with lo and hi from package morton's covers, or with the box alone:
//
//	SELECT id FROM 'boxes.parquet' WHERE key BETWEEN lo AND hi
//	SELECT id FROM 'boxes.parquet' WHERE bbox.xmin <= 9 AND bbox.xmax >= 7 AND …
//
// With [Options.Geo] the file is GeoParquet 1.1, which GDAL, QGIS and GeoPandas read, too: a column geometry has the
// footprint of each box, a polygon or a point at its lowest height, and the metadata names bbox as its covering, by
// which readers skip row groups. The coordinates have no reference system. The nested module bench/duckdb reads such a
// file with DuckDB.
//
// # Other files
//
// [Open] accepts any file with these columns, in any order and among others, compressed or not. Optional
// columns are accepted if they hold no null. Only id and bbox are required. Without key the rows may be in
// any order, and row groups prune as far as they can. A corrupt file gives an error or wrong rows, never a
// panic. A malicious file may take much time and memory, because the Parquet library bounds neither.
//
// # Queries
//
// The rows of a group are close in space, because they are a run of Morton keys. The statistics of six
// columns give the tight box of each group. A query reads only the groups that overlap it: first their boxes,
// and then the other columns if a box overlaps.
package columns
