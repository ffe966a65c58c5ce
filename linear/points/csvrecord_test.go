package points

import (
	"bytes"
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
)

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
