package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// A file of any size is refused when the program has read as much as it can use.
func TestLargeFiles(t *testing.T) {
	dir, in := rig(t)
	large := map[string]string{}
	for _, ending := range []string{"yaml", "csv", "jsonl", "parquet"} {
		path := filepath.Join(dir, "large."+ending)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.Truncate(300<<20), f.Close()); err != nil { // a hole takes no room
			t.Fatal(err)
		}
		large[ending] = path
	}
	for args, want := range map[string]string{
		"study create b --space " + large["yaml"]:                         "--space: " + large["yaml"] + " has more than 16 MiB",
		"minimize --evals 1 --study b --space " + large["yaml"] + " -- x": "--space: " + large["yaml"] + " has more than 16 MiB",
		"enqueue rig --file " + large["jsonl"]:                            "--file: " + large["jsonl"] + " has more than 64 MiB",
		"study import rig " + large["parquet"]:                            large["parquet"] + " has more than 256 MiB",
	} {
		t.Run(args, func(t *testing.T) { refused(t, want, in(args)...) })
	}
	t.Run("token", func(t *testing.T) {
		refused(t, "--token-file: "+large["csv"]+" has more than 64 MiB", words("worker --server http://localhost:1 --study rig --token-file "+large["csv"]+" -- true")...)
	})
}

// Nobody may ever write into a pipe.
func TestReadingStops(t *testing.T) {
	r, w := io.Pipe()
	defer func() { _ = w.Close() }() // ends the reading
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := readAll(ctx, "the pipe", 10, func() (io.ReadCloser, error) { return r, nil })
	var stopped interrupted
	if !errors.As(err, &stopped) {
		t.Errorf("the error is %v", err)
	}
	if code := fail(inFlag("--file", err)); code != exitInterrupted {
		t.Errorf("the exit code is %d", code)
	}
}
