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

// snapshotVersion is the version of what writer and reader below agree on. Up to version 4 trials have the batch that
// served them last, and no failures in their history: the log has more.
const snapshotVersion = 5

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
	Tally    tally            `json:"tally"`
	Leader   leader           `json:"leader"`
}

// snapshot writes the ledger.
func (l *ledger) snapshot() ([]byte, error) {
	if !l.leader.Known && !l.scheme.Declared() && l.trials.whole() {
		l.leader = leaderOf(l.bestSite())
	}
	w := &snapshotWriter{strings: map[string]int{}}
	texts, eager, err := w.pages(l)
	if err != nil {
		return nil, err
	}
	spaces, added := l.codec.Spaces()
	h, err := json.Marshal(head{
		l.seq, l.turn, l.mended, l.format, l.config, l.created, l.frozen, l.batches, l.command, l.enqueued, spaces, added,
		l.trials.len(), len(l.finished), len(l.asked), len(l.imported), l.tally, l.leader,
	})
	if err != nil {
		return nil, err
	}
	w.b = append(w.b, snapshotVersion)
	w.text(string(h))
	w.int(int64(len(w.list)))
	for _, s := range w.list {
		w.text(s)
	}
	for k, text := range texts {
		w.int(eager[k])
		w.text(text)
	}
	w.ints(l.open)
	w.ints(slices.Sorted(maps.Keys(l.keys.repeated)))
	w.text(string(l.sketch()))
	w.text(l.former.raw())
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
func (l *ledger) restore(data string) error {
	n := len(data) - 4
	if n < 1 || data[0] != snapshotVersion || checksum(data[:n]) != binary.LittleEndian.Uint32([]byte(data[n:])) {
		return errSnapshot
	}
	r := &snapshotReader{b: data[1:n]}
	var h struct {
		head
		Config struct {
			Config
			Space struct{} `json:"space"` // the last of the spaces, not read twice
		} `json:"config"`
	}
	if err := json.Unmarshal([]byte(r.text()), &h); err != nil {
		return err
	}
	l.seq, l.turn, l.mended, l.format, l.config, l.created = h.Seq, h.Turn, h.Mended, h.Format, h.Config.Config, h.Created
	if len(h.Spaces) == 0 || len(h.Spaces) != len(h.Added) {
		return errSnapshot
	}
	for i, sp := range h.Spaces {
		l.codec, l.config.Space = l.codec.With(sp, h.Added[i]), sp
	}
	l.scheme = outcome.Of(l.config.Space.Outcomes())
	l.frozen, l.batches, l.command = h.Frozen, h.Batches, h.Command
	maps.Copy(l.enqueued, h.Enqueued)
	if err := r.pages(l, h.Trials); err != nil {
		return err
	}
	l.open = r.ints()
	if repeated := r.ints(); len(repeated) > 0 {
		l.keys.repeated = make(map[int]bool, len(repeated))
		for _, n := range repeated {
			l.keys.repeated[n] = true
		}
	}
	l.keys.known = sketch(r.text())
	l.former = newFormer(r.text())
	l.tally, l.leader = h.Tally, h.Leader
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
	l.saved, l.touched, l.bare = h.Seq, 0, l.trials.len()
	return r.err
}

// checksum is that of a text, of which it makes no copy.
func checksum(text string) (sum uint32) {
	var part [4096]byte
	for len(text) > 0 {
		n := copy(part[:], text)
		sum, text = crc32.Update(sum, crc32.IEEETable, part[:n]), text[n:]
	}
	return sum
}

// snapshotWriter appends to a snapshot. Numbers are varints; a word is its place in
// the list of those, which stands before them.
type snapshotWriter struct {
	b       []byte
	strings map[string]int
	list    []string // the same in order
}

// pages writes the trials, in texts of their own: those that nobody has read are as they were.
// eager is 1 for pages that have JSON, which has to be read to know that it can be.
func (w *snapshotWriter) pages(l *ledger) (texts []string, eager []int64, err error) {
	if !l.trials.whole() {
		for _, s := range l.trials.from.reader.strings {
			w.know(s)
		}
	}
	for k := range (l.trials.len() + pageTrials - 1) / pageTrials {
		if l.trials.pages[k] == nil {
			texts, eager = append(texts, l.trials.from.texts[k]), append(eager, 0)
			continue
		}
		w.b = nil
		json := int64(0)
		for n := k*pageTrials + 1; n <= min((k+1)*pageTrials, l.trials.len()); n++ {
			flags, err := w.trial(l.trials.at(n), l.created)
			if err != nil {
				return nil, nil, err
			}
			if flags&(hasParams|hasMore) != 0 {
				json = 1
			}
		}
		texts, eager = append(texts, string(w.b)), append(eager, json)
	}
	w.b = nil
	return texts, eager, nil
}

// know returns the place of a word in the list.
func (w *snapshotWriter) know(s string) int {
	i, known := w.strings[s]
	if !known {
		i = len(w.list)
		w.strings[s] = i
		w.list = append(w.list, s)
	}
	return i
}

func (w *snapshotWriter) int(n int64) { w.b = binary.AppendVarint(w.b, n) }

func (w *snapshotWriter) float(f float64) {
	w.b = binary.LittleEndian.AppendUint64(w.b, math.Float64bits(f))
}

func (w *snapshotWriter) text(s string) {
	w.int(int64(len(s)))
	w.b = append(w.b, s...)
}

func (w *snapshotWriter) word(s string) { w.int(int64(w.know(s))) }

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
	w.text(string(info))
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
	hasSeconds
)

