package table

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/study"
)

// mixed has a parameter of every kind, one of which is called like a column, and texts that
// are hard to write.
func mixed(t testing.TB) *space.Space {
	return newSpace(t, space.Float("x", -5, 5), space.Log("rate", 1e-5, 1), space.Int("n", 1, 9), space.LogInt("value", 1, 64),
		space.Ordinal("o", 1, 2.5, 7), space.Choice("c", "a, b", "\"q\"", " c", "=1+1", "'=1+1", "-2", "@x", "'", " ", "a;b", "ä"),
		space.Choice("yes", "+", "-"), space.Bool("on"),
		space.Fixed("g", 9.81), space.Fixed("mode", "fast"), space.Fixed("formula", "=A1\r\n+2"), space.Fixed("off", false), space.Fixed("seven", 7))
}

func TestImportCSV(t *testing.T) {
	const file = "\ufeffx, lr,value,state,std,reason,ignored\n" + // 1
		"1,0.1,5.5,,0.25,,x\n" + // 2
		"11,0.1,5,,,,\n" + // 3: x out of bounds
		"2,0.01,,failed,,\"no\npower\",\n" + // 4 and 5
		"3,0.1,abc,,,,\n" + // 6
		"3,0.1,,,,,\n" + // 7: no value
		"3,0.1,NaN,,,,\n" + // 8
		"3,0.1\n" + // 9: short
		"3,\"0.1\"x,1,,,,\n" + // 10: quotes
		"3,0.1,1,running,,,\n" + // 11
		"3,,1,,,,\n" + // 12: no rate
		"4,1e-1,-7,complete,,,\n" + // 13
		"5,0.5,,infeasible,,,\n" // 14
	s, _ := begin(t, study.Config{Space: newSpace(t, space.Float("x", 0, 10), space.Log("rate", 1e-3, 1))})
	o := Options{Format: CSV, Columns: map[string]string{"rate": "lr"}, DryRun: true}
	dry, err := Import(t.Context(), s, strings.NewReader(file), o)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, b := range dry.Bad {
		lines = append(lines, b.Line)
	}
	if want := []int{3, 6, 7, 8, 9, 10, 11, 12}; dry.Good != 4 || !slices.Equal(lines, want) || len(dry.Trials) != 0 {
		t.Errorf("the dry run found %d good rows, bad lines %v, want 4 and %v: %v", dry.Good, lines, want, dry.Bad)
	}
	if n := len(trials(t, s)); n != 0 {
		t.Fatalf("a dry run left %d trials", n)
	}
	o.DryRun = false
	for _, repeated := range []bool{false, true} {
		report, err := Import(t.Context(), s, strings.NewReader(file), o)
		if err != nil || report.Repeated != repeated || !slices.Equal(report.Trials, []int{1, 2, 3, 4}) {
			t.Errorf("importing gave %+v, %v", report, err)
		}
	}
	var got []string
	for _, trial := range trials(t, s) {
		params, _ := json.Marshal(trial.Params)
		value := "none"
		if trial.Value != nil {
			value = fmt.Sprint(*trial.Value)
		}
		got = append(got, fmt.Sprintf("%s %s %s %g %q", trial.State, params, value, trial.Std, trial.Reason))
	}
	want := []string{
		`complete {"x":1,"rate":0.1} 5.5 0.25 ""`,
		`failed {"x":2,"rate":0.01} none 0 "no\npower"`,
		`complete {"x":4,"rate":0.1} -7 0 ""`,
		`infeasible {"x":5,"rate":0.5} none 0 ""`,
	}
	sameJSON(t, "trials", want, got)
	if best, ok, err := s.Best(t.Context()); err != nil || !ok || best.Number != 3 {
		t.Errorf("the best of the imported trials is %+v", best)
	}
	if n := ask(t, s, study.AskRequest{}).Trials[0].Number; n != 5 {
		t.Errorf("the next trial is %d, want 5", n)
	}
}

