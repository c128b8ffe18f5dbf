package cli

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// paths are the commands below a struct, as users write them.
func paths(tree reflect.Type, before []string) (list [][]string) {
	for f := range tree.Fields() {
		if _, command := f.Tag.Lookup("cmd"); command {
			path := append(slices.Clone(before), strings.ToLower(f.Name))
			if below := paths(f.Type, path); len(below) > 0 {
				list = append(list, below...)
			} else {
				list = append(list, path)
			}
		}
	}
	return list
}

// A command is read by a tree that has it and no other, with the flags of the whole.
func TestCalled(t *testing.T) {
	all := paths(reflect.TypeFor[cli](), nil)
	if len(all) < 30 {
		t.Fatalf("only %d commands", len(all))
	}
	for _, path := range all {
		tree := called(reflect.TypeFor[cli](), append(slices.Clone(path), "--json"))
		if only := paths(tree, nil); len(only) != 1 || !slices.Equal(only[0], path) {
			t.Errorf("%v: the tree has %v", path, only)
		}
		if _, is := tree.FieldByName("ShowVersion"); !is {
			t.Errorf("%v: no flag --version", path)
		}
	}
	for _, args := range [][]string{nil, {"nothing"}, {"--version"}, {"best", "--help"}, {"study", "list", "-h"}} {
		if tree := called(reflect.TypeFor[cli](), args); tree != reflect.TypeFor[cli]() {
			t.Errorf("%v: not the whole tree", args)
		}
	}
	if tree := called(reflect.TypeFor[cli](), []string{"study", "nothing"}); len(paths(tree, nil)) < 5 {
		t.Error("the commands of study are missing, of which a message may name one")
	}
	command, err := parse(reflect.New(called(reflect.TypeFor[cli](), []string{"study", "list"})).Interface(), []string{"study", "list", "--store", "memory:"})
	if err != nil || command.Command() != "study list" {
		t.Errorf("%v, %v", command, err)
	}
}

// The slack is the usual one after the first look for unused memory, or what a command asked for until then.
func TestCollectLater(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	now := func() int {
		percent := debug.SetGCPercent(100)
		debug.SetGCPercent(percent)
		return percent
	}
	settled := func(want int) {
		t.Helper()
		for range 1000 {
			runtime.GC()
			if now() == want {
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("the slack is %d, want %d", now(), want)
	}
	collectLater()
	if now() != startSlack {
		t.Errorf("the slack is %d at the start", now())
	}
	end := withSlack(7)
	settled(7)
	end()
	if now() != slack {
		t.Errorf("the slack is %d in the end", now())
	}
	collectLater()
	settled(slack)
	func() {
		large := make([]byte, much+1)
		settled(muchSlack)
		runtime.KeepAlive(large)
	}()
	settled(slack)
}