// thin leaves out the fields of a trial that snapshots write in few bytes; the rest is JSON.
func thin(t Trial) (rest Trial) {
	t.Number, t.State, t.Origin, t.Batch, t.Worker, t.Created, t.Params = 0, "", "", 0, "", time.Time{}, space.Params{}
	t.Value, t.Std, t.Seconds, t.Excluded = nil, 0, 0, false
	if t.Predicted != nil && len(t.Predicted.Outcomes) == 0 {
		t.Predicted = nil
	}
	t.Asked, t.Told, t.Expires = time.Time{}, time.Time{}, time.Time{}
	return t
}

func (w *snapshotWriter) trial(e *entry, base time.Time) (flags int64, err error) {
	if strings.Contains(e.Worker+e.tag, "\x00") {
		return 0, fmt.Errorf("trial %d has a worker or a tag that snapshots do not keep", e.Number)
	}
	rest := thin(e.Trial)
	for i, set := range []bool{ // in the order of the flags
		e.Value != nil, e.Predicted != nil, e.Std != 0, !e.Asked.IsZero(), !e.Told.IsZero(), !e.Expires.IsZero(),
		!e.packed, !reflect.ValueOf(rest).IsZero(), e.Excluded, e.dropped, e.Seconds != 0,
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
	if flags&hasSeconds != 0 {
		w.float(e.Seconds)
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
			return 0, err
		}
		w.text(string(inline))
	}
	if flags&hasMore != 0 {
		more, err := json.Marshal(rest)
		if err != nil {
			return 0, err
		}
		w.text(string(more))
	}
	return flags, nil
}

// snapshotReader reads what a snapshotWriter wrote. After an error it reads zeros.
type snapshotReader struct {
	b       string
	strings []string
	kinds   [][4]string // the same in their parts
	values  []float64   // room for the values of a page
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

// kind returns the state, the origin, the worker and the tag of a trial.
func (r *snapshotReader) kind() [4]string {
	if i := r.int(); i >= 0 && i < int64(len(r.kinds)) {
		return r.kinds[i]
	}
	r.err = errSnapshot
	return [4]string{}
}

// pages reads the words, and where the trials are. What can fail is read to the end.
func (r *snapshotReader) pages(l *ledger, trials int) error {
	for n := r.int(); n > 0 && r.err == nil; n-- {
		var parts [4]string
		word := r.text()
		copy(parts[:], strings.SplitN(word, "\x00", 4))
		r.strings, r.kinds = append(r.strings, word), append(r.kinds, parts)
	}
	if trials < 0 || trials/pageTrials > len(r.b) {
		return errSnapshot
	}
	from := &unread{reader: snapshotReader{strings: r.strings, kinds: r.kinds}, base: l.created, space: l.config.Space, trials: trials}
	l.trials = register{count: trials, from: from}
	for k := range (trials + pageTrials - 1) / pageTrials {
		eager := r.int() != 0
		from.texts, l.trials.pages = append(from.texts, r.text()), append(l.trials.pages, nil)
		if r.err != nil {
			return r.err
		}
		if !eager {
			l.lean = true
			continue
		}
		page, err := from.page(k)
		if err != nil {
			return err
		}
		l.trials.pages[k] = page
		for i := range page {
			l.lean = l.lean || page[i].missing()
		}
	}
	return nil
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
	text := r.text()
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

func (r *snapshotReader) trial(e *entry, number int, base time.Time, sp *space.Space) error {
	flags := r.int()
	kind := r.kind()
	e.key, e.tag, e.packed, e.at = r.text(), kind[3], flags&hasParams == 0, number-int(r.int())
	batch, created := r.int(), r.time(base)
	t := &e.Trial
	if flags&hasValue != 0 {
		r.values = append(r.values, r.float())
		t.Value = &r.values[len(r.values)-1]
	}
	if flags&hasPrediction != 0 {
		t.Predicted = &Prediction{Mean: r.float(), Std: r.float()}
	}
	if flags&hasStd != 0 {
		t.Std = r.float()
	}
	if flags&hasSeconds != 0 {
		t.Seconds = r.float()
	}
	if flags&hasAsked != 0 {
		t.Asked = r.time(base)
	}
	if flags&hasTold != 0 {
		t.Told = r.time(base)
	}
	if flags&hasExpires != 0 {
		t.Expires = r.time(base)
	}
	var params space.Params
	if flags&hasParams != 0 {
		var inline used
		if err := json.Unmarshal([]byte(r.text()), &inline); err != nil {
			return errors.Join(errSnapshot, err)
		}
		params = inline.Params
		if complete, err := sp.Complete(inline.Params); err == nil {
			params = complete
		}
		e.point, e.replaced = inline.Point, true
	}
	if flags&hasMore != 0 {
		had := *t
		if err := json.Unmarshal([]byte(r.text()), t); err != nil {
			return errors.Join(errSnapshot, err)
		}
		t.Value, t.Std, t.Seconds, t.Asked, t.Told, t.Expires = had.Value, had.Std, had.Seconds, had.Asked, had.Told, had.Expires
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
	for e := range l.trials.loaded() {
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
			l.trials.at(n).packed = false
		}
		return err
	}
	l.saved, l.touched = l.seq, 0
	l.shed()
	return nil
}
