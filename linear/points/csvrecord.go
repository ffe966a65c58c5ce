package points

import (
	"bytes"
	"fmt"
)

// splitRecord appends the fields of a record to dst. More than most fields are an error. Blanks around a field are
// trimmed, except inside quotes. A blank as the separator stands for any run of blanks and tabs.
//
//	a, b ,"c, ""d""",      with a comma: a, b, c, "d", and an empty field
func splitRecord(dst [][]byte, record []byte, comma byte, most int) ([][]byte, error) {
	quotes := bytes.IndexByte(record, '"') >= 0
	for {
		record = trimBefore(record, comma)
		if comma == ' ' && len(record) == 0 {
			return dst, nil
		}
		if len(dst) == most {
			return dst, fmt.Errorf("more than %d fields separated by %q", most, comma)
		}
		var field []byte
		var err error
		if quotes && len(record) > 0 && record[0] == '"' {
			if field, record, err = cutQuoted(record[1:], comma); err != nil {
				return dst, err
			}
		} else {
			i := separator(record, comma)
			field, record = trimAfter(record[:i], comma), record[i:]
			if quotes && bytes.IndexByte(field, '"') >= 0 {
				return dst, fmt.Errorf(`%s has a quote, but none at its beginning: quote the field and double the quotes in it`, quote(field))
			}
		}
		dst = append(dst, field)
		if len(record) == 0 {
			return dst, nil
		}
		record = record[1:]
	}
}

// separator returns the index of the first separator, or the length of the record without one.
func separator(record []byte, comma byte) int {
	i := -1
	if comma == ' ' {
		i = bytes.IndexAny(record, " \t")
	} else {
		i = bytes.IndexByte(record, comma)
	}
	if i < 0 {
		return len(record)
	}
	return i
}

// isBlank reports whether b is a blank that does not separate.
func isBlank(b, comma byte) bool { return b <= ' ' && (b != comma || comma == ' ') }

func trimBefore(b []byte, comma byte) []byte {
	for len(b) > 0 && isBlank(b[0], comma) {
		b = b[1:]
	}
	return b
}

func trimAfter(b []byte, comma byte) []byte {
	for len(b) > 0 && isBlank(b[len(b)-1], comma) {
		b = b[:len(b)-1]
	}
	return b
}

// cutQuoted returns the field after an opening quote, and the rest, which is empty or begins with a separator.
func cutQuoted(record []byte, comma byte) (field, rest []byte, err error) {
	end, doubled := 0, false
	for {
		i := bytes.IndexByte(record[end:], '"')
		if i < 0 {
			return nil, nil, fmt.Errorf("a quote is not closed")
		}
		end += i
		if end+1 == len(record) || record[end+1] != '"' {
			break
		}
		doubled = true
		end += 2
	}
	field, rest = record[:end], record[end+1:]
	if doubled {
		field = bytes.ReplaceAll(field, []byte(`""`), []byte(`"`))
	}
	if comma == ' ' && (len(rest) == 0 || rest[0] <= ' ') {
		return field, rest, nil
	}
	rest = trimBefore(rest, comma)
	if len(rest) > 0 && rest[0] != comma {
		return nil, nil, fmt.Errorf("%[2]s follows %[1]s in quotes, want a separator %[3]q", quote(field), quote(rest), comma)
	}
	return field, rest, nil
}
