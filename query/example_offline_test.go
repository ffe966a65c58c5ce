package query_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zoctree/zoctree/linear"
	"github.com/zoctree/zoctree/query"
)

// A land register as a table: the input of an offline tool.
const register = `owner,x0,y0,x1,y1
Anders,0,0,12,10
Berit,12,0,30,10
Anders,0,10,8,25
Carl,8,10,30,25
`

// parcel is the record that the file holds of each row beside its box. Its size is fixed, so that it can be mapped.
type parcel struct {
	Owner uint32 // index of the names
	Area  float32
}

// readRegister reads the table. An error names the line.
func readRegister(r io.Reader) (objects []linear.Object, parcels []parcel, names []string, err error) {
	known := map[string]uint32{}
	table := csv.NewReader(r)
	if _, err := table.Read(); err != nil {
		return nil, nil, nil, err
	}
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return objects, parcels, names, nil
		} else if err != nil {
			return nil, nil, nil, err
		}
		var at [4]float32
		for i, field := range row[1:] {
			v, err := strconv.ParseFloat(field, 32)
			if err != nil {
				line, _ := table.FieldPos(i + 1)
				return nil, nil, nil, fmt.Errorf("line %d: %w", line, err)
			}
			at[i] = float32(v)
		}
		owner, ok := known[row[0]]
		if !ok {
			owner = uint32(len(names))
			known[row[0]] = owner
			names = append(names, row[0])
		}
		objects = append(objects, linear.Object{
			Box:    linear.AABB{Min: [3]float32{at[0], at[1], 0}, Max: [3]float32{at[2], at[3], 0}},
			Static: true,
		})
		parcels = append(parcels, parcel{owner, float32((at[2] - at[0]) * (at[3] - at[1]))})
	}
}

// saveRegister is the tool that runs at night: it writes a table to a file atomically.
func saveRegister(ctx context.Context, table io.Reader, path string) error {
	objects, parcels, names, err := readRegister(table)
	if err != nil {
		return err
	}
	tree, err := linear.New(linear.Config{Frozen: true}) // packed tightly, for static data
	if err != nil {
		return err
	}
	ids, err := tree.InsertBatch(nil, objects)
	if err != nil {
		return err
	}
	var byID linear.Column[parcel]
	byID.SetBatch(ids, parcels)
	return tree.Save(ctx, path, linear.SnapshotOptions{Sections: []linear.Section{
		linear.SaveColumn("parcel", byID.Values()),
		linear.SaveColumn("names", []byte(strings.Join(names, "\n"))),
	}})
}

// ownerAt is the program of the day: it maps the file, in microseconds at any size, and queries it.
func ownerAt(path string, x, y float32) (owner string, area float32, err error) {
	file, err := linear.OpenMapped(path, linear.CheckSafe)
	if err != nil {
		return "", 0, err
	}
	defer file.Close()
	parcels, err := linear.LoadColumn[parcel](file, "parcel")
	if err != nil {
		return "", 0, err
	}
	names, err := linear.LoadColumn[byte](file, "names")
	if err != nil {
		return "", 0, err
	}
	at, err := query.NewPoint([3]float32{x, y, 0})
	if err != nil {
		return "", 0, err
	}
	for id := range at.All(file.View(), query.Filter{}) {
		p := parcels[id]
		return strings.Split(string(names), "\n")[p.Owner], p.Area, nil
	}
	return "nobody", 0, nil
}

// An offline tool in two programs: one saves a tree, the other maps the file.
func Example_offline() {
	folder, err := os.MkdirTemp("", "zoctree")
	failIf(err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "register.zoc")
	failIf(saveRegister(context.Background(), strings.NewReader(register), path))

	fmt.Println(ownerAt(path, 3, 20))
	fmt.Println(ownerAt(path, 20, 20))
	fmt.Println(ownerAt(path, 50, 50))

	err = saveRegister(context.Background(), strings.NewReader("owner,x0,y0,x1,y1\nDora,0,0,ten,10\n"), path)
	fmt.Println(err)
	fmt.Println(ownerAt(path, 3, 20)) // the old file is intact
	// Output:
	// Anders 120 <nil>
	// Carl 330 <nil>
	// nobody 0 <nil>
	// line 2: strconv.ParseFloat: parsing "ten": invalid syntax
	// Anders 120 <nil>
}
