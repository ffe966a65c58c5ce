package nested

import (
	"flag"

	"github.com/zoctree/zoctree/bench/internal/command"
	"github.com/zoctree/zoctree/bench/internal/versus"
)

// engines is the end of the long help.
const engines = `
The engines are Go libraries that live in the program: there is no server to install.
They are in a module of their own, bench/scale, which this command builds and runs: that
takes the source tree, the go command, and once the network or a module proxy. Their
compilation takes a minute or two, the first time.`

// Scale is bench scale.
var Scale = command.Command{
	Name:  "scale",
	Short: "one tree in memory compared with out-of-core stores: shards, Pebble, Parquet",
	Long: `
Queries one tree in memory, mapped, and in shards, a Pebble store and Parquet files of the same boxes with small and
large boxes, and prints a table: bytes an object, the time to make each and to open it, the
time of a query, and the rows that it reads. All results are compared before they are timed.

  scale directory a folder of mapped shards, larger than the memory it takes
  scale pebble    transactions and queries in a store of Pebble
  scale parquet   export to Parquet and import from it
  scale raft      a tree on several nodes, which fail and restart

  go run ./bench scale
  go run ./bench scale -n 4M -count 5
` + engines + command.AboutOutput,
	Setup: scaled(versus.ScaleTable),
}

// Directory is bench scale directory.
var Directory = command.Command{
	Name:  "scale directory",
	Short: "a folder of mapped shards, written and queried in little memory",
	Long: `
Makes a directory of random boxes, which are never in memory together, queries it with small
and large boxes, and compares the results with a tree of the objects in these boxes.
Prints the peak of the process's private memory in each step (RssAnon of /proc), the peak of
mapped files (RssFile), which the system may reclaim at any time, and the pages that
it read from the disk.

  go run ./bench scale directory
  go run ./bench scale directory -n 100M -dir boxes
` + engines,
	Setup: scaled(versus.ScaleDirectory),
}

// Pebble is bench scale pebble.
var Pebble = command.Command{
	Name:  "scale pebble",
	Short: "boxes written with transactions, by Morton keys in Pebble",
	Long: `
Makes a store of boxes in Pebble, whose keys are Morton keys of the centres and the numbers
of the objects. Runs random transactions of puts, moves and removals, and queries boxes by
ranges of keys; then builds trees of the ranges without recent changes, and queries
again, also after the store has been closed and opened. All results are compared with one tree.

  go run ./bench scale pebble
  go run ./bench scale pebble -n 1M -scene city -dir boxes
` + engines,
	Setup: scaled(versus.ScalePebble),
}

// Parquet is bench scale parquet.
var Parquet = command.Command{
	Name:  "scale parquet",
	Short: "export to Parquet files, which DuckDB and Spark read, and import from them",
	Long: `
Writes boxes to a Parquet file, sorted by Morton keys, or reads a file that has the columns;
queries it with boxes, by the statistics of its row groups; and reads it into a tree, whose results
must be the same. The columns are

  key     INT64    Morton key of the centre of the box, by which the file is sorted
  id      INT64    number of the object
  bbox    group    of FLOAT: xmin ymin zmin xmax ymax zmax
  mask    INT32    the type mask, unsigned
  static  BOOLEAN  whether the object does not move

and with -geo those of GeoParquet 1.1: geometry, the footprint in well-known binary, and metadata
that name bbox as its covering. A file that is read must have id and bbox.

  go run ./bench scale parquet
  go run ./bench scale parquet -n 1M -scene city -geo -o boxes.parquet
  go run ./bench scale parquet -in boxes.parquet
` + engines,
	Setup: scaled(versus.ScaleParquet),
}

// Raft is bench scale raft.
var Raft = command.Command{
	Name:  "scale raft",
	Short: "a tree on several nodes by Raft, which fail, restart and catch up",
	Long: `
Starts nodes in one process, each with a tree, and proposes random batches of changes. After
each all running nodes must have the same content, by a digest, and some are queried with
boxes. In between, nodes are stopped, the leader too, and restarted with their
disks or without: they catch up from the log, or from a snapshot and the log.

  go run ./bench scale raft
  go run ./bench scale raft -n 20k -steps 1000 -nodes 5
` + engines,
	Setup: scaled(versus.ScaleRaft),
}

// scaled returns the Setup of a variant.
func scaled(what string) func(flags *flag.FlagSet) func(e *command.Env) error {
	return setup("scale", what, func() options { return &versus.Scale{What: what} })
}
