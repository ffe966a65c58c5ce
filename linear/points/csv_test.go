package points

import (
	"bytes"
	"encoding/csv"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/zoctree/zoctree/internal/testkit"
	"github.com/zoctree/zoctree/soa"
)

func csvSamples() []accepted {
	up := func(v float32) float32 { return math.Nextafter32(v, float32(math.Inf(1))) }
	down := func(v float32) float32 { return math.Nextafter32(v, float32(math.Inf(-1))) }
	return []accepted{
		{"a.csv", "x,y,z\n1,2,3\n4,5,-6\n", Options{}, "CSV: 2 points in [1 2 -6] .. [4 5 3]", []soa.AABB{point(1, 2, 3), point(4, 5, -6)}},
		{"b.csv", "\ufeff\"Name\", Y_M ,X_M\r\n\"a \"\"b\"\"\nc\",2,1\r\n\r\nd,\" 4 \",3\r\n", Options{}, "CSV: 2 points in [1 2 0] .. [3 4 0]",
			[]soa.AABB{point(1, 2, 0), point(3, 4, 0)}},
		// 0.1 rounds up in float32, 0.3 up too, 0.7 down.
		{"c.csv", "x,y,MaxZ,maxy,maxx,minz,miny,minx\n9,9,0.7,0.3,0.5,0.7,-0.1,0.1\n", Options{}, "CSV: 1 boxes in [0.1 -0.1 0.7] .. [0.5 0.3 0.7]",
			[]soa.AABB{box(down(0.1), -0.1, 0.7, 0.5, 0.3, up(0.7))}},
		{"d.csv", "minx,miny,maxx,maxy\n1,2,1,3\n", Options{}, "CSV: 1 boxes in [1 2 0] .. [1 3 0]", []soa.AABB{box(1, 2, 0, 1, 3, 0)}},
		{"e.csv", "X_m,Y_m,Z_m,minx\n1,2,3,x\n", Options{}, "CSV: 1 points in [1 2 3] .. [1 2 3]", []soa.AABB{point(1, 2, 3)}},
		{"f.csv", "x,y", Options{}, "CSV: 0 points", nil},
		{"g.csv", "y,x\n2,1\n", Options{}, "CSV: 1 points in [1 2 0] .. [1 2 0]", []soa.AABB{point(1, 2, 0)}},
	}
}

func TestCSV(t *testing.T) {
	for _, a := range csvSamples() {
		a.run(t)
	}
}

func TestCSVColumns(t *testing.T) {
	const data = "ID,x,y,t_s,Type\na,1,2,0.5,house\n\"b,c\",3,4,-7,\n"
	opt := Options{Columns: []string{"t_s", "flight", "X", "t_s"}, Texts: []string{"id", "type", "x", "layer"}}
	d, err := Read(t.Context(), strings.NewReader(data), "a.csv", opt)
	testkit.Must(t, err)
	if want := map[string][]float64{"t_s": {0.5, -7}, "X": {1, 3}}; !reflect.DeepEqual(d.Columns, want) {
		t.Errorf("floats %v", d.Columns)
	}
	if want := map[string][]string{"id": {"a", "b,c"}, "type": {"house", ""}, "x": {"1", "3"}}; !reflect.DeepEqual(d.Texts, want) {
		t.Errorf("texts %v", d.Texts)
	}
	_, err = Read(t.Context(), strings.NewReader(data), "a.csv", Options{Columns: []string{"type"}})
	if want := `a.csv: line 2: Type: "house" is not a number`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	_, err = Read(t.Context(), strings.NewReader("x,y,id,ID\n"), "a.csv", Options{Texts: []string{"Id"}})
	if want := "a.csv: line 1: second column ID, besides id: name the columns to read in Options.Axes, or rename one"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A # after an empty field that a tab ends begins a field, not a comment.
func TestCSVTabComment(t *testing.T) {
	const data = "name\ttag\tx\ty\n\t#a\t1\t2\n \t//b\t3\t4\n#c\td\t5\t6\n //\t\n\t\"#e\nf\"\t7\t8\n"
	d, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{Texts: []string{"tag"}})
	testkit.Must(t, err)
	if want := []string{"#a", "//b", "#e\nf"}; !reflect.DeepEqual(d.Texts["tag"], want) || len(d.Points) != 3 {
		t.Errorf("%d points, tags %q, want %q", len(d.Points), d.Texts["tag"], want)
	}
	if want := "CSV: 3 points in [1 2 0] .. [7 8 0]; skipped 2 comment lines"; d.String() != want {
		t.Errorf("got %s, want %s", d, want)
	}
}