func TestImportJSONL(t *testing.T) {
	const file = `{"params":{"x":1,"n":2},"value":3}
{"x":1.5,"n":3.0,"loss":1}

{"x":1.5,"n":3.0,"value":4,"state":"complete","unknown":[1]}
[1]
null
{"params":{"x":1,"n":2},"value":"many"}
{"params":{"x":1,"n":2},"value":null}
{"params":{"x":"1","n":2},"value":1}
{"params":{"x":1,"n":2.5},"value":1}
{"params":{"x":1,"n":2},"value":1} {}
{"params":{"x":1,"n":2},"state":"infeasible","value":null}`
	s, _ := begin(t, study.Config{Space: newSpace(t, space.Float("x", 0, 10), space.Int("n", 1, 5))})
	report, err := Import(t.Context(), s, strings.NewReader(file), Options{Format: JSONL})
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, b := range report.Bad {
		lines = append(lines, b.Line)
	}
	if want := []int{2, 5, 6, 7, 8, 9, 10, 11}; report.Good != 3 || !slices.Equal(lines, want) {
		t.Errorf("%d good rows, bad lines %v, want 3 and %v: %v", report.Good, lines, want, report.Bad)
	}
}

func TestImportRefuses(t *testing.T) {
	s, _ := begin(t, study.Config{Space: newSpace(t, space.Float("rate", 0, 10), space.Fixed("g", 1))})
	for _, c := range []struct {
		file    string
		format  Format
		columns map[string]string
		want    string
	}{
		{"rate,value\n", CSV, nil, "the file has no rows"},
		{"rate;value\n;\n", CSV, nil, "the file has no rows"},
		{"\n", JSONL, nil, "the file has no rows"},
		{"", CSV, nil, "is empty"},
		{"", JSONL, nil, "is empty"},
		{"rate,value\n", "xml", nil, `"xml"`},
		{"rates,value\n1,2\n", CSV, nil, `did you mean "rates"?`},
		{"rate\n1\n", CSV, nil, `the file has no column "value"`},
		{"rate,rate,value\n1,1,2\n", CSV, nil, "two columns"},
		{"rate,value\n1,2\n", CSV, map[string]string{"speed": "rate"}, `"speed" is neither`},
		{"rate,value\n1,2\n", CSV, map[string]string{"std": "sd"}, `"sd"`},
	} {
		_, err := Import(t.Context(), s, strings.NewReader(c.file), Options{Format: c.format, Columns: c.columns})
		var request *study.RequestError
		if !errors.As(err, &request) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("importing %q gave %v, want %q", c.file, err, c.want)
		}
	}
	if n := len(trials(t, s)); n != 0 {
		t.Errorf("refused files left %d trials", n)
	}
}

// outcomes is what an exported file has to carry: parameters and values.
func outcomes(t testing.TB, s *study.Study) (list []string) {
	t.Helper()
	for _, trial := range trials(t, s) {
		params, err := json.Marshal(trial.Params)
		if err != nil {
			t.Fatal(err)
		}
		value, _ := json.Marshal(trial.Value)
		reason := trial.Reason
		if strings.TrimSpace(reason) == "" { // a blank cell of a table is empty
			reason = ""
		}
		list = append(list, fmt.Sprintf("%s %s %s %v %q", params, trial.State, value, trial.Std, reason))
	}
	return list
}

