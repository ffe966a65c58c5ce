package duckdb_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zoctree/zoctree/bench/duckdb"
	"github.com/zoctree/zoctree/bench/internal/must"
	"github.com/zoctree/zoctree/bench/scale/columns"
	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/internal/scene"
	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// files writes a scene of n objects as GeoParquet, and as DuckDB writes it, sorted and shuffled.
func files(t testing.TB, db *sql.DB, n, group int) (objects []linear.Object, names map[string]string) {
	t.Helper()
	sc, _ := scene.ByName("city")
	objects = sc.Make(n, 1)
	dir := t.TempDir()
	names = map[string]string{}
	for _, name := range []string{"written", "sorted", "shuffled"} {
		names[name] = filepath.Join(dir, name+".parquet")
	}
	var data bytes.Buffer
	must.Do(columns.Write(&data, row.Number(objects), columns.Options{Group: group, Geo: true}))
	must.Do(os.WriteFile(names["written"], data.Bytes(), 0o666))
	must.Do(duckdb.Rewrite(db, names["written"], names["sorted"], "key, id", group))
	must.Do(duckdb.Rewrite(db, names["written"], names["shuffled"], "hash(id)", group))
	return objects, names
}

// found returns the results of a query of a file, in ascending order.
func found(db *sql.DB, file string, where string) (ids []uint32) {
	rows := must.Get(db.Query(fmt.Sprintf("SELECT id FROM '%s' WHERE %s ORDER BY id", file, where)))
	defer rows.Close()
	for rows.Next() {
		var id uint32
		must.Do(rows.Scan(&id))
		ids = append(ids, id)
	}
	must.Do(rows.Err())
	return ids
}

// DuckDB finds in each file what a tree of the objects finds. The groups of a sorted file are skipped, those of a
// shuffled one are not.
func TestQueries(t *testing.T) {
	const n, group = 40_000, 2048
	db := must.Get(duckdb.Open())
	defer db.Close()
	objects, names := files(t, db, n, group)
	tree := new(linear.Tree)
	must.Get(tree.InsertBatch(nil, objects))
	for i := range 20 {
		b := objects[i*1999].Box
		for a := range 3 {
			b.Min[a] -= float32(i)
			b.Max[a] += float32(i)
		}
		box := must.Get(query.NewBox(b.Min, b.Max))
		want := box.Append(nil, tree.View(), query.Filter{})
		slices.Sort(want)
		for name, file := range names {
			if got := found(db, file, duckdb.Query(b)); !slices.Equal(got, want) || len(got) == 0 {
				t.Fatalf("%s: box %d: %d objects, want %d", name, i, len(got), len(want))
			}
			all, skipped, err := duckdb.Groups(db, file, b)
			if err != nil || all < n/group {
				t.Fatalf("%s: %d groups, %v", name, all, err)
			}
			if share := float64(skipped) / float64(all); name != "shuffled" && share < 0.5 || name == "shuffled" && share > 0.1 {
				t.Errorf("%s: box %d: %d groups of %d skipped", name, i, skipped, all)
			}
		}
	}
}

// The geometries and the metadata of GeoParquet are there for programs that know them.
func TestGeoMetadata(t *testing.T) {
	db := must.Get(duckdb.Open())
	defer db.Close()
	_, names := files(t, db, 1000, 500)
	var text string
	must.Do(db.QueryRow(fmt.Sprintf("SELECT decode(value) FROM parquet_kv_metadata('%s') WHERE decode(key) = 'geo'", names["written"])).Scan(&text))
	if !bytes.Contains([]byte(text), []byte(`"covering":{"bbox":{"xmax":["bbox","xmax"]`)) {
		t.Errorf("metadata %s", text)
	}
}

var sink int

// A box query of a sorted file beside that of a shuffled one with the same rows: files that DuckDB wrote, and that of
// package columns.
func BenchmarkQuery(b *testing.B) {
	db := must.Get(duckdb.Open())
	defer db.Close()
	objects, names := files(b, db, 1_000_000, 8192)
	for _, name := range []string{"written", "sorted", "shuffled"} {
		b.Run("file="+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				box := objects[i*7919%len(objects)].Box
				sink += len(found(db, names[name], duckdb.Query(box)))
			}
			all, skipped, err := duckdb.Groups(db, names[name], objects[0].Box)
			must.Do(err)
			b.ReportMetric(float64(skipped)/float64(all), "skipped/group")
		})
	}
}