// Columns hold the values of the file, including NaN, and NaN for missing values; also the columns of
// coordinates.
func TestCSVColumnsNaN(t *testing.T) {
	const data = "x,y,Scalar\n1,2,\n3,nan,5\n,,7\n4,5,-nan(ind)\n6,7,inf\n8,9,1.5\n,,\n"
	c, err := Read(t.Context(), strings.NewReader(data), "a.csv", Options{Columns: []string{"Scalar", "x"}, SkipInvalid: true})
	testkit.Must(t, err)
	got, want := c.Columns["Scalar"], []float64{math.NaN(), math.NaN(), math.Inf(1), 1.5}
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] && !(got[i] != got[i] && want[i] != want[i]) {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if want := []float64{1, 4, 6, 8}; !reflect.DeepEqual(c.Columns["x"], want) || !reflect.DeepEqual(c.Kept, []uint32{0, 3, 4, 5}) {
		t.Errorf("%v of %v, want %v", c.Columns["x"], c.Kept, want)
	}
}

func TestCSVRefused(t *testing.T) {
	const none = " has no columns minx, miny, maxx, maxy, nor x, y, nor x_m, y_m, nor Points:0, Points:1, nor easting, northing: " +
		"name its columns in Options.Axes, its separator in Options.Comma"
	const boxes = "id,minx,miny,minz,maxx,maxy,maxz\n"
	for _, test := range []refused{
		{"a.csv", "\n\n", "a.csv: no header line: want one that names the columns, such as x,y,z"},
		{"a.csv", "id,x,z\n", `a.csv: line 1: header "id,x,z"` + none},
		{"a.csv", "1,2,3\n", "a.csv: line 1: numbers without a header are read only from files named .xyz or .pts: put a line that names the columns before \"1,2,3\", such as x,y,z"},
		{"a.csv", "x,y,Y\n", `a.csv: line 1: header "x,y,Y": second column Y, besides y: name the columns to read in Options.Axes, or rename one`},
		{"a.csv", "minx,miny,minz,maxx,maxy\n", `a.csv: line 1: header "minx,miny,minz,maxx,maxy": only one of minz and maxz`},
		{"a.csv", "x,y\n1,2\n1\n", "a.csv: line 3: 1 fields, but 2 columns, separated by ',': set Options.Comma for another separator"},
		{"a.csv", "x,y\n1,2\n1,2,3\n", "a.csv: line 3: 3 fields, but 2 columns, separated by ',': set Options.Comma for another separator"},
		{"a.csv", "\xfe\xff\x00x\x00,\x00y", "a.csv: text in UTF-16, want UTF-8: save it as UTF-8"},
		{"a.csv", "x,y\n1_0,2\n", `a.csv: line 2: x: "1_0" is not a number`},
		{"a.csv", "x,y\n1,two\n", `a.csv: line 2: y: "two" is not a number`},
		{"a.csv", "x,y\n1,\n", "a.csv: line 2: point 0: y is empty, not a number" + out},
		{"a.csv", "x,y\n1,NaN\n", `a.csv: line 2: point 0: y is "NaN", not finite` + out},
		{"a.csv", "id,x,y\n\"a\nb\",1,2\nc,-inf,2\n", `a.csv: line 4: point 1: x is "-inf", not finite` + out},
		{"a.csv", "x,y\n1,\"2\n", "a.csv: line 2: a quote is not closed: close it, or double quotes within a field"},
		{"a.csv", "x,y\n1,a\"b\n", "a.csv: line 2: a quote is not closed: close it, or double quotes within a field"},
		{"a.csv", "x,y\n1,2\n1,a\"b\"\n", `a.csv: line 3: "a\"b\"" has a quote, but none at its beginning: quote the field and double the quotes in it`},
		{"a.csv", "x,y\n\"1\"2,3\n", `a.csv: line 2: "2,3" follows "1" in quotes, want a separator ','`},
		{"a.csv", "x,y\n1,2,3,4\n", "a.csv: line 2: more than 2 fields, but 2 columns, separated by ',': set Options.Comma for another separator"},
		{"a.csv", boxes + "1,0,0,0,1,1,1\n2,0,0.2,0,1,0.1,1\n", "a.csv: line 3: inverted box: miny 0.2, maxy 0.1"},
		{"a.csv", boxes + "1,0,0,0,1,1,one\n", `a.csv: line 2: maxz: "one" is not a number`},
		{"a.csv", boxes + "1,nan,0,0,1,1,1\n", `a.csv: line 2: point 0: x is "nan", not finite` + out},
		{"a.csv", boxes + "1,0,0,0,1,3.4028236e38,1\n", `a.csv: line 2: point 0: y is "3.4028236e38", beyond float32` + out},
	} {
		test.run(t)
	}
}

