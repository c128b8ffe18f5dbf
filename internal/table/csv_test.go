package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// read imports a CSV file and writes what became of it on one line per row.
func read(t *testing.T, sp *space.Space, file string, o Options) (text string, err error) {
	t.Helper()
	s, _ := begin(t, study.Config{Space: sp})
	o.Format = CSV
	report, err := Import(t.Context(), s, strings.NewReader(file), o)
	for _, trial := range trials(t, s) {
		for name, value := range trial.Params.All() {
			text += fmt.Sprintf("%s=%v ", name, value)
		}
		text += fmt.Sprintf("-> %v ± %v\n", *trial.Value, trial.Std)
	}
	for _, bad := range report.Bad {
		text += bad.Error() + "\n"
	}
	return text, err
}

func TestSeparators(t *testing.T) {
	sp := newSpace(t, space.Float("x", 0, 10), space.Choice("c", "a;b", "a,b"))
	const want = "x=2.5 c=a;b -> 3 ± 0\nx=0.5 c=a,b -> 4 ± 0\n"
	for _, file := range []string{
		"x,c,value\n2.5,a;b,3\n0.5,\"a,b\",4\n",
		"x;c;value\n2.5;\"a;b\";3\n0.5;a,b;4\n",
		"\ufeffx;c;value\r\n2,5;\"a;b\";3\r\n0,5;a,b;4\r\n",
		"\"x\";\"c\";\"value\"\n\"2,5\";\"a;b\";\"3\"\n\"0,5\";\"a,b\";\"4\"\n",
		"x,c,value,\"note; or, remark\"\n2.5,a;b,3,\n0.5,\"a,b\",4,\n",
		"x,c,value,note; or remark\n2.5,a;b,3,\n0.5,\"a,b\",4,\n",
		"x;c;value;note, or remark\n2,5;\"a;b\";3;\n0,5;a,b;4;\n",
		"x\tc\tvalue\n2.5\ta;b\t3\n0.5\ta,b\t4\n",
		"x\tc\tvalue\tnote; or, remark\r\n2,5\ta;b\t3\t\r\n0,5\ta,b\t4\t\r\n",
		"x,c,value,note\tor remark\n2.5,a;b,3,\n0.5,\"a,b\",4,\n",
		"\"x\",\"c\",\"value\"\n\"2,5\",\"a;b\",\"3\"\n\"0,5\",\"a,b\",\"4\"\n",
	} {
		if text, err := read(t, sp, file, Options{}); err != nil || text != want {
			t.Errorf("%q was read as\n%s%v, want\n%s", file, text, err, want)
		}
	}
	for _, c := range []struct{ file, want string }{
		{"x,c,value,x;c;value;x\n", "commas and semicolons, and either may divide them: quote the names"},
		{"x,value,x\tvalue\tx\n", "commas and tabs, and either may divide them: quote the names"},
		{"x;c;loss\n1;a;2\n", `the file has no column "value": name the right one, as in value=COLUMN; the file has the columns x, c, loss`},
		{"y;c;value\n1;a;2\n", `the file has no column "x" for the parameter x: name the right one, as in x=COLUMN; the file has the columns y, c, value`},
		{"y\tvalue\n1\t2\n", `the file has the columns y, value`},
		{"x|value\n1|2\n", `the file has only the column "x|value" (columns of CSV are divided by commas, semicolons or tabs)`},
		{"X,Value\n1,2\n", `the file has no column "x" for the parameter x, capitals count: add x=X, value=Value; the file has the columns X, Value`},
		{"y,Value\n1,2\n", `the file has no column "x" for the parameter x: name the right one, as in x=COLUMN`},
		{"PK\x03\x04\x14\x00\x06", "the file is no text, but a workbook or a ZIP archive: save the table as CSV"},
		{"PAR1\x15\x04", "but Parquet"},
		{"\xff\xfex\x00,\x00v\x00", "in UTF-16: save it in UTF-8"},
		{"x\x00,value\n1,2\n", "the file is no text"},
		{"\"x;c\n", "the line that names the columns"},
	} {
		if _, err := read(t, newSpace(t, space.Float("x", 0, 10)), c.file, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q gave %v, want %q", c.file, err, c.want)
		}
	}
}

