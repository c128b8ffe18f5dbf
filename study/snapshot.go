package study

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/mahabo/mahabo/evaluate"
	"github.com/mahabo/mahabo/internal/outcome"
	"github.com/mahabo/mahabo/space"
)

// A snapshot is a ledger at a place of its log, without points. It is kept for speed only:
// without it, or when it is damaged or of another version, the whole log is read instead.

// snapshotVersion is the version of what writer and reader below agree on.
const snapshotVersion = 1

const (
	dueTouched = 1000             // trials that events change before the next snapshot
	dueAfter   = 10 * time.Second // at least between two of one process
)

var errSnapshot = errors.New("the snapshot is damaged")

// head is the part of a snapshot that is JSON.
type head struct {
	Seq      int64            `json:"seq"`
	Turn     int64            `json:"turn"`
	Mended   int64            `json:"mended"`
	Format   int              `json:"format"`
	Config   Config           `json:"config"`
	Created  time.Time        `json:"created"`
	Frozen   int              `json:"frozen"`
	Batches  int              `json:"batches"`
	Command  string           `json:"command,omitempty"`
	Enqueued map[string][]int `json:"enqueued,omitempty"`
	Spaces   []*space.Space   `json:"spaces"`
	Added    []space.Params   `json:"added"`
	Trials   int              `json:"trials"`
	Finished int              `json:"finished"`
	Asked    int              `json:"asked"`
	Imported int              `json:"imported"`
}

// snapshot writes the ledger.
func (l *ledger) snapshot() ([]byte, error) {
	w := &snapshotWriter{strings: map[string]int{}}
	spaces, added := l.codec.Spaces()
	h, err := json.Marshal(head{
		l.seq, l.turn, l.mended, l.format, l.config, l.created, l.frozen, l.batches, l.command, l.enqueued, spaces, added,
		len(l.trials), len(l.finished), len(l.asked), len(l.imported),
	})
	if err != nil {
		return nil, err
	}
	w.b = append(w.b, snapshotVersion)
	w.text(string(h))
	for i := range l.trials {
		if err := w.trial(&l.trials[i], l.created); err != nil {
			return nil, err
		}
	}
	for _, f := range l.finished {
		w.int(int64(f.number))
		w.int(f.seq)
	}
	if err := w.batch(l.last); err != nil {
		return nil, err
	}
	for _, id := range slices.Sorted(maps.Keys(l.asked)) {
		w.text(id)
		if err := w.batch(l.asked[id]); err != nil {
			return nil, err
		}
	}
	for _, digest := range slices.Sorted(maps.Keys(l.imported)) {
		w.text(digest)
		w.ints(l.imported[digest])
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.ChecksumIEEE(w.b)), nil
}

// restore makes the ledger what a snapshot says.
func (l *ledger) restore(data []byte) error {
	n := len(data) - 4
	if n < 1 || data[0] != snapshotVersion || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return errSnapshot
	}
	r := &snapshotReader{b: string(data[1:n])}
	var h head
	if err := json.Unmarshal([]byte(r.text()), &h); err != nil {
		return err
	}
	l.seq, l.turn, l.mended, l.format, l.config, l.created = h.Seq, h.Turn, h.Mended, h.Format, h.Config, h.Created
	if len(h.Spaces) == 0 || len(h.Spaces) != len(h.Added) {
		return errSnapshot
	}
	for i, sp := range h.Spaces {
		l.codec, l.config.Space = l.codec.With(sp, h.Added[i]), sp
	}
	l.scheme = outcome.Of(l.config.Space.Outcomes())
	l.frozen, l.batches, l.command = h.Frozen, h.Batches, h.Command
	maps.Copy(l.enqueued, h.Enqueued)
	l.trials = make([]entry, h.Trials, h.Trials+h.Trials/8+mostParams)
	r.values = make([]float64, h.Trials)
	for i := range l.trials {
		if err := r.trial(&l.trials[i], i+1, l); err != nil {
			return err
		}
		l.lean = l.lean || l.trials[i].missing()
	}
	l.finished = make([]finish, h.Finished)
	for i := range l.finished {
		l.finished[i] = finish{int(r.int()), r.int()}
	}
	l.last = r.batch()
	for range h.Asked {
		id := r.text()
		l.asked[id] = r.batch()
	}
	for range h.Imported {
		digest := r.text()
		l.imported[digest] = r.ints()
	}
	l.retrack()
	l.saved, l.touched, l.bare = h.Seq, 0, len(l.trials)
	return r.err
}

// snapshotWriter appends to a snapshot. Numbers are varints; a string that was written before
// is its place in the list of those.
type snapshotWriter struct {
	b       []byte
	strings map[string]int
}

func (w *snapshotWriter) int(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (w *snapshotWriter) float(f float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(f))
}

func (w *snapshotWriter) text(s string) {
	w.int(int64(len(s)))
	w.b = append(w.b, s...)
}

func (w *snapshotWriter) word(s string) {
	if i, known := w.strings[s]; known {
		w.int(int64(i))
		return
	}
	w.int(int64(len(w.strings)))
	w.strings[s] = len(w.strings)
	w.text(s)
}

