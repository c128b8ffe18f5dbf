package bench

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pack compresses a folder and returns how many trials that were.
func pack(t *testing.T, dir string) int {
	t.Helper()
	n, err := Pack(dir, func(note string) { t.Error(note) })
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestAPackedFolderGoesOn(t *testing.T) {
	dir := t.TempDir()
	g := small("sobol")
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	plain := readFile(t, dir, trialsFile)
	want, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if n := pack(t, dir); n != len(want) {
		t.Errorf("%d trials packed, want %d", n, len(want))
	}
	if _, err := os.Stat(filepath.Join(dir, trialsFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the plain file is still there: %v", err)
	}
	if lines, err := unpack([]byte(readFile(t, dir, packedFile))); err != nil || string(lines) != plain {
		t.Errorf("the lines have changed: %v", err)
	}
	first := readFile(t, dir, packedFile)

	// The same grid has nothing to do; a larger one adds trials, and a further member.
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	if got, err := Read(dir); err != nil || !cmp.Equal(want, got) {
		t.Errorf("nothing to do: %v\n%s", err, cmp.Diff(want, got))
	}
	g.Methods = append(g.Methods, "random")
	if err := runIn(t, dir, g); err != nil {
		t.Fatal(err)
	}
	both, err := Read(dir)
	if err != nil || len(both) != 2*len(want) {
		t.Fatalf("%d trials, %v", len(both), err)
	}
	if readFile(t, dir, packedFile) != first {
		t.Error("a run changed the compressed file")
	}
	summary := readFile(t, dir, summaryFile)
	if n := pack(t, dir); n != len(want) {
		t.Errorf("%d trials packed, want %d", n, len(want))
	}
	if n := pack(t, dir); n != 0 {
		t.Errorf("%d trials packed again", n)
	}
	if got, err := Read(dir); err != nil || !cmp.Equal(both, got) {
		t.Errorf("two members: %v\n%s", err, cmp.Diff(both, got))
	}
	if !strings.HasPrefix(readFile(t, dir, packedFile), first) || readFile(t, dir, summaryFile) != summary {
		t.Error("the first member or the summary has changed")
	}
}

func TestPackingIsReproducible(t *testing.T) {
	line := encodeAll(t, sample("sobol", 0))
	a, errA := compress([][]byte{line})
	b, errB := compress([][]byte{line})
	if !bytes.Equal(a, b) || errA != nil || errB != nil {
		t.Errorf("the bytes differ: %v, %v", errA, errB)
	}
	// RFC 1952: no flags, hence no name; no time.
	if a[3] != 0 || !bytes.Equal(a[4:8], make([]byte, 4)) {
		t.Errorf("header is % x", a[:10])
	}
}

// A crash after the compressed file was written and before the plain one was emptied.
func TestPackingWasInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := runIn(t, dir, small("sobol", "random")); err != nil {
		t.Fatal(err)
	}
	plain := readFile(t, dir, trialsFile)
	want, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	pack(t, dir)
	rest := plain + string(encodeAll(t, sample("cmaes", 0)))
	if err := os.WriteFile(filepath.Join(dir, trialsFile), []byte(rest), 0o644); err != nil {
		t.Fatal(err)
	}
	want = append(want, sample("cmaes", 0))
	if got, err := Read(dir); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}
	if n := pack(t, dir); n != 1 {
		t.Errorf("%d trials packed, want 1", n)
	}
	if got, err := Read(dir); err != nil || !cmp.Equal(want, got) {
		t.Errorf("packed again: %v\n%s", err, cmp.Diff(want, got))
	}
}

func TestPackedFilesThatCannotBeUsed(t *testing.T) {
	member, err := compress([][]byte{encodeAll(t, sample("sobol", 0))})
	if err != nil {
		t.Fatal(err)
	}
	other := sample("sobol", 0)
	other.Curve, other.Best = []float64{9, 4, 4, 1.5, 1}, 1
	for _, c := range []struct {
		name          string
		packed, plain []byte
		says          string
	}{
		{"cut off", member[:len(member)-9], nil, packedFile + " cannot be read"},
		{"not compressed", []byte("{}"), nil, packedFile + " cannot be read"},
		{"another outcome", member, encodeAll(t, other), "trials.jsonl:1: field \"trial\" is 0, which "},
		{"two members with one trial", append(bytes.Clone(member), member...), nil, "gz:2: field \"trial\" is 0, which line 1 has already"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, packedFile), c.packed, 0o644); err != nil {
			t.Fatal(err)
		}
		if c.plain != nil {
			if err := os.WriteFile(filepath.Join(dir, trialsFile), c.plain, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		var input *InputError
		if _, err := Read(dir); !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: reading: %v", c.name, err)
		}
		if err := runIn(t, dir, small("sobol")); !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: running: %v", c.name, err)
		}
		if _, err := Pack(dir, func(string) {}); !errors.As(err, &input) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: packing: %v", c.name, err)
		}
		if readFile(t, dir, packedFile) != string(c.packed) {
			t.Errorf("%s: the file was changed", c.name)
		}
	}
	var input *InputError
	if _, err := Pack(filepath.Join(t.TempDir(), "none"), func(string) {}); !errors.As(err, &input) {
		t.Errorf("no folder: %v", err)
	}
}
