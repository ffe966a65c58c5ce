package ranges

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/morton"
)

// Layout defines how a store arranges its rows. It is fixed when the store is created.
type Layout struct {
	World morton.World // world of the keys; boxes outside are found too, but more slowly
	Small float64      // largest distance of the centre of a small box from a face, on any axis
}

// Fit returns a layout for similar rows: their world, and a size that 99 in 100 do not exceed.
func Fit(rows []row.Row) (Layout, error) {
	w, err := row.World(rows)
	if err != nil || len(rows) == 0 {
		return Layout{World: w}, err
	}
	sizes := make([]float64, len(rows))
	for i := range rows {
		sizes[i] = row.Of(rows[i].Object.Box).Most()
	}
	slices.Sort(sizes)
	return Layout{w, sizes[(len(sizes)-1)*99/100]}, nil
}

// Options configures an open store. The zero value is a good default.
type Options struct {
	FS     vfs.FS // nil: the file system of the machine
	Ranges int    // largest number of ranges of a cover; 0: 32
	Run    int    // rows of a tree of a cold run; 0: 8,192
	Cache  int64  // bytes of the block cache; 0: the default of Pebble
}

// Store is a store of boxes. It is safe for concurrent use: transactions are serialized, and queries run
// concurrently with them and block only while one takes effect.
type Store struct {
	db  *pebble.DB
	opt Options

	write sync.Mutex // held by a transaction, and by Chill

	// view guards the fields below, and keeps them consistent with the rows that a query reads.
	view   sync.RWMutex
	meta   meta
	runs   []*run
	writes uint64 // number of transactions so far
	closed bool
}

// errClosed is returned by calls after Close.
var errClosed = errors.New("ranges: the store is closed")

// Create creates a store with rows in a folder that has none, and opens it. It sorts the rows by key, the
// fast way to fill an empty store. A duplicate number is an error.
func Create(dir string, layout Layout, rows []row.Row, opt Options) (*Store, error) {
	if !(layout.Small >= 0) {
		return nil, fmt.Errorf("ranges: boxes are small up to %v", layout.Small)
	}
	if err := row.CheckAll(rows); err != nil {
		return nil, fmt.Errorf("ranges: %w", err)
	}
	s, err := open(dir, opt, &pebble.Options{ErrorIfExists: true})
	if err != nil {
		return nil, err
	}
	s.meta = meta{world: layout.World, small: layout.Small}
	if err := s.fill(rows); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Open opens an existing store.
func Open(dir string, opt Options) (*Store, error) {
	s, err := open(dir, opt, &pebble.Options{ErrorIfNotExists: true})
	if err != nil {
		return nil, err
	}
	value, closer, err := s.db.Get([]byte{metaTag})
	if err == nil {
		err = errors.Join(s.meta.read(value), closer.Close())
	} else if errors.Is(err, pebble.ErrNotFound) {
		err = fmt.Errorf("ranges: %s was not filled to the end", dir)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func open(dir string, opt Options, how *pebble.Options) (*Store, error) {
	how.FS = cmp.Or[vfs.FS](opt.FS, vfs.Default)
	how.CacheSize = opt.Cache
	how.FormatMajorVersion = pebble.FormatNewest
	how.Logger = quiet{}
	opt.Ranges = cmp.Or(opt.Ranges, 32)
	opt.Run = cmp.Or(opt.Run, 8192)
	if opt.Ranges < 1 || opt.Run < 1 || opt.Cache < 0 {
		return nil, fmt.Errorf("ranges: %d ranges, runs of %d, a cache of %d bytes", opt.Ranges, opt.Run, opt.Cache)
	}
	db, err := pebble.Open(dir, how)
	if err != nil {
		return nil, fmt.Errorf("ranges: %w", err)
	}
	return &Store{db: db, opt: opt, runs: []*run{{}}}, nil
}

// quiet discards the log messages of Pebble; a fatal message ends the program, as Pebble requires.
type quiet struct{}

func (quiet) Infof(string, ...any)              {}
func (quiet) Errorf(string, ...any)             {}
func (quiet) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// fillBytes is the approximate size of a batch of fill.
const fillBytes = 8 << 20

// fill writes rows into the empty store. It writes the metadata row last: a store without it is incomplete.
func (s *Store) fill(rows []row.Row) error {
	type placed struct {
		at position
		of *row.Row
	}
	all := make([]placed, len(rows))
	for i := range rows {
		p, _ := s.meta.rowPosition(rows[i].Object.Box)
		all[i] = placed{p, &rows[i]}
	}
	batch := s.db.NewBatch()
	defer func() { batch.Close() }()
	var key, value []byte
	put := func(last bool) error {
		err := batch.Set(key, value, nil)
		if err == nil && (last || batch.Len() > fillBytes) {
			err = batch.Commit(pebble.NoSync)
			batch = s.db.NewBatch()
		}
		return err
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.of.ID, b.of.ID)) })
	for _, p := range all {
		key, value = appendRowKey(key[:0], p.at, p.of.ID), appendObject(value[:0], &p.of.Object)
		if err := put(false); err != nil {
			return err
		}
	}
	slices.SortFunc(all, func(a, b placed) int { return cmp.Compare(a.of.ID, b.of.ID) })
	for _, p := range all {
		key, value = appendIndexKey(key[:0], p.of.ID), appendIndexValue(value[:0], p.at)
		if err := put(false); err != nil {
			return err
		}
	}
	key, value = append(key[:0], metaTag), s.meta.append(value[:0])
	if err := put(true); err != nil {
		return err
	}
	return s.db.Flush()
}

// Close closes the store. It waits for a running transaction and for queries.
func (s *Store) Close() error {
	s.write.Lock()
	defer s.write.Unlock()
	s.view.Lock()
	defer s.view.Unlock()
	if s.closed {
		return errClosed
	}
	s.closed = true
	s.runs = nil
	return s.db.Close()
}

// Layout returns the layout of the store.
func (s *Store) Layout() Layout {
	s.view.RLock()
	defer s.view.RUnlock()
	return Layout{s.meta.world, s.meta.small}
}

// Compact rewrites the files of the store so that each row is stored once.
func (s *Store) Compact() error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return errClosed
	}
	return s.db.Compact(background, []byte{0}, []byte{math.MaxUint8}, true)
}

// Bytes returns the size of the files that hold rows.
func (s *Store) Bytes() int64 {
	s.view.RLock()
	defer s.view.RUnlock()
	if s.closed {
		return 0
	}
	total := int64(0)
	for _, level := range s.db.Metrics().Levels {
		total += int64(level.TablesSize)
	}
	return total
}
