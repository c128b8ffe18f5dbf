package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mahabo/mahabo/space"
	"github.com/mahabo/mahabo/store"
	"github.com/mahabo/mahabo/study"
)

func ExampleOpen() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(ctx, "sqlite:"+filepath.Join(dir, "studies.db"))
	if err != nil {
		panic(err)
	}
	defer st.Close()
	parameters, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		panic(err)
	}
	if _, err := study.Create(ctx, st, study.Config{Name: "first", Space: parameters, Method: "sobol"}); err != nil {
		panic(err)
	}
	names, err := st.Names(ctx)
	if err != nil {
		panic(err)
	}
	fmt.Println(names)

	_, err = store.Open(ctx, "studies.db")
	fmt.Println(err)
	// Output:
	// [first]
	// store "studies.db": it has no scheme: write sqlite:PATH, postgres://user@host/database or memory:
}
