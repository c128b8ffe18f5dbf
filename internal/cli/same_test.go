//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// The page of a server and a report say the same of the same data, digit by digit.
func TestReportAndServerAgree(t *testing.T) {
	dir, in := rig(t, "--goal", "maximize")
	var table strings.Builder
	table.WriteString("x,n,mode,value\n")
	for i := range 30 {
		fmt.Fprintf(&table, "%g,%d,%s,%g\n", float64(i*7%30)/3, 1+i%5, []string{"1", "2", "fast"}[i%3], float64(i*i%17)+float64(i%3))
	}
	must(t, in("study import rig "+writeIn(t, dir, "old.csv", table.String()))...)
	report := decode[json.RawMessage](t, must(t, in("report rig --json")...))
	address, stop := listen(t, exec.CommandContext(t.Context(), binary, in("serve --addr 127.0.0.1:0")...))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/v1/studies/rig/model?wait=120", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	served := decode[struct{ Analysis json.RawMessage }](t, string(text)).Analysis
	var a, b bytes.Buffer
	if json.Compact(&a, report) != nil || json.Compact(&b, served) != nil || a.Len() < 1000 || a.String() != b.String() {
		t.Errorf("the report says %.600s\nthe server %.600s", a.String(), b.String())
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