func (w *snapshotWriter) ints(list []int) {
	w.int(int64(len(list)))
	last := 0
	for _, n := range list {
		w.int(int64(n - last))
		last = n
	}
}

// time writes a time that is not zero.
func (w *snapshotWriter) time(t, base time.Time) { w.int(t.Sub(base).Nanoseconds()) }

func (w *snapshotWriter) batch(b batch) error {
	w.int(int64(b.number))
	w.ints(b.numbers)
	info, err := json.Marshal(b.info)
	w.word(string(info))
	return err
}

// What follows the state of a trial.
const (
	hasValue = 1 << iota
	hasPrediction
	hasStd
	hasAsked
	hasTold
	hasExpires
	hasParams
	hasMore
	isExcluded
	isDropped
)

// thin leaves out the fields of a trial that snapshots write in few bytes; the rest is JSON.
func thin(t Trial) (rest Trial) {
	t.Number, t.State, t.Origin, t.Batch, t.Worker, t.Created, t.Params = 0, "", "", 0, "", time.Time{}, space.Params{}
	t.Value, t.Std, t.Excluded = nil, 0, false
	if t.Predicted != nil && len(t.Predicted.Outcomes) == 0 {
		t.Predicted = nil
	}
	t.Asked, t.Told, t.Expires = time.Time{}, time.Time{}, time.Time{}
	return t
}

func (w *snapshotWriter) trial(e *entry, base time.Time) error {
	if strings.Contains(e.Worker+e.tag, "\x00") {
		return fmt.Errorf("trial %d has a worker or a tag that snapshots do not keep", e.Number)
	}
	rest := thin(e.Trial)
	flags := int64(0)
	for i, set := range []bool{ // in the order of the flags
		e.Value != nil, e.Predicted != nil, e.Std != 0, !e.Asked.IsZero(), !e.Told.IsZero(), !e.Expires.IsZero(),
		!e.packed, !reflect.ValueOf(rest).IsZero(), e.Excluded, e.dropped,
	} {
		if set {
			flags |= 1 << i
		}
	}
	w.int(flags)
	w.word(strings.Join([]string{string(e.State), string(e.Origin), e.Worker, e.tag}, "\x00"))
	w.text(e.key)
	w.int(int64(e.Number - e.at))
	w.int(int64(e.Batch))
	w.time(e.Created, base)
	if flags&hasValue != 0 {
		w.float(*e.Value)
	}
	if flags&hasPrediction != 0 {
		w.float(e.Predicted.Mean)
		w.float(e.Predicted.Std)
	}
	if flags&hasStd != 0 {
		w.float(e.Std)
	}
	if flags&hasAsked != 0 {
		w.time(e.Asked, base)
	}
	if flags&hasTold != 0 {
		w.time(e.Told, base)
	}
	if flags&hasExpires != 0 {
		w.time(e.Expires, base)
	}
	if flags&hasParams != 0 {
		inline, err := json.Marshal(used{e.Params, e.point})
		if err != nil {
			return err
		}
		w.text(string(inline))
	}
	if flags&hasMore != 0 {
		more, err := json.Marshal(rest)
		if err != nil {
			return err
		}
		w.text(string(more))
	}
	return nil
}

// snapshotReader reads what a snapshotWriter wrote. After an error it reads zeros.
type snapshotReader struct {
	b       string
	strings []string
	kinds   [][4]string // strings of trials in their parts
	values  []float64   // room for the values of trials
	last    int         // place of the last word
	infos   map[string]ModelInfo
	err     error
}

func (r *snapshotReader) text() string { return r.take(r.int()) }

