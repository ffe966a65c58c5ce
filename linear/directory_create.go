package linear

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/zoctree/zoctree/internal/fault"
	"github.com/zoctree/zoctree/internal/mem"
	"github.com/zoctree/zoctree/internal/radix"
	"github.com/zoctree/zoctree/internal/team"
	"github.com/zoctree/zoctree/linear/internal/octree"
	"github.com/zoctree/zoctree/morton"
	"github.com/zoctree/zoctree/soa"
)

// createParams are the parameters of a creation: linear.DirectoryOptions documents the fields.
type createParams struct {
	World    soa.AABB
	Shard    int
	Memory   int
	Workers  int
	Progress func(taken, done uint64)
}

func (o *createParams) complete() error {
	if o.Shard != 0 && o.Shard < shardMin || o.Shard > shardMax || o.Memory < 0 || o.Workers < 0 {
		return fmt.Errorf("linear: DirectoryOptions: Shard %d, Memory %d, Workers %d: want none negative, and Shard 0 or %d to %d", o.Shard, o.Memory, o.Workers, shardMin, shardMax)
	}
	if o.World != (soa.AABB{}) {
		if _, err := morton.Fit(o.World.Min, o.World.Max); err != nil {
			return fault.Errorf("linear: DirectoryOptions.World: %w", err)
		}
	}
	if o.Shard == 0 {
		o.Shard = 1 << 15
	}
	if o.Memory == 0 {
		o.Memory = 128 << 20
	}
	o.Memory = max(o.Memory, 4<<20)
	o.Workers = team.Size(o.Workers)
	return nil
}

func createDirectory(ctx context.Context, d *disk, dir string, objects iter.Seq2[uint64, soa.Object], opt createParams) (err error) {
	if err := opt.complete(); err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if _, err := os.Lstat(dir); err == nil {
		return fault.Errorf("linear: a directory is to be created: %w", &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist})
	}
	dir = filepath.Clean(dir)
	temp, err := d.folderBeside(dir)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	c := &creation{disk: d, ctx: ctx, opt: opt, folder: temp}
	whole := false
	defer func() {
		if !whole {
			_ = c.raw.remove()
			_ = os.RemoveAll(temp)
		}
	}()
	for _, step := range [...]func() error{
		func() error { return c.take(objects) },
		c.parts,
		func() error { return c.manifest().begin(d, temp) },
		func() error { return d.rename(temp, dir) },
	} {
		if err := step(); err != nil {
			return fault.Errorf("linear: creating %s: %w", dir, err)
		}
	}
	whole = true
	if err := d.syncFolder(filepath.Dir(dir)); err != nil {
		return fault.Errorf("linear: creating %s: %w", dir, err)
	}
	return nil
}

// folderBeside makes a new folder in the parent folder of path.
func (d *disk) folderBeside(path string) (folder string, err error) {
	parent, base := filepath.Split(path)
	for i := range 10_000 {
		folder = filepath.Join(parent, fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), i))
		if err = d.makeFolder(folder); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return folder, err
}

// creation is the state of CreateDirectory.
type creation struct {
	disk   *disk
	ctx    context.Context
	opt    createParams
	folder string

	raw     *spill
	centres soa.AABB
	sample  []soa.Object
	taken   uint64
	done    uint64
	spills  int // number of spill files made
	world   morton.World
	next    uint64 // next file number
	rows    []shardRow

	records []numbered // records in memory
	order   keyOrder
}

func (c *creation) tell() {
	if c.opt.Progress != nil {
		c.opt.Progress(c.taken, c.done)
	}
}

// sampleMax is the maximum size of the sample that determines the world; a larger stream gives at least half as
// many.
const sampleMax = 1 << 14

// take writes the stream to a spill.
func (c *creation) take(objects iter.Seq2[uint64, soa.Object]) (err error) {
	c.centres = soa.Empty()
	if c.raw, err = c.spill(spillBuffer); err != nil {
		return err
	}
	every := uint64(1) // sampling interval
	var r numbered
	for r.number, r.object = range objects {
		if err = r.object.Box.Check(); err != nil {
			return fault.Errorf("object %d of the stream, number %d: %w", c.taken, r.number, err)
		}
		if err = c.raw.add(&r); err != nil {
			return err
		}
		if c.taken%every == 0 {
			if len(c.sample) == sampleMax {
				for i := range sampleMax / 2 {
					c.sample[i] = c.sample[2*i]
				}
				c.sample = c.sample[:sampleMax/2]
				every *= 2
			}
			if c.taken%every == 0 {
				c.sample = append(c.sample, r.object)
			}
		}
		if c.taken++; c.taken%(1<<14) == 0 {
			if err = c.ctx.Err(); err != nil {
				return err
			}
			c.tell()
		}
	}
	if err = c.raw.written(); err != nil {
		return err
	}
	if err = c.ctx.Err(); err != nil {
		return err
	}
	return c.fit()
}

// fit chooses the world.
func (c *creation) fit() (err error) {
	if c.opt.World != (soa.AABB{}) {
		c.world, err = morton.Fit(c.opt.World.Min, c.opt.World.Max)
		return err
	}
	c.world, err = worldOf(c.sample)
	c.sample = nil
	return err
}

// worldOf returns the world that a tree of these objects has.
func worldOf(objects []soa.Object) (morton.World, error) {
	t, err := treeOf(objects, octree.Config{Workers: 1})
	if err != nil {
		return morton.World{}, err
	}
	return t.World, nil
}

