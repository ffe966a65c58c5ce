// Package duckdb reads the Parquet files of bench/scale/columns with DuckDB, as an analyst does, and shows that its
// queries skip row groups: a box query is a filter on the columns of bbox, whose statistics exclude most groups when
// the file is sorted by Morton keys. It needs no spatial extension.
//
//	SELECT id FROM 'boxes.parquet' WHERE bbox.xmin <= 9 AND bbox.xmax >= 7 AND …
//
// DuckDB is a C++ library: the module needs cgo and a C++ compiler.
package duckdb

import (
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/duckdb/duckdb-go/v2" // the driver duckdb

	"github.com/zoctree/zoctree/soa"
)

// Open opens a database in memory, on one thread, so that times compare.
func Open() (*sql.DB, error) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("SET threads = 1"); err != nil {
		db.Close()
		return nil, err
	}
	return db, nil
}

// Query returns the condition that a box of a file intersects b: closed intervals, as queries of the library.
func Query(b soa.AABB) string {
	var terms []string
	for a, axis := range []string{"x", "y", "z"} {
		terms = append(terms, fmt.Sprintf("bbox.%smin <= %v::FLOAT AND bbox.%smax >= %v::FLOAT", axis, b.Max[a], axis, b.Min[a]))
	}
	return strings.Join(terms, " AND ")
}

// Rewrite writes the rows of a file to another in another order, with row groups of so many rows.
func Rewrite(db *sql.DB, from, to, order string, group int) error {
	_, err := db.Exec(fmt.Sprintf("COPY (SELECT * FROM '%s' ORDER BY %s) TO '%s' (FORMAT parquet, ROW_GROUP_SIZE %d)", from, order, to, group))
	return err
}

// Groups returns the number of row groups of a file, and how many of them the statistics of bbox let a query of a box
// skip, from parquet_metadata.
func Groups(db *sql.DB, file string, b soa.AABB) (all, skipped int, err error) {
	outside := []string{"false"}
	for a, axis := range []string{"x", "y", "z"} {
		outside = append(outside,
			fmt.Sprintf("path_in_schema = 'bbox, %smin' AND stats_min_value::FLOAT > %v::FLOAT", axis, b.Max[a]),
			fmt.Sprintf("path_in_schema = 'bbox, %smax' AND stats_max_value::FLOAT < %v::FLOAT", axis, b.Min[a]))
	}
	err = db.QueryRow(fmt.Sprintf("SELECT count(*), count(*) FILTER (skipped) FROM (SELECT row_group_id, bool_or(%s) AS skipped FROM parquet_metadata('%s') WHERE path_in_schema LIKE 'bbox, %%' GROUP BY row_group_id)",
		strings.Join(outside, " OR "), file)).Scan(&all, &skipped)
	return all, skipped, err
}
