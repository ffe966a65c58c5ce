package ranges

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/zoctree/zoctree/bench/scale/row"
	"github.com/zoctree/zoctree/soa"
)

var background = context.Background()

// ErrUnknown is returned for a number without an object.
var ErrUnknown = errors.New("ranges: no object has this number")

// Tx is a running transaction. It reads its own changes. It is valid only inside the function that
// [Store.Update] runs.
type Tx struct {
	s       *Store
	batch   *pebble.Batch
	meta    meta // metadata after the transaction
	grown   bool
	touched map[position]bool
	key     []byte
	value   []byte
}

// Update runs a transaction. All puts, moves and removals of do take effect together when do returns nil and
// the log is synced. None takes effect if do returns an error, which Update then returns. Queries see all
// changes or none.
func (s *Store) Update(do func(tx *Tx) error) error {
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return errClosed
	}
	tx := &Tx{s: s, batch: s.db.NewIndexedBatch(), meta: s.meta, touched: map[position]bool{}}
	defer tx.batch.Close()
	if err := do(tx); err != nil {
		return err
	}
	if tx.grown {
		tx.value = tx.meta.append(tx.value[:0])
		if err := tx.batch.Set([]byte{metaTag}, tx.value, nil); err != nil {
			return err
		}
	}
	s.view.Lock()
	defer s.view.Unlock()
	// Touched runs are scanned row by row from now on, even if it is uncertain that the log has been written.
	s.writes++
	for p := range tx.touched {
		s.runs[s.runOf(p)].warm(s.writes)
	}
	s.meta = tx.meta
	return tx.batch.Commit(pebble.Sync)
}

// Put stores an object under its number, and replaces an earlier object with this number.
func (tx *Tx) Put(r row.Row) error {
	if err := r.Check(); err != nil {
		return fmt.Errorf("ranges: put: %w", err)
	}
	from, ok, err := tx.find(r.ID)
	if err != nil {
		return err
	}
	return tx.set(r, from, ok)
}

// Move changes the box of an object. A number without an object gives [ErrUnknown].
func (tx *Tx) Move(id uint64, box soa.AABB) error {
	if err := box.Check(); err != nil {
		return fmt.Errorf("ranges: move %d: %w", id, err)
	}
	from, ok, err := tx.find(id)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("move %d: %w", id, ErrUnknown)
	}
	r := row.Row{ID: id}
	if err := tx.object(from, id, &r.Object); err != nil {
		return err
	}
	r.Object.Box = box
	return tx.set(r, from, true)
}

// Remove removes an object. A number without an object gives [ErrUnknown].
func (tx *Tx) Remove(id uint64) error {
	from, ok, err := tx.find(id)
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("remove %d: %w", id, ErrUnknown)
	}
	tx.key = appendIndexKey(tx.key[:0], id)
	if err := tx.batch.Delete(tx.key, nil); err != nil {
		return err
	}
	return tx.unset(from, id)
}

// Get returns an object; ok is false if no object has the number.
func (tx *Tx) Get(id uint64) (o soa.Object, ok bool, err error) {
	at, ok, err := tx.find(id)
	if ok {
		err = tx.object(at, id, &o)
	}
	return o, ok && err == nil, err
}

// find returns the position of an object.
func (tx *Tx) find(id uint64) (p position, ok bool, err error) {
	tx.key = appendIndexKey(tx.key[:0], id)
	value, closer, err := tx.batch.Get(tx.key)
	if errors.Is(err, pebble.ErrNotFound) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, err
	}
	p, err = readIndexValue(value)
	err = errors.Join(err, closer.Close())
	return p, err == nil, err
}

// object reads the row of an object.
func (tx *Tx) object(at position, id uint64, o *soa.Object) error {
	tx.key = appendRowKey(tx.key[:0], at, id)
	value, closer, err := tx.batch.Get(tx.key)
	if err != nil {
		return fmt.Errorf("ranges: the row of object %d, which the index names: %w", id, err)
	}
	return errors.Join(readObject(value, o), closer.Close())
}

// set writes a row, and removes the object's former row at another position.
func (tx *Tx) set(r row.Row, from position, had bool) error {
	to, grown := tx.meta.rowPosition(r.Object.Box)
	tx.grown = tx.grown || grown
	tx.touched[to] = true
	if !had || from != to {
		tx.key, tx.value = appendIndexKey(tx.key[:0], r.ID), appendIndexValue(tx.value[:0], to)
		if err := tx.batch.Set(tx.key, tx.value, nil); err != nil {
			return err
		}
	}
	if had && from != to {
		if err := tx.unset(from, r.ID); err != nil {
			return err
		}
	}
	tx.key, tx.value = appendRowKey(tx.key[:0], to, r.ID), appendObject(tx.value[:0], &r.Object)
	return tx.batch.Set(tx.key, tx.value, nil)
}

// unset removes a row.
func (tx *Tx) unset(from position, id uint64) error {
	tx.touched[from] = true
	tx.key = appendRowKey(tx.key[:0], from, id)
	return tx.batch.Delete(tx.key, nil)
}