func (r *snapshotReader) take(n int64) string {
	if r.err != nil || n < 0 || n > int64(len(r.b)) {
		r.err = errSnapshot
		return ""
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *snapshotReader) int() int64 {
	u, shift := uint64(0), 0
	for i := range min(len(r.b), binary.MaxVarintLen64) {
		c := r.b[i]
		u |= uint64(c&0x7f) << shift
		if c < 0x80 {
			r.b = r.b[i+1:]
			return int64(u>>1) ^ -int64(u&1)
		}
		shift += 7
	}
	r.err = errSnapshot
	return 0
}

func (r *snapshotReader) float() float64 {
	if b := r.take(8); b != "" {
		return math.Float64frombits(uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56)
	}
	return 0
}

func (r *snapshotReader) word() string {
	switch i := r.int(); {
	case i >= 0 && i < int64(len(r.strings)):
		r.last = int(i)
		return r.strings[i]
	case i == int64(len(r.strings)):
		r.strings = append(r.strings, r.text())
		r.last = int(i)
		return r.strings[i]
	}
	r.err = errSnapshot
	return ""
}

// kind returns the state, the origin, the worker and the tag of a trial.
func (r *snapshotReader) kind() [4]string {
	before := len(r.strings)
	word := r.word()
	if len(r.strings) > before {
		for len(r.kinds) < before {
			r.kinds = append(r.kinds, [4]string{})
		}
		var parts [4]string
		copy(parts[:], strings.SplitN(word, "\x00", 4))
		r.kinds = append(r.kinds, parts)
		r.last = before
		return parts
	}
	if r.last >= len(r.kinds) {
		r.err = errSnapshot
		return [4]string{}
	}
	return r.kinds[r.last]
}

func (r *snapshotReader) ints() []int {
	n := r.int()
	if n < 0 || n > int64(len(r.b)) {
		r.err = errSnapshot
		return nil
	}
	if n == 0 {
		return nil
	}
	list := make([]int, n)
	last := 0
	for i := range list {
		last += int(r.int())
		list[i] = last
	}
	return list
}

func (r *snapshotReader) time(base time.Time) time.Time {
	return base.Add(time.Duration(r.int()))
}

func (r *snapshotReader) batch() (b batch) {
	b.number, b.numbers = int(r.int()), r.ints()
	text := r.word()
	info, known := r.infos[text]
	if !known && r.err == nil {
		r.err = json.Unmarshal([]byte(text), &info)
		if r.infos == nil {
			r.infos = map[string]ModelInfo{}
		}
		r.infos[text] = info
	}
	b.info = info
	return b
}

func (r *snapshotReader) trial(e *entry, number int, l *ledger) error {
	flags := r.int()
	kind := r.kind()
	e.key, e.tag, e.packed, e.at = r.text(), kind[3], flags&hasParams == 0, number-int(r.int())
	batch, created := r.int(), r.time(l.created)
	t := &e.Trial
	if flags&hasValue != 0 {
		r.values[number-1] = r.float()
		t.Value = &r.values[number-1]
	}
	if flags&hasPrediction != 0 {
		t.Predicted = &Prediction{Mean: r.float(), Std: r.float()}
	}
	if flags&hasStd != 0 {
		t.Std = r.float()
	}
	if flags&hasAsked != 0 {
		t.Asked = r.time(l.created)
	}
	if flags&hasTold != 0 {
		t.Told = r.time(l.created)
	}
	if flags&hasExpires != 0 {
		t.Expires = r.time(l.created)
	}
	var params space.Params
	if flags&hasParams != 0 {
		var inline used
		if err := json.Unmarshal([]byte(r.text()), &inline); err != nil {
			return errors.Join(errSnapshot, err)
		}
		params = inline.Params
		if complete, err := l.config.Space.Complete(inline.Params); err == nil {
			params = complete
		}
		e.point, e.replaced = inline.Point, true
	}
	if flags&hasMore != 0 {
		had := *t
		if err := json.Unmarshal([]byte(r.text()), t); err != nil {
			return errors.Join(errSnapshot, err)
		}
		t.Value, t.Std, t.Asked, t.Told, t.Expires = had.Value, had.Std, had.Asked, had.Told, had.Expires
		if t.Predicted == nil {
			t.Predicted = had.Predicted
		}
	}
	t.Number, t.State, t.Origin, t.Batch, t.Worker = number, evaluate.State(kind[0]), Origin(kind[1]), int(batch), kind[2]
	t.Created, t.Params, t.Excluded, e.dropped = created, params, flags&isExcluded != 0, flags&isDropped != 0
	return r.err
}

// restoreSnapshot starts a new ledger from the study's snapshot, if there is one.
func (s *Study) restoreSnapshot(ctx context.Context) error {
	if s.ledger.store == nil {
		return nil
	}
	data, seq, err := s.ledger.store.Snapshot(ctx, s.id)
	if err != nil || seq == 0 {
		return err
	}
	l := newLedger(s.methods)
	l.store = s.ledger.store
	if l.restore(data) == nil && l.seq == seq {
		s.ledger = l
	}
	return nil
}

// saveSnapshot keeps a snapshot when much has changed since the last. That it cannot is no
// matter: the log has everything.
func (s *Study) saveSnapshot(ctx context.Context) {
	l := s.ledger
	if l.store == nil || l.touched < dueTouched || s.now().Sub(s.snapshotAt).Abs() < dueAfter {
		return
	}
	s.snapshotAt = s.now()
	_ = l.save(ctx)
}

// save writes a snapshot, and packs trials that were written before there was a table for them.
func (l *ledger) save(ctx context.Context) error {
	var numbers []int
	var keys, packed [][]byte
	for i := range l.trials {
		e := &l.trials[i]
		e.replaced = e.replaced || !e.packed && e.Outside != "" // the present space cannot pack it
		if e.packed || e.replaced {
			continue
		}
		data, err := l.codec.Pack(e.Params, e.point)
		if err != nil {
			return fmt.Errorf("trial %d: %w", e.Number, err)
		}
		numbers, keys, packed = append(numbers, e.Number), append(keys, []byte(e.key)), append(packed, data)
		e.packed = true
	}
	data, err := l.snapshot()
	if err == nil {
		err = l.store.SaveSnapshot(ctx, l.store.id, data, l.seq, numbers, keys, packed)
	}
	if err != nil {
		for _, n := range numbers {
			l.trials[n-1].packed = false
		}
		return err
	}
	l.saved, l.touched = l.seq, 0
	l.shed()
	return nil
}
