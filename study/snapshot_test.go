package study

import (
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"reflect"
	"testing"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/methods"
	"github.com/mahabo/mahabo/internal/points"
	"github.com/mahabo/mahabo/space"
)

// fillValue sets everything that JSON keeps.
func fillValue(v reflect.Value, at time.Time) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("word")
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Float64:
		v.SetFloat(0.1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), at)
	case reflect.Map: // of numbers, or of predictions, which have such maps themselves
		elem := reflect.New(v.Type().Elem()).Elem()
		if elem.Kind() == reflect.Float64 {
			elem.SetFloat(0.1)
		}
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("word"), elem)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fillValue(v.Index(i), at)
		}
	case reflect.Struct:
		switch v.Interface().(type) {
		case time.Time:
			v.Set(reflect.ValueOf(at))
			return
		case space.Params:
			return
		}
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fillValue(v.Field(i), at)
			}
		}
	}
}

// A snapshot of a version that kept less of a trial is not read: the log has it.
func TestSnapshotOfAnotherVersion(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)
	l := newLedger(methods.BuiltIn())
	l.seq, l.created, l.config, l.codec = 2, at, Config{Name: "s", Space: sp, Method: "sobol", Init: 3}, points.Codec{}.With(sp, space.Params{})
	value := 0.5
	l.trials.add(entry{Trial: Trial{Number: 1, State: evaluate.Complete, Origin: FromMethod, Value: &value, Cost: 2, Created: at, Asked: at, Told: at.Add(time.Minute)}, key: "k", packed: true, at: 1})
	data, err := l.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for version, readable := range map[byte]bool{3: false, 4: false, 5: true, 6: false} {
		old := append([]byte{version}, data[1:len(data)-4]...)
		old = binary.LittleEndian.AppendUint32(old, crc32.ChecksumIEEE(old))
		back := newLedger(methods.BuiltIn())
		if err := back.restore(string(old)); (err == nil) != readable {
			t.Errorf("version %d: %v", version, err)
		} else if readable && back.trials.at(1).Cost != 2 {
			t.Errorf("version %d: %+v", version, back.trials.at(1).Trial)
		}
	}
}

// A snapshot keeps every field of a trial and of the ledger.
func TestSnapshotKeepsEverything(t *testing.T) {
	sp, err := space.New(space.Float("x", 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2031, 2, 3, 4, 5, 6, 789012345, time.UTC)
	l := newLedger(methods.BuiltIn())
	l.seq, l.turn, l.mended, l.format, l.created, l.frozen, l.batches, l.command = 9, 8, 7, 1, at.Add(-time.Hour), 1, 4, "./run"
	l.config = Config{Name: "s", Space: sp, Method: "sobol", Goal: Maximize, Seed: 1 << 63, Init: 3}
	l.codec = points.Codec{}.With(sp, space.Params{})
	full := entry{key: "0123456789abcdef", tag: "t", packed: true, at: 1}
	fillValue(reflect.ValueOf(&full.Trial).Elem(), at)
	full.Number = 1
	plain := entry{Trial: Trial{Number: 2, State: evaluate.Failed, Origin: FromUser, Created: at}, key: "k", packed: true, at: 2}
	used := entry{Trial: Trial{Number: 3, State: Running, Created: at}, key: "j", replaced: true, at: 1, point: []float64{0.5}}
	used.Params, _ = sp.Complete(space.ParamsOf(map[string]any{"x": 0.75}))
	for _, e := range []entry{full, plain, used} {
		l.trials.add(e)
		l.tally.add(&e, 1)
	}
	l.open, l.keys.repeated, l.leader = []int{2, 3}, map[int]bool{1: true}, leader{true, 1, 2, 0.5}
	l.finished = []finish{{1, 5}}
	l.last = batch{4, ModelInfo{Method: "m", Note: "n"}, []int{1, 3}}
	l.asked["r"], l.enqueued["e"], l.imported["d"] = l.last, []int{2}, []int{1, 3, 2}
	data, err := l.snapshot()
	if err != nil {
		t.Fatal(err)
	}
	back := newLedger(methods.BuiltIn())
	if err := back.restore(string(data)); err != nil {
		t.Fatal(err)
	}
	show := func(l *ledger) string {
		var trials []any
		for e := range l.trials.all() {
			trials = append(trials, e.Trial, e.Params, e.point, e.tag, e.key, e.packed, e.at, e.replaced)
		}
		text, err := json.Marshal([]any{
			l.seq, l.turn, l.mended, l.format, l.created, l.frozen, l.batches, l.command, l.config, trials, len(l.finished), l.finished[0].number, l.finished[0].seq,
			l.last.number, l.last.info, l.last.numbers, l.asked["r"].number, l.asked["r"].info, l.asked["r"].numbers, l.enqueued, l.imported, l.open, l.keys.repeated, l.tally, l.leader,
		})
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if want, got := show(l), show(back); want != got {
		t.Errorf("the ledger was\n%s\nand became\n%s", want, got)
	}
	for i := range data {
		broken := append([]byte{}, data...)
		broken[i] ^= 1
		if newLedger(methods.BuiltIn()).restore(string(broken)) == nil {
			t.Fatalf("byte %d may be wrong", i)
		}
	}
}