// treeOf returns a new tree of these objects, whose IDs are their indices.
func treeOf(objects []soa.Object, cfg octree.Config) (*octree.Tree, error) {
	t := new(octree.Tree)
	if err := t.Begin(cfg); err != nil || len(objects) == 0 {
		return t, err
	}
	if err := t.Admits(len(objects)); err != nil {
		return nil, err
	}
	centres, union, bad := t.Survey(objects)
	if bad >= 0 {
		return nil, fault.Errorf("linear: object %d: %w", bad, objects[bad].Box.Check())
	}
	return t, t.Build(nil, objects, nil, centres, union, octree.BuildParams{Frozen: cfg.Frozen})
}

// spill makes a new temporary file.
func (c *creation) spill(buffer int) (*spill, error) {
	c.spills++
	return c.disk.spillTo(filepath.Join(c.folder, fmt.Sprintf("%d.spill", c.spills)), buffer)
}

// inMemory is the number of records that fit into memory, at most as many as can be sorted. Each takes its key, an
// item of the sort and a copy of one; each file of a pass has a buffer.
func (c *creation) inMemory() int64 {
	n := max(c.opt.Memory/(mem.SizeOf[numbered]()+3*8), 2*c.opt.Shard)
	return int64(min(n, radix.MaxLen))
}

// parts writes the shards of all objects.
func (c *creation) parts() error {
	raw := c.raw
	c.raw = nil
	if err := c.part(raw, 0); err != nil {
		return err
	}
	return c.ctx.Err()
}

// passBits is the number of key bits by which a pass scatters.
const passBits = 8

// part writes the shards of the objects of a spill, whose keys have the first bits in common, and removes it.
func (c *creation) part(from *spill, bits int) (err error) {
	defer func() { err = errors.Join(err, from.remove()) }()
	if from.count <= c.inMemory() {
		return c.load(from)
	}
	if bits == morton.Bits {
		return c.equal(from)
	}
	parts, err := c.scatter(from, bits)
	defer func() {
		for _, p := range parts {
			err = errors.Join(err, p.remove())
		}
	}()
	if err == nil {
		err = from.remove()
	}
	if err != nil {
		return err
	}
	// Parts that fit into memory together are built together, so that cells are less fragmented at their
	// borders.
	for i := 0; i < len(parts); {
		k, sum := i, int64(0)
		for k < len(parts) && (k == i || sum+parts[k].count <= c.inMemory()) {
			sum += parts[k].count
			k++
		}
		if k == i+1 {
			err = c.part(parts[i], min(bits+passBits, morton.Bits))
		} else {
			err = c.load(parts[i:k]...)
		}
		if err != nil {
			return err
		}
		for ; i < k; i++ {
			if err := parts[i].remove(); err != nil {
				return err
			}
		}
	}
	return nil
}

// scatter distributes the records of a spill to one spill for each value of the next bits of the keys. Values
// without records have no spill.
func (c *creation) scatter(from *spill, bits int) (parts []*spill, err error) {
	var to [1 << passBits]*spill
	buffer := max(c.opt.Memory/4>>passBits, 1<<12)
	shift := max(morton.Bits-bits-passBits, 0)
	err = from.each(c.ctx, func(r *numbered) (err error) {
		s := &to[r.key(&c.world)>>shift&(1<<passBits-1)]
		if *s == nil {
			if *s, err = c.spill(buffer); err != nil {
				return err
			}
		}
		return (*s).add(r)
	})
	for _, s := range to {
		if s == nil {
			continue
		}
		parts = append(parts, s)
		if err == nil {
			err = s.written()
		}
	}
	return parts, err
}

// equal writes the shards of objects that all have the same key, in their order.
func (c *creation) equal(from *spill) error {
	c.records = c.records[:0]
	end := func() error {
		n := len(c.records)
		if n == 0 {
			return nil
		}
		first := c.records[0].key(&c.world)
		err := c.write([]piece{{0, n, first}}, func(i int) *numbered { return &c.records[i] })
		c.records = c.records[:0]
		return err
	}
	err := from.each(c.ctx, func(r *numbered) error {
		c.records = append(c.records, *r)
		if len(c.records) == c.opt.Shard {
			return end()
		}
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// load writes the shards of the objects of spills that fit into memory.
func (c *creation) load(from ...*spill) error {
	c.records = c.records[:0]
	for _, s := range from {
		err := s.each(c.ctx, func(r *numbered) error {
			c.records = append(c.records, *r)
			return nil
		})
		if err != nil {
			return err
		}
	}
	list, at, err := c.order.cut(c.ctx, &c.world, c.records, c.opt.Shard, nil, c.opt.Workers)
	if err != nil {
		return err
	}
	return c.write(list, at)
}

// write writes the shards of pieces.
func (c *creation) write(list []piece, at func(i int) *numbered) error {
	for len(list) > 0 { // some at a time, to report progress
		some := list[:min(len(list), 4*c.opt.Workers)]
		list = list[len(some):]
		w := shardWriter{disk: c.disk, world: &c.world, folder: c.folder, workers: c.opt.Workers, next: c.next}
		rows, err := w.write(c.ctx, some, at)
		if err != nil {
			return err
		}
		c.next, c.rows = w.next, append(c.rows, rows...)
		for i := range rows {
			c.done += rows[i].Count
		}
		c.tell()
	}
	return nil
}

func (c *creation) manifest() *manifest {
	fitted := c.opt.World == soa.AABB{} && len(c.rows) <= 1
	return &manifest{sequence: 1, world: c.world, next: c.next, shard: c.opt.Shard, fitted: fitted, rows: c.rows}
}

// fit fits the world to objects.
func (m *manifest) fit(records []numbered) (err error) {
	if len(records) == 0 {
		return nil
	}
	every := (len(records) + sampleMax - 1) / sampleMax
	var sample []soa.Object
	for i := 0; i < len(records); i += every {
		sample = append(sample, records[i].object)
	}
	m.world, err = worldOf(sample)
	return err
}