func TestDecimals(t *testing.T) {
	sp := newSpace(t, space.Float("x", 0, 10000), space.Int("n", 1, 5), space.Choice("c", "1,5", "1.5"), space.Fixed("g", 9.5))
	for _, c := range []struct {
		name    string
		file    string
		decimal Decimal
		want    string // the rows, or a part of the error
	}{
		{"commas", "x;n;c;value;std;g\n1,5;2;1,5;-2,25;0,5;9,5\n1e3;3,0;1.5;1,5e2;;\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> -2.25 ± 0.5\nx=1000 n=3 c=1.5 g=9.5 -> 150 ± 0\n"},
		{"points", "x;n;c;value\n1.5;2;1,5;2.25\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 2.25 ± 0\n"},
		{"points that look like thousands", "x;n;c;value\n1.500;2;1,5;2\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\n"},
		{"three decimals, one of them settled", "x;n;c;value\n1,500;2;1,5;0,125\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 0.125 ± 0\n"},
		{"three decimals", "x;n;c;value\n1,500;2;1,5;2\n", "", "commas in numbers (1,500 in line 2) may stand before decimals or mark thousands: say which with decimal=comma or decimal=point"},
		{"three decimals stated", "x;n;c;value\n1,500;2;1,5;2\n", DecimalComma, "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\n"},
		{"thousands stated", "x;n;c;value\n1,500;2;1,5;2\n7;2;1,5;2\n", DecimalPoint, "x=7 n=2 c=1,5 g=9.5 -> 2 ± 0\nline 2: parameter \"x\" is \"1,500\""},
		{"millions", "x;n;c;value\n1,500,000;2;1,5;2\n", "", "may stand before decimals or mark thousands"},
		{"mixed", "x;n;c;value\n1.5;2;1,5;2\n1,5;2;1,5;2\n", "", "some numbers have a comma (1,5 in line 3), some a point (1.5 in line 2): write all alike"},
		{"mixed in a file with commas", "x,n,c,value\n1.5,2,1.5,2\n\"1,5\",2,1.5,2\n", "", "x=1.5 n=2 c=1.5 g=9.5 -> 2 ± 0\nline 3: parameter \"x\" is \"1,5\""},
		{"both in one", "x;n;c;value\n1.234,5;2;1,5;2\n1,5;2;1,5;2\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\nline 2: parameter \"x\": \"1.234,5\" is not a number: write it without marks of thousands"},
		{"a point among commas stated", "x;n;c;value\n1.5;2;1,5;2\n1,5;2;1,5;2.5\n1,5;2;1,5;2\n", DecimalComma, "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\nline 2: parameter \"x\": \"1.5\" is not a number: the numbers of this file have a decimal comma\nline 3: the value: \"2.5\" is not"},
		{"a remark in the place of a number", "x;n;c;value\n1.5;2;1,5;2\nlost, sorry;2;1,5;2\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\nline 3: parameter \"x\" is \"lost, sorry\""},
		{"a column that is not used", "x;n;c;value;price\n1.5;2;1,5;2;3,5\n", "", "x=1.5 n=2 c=1,5 g=9.5 -> 2 ± 0\n"},
		{"unknown", "x;n;c;value\n", "dot", `decimal "dot" is not known: write point or comma`},
	} {
		text, err := read(t, sp, c.file, Options{Decimal: c.decimal})
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: it was read as\n%s\nwant\n%s", c.name, text, c.want)
		}
	}
}

// A row that breaks a constraint is no trial, hence never the best.
func TestConstraintsOfRows(t *testing.T) {
	sp := newSpace(t, space.Float("acid", 0, 1), space.Float("base", 0, 1), space.Constraint("acid + base <= 1"))
	const file = "acid,base,value,state\n0.5,0.25,3,\n0.9,0.9,-7,\n0.8,0.8,,infeasible\n0.25,0.25,4,\n"
	for _, format := range []Format{CSV, JSONL} {
		text := file
		if format == JSONL {
			text = `{"acid":0.5,"base":0.25,"value":3}

{"acid":0.9,"base":0.9,"value":-7}
{"acid":0.8,"base":0.8,"state":"infeasible"}
{"acid":0.25,"base":0.25,"value":4}`
		}
		s, _ := begin(t, study.Config{Space: sp})
		for _, o := range []Options{{Strict: true}, {Strict: true, DryRun: true}, {DryRun: true}, {}} {
			o.Format = format
			report, err := Import(t.Context(), s, strings.NewReader(text), o)
			if len(report.Bad) != 2 || report.Good != 2 || report.Bad[0].Error() != `line 3: it breaks the constraint "acid + base <= 1" by 0.8` || report.Bad[1].Line != 4 {
				t.Errorf("%s: %+v found %+v", format, o, report)
			}
			var request *study.RequestError
			if o.Strict && (!errors.As(err, &request) || !strings.Contains(err.Error(), "2 of 4 rows cannot be used, the first in line 3: it breaks")) || !o.Strict && err != nil {
				t.Errorf("%s: %+v gave %v", format, o, err)
			}
			if want := map[bool]int{false: 0, true: 2}[!o.Strict && !o.DryRun]; len(trials(t, s)) != want || len(report.Trials) != want {
				t.Errorf("%s: %+v left %d trials, want %d", format, o, len(trials(t, s)), want)
			}
		}
		if best, ok, err := s.Best(t.Context()); err != nil || !ok || best.Mean != 3 {
			t.Errorf("%s: the best is %+v, %v", format, best, err)
		}
	}
}

