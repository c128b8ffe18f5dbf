package table

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/space"
)

func TestReadFormer(t *testing.T) {
	sp := newSpace(t, space.Float("a", 0, 10), space.Float("b", 0, 10), space.Choice("c", "p", "q"))
	for _, c := range []struct{ file, want string }{
		{"a,c,value\n1,p,2\n", `{"a":1,"c":"p"} 2;`},
		{"a;value\n1,5;2,5\n", `{"a":1.5} 2.5;`},
		{"a\tb\tvalue, in mm\tvalue\n1,5\t\t\t2\n", `{"a":1.5} 2;`},
		{"a,value\n1,\n", `no row has a number in "value" and a parameter`},
		{"x,y,value\n1,2,3\n", "no column is a parameter: the columns are x, y, value, the parameters a, b, c; rename those that are meant"},
		{"a,b\n1,2\n", `there is no column "value": rename the one with the values; the columns are a, b`},
		{"PK\x03\x04", "a workbook"},
	} {
		rows, err := ReadFormer([]byte(c.file), sp)
		got := ""
		if err != nil {
			got = err.Error()
		}
		for _, r := range rows {
			got += fmt.Sprintf("%s %v;", r.Params, r.Outcome.Value)
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%q says %q, want %q", c.file, got, c.want)
		}
	}
}