func TestExportImports(t *testing.T) {
	s, _ := begin(t, study.Config{Space: mixed(t), Method: "random"})
	for _, trial := range ask(t, s, study.AskRequest{Count: 60, Worker: "w,\"1\""}).Trials {
		o := evaluate.Outcome{Value: 1 / float64(trial.Number), Std: 0.1}
		if trial.Number%5 == 0 {
			o = evaluate.Outcome{State: evaluate.Failed, Reason: "=1\r\n\"line\", 2 "}
		}
		if err := s.Tell(t.Context(), trial.Number, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []Format{CSV, JSONL, Parquet} {
		var file bytes.Buffer
		if err := Export(t.Context(), s, &file, f); err != nil {
			t.Fatal(err)
		}
		other, _ := begin(t, study.Config{Space: mixed(t)})
		report, err := Import(t.Context(), other, &file, Options{Format: f})
		if err != nil || len(report.Bad) > 0 {
			t.Fatalf("%s: %v, %v", f, report.Bad, err)
		}
		sameJSON(t, "outcomes by "+string(f), outcomes(t, s), outcomes(t, other))
	}
	if err := Export(t.Context(), s, &bytes.Buffer{}, "xls"); err == nil || !strings.Contains(err.Error(), "csv, jsonl or parquet") {
		t.Errorf("an unknown format gave %v", err)
	}
}

func TestExportOfNothing(t *testing.T) {
	s, _ := begin(t, study.Config{})
	var file bytes.Buffer
	if err := Export(t.Context(), s, &file, CSV); err != nil {
		t.Fatal(err)
	}
	if want := "number,state,value,std,x,reason,origin,batch,worker,created,asked,told,notes,excluded,cost,seconds\n"; file.String() != want {
		t.Errorf("the file is %q, want %q", file.String(), want)
	}
}

func reopen(t testing.TB, st study.Store) *study.Study {
	t.Helper()
	s, err := study.Open(t.Context(), st, "s")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestFilesCarryNotes(t *testing.T) {
	s, _ := begin(t, study.Config{})
	number := ask(t, s, study.AskRequest{Count: 1}).Trials[0].Number
	for _, text := range []string{"=cmd|'/C calc'!A0", "smells of almonds", "bottle 2, new", "@x", "\tindented", "'quoted'"} {
		if err := s.Note(t.Context(), number, text); err != nil {
			t.Fatal(err)
		}
	}
	tell(t, s, number, 1)
	tell(t, s, ask(t, s, study.AskRequest{Count: 1}).Trials[0].Number, 2)
	number = ask(t, s, study.AskRequest{Count: 1}).Trials[0].Number
	if err := s.Note(t.Context(), number, "'=1"); err != nil {
		t.Fatal(err)
	}
	tell(t, s, number, 3)
	for _, f := range []Format{CSV, JSONL, Parquet} {
		var file bytes.Buffer
		if err := Export(t.Context(), s, &file, f); err != nil {
			t.Fatal(err)
		}
		if f != JSONL && !strings.Contains(file.String(), "smells of almonds\nbottle 2, new") {
			t.Errorf("%s lacks the notes", f)
		}
		other, st := begin(t, study.Config{})
		if _, err := Import(t.Context(), other, &file, Options{Format: f}); err != nil {
			t.Fatal(err)
		}
		for _, other := range []*study.Study{other, reopen(t, st)} {
			for i, trial := range trials(t, other) {
				if want := trials(t, s)[i].Notes; !slices.Equal(trial.Notes, want) {
					t.Errorf("%s: trial %d has the notes %q, want %q", f, trial.Number, trial.Notes, want)
				}
			}
		}
	}
}

func FuzzImportCSV(f *testing.F) {
	f.Add("x,rate,n,params.value,o,c,yes,on,value\n1,0.1,2,4,2.5,\" c\",+,true,7\n")
	f.Add("x,rate,n,params.value,o,c,yes,on,state,g,mode\n-5,1,9,64,7,\"a, b\",'-,0,infeasible,9.81,fast\n,,,\n")
	f.Add("x;rate;n;params.value;o;c;yes;on;value;notes;reason;state\r\n1,5;0,1;2;4;2,5;'=1+1;+;true;-7,25;\"'@a\nb\";;\r\n-5;1;9;64;7;' ;-;1;;;\"\r\n'=x \";failed\r\n")
	f.Fuzz(func(t *testing.T, file string) { importAnything(t, file, CSV) })
}

func FuzzImportJSONL(f *testing.F) {
	f.Add(`{"params":{"x":1,"rate":0.1,"n":2,"value":4,"o":2.5,"c":" c","yes":"+","on":true},"value":-7,"std":1e-3}`)
	f.Add(`{"params":{"x":1,"rate":0.1,"n":2,"value":4,"o":2.5,"c":"=1+1","yes":"-","on":true},"state":"failed","reason":"=\r\n","notes":["-a","",1]}`)
	f.Add("{\"x\":1}\n\n[]\n{\"value\":1e999}")
	f.Fuzz(func(t *testing.T, file string) { importAnything(t, file, JSONL) })
}

// A Parquet file that is cut or changed is refused, and never ends the program.
func TestBrokenParquet(t *testing.T) {
	s, _ := begin(t, study.Config{Space: mixed(t), Method: "random"})
	for _, trial := range ask(t, s, study.AskRequest{Count: 3}).Trials {
		tell(t, s, trial.Number, 1)
	}
	var file bytes.Buffer
	if err := Export(t.Context(), s, &file, Parquet); err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < file.Len(); cut += 97 {
		data := bytes.Clone(file.Bytes())
		data[cut] ^= 0xff
		for _, broken := range [][]byte{data, file.Bytes()[:cut]} {
			other, _ := begin(t, study.Config{Space: mixed(t)})
			_, err := Import(t.Context(), other, bytes.NewReader(broken), Options{Format: Parquet})
			var request *study.RequestError
			if err != nil && !errors.As(err, &request) {
				t.Fatalf("cut at %d: %v", cut, err)
			}
		}
	}
}

// importAnything checks that a file is refused or every row of it accounted for,
// and that what was taken can be exported and taken again.
func importAnything(t *testing.T, file string, format Format) {
	ctx := context.Background()
	s, _ := begin(t, study.Config{Space: mixed(t)})
	report, err := Import(ctx, s, strings.NewReader(file), Options{Format: format})
	if err != nil {
		var request *study.RequestError
		if !errors.As(err, &request) || len(trials(t, s)) > 0 {
			t.Fatalf("the error is %v, there are %d trials", err, len(trials(t, s)))
		}
		return
	}
	lines := strings.Count(file, "\n") + 1
	if report.Good != len(report.Trials) || report.Good != len(trials(t, s)) || report.Good+len(report.Bad) > lines {
		t.Fatalf("%d good and %d bad rows of %d lines made %d trials", report.Good, len(report.Bad), lines, len(trials(t, s)))
	}
	for _, b := range report.Bad {
		if b.Line < 1 || b.Line > lines {
			t.Fatalf("a bad row is on line %d of %d", b.Line, lines)
		}
	}
	for _, again := range []Format{CSV, JSONL, Parquet} {
		var exported bytes.Buffer
		if err := Export(ctx, s, &exported, again); err != nil {
			t.Fatal(err)
		}
		other, _ := begin(t, study.Config{Space: mixed(t)})
		if _, err := Import(ctx, other, &exported, Options{Format: again}); err != nil && report.Good > 0 {
			t.Fatal(err)
		}
		sameJSON(t, "outcomes", outcomes(t, s), outcomes(t, other))
	}
}

func FuzzImportParquet(f *testing.F) {
	s, _ := begin(f, study.Config{Space: mixed(f), Method: "random"})
	for range 3 {
		tell(f, s, ask(f, s, study.AskRequest{}).Trials[0].Number, 1)
	}
	var file bytes.Buffer
	if err := Export(context.Background(), s, &file, Parquet); err != nil {
		f.Fatal(err)
	}
	f.Add(file.String())
	f.Add(string(parquetFile(f, foreignRow{X: 1, Value: 2, Reason: "a", Note: "b"})))
	f.Fuzz(func(t *testing.T, file string) {
		s, _ := begin(t, study.Config{Space: mixed(t)})
		report, err := Import(context.Background(), s, strings.NewReader(file), Options{Format: Parquet})
		var request *study.RequestError
		if err != nil && !errors.As(err, &request) {
			t.Fatal(err)
		}
		if n := len(trials(t, s)); n != len(report.Trials) || err == nil && n != report.Good {
			t.Fatalf("%d good rows made %d trials: %v", report.Good, n, err)
		}
	})
}