// Rows that were emptied count as empty lines; of others it is said how to mend them without changing what was measured.
func TestRowsOutside(t *testing.T) {
	sp := newSpace(t, space.Float("x", 20, 80), space.Int("n", 1, 9000), space.Ordinal("o", 16, 32))
	const fits = ": change the parameter in the study so that it fits, or leave the row out"
	for row, want := range map[string]string{
		";;;":           "",
		`"";" ";;`:      "",
		";":             "",
		"95;2;16;1":     `line 3: parameter "x" is 95, expected a number in [20, 80]` + fits,
		"50;5.5;16;1":   `line 3: parameter "n" is 5.5, expected a whole number in [1, 9000]` + fits,
		"50;2;30;1":     `line 3: parameter "o" is 30, expected one of 16, 32` + fits,
		"50;1,200;16;1": `line 3: parameter "n" is "1,200", expected a whole number in [1, 9000]: write 1200 if the comma marks thousands, else 1.200`,
		"50;2;16;1,200": `line 3: the value: "1,200" is not a number: write 1200 if the comma marks thousands, else 1.200`,
	} {
		text, err := read(t, sp, "x;n;o;value\n20.5;1;16;1\n"+row+"\n", Options{Decimal: DecimalPoint})
		if _, bad, _ := strings.Cut(text, "± 0\n"); err != nil || strings.TrimSpace(bad) != want {
			t.Errorf("%q: %s, %v, want %s", row, bad, err, want)
		}
	}
	if report, err := read(t, sp, "x;n;o;value\n20.5;1;16;1\n;;;\n", Options{Strict: true}); err != nil {
		t.Errorf("an emptied row: %s, %v", report, err)
	}
}