func TestSplitRecord(t *testing.T) {
	for _, test := range []struct {
		record string
		comma  byte
		want   []string
	}{
		{"a, b ,\"c, \"\"d\"\"\",", ',', []string{"a", "b", "c, \"d\"", ""}},
		{",", ',', []string{"", ""}},
		{"\ta\t\t b \t", '\t', []string{"", "a", "", "b", ""}},
		{"\"\t\"\t\"b\" ", '\t', []string{"\t", "b"}},
		{"  a \t b  ", ' ', []string{"a", "b"}},
		{" \"a b\" \"\"\"\" \"\" ", ' ', []string{"a b", "\"", ""}},
		{"a;b,c", ';', []string{"a", "b,c"}},
		{"\" a \"", ',', []string{" a "}},
	} {
		fields, err := splitRecord(nil, []byte(test.record), test.comma, 9)
		var got []string
		for _, f := range fields {
			got = append(got, string(f))
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %q, %v; want %q", test.record, got, err, test.want)
		}
	}
	for _, record := range []string{"a\"b", "\"a", "\"a\"b", "\"a\"\"", "1,2,3,4,5,6,7,8,9,10"} {
		if fields, err := splitRecord(nil, []byte(record), ',', 9); err == nil {
			t.Errorf("%q: %q", record, fields)
		}
	}
}

// Records are split as by encoding/csv, except that blanks around fields are trimmed.
func FuzzSplitRecord(f *testing.F) {
	for _, s := range []string{"a,b", "\"a\"\"\",", " \"a\" ,b", ",,", "a\"b", "\"a\"b", "\"a,\n\"", "#a,b", " ,\"\""} {
		f.Add(s, byte(','))
		f.Add(strings.ReplaceAll(s, ",", ";"), byte(';'))
	}
	f.Fuzz(func(t *testing.T, s string, comma byte) {
		if !isSeparator(rune(comma)) || comma == ' ' || strings.ContainsAny(s, "\r\n") || strings.TrimSpace(s) == "" {
			return
		}
		fields, err := splitRecord(nil, []byte(s), comma, 1<<20)
		r := csv.NewReader(strings.NewReader(s))
		r.Comma = rune(comma)
		want, wantErr := r.Read()
		if wantErr != nil {
			return // encoding/csv does not accept blanks around quotes
		}
		if err != nil {
			t.Fatalf("%q: %v, want %q", s, err, want)
		}
		if len(fields) != len(want) {
			t.Fatalf("%q: %q, want %q", s, fields, want)
		}
		for i, field := range fields {
			trimmed := func(b byte) bool { return b <= ' ' && b != comma }
			w := []byte(want[i])
			for !bytes.Equal(field, w) && len(w) > 0 && trimmed(w[0]) {
				w = w[1:]
			}
			for !bytes.Equal(field, w) && len(w) > 0 && trimmed(w[len(w)-1]) {
				w = w[:len(w)-1]
			}
			if !bytes.Equal(field, w) {
				t.Fatalf("%q: field %d is %q, want %q", s, i, field, want[i])
			}
		}
	})
}