func TestMissingColumn(t *testing.T) {
	sp := newSpace(t, space.Float("temperature", 0, 100))
	_, err := read(t, sp, "temp,yield\n1,2\n", Options{Flags: true})
	want := `the file has no column "temperature" for the parameter temperature: name the right one with --column temperature=COLUMN; the file has the columns temp, yield`
	if err == nil || err.Error() != want {
		t.Errorf("the error is %v, want %s", err, want)
	}
	for file, want := range map[string]string{
		`{"temp":1,"yield":2}`:                              `the file has no column "temperature" for the parameter temperature: name the right one, as in temperature=COLUMN; the file has the columns temp, yield`,
		`{"params":{"temp":1},"value":2,"n":3}` + "\n[1]\n": "the file has the columns temp, n, value",
		`{"params":{"temperature":1},"yield":2}`:            `the file has no column "value"`,
	} {
		s, _ := begin(t, study.Config{Space: sp})
		if _, err := Import(t.Context(), s, strings.NewReader(file), Options{Format: JSONL}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v, want %s", file, err, want)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("c", i))
	}
	if _, err := read(t, sp, strings.Join(many, ";")+"\n", Options{}); err == nil || !strings.HasSuffix(err.Error(), "c28, c29 and 970 more") {
		t.Errorf("the error is %v", err)
	}
	if _, err := read(t, sp, "temperature;value\n1,500;2\n", Options{Flags: true}); err == nil || !strings.Contains(err.Error(), "with --decimal comma or --decimal point") {
		t.Errorf("the error is %v", err)
	}
	if _, err := read(t, sp, "temperature;value\nx;2\n", Options{Flags: true, Strict: true}); err == nil || !strings.HasSuffix(err.Error(), "without --strict") {
		t.Errorf("the error is %v", err)
	}
}

// Studies know the files that they have by these digests.
func TestDigest(t *testing.T) {
	for _, c := range []struct {
		o    Options
		file string
		want string
	}{
		{Options{Format: CSV}, "x,value\n1,2\n", "895bedd5702e6b4d370b9d5801d101d73ea2dc025e482edebc0cb601959bfbec"},
		{Options{Format: CSV, Strict: true, Flags: true}, "x,value\n1,2\n", "895bedd5702e6b4d370b9d5801d101d73ea2dc025e482edebc0cb601959bfbec"},
		{Options{Format: JSONL, Columns: map[string]string{"x": "a b", "value": "loss"}}, "{\"a b\":1,\"loss\":2}\n", "479898401f909cd303604cf2c6f421aad28d0e187a09925345836f82b1480525"},
	} {
		if got := c.o.digest([]byte(c.file)); got != c.want {
			t.Errorf("%+v: the digest of %q is %s, want %s", c.o, c.file, got, c.want)
		}
	}
	comma, point := Options{Format: CSV, Decimal: DecimalComma}, Options{Format: CSV, Decimal: DecimalPoint}
	if a, b := comma.digest(nil), point.digest(nil); a == b {
		t.Error("a file that is read in two ways has one digest")
	}
}

func FuzzRecords(f *testing.F) {
	for _, file := range []string{
		"a,b\n1,2\n", "a;b\r\n1;2\r\n", "\"a\n\nb\",\"c\"\"d\"\r\n", "\n\n\r\na\n", "\"a\"b,c\nd,e\n", "a\"b\nc\n", "\"a", "\"a\"", "\"a\r\nb\"\r", "a\r", "\r", ",\n,\n", "\"\"\n", "a,\"\n", "\"a\",\r\n",
	} {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file string) {
		for _, separator := range []byte(",;") {
			reference := csv.NewReader(strings.NewReader(file))
			reference.Comma, reference.FieldsPerRecord = rune(separator), -1
			r := newRecords([]byte(file), separator, standard())
			for {
				want, wantErr := reference.Read()
				got, err := r.read()
				for i, cell := range got {
					got[i] = strings.ReplaceAll(cell, "\r\n", "\n")
				}
				var broken *csv.ParseError
				switch {
				case errors.Is(wantErr, io.EOF):
					if !errors.Is(err, io.EOF) {
						t.Fatalf("%q goes on with %q, %v", file, got, err)
					}
					return
				case errors.As(wantErr, &broken):
					if !errors.Is(err, broken.Err) || r.line != broken.StartLine {
						t.Fatalf("%q: line %d has the error %v, want %v", file, r.line, err, wantErr)
					}
				case err != nil || !slices.Equal(got, want):
					t.Fatalf("%q is read as %q, %v, want %q", file, got, err, want)
				default:
					if line, _ := reference.FieldPos(0); line != r.line {
						t.Fatalf("%q: %q is on line %d, want %d", file, got, r.line, line)
					}
				}
			}
		}
	})
}

func FuzzFormulas(f *testing.F) {
	for _, text := range []string{"", "=1+1", "'=1", "''@x", "-5", "+cmd|' /C calc'!A0", "\tx", "\r", "'", "it's", "-", "@", "'-5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cell := inert(text)
		if got := active(cell); got != text {
			t.Errorf("%q is written as %q and read as %q", text, cell, got)
		}
		if cell != "" && strings.ContainsAny(cell[:1], "=@\t\r\n") {
			t.Errorf("%q is written as %q", text, cell)
		}
	})
}

// An exported table holds nothing that a spreadsheet computes.
func TestExportIsInert(t *testing.T) {
	sp := newSpace(t, space.Choice("c", "=1+1", "'=1+1", "@x", "-5"), space.Fixed("f", "=A1"), space.Float("x", -1, 1))
	s, _ := begin(t, study.Config{Space: sp})
	for _, label := range []string{"=1+1", "'=1+1", "@x", "-5"} {
		batch := ask(t, s, study.AskRequest{Worker: "+w", Fixed: space.ParamsOf(map[string]any{"c": label, "x": -0.5})})
		number := batch.Trials[0].Number
		if err := s.Note(t.Context(), number, "@note\twith "+label); err != nil {
			t.Fatal(err)
		}
		if err := s.Tell(t.Context(), number, evaluate.Outcome{State: evaluate.Failed, Reason: "\t-" + label}); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if err := Export(t.Context(), s, &file, CSV); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"'=1+1", "'=A1", "-0.5"}, {"''=1+1", "'=A1", "-0.5"}, {"'@x", "'=A1", "-0.5"}, {"-5", "'=A1", "-0.5"}}
	for i, row := range rows[1:] {
		if !slices.Equal(row[4:7], want[i]) {
			t.Errorf("row %d is %q, want %q", i+1, row, want[i])
		}
		for _, cell := range []string{row[7], row[10], row[14]} {
			if !strings.HasPrefix(cell, "'") {
				t.Errorf("row %d has the cell %q", i+1, cell)
			}
		}
	}
}
